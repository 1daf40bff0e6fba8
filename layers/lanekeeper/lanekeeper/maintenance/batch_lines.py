"""The lines of a batch: what is asked about one person's conversations, and what is made of the answers."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from lanekeeper.ledger.call import Call
from lanekeeper.ledger.prices import stored_prices
from lanekeeper.ledger.rules import Usage
from lanekeeper.ledger.store import settle_cost
from lanekeeper.limits import Limits
from lanekeeper.mainline import tokens
from lanekeeper.mainline.batch_files import Answer, Line, price_of
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.shape import MisfitError
from lanekeeper.maintenance.coverage import SQL as PEOPLE
from lanekeeper.maintenance.coverage import Coverage, Outcome, Person
from lanekeeper.memory.answer import body, request
from lanekeeper.memory.keeping import OutdatedError
from lanekeeper.memory.segment import unread
from lanekeeper.memory.writer import FEATURE, NoteWriter
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.types import Json, new_id

SQL = Statements.beside(__file__, "note_batches.sql")

# No answer, or none for this line: the gateway gave a reason, or not even that.
UNANSWERED = "unanswered"


class BatchLines:
    """Writes lines for people, and takes the answers to them, one person at a time.

    Args:
        database: a connection of the maintenance role.
        writer: who keeps the notes.
        coverage: the people.
        limits: how much goes into one batch.
    """

    def __init__(self, database: Database, writer: NoteWriter, coverage: Coverage, limits: Limits) -> None:
        self._database = database
        self._writer = writer
        self._coverage = coverage
        self._limits = limits
        self._prices = stored_prices(limits)

    async def write(self, batch: str, model: Model, people: Sequence[Person]) -> list[bytes]:
        """Put people into a batch; the lines of its file. Whom there is no room for waits to be taken again.

        Raises:
            DatabaseUnreachableError: the database did not answer.
        """
        file: list[bytes] = []
        size = 0
        for person in people:
            if size >= self._limits.nightly_batch_bytes:
                await self._coverage.wait_again(person)
                continue
            async with self._coverage.alone(person):
                lines = await self._lines_of(batch, model, person)
                file += lines
                size += sum(map(len, lines))
        return file

    async def take(self, batch: str, person: Person, answers: Mapping[str, Answer]) -> None:
        """Keep what the answers about a person hold, put down their price, and say what became of the person.

        Raises:
            DatabaseUnreachableError: the database did not answer.
        """
        rows = await self._rows(batch, person)
        missed: tuple[Outcome, str] | None = None
        for row in rows:
            missed = await self._take_one(person, row, answers.get(row["id"])) or missed
        if missed:
            await self._coverage.missed(person, *missed)
        elif all(row["whole"] for row in rows):
            await self._coverage.settle(person, "covered")
        else:
            await self._coverage.wait_again(person)

    async def take_back(self, batch: str, person: Person) -> None:
        """Take what a person's lines would have cost off the books: their batch was never begun.

        Raises:
            DatabaseUnreachableError: the database did not answer.
        """
        for row in await self._rows(batch, person):
            await self._pay(person, row, Usage(), failed=True)

    async def _rows(self, batch: str, person: Person) -> list[Json]:
        async with self._database.transaction(user_id=person.user_id) as transaction:
            return await transaction.rows(SQL["lines"], {"batch_id": batch, "user_id": person.user_id})

    async def _lines_of(self, batch: str, model: Model, person: Person) -> list[bytes]:
        written: list[bytes] = []
        put: list[Json] = []
        for conversation in await self._coverage.unread(person):
            segment = await unread(self._database, person.user_id, conversation.conversation_id, self._limits)
            if segment is None:
                continue
            if not segment.own:
                with suppress(OutdatedError):
                    await self._writer.take(segment, None)
                continue
            line = Line(new_id("line"), person.user_id, body(request(segment), model, self._limits))
            content = line.written(model)
            written.append(content)
            put.append(
                {
                    "id": line.id,
                    "batch_id": batch,
                    "model": model.id,
                    "user_id": person.user_id,
                    "conversation_id": conversation.conversation_id,
                    "after": segment.after,
                    "until": segment.until,
                    "whole": segment.until >= conversation.last,
                    "input_tokens": tokens.estimate(content.decode()),
                }
            )
        if not put:
            # Another moment has read it meanwhile.
            await self._coverage.settle(person, "covered")
            return []
        async with self._database.transaction(user_id=person.user_id) as transaction:
            key = {"night": person.night, "user_id": person.user_id, "batch_id": batch}
            if not await transaction.run(PEOPLE["put_into_batch"], key):
                return []
            for row in put:
                transaction.put(SQL["put_line"], row)
                # On the books before it is sent (K2).
                await self._put_cost(transaction, person, row, Usage(input_tokens=row["input_tokens"]), failed=False)
        return written

    async def _take_one(
        self, person: Person, row: Mapping[str, Any], answer: Answer | None
    ) -> tuple[Outcome, str] | None:
        """Deal with one answer; how it failed the person, if it did."""
        if answer is None or answer.message is None:
            # What went unanswered is not paid for.
            await self._pay(person, row, answer.usage if answer else Usage(), failed=True)
            return "failed", answer.reason if answer else UNANSWERED
        told = answer.usage
        await self._pay(person, row, told if told.reported else Usage(input_tokens=row["input_tokens"]), failed=False)
        conversation_id, until = row["conversation_id"], row["until_position"]
        segment = await unread(self._database, person.user_id, conversation_id, self._limits, until=until)
        if segment is None or segment.after != row["after_position"]:
            # Another moment has read it meanwhile.
            return None
        try:
            if row["forgot_since"] and segment.own:
                # What was forgotten may stand in the answer, which goes along where something in it is wrong (W4).
                raise OutdatedError
            written = await self._writer.take(segment, answer.message)
        except OutdatedError:
            return "failed", "outdated"
        except MisfitError:
            return "skipped", "unreadable"
        except MainlineError as error:
            return "failed", error.kind
        return ("skipped", "passed_over") if written.passed_over else None

    async def _pay(self, person: Person, row: Mapping[str, Any], usage: Usage, *, failed: bool) -> None:
        async with self._database.transaction(user_id=person.user_id) as transaction:
            # Of somebody who was deleted meanwhile nothing is written any more.
            if await transaction.row(PEOPLE["hold_person"], {"night": person.night, "user_id": person.user_id}):
                await self._put_cost(transaction, person, row, usage, failed=failed)

    async def _put_cost(
        self, transaction: Transaction, person: Person, row: Mapping[str, Any], usage: Usage, *, failed: bool
    ) -> None:
        prices = await self._prices.read(transaction)
        call = Call(
            user_id=person.user_id, turn_id=None, feature=FEATURE, model=row["model"], body={}, call_id=row["id"]
        )
        micros = price_of(usage, prices.get(call.model))
        await settle_cost(transaction, call, replace(usage, micros=micros), None, failed=failed)
