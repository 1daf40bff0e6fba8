"""Sets timers as part of somebody's transaction, and claims those that are due, each for one tick."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.timers.rules import COMPACTION, IDLE_COMPACTION, IDLE_SAVE, put_off

SQL = Statements.beside(__file__)

# For so long a timer is left alone whose lock another tick has.
BUSY_S = 5


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer that was claimed.

    Attributes:
        key: what it is for: a conversation's id, or a job's.
        user_id: whose it is; None for nobody's.
        moves: how often it had been set when it was claimed.
        attempts: how often it was claimed since it was last done, this time included.
        run_at: since when it is due.
    """

    kind: str
    key: str
    user_id: str | None
    conversation_id: str | None
    moves: int
    attempts: int
    run_at: datetime | None = None


def quiet_from_now(transaction: Transaction, user_id: str, conversation_id: str, limits: Limits) -> None:
    """Somebody has just spoken: what is done once a conversation is quiet is that much later (C3, W3)."""
    transaction.put(
        SQL["quiet_from_now"],
        {
            "user_id": user_id,
            "conversation_id": conversation_id,
            "kinds": [IDLE_SAVE, IDLE_COMPACTION],
            "seconds": [limits.idle_save_s, limits.idle_compaction_s],
        },
    )


def compact_soon(transaction: Transaction, user_id: str, conversation_id: str, *, pressing: bool = False) -> None:
    """Have a conversation shortened: at once, or where that has failed when its next try is due.

    Args:
        pressing: somebody waits for it, so it is tried at once in any case.
    """
    parameters = {"user_id": user_id, "conversation_id": conversation_id, "kind": COMPACTION, "pressing": pressing}
    transaction.put(SQL["compact_soon"], parameters)


def set_timer(
    transaction: Transaction,
    kind: str,
    key: str,
    *,
    in_s: float = 0,
    user_id: str | None = None,
    conversation_id: str | None = None,
) -> None:
    """Set any timer, or move it. A transaction in nobody's name sets nobody's timers."""
    transaction.put(
        SQL["set_timer"],
        {"kind": kind, "key": key, "seconds": in_s, "user_id": user_id, "conversation_id": conversation_id},
    )


class Claims:
    """The timers that one tick works on.

    Each is claimed for a while on its row, so that one whose tick has died is found again, and by a lock that lives
    as long as the tick's open transaction: when the clock jumps past the claim, nobody else acts on it all the same.

    Args:
        database: a connection of the maintenance role.
        lock: another, for the transaction that holds the locks.
        limits: how long a claim lasts, and when a failed timer is tried again.
    """

    def __init__(self, database: Database, lock: Database, limits: Limits) -> None:
        self._database = database
        self._lock = lock
        self._limits = limits

    async def next(self) -> Timer | None:
        """Claim the most urgent timer that is due and that nobody is at; None when there is none."""
        async with self._database.transaction() as transaction:
            row = await transaction.row(SQL["claim_timer"], {"lease_s": self._limits.timer_lease_s})
        return Timer(**row) if row else None

    @asynccontextmanager
    async def locks(self) -> AsyncIterator["Locks"]:
        """What holds the locks of timers until the block ends."""
        async with self._lock.transaction() as transaction:
            yield Locks(transaction)

    async def leave(self, timer: Timer) -> None:
        """Give back a timer that another tick is still at, or has not let go of: it is looked at again soon."""
        parameters = {"kind": timer.kind, "key": timer.key, "seconds": BUSY_S}
        async with self._database.transaction(user_id=timer.user_id) as transaction:
            transaction.put(SQL["leave_timer"], parameters)

    async def done(self, timer: Timer) -> None:
        """Take a timer away that was acted on. One that was set again meanwhile stays, and is nobody's."""
        async with self._database.transaction(user_id=timer.user_id) as transaction:
            transaction.put(SQL["finish_timer"], {"kind": timer.kind, "key": timer.key, "moves": timer.moves})

    async def failed(self, timer: Timer) -> None:
        """Put a timer off whose action failed: the longer, the more often it failed, unless somebody waits for it."""
        parameters = {
            "kind": timer.kind,
            "key": timer.key,
            "moves": timer.moves,
            "pressing_s": self._limits.timer_retry_s,
            "seconds": put_off(timer.attempts, self._limits.timer_retry_s, self._limits.timer_retry_longest_s),
        }
        async with self._database.transaction(user_id=timer.user_id) as transaction:
            transaction.put(SQL["postpone_timer"], parameters)


class Locks:
    """The locks of the timers that one tick acts on, each as it was set: set anew it has another."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._taken: set[str] = set()

    async def take(self, timer: Timer) -> bool:
        """Whether this timer is ours alone from now on. Not where it was ours already."""
        name = f"{timer.kind} {timer.key} {timer.moves} {timer.run_at}"
        if name in self._taken:
            return False
        row = await self._transaction.row(SQL["try_timer_lock"], {"name": name})
        if row is None or not row["locked"]:
            return False
        self._taken.add(name)
        return True
