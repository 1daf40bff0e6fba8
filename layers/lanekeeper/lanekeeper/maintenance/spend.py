"""What the day has cost, for an alarm that no person ever notices (K2)."""

from dataclasses import dataclass

from lanekeeper.ledger.prices import stored_daily_spend
from lanekeeper.ledger.rules import MILLION
from lanekeeper.limits import Limits
from lanekeeper.metrics import Measure, publish
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a day (UTC) has cost so far, its limit, and how many people's shares are over theirs. Micros."""

    micros: int
    limit_micros: int
    people_over: int

    def measures(self) -> list[Measure]:
        """What a graph and the alarm look at: the currency spent, and its share of the limit where there is one."""
        return [Measure("SpentToday", self.micros / MILLION, "None"), *([self.of_limit()] if self.limit_micros else [])]

    def of_limit(self) -> Measure:
        """The share of the limit that was spent."""
        return Measure("SpentOfLimit", round(100 * self.micros / self.limit_micros, 1), "Percent")


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
        """Add up today, and close the day before where it has not been. Safe to repeat: a limit is counted once a day.

        A day that turns out to have passed its limit after its last check rings now.
        """
        async with self._database.transaction() as transaction:
            most = await self._daily.read(transaction)
            *before, today = await transaction.rows(
                SQL["check_spend"], {"day_micros": most, "person_micros": self._limits.person_spend_micros}
            )
        for day in before:
            if day["newly_over"]:
                publish(_spent(day, most).of_limit())
        spent = _spent(today, most)
        publish(*spent.measures())
        return spent


def _spent(day: Json, most: int) -> Spent:
    return Spent(day["spent"], most, day["people_over"])
