"""Asks the note writer's model about many people in one batch, and takes its answers, also those of a run that died."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from lanekeeper.limits import Limits
from lanekeeper.mainline.batch import batch
from lanekeeper.mainline.batch_files import Answer
from lanekeeper.mainline.batches import Batches, NoBatchesError
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.maintenance.batch_lines import BatchLines
from lanekeeper.maintenance.coverage import Coverage, Person
from lanekeeper.memory.writer import NoteWriter
from lanekeeper.postgres import Database, Statements
from lanekeeper.timers import BATCH, set_timer
from lanekeeper.types import new_id

SQL = Statements.beside(__file__, "note_batches.sql")

logger = logging.getLogger(__name__)


class NoteBatches:
    """The batches of the nightly pass.

    A batch is put down before anything of it leaves, under a name of ours that the gateway keeps with it. So whoever
    finds one that was left in the middle asks the gateway whether it was begun, and nothing is sent twice.

    Args:
        database: a connection of the maintenance role.
        batches: the gateway's batch API.
        writer: whose requests they are, and who keeps the answers.
        coverage: the people.
        limits: how much goes into one batch, and how long it is waited for.
    """

    def __init__(
        self, database: Database, batches: Batches, writer: NoteWriter, coverage: Coverage, limits: Limits
    ) -> None:
        self._database = database
        self._batches = batches
        self._writer = writer
        self._coverage = coverage
        self._limits = limits
        self._lines = BatchLines(database, writer, coverage, limits)

    async def send(self, people: Sequence[Person]) -> str | None:
        """Ask about these people in one batch; its name, or None where nothing of theirs had to be asked.

        Whom there is no room for waits for the next one.

        Raises:
            NoBatchesError: the gateway has no batch API. Everybody waits again.
            DatabaseUnreachableError: the database did not answer.
        """
        name = new_id("batch")
        model = await self._writer.model()
        async with self._database.transaction() as transaction:
            lease_s = self._limits.nightly_lease_s
            transaction.put(SQL["make_batch"], {"id": name, "model": model.id, "lease_s": lease_s})
            # Should we die over it.
            set_timer(transaction, BATCH, name, in_s=lease_s)
        written = await self._lines.write(name, model, people)
        if not written:
            await self._end(name, "lost")
            return None
        try:
            file_id = await self._batches.upload(name, model, written)
        except NoBatchesError:
            await self._release(name)
            raise
        except MainlineError as error:
            await self._unanswered(name, error.kind)
            return name
        await self._run("put_file", id=name, file_id=file_id)
        try:
            await self._begun(name, await self._batches.begin(name, file_id))
        except NoBatchesError:
            await self._release(name)
            raise
        except MainlineError as error:
            # It may have begun all the same: the next look finds out.
            logger.warning("a batch may not have begun: %s", error)
            await self._look_again(name)
        return name

    async def look(self, name: str) -> bool:
        """See to a batch; whether it is over and done with, or never was one.

        Raises:
            DatabaseUnreachableError: the database did not answer.
        """
        claim = {"id": name, "lease_s": self._limits.nightly_lease_s, "most_s": self._limits.batch_most_h * 3600}
        async with self._database.transaction() as transaction:
            row = await transaction.row(SQL["claim_batch"], claim)
            if row is None:
                known = await transaction.row(SQL["is_open"], {"id": name})
                if not known or not known["open"]:
                    return True
                # Somebody else is at it, and may die over it.
                set_timer(transaction, BATCH, name, in_s=self._limits.batch_poll_s)
                return False
        try:
            over = await self._advance(name, row)
        except MainlineError as error:
            logger.warning("a batch could not be looked at: %s", error)
            over = row["overdue"]
            if over:
                await self._unanswered(name, error.kind)
        if not over:
            await self._look_again(name)
        return over

    async def _advance(self, name: str, row: Mapping[str, Any]) -> bool:
        gateway_id = row["gateway_id"]
        if gateway_id is None:
            gateway_id = await self._batches.find(name)
            if gateway_id is None:
                await self._release(name)
                return True
            await self._begun(name, gateway_id)
        try:
            found = await self._batches.look(gateway_id)
        except MainlineError as error:
            if error.status != 404:
                raise
            await self._unanswered(name, "unknown")
            return True
        if found.state == "open":
            if not row["overdue"]:
                return False
            # What was answered until now is paid for, and may be there.
            await self._batches.cancel(gateway_id)
            found = await self._batches.look(gateway_id)
        await self._take(name, await self._batches.answers(found))
        await self._end(name, "read" if found.state == "over" else "lost")
        for file_id in found.files:
            await self._remove(file_id)
        return True

    async def _take(self, name: str, answers: Sequence[Answer]) -> None:
        """Deal with everybody of a batch. Who was dealt with by a run that died is not in it any more."""
        by_line = {answer.id: answer for answer in answers}

        async def take(person: Person) -> None:
            async with self._coverage.alone(person):
                await self._lines.take(name, person, by_line)

        # Side by side, since an answer that has to be corrected is waited for.
        await batch(take, await self._people(name), self._limits)

    async def _people(self, name: str) -> list[Person]:
        async with self._database.transaction() as transaction:
            return [Person(**row) for row in await transaction.rows(SQL["people"], {"id": name})]

    async def _unanswered(self, name: str, reason: str) -> None:
        logger.warning("a batch came to nothing: %s", reason)
        await self._take(name, ())
        await self._end(name, "lost")

    async def _begun(self, name: str, gateway_id: str) -> None:
        async with self._database.transaction() as transaction:
            transaction.put(SQL["put_begun"], {"id": name, "gateway_id": gateway_id})
            set_timer(transaction, BATCH, name, in_s=self._limits.batch_poll_s)

    async def _look_again(self, name: str) -> None:
        async with self._database.transaction() as transaction:
            transaction.put(SQL["let_go"], {"id": name})
            set_timer(transaction, BATCH, name, in_s=self._limits.batch_poll_s)

    async def _release(self, name: str) -> None:
        """Let everybody of a batch that was never begun wait again, and owe nothing for it."""
        for person in await self._people(name):
            await self._lines.take_back(name, person)
        await self._run("release", id=name)
        await self._end(name, "lost")

    async def _end(self, name: str, state: Literal["read", "lost"]) -> None:
        async with self._database.transaction() as transaction:
            transaction.put(SQL["drop_timer"], {"id": name, "kind": BATCH})
            row = await transaction.row(SQL["end_batch"], {"id": name, "state": state})
        if row and row["file_id"]:
            await self._remove(row["file_id"])

    async def _remove(self, file_id: str) -> None:
        """Delete a file at the gateway: it holds what people wrote."""
        try:
            await self._batches.remove(file_id)
        except MainlineError as error:
            logger.warning("a file of a batch could not be removed: %s", error)

    async def _run(self, statement: str, **parameters: Any) -> None:
        async with self._database.transaction() as transaction:
            await transaction.run(SQL[statement], parameters)
