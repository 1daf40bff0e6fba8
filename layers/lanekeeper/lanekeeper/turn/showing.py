"""What a turn's recorded messages look like to its person."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from lanekeeper.graph import open_calls
from lanekeeper.mainline.messages import tool_calls
from lanekeeper.replies import ReplyStream
from lanekeeper.turn.intake import Turn


class Showing:
    """Shows recorded messages through the reply stream, which leaves out what has been shown.

    Args:
        turn: whose messages.
        stream: where they are shown.
    """

    def __init__(self, turn: Turn, stream: ReplyStream) -> None:
        self._turn = turn
        self._stream = stream

    async def all(self) -> None:
        """The beginning of the reply, and everything that is recorded."""
        turn = self._turn
        self._stream.open(
            turn.reply_id,
            {"id": turn.conversation_id, "title": turn.title},
            {"turnId": turn.id, "state": "running"},
        )
        step = 0
        first, *later = turn.thread.of_turn(turn.id)
        for message in (first, *later):
            if isinstance(message, HumanMessage) and message is not first:
                self._stream.joined(message.id or "")
            elif isinstance(message, AIMessage):
                step += 1
                self._stream.begin_step(step)
                self.answer(step, message)
            elif isinstance(message, ToolMessage):
                self.results([message])
        if step and not open_calls(turn.thread.messages):
            self._stream.end_step(step)
        await self._stream.flush()

    def answer(self, step: int, message: AIMessage) -> None:
        """An answer of the model: its text, and the calls it makes."""
        self._stream.complete_text(step, message.text)
        calls = tool_calls(message)
        for call in calls:
            self._stream.call(call.id, call.name, call.arguments or {})
        if not calls:
            self._stream.end_step(step)

    def results(self, results: Sequence[ToolMessage]) -> None:
        """What tool calls came to, and where it was found."""
        for result in results:
            shown = result.artifact or {}
            if result.status == "error":
                self._stream.failure(result.tool_call_id, shown.get("message") or result.text)
            else:
                self._stream.result(result.tool_call_id, shown.get("output"))
            self._stream.sources(shown.get("sources", ()))
