"""What a person said of something of which no note was made yet: that can be forgotten as well (W4). Pure."""

import math
from collections.abc import Iterable

from lanekeeper.memory.telling import Telling
from lanekeeper.memory.wishes import asks_to_forget
from lanekeeper.memory.words import sentences, units

NAMED = 0.5
"""The part of a subject's words that a sentence about it holds."""


def said_about(subject: str, text: str, known: Iterable[str] = ()) -> list[Telling]:
    """The facts that a message of the person states about a subject, one for each sentence that does.

    A question states nothing. The wish to forget it states what it names by name, number or address alone: "forget
    that my sister is called Ana" does, "forget my sister's name" does not.
    """
    about = {unit.stem for unit in units(subject) if not unit.is_small}
    if not about:
        return []
    facts = []
    for sentence in sentences(text):
        held = about & {unit.stem for unit in units(sentence)}
        if len(held) < math.ceil(NAMED * len(about)) or sentence.rstrip().endswith(("?", "\uff1f")):
            continue
        fact = Telling.of(subject, sentence, said=text, known=known)
        if asks_to_forget(sentence):
            fact = Telling(fact.alone, about=fact.about)
        elif not fact.alone and fact.together <= fact.about:
            continue
        if not fact.is_empty:
            facts.append(fact)
    return facts
