"""What all pictures have in common: a size that is known from the header, before anything is unpacked."""

from collections.abc import Callable

from lanekeeper.parser import gif, jpeg, png, webp
from lanekeeper.parser.kinds import GIF, JPEG, PNG, WEBP
from lanekeeper.parser.order import Found, Order
from lanekeeper.parser.size import Size

_FORMATS: dict[str, tuple[Callable[[bytes], Size], Callable[[bytes], bytes]]] = {
    PNG: (png.size, png.stripped),
    JPEG: (jpeg.size, jpeg.stripped),
    GIF: (gif.size, gif.stripped),
    WEBP: (webp.size, webp.stripped),
}


def read(content: bytes, order: Order) -> Found:
    """The picture alone: no place, no camera, no comment, no second picture behind the first.

    It is not decoded, so its pixels are passed on as they are.

    Raises:
        Unreadable: it is damaged or cut off, or larger than the order allows.
    """
    size, stripped = _FORMATS[order.media_type]
    size(content).check(order)
    return Found(picture=stripped(content))
