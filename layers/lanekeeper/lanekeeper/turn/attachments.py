"""Puts uploads into what a model is sent. The thread keeps references; what they stand for is read for each turn."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from lanekeeper.lane import Hold
from lanekeeper.limits import Limits
from lanekeeper.postgres import Database, Transaction
from lanekeeper.types import Json
from lanekeeper.uploads.envelope import BLOCK, shown, unseen, within
from lanekeeper.uploads.store import SQL


def content_with(text: str, references: Sequence[Json]) -> str | list[str | Json]:
    """The content of a person's message for the thread: what goes along first, then the words."""
    if not references:
        return text
    return [*references, *([{"type": "text", "text": text}] if text else [])]


async def weighed(transaction: Transaction, hold: Hold, references: Sequence[Json]) -> dict[str, Json]:
    """References by id, each with what it weighs in a request: the thread knows that for longer than uploads live."""
    if not references:
        return {}
    rows = await transaction.rows(SQL["some"], {**hold.key, "ids": [one["id"] for one in references]})
    weights = {row["id"]: row["bytes"] if row["kind"] == "image" else row["chars"] or 0 for row in rows}
    return {one["id"]: {**one, "weight": weights.get(one["id"], 0)} for one in references}


class Attachments:
    """The uploads that the thread of one turn names.

    Args:
        database: the worker's own connection.
        hold: whose uploads.
        limits: how much of them one request may carry.
    """

    def __init__(self, database: Database, hold: Hold, limits: Limits) -> None:
        self._database = database
        self._hold = hold
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
        who = self._hold.user_id
        ids = {"ids": list(references)}
        (rows,) = await self._database.at_once(SQL["some"], user_id=who, parameters=ids, durable=False)
        uploads = {row["id"]: row for row in rows}
        seen = self._in_sight(references)
        (rows,) = await self._database.at_once(
            SQL["readable"], user_id=who, parameters={"ids": sorted(seen)}, durable=False
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
