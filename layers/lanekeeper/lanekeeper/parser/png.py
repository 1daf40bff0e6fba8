"""PNG: chunks with a length, a name and a checksum."""

import zlib
from collections.abc import Iterator

from lanekeeper.parser.order import Unreadable
from lanekeeper.parser.size import Size, unpacked

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# The picture and its colours. Left out: text, profiles, times, and the later pictures of an animation.
_KEPT = {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB"}
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_PIECE = 64 * 1024


def size(content: bytes) -> Size:
    """What the header says."""
    if content[12:16] != b"IHDR":
        raise Unreadable("broken")
    width, height = unpacked(">II", content, 16)
    return Size(width, height)


def stripped(content: bytes) -> bytes:
    """The picture without anything that is no picture.

    Raises:
        Unreadable: a checksum is wrong, the end is missing, or the pixels unpack to more or less than the header says.
    """
    kept = [_SIGNATURE]
    pixels = _Pixels(content)
    for name, data, whole in _chunks(content):
        if name in _KEPT:
            kept.append(whole)
        if name == b"IDAT":
            pixels.take(data)
    pixels.end()
    return b"".join(kept)


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    at = len(_SIGNATURE)
    while True:
        (length,) = unpacked(">I", content, at)
        name, end = content[at + 4 : at + 8], at + 12 + length
        (checksum,) = unpacked(">I", content, end - 4)
        data = content[at + 8 : end - 4]
        if zlib.crc32(data, zlib.crc32(name)) != checksum:
            raise Unreadable("broken")
        yield name, data, content[at:end]
        if name == b"IEND":
            return
        at = end


class _Pixels:
    """Unpacks the pixels to nowhere, piece by piece, to see that they are all there and that they end."""

    def __init__(self, content: bytes) -> None:
        width, height, depth, colours = unpacked(">IIBB", content, 16)
        if colours not in _CHANNELS:
            raise Unreadable("broken")
        # Interlaced, the same pixels have more rows, and each row has a byte of its own.
        self._most = height * -(-width * depth * _CHANNELS[colours] // 8) * 2 + 16 * (height + width)
        self._unpacking = zlib.decompressobj()
        self._seen = 0

    def take(self, data: bytes) -> None:
        while data and not self._unpacking.eof:
            try:
                self._seen += len(self._unpacking.decompress(data, _PIECE))
            except zlib.error:
                raise Unreadable("broken") from None
            if self._seen > self._most:
                raise Unreadable("too_large_inside")
            data = self._unpacking.unconsumed_tail

    def end(self) -> None:
        if not self._unpacking.eof:
            raise Unreadable("broken")
