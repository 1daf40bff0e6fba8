"""A web search vendor over a small corpus: ``POST /search {query, max_results}`` gives titles, links and passages."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.devkit.mainline import faults
from tests.devkit.mainline.bm25 import Bm25
from tests.devkit.mainline.errors import ApiError, invalid
from tests.devkit.mainline.scripts import ERRORS
from tests.devkit.mainline.wire import Reply
from tests.devkit.mainline.words import words

MOST_RESULTS = 20

# Words that say nothing about what is looked for, in the three languages that the corpus can be asked in.
EMPTY_WORDS = frozenset(Path(__file__).with_name("empty_words.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True, slots=True)
class Article:
    """One page of the corpus."""

    title: str
    url: str
    content: str


@dataclass(slots=True)
class SearchFault:
    """What the vendor does wrong until told otherwise."""

    error: int | str | None = None
    delay_s: float = 0.0


class Corpus:
    """The articles, indexed once. A title counts three times what the text does."""

    def __init__(self, rows: list[dict[str, str]]) -> None:
        self.articles = [Article(row["title"], row["url"], row["content"]) for row in rows]
        self._index = Bm25([_terms(f"{row['title']} {row.get('also', '')} " * 3 + row["content"]) for row in rows])

    @classmethod
    @cache
    def load(cls) -> "Corpus":
        """The corpus beside this module."""
        return cls(json.loads(Path(__file__).with_name("search_corpus.json").read_text(encoding="utf-8")))

    def find(self, query: str, most: int) -> list[tuple[Article, float]]:
        """The best articles for a query with a score of 0 to 1, best first; none when no telling word is found."""
        terms = _terms(query)
        best = sum(self._index.weight(term) * 2.2 for term in set(terms)) or 1.0
        scores = self._index.scores(terms)
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        top = ranked[0][1] if ranked else 0.0
        return [
            (self.articles[number], round(min(1.0, score / best), 4))
            for number, score in ranked[:most]
            if score >= top / 4
        ]


def _terms(text: str) -> list[str]:
    # The plural of most words, in English at least.
    return [
        word[:-1] if len(word) > 4 and word.endswith("s") else word for word in words(text) if word not in EMPTY_WORDS
    ]


class Search:
    """The search route and its faults."""

    def __init__(self, key: str) -> None:
        self._key = key
        self.fault = SearchFault()

    def script(self, body: dict[str, Any]) -> None:
        """Switch faults on, or off with an empty object.

        Raises:
            ApiError: 400 for a fault that does not exist.
        """
        if body.get("error") not in (None, *ERRORS):
            raise invalid("error is one of 429, 500, 503, timeout, cut", "error")
        self.fault = SearchFault(body.get("error"), float(body.get("delay_s") or 0.0))

    async def answer(self, key: str, body: dict[str, Any], reply: Reply) -> None:
        """Answer one query.

        Raises:
            ApiError: the request is refused, or a fault is on.
        """
        if key != self._key:
            raise ApiError(401, "Unauthorized: missing or invalid API key.", "unauthorized")
        query, most = body.get("query"), body.get("max_results", 5)
        if not isinstance(query, str) or not query.strip():
            raise ApiError(422, "query is missing", "invalid_request", param="query")
        if not isinstance(most, int) or isinstance(most, bool) or not 0 <= most <= MOST_RESULTS:
            raise ApiError(422, f"max_results is 0 to {MOST_RESULTS}", "invalid_request", param="max_results")
        await faults.pause(self.fault.delay_s)
        if await faults.fail(self.fault.error, reply):
            return
        results = [
            {"title": article.title, "url": article.url, "content": article.content, "score": score}
            for article, score in Corpus.load().find(query, most)
        ]
        reply.json(200, {"query": query, "results": results, "response_time": 0.0})
