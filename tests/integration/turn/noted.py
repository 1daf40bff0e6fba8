"""Notes of a person, and what a model is told of them for one reply."""

import asyncio
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from lanekeeper.turn import recalling
from tests.integration.turn.conftest import Talk

SISTER = "My sister is called Ana"


async def keep(talk: Talk, body: str, *, subject: str, person: str = "ana", **columns: Any) -> str:
    """Keep a note of a person, from a message in an old conversation; its id: ``note0``, ``note1`` and so on."""
    (counted,) = await talk.rows("select count(*) as n from notes")
    ids = {"id": f"note{counted['n']}", "said": f"said{counted['n']}", "person": person, "old": f"old_{person}"}
    row = {"kind": "fact", "replaced_by": None, "expires_at": None} | columns | ids | {"subject": subject, "body": body}
    await talk.superuser.execute("insert into users (id) values (%(person)s) on conflict do nothing", row)
    await talk.superuser.execute(
        "insert into conversations (id, user_id, agent_id) values (%(old)s, %(person)s, 'a') on conflict do nothing",
        row,
    )
    await talk.superuser.execute(
        "insert into messages (user_id, id, conversation_id, role, parts) "
        "values (%(person)s, %(said)s, %(old)s, 'user', %(parts)s)",
        row | {"parts": Jsonb([{"type": "text", "text": body}])},
    )
    await talk.superuser.execute(
        "insert into notes (id, user_id, kind, subject, body, source, source_message_id, saved_at, replaced_by, "
        "expires_at) values (%(id)s, %(person)s, %(kind)s, %(subject)s, %(body)s, 'stated', %(said)s, "
        "'2026-11-01 23:30Z', %(replaced_by)s, %(expires_at)s)",
        row,
    )
    return ids["id"]


async def ask(talk: Talk, text: str, *, engine: Any = None, **options: Any) -> str:
    """Send a message, run its turn, and give what the model was told for this reply only."""
    await talk.say(text, **options)
    await talk.script({"text": "Well."})
    await talk.run(engine)
    return await told(talk)


async def told(talk: Talk, number: int = -1) -> str:
    """What the model was told for one reply only, in its last request or another."""
    return str((await talk.requests())[number]["body"]["messages"][-1]["content"])


def searching_for(gate: asyncio.Event, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Searches wait for the gate; what was searched for."""
    searched: list[str] = []
    search = recalling.recall

    async def gated(database: Any, user_id: str, message: str, *args: Any, **options: Any) -> Any:
        searched.append(message)
        await gate.wait()
        return await search(database, user_id, message, *args, **options)

    monkeypatch.setattr(recalling, "recall", gated)
    return searched


async def late(talk: Talk, *note_ids: str, age_s: float = 5) -> None:
    """Leave notes for the next turn of Ana's conversation, as a turn does whose search was late."""
    await talk.superuser.execute(
        "insert into conversations (id, user_id, agent_id) values ('conv_ana', 'ana', 'a') on conflict do nothing"
    )
    await talk.superuser.execute(
        "insert into late_recalls (conversation_id, user_id, note_ids, found_at) values "
        "('conv_ana', 'ana', %s, lanekeeper.now() - make_interval(secs => %s))",
        [list(note_ids), age_s],
    )
