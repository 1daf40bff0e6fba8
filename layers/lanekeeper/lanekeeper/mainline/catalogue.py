"""The models people may choose. What the gateway calls them stays on the server (L2)."""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar

Cache = Literal["auto", "marks"]
Notes = Literal["system", "user"]
Answers = Literal["tool", "json_schema"]
Reasoning = Literal["hidden", "shown"]
C = TypeVar("C")


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model: its public id and name, and the gateway's id.

    Attributes:
        cache: ``marks`` where the provider caches only what is marked for it (Anthropic), ``auto`` where it needs none.
        notes: whose words the notes for one reply are sent as. ``user`` where the gateway moves every system message
            to the front (LiteLLM for Anthropic, Bedrock and Gemini), which would change the prompt at its beginning.
        answers: how it gives an answer of a given shape: as text by ``json_schema``, or as the arguments of a ``tool``.
        reasoning: whether people see what it says it thinks, where it says it.
        reminded: whether it must be sent that again with the history. Most refuse it.
        sees: whether it can be sent pictures.
    """

    id: str
    name: str
    gateway_id: str
    cache: Cache = "auto"
    notes: Notes = "system"
    answers: Answers = "tool"
    reasoning: Reasoning = "hidden"
    reminded: bool = False
    sees: bool = True

    def public(self) -> dict[str, str]:
        """What a client may know of it."""
        return {"id": self.id, "name": self.name}


DECISIONS = Model(id="decisions", name="Decisions", gateway_id="decisions")


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The models in their order, which of them most turns use, and which the named hard cases do (A2, N3).

    ``decisions`` answers typed questions and is nobody's choice (D1).
    """

    models: tuple[Model, ...]
    default: str
    hard: str
    decisions: Model = DECISIONS

    def find(self, model_id: str) -> Model | None:
        """The model of that public id, or None."""
        return next((model for model in self.models if model.id == model_id), None)

    def choose(self, *wanted: str | None, hard: bool = False) -> Model:
        """The first wanted model that still exists, else the one for hard cases or for all others.

        Pass the message's choice, then the conversation's. A model taken off the list never breaks a conversation.
        """
        for model_id in (*wanted, self.hard if hard else None, self.default):
            if model_id and (model := self.find(model_id)):
                return model
        return self.models[0]


DEFAULT = Catalogue(
    models=(
        Model(id="small", name="Small", gateway_id="small"),
        Model(id="large", name="Large", gateway_id="large"),
    ),
    default="small",
    hard="large",
)

# The key of the settings row that replaces the default catalogue without a deploy (B10).
SETTING = "models"


def parse_catalogue(value: Any) -> Catalogue:
    """The catalogue from its settings row.

    ``{"models": [{"id", "name"?, "gateway"?, "cache"?: "auto" | "marks", "notes"?: "system" | "user",
    "answers"?: "tool" | "json_schema", "reasoning"?: "hidden" | "shown", "reminded"?: bool, "sees"?: bool}],
    "default": id?, "hard": id?, "decisions": gateway's id?}``

    Raises:
        ValueError, TypeError, KeyError, AttributeError: it is no such row.
    """
    models = tuple(_model(row) for row in value["models"])
    ids = [model.id for model in models]
    default = value.get("default") or ids[0]
    hard = value.get("hard") or default
    if len(set(ids)) != len(ids) or default not in ids or hard not in ids:
        raise ValueError("model ids must differ, and the default and hard models must be among them")
    decisions = replace(DECISIONS, gateway_id=str(value.get("decisions") or DECISIONS.gateway_id))
    return Catalogue(models=models, default=default, hard=hard, decisions=decisions)


def _model(row: Any) -> Model:
    return Model(
        id=str(row["id"]),
        name=str(row.get("name") or row["id"]),
        gateway_id=str(row.get("gateway") or row["id"]),
        cache=_one_of(row, "cache", ("auto", "marks")),
        notes=_one_of(row, "notes", ("system", "user")),
        answers=_one_of(row, "answers", ("tool", "json_schema")),
        reasoning=_one_of(row, "reasoning", ("hidden", "shown")),
        reminded=row.get("reminded") is True,
        sees=row.get("sees") is not False,
    )


def _one_of(row: Any, name: str, choices: tuple[C, ...]) -> C:
    """The row's choice, the first where it makes none."""
    chosen = row.get(name) or choices[0]
    for choice in choices:
        if choice == chosen:
            return choice
    raise ValueError(f"{name} is {' or '.join(map(str, choices))}")
