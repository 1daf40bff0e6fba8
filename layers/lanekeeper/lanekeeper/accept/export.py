"""All that is kept of a person, in an order that can be read from any place on: profile, notes, conversations."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from lanekeeper.accept.mark import Mark
from lanekeeper.accept.notes import note
from lanekeeper.conversations.everything import Everything
from lanekeeper.conversations.rules import Page, conversation, fitting, ui_message
from lanekeeper.limits import Limits
from lanekeeper.memory.own import OwnNotes
from lanekeeper.people import People, Person
from lanekeeper.types import Json

_NEWEST = (datetime.max.replace(tzinfo=UTC), "~")


class Export:
    """Reads everything of one person, page by page.

    Args:
        people: their profile.
        notes: what is noted of them, also what was replaced since.
        everything: their conversations.
        limits: bytes of a page, and of a note's message.
    """

    def __init__(self, people: People, notes: OwnNotes, everything: Everything, limits: Limits) -> None:
        self._people = people
        self._notes = notes
        self._everything = everything
        self._limits = limits

    async def page(self, person: Person, after: Mark | None, limit: int) -> Page:
        """The items after a place, and the place to go on from; None at the end."""
        found: list[tuple[Json, Mark]] = []
        async for item in self._after(person, after, limit + 1):
            found.append(item)
            if len(found) > limit:
                break
        items = [item for item, _ in found[:limit]]
        count = fitting(items, self._limits.page_bytes)
        return Page(items[:count], str(found[count - 1][1]) if len(found) > count else None)

    async def _after(self, person: Person, mark: Mark | None, batch: int) -> AsyncIterator[tuple[Json, Mark]]:
        if mark is None:
            yield {"type": "profile", **await self._people.profile(person)}, Mark("profile")
        if mark is None or mark.kind in {"profile", "note"}:
            async for item in self._notes_after(person.id, mark, batch):
                yield item
            mark = None
        async for item in self._talks_after(person.id, mark, batch):
            yield item

    async def _notes_after(self, user_id: str, mark: Mark | None, batch: int) -> AsyncIterator[tuple[Json, Mark]]:
        at, one_id = mark.key if mark and mark.kind == "note" else _NEWEST
        while rows := await self._notes.page(user_id, (at, one_id), batch, replaced=True):
            for row in rows:
                at, one_id = row["saved_at"], row["id"]
                shown = note(row, self._limits.text_chars)
                yield {"type": "note", **shown, "replaced": row["replaced"]}, Mark("note", (at, one_id))

    async def _talks_after(self, user_id: str, mark: Mark | None, batch: int) -> AsyncIterator[tuple[Json, Mark]]:
        begun, *place = mark.key if mark else ("",)
        from_id = begun
        while talks := await self._everything.conversations(user_id, from_id, batch):
            for talk in talks:
                if talk["id"] != begun:
                    yield {"type": "conversation", **conversation(talk)}, Mark("conversation", (talk["id"],))
                    place = []
                async for item in self._messages_after(user_id, talk["id"], tuple(place), batch):
                    yield item
            if len(talks) < batch:
                return
            # The last one of these is read again as the first of the next, and passed over.
            begun = from_id = talks[-1]["id"]
            place = [2**31 - 1, "\U0010ffff"]

    async def _messages_after(
        self, user_id: str, conversation_id: str, after: tuple[Any, ...], batch: int
    ) -> AsyncIterator[tuple[Json, Mark]]:
        place, one_id = after or (0, "")
        while rows := await self._everything.messages(user_id, conversation_id, (place, one_id), batch):
            for row in rows:
                place, one_id = row["place"], row["id"]
                item = {"type": "message", "conversationId": conversation_id, **ui_message(row)}
                yield item, Mark("message", (conversation_id, place, one_id))
