"""Takes uploads in, and tells and hands back what became of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lanekeeper.errors import Problem
from lanekeeper.limits import Limits
from lanekeeper.parser.kinds import Kind
from lanekeeper.postgres import Database, Statements
from lanekeeper.types import Json, new_id
from lanekeeper.uploads.rules import Attachment, Given, told

SQL = Statements.beside(__file__)


@dataclass(frozen=True, slots=True)
class TakenIn:
    """An upload that is safe, now or since an earlier request with the same key.

    Attributes:
        body: what its sender is told.
        waits: whether it still needs a worker to be woken.
    """

    id: str
    body: Json
    waits: bool


@dataclass(frozen=True, slots=True)
class Content:
    """A file to hand back."""

    name: str
    kind: Kind
    media_type: str
    content: bytes


class Uploads:
    """A person's uploads. Another person's, and those that never were, are equally unknown.

    Args:
        limits: how many may wait, how much may be kept and for how long.
    """

    def __init__(self, database: Database, limits: Limits) -> None:
        self._database = database
        self._limits = limits

    async def take_in(self, user_id: str, given: Given, *, name: str | None = None, home: str | None = None) -> TakenIn:
        """Put a file in quarantine and on its person's lane: durable when this returns, and only once for its key.

        Args:
            user_id: who sends it, from a verified token.
            given: the file.
            name: what the token calls its sender.
            home: the time zone that the token names.

        Raises:
            Problem: 409 for a key that stands for another file; 410 for that of a file whose time is over; 429 while
                too many wait or too much is kept.
            psycopg.errors.LockNotAvailable: a worker did not let go of the lane in time.
        """
        upload_id = new_id("upload")
        who: dict[str, Any] = {
            "user_id": user_id,
            "name": name,
            "timezone": home or "",
            "lane_wait": f"{self._limits.lane_wait_s}s",
        }
        file: dict[str, Any] = {
            "user_id": user_id,
            "id": upload_id,
            "key": given.key,
            "name": given.name,
            "kind": given.kind,
            "media_type": given.media_type,
            "bytes": len(given.content),
            "sha256": given.sha256,
            "content": given.content,
            "kept_s": self._limits.upload_kept_h * 3600,
        }
        async with self._database.transaction(user_id=user_id) as transaction:
            there = await transaction.last_row(SQL["take_place"], who)
            assert there is not None
            if given.key and (row := await transaction.row(SQL["earlier"], {"user_id": user_id, "key": given.key})):
                if row["sha256"] != given.sha256:
                    raise Problem(
                        409, "key_reused", "This idempotency key was used for another file.", "Send it with a new key."
                    )
                if row["state"] == "expired":
                    raise _gone("Send it again with a new key.")
                return TakenIn(row["id"], told(row), waits=row["state"] == "quarantined")
            if there["waiting"] >= self._limits.uploads_waiting:
                raise Problem(
                    429,
                    "too_many_uploads",
                    "Many of your files are being read right now.",
                    "Send this one again in a moment.",
                    retryable=True,
                    retry_after_s=5,
                )
            if there["kept_bytes"] + len(given.content) > self._limits.uploads_kept_bytes:
                raise Problem(
                    429,
                    "too_much_kept",
                    "There is no room for more of your files right now.",
                    "Older files make room when their time is over.",
                )
            row = await transaction.row(SQL["take_in"], file)
        assert row is not None
        return TakenIn(row["id"], told(row), waits=True)

    async def verdict(self, user_id: str, upload_id: str) -> Json:
        """What became of an upload.

        Raises:
            Problem: 404; 410 when it was kept as long as it may be.
        """
        rows = await self._some(user_id, [upload_id])
        if not rows:
            raise _unknown()
        if rows[0]["state"] == "expired":
            raise _gone()
        return told(rows[0])

    async def content(self, user_id: str, upload_id: str) -> Content:
        """An upload that was taken, to hand back.

        Raises:
            Problem: 404, also while it is in quarantine and once it is no longer kept.
        """
        async with self._database.transaction(user_id=user_id) as transaction:
            row = await transaction.row(SQL["content"], {"user_id": user_id, "id": upload_id})
        if row is None:
            raise _unknown()
        return Content(row["name"], row["kind"], row["media_type"], bytes(row["content"]))

    async def attachments(self, user_id: str, ids: Sequence[str]) -> list[Attachment]:
        """The uploads that go along with a message, in the order of their ids, each once.

        Raises:
            Problem: 422 unless each is the person's own, and neither refused nor gone.
        """
        wanted = list(dict.fromkeys(ids))
        rows = {row["id"]: row for row in await self._some(user_id, wanted)}
        for upload_id in wanted:
            row = rows.get(upload_id)
            if row is None or row["state"] == "expired":
                raise Problem(422, "unknown_upload", "There is no such file.", "Send the file again.")
            if row["state"] in ("refused", "sensitive"):
                raise Problem(422, "upload_refused", row["message"], "Send the message without it.")
        return [
            Attachment(id=row["id"], name=row["name"], kind=row["kind"], media_type=row["media_type"])
            for row in (rows[upload_id] for upload_id in wanted)
        ]

    async def _some(self, user_id: str, ids: Sequence[str]) -> list[dict[str, Any]]:
        async with self._database.transaction(user_id=user_id) as transaction:
            return await transaction.rows(SQL["some"], {"user_id": user_id, "ids": list(ids)})


def _gone(next_step: str = "Send it again.") -> Problem:
    return Problem(410, "gone", "This file was kept as long as it may be, and is gone.", next_step)


def _unknown() -> Problem:
    return Problem(404, "not_found", "There is no such file.", "Send it again.")
