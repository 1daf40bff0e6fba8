"""What of a model's answer may stand in the place of a conversation, and what is asked again (B018, B020)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from lanekeeper.compaction import FEATURE, Summariser, SummaryError
from lanekeeper.compaction.summarising import INSTRUCTION
from lanekeeper.graph import ThreadMessage
from lanekeeper.limits import Limits
from lanekeeper.mainline.body import chat_body
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.errors import MainlineError
from tests.unit.compaction.threads import thread, wire
from tests.unit.mainline.gateway import (
    COUNTED,
    DONE,
    FINISHED,
    SMALL,
    Book,
    Play,
    called,
    caller,
    chunk,
    client,
    gateway,
    refuse,
    said,
    stream,
)

COVERED = thread("h c1 r1 a h a", turns=["t1", "t2"])


@dataclass
class Request:
    """A conversation's request, in short: what was asked for is remembered."""

    model: Model = SMALL
    asked: list[tuple[list[dict[str, object]], str | None, str]] = field(default_factory=list)

    def body(
        self, messages: Sequence[ThreadMessage], summary: str | None, instruction: str, *, max_tokens: int
    ) -> dict[str, Any]:
        if messages:
            self.asked.append((wire(messages), summary, instruction))
        return chat_body([*wire(messages), {"role": "system", "content": instruction}], max_tokens=max_tokens)


class OutOfDateError(Exception):
    """Something was forgotten since the conversation was read."""


async def nothing_new() -> None:
    """What is summarised is up to date."""


async def out_of_date() -> None:
    """It is not."""
    raise OutOfDateError


async def summarise(
    *plays: Play,
    before: str | None = None,
    request: Request | None = None,
    check: Callable[[], Awaitable[None]] = nothing_new,
    **limits: Any,
) -> str:
    book = Book()
    async with gateway() as served, client(served.url, **limits) as mainline:
        served.plays += plays
        summariser = Summariser(mainline, Limits(**limits))
        on_behalf = caller(book, feature=FEATURE)
        written = await summariser.summarise(request or Request(), COVERED, before, on_behalf, check)
        assert served.plays == []
    assert len(book.opened_calls) == len(book.settled_calls) == len(plays)
    return written


def answered(text: str) -> Play:
    return stream(said(text), FINISHED, COUNTED, DONE)


async def test_the_text_of_a_whole_answer_is_the_summary() -> None:
    request = Request()
    assert await summarise(answered("\n They like owls. \n"), request=request) == "They like owls."
    assert request.asked == [(wire(COVERED), None, INSTRUCTION)]


async def test_content_blocks_are_read_as_plain_text_b018() -> None:
    blocks = chunk({"content": [{"type": "text", "text": "They like "}, {"type": "text", "text": "owls."}]})
    assert await summarise(stream(blocks, FINISHED, COUNTED, DONE)) == "They like owls."


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        (stream(said("  "), FINISHED, COUNTED, DONE), "empty"),
        (stream(FINISHED, COUNTED, DONE), "empty"),
        (stream(said("They like"), chunk({}, "length"), COUNTED, DONE), "length"),
        (stream(said("They like"), chunk({}, "content_filter"), COUNTED, DONE), "content_filter"),
        (stream(chunk({"refusal": "I will not do that."}), FINISHED, COUNTED, DONE), "refused"),
        (stream(said("Wait."), called("look", "{}"), chunk({}, "tool_calls"), COUNTED, DONE), "tool_calls"),
        (stream(said("Wait."), called("look", "{}"), FINISHED, COUNTED, DONE), "tool_calls"),
        (stream(said("word " * 8_000), FINISHED, COUNTED, DONE), "long"),
    ],
    ids=["blank", "nothing", "length", "filter", "refusal", "call", "call that stops", "long"],
)
async def test_an_answer_that_is_empty_cut_refused_or_too_long_is_none_b018(play: Play, reason: str) -> None:
    with pytest.raises(SummaryError) as failed:
        await summarise(play)
    assert failed.value.reason == reason


