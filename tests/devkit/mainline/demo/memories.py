"""What the demo model knows of the person: recalled notes first, then the summary, then what stands in the talk."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from lanekeeper.memory.masking import BLANK, FORGOTTEN
from lanekeeper.memory.wishes import asks_to_forget
from tests.devkit.mainline.demo import facts, offers, retelling, statements, summaries
from tests.devkit.mainline.demo.conversation import Conversation
from tests.devkit.mainline.demo.statements import Statement
from tests.devkit.mainline.demo.vocabulary import table, word_set
from tests.devkit.mainline.words import words

_RECALLED = re.compile(r"<recalled>\n(.*?)\n</recalled>", re.DOTALL)
_PROFILE_NAME = re.compile(r"<profile>\n(?:.*\n)*?Name: (\S.*)")
_LINE = re.compile(r"^\w+, (?:[\w ]+, )?\d{4}-\d\d-\d\d: ")
_MEMORY = re.compile(r"^(?:do|did|can) you (?:still )?(?:remember|know|recall)\b", re.IGNORECASE)
# Only the person can know the answer: what, who, where is my ..., where do I live.
_ABOUT_ONESELF = re.compile(
    r"^(?:(?:do you (?:still )?(?:know|remember|recall)|can you (?:tell me|remember))\s+)?"
    r"(?:(?:what|who|which|where|when|how)(?:'s| [\w ]{0,16}?\b(?:is|are|was|were|does|do|did))\s+my\b"
    r"|(?:what|who|which|where|when)\b[\w ]{0,16}? (?:(?:do|did|am|was) )?i (?:live|work|like|love|hate|drink|eat"
    r"|prefer|play|own|say|tell|plan|come|grow)\b"
    r"|how old am i\b|what do i do for a living\b"
    r"|¿?\s*(?:cómo|qué|quién|cuál|dónde|cuándo)\s+(?:se llaman?|es|son|está|vive|trabaja|cumple) mis?\b"
    r"|¿?\s*(?:dónde|qué) (?:vivo|trabajo|me gusta)\b"
    r"|(?:wie|was|wer|wo|wann|welche[rs]?) (?:heißt|heißen|ist|sind|wohnt|arbeitet|hat) meine?\b"
    r"|(?:wo|was) (?:wohne|lebe|arbeite|mag|trinke) ich\b|weißt du noch,? (?:wie|was|wer|wo|wann)\b)"
    r"|^do you (?:still )?(?:remember|know) my\b",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(
    r"\bmy (?:first |last )?name\b|\bi(?:'m| am) called|\bwho (?:am i|i am)\b|\bme llamo\b|\bmi nombre\b|\bquién soy\b"
    r"|\bheiße ich\b|\bich heiße\b|\bmein(?:en)? namen?\b|\bwer (?:bin ich|ich bin)\b|\bmy (?:order|account|balance)\b",
    re.IGNORECASE,
)
_ASKING, _PERSONAL, _COMMON = word_set("asking"), word_set("personal"), word_set("common")
# Said of many things: it tells less than what it is said of.
_WEAK = frozenset({"old", "time", "good"})
_CALLED, _ALIKE = word_set("called"), table("alike")


@dataclass(frozen=True, slots=True)
class Known:
    """One thing that is known: as the person may have said it, and told back to them where that can be done."""

    said: str
    told: str | None


def is_asked_for(text: str) -> bool:
    """Whether a message asks for something that the person may have told."""
    question = _question(text)
    said = words(question)
    asks = bool(said) and (said[0] in _ASKING or bool(_MEMORY.match(question)))
    return (asks and not _PERSONAL.isdisjoint(said)) or is_of_oneself(text)


def is_of_oneself(text: str) -> bool:
    """Whether only the person can have told what a message asks for, their own name aside."""
    question = _question(text)
    return _ABOUT_ONESELF.match(question) is not None and _OWN_NAME.search(question) is None


def fitting(text: str, conversation: Conversation) -> list[Known]:
    """What has most in common with a message, from the most trusted place that has it; nothing when none has."""
    asked, asks_name = _telling(text), not _CALLED.isdisjoint(words(text))
    best: list[Known] = []
    most = 0.0
    for place in (recalled(conversation), summed_up(conversation), spoken(conversation)):
        shared = {known: _in_common(asked, known.said, asks_name=asks_name) for known in place}
        if (top := max(shared.values(), default=0)) > most:
            best, most = [known for known, count in shared.items() if count == top], top
    return best


def name(conversation: Conversation) -> str:
    """What the person is called, by what is kept of them, or empty."""
    for known in (*recalled(conversation), *summed_up(conversation)):
        if found := facts.name(known.said):
            return found
    profile = _PROFILE_NAME.search(conversation.told)
    return profile.group(1).strip() if profile else ""


def kept_before(new: Statement, conversation: Conversation) -> str:
    """The subject of what is kept and is not what a statement says now; empty when nothing of it is kept."""
    for made in reversed(conversation.looked_before):
        subject, body = str(made.args.get("subject")), str(made.args.get("body"))
        if made.name == offers.FORGET and _alike(subject, new.subject):
            return ""
        if made.name == offers.REMEMBER and not made.failure and _about(body, new.subject, subject):
            return subject if words(body) != words(new.body) else ""
    known = next((one for one in recalled(conversation) if _about(one.said, new.subject)), None)
    return new.subject if known and words(known.said) != words(new.body) else ""


def recalled(conversation: Conversation) -> list[Known]:
    """The notes that were looked up for this reply."""
    lines = "\n".join(_RECALLED.findall(conversation.note)).splitlines()
    return _all(Known(said, retelling.to_them(said)) for said in (_LINE.sub("", line) for line in lines))


def summed_up(conversation: Conversation) -> list[Known]:
    """What the summary tells of the person, line by line."""
    lines = [line for line in summaries.lines(conversation.told) if not line.startswith(summaries.LAST)]
    plain = [line.removesuffix(".") for line in lines]
    return _all(Known(retelling.own(line), retelling.from_summary(line)) for line in plain)


def spoken(conversation: Conversation) -> list[Known]:
    """What the person said of themselves in the talk, the newest first; of a thing that there is once, only that."""
    told: dict[str, str] = {}
    for text in conversation.asked:
        if asks_to_forget(text):
            gone = set(words(facts.subject_to_drop(text)))
            told = {about: body for about, body in told.items() if not gone <= set(words(f"{about} {body}"))}
        for one in summaries.told_in(text):
            about = one.subject if one.one else one.body
            told.pop(about, None)
            told[about] = one.body
    return _all(Known(body, retelling.to_them(body)) for body in reversed(told.values()))


def _all(known: Iterable[Known]) -> list[Known]:
    return [one for one in dict.fromkeys(known) if one.said and BLANK not in one.said and FORGOTTEN not in one.said]


def _question(text: str) -> str:
    sentences = [one for one in statements.SENTENCE_END.split(text.strip()) if one.strip()] or [""]
    asking = next((one for one in reversed(sentences) if one.rstrip().endswith("?")), sentences[-1])
    return statements.bare(asking)


def _in_common(asked: frozenset[str], said: str, *, asks_name: bool) -> float:
    shared = sum(0.5 if word in _WEAK else 1.0 for word in asked & _telling(said))
    named = asks_name and bool(shared) and not _CALLED.isdisjoint(words(said))
    return shared + 0.5 * named


def _telling(text: str) -> frozenset[str]:
    said = [word for word in words(text) if len(word) > 2 and word not in _COMMON]
    return frozenset(_ALIKE.get(word, word)[:5].removesuffix("s") for word in said)


def _about(body: str, subject: str, kept_under: str = "") -> bool:
    return _alike(kept_under, subject) or any(one.subject == subject for one in statements.statements(body))


def _alike(one: str, other: str) -> bool:
    return bool(one) and words(one) == words(other)
