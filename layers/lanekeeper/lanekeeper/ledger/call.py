"""One paid call, and who is told of it."""

from dataclasses import dataclass, field
from typing import Protocol

from lanekeeper.ledger.rules import Usage
from lanekeeper.types import Json, new_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to the gateway.

    ``model`` is the public id; ``body`` is the exact request, and ``input_tokens`` our estimate of its length.
    ``micros`` is its price in millionths of the currency, where that is known before it is made.
    """

    user_id: str
    turn_id: str | None
    feature: str
    model: str
    body: Json = field(repr=False)
    input_tokens: int = 0
    micros: int | None = None
    call_id: str = field(default_factory=lambda: new_id("call"))


class Meter(Protocol):
    """Told of every call: a call cannot be made without one, so none goes unpaid for (K2)."""

    async def opened(self, call: Call) -> None:
        """The call is about to be made. Raising here stops it."""

    async def settled(self, call: Call, usage: Usage, *, failed: bool) -> None:
        """The call is over. Called exactly once for each call that was opened, also when it failed or was left."""
