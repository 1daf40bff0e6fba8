"""``/v1/files``: what a batch reads and writes."""

import itertools
from dataclasses import dataclass
from email import message_from_bytes
from email.policy import HTTP
from typing import Any

from tests.devkit.mainline.clock import Clock
from tests.devkit.mainline.errors import invalid, not_found


@dataclass(frozen=True, slots=True)
class File:
    """One stored file."""

    id: str
    name: str
    purpose: str
    content: bytes
    created_at: int

    def about(self) -> dict[str, Any]:
        """The file object of the API."""
        return {
            "id": self.id,
            "object": "file",
            "bytes": len(self.content),
            "created_at": self.created_at,
            "filename": self.name,
            "purpose": self.purpose,
            "status": "processed",
        }


class Files:
    """Files by id, in memory."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._files: dict[str, File] = {}
        self._numbers = itertools.count(1)

    def add(self, name: str, purpose: str, content: bytes) -> File:
        """Store a file."""
        file = File(f"file-{next(self._numbers):08x}", name, purpose, content, int(self._clock.now()))
        self._files[file.id] = file
        return file

    def get(self, file_id: str) -> File:
        """A file.

        Raises:
            ApiError: 404 when there is none of that id.
        """
        try:
            return self._files[file_id]
        except KeyError:
            raise not_found(f"No such file: {file_id}") from None

    def remove(self, file_id: str) -> dict[str, Any]:
        """Delete a file.

        Raises:
            ApiError: 404 when there is none of that id.
        """
        del self._files[self.get(file_id).id]
        return {"id": file_id, "object": "file", "deleted": True}

    def all(self) -> list[dict[str, Any]]:
        """Every file, oldest first."""
        return [file.about() for file in self._files.values()]

    def clear(self) -> None:
        """Delete everything."""
        self._files.clear()


def read_upload(content_type: str, body: bytes) -> tuple[str, str, bytes]:
    """Name, purpose and content of a file in a multipart form.

    Raises:
        ApiError: 400 when the form holds no file or no purpose.
    """
    form = message_from_bytes(b"content-type: " + content_type.encode("latin-1") + b"\r\n\r\n" + body, policy=HTTP)
    purpose, file = "", None
    for part in form.iter_parts() if form.is_multipart() else ():
        field = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(content, bytes):
            continue
        if field == "purpose":
            purpose = content.decode("utf-8", "replace").strip()
        elif field == "file":
            file = (part.get_filename() or "upload", content)
    if file is None or not purpose:
        raise invalid("an upload is a multipart form with file and purpose", "file")
    return file[0], purpose, file[1]
