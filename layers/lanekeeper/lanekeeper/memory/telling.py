"""By which words a text gives a forgotten fact away, and what is left of a text without them (W4). Pure."""

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lanekeeper.memory.rules import bare
from lanekeeper.memory.words import Unit, calendar_words, common_verbs, folded, sentences, units

_DIGIT = re.compile(r"\d")

ENOUGH = 0.6
"""The part of a fact's words that give it away together."""
DIGITS = 3
"""Digits of a number that tells something by itself; of a round one or a year, that is not enough."""
# After these a word is a name, also of somebody who writes without capitals. For text without accents.
_NAMING = re.compile(
    r"(?:\b(?:is|are|was|am|\w+['\u2019]s) (?:called|named)|\bnames? (?:is|are)|\bnamed|\bheiss(?:t|e|en)|\bse llaman?"
    r"|\bs['\u2019]appellent|\bs['\u2019]appelle|\bsi chiama(?:no)?|\bse chamam?|\bheten?)\s+([^\W\d_]{3,})"
)


@dataclass(frozen=True, slots=True)
class Telling:
    """The words of one fact.

    Attributes:
        alone: names, numbers, addresses: each gives the fact away by itself.
        together: stems of words, most of which give it away when they stand within two sentences.
        about: stems of the words of its subject.
        owner: whose digests the words are; empty when they are words.
    """

    alone: frozenset[str] = frozenset()
    together: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    owner: str = ""

    @classmethod
    def of(cls, subject: str, body: str, *, said: str = "", known: Iterable[str] = ()) -> "Telling":
        """The telling words of a note.

        Whatever only names the subject tells nothing: it may still be asked about.

        Args:
            subject: what the note is about.
            body: what it says.
            said: the message it comes from. Its capitals show which word at the beginning of a sentence is a name.
            known: names that tell nothing here: the person's own.
        """
        named = frozenset(unit.stem for unit in units(subject) if not unit.is_small)
        capitals = {unit.spelling for unit in units(said) if unit.kind == "name" and not unit.first}
        called = {unit.spelling for text in (said, body) for unit in units(" ".join(_NAMING.findall(bare(text))))}
        own = {unit.spelling for name in known for unit in units(name)}
        told = [unit for unit in units(body) if unit.spelling not in own]
        new = [unit for unit in told if unit.stem not in named]
        meant = [unit for unit in new if not unit.is_small]
        alone = frozenset(
            unit.spelling
            for unit in meant or new
            if _tells_alone(unit, capitals) or (unit.spelling in called and not unit.is_small)
        )
        if not alone and all(unit.spelling in common_verbs() for unit in meant):
            # Hardly more than the subject itself: "vegan: is vegan", "mushrooms: hates mushrooms".
            large = [unit for unit in told if not unit.is_small]
            meant = [unit for unit in large if unit.spelling not in common_verbs()] or large
        return cls(alone, frozenset(unit.stem for unit in meant), named)

    @property
    def is_empty(self) -> bool:
        """Whether no word gives it away."""
        return not (self.alone or self.together)

    def is_in(self, text: str) -> bool:
        """Whether a text gives the fact away."""
        return self._may_be_in(text) and any(self._stating(sentences(text)))

    def is_told_by(self, note: str) -> bool:
        """Whether a note under another subject tells this fact as well: it holds most of its words and its subject's,
        and one of those that tell it alone where there are any.

        One name in common is not enough, or whoever has a place forgotten would lose all that was noted of it. Nor are
        words around it: of two numbers that were noted in the same way, one goes and the other stays.
        """
        words = self.together | self.about
        found = list(units(note))
        held = words & {unit.stem for unit in found}
        if self.alone and self.alone.isdisjoint(unit.spelling for unit in found):
            return False
        if self.about and not held & self.about:
            return False
        return bool(held & self.together) and len(held) >= math.ceil(ENOUGH * len(words))

    def without(self, text: str) -> str:
        """The text without the sentences that give the fact away, and without the lines that are empty then."""
        pieces = sentences(text) if self._may_be_in(text) else []
        while any(stating := self._stating(pieces)):
            left = "".join(piece for piece, states in zip(pieces, stating, strict=True) if not states)
            text = "\n".join(line.rstrip() for line in left.splitlines() if line.strip())
            # What stands side by side now may tell it anew.
            pieces = sentences(text)
        return text

    def _may_be_in(self, text: str) -> bool:
        """Whether a closer look at a text is worth it: most texts hold none of the words, in whatever place."""
        if self.owner or (_DIGIT.search(text) and any(_DIGIT.search(word) for word in self.alone | self.together)):
            # Digests are no words, and a number may be written in many ways.
            return True
        plain = folded(text)
        return any(word.lower() in plain for word in self.alone) or self._is_enough(
            {stem for stem in self.together if stem in plain}
        )

    def _stating(self, pieces: Sequence[str]) -> list[bool]:
        """Of each sentence, whether it gives the fact away or helps the one beside it to."""
        found = [list(units(piece)) for piece in pieces]
        shares = [self.together & {self._key(unit.stem) for unit in in_one} for in_one in found]
        stating = [any(self._key(unit.spelling) in self.alone for unit in in_one) for in_one in found]
        for place, share in enumerate(shares):
            beside = shares[place + 1] if place + 1 < len(shares) else frozenset[str]()
            if self._is_enough(share):
                stating[place] = True
            elif self._is_enough(share | beside) and not self._is_enough(beside):
                stating[place] = stating[place + 1] = True
        return stating

    def _key(self, word: str) -> str:
        return digest(self.owner, word) if self.owner else word

    def _is_enough(self, stems: frozenset[str] | set[str]) -> bool:
        return bool(self.together) and len(stems) >= math.ceil(ENOUGH * len(self.together))


def digest(user_id: str, word: str) -> str:
    """A word that can be recognised and not be read; of another person it is another one."""
    return hashlib.sha256(f"{user_id}\n{word}".encode()).hexdigest()


def digests_of(user_id: str, text: str) -> tuple[list[str], list[str]]:
    """The digests of a text's units, spelled out and by their stems."""
    found = list(units(text))
    spelled, stems = {unit.spelling for unit in found}, {unit.stem for unit in found}
    return sorted(digest(user_id, word) for word in spelled), sorted(digest(user_id, word) for word in stems)


def _tells_alone(unit: Unit, capitals: set[str]) -> bool:
    match unit.kind:
        case "address" | "mixed" | "kana":
            return True
        case "number":
            is_year = len(unit.spelling) == 4 and unit.spelling[:2] in {"19", "20"}
            is_round = len(unit.spelling) == DIGITS and unit.spelling.endswith("00")
            return sum(map(str.isdigit, unit.spelling)) >= DIGITS and not (is_year or is_round)
        case "name":
            return unit.spelling not in calendar_words() and (not unit.first or unit.spelling in capitals)
        case _:
            return False
