"""Follows one turn through the database, from its first chunk or any later one to its last."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import suppress
from functools import partial

import psycopg

from lanekeeper import clock
from lanekeeper.errors import DatabaseUnreachableError, Problem
from lanekeeper.limits import Limits
from lanekeeper.lines import WAITING_LINE
from lanekeeper.postgres import Database, answered_within
from lanekeeper.postgres.transaction import Row
from lanekeeper.stream.bell import Bell, Ear
from lanekeeper.stream.outage import Outage
from lanekeeper.stream.rules import DONE, LAST_TYPES, REPLACED, encoded, event, is_last, pause, unbroken
from lanekeeper.stream.store import MOST_CHUNKS, Look, Session, StreamStore
from lanekeeper.stream.transcript import FIRST_SEQ, GONE, retold

# A stream that ends tidies up after itself, but its function's time may be nearly over.
TIDY_S = 1.0

logger = logging.getLogger(__name__)


class Relay:
    """What all streams of a process share: one connection, and the bell on it."""

    def __init__(self, database: Database, limits: Limits) -> None:
        self.database = database
        self.limits = limits
        self.store = StreamStore(database, limits)
        self.bell = Bell(database)
        self.outage = Outage()

    async def find(self, user_id: str, conversation_id: str, turn_id: str | None, after: int) -> "Following | None":
        """The stream of a turn, or of the oldest one that is not over; None when none was named and all are over.

        Args:
            user_id: who asks.
            conversation_id: its id, or the person's own alias for it.
            turn_id: a turn's id as the answer to ``POST /chat`` named it.
            after: the id of the last event the client has, 0 for none.

        Raises:
            Problem: 404, the person has no such conversation or it has no such turn.
            DatabaseUnreachableError: it could not be looked up.
        """
        found, look = await self.store.find(user_id, conversation_id, turn_id, after)
        if found is None:
            raise Problem(404, "not_found", "There is no such conversation.", "Check the conversation's id.")
        if found["turn_id"] is not None:
            return Following(self, user_id, found["turn_id"], after, look if found["turn_id"] == turn_id else None)
        if turn_id is not None:
            raise Problem(404, "not_found", "There is no such turn in this conversation.", "Check the turn's id.")
        return None


class Following:
    """One stream: a turn, and how far it has been sent.

    ``look``: how the turn stands and its next chunks, when the stream's opening has read them already.
    """

    def __init__(self, relay: Relay, user_id: str, turn_id: str, after: int, look: Look | None = None) -> None:
        self._relay = relay
        self._store = relay.store
        self._limits = relay.limits
        self._session = Session(user_id)
        self._ear = Ear(turn_id, self._limits.chunks_told)
        self._turn_id = turn_id
        self._after = after
        self._first_look = look
        self._over = self._live = self._more = self._may_listen = self._told_waiting = False
        self._glance_at = self._seen_at = 0.0
        self._spoke_at = clock.monotonic()

    async def blocks(self) -> AsyncGenerator[bytes]:
        """Server-sent events, as many at a time as there are; ``[DONE]`` is the last.

        Lives through an outage of the database. A long one cuts the stream, so that its client resumes it, perhaps on
        another machine that sees the database. To cut it before, close the iterator.
        """
        answered_at = clock.monotonic()
        try:
            while not self._over:
                try:
                    async with answered_within(self._relay.database, self._limits.stream_answer_s):
                        # Listening begins before the look, so that nothing falls between the look and the wait.
                        hearing = self._live and await self._attend()
                        block = await self._look()
                except (DatabaseUnreachableError, psycopg.OperationalError) as error:
                    if clock.monotonic() - answered_at > self._limits.stream_away_s:
                        return
                    await self._relay.outage.wait(error)
                    continue
                answered_at = clock.monotonic()
                if block:
                    self._spoke_at = answered_at
                    yield block
                if self._live and not (self._over or self._more):
                    await self._wait(hearing)
                self._live = True
        finally:
            await self._tidy()

    async def _attend(self) -> bool:
        """Keep the session, and listen while few streams are open. Whether this stream listens."""
        if clock.monotonic() >= self._seen_at:
            self._seen_at = clock.monotonic() + self._limits.stream_seen_s
            self._may_listen = await self._store.keep_session(self._session) <= self._limits.listen_streams
        if self._may_listen:
            return await self._relay.bell.listen(self._ear)
        await self._relay.bell.rest(self._ear)
        return False

    async def _wait(self, hearing: bool) -> None:
        seconds = max(0, min(self._glance_at, self._seen_at) - clock.monotonic())
        if hearing:
            await self._ear.wait(self._after, seconds)
        else:
            silence_s = clock.monotonic() - self._spoke_at
            await asyncio.sleep(min(seconds, pause(silence_s, self._limits.poll_ms)))

    async def _look(self) -> bytes:
        """What there is to send; now and then with a glance at the turn itself."""
        if clock.monotonic() < self._glance_at:
            heard = self._ear.take(self._after)
            return self._take(heard or await self._store.chunks(self._session.user_id, self._turn_id, self._after))
        first_look, self._first_look = self._first_look, None
        turn, rows = first_look or await self._store.glance(self._session, self._turn_id, self._after)
        self._glance_at = clock.monotonic() + self._limits.stream_glance_s
        if turn is None:
            # Its conversation was deleted.
            return self._end({"type": "abort"})
        if turn["turn_id"] != self._turn_id:
            self._turn_to(turn["turn_id"])
            return b""
        block = self._break_off(turn) or self._take(rows)
        if turn["waits_for_room"] and not (self._told_waiting or self._over):
            block += await self._tell_waiting()
        if not self._over and not self._more and self._has_ended(turn):
            block += await self._close(turn)
        return block

    def _break_off(self, turn: Row) -> bytes:
        """The end of a stream that cannot go on, if it cannot."""
        if turn["newer_streams"] >= self._limits.streams_per_person:
            return REPLACED + self._end()
        if (turn["last_seq"] or 0) < self._after < FIRST_SEQ:
            # The events that the client has are gone: swept away, or lost by a crash of the database before the disk
            # had them. What would follow now is not what follows those.
            return self._end({"type": "error", "errorText": GONE})
        return b""

    async def _tell_waiting(self) -> bytes:
        """Say, once a stream, that the turn waits for a summary (C4). It is no chunk of the turn and has no number."""
        self._told_waiting = True
        line = WAITING_LINE.in_language(await self._store.language(self._session.user_id, self._turn_id))
        return event(None, encoded({"type": "data-status", "data": {"text": line}, "transient": True}))

    def _has_ended(self, turn: Row) -> bool:
        return not turn["undelivered"] and turn["state"] not in ("queued", "running")

    def _turn_to(self, turn_id: str) -> None:
        """The message was folded into another turn: play that one."""
        self._turn_id = turn_id
        self._ear.turn_to(turn_id)
        self._glance_at = 0
        self._more = True

    def _take(self, rows: list[Row]) -> bytes:
        self._more = len(rows) == MOST_CHUNKS
        events = []
        for seq, chunk in unbroken(rows, self._after):
            events.append(event(seq, chunk))
            self._after = seq
            if is_last(chunk):
                self._over = True
                events.append(DONE)
                break
        else:
            self._more = self._more and self._after == rows[-1]["seq"]
        return b"".join(events)

    async def _close(self, turn: Row) -> bytes:
        """The end of a turn that is over, when all of its chunks that can be sent have been."""
        if (turn["last_seq"] or 0) > self._after:
            # A crash of the database took a chunk whose commit had not waited for the disk.
            logger.error("chunk %d of %s is missing", self._after + 1, self._turn_id)
            return await self._retell() if not self._after else self._end({"type": "error", "errorText": GONE})
        if turn["last_seq"] is None:
            return await self._retell()
        return self._end(*([] if turn["last_type"] in LAST_TYPES else [{"type": "abort"}]))

    async def _retell(self) -> bytes:
        row = await self._store.transcript(self._session.user_id, self._turn_id)
        if row is None:
            return self._end({"type": "abort"})
        events = enumerate(retold(self._turn_id, row), FIRST_SEQ)
        return b"".join(event(seq, encoded(chunk)) for seq, chunk in events if seq > self._after) + self._end()

    def _end(self, *chunks: dict[str, str]) -> bytes:
        self._over = True
        return b"".join(event(None, encoded(chunk)) for chunk in chunks) + DONE

    async def _tidy(self) -> None:
        with suppress(DatabaseUnreachableError, psycopg.Error, TimeoutError):
            async with asyncio.timeout(TIDY_S):
                kept = self._session.opened_at is not None
                close = partial(self._store.close_session, self._session) if kept else None
                await self._relay.bell.rest(self._ear, close)
