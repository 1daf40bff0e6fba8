"""The price table, for calls whose gateway names no price."""

from lanekeeper.ledger.rules import Prices, parse_prices
from lanekeeper.limits import Limits
from lanekeeper.postgres.stored_setting import StoredSetting

SETTING = "prices"


def stored_prices(limits: Limits) -> StoredSetting[Prices]:
    """The table from its settings row. Empty until someone sets it."""
    none: Prices = {}
    return StoredSetting(SETTING, parse_prices, none, limits.setting_cache_s)
