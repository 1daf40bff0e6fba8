"""What the routes work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import Request

from lanekeeper.accept.choices import Choices
from lanekeeper.accept.page import Page
from lanekeeper.accept.readiness import Readiness
from lanekeeper.conversations import Conversations
from lanekeeper.functions import Waker
from lanekeeper.inbox import Inbox
from lanekeeper.ledger.overview import Overview
from lanekeeper.limits import Limits
from lanekeeper.log import name_person
from lanekeeper.people import Identity, People, Person

if TYPE_CHECKING:
    from lanekeeper.accept.export import Export
    from lanekeeper.memory.own import OwnNotes
    from lanekeeper.uploads import Uploads


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything behind the routes, made once for each process. What few requests need is made by the first of them."""

    identity: Identity
    people: People
    inbox: Inbox
    conversations: Conversations
    uploads: Callable[[], Uploads]
    notes: Callable[[], OwnNotes]
    export: Callable[[], Export]
    choices: Choices
    readiness: Readiness
    worker: Waker
    maintenance: Waker
    page: Page
    overview: Overview
    limits: Limits
    shows_requests: bool = False
    """Whether administrators may see what was sent to a model: in dev alone."""

    async def person(self, request: Request) -> Person:
        """The signed-in person who sends a request. From here on, log lines carry their hash.

        Raises:
            Problem: 401, 503.
        """
        person = await self.identity.person(request.headers.get("authorization"))
        name_person(person.id)
        return person
