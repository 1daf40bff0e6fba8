"""WebP: a RIFF container of chunks."""

from collections.abc import Iterator

from lanekeeper.parser.order import Unreadable
from lanekeeper.parser.size import Size, unpacked

_KEPT = {b"VP8 ", b"VP8L", b"ALPH", b"VP8X"}
# Of the extended header's flags only the one for see-through pixels stays.
_ALPHA = 0x10


def size(content: bytes) -> Size:
    """What the first chunk says; each of the three sorts says it in its own way."""
    name = content[12:16]
    if name == b"VP8X":
        low_width, high_width, low_height, high_height = unpacked("<HBHB", content, 24)
        canvas = Size(1 + low_width + (high_width << 16), 1 + low_height + (high_height << 16))
        inner = [_picture_size(kind, data) for kind, data in _chunks(content) if kind in (b"VP8 ", b"VP8L")]
        return max([canvas, *inner], key=lambda each: each.width * each.height)
    return _picture_size(name, content[20:])


def stripped(content: bytes) -> bytes:
    """The picture without profile, place and camera.

    Raises:
        Unreadable: a part is missing, or it moves.
    """
    kept = []
    pictures = 0
    for name, data in _chunks(content):
        if name in (b"ANIM", b"ANMF"):
            raise Unreadable("moving")
        pictures += name in (b"VP8 ", b"VP8L")
        if name in _KEPT:
            sound = bytes([data[0] & _ALPHA]) + data[1:] if name == b"VP8X" else data
            kept.append(name + len(data).to_bytes(4, "little") + sound + b"\0" * (len(data) % 2))
    if pictures != 1:
        raise Unreadable("broken")
    body = b"WEBP" + b"".join(kept)
    return b"RIFF" + len(body).to_bytes(4, "little") + body


def _picture_size(name: bytes, data: bytes) -> Size:
    if name == b"VP8 " and data[3:6] == b"\x9d\x01\x2a":
        width, height = unpacked("<HH", data, 6)
        return Size(width & 0x3FFF, height & 0x3FFF)
    if name == b"VP8L" and data[:1] == b"\x2f":
        (bits,) = unpacked("<I", data, 1)
        return Size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    raise Unreadable("broken")


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    (declared,) = unpacked("<I", content, 4)
    end = 8 + declared
    if end > len(content) + 1:
        raise Unreadable("broken")
    at = 12
    while at + 8 <= end:
        (length,) = unpacked("<I", content, at + 4)
        data = content[at + 8 : at + 8 + length]
        if len(data) < length or (not data and content[at : at + 4] == b"VP8X"):
            raise Unreadable("broken")
        yield content[at : at + 4], data
        at += 8 + length + length % 2
