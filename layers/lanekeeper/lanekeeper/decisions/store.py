"""Keeps verdicts, and writes what an act of code leaves behind: the control's own row, never a model's word for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from psycopg.types.json import Jsonb

from lanekeeper.decisions.rules import ASKS, CONFIRMED, Act, Control, Policy
from lanekeeper.decisions.verdicts import Verdicts
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.redact import hashed
from lanekeeper.types import Json, new_id

SQL = Statements.beside(__file__)

_STAFF_KIND: dict[Act, Literal["handover", "complaint"]] = {Act.HAND_OVER: "handover", Act.COMPLAINT: "complaint"}
SUMMARY_CHARS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an act happens: whose turn it is, and in which conversation."""

    user_id: str
    conversation_id: str
    turn_id: str

    def parameters(self) -> Json:
        """The parameters that name this place in a statement."""
        return {"user_id": self.user_id, "conversation_id": self.conversation_id, "turn_id": self.turn_id}


def keep_verdicts(transaction: Transaction, place: Place, verdicts: Verdicts) -> None:
    """Put down what was judged in a turn, with its scores."""
    judged = {"source": verdicts.source, "scores": Jsonb(verdicts.as_json()), "took_ms": round(verdicts.took_ms)}
    transaction.put(SQL["keep_verdicts"], place.parameters() | judged)


async def kept_verdicts(database: Database, place: Place, policy: Policy) -> Verdicts | None:
    """What was judged in a turn whose worker died, if it came to be kept."""
    (rows,) = await database.at_once(SQL["kept_verdicts"], user_id=place.user_id, parameters=place.parameters())
    if not rows:
        return None
    row = rows[0]
    return Verdicts.from_json(row["source"], row["scores"], row["took_ms"], policy.thresholds)


async def last_language(database: Database, user_id: str, policy: Policy) -> str | None:
    """The language that a person wrote in last, where one of their last turns tells."""
    (rows,) = await database.at_once(SQL["last_verdicts"], user_id=user_id, durable=False)
    judged = (Verdicts.from_json(row["source"], row["scores"], row["took_ms"], policy.thresholds) for row in rows)
    return next((language for one in judged if (language := one.language)), None)


async def pending_control(database: Database, place: Place) -> Control | None:
    """The control that was asked about in a conversation and can still be confirmed."""
    (rows,) = await database.at_once(SQL["pending_control"], user_id=place.user_id, parameters=place.parameters())
    return rows[0]["control"] if rows else None


def keep_from_memory(transaction: Transaction, place: Place, message_ids: Sequence[str]) -> None:
    """Have no note made of messages that code has acted on: a bad night is no fact about a person. A repeat is none."""
    transaction.put(SQL["keep_from_memory"], place.parameters() | {"message_ids": list(message_ids)})


def write_act(transaction: Transaction, place: Place, act: Act, said: str, confirm_s: float) -> None:
    """Write the row of one act, if it has one. A repeat changes nothing.

    Args:
        place: where it happens.
        act: the act.
        said: the message that led to it; its beginning goes to the team.
        confirm_s: seconds in which what is asked about now can be confirmed.
    """
    known = place.parameters()
    if act in ASKS:
        asked = {"control": ASKS[act], "confirm_s": confirm_s}
        transaction.put(SQL["ask_about_control"], known | asked)
    elif kind := _STAFF_KIND.get(act):
        item = {"id": new_id("item"), "kind": kind, "summary": said[:SUMMARY_CHARS]}
        transaction.put(SQL["open_staff_item"], known | item)
    elif act is Act.OPT_OUT:
        transaction.put(SQL["withdraw_consent"], known)
    elif act is Act.DELETE:
        job = {"id": new_id("deletion"), "subject_hash": hashed(place.user_id)}
        transaction.put(SQL["request_deletion"], known | job)
    for control, confirmed in CONFIRMED.items():
        if act is confirmed:
            transaction.put(SQL["confirm_control"], known | {"control": control})
