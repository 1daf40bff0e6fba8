"""How an upload stands in what a model is sent: pictures as pictures, text as data inside an envelope. Pure.

The same upload gives the same bytes at every turn, so that the provider's cache holds. They change once: when the
upload is no longer kept, or when too many later ones have come.
"""

import base64
import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from lanekeeper.types import Json

BLOCK = "upload"
# Only the tags of this envelope could end it.
_TAG = re.compile(r"<(?=\s*/?\s*file\b)", re.IGNORECASE)


def shown(reference: Json, upload: Mapping[str, Any] | None, readable: Mapping[str, Any] | None) -> Json:
    """The content block that takes a reference's place.

    Args:
        reference: the thread's block: id, name, kind, mime_type.
        upload: the upload's row, or None when there is none any more.
        readable: what may be seen of it, or None.
    """
    if readable is None:
        return _text(_absent(reference, upload))
    if reference["kind"] == "image":
        data = base64.b64encode(readable["picture"]).decode()
        return {"type": "image", "base64": data, "mime_type": reference["mime_type"]}
    pages = f' pages="{readable["pages"]}"' if readable["pages"] else ""
    opening = f'<file name="{escape(reference["name"])}" type="{reference["mime_type"]}"{pages}>'
    rest = "\n[The file goes on; the rest was left out.]" if readable["cut"] else ""
    return _text(f"{opening}\n{_TAG.sub('&lt;', readable['text'])}{rest}\n</file>")


def unseen(reference: Json) -> Json:
    """What stands for a picture where the model cannot be sent any."""
    return _text(f'[The picture "{reference["name"]}" cannot be looked at with this model.]')


def within(sizes: Sequence[tuple[str, int]], most: int) -> frozenset[str]:
    """Which of a thread's uploads are shown, when all may weigh ``most`` together.

    When one more would be too much, the oldest are dropped until half is free, and stay dropped. So what is shown
    of the past changes seldom, and never back.

    Args:
        sizes: id and weight of each upload in the order in which the thread names them.
        most: in the unit of the weights.
    """
    kept: list[tuple[str, int]] = []
    total = 0
    for upload_id, weight in sizes:
        kept.append((upload_id, weight))
        total += weight
        if total > most:
            while len(kept) > 1 and total > most // 2:
                total -= kept.pop(0)[1]
    return frozenset(upload_id for upload_id, _ in kept)


def _absent(reference: Json, upload: Mapping[str, Any] | None) -> str:
    what = "picture" if reference["kind"] == "image" else "file"
    if upload and upload["state"] in ("refused", "sensitive"):
        return f'[The {what} "{reference["name"]}" was not taken. The person was told: {upload["message"]}]'
    return f'[The {what} "{reference["name"]}" is no longer at hand.]'


def _text(text: str) -> Json:
    return {"type": "text", "text": text}