@pytest.mark.parametrize(
    ("play", "kind"),
    [
        (refuse(429, {"error": {"message": "slow down"}}), "rate_limited"),
        (refuse(500, {"error": {"message": "oh"}}), "unavailable"),
        (stream(said("They like")), "cut"),
    ],
    ids=["429", "500", "cut"],
)
async def test_a_call_that_fails_is_no_summary_and_its_words_are_nobodys_b018(play: Play, kind: str) -> None:
    with pytest.raises(MainlineError) as failed:
        await summarise(play)
    assert failed.value.kind == kind


async def test_a_summary_that_is_a_quarter_too_long_is_still_taken() -> None:
    assert len(await summarise(answered("w " * 2_900), summary_tokens=1_200)) > 5_000


async def test_one_that_lost_what_the_one_before_told_is_asked_for_again_with_what_is_missing_b020() -> None:
    request = Request()
    held = "Their sister is Ana. They like owls."
    written = await summarise(
        answered("They like owls."), answered(held), before="The person's sister is Ana.", request=request
    )
    assert written == held
    first, second = request.asked
    assert (first[1], second[1]) == ("The person's sister is Ana.",) * 2
    assert first[2] == INSTRUCTION
    assert second[2].startswith(INSTRUCTION)
    assert "Ana" in second[2].removeprefix(INSTRUCTION)


async def test_one_that_loses_it_twice_stands_behind_the_one_before_b020() -> None:
    written = await summarise(
        answered("They like owls."), answered("They like many owls."), before="The person's sister is Ana."
    )
    assert written == "The person's sister is Ana.\n\nThey like many owls."


async def test_where_there_is_no_room_for_both_what_was_lost_is_carried_over_b020() -> None:
    small_talk = "They spoke of this and that and of the weather for a while, and of what else came to their minds. "
    written = await summarise(
        answered("They like owls. " * 12),
        answered("They like owls. " * 12),
        before=f"{small_talk}The person's sister is Ana.",
        summary_tokens=60,
    )
    assert written == "The person's sister is Ana.\n\n" + ("They like owls. " * 12).strip()


async def test_where_there_is_hardly_any_room_nothing_is_taken_b020() -> None:
    with pytest.raises(SummaryError) as failed:
        await summarise(
            answered("They like owls. " * 18),
            answered("They like owls. " * 18),
            before="The person's sister is Ana. " * 10,
            summary_tokens=60,
        )
    assert failed.value.reason == "lost"


async def test_a_second_try_that_fails_leaves_the_first_behind_the_one_before_b020() -> None:
    written = await summarise(
        answered("They like owls."), stream(FINISHED, COUNTED, DONE), before="The person's sister is Ana."
    )
    assert written == "The person's sister is Ana.\n\nThey like owls."


async def test_a_history_larger_than_the_window_is_read_in_pieces_each_with_the_summary_so_far() -> None:
    request = Request()
    written = await summarise(
        answered("They asked for owls."),
        answered("They asked for owls, and slept."),
        request=request,
        summary_window_tokens=565,
        summary_tokens=40,
    )
    assert written == "They asked for owls, and slept."
    assert [summary for _, summary, _ in request.asked] == [None, "They asked for owls."]
    assert [message for messages, _, _ in request.asked for message in messages] == wire(COVERED)


@pytest.mark.parametrize(
    ("play", "before", "limits"),
    [
        (answered("They asked for owls."), None, {"summary_window_tokens": 565, "summary_tokens": 40}),
        (answered("They like owls."), "Ana is their sister, Rex their dog, Lisbon their home.", {}),
    ],
    ids=["next piece", "second try"],
)
async def test_once_something_was_forgotten_no_further_request_is_made_of_what_was_read_before_b062(
    play: Play, before: str | None, limits: dict[str, Any]
) -> None:
    request = Request()
    with pytest.raises(OutOfDateError):
        await summarise(play, before=before, request=request, check=out_of_date, **limits)
    assert len(request.asked) == 1


def test_the_instruction_is_small_and_names_no_call_to_make() -> None:
    assert len(INSTRUCTION.encode()) <= 2_048
    assert "Call no tool" in " ".join(INSTRUCTION.split())
