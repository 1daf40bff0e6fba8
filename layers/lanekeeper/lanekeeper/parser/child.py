"""The parser's own process: one file in at standard input, what was found out at standard output."""

import importlib
import json
import sys
from dataclasses import asdict

from lanekeeper.parser.confine import confine
from lanekeeper.parser.kinds import DOCX, PDF, kind_of
from lanekeeper.parser.order import Found, Order, Unreadable


def main() -> None:
    """Read the file that an order is about. The first line of the answer is JSON, what follows it is the picture."""
    order = Order(**json.loads(sys.argv[1]))
    content = sys.stdin.buffer.read()
    # What is needed is loaded first: later there is less to load it with.
    reading = importlib.import_module(_module_for(order.media_type))
    confine(order.memory_bytes, order.cpu_s)
    try:
        found: Found = reading.read(content, order)
        answer = asdict(found)
    except Unreadable as reason:
        answer = {"unreadable": reason.code}
    except MemoryError:
        answer = {"unreadable": "too_large_inside"}
    except Exception:  # noqa: BLE001 - whatever a broken file does to a parser, it is a broken file
        answer = {"unreadable": "broken"}
    picture = answer.pop("picture", None) or b""
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + picture)
    sys.stdout.buffer.flush()


def _module_for(media_type: str) -> str:
    if kind_of(media_type) == "image":
        return "lanekeeper.parser.picture"
    return {PDF: "lanekeeper.parser.pdf", DOCX: "lanekeeper.parser.docx"}.get(media_type, "lanekeeper.parser.plain")
