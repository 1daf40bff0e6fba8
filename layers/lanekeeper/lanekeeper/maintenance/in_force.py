"""What operators change without a deploy, as far as work that nobody waits for goes by it (B10, Q3)."""

from dataclasses import dataclass

from lanekeeper.context import versions
from lanekeeper.ledger.prices import stored_prices
from lanekeeper.ledger.rules import Prices
from lanekeeper.limits import Limits
from lanekeeper.mainline.catalogue import DEFAULT, SETTING, Catalogue, parse_catalogue
from lanekeeper.postgres import Database
from lanekeeper.postgres.stored_setting import StoredSetting


@dataclass(frozen=True, slots=True)
class InForce:
    """What is in force at one moment: the models, what they cost, and the version of each agent's prompt."""

    catalogue: Catalogue
    prices: Prices
    versions: versions.Versions


class OperatorSettings:
    """The settings, each believed for a few seconds.

    Args:
        database: a connection of the maintenance role.
        limits: for how long a setting is believed.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._catalogue = StoredSetting(SETTING, parse_catalogue, DEFAULT, limits.setting_cache_s)
        self._prices = stored_prices(limits)
        self._versions = StoredSetting(
            versions.SETTING, versions.parse_versions, versions.NEWEST, limits.setting_cache_s
        )

    async def read(self) -> InForce:
        """What is in force now."""
        stored = (self._catalogue, self._prices, self._versions)
        if not all(setting.fresh for setting in stored):
            async with self._database.transaction() as transaction:
                for setting in stored:
                    await setting.read(transaction)
        return InForce(self._catalogue.last, self._prices.last, self._versions.last)
