"""Pictures: their size comes from the header, and what is passed on is the picture and nothing beside it (D3)."""

import zlib
from dataclasses import replace

import pytest

from lanekeeper.parser import picture
from lanekeeper.parser.kinds import GIF, JPEG, PNG, WEBP
from lanekeeper.parser.order import Unreadable
from tests.devkit import samples
from tests.devkit.broken_files import order_for

SECRET = b"52.5200N 13.4050E"


def stripped(content: bytes, media_type: str, **limits: int) -> bytes:
    found = picture.read(content, replace(order_for(media_type), **limits))
    assert found.picture is not None
    return found.picture


def reason(content: bytes, media_type: str, **limits: int) -> str:
    with pytest.raises(Unreadable) as refused:
        stripped(content, media_type, **limits)
    return refused.value.code


@pytest.mark.parametrize(
    ("content", "media_type", "bare"),
    [
        (samples.png(extra=[(b"tEXt", SECRET), (b"eXIf", SECRET), (b"zTXt", SECRET)]), PNG, samples.png()),
        (samples.png(extra=[(b"acTL", b"\0" * 8), (b"fcTL", SECRET)]), PNG, samples.png()),
        (samples.png() + SECRET, PNG, samples.png()),
        (samples.jpeg([(0xE1, b"Exif\0\0" + SECRET), (0xFE, SECRET), (0xED, SECRET)]), JPEG, samples.jpeg()),
        (samples.jpeg(after=SECRET), JPEG, samples.jpeg()),
        (samples.gif(comment=SECRET), GIF, samples.gif()),
        (samples.gif(pictures=3) + SECRET, GIF, samples.gif()),
    ],
)
def test_nothing_but_the_picture_is_passed_on(content: bytes, media_type: str, bare: bytes) -> None:
    assert stripped(content, media_type) == bare


def test_a_webp_loses_where_it_was_taken() -> None:
    content = samples.webp([(b"EXIF", SECRET), (b"XMP ", SECRET), (b"ICCP", SECRET)])
    bare = stripped(content, WEBP)
    assert SECRET not in bare
    assert bare[12:16] == b"VP8X"
    assert bare[20] == 0
    assert stripped(bare, WEBP) == bare
    assert stripped(samples.webp(), WEBP) == samples.webp()


@pytest.mark.parametrize("turned", range(2, 9))
def test_which_way_is_up_is_kept(turned: int) -> None:
    bare = stripped(samples.jpeg([(0xE1, samples.exif(turned, SECRET))]), JPEG)
    assert SECRET not in bare
    at = bare.index(b"Exif\0\0MM")
    assert bare[at + 24 : at + 26] == turned.to_bytes(2, "big")
    assert stripped(bare, JPEG) == bare


@pytest.mark.parametrize("turned", [0, 1, 9, 60_000])
def test_no_way_or_a_wrong_way_is_not_kept(turned: int) -> None:
    assert stripped(samples.jpeg([(0xE1, samples.exif(turned))]), JPEG) == samples.jpeg()


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (samples.png(20_000, 20_000, pixels=b""), PNG),
        (samples.png(1, 17_000, pixels=b""), PNG),
        (samples.png(2**32 - 1, 2**32 - 1, pixels=b""), PNG),
        (samples.jpeg(size=(60_000, 60_000)), JPEG),
        (samples.gif(60_000, 1), GIF),
    ],
)
def test_a_picture_that_unpacks_to_too_much_is_known_by_its_header(content: bytes, media_type: str) -> None:
    assert reason(content, media_type) == "too_many_pixels"


def test_a_picture_inside_a_small_canvas_counts_by_its_own_size() -> None:
    plain = samples.gif(60_000, 60_000)
    assert reason(plain[:6] + b"\1\0\1\0" + plain[10:], GIF) == "too_many_pixels"
    inner = samples.webp()[20:]
    large = inner[:6] + (16_000).to_bytes(2, "little") * 2 + inner[10:]
    body = b"WEBP" + b"VP8X\x0a\0\0\0" + b"\0" * 10 + b"VP8 " + len(large).to_bytes(4, "little") + large
    assert reason(b"RIFF" + len(body).to_bytes(4, "little") + body, WEBP) == "too_many_pixels"


def test_pixels_that_never_end_are_not_unpacked_to_the_end() -> None:
    assert reason(samples.png(pixels=b"\0" * 3_000_000), PNG) == "too_large_inside"


@pytest.mark.parametrize("sides", [(0, 5), (5, 0)])
def test_a_picture_without_pixels_is_none(sides: tuple[int, int]) -> None:
    assert reason(samples.png(*sides), PNG) == "broken"
    assert reason(samples.jpeg(size=sides), JPEG) == "broken"


@pytest.mark.parametrize(
    ("content", "media_type"),
    [(samples.png(30, 30), PNG), (samples.jpeg(), JPEG), (samples.gif(), GIF), (samples.webp(), WEBP)],
)
def test_a_picture_that_was_cut_off_anywhere_is_refused(content: bytes, media_type: str) -> None:
    # A GIF's end marker says nothing about its pixels, and a WebP's last byte only fills up.
    whole = len(content) - (1 if media_type == GIF else 0)
    for end in range(12, whole - (1 if media_type == WEBP else 0)):
        assert reason(content[:end], media_type) == "broken", end


def test_a_changed_byte_of_a_png_is_found() -> None:
    content = bytearray(samples.png())
    content[len(content) // 2] ^= 1
    assert reason(bytes(content), PNG) == "broken"


def test_a_moving_webp_says_so() -> None:
    assert reason(samples.webp([(b"ANIM", b"\0" * 6), (b"ANMF", b"\0" * 16)]), WEBP) == "moving"


def test_a_png_of_unknown_colours_is_none() -> None:
    header = bytearray(samples.png())
    header[25] = 5
    header[29:33] = zlib.crc32(bytes(header[12:29])).to_bytes(4, "big")
    assert reason(bytes(header), PNG) == "broken"
