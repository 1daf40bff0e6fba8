"""What the parser is asked, what it found, and why it may find nothing."""

from dataclasses import dataclass


class Unreadable(Exception):  # noqa: N818 - a finding, told to a person in a line of its own
    """There is nothing in this file that may be used. ``code`` names the reason; it has a line for the person."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One file to read, and how much of anything it may cost.

    Attributes:
        media_type: what its bytes say it is.
        pixels, side: of a picture: pixels in all, and pixels of its longer side.
        pages: of a PDF.
        chars: of the text that is kept; the rest is cut off.
        inflated_bytes: what one compressed part may unpack to.
        memory_bytes, cpu_s: of the whole process.
    """

    media_type: str
    pixels: int
    side: int
    pages: int
    chars: int
    inflated_bytes: int
    memory_bytes: int
    cpu_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was in a file: its text, or a picture without anything that was hidden beside the pixels.

    Attributes:
        text: everything that could be read, what a viewer does not show included.
        cut: whether there was more text than may be kept.
        pages: how many pages, where there are pages.
        picture: the bytes of the picture.
    """

    text: str | None = None
    cut: bool = False
    pages: int | None = None
    picture: bytes | None = None
