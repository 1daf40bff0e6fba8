"""The same agent for every peer: load_context, agent and a model reached through the same client, nothing else.

Aegra loads ``graph`` from here; the floor compiles it with a saver of its own.
"""

import os
from typing import Any

from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DEFAULT
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.langchain import MainlineChatModel
from lanekeeper.settings import Secret

PROMPT = SystemMessage("You are a helpful assistant. Answer in one short message.")


class NoLedger:
    """Counts no costs: the peers have no ledger."""

    async def opened(self, call: Any) -> None:
        pass

    async def settled(self, call: Any, usage: Any, *, failed: bool) -> None:
        pass


gateway = Mainline(os.environ["MAINLINE_BASE_URL"], Secret(os.environ["MAINLINE_AI_KEY"]), Limits())
model = MainlineChatModel(mainline=gateway, caller=Caller(user_id="peer", meter=NoLedger()), model=DEFAULT.choose(None))


async def load_context(state: MessagesState) -> dict[str, list[AnyMessage]]:
    return {"messages": []}


async def agent(state: MessagesState) -> dict[str, list[AnyMessage]]:
    return {"messages": [await model.ainvoke([PROMPT, *state["messages"]])]}


def build(saver: Any = None) -> Any:
    """The compiled graph."""
    builder = StateGraph(MessagesState)
    builder.add_node("load_context", load_context)
    builder.add_node("agent", agent)
    builder.add_edge(START, "load_context")
    builder.add_edge("load_context", "agent")
    builder.add_edge("agent", END)
    return builder.compile(checkpointer=saver)


graph = build()
