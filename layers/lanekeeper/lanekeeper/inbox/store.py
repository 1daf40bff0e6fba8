"""Takes messages in, and takes them back out when their sender stops them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from psycopg.types.json import Jsonb

from lanekeeper.errors import Problem
from lanekeeper.inbox.rules import Enclosed, Incoming, title_of, told_state
from lanekeeper.limits import Limits
from lanekeeper.mainline import tokens
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import new_id

SQL = Statements.beside(__file__)

WAKES: dict[str, Literal["worker", "maintenance"]] = {"new": "worker", "waiting": "maintenance"}


@dataclass(frozen=True, slots=True)
class Accepted:
    """A message that is safe in the inbox, now or since an earlier request with the same key.

    Attributes:
        state: queued, joined, waiting or held.
        wakes: who is to be woken for it: a worker, or maintenance where it waits for a summary; nobody for a repeat
            of what was taken up.
    """

    conversation_id: str
    message_id: str
    turn_id: str
    state: str
    wakes: Literal["worker", "maintenance", None]


@dataclass(frozen=True, slots=True)
class Stopped:
    """What a wish to stop met: ``stopping`` a running turn, ``stopped`` before it began, or ``idle``."""

    state: str
    turn_id: str | None = None


class Inbox:
    """Takes in what people send.

    Args:
        first_agent_id: who answers in a conversation whose first message names no agent.
        limits: title length, and how long to wait for a worker that is writing.
    """

    def __init__(self, database: Database, first_agent_id: str, limits: Limits) -> None:
        self._database = database
        self._first_agent_id = first_agent_id
        self._limits = limits

    async def knows(self, user_id: str, key: str) -> bool:
        """Whether a message with this key is here already."""
        ((row,),) = await self._database.at_once(SQL["knows"], user_id=user_id, parameters={"key": key})
        return bool(row["known"])

    async def accept(
        self,
        user_id: str,
        incoming: Incoming,
        *,
        name: str | None = None,
        home: str | None = None,
        roles: Sequence[str] = (),
        enclosed: Sequence[Enclosed] = (),
    ) -> Accepted:
        """Take one message in: durable when this returns, and only once for its key (T1).

        Args:
            user_id: who sent it, from a verified token.
            incoming: the message.
            name: what the token calls its sender.
            home: the time zone that the token names; it counts until a message names one.
            roles: what the sender is to this service, beside a person who writes: staff, admin.
            enclosed: what the message's attachments stand for.

        Raises:
            Problem: 404 for an unknown conversation; 409 for a key or an id that stands for another message.
                Then nothing is stored.
            psycopg.errors.LockNotAvailable: a worker did not let go of the lane in time.
        """
        if incoming.again and not incoming.replaces:
            incoming = await self._once_until_answered(user_id, incoming)
        async with self._database.transaction(user_id=user_id) as transaction:
            row = await transaction.last_row(
                SQL["accept"],
                {"name": name, "home": home or "", **self._parameters(user_id, incoming, roles, enclosed)},
            )
            if row is None:
                raise Problem(404, "not_found", "There is no such conversation.", "Start a new one.")
            if row["state"] == "gone":
                raise Problem(410, "gone", "The conversation of this message was deleted.", "Start a new one.")
            if row["body_hash"] != incoming.fingerprint:
                raise Problem(
                    409, "key_reused", "This idempotency key was used for another message.", "Send it with a new key."
                )
            if row["said_before"] is not None and not (incoming.again and row["said_before"] == row["conversation_id"]):
                raise Problem(409, "message_id_taken", "Another message has this id.", "Send it with a new id.")
        return Accepted(
            row["conversation_id"],
            row["message_id"],
            row["accepted_turn_id"],
            told_state(row["state"]),
            wakes=WAKES.get(row["state"]),
        )

    async def _once_until_answered(self, user_id: str, incoming: Incoming) -> Incoming:
        """A wish for another answer that does not say which to replace: the same one until it is answered."""
        parameters = {"key": incoming.key}
        ((row,),) = await self._database.at_once(SQL["answers_again"], user_id=user_id, parameters=parameters)
        return replace(incoming, key=f"{incoming.key} again {row['given']}")

    def _parameters(
        self, user_id: str, incoming: Incoming, roles: Sequence[str], enclosed: Sequence[Enclosed]
    ) -> dict[str, Any]:
        said = [{"type": "text", "text": incoming.text}] if incoming.text or not enclosed else []
        payload: dict[str, Any] = {"text": incoming.text, "timezone": incoming.timezone, "spoken": incoming.spoken}
        if enclosed:
            payload["attachments"] = [one.reference() for one in enclosed]
        if roles:
            payload["roles"] = list(roles)
        title = incoming.text if incoming.text.strip() or not enclosed else enclosed[0].name
        return {
            "lane_wait": self._lane_wait,
            "user_id": user_id,
            "timezone": incoming.timezone,
            "key": incoming.key,
            "fingerprint": incoming.fingerprint,
            "conversation": incoming.conversation,
            "may_begin": incoming.may_begin,
            "new_conversation_id": new_id("conv"),
            "title": title_of(title, self._limits.title_chars),
            "agent_id": incoming.agent_id,
            "first_agent_id": incoming.agent_id or self._first_agent_id,
            "model_id": incoming.model_id,
            "turn_id": new_id("turn"),
            "reply_id": new_id("msg"),
            "message_id": incoming.message_id,
            "again_id": new_id("msg"),
            "kind": incoming.kind,
            "tokens": tokens.estimate(incoming.text),
            "ceiling": self._limits.context_budget_tokens,
            "parts": Jsonb([*(one.ui_part() for one in enclosed), *said]),
            "payload": Jsonb(payload),
        }

    async def stop(self, user_id: str, conversation: str) -> Stopped:
        """Stop what is being answered in a conversation, at the next safe point.

        The lane's row is locked first, so a worker takes up a queued turn either before this or never.

        Args:
            user_id: who asks.
            conversation: the conversation's id or alias.

        Raises:
            Problem: 404 for an unknown conversation.
            psycopg.errors.LockNotAvailable: a worker did not let go of the lane in time.
        """
        who = {"user_id": user_id, "conversation": conversation, "lane_wait": self._lane_wait}
        async with self._database.transaction(user_id=user_id) as transaction:
            await transaction.last_row(SQL["lock_lane"], who)
            turns = await transaction.rows(SQL["unfinished_turns"], who)
            if not turns:
                if await transaction.row(SQL["conversation_exists"], who) is None:
                    raise Problem(404, "not_found", "There is no such conversation.", "Open another one.")
                return Stopped("idle")
            first = turns[0]["id"]
            if turns[0]["state"] == "running":
                await transaction.run(SQL["ask_to_stop"], {**who, "turn_id": first})
                return Stopped("stopping", first)
            await transaction.run(SQL["end_queued_turns"], {**who, "turn_ids": [turn["id"] for turn in turns]})
            return Stopped("stopped", first)

    @property
    def _lane_wait(self) -> str:
        return f"{self._limits.lane_wait_s}s"
