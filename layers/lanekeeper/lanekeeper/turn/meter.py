"""Counts what a turn's model calls cost, so that a call is on the books before it is made and paid for once."""

import random

from lanekeeper.ledger import store
from lanekeeper.ledger.call import Call
from lanekeeper.ledger.rules import Price, Prices, Usage
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Transaction
from lanekeeper.traces import Opened, Value, begin
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
        self._spans: dict[str, Opened] = {}
        self.input_tokens = 0
        self.cached_tokens = 0
        self.output_tokens = 0

    async def opened(self, call: Call) -> None:
        """Put the call on the books, and its exact request aside when this turn is sampled (A4)."""
        await self.open(call, kept=self._sampled and bool(call.body))

    async def open(self, call: Call, *, kept: bool = False) -> None:
        """Put a call on the books, with the prices that wait, and begin its span."""
        waiting = list(self._settled)
        settled = [store.Settled(one, usage, self._price(one), failed) for one, usage, failed in waiting]
        await store.open_cost(self._database, self._turn.hold, call, self._price(call), settled, kept=kept)
        self._settled = [one for one in self._settled if one not in waiting]
        self._written += waiting
        named: dict[str, Value | None] = {"gen_ai.operation.name": call.feature, "gen_ai.request.model": call.model}
        self._spans[call.call_id] = begin(f"{call.feature} {call.model}", named, remote=True)

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price for the turn's next transaction."""
        self.book(call, usage, failed=failed)
        self.input_tokens += usage.input_tokens
        self.cached_tokens += usage.cached_tokens
        self.output_tokens += usage.output_tokens

    def book(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """Keep the price of a call that is no part of what the reply used, and end its span."""
        self._settled.append((call, usage, failed))
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
