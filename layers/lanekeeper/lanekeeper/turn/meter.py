"""Counts what paid calls cost, so that a call is on the books before it is made and paid for once."""

import logging
import random

import psycopg

from lanekeeper.lane import Hold
from lanekeeper.ledger import store
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Price, Prices, Usage
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Transaction
from lanekeeper.redact import place
from lanekeeper.traces import Opened, Value, begin
from lanekeeper.turn.intake import Turn

logger = logging.getLogger(__name__)


class Bill:
    """The ledger of the calls of one piece of work on a lane.

    Opening a call writes its cost row at once, as an estimate: a worker that dies in the call leaves a trace of the
    money (K2). Settling waits for the next transaction of the work, so an answer and its price are kept together or
    not at all. A price waits until its transaction is known to be committed, and a repeat changes the same row.

    Args:
        database: the worker's own connection.
        hold: whose work it is.
        prices: what models cost.
    """

    def __init__(self, database: Database, hold: Hold, prices: Prices) -> None:
        self._database = database
        self._hold = hold
        self._prices = prices
        self._settled: dict[str, tuple[Call, Usage, bool]] = {}
        self._spans: dict[str, Opened] = {}

    async def opened(self, call: Call) -> None:
        """Put the call on the books."""
        await self.open(call)

    async def open(self, call: Call, *, kept: bool = False) -> None:
        """Put a call on the books, with the prices that wait, and begin its span.

        Args:
            call: the call.
            kept: whether its exact request is put aside as well (A4).
        """
        waiting = tuple(self._settled.values())
        settled = [store.Settled(one, usage, self._price(one), failed) for one, usage, failed in waiting]
        await store.open_cost(self._database, self._hold, call, self._price(call), settled, kept=kept)
        self._written(tuple(one.call_id for one, _, _ in waiting))
        named: dict[str, Value | None] = {"gen_ai.operation.name": call.feature, "gen_ai.request.model": call.model}
        self._spans[call.call_id] = begin(f"{call.feature} {call.model}", named, remote=True)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price for the next transaction."""
        self.book(call, usage, failed=failed)

    def book(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price of a call, and end its span."""
        self._settled[call.call_id] = (call, usage, failed)
        if opened := self._spans.pop(call.call_id, None):
            opened.note(
                {
                    "gen_ai.usage.input_tokens": usage.input_tokens,
                    "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
                    "gen_ai.usage.output_tokens": usage.output_tokens,
                }
            )
            if failed:
                opened.fail()
            opened.end()

    async def write(self, transaction: Transaction) -> None:
        """Write the prices that wait. They wait until the transaction is committed."""
        for call, usage, failed in self._settled.values():
            await store.settle_cost(transaction, call, usage, self._price(call), failed=failed)
        written = tuple(self._settled)
        transaction.once_committed(lambda: self._written(written))

    async def write_apart(self) -> None:
        """Write the prices that wait in transactions of their own, whatever becomes of the work.

        A price that cannot be written is given up: the estimate of before stands.

        Raises:
            LaneLostError: another worker has the lane by now.
            DatabaseUnreachableError: nothing can be written now.
        """
        for call_id, (call, usage, failed) in tuple(self._settled.items()):
            try:
                async with self._hold.transaction(self._database) as transaction:
                    await store.settle_cost(transaction, call, usage, self._price(call), failed=failed)
            except psycopg.Error as error:
                logger.error("a price could not be written: %s", place(error))
            self._settled.pop(call_id, None)

    def _written(self, call_ids: tuple[str, ...]) -> None:
        for call_id in call_ids:
            self._settled.pop(call_id, None)

    def _price(self, call: Call) -> Price | None:
        return self._prices.get(call.model)


class TurnMeter(Bill):
    """The bill of one turn: it sums up what the reply has used, and keeps the exact requests of a sample (A4)."""

    def __init__(self, database: Database, turn: Turn, limits: Limits, prices: Prices) -> None:
        super().__init__(database, turn.hold, prices)
        self._sampled = random.random() < limits.request_sample_rate  # noqa: S311 - a sample, not a secret
        self.input_tokens = 0
        self.cached_tokens = 0
        self.output_tokens = 0

    async def opened(self, call: Call) -> None:
        """Put the call on the books, and its exact request aside when this turn is sampled."""
        await self.open(call, kept=self._sampled and bool(call.body))

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price for the next transaction, and count what was used."""
        self.book(call, usage, failed=failed)
        self.input_tokens += usage.input_tokens
        self.cached_tokens += usage.cached_tokens
        self.output_tokens += usage.output_tokens
