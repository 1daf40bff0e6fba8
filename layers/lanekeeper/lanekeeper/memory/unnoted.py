"""What a person said of something of which no note was made yet: that can be forgotten as well (W4). Pure."""

import math
from collections.abc import Iterable

from lanekeeper.memory.aliases import aliases
from lanekeeper.memory.telling import Telling
from lanekeeper.memory.wishes import asks_to_forget
from lanekeeper.memory.words import sentences, units

NAMED = 0.5
"""The part of a subject's words that a sentence about it holds."""
# What something is called: whoever only says that there is such a thing has not said it.
_NAME = frozenset({"name", "nom", "nombre", "nome", "naam", "имя"})


def is_about(subject: str, text: str) -> bool:
    """Whether a text holds each of the words of a subject, or another word for it."""
    stems = {unit.stem for unit in units(text)}
    return all(ways & stems for ways in _about(subject))


def said_about(subject: str, text: str, known: Iterable[str] = ()) -> list[Telling]:
    """The facts that a message of the person states about a subject, one for each sentence that does.

    A question states nothing. The wish to forget it states what it names by name, number or address alone: "forget
    that my sister is called Ana" does, "forget my sister's name" does not. A sentence that says hardly more than the
    subject is a fact as well when it holds the whole of it: "I am pregnant".
    """
    about = _about(subject)
    if not about:
        return []
    asks_name = any(unit.spelling.lower() in _NAME for unit in units(subject))
    facts = []
    for sentence in sentences(text):
        stems = {unit.stem for unit in units(sentence)}
        held = [ways for ways in about if ways & stems]
        if len(held) < math.ceil(NAMED * len(about)) or sentence.rstrip().endswith(("?", "\uff1f")):
            continue
        fact = Telling.of(subject, sentence, said=text, known=known)
        if not fact.alone and fact.together <= fact.about and (asks_name or len(held) < len(about)):
            continue
        # Words of the subject that the sentence does not hold are not what it is about.
        named = frozenset(stems & set[str]().union(*held)) - fact.together
        fact = Telling(fact.alone, frozenset() if asks_to_forget(sentence) else fact.together, named)
        if not fact.is_empty:
            facts.append(fact)
    return facts


def _about(subject: str) -> list[set[str]]:
    """For each word of a subject that says something, the stems of all words for it."""
    others = aliases()
    return [
        {unit.stem, *(one.stem for word in others.get(unit.spelling, ()) for one in units(word))}
        for unit in units(subject)
        if not unit.is_small
    ]
