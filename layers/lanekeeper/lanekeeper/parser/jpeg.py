"""JPEG: segments behind a marker each, and between them the packed pixels, in which a marker cannot occur."""

from collections.abc import Iterator

from lanekeeper.parser.order import Unreadable
from lanekeeper.parser.size import Size, unpacked

_START, _END, _SCAN, _ADOBE, _EXIF, _COMMENT = 0xD8, 0xD9, 0xDA, 0xEE, 0xE1, 0xFE
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_ALONE = {0x01, *range(0xD0, 0xD8)}
_APPLICATIONS = range(0xE1, 0xF0)
_ORIENTATION = 0x0112


def size(content: bytes) -> Size:
    """What the frame's header says; it stands before the first pixel."""
    for marker, segment in _segments(content):
        if marker in _FRAMES:
            height, width = unpacked(">HH", segment, 5)
            return Size(width, height)
    raise Unreadable("broken")


def stripped(content: bytes) -> bytes:
    """The picture without place, camera, preview and comment. Which way is up is kept, and nothing after the end.

    Raises:
        Unreadable: a part is missing.
    """
    kept = [b"\xff\xd8"]
    for marker, segment in _segments(content):
        if marker == _EXIF and (turned := _orientation(segment)) is not None:
            kept.append(_exif(turned))
        elif marker == _ADOBE or not (marker in _APPLICATIONS or marker == _COMMENT):
            kept.append(segment)
    return b"".join(kept)


def _segments(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Every segment, with the pixels that follow a scan's header; the end marker is the last.

    Raises:
        Unreadable: the end never comes.
    """
    at = 2
    while True:
        first, marker = unpacked(">BB", content, at)
        if first != 0xFF or marker == _START:
            raise Unreadable("broken")
        if marker == 0xFF:  # padding
            at += 1
            continue
        if marker in _ALONE:
            end = at + 2
        elif marker == _END:
            yield marker, content[at : at + 2]
            return
        else:
            (length,) = unpacked(">H", content, at + 2)
            end = at + 2 + max(length, 2)
            if marker == _SCAN:
                end = _end_of_pixels(content, end)
        if end > len(content):
            raise Unreadable("broken")
        yield marker, content[at:end]
        at = end


def _end_of_pixels(content: bytes, at: int) -> int:
    while True:
        at = content.find(b"\xff", at)
        if at < 0 or at + 1 >= len(content):
            raise Unreadable("broken")
        if content[at + 1] not in (0x00, 0xFF, *range(0xD0, 0xD8)):
            return at
        at += 1 if content[at + 1] == 0xFF else 2


def _orientation(segment: bytes) -> int | None:
    """Which of the eight ways the picture was held, where that is said and is not the plain one."""
    if segment[4:10] != b"Exif\0\0":
        return None
    tiff = segment[10:]
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return None
    try:
        (directory,) = unpacked(order + "I", tiff, 4)
        (entries,) = unpacked(order + "H", tiff, directory)
        for number in range(min(entries, 100)):
            tag, kind, count, turned = unpacked(order + "HHIH", tiff, directory + 2 + 12 * number)
            if (tag, kind, count) == (_ORIENTATION, 3, 1):
                return turned if 2 <= turned <= 8 else None
    except Unreadable:
        return None
    return None


def _exif(turned: int) -> bytes:
    """A segment that says which way is up, and nothing else."""
    entry = _ORIENTATION.to_bytes(2, "big") + b"\0\x03\0\0\0\x01" + turned.to_bytes(2, "big") + b"\0\0"
    tiff = b"MM\0*\0\0\0\x08" + b"\0\x01" + entry + b"\0\0\0\0"
    data = b"Exif\0\0" + tiff
    return b"\xff\xe1" + (len(data) + 2).to_bytes(2, "big") + data
