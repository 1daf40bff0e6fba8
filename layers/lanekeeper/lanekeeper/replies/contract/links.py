"""Links of a reply: only those that a tool found or the person wrote, as they stand, and never a picture (B076)."""

import re
from collections.abc import Callable, Collection

from lanekeeper.replies.contract.code import BLANK

_IMAGE = re.compile(r"!\[")
# A tag with a value in it, whatever its name: any attribute may be one that loads, styles or runs something.
_VALUE = re.compile(r"</?[A-Za-z](?:[^\s<>/=:]*/|[^\s<>]*\s)[^<>=]*=")
_REST_OF_VALUE = re.compile(r"[^<>=]*=")
# Those that do something with no value in them.
_TAGS = (
    "img|iframe|script|object|embed|form|link|meta|base|svg|math|video|audio|source|picture|style|input|button|frame|"
    "frameset|applet|area|textarea|select|html|head|body|template|noscript|dialog|marquee"
)
_HTML = re.compile(rf"<(?:/?(?:{_TAGS})(?![\w-])|/?a\s*/?>)", re.IGNORECASE)
_TAG_BEGINS = re.compile(r"</?[A-Za-z][^<>]*\Z")
_TARGET = re.compile(r"\]\(\s*<?(?=(?P<link>\S*))")
_DEFINITION = re.compile(r"\]:\s*\S*[./:#<]\S*")
_LINK = re.compile(
    r"(?P<link>(?<![a-z])[a-z][a-z0-9+.-]{0,30}://[^\s<>\x01]*"
    r"|(?<!\w)www\.[^\s<>\x01]+"
    r"|(?<![\w@.-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?(?:/[^\s?#<>]*)?\?[^\s<>]*=[^\s<>]*"
    r"|(?<=<)[a-z][a-z0-9+.-]+:[^\s<>]*(?=>))",
    re.IGNORECASE,
)
_PROGRAM = re.compile(r"\b(?:javascript|vbscript):(?![\s*_])|\bdata:[a-z]+/[a-z0-9.+-]+[;,]", re.IGNORECASE)
_NEVER = (("image", _IMAGE), ("html", _HTML), ("html", _VALUE), ("link", _PROGRAM), ("link", _DEFINITION))
# Without one of these there is nothing to look for.
_SIGN = re.compile(r"[\[\]<:/?]|www\.", re.IGNORECASE)
_OPEN = re.compile(r"!?\[[^\[\]\n]{0,120}(?:\]:\s*)?\Z|\]:\s*\Z|</?[A-Za-z][^<>=]{0,80}\Z")
# What may stand right behind a link: in a text, and where a link's target ends.
_AFTER = re.compile(r"""[)\].,;:!?*_~"'»”’…。，、；：！？）」』】]*|\]\(\S*""")  # noqa: RUF001
_AFTER_TARGET = re.compile(r">?(?:\).*)?")


def offence(view: str, begin: int, known: Callable[[], Collection[str]], *, in_tag: bool = False) -> str:
    """What kind of forbidden thing a text holds: ``image``, ``html``, ``link``, or nothing.

    Args:
        view: text that ends with a whole word, code made harmless.
        begin: where what is new begins. What ends before has gone out already.
        known: the links that may be given.
        in_tag: whether the text begins within a tag.
    """
    if in_tag and (value := _REST_OF_VALUE.match(view)) and value.end() > begin:
        return "html"
    if not _SIGN.search(view):
        return ""
    for kind, pattern in _NEVER:
        if any(found.end() > begin for found in pattern.finditer(view)):
            return kind
    rest = view
    for target in _TARGET.finditer(view):
        if target.end("link") <= begin:
            continue
        length = _known_length(target["link"], known(), _AFTER_TARGET)
        if not length:
            return "link"
        at = target.start("link")
        rest = rest[:at] + BLANK * length + rest[at + length :]
    for found in _LINK.finditer(rest):
        if found.end() > begin and not _known_length(found["link"], known(), _AFTER):
            return "link"
    return ""


def ends_in_tag(view: str, *, in_tag: bool) -> bool:
    """Whether a text ends within a tag, which it may begin in."""
    return _TAG_BEGINS.search(view) is not None or (in_tag and "<" not in view and ">" not in view)


def undecided(view: str) -> int:
    """Where the beginning of something starts that could still become a link; the length of the text if nowhere."""
    found = _OPEN.search(view)
    return found.start() if found else len(view)


def _known_length(word: str, known: Collection[str], after: re.Pattern[str]) -> int:
    """How much of a word is a known link with nothing behind it that would make it another; 0 if there is none."""
    for link in known:
        for way in (link, link.removesuffix("/")):
            for written in (way, way.partition("://")[2]):
                if written and word.startswith(written) and after.fullmatch(word, len(written)):
                    return len(written)
    return 0
