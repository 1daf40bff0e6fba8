"""A statement's text is cut at its parameters once and then filled in."""

from lanekeeper.postgres.wording import wordings


def quote(value: object) -> bytes:
    return repr(value).encode()


def test_parameters_are_filled_in_where_they_stand() -> None:
    (statement,) = wordings("select %(a)s, %(b)s || '%%' where x = %(a)s")
    assert statement.names == ("a", "b")
    assert statement.filled_in({"a": 1, "b": "it", "unused": 2}, quote) == b"select 1, 'it' || '%' where x = 1"
    assert statement.numbered() == b"select $1, $2 || '%' where x = $1"


def test_several_statements_in_a_text_are_told_apart_and_comments_left_out() -> None:
    first, second = wordings("-- Why.\nselect ';' as a;\n\n-- What for;\nupdate t set x = 1\nwhere y = %(y)s;")
    assert first.text == "select ';' as a"
    assert second.text == "update t set x = 1\nwhere y = %(y)s"


def test_only_what_postgres_can_prepare_is_prepared() -> None:
    texts = {
        "begin": False,
        "commit": False,
        "select 1": True,
        "with a as (select 1) select 2": True,
        "listen x": False,
    }
    assert {text: wordings(text)[0].preparable for text in texts} == texts


def test_a_text_is_cut_once() -> None:
    assert wordings("select 1")[0] is wordings("select 1")[0]
