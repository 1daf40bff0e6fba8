"""A worker's part: what is in quarantine comes out of it, one way or the other, under the lane's fence."""

from dataclasses import dataclass
from typing import Literal

from lanekeeper.lane import RELEASE, Hold
from lanekeeper.parser.kinds import Kind
from lanekeeper.parser.order import Found
from lanekeeper.postgres import Database, Transaction
from lanekeeper.uploads.store import SQL

State = Literal["refused", "sensitive"]


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One upload that a worker has taken up. ``attempt`` counts the workers that have, this one included."""

    id: str
    hold: Hold
    kind: Kind
    media_type: str
    attempt: int


async def take_up(transaction: Transaction, hold: Hold, upload_id: str) -> Quarantined | None:
    """Begin with an upload, in the transaction that claims its lane; None when its time is over already."""
    key = {"user_id": hold.user_id, "id": upload_id}
    row = await transaction.row(SQL["begin"], key)
    if row is None:
        await transaction.run(SQL["done"], key)
        return None
    return Quarantined(row["id"], hold, row["kind"], row["media_type"], row["attempt"])


async def content_of(database: Database, upload: Quarantined) -> bytes:
    """The bytes as they came."""
    (rows,) = await database.at_once(
        SQL["quarantined"], user_id=upload.hold.user_id, parameters={"id": upload.id}, durable=False
    )
    return bytes(rows[0]["content"]) if rows and rows[0]["content"] is not None else b""


async def admit(transaction: Transaction, upload: Quarantined, found: Found) -> None:
    """Let it out: from here on a model may see what was found."""
    key = {"user_id": upload.hold.user_id, "id": upload.id}
    told = {"picture": found.picture, "text": found.text, "cut": found.cut, "pages": found.pages}
    await transaction.run(SQL["admit"], key | told)
    await transaction.run(SQL["done"], key)


async def turn_away(transaction: Transaction, upload: Quarantined, state: State, message: str) -> None:
    """Keep nothing of it but its name and why it was not taken."""
    key = {"user_id": upload.hold.user_id, "id": upload.id}
    await transaction.run(SQL["turn_away"], key | {"state": state, "message": message})
    await transaction.run(SQL["done"], key)


async def release(database: Database, upload: Quarantined) -> None:
    """Give the lane back."""
    await upload.hold.at_once(database, *RELEASE, parameters={})
