"""The same agent for every peer: load_context, agent and a model reached through the same client, nothing else.

Aegra loads ``graph`` from here; the floor compiles it with a saver of its own.
"""

import os
from typing import Any

from langchain_core.messages import AnyMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from lanekeeper.mainline.langchain import MainlineChatModel

PROMPT = SystemMessage("You are a helpful assistant. Answer in one short message.")


def model() -> Any:
    """The product's own model client, so that no peer pays for another one."""
    return MainlineChatModel.connect(os.environ["MAINLINE_BASE_URL"], os.environ["MAINLINE_AI_KEY"], model="small")


async def load_context(state: MessagesState) -> dict[str, list[AnyMessage]]:
    return {"messages": []}


async def agent(state: MessagesState) -> dict[str, list[AnyMessage]]:
    return {"messages": [await model().ainvoke([PROMPT, *state["messages"]])]}


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
