"""The text of a Word file: a zip of XML, read part by part within limits and without a single entity."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from xml.parsers import expat

from lanekeeper.parser.order import Found, Order, Unreadable
from lanekeeper.parser.plain import gathered

_MOST_ENTRIES = 2000
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_ENCRYPTED = 0x1
# In this order. What Word does not print, such as comments, deleted and hidden words, is text as well.
_PARTS = ("word/document", "word/header", "word/footnotes", "word/endnotes", "word/comments", "word/footer")
_PIECE = 64 * 1024


def read(content: bytes, order: Order) -> Found:
    """The text of the document and of everything that hangs on it.

    Raises:
        Unreadable: it has a password, is damaged, unpacks to too much, or has no text.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if any(entry.flag_bits & _ENCRYPTED for entry in entries):
                raise Unreadable("encrypted")
            if len(entries) > _MOST_ENTRIES:
                raise Unreadable("too_large_inside")
            return gathered(_texts(archive, entries, order), order)
    # zipfile raises NotImplementedError for a way of packing that it does not know.
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, NotImplementedError, ValueError):
        raise Unreadable("broken") from None


def _texts(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], order: Order) -> Iterator[str]:
    left = order.inflated_bytes
    for part in _PARTS:
        for entry in entries:
            if entry.filename.startswith(part) and entry.filename.endswith(".xml"):
                # What the list of contents says is looked at first; what really comes out is counted all the same.
                if entry.file_size > left:
                    raise Unreadable("too_large_inside")
                with archive.open(entry) as file:
                    xml = file.read(left + 1)
                left -= len(xml)
                if left < 0:
                    raise Unreadable("too_large_inside")
                yield _Words().of(xml)


class _Words:
    """The words of one part."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._in_text = False
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._begin
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._say
        # Word writes none of these. Whoever does wants them unpacked.
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.EntityDeclHandler = self._refuse

    def of(self, xml: bytes) -> str:
        """All words, a line for each paragraph."""
        for start in range(0, len(xml), _PIECE):
            self._parser.Parse(xml[start : start + _PIECE], False)
        self._parser.Parse(b"", True)
        return "".join(self._pieces)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        match _own(name):
            case "t" | "delText":
                self._in_text = True
            case "tab":
                self._pieces.append("\t")
            case "br" | "cr":
                self._pieces.append("\n")

    def _end(self, name: str) -> None:
        match _own(name):
            case "t" | "delText":
                self._in_text = False
            case "p" | "tr":
                self._pieces.append("\n")
            case "tc":
                self._pieces.append("\t")

    def _say(self, text: str) -> None:
        if self._in_text:
            self._pieces.append(text)

    def _refuse(self, *_: object) -> None:
        raise Unreadable("broken")


def _own(name: str) -> str:
    space, _, local = name.rpartition(" ")
    return local if space in (_WORD, _STRICT) else ""
