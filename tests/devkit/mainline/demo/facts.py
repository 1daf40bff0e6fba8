"""What a message says about the person: a name, or something to be kept in mind."""

import re
from functools import lru_cache

from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.words import words

_COMMON, _SAYING = word_set("common"), word_set("saying")

_NAME = re.compile(
    r"(?:\bmy (?:first )?name(?: is|'s)|\bi am called|\bi'm called|\b(?:people|they|just|you can|please) call me"
    r"|^call me|\bme llamo|\bmi nombre es|\bllámame|\bpuedes llamarme"
    r"|\bich heiße|\bmein name ist|\bnenn mich(?: einfach)?|\bdu kannst mich)"
    r"\s+(?!(?:a|an|the|un|una|ein|eine|back|when|later|not|is|was)\b)([^\W\d_][\w'-]{0,30})",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def name(text: str) -> str:
    """The name that somebody gives as their own, or empty."""
    found = _NAME.search(text)
    return found.group(1)[:1].upper() + found.group(1)[1:] if found else ""


_FACT = re.compile(
    r"^(?:please |por favor,? |bitte )?(?:can you |could you )?"
    r"(?:remember|don't forget|do not forget|keep in mind|make a note|note|forget|delete|erase"
    r"|recuerda|no olvides|apunta|anota|ten en cuenta|olvida|borra"
    r"|merke? dir|vergiss(?: nicht)?|notiere|denk daran)"
    r"[,:]?(?: bitte)?,?(?: that| que| dass)?,?\s*",
    re.IGNORECASE,
)


def fact(text: str) -> str:
    """What is to be remembered or forgotten, without the asking."""
    return _FACT.sub("", text.strip(), count=1).strip(" .!?") or text.strip()


def kind(fact: str) -> str:
    """What kind of note a fact is."""
    said = set(words(fact))
    if said & {"hate", "dislike", "odio", "hasse"} or {"dont", "like"} <= said:
        return "dislike"
    if said & {
        "like",
        "love",
        "prefer",
        "favourite",
        "favorite",
        "gusta",
        "prefiero",
        "favorito",
        "mag",
        "liebe",
        "lieber",
    }:
        return "preference"
    return "plan" if said & {"will", "going", "tomorrow", "manana", "morgen", "travel", "flight", "viaje"} else "fact"


def subject(fact: str) -> str:
    """The few words by which a fact is found again: what it is about, not what it says of it."""
    said = words(fact)
    end = next((place for place, word in enumerate(said) if word in _SAYING), len(said))
    for part in (said[:end] if end < len(said) else (), said):
        if telling := [word for word in part if len(word) > 2 and word not in _COMMON]:
            return " ".join(telling[:3])
    return fact[:40]
