"""The parser's own process: one file in at standard input, what was found out at standard output."""

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from lanekeeper.parser.confine import confine
from lanekeeper.parser.kinds import DOCX, PDF, kind_of
from lanekeeper.parser.order import Found, Order, Unreadable

Read = Callable[[bytes, Order], Found]


def main() -> None:
    """Read the file that an order is about. The first line of the answer is JSON, what follows it is the picture."""
    order = Order(**json.loads(sys.argv[1]))
    content = sys.stdin.buffer.read()
    # What is needed is loaded first: later there is less to load it with.
    read = reading_of(order.media_type)
    confine(order.memory_bytes, order.cpu_s)
    answer, picture = answer_about(content, order, read)
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + picture)
    sys.stdout.buffer.flush()


def reading_of(media_type: str) -> Read:
    """What reads files of this type."""
    module = "picture" if kind_of(media_type) == "image" else {PDF: "pdf", DOCX: "docx"}.get(media_type, "plain")
    read: Read = importlib.import_module(f"lanekeeper.parser.{module}").read
    return read


def answer_about(content: bytes, order: Order, read: Read) -> tuple[dict[str, Any], bytes]:
    """What was found, as JSON, and the picture. Whatever a broken file does to its reader, it is a broken file."""
    try:
        answer = asdict(read(content, order))
    except Unreadable as reason:
        answer = {"unreadable": reason.code}
    except MemoryError:
        answer = {"unreadable": "too_large_inside"}
    except Exception:  # noqa: BLE001
        answer = {"unreadable": "broken"}
    return answer, answer.pop("picture", None) or b""
