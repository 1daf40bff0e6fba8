"""All of a person's conversations with all their messages, read from any place on."""

from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json

SQL = Statements.beside(__file__, "everything.sql")


class Everything:
    """Reads one person's conversations in the order of their ids, so that nothing is missed while new ones begin."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def conversations(self, user_id: str, from_id: str, limit: int) -> list[Json]:
        """Conversations from this id on, itself included."""
        parameters = {"from_id": from_id, "limit": limit}
        (rows,) = await self._database.at_once(SQL["conversations"], user_id=user_id, parameters=parameters)
        return rows

    async def messages(self, user_id: str, conversation_id: str, after: tuple[int, str], limit: int) -> list[Json]:
        """Messages of a conversation after this place and id, oldest first."""
        place, one_id = after
        parameters = {"conversation_id": conversation_id, "place": place, "id": one_id, "limit": limit}
        (rows,) = await self._database.at_once(SQL["messages"], user_id=user_id, parameters=parameters)
        return rows
