"""LangGraph's checkpointer, over threads whose messages are rows."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    empty_checkpoint,
)

from lanekeeper.graph.thread import Thread


class ThreadSaver(BaseCheckpointSaver[int]):
    """Gives a run its thread's messages and keeps what the run leaves until the turn's own transaction takes it.

    It writes nothing by itself: whoever runs the graph writes, under the lane's fence, in transactions that also
    hold what belongs together (an answer with its cost, the reply with the turn's end).
    """

    def __init__(self) -> None:
        super().__init__()
        self._threads: dict[str, Thread] = {}

    @contextmanager
    def serving(self, thread: Thread) -> Iterator[None]:
        """Answer for one thread while the block runs."""
        self._threads[thread.id] = thread
        try:
            yield
        finally:
            del self._threads[thread.id]

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The thread as a checkpoint: its messages, and no step half done."""
        thread = self._threads[config["configurable"]["thread_id"]]
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = {"messages": thread.messages}
        checkpoint["channel_versions"] = {"messages": 1}
        return CheckpointTuple(
            config={"configurable": {"thread_id": thread.id, "checkpoint_ns": "", "checkpoint_id": checkpoint["id"]}},
            checkpoint=checkpoint,
            metadata={"source": "loop", "step": 0, "parents": {}},
        )

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Nothing to do: each step's messages were written with the step."""
        configurable = config["configurable"]
        return {
            "configurable": {
                "thread_id": configurable["thread_id"],
                "checkpoint_ns": configurable.get("checkpoint_ns", ""),
                "checkpoint_id": checkpoint["id"],
            }
        }

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Nothing to do, as for :meth:`aput`."""

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002 - LangGraph's own name
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The one checkpoint there is."""
        if config is not None and (current := await self.aget_tuple(config)):
            yield current

    def get_next_version(self, current: int | None, channel: None) -> int:
        """Versions count up."""
        return 1 if current is None else current + 1
