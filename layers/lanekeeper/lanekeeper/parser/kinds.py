"""What a file is, by its own bytes. Its name and what its sender calls it decide nothing but the flavour of text."""

import codecs
from typing import Literal

from lanekeeper.parser.order import Unreadable

Kind = Literal["image", "file"]

PNG, JPEG, GIF, WEBP = "image/png", "image/jpeg", "image/gif", "image/webp"
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PLAIN, MARKDOWN, CSV = "text/plain", "text/markdown", "text/csv"

_MARKS = (
    (0, (b"\x89PNG\r\n\x1a\n",), PNG),
    (0, (b"\xff\xd8\xff",), JPEG),
    (0, (b"GIF87a", b"GIF89a"), GIF),
    (8, (b"WEBPVP8",), WEBP),
)
# A PDF may have a little of anything before its first line.
_PDF_SEARCH = 1024
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_FLAVOURS = {"md": MARKDOWN, "markdown": MARKDOWN, "csv": CSV}
# Controls that no text has: anything but tab, line feed, form feed and carriage return.
_CONTROLS = bytes({*range(32), 127} - {9, 10, 12, 13})


def media_type_of(content: bytes, name: str) -> str:
    """The media type of a file.

    Raises:
        Unreadable: it is of no kind that is read here.
    """
    for at, marks, media_type in _MARKS:
        if content.startswith(marks, at):
            return media_type
    if b"%PDF-" in content[:_PDF_SEARCH]:
        return PDF
    if content.startswith(b"PK\x03\x04") and b"word/document" in content:
        return DOCX
    if content.startswith(_OLE):
        # What Word wrote before 2007, and how it wraps up what has a password.
        raise Unreadable("old_office")
    if text_of(content) is None:
        raise Unreadable("unknown_kind")
    return _FLAVOURS.get(name.rpartition(".")[2].lower(), PLAIN)


def kind_of(media_type: str) -> Kind:
    """Whether it is looked at or read."""
    return "image" if media_type.startswith("image/") else "file"


def text_of(content: bytes) -> str | None:
    """A text file's text; None when it is none. UTF-8, UTF-16 with its mark, or else what Windows wrote for Europe."""
    for mark, encoding in _BOMS:
        if content.startswith(mark):
            return _decoded(content, encoding)
    if content.translate(None, _CONTROLS) != content:
        return None
    text = _decoded(content, "utf-8")
    return text if text is not None else _decoded(content, "cp1252")


def _decoded(content: bytes, encoding: str) -> str | None:
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text else text
