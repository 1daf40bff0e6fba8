"""Which intent a message has: that of its nearest example, by BM25 over words, pairs of words and pieces of words."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import sqrt
from pathlib import Path

from tests.devkit.mainline.bm25 import Bm25
from tests.devkit.mainline.words import words

UNKNOWN = "unknown"

# Set on a public set of phrases and on sentences of no intent: 96 % of what is routed right stays, 9 of 10 others go.
NEIGHBOUR = 0.5
STRENGTH = 7.5
LEAST = 1.6


# An intent whose examples are mostly small words ("how late is it") is meant only where one of its own words stands:
# "how big is it" asks for no clock.
_OWN_WORDS = tomllib.loads(Path(__file__).with_name("own_words.toml").read_text(encoding="utf-8"))
OWN_WORDS: dict[str, frozenset[str]] = {intent: frozenset(line.split()) for intent, line in _OWN_WORDS.items()}


@dataclass(frozen=True, slots=True)
class Route:
    """Where a message goes.

    Attributes:
        intent: a name from the examples, or ``unknown``.
        language: of the nearest example: en, es or de.
        certainty: 1.6 and more is certain enough.
    """

    intent: str
    language: str
    certainty: float


class Router:
    """The examples, indexed once.

    Args:
        examples: phrases by intent and language.
    """

    def __init__(self, examples: Mapping[str, Mapping[str, list[str]]]) -> None:
        self._examples = [
            (intent, language, phrase)
            for intent, languages in examples.items()
            for language, phrases in languages.items()
            for phrase in phrases
        ]
        features = [_features(phrase) for _, _, phrase in self._examples]
        self._index = Bm25(features)
        self._weights = [self._weigh(terms) for terms in features]

    @classmethod
    @cache
    def load(cls) -> "Router":
        """The examples beside this module."""
        return cls(tomllib.loads(Path(__file__).with_name("intents.toml").read_text(encoding="utf-8")))

    def phrases(self, intent: str) -> list[str]:
        """The examples of an intent."""
        return [phrase for name, _, phrase in self._examples if name == intent]

    def route(self, text: str) -> Route:
        """The intent of a message; ``unknown`` when no example is near enough."""
        terms = _features(text)
        scores = self._index.scores(terms)
        if not scores:
            return Route(UNKNOWN, "en", 0.0)
        by_intent: dict[str, list[tuple[float, int]]] = defaultdict(list)
        said = frozenset(words(text))
        for number, score in scores.items():
            own = OWN_WORDS.get(self._examples[number][0])
            if own is not None and said.isdisjoint(own):
                continue
            by_intent[self._examples[number][0]].append((score, number))
        if not by_intent:
            return Route(UNKNOWN, "en", 0.0)
        best, intent, nearest = max(self._strength(intent, found) for intent, found in by_intent.items())
        # How sure: how much was found at all, and how alike the two are.
        alike = scores[nearest] / 2.2 / sqrt(self._weigh(terms) * self._weights[nearest])
        certainty = best / (STRENGTH * self._index.rarest) + 2 * alike
        language = self._examples[nearest][1]
        return Route(intent if certainty >= LEAST else UNKNOWN, language, round(certainty, 3))

    def _strength(self, intent: str, found: list[tuple[float, int]]) -> tuple[float, str, int]:
        """The nearest example counts most; two more of the same intent confirm it."""
        found.sort(reverse=True)
        return found[0][0] + NEIGHBOUR * sum(score for score, _ in found[1:3]), intent, found[0][1]

    def _weigh(self, terms: tuple[str, ...]) -> float:
        return sum(self._index.weight(term) for term in set(terms)) or 1.0


@lru_cache(maxsize=4096)
def _features(text: str) -> tuple[str, ...]:
    plain = ["0" if word[0].isdigit() else word for word in words(text)]
    if not plain:
        return ()
    edged = ["^", *plain, "$"]
    pairs = [f"{one} {two}" for one, two in pairwise(edged)]
    # Pieces of three letters, so that a slip of the pen or another ending does not hide a word.
    pieces = [f"#{padded[at : at + 3]}" for padded in map("<{}>".format, plain) for at in range(len(padded) - 2)]
    return (*plain, *pairs, *pieces)
