"""The ledger's rows. Each function takes the transaction to write in, so that a turn can put them in its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from lanekeeper.lane import Hold
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.kept_request import without_pictures
from lanekeeper.ledger.rules import Price, Usage, settle
from lanekeeper.metrics import Measure, publish
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.types import Json

SQL = Statements.beside(__file__)

LIMIT_HITS = "LimitHits"


@dataclass(frozen=True, slots=True)
class Settled:
    """A call that is over, with what it used and the table's price for it."""

    call: Call
    usage: Usage
    price: Price | None
    failed: bool


async def open_cost(
    database: Database,
    hold: Hold,
    call: Call,
    price: Price | None,
    settled: Sequence[Settled] = (),
    *,
    kept: bool = False,
) -> None:
    """Put down that a paid call is about to be made, and what its request will cost at least. An estimate for now.

    What earlier calls cost travels along, and with ``kept`` its exact request (A4).

    Raises:
        LaneLostError: whoever wants to make the call may not.
    """
    least = Usage(input_tokens=call.input_tokens, micros=call.micros)
    parameters = _key_of(call) | _cost(least, price, failed=False)
    statements = [SQL["open_cost"]]
    if settled:
        statements.append(SQL["settle_costs"])
        rows = [_key_of(one.call) | _cost(one.usage, one.price, failed=one.failed) for one in settled]
        parameters["settled"] = Jsonb(rows)
    if kept:
        statements.append(SQL["keep_request"])
        parameters["body"] = Jsonb(without_pictures(call.body))
    await hold.at_once(database, *statements, parameters=parameters, durable=False)


async def settle_cost(tx: Transaction, call: Call, usage: Usage, price: Price | None, *, failed: bool) -> None:
    """Put down what a call cost. A repeat changes the same row."""
    tx.put(SQL["settle_cost"], _key_of(call) | _cost(usage, price, failed=failed))


async def count_limit_hit(tx: Transaction, user_id: str, turn_id: str | None, kind: str, key: str) -> None:
    """Count that a limit was met, such as ``length`` or ``rate_limited``, in the books and for the alarm (E6).

    With the same key it is counted once in the books. The alarm hears of it when the transaction is committed.
    """
    tx.put(SQL["count_limit_hit"], {"user_id": user_id, "turn_id": turn_id, "kind": kind, "key": key})
    tx.once_committed(lambda: publish(Measure(LIMIT_HITS, 1, "Count"), kind=kind))


def _key_of(call: Call) -> Json:
    return {
        "user_id": call.user_id,
        "turn_id": call.turn_id,
        "call_id": call.call_id,
        "feature": call.feature,
        "model": call.model,
    }


def _cost(usage: Usage, price: Price | None, *, failed: bool) -> Json:
    micros, status = settle(usage, price, failed=failed)
    return {
        "micros": micros,
        "status": status,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
    }
