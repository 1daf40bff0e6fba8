"""Takes up a person's lane: claims it, locks it, and reads what is to be done."""

from dataclasses import dataclass
from datetime import datetime

from langchain_core.messages import AnyMessage, HumanMessage

from lanekeeper.context import Profile
from lanekeeper.errors import LanesLockedError
from lanekeeper.graph import FORGETS, Thread
from lanekeeper.lane import Hold, LaneLock
from lanekeeper.lane.store import SQL as LANE_SQL
from lanekeeper.limits import Limits
from lanekeeper.memory.clearing import clear_again
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.replies import deliver
from lanekeeper.timers import compact_soon
from lanekeeper.turn.attachments import content_with, weighed
from lanekeeper.turn.knowing import profile_of
from lanekeeper.turn.late import LateRecall
from lanekeeper.types import Json
from lanekeeper.uploads.quarantine import Quarantined, take_up

SQL = Statements.beside(__file__)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn, taken up: whose, what to answer, and with what."""

    id: str
    hold: Hold
    conversation_id: str
    title: str
    reply_id: str
    agent_id: str
    model_id: str | None
    profile: Profile
    attempt: int
    timezone: str
    now: datetime
    waited_s: float
    stop_wanted: bool
    thread: Thread
    state: Json
    fill_tokens: int
    late: LateRecall

    @property
    def retaken(self) -> bool:
        """Whether a worker died in this turn before."""
        return self.attempt > 1


class Intake:
    """Claims lanes, one at a time.

    Args:
        database: the worker's own connection.
        lock: the lane lock, on another.
        holder: the application name that all of this worker's connections carry.
        limits: the lease, and how many messages one turn may take.
    """

    def __init__(self, database: Database, lock: LaneLock, holder: str, limits: Limits) -> None:
        self._database = database
        self._lock = lock
        self._holder = holder
        self._limits = limits

    async def claim(self) -> "Claim | None":
        """Claim the lane that has waited longest and take up its next turn; None when no lane waits.

        All in one transaction. Locking is the second statement and reading the third: each sees what was committed
        before it, so a message that another worker has just finished is never read again (B002).

        Raises:
            LanesLockedError: lanes wait, but somebody writes their rows at this moment.
        """
        async with self._database.transaction() as transaction:
            row = await transaction.row(
                LANE_SQL["claim_lane"], {"holder": self._holder, "lease_s": self._limits.lease_s}
            )
            if row is None:
                return None
            if row["user_id"] is None:
                raise LanesLockedError
            hold = Hold(row["user_id"], row["epoch"])
            transaction.act_for(hold.user_id)
            if not await self._lock.take(hold):
                await hold.postpone(transaction, self._limits.postponed_s)
                return Claim(hold, postponed=True)
            await deliver(transaction, hold)
            held_back = False
            while (started := await self._start(transaction, hold)) and started["waits_in"]:
                self._hold_back(transaction, hold, started["waits_in"])
                held_back = True
            taken = await self._take_up(transaction, hold, started)
        if taken is None:
            await hold.release(self._database)
            await self._lock.drop()
        if isinstance(taken, Quarantined):
            return Claim(hold, upload=taken, held_back=held_back)
        return Claim(hold, taken, held_back=held_back)

    async def _start(self, transaction: Transaction, hold: Hold) -> Json | None:
        return await transaction.row(SQL["start_turn"], {**hold.key, "ceiling": self._limits.context_budget_tokens})

    def _hold_back(self, transaction: Transaction, hold: Hold, conversation_id: str) -> None:
        """Let a conversation's messages wait, for which it has no room, and have room made (C4)."""
        transaction.put(SQL["hold_back"], {**hold.key, "conversation_id": conversation_id})
        compact_soon(transaction, hold.user_id, conversation_id, pressing=True)

    async def _take_up(self, transaction: Transaction, hold: Hold, started: Json | None) -> Turn | Quarantined | None:
        if started is not None and started["kind"] == "upload":
            return await take_up(transaction, hold, started["upload_id"])
        if started is None or started["id"] is None:
            return None
        # Read only once this is committed: whatever is wrong with a thread must count as its turn's fault.
        thread = Thread(started["conversation_id"], hold.user_id)
        turn = Turn(
            id=started["id"],
            hold=hold,
            conversation_id=started["conversation_id"],
            title=started["title"],
            reply_id=started["reply_id"],
            agent_id=started["agent_id"],
            model_id=started["model_id"],
            profile=profile_of(started),
            attempt=started["attempt"],
            timezone=started["timezone"],
            now=started["now"],
            waited_s=float(started["waited_s"]),
            stop_wanted=started["stop_wanted"],
            thread=thread,
            state=started["agent_state"],
            fill_tokens=started["fill_tokens"],
            late=LateRecall.of(started["late_notes"], started["late_age_s"]),
        )
        if started["is_new"]:
            await self._add(transaction, turn, [started])
        return turn

    async def is_awaited(self, turn: Turn) -> bool:
        """Whether messages came meanwhile that may join the turn."""
        return bool(await self._joinable(turn))

    async def fold_in(self, turn: Turn) -> list[AnyMessage]:
        """Let the messages that came meanwhile join the turn; what was added to the thread (T2)."""
        # Mostly there are none, and one look is enough to know.
        rows = await self._joinable(turn)
        if not rows:
            return []
        async with turn.hold.transaction(self._database) as transaction:
            # No message may be accepted or stopped in between.
            transaction.put(LANE_SQL["lock_lane"], turn.hold.key)
            # One that its sender stopped since the look does not join.
            rows = await transaction.rows(
                SQL["fold_rows"], {**turn.hold.key, "turn_id": turn.id, "inbox_ids": [row["id"] for row in rows]}
            )
            transaction.put(SQL["drop_folded_turns"], {"turn_ids": [row["accepted_turn_id"] for row in rows]})
            return await self._add(transaction, turn, sorted(rows, key=lambda row: row["id"]))

    async def _joinable(self, turn: Turn) -> list[Json]:
        parameters = {
            "conversation_id": turn.conversation_id,
            "agent_id": turn.agent_id,
            "limit": self._limits.messages_per_turn,
            "fill_tokens": turn.fill_tokens,
            "ceiling": self._limits.context_budget_tokens,
        }
        statements = (SQL["joinable_rows"], FORGETS)
        told = await turn.hold.at_once(self._database, *statements, parameters=parameters, durable=False)
        rows, counted = told.results
        # No request from here on may hold what was forgotten meanwhile, nor an answer that was under way then.
        if counted and turn.thread.saw_forgetting(counted[0]["forgets"]):
            async with turn.hold.transaction(self._database) as transaction:
                await clear_again(transaction, turn.hold.user_id, turn.id, turn.now)
            await turn.thread.load(self._database)
            turn.thread.forgot = True
        return rows

    async def _add(self, transaction: Transaction, turn: Turn, rows: list[Json]) -> list[AnyMessage]:
        named = [one for row in rows for one in row["payload"].get("attachments", ())]
        references = await weighed(transaction, turn.hold, named)
        messages: list[AnyMessage] = [
            HumanMessage(
                content_with(
                    row["payload"]["text"],
                    [references[one["id"]] for one in row["payload"].get("attachments", ())],
                ),
                id=row["message_id"],
            )
            for row in rows
        ]
        await turn.thread.add(transaction, messages, turn.id)
        transaction.put(
            SQL["place_messages"],
            {
                **turn.hold.key,
                "turn_id": turn.id,
                "conversation_id": turn.conversation_id,
                "message_ids": [row["message_id"] for row in rows],
            },
        )
        return messages


@dataclass(frozen=True, slots=True)
class Claim:
    """A lane that was claimed: with a turn to run or an upload to check, with none left to do, or put off a second.

    ``held_back``: whether messages were found that have to wait for a summary.
    """

    hold: Hold
    turn: Turn | None = None
    upload: Quarantined | None = None
    postponed: bool = False
    held_back: bool = False
