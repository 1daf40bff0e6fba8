"""A timer that failed is tried again: later each time, and never so late that nobody remembers it (P4)."""

from hypothesis import given
from hypothesis import strategies as some

from lanekeeper.timers.rules import put_off

TRIES = some.integers(min_value=1, max_value=10_000)


def test_each_failure_doubles_the_wait_up_to_half_an_hour() -> None:
    assert [put_off(tries, 60, 1800) for tries in range(1, 8)] == [60, 120, 240, 480, 960, 1800, 1800]


@given(TRIES)
def test_however_often_it_failed_it_is_tried_again(tries: int) -> None:
    assert 60 <= put_off(tries, 60, 1800) <= 1800
    assert put_off(tries, 60, 1800) <= put_off(tries + 1, 60, 1800)
