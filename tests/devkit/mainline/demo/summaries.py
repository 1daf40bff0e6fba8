"""What the demo model writes of a conversation that is left out: what the person told of themselves, in sentences.

It takes over the summary before, adds what was said since, and lets the last word count. Where nothing of that kind
was said it keeps what was written last.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lanekeeper.memory.masking import BLANK, FORGOTTEN
from lanekeeper.memory.wishes import asks_to_forget
from tests.devkit.mainline.demo import facts, retelling, statements
from tests.devkit.mainline.demo.conversation import plain_text
from tests.devkit.mainline.demo.statements import Statement
from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.words import words

MOST_CHARS = 3_600
MOST_LAST, LAST_CHARS = 4, 90
LEAST_WORDS, MOST_WORDS = 4, 40
LAST = "Wrote last: "

_EARLIER = re.compile(r"<summary>\n(.*?)\n</summary>", re.DOTALL)
_FIRST_PERSON, _MOMENTARY = word_set("first_person"), word_set("momentary")
_NAME_OR_NUMBER = re.compile(r"(?<=\w )[A-ZÀ-Þ]\w|\d")


def summary(messages: Sequence[dict[str, Any]]) -> str:
    """The summary that a chat request's last message asks for."""
    told = "\n".join(plain_text(message) for message in messages[:-1] if message["role"] in ("system", "developer"))
    said = [plain_text(message) for message in messages[:-1] if message["role"] == "user"]
    kept = _Lines()
    for line in lines(told):
        if not line.startswith(LAST):
            kept.add(retelling.own(line.removesuffix(".")), line)
    for text in said:
        for one in told_in(text):
            kept.add(one.body, f"{retelling.of_them(one.body)}.", puts_right=statements.puts_right(text))
    found = kept.that_fit(MOST_CHARS) or [f"{LAST}{' '.join(text.split())[:LAST_CHARS]}" for text in _last(said)]
    return "\n".join(f"- {line}" for line in found) or "- Nothing was told so far."


def lines(told: str) -> list[str]:
    """The lines of the summary in what the system tells."""
    found = (line.strip().removeprefix("- ") for part in _EARLIER.findall(told) for line in part.split("\n"))
    return [line for line in found if line]


def told_in(text: str) -> Iterator[Statement]:
    """Everything that a message says of who wrote it, as it is to be kept; nothing of what is forgotten."""
    if FORGOTTEN in text or BLANK in text or asks_to_forget(text):
        return
    if facts.is_wish(text):
        yield from (one for one in facts.to_keep(text) if not facts.is_secret(one.body))
        return
    for sentence in statements.SENTENCE_END.split(text):
        if facts.is_secret(sentence):
            continue
        found = [statements.statement(clause) for clause in statements.clauses(sentence)]
        if found and all(found):
            yield from filter(None, found)
        elif _is_of_oneself(sentence):
            yield facts.stated(statements.bare(sentence))


class _Lines:
    """What is told, each thing once; of what there is only one, and of what is put right, the last word counts."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, ...], tuple[str, str]] = {}

    def add(self, said: str, line: str, *, puts_right: bool = False) -> None:
        if words(said) in self._lines:
            return
        one = statements.statement(statements.bare(said))
        subject = one.subject if one else ""
        if one and (one.one or puts_right):
            self._lines = {key: kept for key, kept in self._lines.items() if kept[0] != subject}
        self._lines[words(said)] = (subject, line)

    def that_fit(self, chars: int) -> list[str]:
        """As many as there is room for: those without a name or a number go first, then the oldest."""
        kept = [line for _, line in self._lines.values()]
        return _shortened(kept, chars)


def _shortened(lines: Iterable[str], chars: int) -> list[str]:
    kept = list(lines)
    for plain in (True, False):
        for line in list(kept):
            if sum(map(len, kept)) + 3 * len(kept) <= chars:
                return kept
            if not (plain and _NAME_OR_NUMBER.search(line)):
                kept.remove(line)
    return kept


def _is_of_oneself(sentence: str) -> bool:
    said = words(sentence)
    lasting = not sentence.rstrip().endswith("?") and LEAST_WORDS <= len(said) <= MOST_WORDS
    return lasting and not _FIRST_PERSON.isdisjoint(said) and _MOMENTARY.isdisjoint(said)


def _last(said: Sequence[str]) -> list[str]:
    """What was written last, without what is forgotten; questions only where there is nothing else."""
    kept = [text for text in said if text.strip() and FORGOTTEN not in text and not asks_to_forget(text)]
    return ([text for text in kept if not text.rstrip().endswith("?")] or kept)[-MOST_LAST:]
