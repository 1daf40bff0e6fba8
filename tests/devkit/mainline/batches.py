"""``/v1/batches``: chat requests line by line at half the price, done after a while on the fake's own clock."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.devkit.mainline.body import parse
from tests.devkit.mainline.caller import Caller
from tests.devkit.mainline.chat import Chat
from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.errors import ApiError, invalid, not_found
from tests.devkit.mainline.files import Files
from tests.devkit.mainline.pricing import BATCH_SHARE

ENDPOINT = "/v1/chat/completions"
DELAY_S = 0.5
WINDOW_S = 24 * 3600


@dataclass(slots=True)
class Batch:
    """One batch, from its file to its results."""

    id: str
    input_file_id: str
    caller: Caller
    lines: list[dict[str, Any]]
    metadata: dict[str, Any] | None
    created_at: int
    due_at: float
    status: str = "in_progress"
    done_at: int | None = None
    outputs: dict[str, str | None] = field(default_factory=lambda: {"output": None, "error": None})
    failed: int = 0


class Batches:
    """The batches route. A batch that is due is worked off when somebody next asks for it."""

    def __init__(self, clock: Clock, files: Files, chat: Chat) -> None:
        self._clock = clock
        self._files = files
        self._chat = chat
        self._batches: dict[str, Batch] = {}
        self._numbers = itertools.count(1)
        self.delay_s = DELAY_S

    def create(self, body: dict[str, Any], caller: Caller) -> dict[str, Any]:
        """Begin a batch.

        Raises:
            ApiError: 400 when its file or its endpoint is none that a batch can have, 404 when there is no such file.
        """
        if body.get("endpoint") != ENDPOINT:
            raise invalid(f"a batch calls {ENDPOINT}", "endpoint")
        file = self._files.get(str(body.get("input_file_id")))
        now = self._clock.now()
        batch = Batch(
            f"batch_{next(self._numbers):08x}",
            file.id,
            caller,
            list(_lines(file.content)),
            body.get("metadata"),
            int(now),
            now + self.delay_s,
        )
        self._batches[batch.id] = batch
        return self._about(batch)

    def get(self, batch_id: str) -> dict[str, Any]:
        """A batch as it stands now.

        Raises:
            ApiError: 404 when there is none of that id.
        """
        try:
            return self._about(self._batches[batch_id])
        except KeyError:
            raise not_found(f"No such batch: {batch_id}") from None

    def cancel(self, batch_id: str) -> dict[str, Any]:
        """Stop a batch that is not done.

        Raises:
            ApiError: 404 when there is none of that id.
        """
        if self.get(batch_id)["status"] == "in_progress":
            self._batches[batch_id].status = "cancelled"
        return self.get(batch_id)

    def all(self) -> list[dict[str, Any]]:
        """Every batch, newest first."""
        return [self._about(batch) for batch in reversed(self._batches.values())]

    def clear(self) -> None:
        """Forget every batch."""
        self._batches.clear()

    def _about(self, batch: Batch) -> dict[str, Any]:
        if batch.status == "in_progress" and self._clock.now() >= batch.due_at:
            self._work(batch)
        done = len(batch.lines) if batch.done_at else 0
        return {
            "id": batch.id,
            "object": "batch",
            "endpoint": ENDPOINT,
            "errors": None,
            "input_file_id": batch.input_file_id,
            "completion_window": "24h",
            "status": batch.status,
            "output_file_id": batch.outputs["output"],
            "error_file_id": batch.outputs["error"],
            "created_at": batch.created_at,
            "in_progress_at": batch.created_at,
            "expires_at": batch.created_at + WINDOW_S,
            "completed_at": batch.done_at,
            "request_counts": {"total": len(batch.lines), "completed": done - batch.failed, "failed": batch.failed},
            "metadata": batch.metadata,
        }

    def _work(self, batch: Batch) -> None:
        results: dict[str, list[str]] = {"output": [], "error": []}
        for number, line in enumerate(batch.lines):
            status, answer = self._answer(line["body"], batch.caller)
            request_id = f"{batch.id}_{number:06x}"
            result = {
                "id": request_id,
                "custom_id": line["custom_id"],
                "response": {"status_code": status, "request_id": request_id, "body": answer},
                "error": None,
            }
            results["output" if status == 200 else "error"].append(json.dumps(result, ensure_ascii=False) + "\n")
        for kind, lines in results.items():
            if lines:
                text = "".join(lines).encode("utf-8", "replace")
                batch.outputs[kind] = self._files.add(f"{batch.id}_{kind}.jsonl", "batch_output", text).id
        batch.failed = len(results["error"])
        batch.status, batch.done_at = "completed", int(self._clock.now())

    def _answer(self, body: dict[str, Any], caller: Caller) -> tuple[int, dict[str, Any]]:
        # A batch holds the requests of many people: each names its own.
        user = body.get("user") or (body.get("metadata") or {}).get("user") or caller.user
        raw = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            answer = self._chat.prepare(raw, body, Caller(user, caller.feature))
        except ApiError as error:
            return error.status, error.body()
        if answer.script.error is not None:
            status = answer.script.error if isinstance(answer.script.error, int) else 500
            return status, ApiError(status, "The request failed.", "server_error").body()
        return 200, self._chat.whole(answer, BATCH_SHARE)


def _lines(content: bytes) -> Iterator[dict[str, Any]]:
    """The requests of a batch file.

    Raises:
        ApiError: 400 when the file is empty, a line is no request, or a custom_id comes twice.
    """
    seen = set()
    for number, text in enumerate(filter(None, content.split(b"\n")), start=1):
        line = parse(text)
        custom_id = line.get("custom_id")
        if not isinstance(custom_id, str) or custom_id in seen:
            raise invalid(f"line {number} has no custom_id of its own", "input_file_id")
        if line.get("method") != "POST" or line.get("url") != ENDPOINT or not isinstance(line.get("body"), dict):
            raise invalid(f"line {number} is no POST to {ENDPOINT} with a body", "input_file_id")
        seen.add(custom_id)
        yield line
    if not seen:
        raise invalid("the file holds no request", "input_file_id")
