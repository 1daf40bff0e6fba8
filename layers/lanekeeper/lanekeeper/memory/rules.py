"""What may become a note, which of two notes stands, and what hits are worth: pure rules (W1, W2, W5, R3)."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

Kind = Literal["fact", "preference", "dislike", "plan"]
Source = Literal["stated", "inferred"]

_LEADING = re.compile(r"^(?:(?:my|the|a|an|user|user's|their|his|her|our)\s+)+(?=\S)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A note as it is to be saved: one fact, about one subject, from one message of the person."""

    kind: Kind
    subject: str
    body: str
    source: Source
    source_message_id: str
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A note that stands already, about the same subject.

    ``said_later``: it comes from a message that was written after the one the new note comes from. Notes are not made
    in the order in which things were said: one conversation may be read hours after another.
    """

    id: str
    body: str
    source: Source
    said_later: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """Which note stands. ``kept`` is the new one's fate; ``replaces`` the note in whose place it comes, if any."""

    kept: bool
    replaces: str | None = None


class Label(Enum):
    """What to do with what was recalled."""

    AGREED = "agreed"
    """One thing was meant: use it."""
    AMBIGUOUS = "ambiguous"
    """Several fit: name them and ask which."""
    ASK = "ask"
    """Nothing fits: ask for the detail."""


STRONG_SHARE = 0.6
"""Share of a message's weight that one note must hold to be what was meant."""
WEAK_SHARE = 0.25
"""Below it a note fits by accident."""
LEAD = 0.75
"""A note about another subject that holds this part of the best one's share may have been meant as well."""


def normalised_subject(subject: str, most_chars: int = 80) -> str:
    """One spelling for one subject: lower case, no accents, no signs, no word that only leads up to it.

    ``"My  Sister's name!"`` and ``"sister's name"`` are the same subject. Empty when nothing is left.
    """
    plain = " ".join(re.findall(r"[\w']+", bare(subject).replace("\u2019", "'")))
    return _LEADING.sub("", plain).replace("'s ", " ").replace("'", "")[:most_chars].strip()


def cut_body(body: str, most_words: int, most_bytes: int) -> str:
    """A note's text with single blanks, at most so many words and bytes; the rest is left out."""
    return cut_to_bytes(" ".join(body.split()[:most_words]), most_bytes)


def cut_to_bytes(text: str, most_bytes: int) -> str:
    """The beginning of a text that fits, whole characters only."""
    return text.encode()[:most_bytes].decode("utf-8", "ignore").rstrip()


def settle(source: Source, body: str, rivals: Sequence[Rival]) -> Settled:
    """Decide between a new note and those that stand about its subject, newest first.

    A guess never replaces what was said; what was said last replaces whatever stands; the same again changes nothing.
    """
    if any(rival.said_later and source in (rival.source, "inferred") for rival in rivals):
        return Settled(kept=False)
    stated = next((rival for rival in rivals if rival.source == "stated"), None)
    if source == "inferred" and stated is not None:
        return Settled(kept=False)
    standing = stated or next(iter(rivals), None)
    if standing is None:
        return Settled(kept=True)
    if standing.source == source and _words(standing.body) == _words(body):
        return Settled(kept=False)
    return Settled(kept=True, replaces=standing.id)


def label(hits: Sequence[tuple[str, float]]) -> Label:
    """What to do with hits, best first, each its subject and its share of the message's weight (0 to 1)."""
    fitting = [(subject, share) for subject, share in hits if share >= WEAK_SHARE]
    if not fitting:
        return Label.ASK
    best_subject, best = max(fitting, key=lambda hit: hit[1])
    rivals = [subject for subject, share in fitting if share >= best * LEAD and subject != best_subject]
    return Label.AGREED if best >= STRONG_SHARE and not rivals else Label.AMBIGUOUS


def _words(text: str) -> set[str]:
    return set(_WORD.findall(bare(text)))


def bare(text: str) -> str:
    """Lower case without accents, composed again."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not "\u0300" <= sign <= "\u036f"))
