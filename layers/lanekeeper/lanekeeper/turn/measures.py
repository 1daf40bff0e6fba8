"""What a turn took and used."""

from langchain_core.messages import ToolMessage

from lanekeeper import clock
from lanekeeper.metrics import Measure, publish
from lanekeeper.replies import ReplyStream
from lanekeeper.turn.intake import Turn
from lanekeeper.turn.meter import TurnMeter
from lanekeeper.turn.steps import TurnSteps
from lanekeeper.types import Json


class Measures:
    """The measures of one turn, from the moment it was taken up.

    Args:
        turn: the turn.
        stream: when its first words were shown.
        steps: how long the model and the tools took.
        meter: what the calls used.
    """

    def __init__(self, turn: Turn, stream: ReplyStream, steps: TurnSteps, meter: TurnMeter) -> None:
        self._turn = turn
        self._stream = stream
        self._steps = steps
        self._meter = meter
        self._began = clock.monotonic()

    def metadata(self) -> Json:
        """The message metadata of the finish chunk and of the transcript."""
        return {
            "turnId": self._turn.id,
            "modelId": self._steps.asking.model.id,
            "usage": self.usage(),
            "timings": self.timings(),
        }

    def usage(self) -> Json:
        """Tokens, summed over the model calls."""
        return {
            "inputTokens": self._meter.input_tokens,
            "cachedInputTokens": self._meter.cached_tokens,
            "outputTokens": self._meter.output_tokens,
            "totalTokens": self._meter.input_tokens + self._meter.output_tokens,
        }

    def wrote(self) -> list[str]:
        """The tools that changed something in this turn, so that the page knows what to load anew (B9)."""
        added = self._turn.thread.of_turn(self._turn.id)
        return [
            message.name or ""
            for message in added
            if isinstance(message, ToolMessage) and (message.artifact or {}).get("wrote")
        ]

    def timings(self) -> Json:
        """Milliseconds from the acceptance on; the time to the first words is there once there were any (T3)."""
        first_text = self._stream.first_text_at
        measured = {
            "queuedMs": self._turn.waited_s * 1000,
            "firstReplyMs": None if first_text is None else (self._turn.waited_s + first_text - self._began) * 1000,
            "modelMs": self._steps.asking.seconds * 1000,
            "toolsMs": self._steps.acting.seconds * 1000,
            "totalMs": (self._turn.waited_s + clock.monotonic() - self._began) * 1000,
        }
        return {name: round(value, 1) for name, value in measured.items() if value is not None}

    def publish(self, state: str) -> None:
        """Count the turn for the alarms (T3, T5)."""
        publish(*turn_measures(state, self.timings().get("firstReplyMs")))


def turn_measures(state: str, first_reply_ms: float | None) -> list[Measure]:
    """What alarms look at: whether the turn failed, and its time to the first words, if it had any."""
    measures = [Measure("FailedTurns", int(state == "failed"), "Count")]
    if first_reply_ms is not None:
        measures.append(Measure("FirstReply", first_reply_ms, "Milliseconds"))
    return measures
