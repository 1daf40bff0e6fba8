"""The size of a picture in pixels, and reading it from where it stands."""

import struct
from dataclasses import dataclass

from lanekeeper.parser.order import Order, Unreadable


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in pixels, as the header says."""

    width: int
    height: int

    def check(self, order: Order) -> None:
        """Refuse what would unpack to more than the order allows.

        Raises:
            Unreadable: it is too large, or has no pixels at all.
        """
        if self.width < 1 or self.height < 1:
            raise Unreadable("broken")
        if max(self.width, self.height) > order.side or self.width * self.height > order.pixels:
            raise Unreadable("too_many_pixels")


def unpacked(form: str, content: bytes, at: int) -> tuple[int, ...]:
    """The numbers of a ``struct`` format at a place.

    Raises:
        Unreadable: the file ends before they do.
    """
    if at < 0 or at + struct.calcsize(form) > len(content):
        raise Unreadable("broken")
    return struct.unpack_from(form, content, at)
