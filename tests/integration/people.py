"""Rows as the accept function leaves them, for tests that begin after it."""

from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from lanekeeper.types import new_id

Connection = psycopg.AsyncConnection[dict[str, Any]]


async def write(
    connection: Connection,
    user_id: str,
    text: str,
    *,
    conversation_id: str | None = None,
    kind: str = "text",
    agent_id: str = "assistant",
) -> dict[str, str]:
    """Put one message in the inbox, as a superuser's connection; the ids it was given."""
    conversation_id = conversation_id or f"conv_{user_id}"
    ids = {
        "user_id": user_id,
        "conversation_id": conversation_id,
        "turn_id": new_id("turn"),
        "message_id": new_id("msg"),
        "reply_id": new_id("msg"),
        "agent_id": agent_id,
        "kind": kind,
    }
    async with connection.transaction():
        await connection.execute("insert into users (id) values (%(user_id)s) on conflict do nothing", ids)
        await connection.execute(
            "insert into conversations (id, user_id, agent_id, title) "
            "values (%(conversation_id)s, %(user_id)s, %(agent_id)s, 'A talk') on conflict do nothing",
            ids,
        )
        await connection.execute(
            "insert into lanes (user_id, ready_at) values (%(user_id)s, lanekeeper.now()) "
            "on conflict (user_id) do update set ready_at = coalesce(lanes.ready_at, excluded.ready_at)",
            ids,
        )
        await connection.execute(
            "insert into turns (id, user_id, conversation_id, agent_id, reply_id) "
            "values (%(turn_id)s, %(user_id)s, %(conversation_id)s, %(agent_id)s, %(reply_id)s)",
            ids,
        )
        await connection.execute(
            "insert into inbox (user_id, conversation_id, kind, turn_id, accepted_turn_id, message_id, "
            "idempotency_key, body_hash, agent_id, payload) values (%(user_id)s, %(conversation_id)s, %(kind)s, "
            "%(turn_id)s, %(turn_id)s, %(message_id)s, %(message_id)s, 'hash', %(agent_id)s, %(payload)s)",
            ids | {"payload": Jsonb({"text": text})},
        )
        await connection.execute(
            "insert into messages (user_id, id, conversation_id, turn_id, role, parts) values "
            "(%(user_id)s, %(message_id)s, %(conversation_id)s, %(turn_id)s, 'user', %(parts)s)",
            ids | {"parts": Jsonb([{"type": "text", "text": text}])},
        )
    return ids
