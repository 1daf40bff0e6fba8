"""What a call used and what it cost."""

from dataclasses import dataclass
from typing import Any

from tests.devkit.mainline.pricing import Model

COST_HEADER = "x-litellm-response-cost"
"""Where a plain call has its cost, in dollars. A stream has it as ``cost`` in its last usage."""

_NAMES = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens"}


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens of one call; ``cached`` are part of ``input``."""

    input: int
    cached: int
    output: int


def report(
    model: Model, counted: Counted, scripted: dict[str, Any] | None = None, share: float = 1.0
) -> dict[str, Any]:
    """The usage object of a chat answer, with ``cost`` in dollars.

    ``scripted`` is put over what was counted; ``input_tokens``, ``output_tokens`` and ``cached_tokens`` are
    understood too. The cost follows the numbers that are reported.
    """
    given = {_NAMES.get(name, name): value for name, value in (scripted or {}).items()}
    cached = given.pop("cached_tokens", None)
    usage: dict[str, Any] = {"prompt_tokens": counted.input, "completion_tokens": counted.output, **given}
    usage.setdefault("total_tokens", usage["prompt_tokens"] + usage["completion_tokens"])
    if cached is None:
        # A test that sets the prompt's length means all of it, unless it says what was cached.
        cached = 0 if "prompt_tokens" in given else counted.cached
    usage.setdefault("prompt_tokens_details", {"cached_tokens": cached})
    usage.setdefault("completion_tokens_details", {"reasoning_tokens": 0})
    read = usage["prompt_tokens_details"].get("cached_tokens") or 0
    usage.setdefault("cost", model.cost(usage["prompt_tokens"], read, usage["completion_tokens"], share))
    return usage
