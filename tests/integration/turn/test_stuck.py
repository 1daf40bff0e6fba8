"""A stuck agent offers a person, by a fixed line, and nobody is apologised to twice in a row (A3)."""

import pytest

from lanekeeper.lines import HONEST_LINE, PERSON_LINE, WITHHELD_LINE
from lanekeeper.replies.contract import BREAK
from tests.integration.turn.conftest import Talk
from tests.integration.turn.reading import shown_text

FAILING = {"calls": [{"name": "test_look", "args": {"query": "fail"}}]}
WORKING = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
ERROR = {"error": 500}
PICTURE = {"text": "![x](https://evil.example)"}


async def answers(talk: Talk) -> list[str]:
    return [text for role, text in await talk.history() if role == "assistant"]


async def test_after_two_failed_attempts_with_one_tool_the_reply_offers_a_person(talk: Talk) -> None:
    sent = await talk.say("look it up")
    await talk.script(FAILING, FAILING, {"text": "I found nothing."})
    await talk.run()
    assert shown_text(await talk.chunks(sent["turn_id"])) == ["I found nothing.", PERSON_LINE.en]
    assert await answers(talk) == [f"I found nothing. | {PERSON_LINE.en}"]
    last = (await talk.rows("select message from thread_messages order by position desc limit 1"))[0]["message"]
    assert last["content"] == f"I found nothing.{BREAK}{PERSON_LINE.en}"
    assert [row["kind"] for row in await talk.rows("select kind from limit_hits")] == ["stuck"]


async def test_one_failed_attempt_or_one_that_worked_in_the_end_offers_nobody(talk: Talk) -> None:
    await talk.say("look it up")
    await talk.script(FAILING, {"text": "I found nothing."})
    await talk.run()
    await talk.say("look again")
    await talk.script(FAILING, WORKING, {"text": "Here it is."})
    await talk.run()
    assert await answers(talk) == ["I found nothing.", "Here it is."]


@pytest.mark.parametrize("second", [ERROR, PICTURE])
async def test_a_second_turn_in_a_row_that_fails_offers_a_person_instead_of_apologising_again(
    talk: Talk, second: dict[str, object]
) -> None:
    await talk.say("one")
    await talk.script(ERROR, ERROR)
    await talk.run()
    await talk.say("two")
    await talk.script(second, second)
    await talk.run()
    assert await answers(talk) == [HONEST_LINE.en, PERSON_LINE.en]


async def test_a_failed_turn_after_one_that_went_well_is_a_first_attempt(talk: Talk) -> None:
    for text, replies in (("one", [PICTURE, PICTURE]), ("two", [{"text": "Fine."}]), ("three", [ERROR, ERROR])):
        await talk.say(text)
        await talk.script(*replies)
        await talk.run()
    assert await answers(talk) == [WITHHELD_LINE.en, "Fine.", HONEST_LINE.en]
