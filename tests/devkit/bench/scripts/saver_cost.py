"""What LangGraph's own Postgres saver writes in one turn, with a history of so many messages.

Variants: ``stock`` (the default), ``stock-exit``, ``delta`` and ``delta-exit`` (the beta DeltaChannel). A turn adds a
message of 300 bytes and an answer of 500. Prints one line of JSON.
"""

import argparse
import asyncio
import json
import sys
import time
import uuid
from typing import Annotated, Any

import psycopg
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from typing_extensions import TypedDict
from words import words

TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")


def extend(state: list[Any], writes: list[Any]) -> list[Any]:
    """The delta channel's reducer: append what was written."""
    extended = list(state)
    for write in writes:
        extended.extend(write if isinstance(write, list) else [write])
    return extended


class Stock(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


class Delta(TypedDict):
    messages: Annotated[list[Any], DeltaChannel(extend, snapshot_frequency=100)]


async def load_context(state: Any) -> dict[str, Any]:
    return {}


async def agent(state: Any) -> dict[str, Any]:
    return {"messages": [AIMessage(words(500), id=str(uuid.uuid4()))]}


def said() -> HumanMessage:
    return HumanMessage(words(300), id=str(uuid.uuid4()))


def build(schema: Any, saver: Any) -> Any:
    builder = StateGraph(schema)
    builder.add_node("load_context", load_context)
    builder.add_node("agent", agent)
    builder.add_edge(START, "load_context")
    builder.add_edge("load_context", "agent")
    builder.add_edge("agent", END)
    return builder.compile(checkpointer=saver)


async def written(watch: psycopg.AsyncConnection[Any]) -> tuple[int, int]:
    """Bytes of WAL so far, and rows in the saver's tables."""
    counts = " + ".join(f"(select count(*) from {table})" for table in TABLES)
    row = await (await watch.execute(f"select pg_current_wal_insert_lsn() - '0/0'::pg_lsn, {counts}")).fetchone()
    return int(row[0]), int(row[1])


async def measure(url: str, variant: str, history: int, turns: int) -> dict[str, float]:
    durability = "exit" if variant.endswith("-exit") else "async"
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with (
        AsyncConnectionPool(url, min_size=2, max_size=4, kwargs=settings) as pool,
        await psycopg.AsyncConnection.connect(url, autocommit=True) as watch,
    ):
        saver = AsyncPostgresSaver(pool)
        await saver.setup()
        graph = build(Delta if variant.startswith("delta") else Stock, saver)
        config = {"configurable": {"thread_id": str(uuid.uuid4())}}
        past: list[AnyMessage] = []
        for _ in range(history // 2):
            past += [said(), AIMessage(words(500), id=str(uuid.uuid4()))]
        await graph.aupdate_state(config, {"messages": past}, as_node="agent")
        await graph.ainvoke({"messages": [said()]}, config, durability=durability)
        wal, rows = await written(watch)
        began = time.perf_counter()
        for _ in range(turns):
            await graph.ainvoke({"messages": [said()]}, config, durability=durability)
        seconds = time.perf_counter() - began
        wal_after, rows_after = await written(watch)
    return {
        "wal_bytes": (wal_after - wal) / turns,
        "rows": (rows_after - rows) / turns,
        "turn_ms": seconds / turns * 1e3,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--variant", required=True)
    parser.add_argument("--history", type=int, required=True)
    parser.add_argument("--turns", type=int, default=20)
    chosen = parser.parse_args()
    figures = asyncio.run(measure(chosen.url, chosen.variant, chosen.history, chosen.turns))
    sys.stdout.write(json.dumps(figures) + "\n")
