"""What is kept of a person apart from what they said."""

from lanekeeper.people.rules import Person
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__)


class People:
    """Reads people's own rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def profile(self, person: Person) -> Json:
        """``{id, name, groups, timezone}``, also of someone who has not written yet."""
        async with self._database.transaction(user_id=person.id) as transaction:
            row = await transaction.row(SQL["profile"], {"user_id": person.id}) or {}
        return {
            "id": person.id,
            "name": person.name or row.get("name"),
            "groups": sorted(person.groups),
            "timezone": row.get("timezone") or person.timezone or "UTC",
        }
