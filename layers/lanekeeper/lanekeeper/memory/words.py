"""A text as the units that say something: words, names, numbers, addresses, and signs of scripts without blanks. Pure.

Spelled as the search spells them: no accents, no case, pairs of signs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lanekeeper.memory.rules import bare

_KANA = "\u30a0-\u30fa\u30fc-\u30ff"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_HANGUL = "\uac00-\ud7af"
_HIRAGANA = "\u3041-\u309f"
_WORD = f"(?:(?![{_KANA}{_HAN}{_HANGUL}{_HIRAGANA}])\\w)+"
_UNIT = re.compile(
    rf"(?P<address>[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,5}})"
    rf"|(?P<number>\+?\d(?:[ .,:/()\u00a0-]?\d)*(?![^\W\d_]))"
    rf"|(?P<kana>[{_KANA}]+)|(?P<han>[{_HAN}]+)|(?P<hangul>[{_HANGUL}]+)|[{_HIRAGANA}]+"
    rf"|(?P<word>{_WORD}(?:['\u2019]{_WORD})*)"
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*")
# The piece of a text up to the end of a sentence, a clause or a line, with whatever blanks follow.
_SENTENCE = re.compile(r"[^\n]*?(?:[.!?;]+(?=\s)[^\S\n]*|[\u3002\uff01\uff1f\uff1b]+|\n+|\Z)", re.DOTALL)
_FOLDED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "'": "", "\u2019": ""}
)
_OF_SOMEONE = re.compile("['\u2019]s?$")
# Endings of Korean words that say what a word does in its sentence, the longer ones first.
_ENDINGS = re.compile(
    "(?:이에요|입니다|이라고|이군요|이네요|예요|군요|네요|이야|라고|한테|이랑|에서|에게|으로|까지|부터|하고|은|는|이|가|을|를|의|에|와|과|도|로|야)$"
)
_SMALL_HANGUL = frozenset({"이름", "제", "내", "저", "나", "우리", "그", "이", "것", "기억"})
# Signs that do the same in Chinese, and those by which people speak of themselves and each other.
_SMALL_SIGNS = re.compile("[的是了在有和我你您他她它们這这那叫名字不也很就都把被从到对为與与吗呢吧啊記记住忘]")


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of a text.

    Attributes:
        spelling: as the search spells it, of a longer word without the ``s`` at its end; with its capital where it is
            a small word ("Will").
        stem: its beginning, the same for most forms of a word.
        kind: what it is; a ``name`` is a word with a capital.
        first: whether a sentence begins with it, so that its capital tells nothing.
    """

    spelling: str
    stem: str
    kind: str
    first: bool = False

    @property
    def is_small(self) -> bool:
        """Whether it says nothing about anyone by itself."""
        return self.kind in {"word", "name"} and (self.stem in small_words() or self.spelling.lower() in small_words())


def units(text: str) -> Iterator[Unit]:
    """The units of a text, in their order."""
    end = 0
    for found in _UNIT.finditer(text):
        before, end = text[end : found.start()], found.end()
        kind, written = found.lastgroup, found.group()
        match kind:
            case "address":
                yield Unit(bare(written), bare(written), kind)
            case "number":
                digits = _number(written)
                yield Unit(digits, digits, kind)
            case "kana":
                yield Unit(bare(written), bare(written), kind)
            case "han":
                for run in _SMALL_SIGNS.split(written):
                    yield from _pairs(run)
            case "hangul":
                stem = _ENDINGS.sub("", written) or written
                if stem not in _SMALL_HANGUL:
                    yield Unit(stem, stem, "sign")
            case "word":
                first = not found.start() or bool(re.search('[.!?:\n"\u201c]', before))
                yield _word(written, first=first)
            case _:
                continue


def sentences(text: str) -> list[str]:
    """A text in pieces that end with a sentence, a clause or a line; joined, they are the text again."""
    return [piece for piece in _SENTENCE.findall(text) if piece]


@cache
def small_words() -> frozenset[str]:
    """Words of eight languages that tell nothing about anyone."""
    return _listed("small_words.txt")


@cache
def common_verbs() -> frozenset[str]:
    """What people do with all sorts of things: it tells nothing without the thing."""
    return _listed("common_verbs.txt")


@cache
def calendar_words() -> frozenset[str]:
    """Months and days of the week: with a capital in some languages, and no names."""
    return _listed("calendar_words.txt")


def folded(text: str) -> str:
    """A text as its words are spelled, all at once."""
    plain = bare(text)
    return plain.replace("'", "") if plain.isascii() else plain.translate(_FOLDED)


def _number(written: str) -> str:
    """The digits of a number, however it is written: 12.50 as 12.5, 3,100 and 3.100,00 as 3100."""
    digits = re.sub(r"[^\d.,]", "", written)
    if _THOUSANDS.fullmatch(digits):
        return re.sub("[.,]", "", digits)
    whole, point, part = digits.rpartition(max(".,", key=digits.rfind))
    if not point or (point in whole and not _THOUSANDS.fullmatch(whole)):
        # None, or a date, or an address of a machine.
        return re.sub("[.,]", "", digits)
    part, whole = part.rstrip("0"), re.sub("[.,]", "", whole)
    return f"{whole}.{part}" if part else whole


def _word(written: str, *, first: bool) -> Unit:
    whole = _OF_SOMEONE.sub("", written)
    spelling = folded(whole)
    if any(sign.isdigit() for sign in spelling) and len(spelling) >= 3:
        return Unit(spelling, spelling, "mixed")
    single = spelling.removesuffix("s") if len(spelling) > 3 else spelling
    stem = single[:5] if len(single) > 5 else single
    capital = whole[:1].isupper() and len(spelling) > 1
    if capital and not first and single in small_words():
        single = single.capitalize()
    return Unit(single, stem, "name" if capital else "word", first)


def _pairs(run: str) -> Iterator[Unit]:
    for place in range(max(len(run) - 1, min(len(run), 1))):
        pair = run[place : place + 2]
        yield Unit(pair, pair, "sign")


def _listed(name: str) -> frozenset[str]:
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    listed = {word for line in lines if not line.startswith("#") for word in line.split()}
    return frozenset(listed | {word.removesuffix("s") for word in listed if len(word) > 3})
