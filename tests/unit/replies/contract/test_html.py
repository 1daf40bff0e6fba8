"""No HTML that loads, styles or runs something leaves, whatever its names are; text that shows HTML as code does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.replies.contract.speaking import cut, speak

ADDRESS = "//evil.example/a"
TAGS = (
    f'<b style="background:url({ADDRESS})">',
    f"<td background={ADDRESS}>",
    f"<track src={ADDRESS}>",
    f"<image href='{ADDRESS}'/>",
    f"<source srcset={ADDRESS}>",
    f"<p poster={ADDRESS}>",
    f"<object data={ADDRESS}>",
    f"<embed src={ADDRESS}>",
    "<iframe srcdoc='x'>",
    f"<svg><use href={ADDRESS} /></svg>",
    f"<use xlink:href={ADDRESS}>",
    f"<meta http-equiv=refresh content='0;{ADDRESS}'>",
    f"<base href={ADDRESS}>",
    f"<form action={ADDRESS}>",
    f"<style>@import '{ADDRESS}'</style>",
    f"<STYLE>@import url({ADDRESS})</STYLE>",
    f"<x-y data-z={ADDRESS}>",
    f"<svg:image href={ADDRESS}>",
    f"<i/style=background:url({ADDRESS})>",
    f"<i\nstyle\n=\nbackground:url({ADDRESS})>",
    "<i onclick=alert(1)>",
    "</b style=x>",
    "<script>",
    "<iframe>",
    "<form>",
)


@pytest.mark.parametrize("tag", TAGS)
def test_b076_a_tag_that_may_load_something_does_not_leave(tag: str) -> None:
    for text in (f"See {tag} so", f"See {tag}", f"See **{tag}**", f"See {tag.replace(' ', chr(10))} so"):
        out, fault = speak(text)
        assert (out.rstrip("*"), fault) == ("See ", "html")
        assert speak(list(text)) == (out, fault)


@pytest.mark.parametrize("tag", TAGS)
def test_code_that_shows_html_leaves(tag: str) -> None:
    shown = tag.replace(ADDRESS, "a.png")
    for text in (f"Write `{shown.replace(chr(10), ' ')}` there.", f"So:\n```html\n{shown}\n```\nDone."):
        assert speak(text) == (text, "")
        assert speak(list(text)) == (text, "")


NAMES = st.text("abcdefghijklmnopqrstuvwxyz-:", min_size=1, max_size=12).filter(lambda name: name[0].isalpha())
FILL = st.lists(st.sampled_from(["hidden", "x", "\n", "\t", '"', "'", "a-b", "/"]), max_size=60).map(" ".join)


@given(name=NAMES, attribute=NAMES, fill=FILL, places=st.lists(st.integers(0, 200), max_size=6))
def test_no_attribute_leaves_with_its_value_however_far_it_is_from_its_tags_name(
    name: str, attribute: str, fill: str, places: list[int]
) -> None:
    out, fault = speak(cut(f"See <{name} {fill} {attribute}={ADDRESS}> so", places))
    assert fault == "html"
    assert "=" not in out
    assert ADDRESS not in out


@pytest.mark.parametrize(
    "text",
    [
        "H<sub>2</sub>O is <b>wet</b>,<br>and so <i>on</i>.<br/>",
        "A List<int>, a Map<String, List<T>> and a vector<T>.",
        "Dear <Name>, write <your name> here.",
        "x < 5, y > 3, a<b, b>=c, <3, <- and ->",
        "if a <b and c> 3 then d = 4",
        "<https://ok.example.org/w_(x)?p=1&q=2> and then a = b",
        "Press <kbd>Ctrl</kbd>+<kbd>C</kbd>; x = 5.",
    ],
)
def test_what_only_looks_like_html_or_only_changes_letters_leaves(text: str) -> None:
    assert speak(text) == (text, "")
    assert speak(list(text)) == (text, "")


def test_a_tag_that_never_ends_keeps_no_turn_waiting() -> None:
    text = "See <b " + "hidden " * 500
    assert speak(list(text)) == (text, "")
    assert speak([*text, "style=x"]).fault == "html"
