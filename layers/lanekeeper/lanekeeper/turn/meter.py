"""Counts what a turn's model calls cost, so that a call is on the books before it is made and paid for once."""

import random

from lanekeeper.ledger import store
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Price, Prices, Usage
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Transaction
from lanekeeper.turn.intake import Turn


class TurnMeter:
    """The ledger of one turn's calls.

    Opening a call writes its cost row at once, as an estimate: a worker that dies in the call leaves a trace of the
    money. Settling waits for the next transaction of the turn, so an answer and its price are kept together or not
    at all.
    """

    def __init__(self, database: Database, turn: Turn, limits: Limits, prices: Prices) -> None:
        self._database = database
        self._turn = turn
        self._prices = prices
        self._sampled = random.random() < limits.request_sample_rate  # noqa: S311 - a sample, not a secret
        self._settled: list[tuple[Call, Usage, bool]] = []
        self._written: list[tuple[Call, Usage, bool]] = []
        self.input_tokens = 0
        self.cached_tokens = 0
        self.output_tokens = 0

    async def opened(self, call: Call) -> None:
        """Put the call on the books, and its exact request aside when this turn is sampled (A4)."""
        hold = self._turn.hold
        waiting = list(self._settled)
        settled = [store.Settled(one, usage, self._price(one), failed) for one, usage, failed in waiting]
        await store.open_cost(self._database, hold, call, self._price(call), settled)
        self._settled = [one for one in self._settled if one not in waiting]
        self._written += waiting
        if self._sampled and call.body:
            async with hold.transaction(self._database, durable=False) as transaction:
                await store.keep_request(transaction, call.user_id, call.turn_id, call.body)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price for the turn's next transaction."""
        self.book(call, usage, failed=failed)
        self.input_tokens += usage.input_tokens
        self.cached_tokens += usage.cached_tokens
        self.output_tokens += usage.output_tokens

    def book(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price of a call that is no part of what the reply used."""
        self._settled.append((call, usage, failed))

    async def write(self, transaction: Transaction) -> None:
        """Write the prices that wait."""
        while self._settled:
            call, usage, failed = self._settled[-1]
            await store.settle_cost(transaction, call, usage, self._price(call), failed=failed)
            self._written.append(self._settled.pop())

    def rewind(self) -> None:
        """Write all prices once more with the next transaction: an interrupted one may have been undone."""
        self._settled += self._written
        self._written.clear()

    def forget(self) -> None:
        """Write no price any more: the estimates stand."""
        self._settled.clear()
        self._written.clear()

    def _price(self, call: Call) -> Price | None:
        return self._prices.get(call.model)
