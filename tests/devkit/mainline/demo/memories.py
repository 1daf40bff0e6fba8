"""What the demo model knows of the person: recalled notes, what it was asked to keep, and what they wrote before."""

import re

from lanekeeper.memory.masking import BLANK, FORGOTTEN
from tests.devkit.mainline.demo import facts, offers
from tests.devkit.mainline.demo.conversation import Conversation
from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.words import words

_RECALLED = re.compile(r"<recalled>\n(.*?)\n</recalled>", re.DOTALL)
_LINE = re.compile(r"^\w+, \d{4}-\d\d-\d\d: ", re.MULTILINE)
_MEMORY = re.compile(r"^(?:do|did|can) you (?:still )?(?:remember|know|recall)\b", re.IGNORECASE)
_ASKING, _PERSONAL, _COMMON = word_set("asking"), word_set("personal"), word_set("common")


def is_asked_for(text: str) -> bool:
    """Whether a message asks for something that the person may have told."""
    said = words(text)
    asks = text.rstrip().endswith("?") and bool(said) and (said[0] in _ASKING or bool(_MEMORY.match(text)))
    return asks and not _PERSONAL.isdisjoint(said)


def fitting(text: str, conversation: Conversation) -> list[str]:
    """The facts that have most in common with a message, the newest first; none when they have nothing."""
    told = _telling(text)
    shared = {fact: len(told & _telling(fact)) for fact in _known(conversation)}
    most = max(shared.values(), default=0)
    return [fact for fact, count in shared.items() if most and count == most]


def _known(conversation: Conversation) -> list[str]:
    found = _RECALLED.search(conversation.note)
    recalled = _LINE.sub("", found.group(1)).splitlines() if found else []
    kept = [made.args.get("body") for made in reversed(conversation.looked_before) if made.name == offers.REMEMBER]
    said = [facts.fact(text) for text in reversed(conversation.asked) if not text.rstrip().endswith("?")]
    known = [str(fact) for fact in (*kept, *said, *recalled) if fact and fact not in (BLANK, FORGOTTEN)]
    return list(dict.fromkeys(known))


def _telling(text: str) -> frozenset[str]:
    return frozenset(word[:5].removesuffix("s") for word in words(text) if len(word) > 2 and word not in _COMMON)
