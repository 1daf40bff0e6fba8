"""Reads what is in quarantine, judges it, and lets it out or turns it away (D3, D4).

It stands on its person's lane before the message that it goes along with, so that message never meets a file that
nobody has looked at. Nothing of it reaches the model that answers before that.
"""

import base64
import logging

from lanekeeper.decisions import Verdicts, words
from lanekeeper.decisions.questions import questions_about
from lanekeeper.decisions.store import last_language
from lanekeeper.errors import DatabaseUnreachableError, LaneLostError
from lanekeeper.lane import Watch
from lanekeeper.limits import Limits
from lanekeeper.log import name_person
from lanekeeper.mainline.client import Caller
from lanekeeper.mainline.decisions import Decisions, Judges
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.questions import Answer, Answers, image_part
from lanekeeper.parser.order import Found, Unreadable
from lanekeeper.postgres import Database
from lanekeeper.redact import place
from lanekeeper.turn.in_force import ForAll, OperatorSettings
from lanekeeper.turn.meter import Bill
from lanekeeper.uploads.quarantine import Quarantined, State, admit, content_of, release, turn_away
from lanekeeper.uploads.reader import Reader
from lanekeeper.uploads.rules import line, pieces

logger = logging.getLogger(__name__)

FEATURE = "decisions"


class Checking:
    """Checks uploads, one at a time, for as long as a worker lives.

    Args:
        database: the worker's own connection.
        watch: gives signs of life meanwhile.
        decisions: asks the questions about pictures and files.
        settings: which models answer them, and from where on an answer counts.
        limits: what a file may be, and how long anything may take.
    """

    def __init__(
        self, database: Database, watch: Watch, decisions: Decisions, settings: OperatorSettings, limits: Limits
    ) -> None:
        self._database = database
        self._watch = watch
        self._decisions = decisions
        self._settings = settings
        self._limits = limits
        self._reader = Reader(limits)

    async def run(self, upload: Quarantined) -> None:
        """Bring one upload out of quarantine and give the lane back. It is read once, however often this is tried.

        Raises:
            LaneLostError: another worker has the lane by now.
            DatabaseUnreachableError: nothing can be written now.
        """
        name_person(upload.hold.user_id)
        async with self._watch.over(upload.hold, upload.id):
            await self._check(upload)

    async def _check(self, upload: Quarantined) -> None:
        in_force = await self._settings.for_all(self._database, upload.hold.user_id)
        bill = Bill(self._database, upload.hold, in_force.prices)
        try:
            found = await self._look(upload, in_force, bill)
            reason = ""
        except Unreadable as unreadable:
            found, reason = Found(), unreadable.code
        except (LaneLostError, DatabaseUnreachableError):
            raise
        except Exception as error:  # noqa: BLE001 - one file must not keep its person waiting for ever
            logger.error("an upload could not be checked: %s", place(error))
            found, reason = Found(), "unchecked"
        language = await last_language(self._database, upload.hold.user_id, in_force.policy) if reason else None
        async with upload.hold.transaction(self._database) as transaction:
            await bill.write(transaction)
            if reason:
                logger.info("an upload was turned away: %s", reason)
                state: State = "sensitive" if reason == "sensitive" else "refused"
                await turn_away(transaction, upload, state, line(reason, language))
            else:
                await admit(transaction, upload, found)
        await release(self._database, upload)

    async def _look(self, upload: Quarantined, in_force: ForAll, bill: Bill) -> Found:
        if upload.attempt > self._limits.turn_deaths:
            raise Unreadable("deaths")
        found = await self._reader.read(await content_of(self._database, upload), upload.media_type)
        caller = Caller(user_id=upload.hold.user_id, meter=bill, feature=FEATURE)
        if found.picture is not None:
            await self._judge_picture(found.picture, upload.media_type, in_force, caller)
        elif found.text is not None:
            await self._judge_text(found.text, in_force, caller)
        return found

    async def _judge_picture(self, picture: bytes, media_type: str, in_force: ForAll, caller: Caller) -> None:
        """Without a clear answer to every question a picture is turned away: there is no second way to look at it."""
        data = f"data:{media_type};base64,{base64.b64encode(picture).decode()}"
        questions = questions_about("image")
        judges = _judges(in_force, see=True)
        for last_try in _tries(self._limits.upload_checks):
            try:
                answers, source = await self._decisions.ask(
                    [image_part(data)], questions, judges, caller, self._limits.upload_check_s
                )
            except MainlineError as error:
                if last_try:
                    logger.warning("a picture could not be judged: %s", error)
                    raise Unreadable("unchecked") from None
                continue
            if any(question.name not in answers for question in questions):
                raise Unreadable("unchecked")
            verdicts = Verdicts(source=source, answers=answers, thresholds=in_force.policy.thresholds)
            for name, reason in _PICTURE_REASONS.items():
                if verdicts.over(name):
                    raise Unreadable(reason)
            return

    async def _judge_text(self, text: str, in_force: ForAll, caller: Caller) -> None:
        """Every piece is judged by itself, so that a line of orders does not drown in pages of prose."""
        texts = pieces(text)
        for piece, judged in zip(texts, await self._answers_about(texts, in_force, caller), strict=True):
            # A file's text is data to whoever reads it, in any case. So the lists are enough where nobody else answers.
            answers = judged or {"file_injection": words.judge(piece).get("injection", Answer(0.0))}
            verdicts = Verdicts(source="gateway", answers=answers, thresholds=in_force.policy.thresholds)
            if verdicts.over("file_injection"):
                raise Unreadable("instructions")

    async def _answers_about(self, texts: list[str], in_force: ForAll, caller: Caller) -> list[Answers]:
        """The answers about each text; none where they were declined, or nobody could be asked."""
        questions = questions_about("file")
        for last_try in _tries(self._limits.upload_checks):
            try:
                return await self._decisions.ask_of_many(
                    texts, questions, _judges(in_force), caller, self._limits.upload_check_s
                )
            except MainlineError as error:
                if last_try:
                    logger.warning("word lists judge a file: %s", error)
        return [{} for _ in texts]


_PICTURE_REASONS = {
    "image_unsafe": "unsafe",
    "image_instructions": "instructions",
    "image_sensitive": "sensitive",
}


def _judges(in_force: ForAll, *, see: bool = False) -> Judges:
    """Who judges. A model that cannot be sent pictures does not judge any where another one can."""
    models = in_force.catalogue
    chat = models.choose()
    if see and not chat.sees:
        chat = next((model for model in models.models if model.sees), chat)
    return Judges(endpoint=models.decisions, chat=chat)


def _tries(count: int) -> list[bool]:
    """As many tries, each told whether it is the last."""
    return [number == count for number in range(1, count + 1)]
