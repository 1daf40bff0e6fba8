"""What the day has cost, for an alarm that no person ever notices (K2)."""

from dataclasses import dataclass

from lanekeeper.ledger.prices import stored_daily_spend
from lanekeeper.ledger.rules import MILLION
from lanekeeper.limits import Limits
from lanekeeper.metrics import Measure, publish
from lanekeeper.postgres import Database, Statements

SQL = Statements.beside(__file__)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a day (UTC) has cost so far, its limit, and how many people's shares are over theirs. Micros."""

    micros: int
    limit_micros: int
    people_over: int

    def measures(self) -> list[Measure]:
        """What the alarm and a graph look at: the currency spent, and its share of the limit where there is one."""
        measures = [Measure("SpentToday", self.micros / MILLION, "None")]
        if self.limit_micros:
            measures.append(Measure("SpentOfLimit", round(100 * self.micros / self.limit_micros, 1), "Percent"))
        return measures


class Spend:
    """Adds up the day and compares it with its limit. Nothing is stopped: passing a limit is counted, and rings.

    Args:
        database: a connection of the maintenance role.
        limits: how much a day may cost, where no setting says otherwise.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits
        self._daily = stored_daily_spend(limits)

    async def check(self) -> Spent:
        """Do it once. Safe to repeat: each limit is counted once a day."""
        async with self._database.transaction() as transaction:
            most = await self._daily.read(transaction)
            row = await transaction.row(
                SQL["check_spend"], {"day_micros": most, "person_micros": self._limits.person_spend_micros}
            )
        assert row is not None  # an aggregate always has a row
        spent = Spent(row["spent"], most, row["people_over"])
        publish(*spent.measures())
        return spent
