"""Broken files by the hundred, from a seed, and the parser let loose on them in one confined process.

``python -m tests.devkit.broken_files KIND FIRST COUNT`` reads COUNT of them and prints a line about each.
"""

import json
import random
import sys
import zlib
from collections.abc import Callable

from lanekeeper.limits import Limits
from lanekeeper.parser.child import answer_about, reading_of
from lanekeeper.parser.confine import confine
from lanekeeper.parser.kinds import DOCX, GIF, JPEG, PDF, PNG, WEBP
from lanekeeper.parser.order import Order
from tests.devkit import samples

LIMITS = Limits()


def _pdf(chance: random.Random) -> bytes:
    stream = None
    if chance.random() < 0.4:
        words = [
            b"BT",
            b"ET",
            b"(a)",
            b"Tj",
            b"[",
            b"]",
            b"TJ",
            b"q",
            b"Q",
            b"cm",
            b"1",
            b"-9e99",
            b"/F1",
            b"Tf",
            b"Do",
        ]
        stream = b" ".join(chance.choices(words, k=chance.randint(1, 400)))
    extra = {0: chance.choice(["", "/Annots [2 0 R 4 0 R]", "/Resources 4 0 R", "/Parent 4 0 R"])}
    pages = ["word " * chance.randint(1, 20)] * chance.randint(1, 6)
    return samples.pdf(*pages, stream=stream, packed=chance.random() < 0.5, extra=extra)


def _docx(chance: random.Random) -> bytes:
    body = samples.paragraph("word") * chance.randint(1, 30)
    return samples.docx(body, {"word/comments.xml": zlib.compress(body.encode()) if chance.random() < 0.3 else b"<a/>"})


WHOLE: dict[str, tuple[str, Callable[[random.Random], bytes]]] = {
    "pdf": (PDF, _pdf),
    "docx": (DOCX, _docx),
    "png": (PNG, lambda chance: samples.png(chance.randint(1, 64), chance.randint(1, 64), [(b"tEXt", b"a\0b")])),
    "jpeg": (JPEG, lambda chance: samples.jpeg([(0xE1, samples.exif(chance.randint(0, 9), b"GPS")), (0xFE, b"note")])),
    "gif": (GIF, lambda chance: samples.gif(chance.randint(1, 64), comment=b"note", pictures=chance.randint(1, 4))),
    "webp": (WEBP, lambda chance: samples.webp([(b"EXIF", b"where")] if chance.random() < 0.5 else ())),
}
# Numbers that tempt a reader to believe in more than there is.
_NUMBERS = [b"0", b"-1", b"99999999999", b"4294967295", b"1 0 R", b"2 0 R", b"/Kids", b"<<", b"]", b"(", b"null", b"%"]


def order_for(media_type: str) -> Order:
    """The limits as they ship."""
    return Order(
        media_type=media_type,
        pixels=LIMITS.image_pixels,
        side=LIMITS.image_side,
        pages=LIMITS.file_pages,
        chars=LIMITS.file_text_chars,
        inflated_bytes=LIMITS.file_inflated_bytes,
        memory_bytes=LIMITS.parser_memory_bytes,
        cpu_s=LIMITS.parser_cpu_s,
    )


def broken(kind: str, seed: int) -> bytes:
    """One broken file."""
    chance = random.Random(f"{kind} {seed}")
    content = bytearray(WHOLE[kind][1](chance))
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        if not content:
            break
        at = chance.randrange(len(content))
        end = min(len(content), at + chance.choice((1, 2, 4, 32, 200)))
        match chance.randrange(7):
            case 0:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                del content[at:end]
            case 2:
                content[at:at] = content[at:end]
            case 3:
                content[at:end] = chance.randbytes(end - at)
            case 4:
                del content[at:]
            case 5:
                content[at:end] = chance.choice(_NUMBERS)
            case 6:
                content[at : at + 4] = b"\xff\xff\xff\xff"
    return bytes(content)


def main() -> None:
    """Read many, in the confinement that one is read in, but for the time."""
    kind, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    media_type = WHOLE[kind][0]
    files = [broken(kind, seed) for seed in range(first, first + count)]
    order, read = order_for(media_type), reading_of(media_type)
    confine(order.memory_bytes, 10 + count)
    for seed, content in enumerate(files, first):
        answer, picture = answer_about(content, order, read)
        told = answer.get("unreadable") or ("picture" if picture else "text")
        sys.stdout.write(json.dumps({"seed": seed, "told": told}) + "\n")


if __name__ == "__main__":
    main()
