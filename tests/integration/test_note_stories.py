"""Notes on the running system: a quiet conversation is read by the tick, once, and by nobody before its time (W3)."""

import asyncio
import contextlib
import json

import pytest

from tests.devkit.system import System, someone

QUIET_S = 1800


async def notes_of(system: System, person: str) -> list[tuple[str, str, str]]:
    rows = await system.sql(
        "select n.subject, n.body, m.parts -> 0 ->> 'text' as said from notes n "
        "join messages m on m.user_id = n.user_id and m.id = n.source_message_id "
        "where n.user_id = %s and n.replaced_by is null order by n.saved_at, n.id",
        [person],
    )
    return [(row["subject"], row["body"], row["said"]) for row in rows]


async def talk(system: System, person: str, *texts: str, conversation: str | None = None) -> str:
    for text in texts:
        accepted = await system.say(person, text, **({"conversationId": conversation} if conversation else {}))
        await system.follow_to_the_end(person, accepted)
        conversation = accepted["conversationId"]
    await system.quiet()
    assert conversation is not None
    return conversation


async def test_half_an_hour_of_quiet_saves_what_was_said_and_the_costs_are_on_the_persons_books() -> None:
    async with System.launched(workers=2, zero_delay=True) as system:
        ana, ben = someone("ana"), someone("ben")
        await talk(system, ana, "My sister is called Ana.", "How late is it?")
        bens = await talk(system, ben, "I live in Oslo.")
        await system.advance(QUIET_S - 60)
        await talk(system, ben, "I love jazz.", conversation=bens)
        await system.tick()
        assert await notes_of(system, ana) == []
        await system.advance(120)
        await system.tick()
        await system.tick()
        assert await notes_of(system, ana) == [("sister name", "My sister is called Ana", "My sister is called Ana.")]
        # Whoever wrote meanwhile is not quiet yet.
        assert await notes_of(system, ben) == []
        [paid] = await system.sql(
            "select status, micros from costs where user_id = %s and feature = 'notes' and turn_id is null", [ana]
        )
        assert paid["status"] == "exact"
        assert paid["micros"] > 0
        await system.advance(QUIET_S)
        await asyncio.gather(system.tick(), system.tick())
        assert sorted(body for _, body, _ in await notes_of(system, ben)) == ["I live in Oslo", "I love jazz"]
        assert len(await system.requests(ana, "notes")) == 1
        assert len(await system.requests(ben, "notes")) == 1


async def test_a_gateway_that_is_away_delays_notes_and_a_refused_one_never_comes_w5() -> None:
    async with System.launched(workers=1, zero_delay=True) as system:
        ana = someone("ana")
        conversation = await talk(system, ana, "My wifi password is hunter2.", "I live in Oslo.")
        sent = [m["id"] for m in await system.transcript(ana, conversation) if m["role"] == "user"]
        notes = [
            {"kind": "fact", "subject": "wifi", "body": "wifi password is hunter2", "source": "stated"},
            {"kind": "fact", "subject": "home", "body": "lives in Oslo", "source": "stated"},
        ]
        written = [note | {"source_message_id": key} for note, key in zip(notes, sent, strict=True)]
        answer = {"text": json.dumps({"notes": written})}
        await system.model({"error": 503}, answer, answer, sub=ana, feature="notes")
        await system.advance(QUIET_S + 1)
        await system.tick()
        assert await notes_of(system, ana) == []
        await system.advance(120)
        await system.tick()
        assert await notes_of(system, ana) == [("home", "lives in Oslo", "I live in Oslo.")]
        costs = await system.sql("select status from costs where user_id = %s and feature = 'notes' order by id", [ana])
        assert [row["status"] for row in costs] == ["failed", "exact", "exact"]


@pytest.mark.parametrize("at", ["claimed", "before_commit"])
async def test_a_tick_that_is_killed_over_a_quiet_talk_loses_nothing_and_saves_nothing_twice_b050(at: str) -> None:
    async with System.launched(workers=1, zero_delay=True) as system:
        ana = someone("ana")
        await talk(system, ana, "My sister is called Ana.")
        await system.advance(QUIET_S + 1)
        await system.kill("maintenance", at)
        with contextlib.suppress(AssertionError):
            # Whoever asked for it hears that it died.
            await system.tick()
        assert await system.orders() == []
        await system.advance(301)
        await system.tick()
        assert [body for _, body, _ in await notes_of(system, ana)] == ["My sister is called Ana"]
        assert len(await system.requests(ana, "notes")) == 1
        assert await system.sql("select from timers where user_id = %s and kind = 'idle_save'", [ana]) == []
