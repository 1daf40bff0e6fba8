"""The graph: two nodes and a loop, and a thread whose messages are rows. The only room that knows LangGraph."""

from lanekeeper.graph.agent import AgentGraph, StepLimitError, Steps, open_calls
from lanekeeper.graph.thread import FORGETS, Thread, ThreadMessage

__all__ = ["FORGETS", "AgentGraph", "StepLimitError", "Steps", "Thread", "ThreadMessage", "open_calls"]
