"""What code has acted on is no matter for notes: nobody is reminded later of a night in danger or a complaint (W5)."""

from collections.abc import Callable

import pytest

from lanekeeper.limits import Limits
from lanekeeper.memory.segment import unread
from lanekeeper.postgres import Database
from tests.integration.turn.conftest import Talk


async def readable(talk: Talk, database: Database) -> list[str]:
    """What a note writer is given of the person's own words, over all conversations."""
    read: list[str] = []
    for row in await talk.rows("select id from conversations order by id"):
        segment = await unread(database, "ana", row["id"], Limits())
        read += [line.text for line in segment.own.values()] if segment else []
    return read


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("I have a knife and I am going to end it tonight", {"risk": 0.99}),
        ("Your delivery man shouted at my daughter Ida", {"complaint": 0.99}),
        ("I want to talk to a human please, I was fired", {"wants_human": 0.99}),
        ("wipe all that you have on Ida and me", {"delete_request": 0.99}),
        ("write to me no more, I am in hospital", {"opt_out": 0.99}),
    ],
)
async def test_a_message_that_code_has_acted_on_never_goes_to_the_note_writer(
    talk: Talk, database_as: Callable[[str], Database], said: str, verdict: dict[str, float]
) -> None:
    await talk.judge(language="en")
    await talk.say("My sister is called Ana")
    await talk.script({"text": "A fine name."})
    await talk.run()
    await talk.judge(**verdict)
    await talk.say(said)
    await talk.run()
    assert len(await talk.requests()) == 1, "no model has answered that"
    assert await readable(talk, database_as("maintenance")) == ["My sister is called Ana"]
    assert ("user", said) in await talk.history(), "the transcript keeps it"


async def test_what_joins_a_turn_in_danger_is_kept_from_the_note_writer_with_all_of_the_turn(
    talk: Talk, database_as: Callable[[str], Database]
) -> None:
    await talk.judge(language="en")
    await talk.judge(risk=0.95)
    await talk.say("I had a bad day")
    await talk.say("i do not want to be here any more")
    await talk.run()
    assert await readable(talk, database_as("maintenance")) == []


async def test_a_message_that_was_only_out_of_place_may_still_tell_of_the_person(
    talk: Talk, database_as: Callable[[str], Database]
) -> None:
    await talk.judge(out_of_scope=0.99)
    await talk.say("I keep bees, which party should I vote for?")
    await talk.script({"text": "Well."})
    await talk.run()
    assert await readable(talk, database_as("maintenance")) == ["I keep bees, which party should I vote for?"]
