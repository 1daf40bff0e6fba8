"""The models that the caller may use, and what each costs."""

from dataclasses import dataclass
from typing import Any

from tests.devkit.mainline.errors import ApiError, invalid

BATCH_SHARE = 0.5
"""A batch costs half."""


@dataclass(frozen=True, slots=True)
class Model:
    """One line of the price table, in dollars for a million tokens."""

    id: str
    kind: str
    input: float
    cached: float
    output: float

    def cost(self, input_tokens: int, cached_tokens: int, output_tokens: int, share: float = 1.0) -> float:
        """Dollars for one call; ``cached_tokens`` are part of ``input_tokens``."""
        whole = (input_tokens - cached_tokens) * self.input + cached_tokens * self.cached + output_tokens * self.output
        return round(whole * share / 1_000_000, 12)


CAN_USE = {
    model.id: model
    for model in (
        Model("small", "chat", input=0.25, cached=0.025, output=2.0),
        Model("large", "chat", input=2.5, cached=0.25, output=15.0),
        Model("decisions", "decisions", input=0.1, cached=0.01, output=0.4),
        Model("embeddings", "embeddings", input=0.02, cached=0.02, output=0.0),
        Model("speech-in", "speech", input=1.25, cached=1.25, output=5.0),
        Model("speech-out", "speech", input=0.6, cached=0.6, output=12.0),
    )
}


def permitted(body: dict[str, Any], kind: str) -> Model:
    """The model that a request names, when it is on the Can use list and of the right kind.

    Raises:
        ApiError: 400 when none is named or its kind is wrong, 403 when it is not on the list.
    """
    name = body.get("model")
    if not isinstance(name, str) or not name:
        raise invalid("model is missing", "model")
    model = CAN_USE.get(name)
    if model is None:
        raise ApiError(403, f"This key may not use the model '{name}'.", "model_not_allowed", param="model")
    if model.kind != kind:
        raise invalid(f"The model '{name}' does not answer on this route.", "model")
    return model
