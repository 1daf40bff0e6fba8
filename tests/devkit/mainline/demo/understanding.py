"""What a message wants: its nearest example, helped by a few things that code sees better."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from tests.devkit.mainline.demo import facts, language, statements
from tests.devkit.mainline.demo.arithmetic import solve
from tests.devkit.mainline.demo.router import UNKNOWN, Router
from tests.devkit.mainline.demo.vocabulary import by_word, word_set
from tests.devkit.mainline.words import words

# Messages that point back at what was said, and name nothing themselves.
_POINTING = {"more", "repeat", "sources"}
_DOING = {"compose", "act", "remember", "forget", "human", "joke"}
_SETTLED = by_word("settled")

_ASKING = word_set("asking")
_KEEPING = word_set("keeping")
# What a plain sentence about oneself may mean as well.
_MEANT = {"human", "feelings", "forget", "compose"}
_PERSONAL = word_set("personal")
_ABOUT = re.compile(
    r"\b(?:tell me|explain|know|learn|hear|háblame|cuéntame|saber|erzähl mir|erkläre? mir|wissen)\b.*"
    r"\b(?:about|de|sobre|über|von)\s+(?!you|me\b|my|it\b|that|this|eso|esto|ti\b|mí|dir|mich|mir|das\b)\w",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening)|hola|buen[oa]s (?:días|tardes|noches)"
    r"|hallo|guten (?:tag|morgen|abend))"
    r"(?: there| again)?\b[\s,.!]+(?=\w+\W+\w+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a message wants, and in which language it was said."""

    intent: str
    language: str


@lru_cache(maxsize=4096)
def understand(text: str) -> Meaning:
    """The intent of a message, or ``unknown``."""
    route = Router.load().route(text)
    opened = _OPENING.sub("", text.strip(), count=1)
    if opened != text.strip() and (route.intent != "greeting" or Router.load().route(opened).intent != UNKNOWN):
        inner = understand(opened)
        if inner.intent != UNKNOWN:
            return inner
    return Meaning(_intent(text, route.intent), language.detect(text, route.language))


def _intent(text: str, routed: str) -> str:
    said = words(text)
    if not any(word[0].isalpha() for word in said) and not solve(text):
        return UNKNOWN
    if solve(text):
        return "arithmetic"
    if facts.name(text) and not text.rstrip().endswith("?") and not facts.is_wish(text):
        return "tell_name"
    if facts.is_wish(text) and statements.statement(facts.to_keep(text)[0].body if facts.to_keep(text) else ""):
        return "remember"
    if mentions(text) and routed not in _MEANT and (routed != "remember" or _KEEPING.isdisjoint(said)):
        return "mention"
    if routed == "tell_name":
        return UNKNOWN
    settled = next((_SETTLED[word] for word in said if word in _SETTLED), "")
    if settled and routed not in _DOING:
        return settled
    if _ABOUT.search(text) and routed not in ("news", "identity"):
        return "search"
    asked = said[0] in _ASKING and len(said) > 2 and not _PERSONAL & set(said)
    return "search" if asked and (routed == UNKNOWN or _names_more(said, routed)) else routed


def mentions(text: str) -> bool:
    """Whether a message plainly says something of who writes it, and asks for nothing."""
    said = [clause for sentence in statements.SENTENCE_END.split(text) for clause in statements.clauses(sentence)]
    plain = bool(said) and statements.statement(said[-1]) is not None
    return plain and not text.rstrip().endswith("?") and not facts.is_wish(text)


def _names_more(said: tuple[str, ...], intent: str) -> bool:
    """Whether a question names things that no example of its intent does, and little else."""
    if intent in ("time", "date"):
        return False
    telling = [word for word in said if len(word) > 3]
    strange = [word for word in telling if word not in _words_of(intent)]
    return len(strange) > (0 if intent in _POINTING else len(telling) / 2)


@cache
def _words_of(intent: str) -> frozenset[str]:
    return frozenset(word for phrase in Router.load().phrases(intent) for word in words(phrase))
