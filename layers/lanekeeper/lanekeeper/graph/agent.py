"""The agent loop: load the context, ask the model, run the tools it asked for, ask again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langgraph.errors import GraphRecursionError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import RetryPolicy
from typing_extensions import TypedDict

from lanekeeper.graph.saver import ThreadSaver
from lanekeeper.graph.thread import Thread
from lanekeeper.mainline.messages import tool_calls
from lanekeeper.mainline.reply import ToolCall


class State(TypedDict):
    """What a thread holds: its messages."""

    messages: Annotated[list[AnyMessage], add_messages]


class Steps(Protocol):
    """What a turn does at each node. The graph decides the order, the turn does the work."""

    async def load(self) -> None:
        """Gather what the model is told besides the conversation."""

    async def think(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Ask the model once; the messages it adds, its answer last."""

    async def act(self, messages: Sequence[AnyMessage]) -> list[ToolMessage]:
        """Run the calls of the last message that have no result yet."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """The run's context: the turn at work, with the person it acts for. Never part of the state."""

    steps: Steps


class StepLimitError(Exception):
    """The turn took more steps than it may."""


async def load_context(state: State, runtime: Runtime[RunContext]) -> dict[str, list[AnyMessage]]:
    """Gather the context before the model is first asked."""
    await runtime.context.steps.load()
    return {"messages": []}


async def agent(state: State, runtime: Runtime[RunContext]) -> dict[str, list[AnyMessage]]:
    """Ask the model."""
    return {"messages": await runtime.context.steps.think(state["messages"])}


async def tools(state: State, runtime: Runtime[RunContext]) -> dict[str, list[ToolMessage]]:
    """Run the tools that the model asked for."""
    return {"messages": await runtime.context.steps.act(state["messages"])}


def next_node(state: State) -> str:
    """Where a thread goes on, judged by how it ends.

    A turn whose worker died is taken up again by the same rule: calls without results go to the tools, an answer
    without calls ends the run, anything else is the model's to answer.
    """
    if open_calls(state["messages"]):
        return "tools"
    return END if isinstance(state["messages"][-1], AIMessage) else "agent"


def open_calls(messages: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the last answer that have no result yet, in order; those with unreadable arguments included."""
    answered = set()
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
        elif isinstance(message, AIMessage):
            return [call for call in tool_calls(message) if call.id not in answered]
        else:
            break
    return []


class AgentGraph:
    """The compiled graph. One serves every turn of a process.

    Args:
        recursion_limit: graph steps a run may take.
        attempts: calls of the model node for one step, its one quiet retry included.
        retry_on: tells which failures of the model node are worth another try.
    """

    def __init__(self, *, recursion_limit: int, attempts: int, retry_on: Callable[[Exception], bool]) -> None:
        builder = StateGraph(State, context_schema=RunContext)
        builder.add_node("load_context", load_context)
        builder.add_node(
            "agent",
            agent,
            retry_policy=RetryPolicy(initial_interval=0.2, max_attempts=attempts, retry_on=retry_on),
        )
        builder.add_node("tools", tools)
        builder.add_edge(START, "load_context")
        builder.add_conditional_edges("load_context", next_node, ["agent", "tools", END])
        builder.add_conditional_edges("agent", next_node, ["agent", "tools", END])
        builder.add_edge("tools", "agent")
        self._saver = ThreadSaver()
        self._graph: CompiledStateGraph[State, RunContext, State, State] = builder.compile(checkpointer=self._saver)
        self._recursion_limit = recursion_limit

    async def run(self, thread: Thread, steps: Steps) -> None:
        """Run a thread from where it stands until the model has answered.

        Raises:
            StepLimitError: it took too many steps.
        """
        with self._saver.serving(thread):
            try:
                await self._graph.ainvoke(
                    {"messages": []},
                    {"configurable": {"thread_id": thread.id}, "recursion_limit": self._recursion_limit},
                    context=RunContext(steps),
                    durability="exit",
                )
            except GraphRecursionError as error:
                raise StepLimitError from error
