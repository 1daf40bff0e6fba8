"""Keeps a turn's trace as a row."""

from psycopg.types.json import Json

from lanekeeper.postgres import Statements, Transaction
from lanekeeper.traces.rules import Value
from lanekeeper.traces.spans import current_trace

SQL = Statements.beside(__file__)


def keep(transaction: Transaction, user_id: str, turn_id: str, ended: dict[str, Value | None]) -> None:
    """Note how the turn at work ended, and put its trace down where the database is this environment's provider."""
    if (trace := current_trace.get()) is None:
        return
    trace.note(ended)
    if row := trace.row():
        parameters = {
            "turn_id": turn_id,
            "user_id": user_id,
            "trace_id": row["trace_id"],
            "spans": Json(row["spans"]),
        }
        transaction.put(SQL["keep_trace"], parameters)
