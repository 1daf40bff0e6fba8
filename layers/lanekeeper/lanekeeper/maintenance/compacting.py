"""Compacting: the old part of a conversation becomes a summary, while its person chats on (C2, C3, C4).

The summary and the writer of notes start together, since both read what is about to be left out. A summary that cannot
be used changes nothing: the conversation goes on as it is, and whoever called tries again later.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Protocol

from lanekeeper import compaction
from lanekeeper.compaction import History, OutdatedError, Plan, Published, Released, Summariser, SummaryError
from lanekeeper.context import versions
from lanekeeper.graph import ThreadMessage
from lanekeeper.ledger.store import count_limit_hit
from lanekeeper.limits import Limits
from lanekeeper.mainline.client import Caller, Mainline
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.maintenance.in_force import OperatorSettings
from lanekeeper.maintenance.meter import SQL, BackgroundMeter
from lanekeeper.maintenance.request import ConversationRequest, profile_of
from lanekeeper.postgres import Database
from lanekeeper.redact import place
from lanekeeper.tools import Agent
from lanekeeper.types import new_id
from lanekeeper.uploads.attachments import Attachments

logger = logging.getLogger(__name__)

Wake = Callable[[], Awaitable[bool]]
State = Literal["published", "nothing", "gone", "outdated", "failed"]

# A conversation that was summarised or forgotten in meanwhile is read anew, so often in one run.
TRIES = 2


class Notes(Protocol):
    """Writes notes of what its person wrote in a conversation."""

    async def write(self, user_id: str, conversation_id: str) -> object:
        """Keep what is worth keeping of what nobody has read yet. Anything raised is this writer's own affair."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one conversation.

    Attributes:
        state: ``published``; ``nothing`` to cover; ``gone``; ``outdated`` by something that happened meanwhile, each
            time; or ``failed``. After the last two it is to be tried again.
        covered: messages that the summary took the place of.
        freed: messages of its person that waited for this and may be answered now.
        reason: why it failed, in a word for operators.
    """

    state: State
    covered: int = 0
    freed: int = 0
    reason: str = ""

    @property
    def done(self) -> bool:
        """Whether there is nothing to try again."""
        return self.state not in {"failed", "outdated"}


class Compacting:
    """Summarises conversations. Safe to run at one conversation twice at once, and to die at any point.

    Args:
        database: a connection of the maintenance role.
        mainline: the model client.
        settings: what operators have set.
        agents: the agents there are, by id.
        notes: the writer that reads what is about to be left out.
        wake: starts one worker; False when that failed.
        limits: every number.
    """

    def __init__(
        self,
        *,
        database: Database,
        mainline: Mainline,
        settings: OperatorSettings,
        agents: Mapping[str, Agent],
        notes: Notes,
        wake: Wake,
        limits: Limits,
    ) -> None:
        self._database = database
        self._summariser = Summariser(mainline, limits)
        self._settings = settings
        self._agents = agents
        self._notes = notes
        self._wake = wake
        self._limits = limits

    async def run(self, user_id: str, conversation_id: str) -> Outcome:
        """Summarise one conversation, if there is enough of it, and let run what waited for that.

        Raises:
            DatabaseUnreachableError: the database did not answer.
        """
        outcome, _ = await asyncio.gather(
            self._compact(user_id, conversation_id),
            self._write_notes(user_id, conversation_id),
            return_exceptions=True,
        )
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def _write_notes(self, user_id: str, conversation_id: str) -> None:
        try:
            await self._notes.write(user_id, conversation_id)
        except Exception as error:  # noqa: BLE001 - whatever it is, the summary is not to suffer for it
            logger.warning("the notes of a conversation were not written: %s", place(error))

    async def _compact(self, user_id: str, conversation_id: str) -> Outcome:
        for _ in range(TRIES):
            history = await compaction.read(self._database, user_id, conversation_id)
            if history is None:
                return Outcome("gone")
            request = await self._request(history)
            messages = await self._as_sent(history, request)
            plan = compaction.plan(messages, self._limits, history.running)
            if plan is None:
                # What waits for a summary that would hold nothing would wait for ever.
                released = await compaction.release(self._database, user_id, conversation_id)
                return await self._let_run("nothing", 0, released)
            try:
                published = await self._publish(history, plan, request)
                return await self._let_run("published", published.covered, published.released)
            except OutdatedError:
                continue
            except (MainlineError, SummaryError) as error:
                return await self._failed(history, error)
        return Outcome("outdated")

    async def _publish(self, history: History, plan: Plan, request: ConversationRequest) -> Published:
        meter = BackgroundMeter(self._database, history.user_id, self._settings)
        caller = Caller(user_id=history.user_id, meter=meter, feature=compaction.FEATURE)
        check = partial(compaction.check, self._database, history)
        body = await self._summariser.summarise(request, plan.covered, history.summary, caller, check)
        return await compaction.publish(self._database, history, plan, body)

    async def _let_run(self, state: State, covered: int, released: Released) -> Outcome:
        if released.waits:
            await self._wake()
        return Outcome(state, covered, released.freed)

    async def _request(self, history: History) -> ConversationRequest:
        in_force = await self._settings.read()
        # As a turn has it: an agent that was taken off the list never strands a conversation.
        agent = self._agents.get(history.agent_id) or next(iter(self._agents.values()))
        return ConversationRequest(
            model=in_force.catalogue.choose(history.model_id),
            prompt=versions.in_force(in_force.versions, agent.id, agent.prompt, agent.find_prompt),
            tools=agent.tools,
            profile=profile_of(history),
        )

    async def _as_sent(self, history: History, request: ConversationRequest) -> list[ThreadMessage]:
        """The messages with their uploads in their places. What is in sight depends on the whole thread."""
        attachments = Attachments(self._database, history.user_id, self._limits)
        thread = [one.message for one in history.messages]
        filled = await attachments.fill(thread, pictures=request.model.sees)
        return [replace(one, message=message) for one, message in zip(history.messages, filled, strict=True)]

    async def _failed(self, history: History, error: MainlineError | SummaryError) -> Outcome:
        reason = error.reason if isinstance(error, SummaryError) else error.kind
        logger.warning("a conversation could not be summarised: %s", reason)
        async with self._database.transaction(user_id=history.user_id) as transaction:
            if await transaction.row(SQL["person_stands"], {"user_id": history.user_id}):
                await count_limit_hit(transaction, history.user_id, None, "summary_failed", new_id("hit"))
        return Outcome("failed", reason=reason)
