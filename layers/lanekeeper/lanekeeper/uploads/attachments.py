"""Puts uploads into what a model is sent. The thread keeps references; what they stand for is read for each request."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from lanekeeper.limits import Limits
from lanekeeper.postgres import Database
from lanekeeper.types import Json
from lanekeeper.uploads.envelope import BLOCK, shown, unseen, within
from lanekeeper.uploads.store import SQL


class Attachments:
    """The uploads that one thread names.

    Args:
        database: a connection as a role that may read uploads.
        user_id: whose uploads.
        limits: how much of them one request may carry.
    """

    def __init__(self, database: Database, user_id: str, limits: Limits) -> None:
        self._database = database
        self._user_id = user_id
        self._limits = limits
        self._known: frozenset[str] = frozenset()
        self._blocks: dict[str, Json] = {}

    async def fill(self, messages: Sequence[AnyMessage], *, pictures: bool = True) -> Sequence[AnyMessage]:
        """The messages with the uploads in their places. Costs nothing where none goes along.

        Args:
            messages: the thread.
            pictures: whether the model can be sent pictures. Otherwise it is told of each by its name.
        """
        references = {block["id"]: block for message in messages for block in _references(message)}
        if not references:
            return messages
        if references.keys() - self._known:
            self._blocks = await self._load(references)
            self._known = frozenset(references)
        return [self._filled(message, pictures) if _references(message) else message for message in messages]

    async def _load(self, references: dict[str, Json]) -> dict[str, Json]:
        ids = {"ids": list(references)}
        (rows,) = await self._database.at_once(SQL["some"], user_id=self._user_id, parameters=ids, durable=False)
        uploads = {row["id"]: row for row in rows}
        seen = self._in_sight(references)
        (rows,) = await self._database.at_once(
            SQL["readable"], user_id=self._user_id, parameters={"ids": sorted(seen)}, durable=False
        )
        readable = {row["id"]: row for row in rows}
        return {
            upload_id: shown(reference, uploads.get(upload_id), readable.get(upload_id))
            for upload_id, reference in references.items()
        }

    def _in_sight(self, references: dict[str, Json]) -> frozenset[str]:
        # By weights that outlive the uploads, so that what is in sight does not change when older ones expire.
        pictures, texts = (_weights_of(references, kind) for kind in ("image", "file"))
        return within(pictures, self._limits.thread_image_bytes) | within(texts, self._limits.thread_file_chars)

    def _filled(self, message: AnyMessage, pictures: bool) -> AnyMessage:
        content = [
            self._block(block, pictures) if isinstance(block, dict) and block.get("type") == BLOCK else block
            for block in message.content
        ]
        return HumanMessage(content=content, id=message.id)

    def _block(self, reference: Json, pictures: bool) -> Json:
        block = self._blocks[reference["id"]]
        return block if pictures or block["type"] != "image" else unseen(reference)


def _references(message: AnyMessage) -> list[Json]:
    if not isinstance(message, HumanMessage) or isinstance(message.content, str):
        return []
    return [block for block in message.content if isinstance(block, dict) and block.get("type") == BLOCK]


def _weights_of(references: dict[str, Json], kind: str) -> list[tuple[str, int]]:
    """The ids of one kind with their weights, in the order in which the thread names them."""
    return [(one, reference["weight"]) for one, reference in references.items() if reference["kind"] == kind]
