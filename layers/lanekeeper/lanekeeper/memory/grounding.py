"""Whether a note says what its person wrote, and not what was read or guessed elsewhere (W1, B066). Pure."""

import re

from lanekeeper.memory.rules import Source, bare
from lanekeeper.memory.words import calendar_words, units

_WORD = re.compile(r"\w+")
_SIGNS = re.compile("[\u3040-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]")


def is_grounded(source: Source, body: str, said: str) -> bool:
    """Whether a note speaks of what the person wrote in the message it names, and not of something read elsewhere.

    Of a stated note half the words that carry meaning must stand in the message, of a guess a quarter. Endings may
    differ. Of the names in a note one in two must stand there: whoever asks what their sister is called has not
    said that it is Ana. Recalled notes, results of tools and the writer's own orders do not pass.
    """
    if _names_others(body, said):
        return False
    needed = 0.5 if source == "stated" else 0.25
    told, meant = _meaning(said), _meaning(body) - _HOLLOW
    if meant:
        return len(meant & told) / len(meant) >= needed
    # Short words alone, such as "likes tea": then every one of them counts.
    short = {_stem(word) for word in _words(body)} - _HOLLOW
    return bool(short) and short <= {_stem(word) for word in _words(said)}


def _stem(word: str) -> str:
    return word[:5] if len(word) > 5 else word.removesuffix("s")


# Who notes are about, and how they say that something is so: found in both, it shows nothing.
_SAYING = """
user customer client person they says said that this with have has likes liked loves prefers enjoys dislikes hates wants
plans lives living works working uses usually always often never really very about from their when while
benutzer person wohnt lebt mochte liebt bevorzugt arbeitet gerne immer uber dass haben
usuario persona gusta gustan prefiere quiere vive trabaja tiene siempre nunca para
utilisateur personne aime aiment prefere veut habite travaille toujours avec pour
utente piace piacciono preferisce vuole abita lavora sempre
pessoa gosta prefere quer mora trabalha
gebruiker persoon houdt woont werkt graag altijd heeft
"""
_HOLLOW = frozenset(map(_stem, _SAYING.split()))


def _meaning(text: str) -> set[str]:
    """The beginnings of words that carry meaning; of scripts without blanks between words, pairs of signs."""
    found: set[str] = set()
    for word in _words(text):
        if word.isascii() or not _SIGNS.search(word):
            if len(word) > 3 or word.isdigit():
                found.add(_stem(word))
        else:
            found.update(word[place : place + 2] for place in range(max(len(word) - 1, 1)))
    return found


def _words(text: str) -> set[str]:
    return set(_WORD.findall(bare(text)))


def _names_others(body: str, said: str) -> bool:
    """Whether most of the names in a note are none of the message's. Of dates and days, others may be spoken of."""
    found = [unit for unit in units(body) if unit.kind == "name" and not (unit.first or unit.is_small)]
    names = {unit.spelling.lower() for unit in found} - calendar_words()
    told = {unit.spelling.lower() for unit in units(said)}
    return bool(names) and 2 * len(names & told) < len(names)
