"""The models people may choose. What the gateway calls them stays on the server (L2)."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model: its public id and name, and the gateway's id."""

    id: str
    name: str
    gateway_id: str

    def public(self) -> dict[str, str]:
        """What a client may know of it."""
        return {"id": self.id, "name": self.name}


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """The models in their order, which of them most turns use, and which the named hard cases do (A2, N3)."""

    models: tuple[Model, ...]
    default: str
    hard: str

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

    ``{"models": [{"id", "name"?, "gateway"?}], "default": id?, "hard": id?}``

    Raises:
        ValueError, TypeError, KeyError, AttributeError: it is no such row.
    """
    models = tuple(
        Model(
            id=str(row["id"]), name=str(row.get("name") or row["id"]), gateway_id=str(row.get("gateway") or row["id"])
        )
        for row in value["models"]
    )
    ids = [model.id for model in models]
    default = value.get("default") or ids[0]
    hard = value.get("hard") or default
    if len(set(ids)) != len(ids) or default not in ids or hard not in ids:
        raise ValueError("model ids must differ, and the default and hard models must be among them")
    return Catalogue(models=models, default=default, hard=hard)
