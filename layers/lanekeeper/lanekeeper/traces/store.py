"""Keeps a turn's trace as a row."""

from collections.abc import Mapping

from psycopg.types.json import Json

from lanekeeper.postgres import Statements, Transaction
from lanekeeper.traces.rules import Value
from lanekeeper.traces.tracing import current_turn

SQL = Statements.beside(__file__)


def keep(transaction: Transaction, user_id: str, turn_id: str, ended: Mapping[str, Value | None]) -> None:
    """Note how the turn at work ended, and put its trace down where the database is this environment's provider."""
    if (turn := current_turn()) is None:
        return
    turn.note(ended)
    if turn.kept:
        parameters = {"turn_id": turn_id, "user_id": user_id, "spans": Json(turn.packed())}
        transaction.put(SQL["keep_trace"], parameters)
