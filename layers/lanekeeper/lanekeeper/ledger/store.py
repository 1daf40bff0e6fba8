"""The ledger's rows. Each function takes the transaction to write in, so that a turn can put them in its own."""

from psycopg.types.json import Jsonb

from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Price, Usage, settle
from lanekeeper.postgres import Statements, Transaction
from lanekeeper.types import Json

SQL = Statements.beside(__file__)


async def open_cost(tx: Transaction, call: Call) -> None:
    """Put down that a paid call is about to be made. It counts as an estimate until it is settled."""
    await tx.run(SQL["open_cost"], key_of(call))


async def settle_cost(tx: Transaction, call: Call, usage: Usage, price: Price | None, *, failed: bool) -> bool:
    """Put down what an opened call cost. False when it was never opened."""
    return await tx.run(SQL["settle_cost"], key_of(call) | _cost(usage, price, failed=failed)) == 1


async def count_limit_hit(tx: Transaction, user_id: str, turn_id: str | None, kind: str) -> None:
    """Count that a limit was met, such as ``length`` or ``rate_limited`` (E6)."""
    await tx.run(SQL["count_limit_hit"], {"user_id": user_id, "turn_id": turn_id, "kind": kind})


async def keep_request(tx: Transaction, user_id: str, turn_id: str | None, body: Json) -> None:
    """Keep the exact request of one call (A4)."""
    await tx.run(SQL["keep_request"], {"user_id": user_id, "turn_id": turn_id, "body": Jsonb(body)})


def key_of(call: Call) -> Json:
    """The parameters that name a call in a statement."""
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
