"""The note writer: has a model read what a person wrote, and keeps what it found (W1, W3, W5). All moments use it."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from weakref import WeakValueDictionary

from lanekeeper.ledger.call import Meter
from lanekeeper.ledger.store import count_limit_hit
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DEFAULT, SETTING, Model, parse_catalogue
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.shape import MisfitError, correction
from lanekeeper.mainline.structured import as_message, told, whole_answer
from lanekeeper.memory.answer import Draft, as_sent, body, corrected, read, request
from lanekeeper.memory.keeping import OutdatedError, count_failure, keep, sifted
from lanekeeper.memory.rules import Note
from lanekeeper.memory.segment import Segment, unread
from lanekeeper.postgres import Database, Statements
from lanekeeper.postgres.stored_setting import StoredSetting
from lanekeeper.types import Json

SQL = Statements.beside(__file__)

FEATURE = "notes"
PASSED_OVER = "notes_unread"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Written:
    """What one writing came to, in counts.

    Attributes:
        segments: stretches that were read.
        saved: notes that stand now.
        refused: notes that were refused, their correction too.
        passed_over: stretches that no usable answer came about for so long that they are left unread.
    """

    segments: int = 0
    saved: int = 0
    refused: int = 0
    passed_over: int = 0

    def __add__(self, other: "Written") -> "Written":
        return Written(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


class NoteWriter:
    """Writes notes of what nobody has read yet.

    Several may be at one conversation at once: what another has read meanwhile is not kept twice. Of the calls of one
    writer the second waits for the first, so that nobody pays twice for the reading.

    Args:
        database: a connection as the role that writes notes.
        mainline: the model client.
        meter: who counts a person's calls.
        limits: how much is read at once, and kept.
    """

    def __init__(self, database: Database, mainline: Mainline, meter: Callable[[str], Meter], limits: Limits) -> None:
        self._database = database
        self._mainline = mainline
        self._meter = meter
        self._limits = limits
        self._catalogue = StoredSetting(SETTING, parse_catalogue, DEFAULT, limits.setting_cache_s)
        self._at_work: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    async def write(self, user_id: str, conversation_id: str, *, until: int | None = None) -> Written:
        """Read all that the person wrote in a conversation and nobody has read for notes, and keep those notes.

        What has been read stays read, also when a later stretch fails. A killed writer's stretch is read again.

        Args:
            user_id: the person.
            conversation_id: the conversation; one that is gone has nothing to read.
            until: the position in the transcript of the last message to read; to its end without one.

        Raises:
            MainlineError: no answer came.
            MisfitError: no usable answer came. After some of these the stretch is passed over instead.
            DatabaseUnreachableError: the database did not answer.
        """
        written = Written()
        # Quiet and about to be shortened may fall due in the same minute.
        async with self._at_work.setdefault((user_id, conversation_id), asyncio.Lock()):
            while segment := await unread(self._database, user_id, conversation_id, self._limits, until=until):
                try:
                    written += await self._write(segment)
                except OutdatedError:
                    # Another moment has read it, something of it was forgotten, or it is gone: look again.
                    continue
        return written

    async def take(self, segment: Segment, answer: Json | None) -> Written:
        """Keep the notes in an answer to a segment that was asked about elsewhere, such as in a batch.

        What is wrong in it goes back once, by a call of its own.

        Args:
            segment: what was asked about, as it is now.
            answer: the assistant's message; None where the segment holds nothing to ask about.

        Raises:
            MainlineError: the answer could not be read, and there came none instead.
            MisfitError: the answer could not be read, corrected or not.
            OutdatedError: another writer was first, or something of it was forgotten.
            DatabaseUnreachableError: the database did not answer.
        """
        return await self._write(segment, answer)

    async def model(self) -> Model:
        """The model that is asked for notes."""
        if not self._catalogue.fresh:
            async with self._database.transaction() as transaction:
                await self._catalogue.read(transaction)
        return self._catalogue.last.choose()

    async def _write(self, segment: Segment, answer: Json | None = None) -> Written:
        notes: Sequence[Note] = ()
        refused = 0
        if segment.own:
            try:
                notes, refused = await self._draw(segment, answer)
            except (MisfitError, MainlineError) as error:
                # A gateway that is away, or lets nobody in, has nothing to do with what was said.
                unusable = isinstance(error, MisfitError) or error.kind == "invalid"
                if not (unusable and await self._pass_over(segment)):
                    raise
                return Written(passed_over=1)
        async with self._database.transaction(user_id=segment.user_id) as transaction:
            kept = await keep(transaction, segment, notes, self._limits)
        return Written(1, kept.saved, refused + len(kept.refused))

    async def _draw(self, segment: Segment, answer: Json | None) -> tuple[list[Note], int]:
        """Notes that code has nothing against, and how many it refused for good. What is wrong goes back once (W5)."""
        model = await self.model()
        messages = request(segment)
        message = as_sent(answer) if answer else await self._ask(messages, model, segment)
        try:
            draft = read(message, segment, self._limits)
        except MisfitError as misfit:
            draft = await self._again([*messages, *told(message, correction(misfit.reason))], model, segment)
            notes, wrong = sifted(draft, segment)
            return notes, len(wrong)
        notes, wrong = sifted(draft, segment)
        if not wrong:
            return notes, 0
        try:
            draft = await self._again(corrected(messages, message, wrong), model, segment)
        except (MainlineError, MisfitError) as error:
            logger.info("notes that were refused are not corrected: %s", error)
            return notes, len(wrong)
        mended, _ = sifted(draft, segment)
        # Whoever repeats what is kept already has corrected nothing.
        mended = [note for note in mended if note not in notes]
        return notes + mended, max(0, len(wrong) - len(mended))

    async def _again(self, messages: Sequence[Json], model: Model, segment: Segment) -> Draft:
        """Ask once more, unless the person had something forgotten that the request would still hold."""
        async with self._database.transaction(user_id=segment.user_id) as transaction:
            row = await transaction.row(SQL["forgets"], {"user_id": segment.user_id})
        if row is None or row["forgets"] != segment.forgets:
            raise OutdatedError
        return read(await self._ask(messages, model, segment), segment, self._limits)

    async def _ask(self, messages: Sequence[Json], model: Model, segment: Segment) -> Json:
        caller = Caller(user_id=segment.user_id, meter=self._meter(segment.user_id), feature=FEATURE)
        said, ending = await whole_answer(self._mainline, model, body(messages, model, self._limits), caller)
        return as_message(said, ending.calls)

    async def _pass_over(self, segment: Segment) -> bool:
        async with self._database.transaction(user_id=segment.user_id) as transaction:
            over = await count_failure(transaction, segment, self._limits)
            if over:
                key = f"{PASSED_OVER}:{segment.conversation_id}:{segment.until}"
                await count_limit_hit(transaction, segment.user_id, None, PASSED_OVER, key)
        return over
