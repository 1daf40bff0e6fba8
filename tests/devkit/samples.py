"""Small files of every kind that people may hand over, whole ones and some that mean harm. Made here, byte by byte."""

import base64
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence

# The smallest of their kind: one grey pixel each.
_JPEG = (
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////"
    "////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z"
)
_WEBP = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA="
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def chunk(name: bytes, data: bytes) -> bytes:
    """One chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(name)))


def png(
    width: int = 8, height: int = 8, extra: Sequence[tuple[bytes, bytes]] = (), pixels: bytes | None = None
) -> bytes:
    """A picture of one colour; ``extra`` are chunks before its pixels."""
    rows = (b"\0" + b"\x40\x80\xc0" * width) * height if pixels is None else pixels
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    before = b"".join(chunk(name, data) for name, data in extra)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + before
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def jpeg(extra: Sequence[tuple[int, bytes]] = (), *, size: tuple[int, int] | None = None, after: bytes = b"") -> bytes:
    """A picture of one pixel; ``extra`` are segments before everything else."""
    plain = base64.b64decode(_JPEG)
    if size is not None:
        at = plain.index(b"\xff\xc0") + 5
        plain = plain[:at] + struct.pack(">HH", size[1], size[0]) + plain[at + 4 :]
    segments = b"".join(b"\xff" + bytes([kind]) + struct.pack(">H", len(data) + 2) + data for kind, data in extra)
    return plain[:2] + segments + plain[2:] + after


def exif(orientation: int, secret: bytes = b"") -> bytes:
    """The data of an EXIF segment that says which way is up, and more than it should."""
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0)
    return b"Exif\0\0II*\0" + struct.pack("<I", 8) + struct.pack("<H", 1) + entry + b"\0\0\0\0" + secret


def gif(width: int = 4, height: int = 4, *, comment: bytes = b"", pictures: int = 1) -> bytes:
    """Pictures of one colour, each with the same pixels."""
    header = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    note = b"\x21\xfe" + bytes([len(comment)]) + comment + b"\0" if comment else b""
    one = b"\x21\xf9\x04\0\0\0\0\0" + b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x4c\x01\0"
    return header + note + one * pictures + b";"


def webp(extra: Sequence[tuple[bytes, bytes]] = ()) -> bytes:
    """A picture of one pixel; with ``extra`` chunks it has the extended header."""
    plain = base64.b64decode(_WEBP)
    if not extra:
        return plain
    chunks = [(b"VP8X", b"\x0c\0\0\0" + b"\0" * 6), (b"VP8 ", plain[20:]), *extra]
    body = b"WEBP" + b"".join(
        name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2) for name, data in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def pdf(
    *pages: str, stream: bytes | None = None, packed: bool = True, trailer: str = "", extra: Mapping[int, str] = {}
) -> bytes:
    """A PDF with these pages of one line each. ``stream`` takes the place of every page's content."""
    count = len(pages) or 1
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects: dict[int, bytes] = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Count {count} /Kids [{kids}] >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    }
    for number in range(count):
        line = pages[number].replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") if pages else ""
        content = stream if stream is not None else f"BT /F1 12 Tf 20 100 Td ({line}) Tj ET".encode("latin-1")
        data = zlib.compress(content, 9) if packed else content
        filters = "/Filter /FlateDecode " if packed else ""
        objects[4 + 2 * number] = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R {extra.get(number, '')}>>"
        ).encode()
        objects[5 + 2 * number] = f"<< {filters}/Length {len(data)} >>\nstream\n".encode() + data + b"\nendstream"
    return _pdf(objects, trailer)


def _pdf(objects: Mapping[int, bytes], trailer: str) -> bytes:
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, body in objects.items():
        places[number] = out.tell()
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    for number in sorted(places):
        out.write(f"{places[number]:010d} 00000 n \n".encode())
    out.write(f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R {trailer}>>\n".encode())
    out.write(f"startxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def locked_pdf() -> bytes:
    """A PDF whose text needs a password."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Secret plans."))))
    writer.encrypt("a password", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(body: str = "", parts: Mapping[str, bytes] = {}, *, prolog: str = "") -> bytes:
    """A Word file with this XML in its body; ``parts`` come as they are."""
    document = f'<?xml version="1.0"?>{prolog}<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", document)
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    """One paragraph of a Word file."""
    return f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r></w:p>"
