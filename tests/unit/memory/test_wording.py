"""What a model is told of recalled notes, and how to take them (R3, D2)."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from lanekeeper.memory.recall import Hit, Recalled
from lanekeeper.memory.rules import label
from lanekeeper.memory.wording import (
    NOTHING_FITS,
    NOTHING_FITS_WELL,
    ONE_MAY_BE_MEANT,
    SEVERAL_MAY_BE_MEANT,
    lines,
    told,
)


def hit(subject: str, share: float, body: str = "") -> Hit:
    return Hit(
        id=subject,
        kind="fact",
        subject=subject,
        body=body or f"about {subject}",
        source="stated",
        source_message_id="m",
        saved_at=datetime(2026, 11, 1, 23, 30, tzinfo=UTC),
        score=1,
        share=share,
    )


def found(*hits: Hit) -> Recalled:
    return Recalled(label([(one.subject, one.share) for one in hits]), hits)


@pytest.mark.parametrize(
    ("hits", "kept", "advice"),
    [
        ((hit("sister", 1.0), hit("tea", 0.1)), ["sister"], ""),
        ((hit("may", 0.8), hit("june", 0.7)), ["may", "june"], SEVERAL_MAY_BE_MEANT),
        ((hit("sister", 0.4),), ["sister"], ONE_MAY_BE_MEANT),
        ((hit("sister", 0.1), hit("tea", 0.05)), ["sister", "tea"], NOTHING_FITS_WELL),
        ((), [], NOTHING_FITS),
    ],
)
def test_code_says_how_to_take_what_was_found_r3(hits: tuple[Hit, ...], kept: list[str], advice: str) -> None:
    said = told(found(*hits))
    assert ([one.subject for one in said.hits], said.advice) == (kept, advice)


@pytest.mark.parametrize(
    ("hits", "kept", "advice"),
    [
        ((hit("sister", 1.0), hit("tea", 0.9)), ["sister"], ""),
        ((hit("may", 1.0), hit("june", 1.0)), ["may", "june"], SEVERAL_MAY_BE_MEANT),
        ((hit("sister", 0.9),), [], ""),
        ((), [], ""),
    ],
)
def test_when_nobody_can_tell_only_a_note_with_every_word_counts_and_none_says_nothing_d2(
    hits: tuple[Hit, ...], kept: list[str], advice: str
) -> None:
    said = told(found(*hits), strong=True)
    assert ([one.subject for one in said.hits], said.advice) == (kept, advice)


def test_a_note_is_one_line_with_its_kind_its_subject_and_the_day_where_the_person_is() -> None:
    note = hit("sister", 1.0, "My sister\nis called  Ana")
    assert lines([note], UTC) == "fact, sister, 2026-11-01: My sister is called Ana"
    assert lines([note], timezone(timedelta(hours=9))) == "fact, sister, 2026-11-02: My sister is called Ana"
    assert lines([note, hit("tea", 1.0)], UTC).count("\n") == 1
    assert lines([hit("", 1.0, "Likes tea")], UTC) == "fact, 2026-11-01: Likes tea"
    assert lines([], UTC) == ""
