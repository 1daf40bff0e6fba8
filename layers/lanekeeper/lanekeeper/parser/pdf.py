"""The text of a PDF: its pages one by one, each only as far as its parts unpack to something bearable (B077)."""

import io
import logging
from collections.abc import Iterator
from typing import Any

from pypdf import Configuration, PdfReader, apply_configuration
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError, WrongPasswordError
from pypdf.generic import ArrayObject, DictionaryObject

from lanekeeper.parser.order import Found, Order, Unreadable
from lanekeeper.parser.plain import gathered

# It tells each oddity of a broken file, and a broken file has many.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def read(content: bytes, order: Order) -> Found:
    """The text of all pages, in their order: also what is white on white, too small to see, or a note in the margin.

    Raises:
        Unreadable: it has a password, too many pages, parts that unpack to too much, or no text.
    """
    try:
        with apply_configuration(Configuration(**_bounds(order))):
            reader = PdfReader(io.BytesIO(content))
            if reader.is_encrypted and not reader.decrypt(""):
                raise Unreadable("encrypted")
            if _declared_pages(reader) > order.pages or len(reader.pages) > order.pages:
                raise Unreadable("too_many_pages")
            return gathered(_texts(reader), order, pages=len(reader.pages))
    except LimitReachedError:
        raise Unreadable("too_large_inside") from None
    except (FileNotDecryptedError, WrongPasswordError, DependencyError):
        # The last one: it is encrypted in a way that only a further library could undo.
        raise Unreadable("encrypted") from None


def _bounds(order: Order) -> dict[str, Any]:
    # Whatever a part is packed with, it stops unpacking here, before anything is made of it.
    most = order.inflated_bytes
    return {
        "maximum_declared_stream_length": most,
        "array_based_stream_maximum_output_length": most,
        "jbig2_maximum_output_length": most,
        "lzw_maximum_output_length": most,
        "run_length_maximum_output_length": most,
        "zlib_maximum_output_length": most,
        "brotli_maximum_output_length": most,
        "image_maximum_buffer_size": most,
        "stream_decoding_work_maximum_length": 2 * most,
        "stream_parsing_work_maximum_count": 300_000,
        "zlib_maximum_recovery_input_length": 100_000,
        "page_tree_maximum_entries": 20 * order.pages,
        "xform_maximum_invocations_per_extraction": 200,
        "jbig2dec_binary": None,
    }


def _declared_pages(reader: PdfReader) -> int:
    """What the file says of itself, before a single page is looked at."""
    pages = reader.root_object.get("/Pages")
    tree = pages.get_object() if pages is not None else None
    count = tree.get("/Count") if isinstance(tree, DictionaryObject) else None
    return int(count.get_object()) if count is not None else 0


def _texts(reader: PdfReader) -> Iterator[str]:
    for page in reader.pages:
        yield page.extract_text()
        yield from _notes(page.get("/Annots"))


def _notes(annotations: object) -> Iterator[str]:
    found = annotations.get_object() if hasattr(annotations, "get_object") else None
    if not isinstance(found, ArrayObject):
        return
    for one in found:
        note = one.get_object()
        text = note.get("/Contents") if isinstance(note, DictionaryObject) else None
        if isinstance(text, str):
            yield text
