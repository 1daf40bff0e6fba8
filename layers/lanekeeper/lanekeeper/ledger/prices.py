"""What calls cost whose gateway names no price, and what a day of calls may cost."""

from lanekeeper.ledger.rules import Prices, parse_prices
from lanekeeper.limits import Limits
from lanekeeper.postgres.stored_setting import StoredSetting

SETTING = "prices"
DAILY_SPEND = "daily_spend_micros"


def stored_prices(limits: Limits) -> StoredSetting[Prices]:
    """The table from its settings row. Empty until someone sets it."""
    none: Prices = {}
    return StoredSetting(SETTING, parse_prices, none, limits.setting_cache_s)


def stored_daily_spend(limits: Limits) -> StoredSetting[int]:
    """Micros that a day (UTC) may cost before the alarm rings; 0 for no alarm. The limit until someone sets the row."""
    return StoredSetting(DAILY_SPEND, _micros, limits.daily_spend_micros, limits.setting_cache_s)


def _micros(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("micros are a whole number of zero or more")
    return value
