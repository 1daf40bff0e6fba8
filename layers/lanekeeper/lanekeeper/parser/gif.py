"""GIF: a colour table, then blocks. Only the first picture is kept: a model sees no other."""

from lanekeeper.parser.order import Unreadable
from lanekeeper.parser.size import Size, unpacked

_EXTENSION, _PICTURE = 0x21, 0x2C
_CONTROL = 0xF9
_TABLE = 0x80


def size(content: bytes) -> Size:
    """The canvas, as the header says, or its first picture where that is larger."""
    width, height = unpacked("<HH", content, 6)
    at, _ = _first_picture(content)
    left, top, inner_width, inner_height = unpacked("<HHHH", content, at + 1)
    return Size(max(width, left + inner_width), max(height, top + inner_height))


def stripped(content: bytes) -> bytes:
    """The first picture, without comments and whatever programs write beside it.

    Raises:
        Unreadable: a part is missing.
    """
    at, control = _first_picture(content)
    (flags,) = unpacked("<B", content, at + 9)
    # One byte before the pixels says how they are packed.
    end = _after_blocks(content, at + 10 + _table_bytes(flags) + 1)
    return content[: _header_end(content)] + control + content[at:end] + b";"


def _first_picture(content: bytes) -> tuple[int, bytes]:
    """Where the first picture begins, and the block that says what of it is see-through."""
    at, control = _header_end(content), b""
    while True:
        (block,) = unpacked("<B", content, at)
        if block == _PICTURE:
            return at, control
        if block != _EXTENSION:
            raise Unreadable("broken")
        (label,) = unpacked("<B", content, at + 1)
        end = _after_blocks(content, at + 2)
        if label == _CONTROL:
            control = content[at:end]
        at = end


def _header_end(content: bytes) -> int:
    (flags,) = unpacked("<B", content, 10)
    return 13 + _table_bytes(flags)


def _table_bytes(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & _TABLE else 0


def _after_blocks(content: bytes, at: int) -> int:
    while True:
        (length,) = unpacked("<B", content, at)
        at += 1 + length
        if not length:
            return at
