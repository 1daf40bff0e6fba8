"""``multipart/form-data``, as far as one file needs it: the body is in memory already, so it is only cut apart."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

_MOST_PARTS = 20
_HEADER_BYTES = 8 * 1024
# RFC 2046: up to 70 characters, quoted where it holds others than these.
_BOUNDARY = re.compile(r"""(?:^|;)\s*boundary=(?:"([^"]{1,70})"|([0-9A-Za-z'()+_,./:=?-]{1,70}))""", re.IGNORECASE)
_PARAMETER = re.compile(r';\s*([\w*]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))')


class BrokenFormError(Exception):
    """The body is not what its content type says."""


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a form. ``filename`` is None for one that is no file."""

    name: str
    filename: str | None
    content: bytes


def parts_of(body: bytes, content_type: str) -> Iterator[Part]:
    """The fields of a form, in order.

    Raises:
        BrokenFormError: there is no boundary, or the body does not keep to it.
    """
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise BrokenFormError
    delimiter = b"--" + (found[1] or found[2]).encode()
    # The first delimiter may be the very beginning; every other one begins with the line break before it.
    pieces = (b"\r\n" + body).split(b"\r\n" + delimiter, _MOST_PARTS + 1)
    if len(pieces) < 3 or len(pieces) > _MOST_PARTS + 1 or not pieces[-1].startswith(b"--"):
        raise BrokenFormError
    for piece in pieces[1:-1]:
        padding, line_break, rest = piece.partition(b"\r\n")
        head, blank, content = (b"\r\n" + rest).partition(b"\r\n\r\n")
        if padding.strip(b" \t") or not line_break or not blank or len(head) > _HEADER_BYTES:
            raise BrokenFormError
        disposition = _disposition(head)
        if "name" not in disposition:
            raise BrokenFormError
        yield Part(disposition["name"], filename_of(disposition), content)


def parameters_of(value: str) -> dict[str, str]:
    """The parameters of a header such as ``attachment; filename="a.pdf"``."""
    return {
        name.lower(): re.sub(r"\\(.)", r"\1", quoted) if quoted else plain
        for name, quoted, plain in _PARAMETER.findall(value)
    }


def filename_of(parameters: Mapping[str, str]) -> str | None:
    """The file's name; the form for any alphabet (RFC 8187) is believed before the plain one."""
    charset, quote, encoded = parameters.get("filename*", "").partition("''")
    if quote and charset.lower() == "utf-8":
        return unquote(encoded, errors="replace")
    return parameters.get("filename")


def _disposition(head: bytes) -> dict[str, str]:
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-disposition":
            return parameters_of(value)
    return {}
