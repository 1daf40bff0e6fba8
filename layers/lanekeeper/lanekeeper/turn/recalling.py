"""Recall beside a turn: begun when it is taken up, read when it is known to be wanted, never waited for long (R2, R3).

The search runs on a connection of its own, so that it holds up neither the loading of the turn nor its writes.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC

from lanekeeper.context.days import find_zone
from lanekeeper.decisions import Verdicts, words
from lanekeeper.limits import Limits
from lanekeeper.memory.aliases import aliases
from lanekeeper.memory.recall import LIKELY, Hit, Recalled, cut, recall
from lanekeeper.memory.rules import normalised_subject
from lanekeeper.memory.wishes import asks_to_forget
from lanekeeper.memory.wording import FOUND_LATE, NOTHING_FITS, NOTHING_FITS_WELL, Told, lines, told
from lanekeeper.postgres import Database, Transaction
from lanekeeper.redact import place
from lanekeeper.traces import span
from lanekeeper.turn.intake import SQL, Turn
from lanekeeper.turn.late import LateRecall
from lanekeeper.turn.said import text_of

logger = logging.getLogger(__name__)

Search = asyncio.Task[Recalled | None]

# A text up to here may be too short to tell its language.
SHORT_CHARS = 200


class Recalling:
    """What memory has for one turn.

    Args:
        database: the connection for searches alone.
        turn: the turn.
        limits: how long the search is waited for, and how much of it is told.
    """

    def __init__(self, database: Database, turn: Turn, limits: Limits) -> None:
        self._database = database
        self._turn = turn
        self._limits = limits
        self._running: set[Search] = set()
        self._search: Search | None = None
        self._late: tuple[Search, bool] | None = None
        self._told: list[Told] = []
        self._left_over = turn.late
        self._silent = False

    @asynccontextmanager
    async def begun(self) -> AsyncIterator[None]:
        """Search at once for what the turn has to answer; whatever happens, leave no search behind."""
        self.begin_with_own()
        try:
            yield
        finally:
            for search in self._running:
                search.cancel()
            if self._running:
                await asyncio.wait(self._running)

    def begin_with_own(self) -> None:
        """Search for what the turn has to answer, as soon as that is known: of a retaken one when it is loaded."""
        if self._search is None:
            self.begin(text_of(self._turn.thread.of_turn(self._turn.id)))

    def begin(self, said: str) -> None:
        """Begin to search for a text, before anybody knows whether memory is wanted."""
        if not said:
            return
        if asks_to_forget(said):
            self.keep_silent()
        elif not self._silent:
            self._search = asyncio.create_task(self._searched(said))
            self._running.add(self._search)

    async def settle(self, verdicts: Verdicts) -> None:
        """Read what was found, now that it is known whether it is wanted; from here on a short wait, and no longer.

        A search that is not done by then goes on: what it finds is kept for the next turn.
        """
        self._take_late(verdicts)
        search, self._search = self._search, None
        if search is None or self._silent or verdicts.memory_search == "none":
            return
        strong = verdicts.memory_search == "strong"
        with span("recall") as traced:
            await asyncio.wait({search}, timeout=self._limits.recall_wait_s)
            if not search.done():
                self._late = (search, strong)
                traced.note({"lanekeeper.recall": "late"})
            elif (found := search.result()) is None:
                traced.fail()
            else:
                self._told.append(told(found, strong=strong))
                traced.note({"lanekeeper.recall": found.label.value, "lanekeeper.recall.notes": len(found.hits)})

    def keep_silent(self) -> None:
        """Tell nothing for the rest of the turn, and keep nothing for the next: something is forgotten in it (W4)."""
        self._silent = True
        self._told.clear()
        self._late = None

    def leave_out(self, subject: str) -> None:
        """Tell no more of a subject: it has been put right in this turn (W2)."""
        plain = normalised_subject(subject, self._limits.note_subject_chars)
        for number, one in enumerate(self._told):
            left = tuple(hit for hit in one.hits if hit.subject != plain)
            if left != one.hits:
                self._told[number] = Told(left, one.advice if left and one.advice == FOUND_LATE else "")

    @property
    def recalled(self) -> str | None:
        """The notes for this reply as plain lines; None when there are none."""
        return lines(self._hits(), find_zone(self._turn.timezone) or UTC) or None

    @property
    def advice(self) -> Sequence[str]:
        """What the model is told of how to take them, or that there are none."""
        sayings = dict.fromkeys(one.advice for one in self._told if one.advice)
        return [saying for saying in sayings if saying != NOTHING_FITS or not self._hits()]

    def write(self, transaction: Transaction) -> None:
        """Keep what was found too late, with the end of the turn, so that the next one may tell it once."""
        if self._late is None or not self._late[0].done() or self._late[0].cancelled():
            return
        search, strong = self._late
        found = search.result()
        late = told(found, strong=strong) if found is not None else Told()
        # What only might fit this message says nothing about the next.
        if late.hits and late.advice != NOTHING_FITS_WELL:
            transaction.put(
                SQL["keep_late_recall"],
                {
                    "user_id": self._turn.hold.user_id,
                    "conversation_id": self._turn.conversation_id,
                    "note_ids": [hit.id for hit in late.hits],
                },
            )

    def _hits(self) -> tuple[Hit, ...]:
        told = () if self._turn.thread.forgot else self._told
        once = {hit.id: hit for one in told for hit in one.hits}
        return cut(list(once.values())[: self._limits.recall_notes], self._limits.recall_bytes)

    def _take_late(self, verdicts: Verdicts) -> None:
        """What the turn before found too late, where this message leans on what was said, or came soon after."""
        left = self._left_over
        applies = verdicts.memory_search == "full" or left.age_s <= self._limits.late_recall_s
        if left.hits and applies and not self._silent:
            self._left_over = LateRecall()
            self._told.append(Told(left.hits, FOUND_LATE))

    async def _searched(self, said: str) -> Recalled | None:
        """What is found, or None when the search failed: a turn goes on without its memory."""
        try:
            return await recall(
                self._database,
                self._turn.hold.user_id,
                said,
                self._limits,
                languages=languages_of(said),
                aliases=aliases(),
            )
        except Exception as error:  # noqa: BLE001
            logger.warning("memory could not be searched: %s", place(error))
            return None


def languages_of(said: str) -> Sequence[str]:
    """The languages in whose ways a message is searched for: its own, or for a few words all that are likely."""
    if spoken := words.language_of(said):
        return (spoken,)
    return LIKELY if len(said) <= SHORT_CHARS else LIKELY[:1]
