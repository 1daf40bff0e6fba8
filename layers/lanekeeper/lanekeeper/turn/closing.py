"""The chunks with which a reply ends on the person's screen, whatever is open there."""

from lanekeeper.replies import Assembly
from lanekeeper.types import Json

NOT_COMPLETED = "This was not completed: the turn ended first."


def close_parts(shown: Assembly) -> list[Json]:
    """What closes the parts that are open."""
    closing: list[Json] = []
    if shown.open_reasoning:
        closing.append({"type": "reasoning-end", "id": shown.open_reasoning})
    if shown.open_text:
        closing.append({"type": "text-end", "id": shown.open_text})
    closing += [
        {"type": "tool-output-error", "toolCallId": call_id, "errorText": NOT_COMPLETED, "dynamic": True}
        for call_id in shown.open_calls
    ]
    if shown.step_open:
        closing.append({"type": "finish-step"})
    return closing


def last_words(text: str, shown: Assembly, reply_id: str) -> list[Json]:
    """What closes everything that is open and says a fixed line, as a text part of its own."""
    begun = [] if shown.started else [{"type": "start", "messageId": reply_id}]
    return [
        *begun,
        *close_parts(shown),
        {"type": "start-step"},
        {"type": "text-start", "id": "fixed-line"},
        {"type": "text-delta", "id": "fixed-line", "delta": text},
        {"type": "text-end", "id": "fixed-line"},
        {"type": "finish-step"},
    ]


def finish(reason: str, metadata: Json) -> Json:
    """The last chunk: why the reply ended, and what it took."""
    return {"type": "finish", "finishReason": reason, "messageMetadata": metadata}
