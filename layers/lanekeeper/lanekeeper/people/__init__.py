"""Who is asking: a person, known only by a signed token of the issuer in settings."""

from lanekeeper.people.identity import Identity
from lanekeeper.people.keys import KeySet
from lanekeeper.people.rules import Issuer, Person, known_timezone
from lanekeeper.people.store import People

__all__ = ["Identity", "Issuer", "KeySet", "People", "Person", "known_timezone"]
