"""BM25 over a few hundred short texts: nearest examples, best articles."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

K1 = 1.2


class Bm25:
    """An index of documents, each a sequence of terms.

    Args:
        documents: the terms of each document; its place is its number.
        b: how much a long document is held against itself, 0 to 1.
    """

    def __init__(self, documents: Sequence[Sequence[str]], *, b: float = 0.75) -> None:
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        lengths = [len(terms) for terms in documents]
        mean = sum(lengths) / max(1, len(lengths)) or 1.0
        for number, terms in enumerate(documents):
            damping = K1 * (1 - b + b * lengths[number] / mean)
            for term, count in Counter(terms).items():
                self._postings[term].append((number, count * (K1 + 1) / (count + damping)))
        self._idf = {
            term: math.log(1 + (len(documents) - len(found) + 0.5) / (len(found) + 0.5))
            for term, found in self._postings.items()
        }
        # A word never seen is as telling as a word seen once.
        self.rarest = math.log(1 + (len(documents) + 0.5) / 1.5)

    def weight(self, term: str) -> float:
        """How telling a term is."""
        return self._idf.get(term, self.rarest)

    def scores(self, terms: Iterable[str]) -> dict[int, float]:
        """The score of every document that shares a term, by number."""
        found: dict[int, float] = defaultdict(float)
        for term in set(terms):
            weight = self._idf.get(term, 0.0)
            for number, share in self._postings.get(term, ()):
                found[number] += weight * share
        return found
