"""The rule book says nothing that it cannot show."""

from tests.devkit.rules import LEDGER, read


def test_every_row_of_the_ledger_is_in_the_book() -> None:
    rules, _ = read()
    expected = [f"{letter}{number}" for letter, rows in LEDGER.items() for number in range(1, rows + 1)]
    assert [rule.id for rule in rules] == expected


def test_every_home_and_every_test_in_the_book_exists() -> None:
    rules, failures = read()
    assert [fault for row in (*rules, *failures) for fault in row.faults()] == []


def test_every_failure_of_the_field_is_named_once() -> None:
    _, failures = read()
    assert len({failure.id for failure in failures}) == len(failures) == 44
