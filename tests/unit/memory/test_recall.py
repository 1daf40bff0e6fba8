"""What is asked for, and how much comes back."""

from datetime import UTC, datetime

from lanekeeper.memory.recall import Hit, cut, parameters


def hit(body: str) -> Hit:
    saved_at = datetime(2030, 1, 1, tzinfo=UTC)
    return Hit(
        id=body,
        kind="fact",
        subject="s",
        body=body,
        source="stated",
        source_message_id="m",
        saved_at=saved_at,
        score=1,
        share=1,
    )


def test_aliases_join_only_when_their_word_was_said() -> None:
    aliases = {"car": ["automobile"], "home": ["flat", "house"]}
    assert parameters("Where is my CAR", aliases=aliases)["aliases"] == ["automobile"]
    assert parameters("Where is it", aliases=aliases)["aliases"] == []


def test_english_comes_along_with_any_language() -> None:
    assert parameters("x", languages=["de", "en", "", "de"])["languages"] == ["en", "de"]


def test_a_message_is_cut_and_cleaned_before_it_is_searched_for() -> None:
    assert parameters("a\0b" + "c" * 9_000, chars=5)["message"] == "a bcc"
    assert parameters("ok \ud800")["message"] == "ok "


def test_hits_fit_their_bytes_and_the_best_one_always_comes() -> None:
    assert cut([hit("a" * 300), hit("b" * 300), hit("c")], 600) == (hit("a" * 300), hit("b" * 300))
    assert [kept.body for kept in cut([hit("é" * 400), hit("c")], 601)] == ["é" * 300]
    assert cut([], 600) == ()
