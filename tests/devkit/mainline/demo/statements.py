"""What a person plainly says of themselves: clause by clause, each with what it is about. English, Spanish, German."""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.words import words

_TABLE: dict[str, list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_PATTERNS = tuple(
    (language, row, re.compile(row["says"], re.IGNORECASE)) for language, rows in _TABLE.items() for row in rows
)

SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")
# Where a second thing is said in the same sentence.
_CLAUSE = re.compile(
    r",? (?:and(?: also)?|but|y|pero|und|aber) "
    r"(?=(?:i|i'm|my|our|we|me|mi|mis|no me|vivo|trabajo|tengo|prefiero|soy|ich|meine?|unsere?)\b)",
    re.IGNORECASE,
)
# What may stand before it. Whoever puts something right begins with one of the last line.
_OPENERS = (
    r"hi|hello|hey|well|also|and|oh|ok|okay|so|yes|please|by the way|thanks|that|for the future|from now on"
    r"|hola|buenas|bueno|y|además|que|hallo|und|also|übrigens|dass|ach"
)
_RIGHTING = (
    r"no(?=\s*[,.:;!]|\s+(?:my|i|our|meine?)\b)|nope|wait|sorry|actually|correction|i mean|i meant|not quite"
    r"|perdón|perdona|en realidad|mejor dicho|digo"
    r"|nein|doch|stimmt nicht|eigentlich|tatsächlich|moment|korrektur|ich meine|ich meinte"
)
_LEADING = re.compile(rf"^(?:\W*\b(?:{_OPENERS}|{_RIGHTING})\b(?!')[\s,.:;!¡¿-]+)+(?=\S)", re.IGNORECASE)
_RIGHTS = re.compile(rf"^(?:\W*\b(?:{_OPENERS})\b[\s,.:;!]+)*\W*\b(?:{_RIGHTING})\b[\s,.:;!-]+(?=\S)", re.IGNORECASE)

_VERB = "wohne|lebe|arbeite|mag|liebe|trinke|esse|bin|habe|heißt|hat|ist|wohnt|arbeitet"
# After "dass" the verb stands last.
_VERB_LAST = re.compile(rf"(ich|(?:meine?|unsere?) \w+) (?!(?:{_VERB})\b)(.+) ({_VERB})", re.IGNORECASE)

_BEFORE, _AFTER, _POINTING = word_set("before"), word_set("after"), word_set("pointing")
_VERBS: dict[str, str] = {
    "lives": "{}'s home", "works": "{}'s work", "likes": "{}'s likes", "loves": "{}'s likes", "plays": "{}'s hobby",
    "vive": "casa de {}", "trabaja": "trabajo de {}", "wohnt": "{} Wohnort", "arbeitet": "{} Arbeit",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that somebody says of themselves.

    Attributes:
        kind: of note.
        subject: one to four words for what it is about; the same for whatever takes its place.
        body: the clause in their own words.
        language: en, es or de.
        one: of such a thing there is only one, so that the last word on it counts.
    """

    kind: str
    subject: str
    body: str
    language: str
    one: bool


@lru_cache(maxsize=4096)
def statements(text: str) -> tuple[Statement, ...]:
    """Everything of that kind in a message, in its order; questions never are."""
    found = (statement(clause) for sentence in SENTENCE_END.split(text) for clause in clauses(sentence))
    return tuple(one for one in found if one is not None)


def clauses(sentence: str) -> list[str]:
    """A sentence in pieces that each say one thing; none when it asks something."""
    if sentence.rstrip().endswith("?"):
        return []
    return [piece for clause in _CLAUSE.split(sentence) if (piece := bare(clause))]


def bare(sentence: str) -> str:
    """A sentence without what only leads up to it and without its last sign."""
    plain = _LEADING.sub("", sentence.strip()).strip(" \t.!…,;:¡¿")
    return _VERB_LAST.sub(r"\1 \3 \2", plain) if _VERB_LAST.fullmatch(plain) else plain


def puts_right(text: str) -> bool:
    """Whether a message begins as one that puts something right: ``no, ...``, ``actually ...``."""
    return _RIGHTS.match(text) is not None


def statement(clause: str) -> Statement | None:
    """What one bare clause says, when it is such a statement."""
    for language, row, pattern in _PATTERNS:
        if found := pattern.fullmatch(clause):
            about: str = row.get("subject") or _subject(
                {name: said for name, said in found.groupdict().items() if said}
            )
            body = clause[:1].upper() + clause[1:]
            return Statement(row["kind"], about, body, language, bool(row.get("one"))) if about else None
    return None


def _subject(groups: dict[str, str]) -> str:
    for name, said in groups.items():
        match name.partition("_")[0]:
            case "of":
                return f"{said}'s name" if not said[:1].isupper() else f"{said} Name"
            case "de":
                return f"nombre de mi {said}"
            case "about":
                return said
            case "thing" | "cosa":
                return thing(said, first=name.startswith("cosa"))
            case "whose":
                return _VERBS.get(groups["verb"].casefold(), "{}").format(said)
    return ""


def thing(phrase: str, *, first: bool = False) -> str:
    """The word that names what a phrase speaks of: ``strong coffee in the morning`` speaks of ``coffee``.

    Empty when it only points at something. ``first``: its noun stands before what describes it, as in Spanish.
    """
    said: list[str] = re.findall(r"[\w'-]+", phrase)
    plain = ["".join(words(word)) for word in said]
    start = next((at for at, word in enumerate(plain[:-1]) if word not in _BEFORE), len(said) - 1)
    end = next((at for at in range(start + 1, len(said)) if plain[at] in _AFTER), len(said))
    said = said[max(start, 0) : end]
    if not said or plain[start] in _POINTING:
        return ""
    if first:
        return said[0]
    at = len(said) - 1
    while at and said[at][0].isupper() and said[at - 1][0].isupper():
        at -= 1
    return " ".join(said[at:])
