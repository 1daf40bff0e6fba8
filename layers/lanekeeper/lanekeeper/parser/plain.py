"""Text, from wherever it comes, as it may be kept and shown to a model."""

import re
from collections.abc import Iterable

from lanekeeper.parser.kinds import text_of
from lanekeeper.parser.order import Found, Order, Unreadable

# What no reader sees and a model reads all the same: letters of the tag block, marks that turn the order of letters
# around, spaces without width. The joiners stay: scripts and emoji need them.
_UNSEEN = re.compile(
    "[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BREAKS = re.compile("\r\n?|[\x0b\x0c\u0085\u2028\u2029]")
_EMPTY_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*){2,}")


def read(content: bytes, order: Order) -> Found:
    """The text of a text file.

    Raises:
        Unreadable: it is no text, or says nothing.
    """
    text = text_of(content)
    if text is None:
        raise Unreadable("broken")
    return gathered([text], order)


def gathered(pieces: Iterable[str], order: Order, pages: int | None = None) -> Found:
    """Pieces of text as one, up to as much as may be kept. Pieces beyond that are not asked for.

    Raises:
        Unreadable: they say nothing.
    """
    kept: list[str] = []
    left = order.chars
    cut = False
    for piece in pieces:
        if not (readable := clean(piece)):
            continue
        if len(readable) > left:
            kept.append(readable[:left])
            cut = True
            break
        kept.append(readable)
        left -= len(readable)
    if not kept:
        raise Unreadable("no_text")
    return Found(text="\n\n".join(kept), cut=cut, pages=pages)


def clean(text: str) -> str:
    """The text with plain line breaks, and without what neither a person nor a database can read."""
    text = _CONTROLS.sub("", _BREAKS.sub("\n", text))
    return _EMPTY_LINES.sub("\n\n", _UNSEEN.sub("", text)).strip()
