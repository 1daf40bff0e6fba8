"""What a turn knows of its person from the start: the columns of their profile, for the model's block (C1, W1)."""

from lanekeeper.context import Profile
from lanekeeper.tools import Money
from lanekeeper.types import Json


def profile_of(started: Json) -> Profile:
    """The profile of the person of a turn that was just begun, from the row of its beginning."""
    amount, currency = started["budget_amount"], started["budget_currency"]
    return Profile.of(
        started["name"],
        started["payload"].get("roles", ()),
        home_city=started["home_city"],
        plan_tier=started["plan_tier"],
        budget=None if currency is None else Money(minor_units=amount, currency=currency).text,
    )
