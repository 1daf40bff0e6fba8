"""Tools for turns: one that changes something, one that gives facts, one that breaks."""

import asyncio

from lanekeeper.tools import Fact, Tool, ToolContext, ToolInput, ToolOutput


class Named(ToolInput):
    """What it is about."""

    name: str


class Told(ToolOutput):
    """What came of it."""

    told: str


BOOKED: list[str] = []


async def book(context: ToolContext, given: Named) -> Told:
    BOOKED.append(f"{context.turn_id} {given.name}")
    return Told(told=f"booked {given.name}")


async def price(context: ToolContext, given: Named) -> Told:
    return Told(told=f"{given.name}: 12.50 EUR, reference KX42ZP")


async def crash(context: ToolContext, given: Named) -> Told:
    raise RuntimeError(given.name)


async def dawdle(context: ToolContext, given: Named) -> Told:
    await asyncio.sleep(30)
    return Told(told="")


BOOK = Tool(name="test_book", description="Books.", input=Named, output=Told, run=book, effects="write")
PRICE = Tool(
    name="test_price",
    description="Tells a price.",
    input=Named,
    output=Told,
    run=price,
    facts=lambda _: [Fact("money", "12.50 EUR"), Fact("reference", "KX42ZP")],
)
CRASH = Tool(name="test_crash", description="Breaks.", input=Named, output=Told, run=crash)
DAWDLE = Tool(name="test_dawdle", description="Takes for ever.", input=Named, output=Told, run=dawdle)


def call(tool: Tool[Named, Told], name: str = "it") -> dict[str, object]:
    """A scripted call of one of them."""
    return {"name": tool.name, "args": {"name": name}}
