"""What is kept of a person apart from what they said."""

from collections.abc import Mapping
from typing import Any

from lanekeeper.people.rules import Person
from lanekeeper.postgres import Database, Statements, Transaction
from lanekeeper.types import Json

SQL = Statements.beside(__file__)

_COLUMNS = ("timezone", "name", "home_city", "plan_tier", "budget_amount", "budget_currency")


class People:
    """Reads and changes people's own rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def profile(self, person: Person) -> Json:
        """``{id, name, groups, timezone, homeCity, planTier, budget}``, also of someone who has not written yet."""
        async with self._database.transaction(user_id=person.id) as transaction:
            return await _profile(transaction, person)

    async def change(self, person: Person, changed: Mapping[str, Any]) -> Json:
        """Change what a person wants known of them; their profile as it is then.

        Args:
            person: whose.
            changed: those of ``name``, ``timezone``, ``home_city``, ``plan_tier`` and ``budget`` that change. None
                takes one away. ``budget`` is an amount in minor units and a currency.
        """
        amount, currency = changed.get("budget") or (None, None)
        columns = {**changed, "budget_amount": amount, "budget_currency": currency}
        parameters = {
            "user_id": person.id,
            "token_name": person.name,
            "home": person.timezone or "",
            "changed": list(changed),
            **{name: columns.get(name) for name in _COLUMNS},
        }
        async with self._database.transaction(user_id=person.id) as transaction:
            transaction.put(SQL["change_profile"], parameters)
            return await _profile(transaction, person)


async def _profile(transaction: Transaction, person: Person) -> Json:
    row = await transaction.row(SQL["profile"], {"user_id": person.id}) or {}
    budget = {"amount": row.get("budget_amount"), "currency": row.get("budget_currency")}
    return {
        "id": person.id,
        "name": row.get("chosen_name") or person.name or row.get("name"),
        "groups": sorted(person.groups),
        "timezone": row.get("timezone") or person.timezone or "UTC",
        "homeCity": row.get("home_city"),
        "planTier": row.get("plan_tier"),
        "budget": budget if budget["currency"] else None,
    }
