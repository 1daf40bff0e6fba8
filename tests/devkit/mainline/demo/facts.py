"""What a message says about the person: a name, or something to be kept in mind."""

import re
from functools import lru_cache

from tests.devkit.mainline.demo import language, statements
from tests.devkit.mainline.demo.statements import Statement
from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.words import words

_COMMON, _SAYING = word_set("common"), word_set("saying")
_DISLIKE, _PREFERENCE, _PLAN = word_set("disliking"), word_set("preferring"), word_set("planning")
_SECRET = word_set("secret")
_LONG_NUMBER = re.compile(r"\d(?:[ .-]?\d){11,}")
_NO_NAME, _ASKING_ONLY = word_set("no_name"), word_set("asking_only")

_NAME = re.compile(
    r"(?:\bmy (?:first )?name(?: is|'s)|\bi am called|\bi'm called|\b(?:people|they|just|you can|please) call me"
    r"|^call me|\bthey call me|\bthe name is|\buse my name, it is|\bme llamo|\bmi nombre es|\bllámame|\bme dicen"
    r"|\bpuedes llamarme|\bich heiße|\bmein name ist|\bnenn mich(?: einfach)?|\bdu kannst mich|\bman nennt mich)"
    r"\s+(?!(?:a|an|the|un|una|ein|eine|back|when|later|not|is|was)\b)([^\W\d_][\w'-]{0,30})",
    re.IGNORECASE,
)
# "I'm Maria" is a name, "I'm tired" is none: only a capital letter tells, and nothing may follow.
_JUST_NAME = re.compile(
    r"^(?:\w+[,!.]? )?(?i:i'm|i am|this is|soy|ich bin (?:die|der))\s+([A-ZÀ-Þ][^\W\d_]+)(?i: speaking| here)?[.!]?$"
)

_KEEP = re.compile(
    r"^(?:can you |could you |would you |puedes |kannst du )?(?:please |bitte )?"
    r"(?:remember|don't forget|do not forget|keep (?:this |it )?in mind|make a note|take a note|note(?: down)?|store"
    r"|save|recuerda|no olvides|apunta|anota|guarda|ten en cuenta|merke? dir|vergiss nicht|notiere|denk daran"
    r"|speichere)\b"
    r"[,:]?(?: bitte| please)?,?(?: (?:this|that|the following|of|que|esto|dass|das|:))*[,:]?\s*",
    re.IGNORECASE,
)
_DROP = re.compile(
    r"^(?:can you |could you |would you |puedes |kannst du )?(?:please |bitte )?(?:forget|delete|erase"
    r"|remove|olvida|borra|elimina|vergiss|lösche?)\b"
    r"(?: bitte| please| por favor)?,? ?"
    r"(?:(?:that|about|what i (?:told you|said) about|everything about|lo de|que|dass)\b"
    r"|was ich (?:dir )?über|lo que (?:te )?dije (?:de|sobre))?,?\s*",
    re.IGNORECASE,
)
_WHERE = re.compile(r"^(?:where|donde|dónde|wo) (?:i|ich|yo)?\s*(?:live|vivo|wohne|lebe)", re.IGNORECASE)
_WORKS = re.compile(r"^(?:where|what|donde|dónde|wo|was) (?:i|ich|yo)?\s*(?:work|trabajo|arbeite)", re.IGNORECASE)
_NAME_OF = re.compile(
    r"\bname of my (?P<en>\w+)|\bnamen? (?:meine[rs]|von meine[mr]) (?P<de>\w+)",
    re.IGNORECASE,
)
_LED = re.compile(r"^(?:(?:my|our|the|mis?|el|la|meine?[nmrs]?|den|die|das)\s+)+(?=\w)", re.IGNORECASE)


@lru_cache(maxsize=4096)
def name(text: str) -> str:
    """The name that somebody gives as their own, or empty."""
    found = _NAME.search(text)
    if found is None:
        found = _JUST_NAME.match(text.strip())
        if found is None or _NO_NAME.issuperset(words(found.group(1))):
            return ""
    return found.group(1)[:1].upper() + found.group(1)[1:]


def is_wish(text: str) -> bool:
    """Whether a message asks for something to be kept."""
    return any(_KEEP.match(statements.bare(sentence)) for sentence in statements.SENTENCE_END.split(text))


def to_keep(text: str) -> list[Statement]:
    """What a message asks to be remembered, without the asking: each fact by itself; none when it names nothing."""
    around: list[Statement] = []
    for sentence in statements.SENTENCE_END.split(text):
        plain = statements.bare(sentence)
        asked = _KEEP.match(plain)
        if asked is None:
            around += statements.statements(sentence)
        elif facts := [stated(clause) for clause in statements.clauses(plain[asked.end() :]) if _says(clause)]:
            return facts
    return around


def is_secret(text: str) -> bool:
    """Whether a text tells a password, a code or a card number, or means to: none of it is ever kept."""
    return not _SECRET.isdisjoint(words(text)) or _LONG_NUMBER.search(text) is not None


def subject_to_drop(text: str) -> str:
    """The few words for what a message asks to be forgotten, as they were when it was kept, or empty."""
    sentences = [statements.bare(sentence) for sentence in statements.SENTENCE_END.split(text)]
    plain = next((one for one in sentences if _DROP.match(one)), sentences[0])
    rest = _DROP.sub("", plain, count=1) or plain
    if said := statements.statements(rest):
        return said[0].subject
    if named := _NAME_OF.search(rest):
        return f"{named['de'].removesuffix('s')} Name" if named["de"] else f"{named['en']}'s name"
    if _WHERE.match(rest):
        return "home"
    if _WORKS.match(rest):
        return "work"
    if _ASKING_ONLY.issuperset(words(rest)):
        return ""
    bare = _LED.sub("", rest)
    return bare if 0 < len(words(bare)) <= 4 else subject(rest)


def kind(fact: str) -> str:
    """What kind of note a fact is."""
    said = set(words(fact))
    if said & _DISLIKE or {"dont", "like"} <= said:
        return "dislike"
    return "preference" if said & _PREFERENCE else "plan" if said & _PLAN else "fact"


def subject(fact: str) -> str:
    """The few words by which a fact is found again: what it is about, not what it says of it."""
    said = words(fact)
    end = next((place for place, word in enumerate(said) if word in _SAYING), len(said))
    for part in (said[:end] if end < len(said) else (), said):
        if telling := [word for word in part if len(word) > 2 and word not in _COMMON]:
            return " ".join(telling[:3])
    return fact[:40]


def stated(clause: str) -> Statement:
    """One bare clause as something that is kept, whatever it says."""
    body = clause[:1].upper() + clause[1:]
    known = statements.statement(clause)
    return known or Statement(kind(clause), subject(clause), body, language.detect(clause, "en"), one=False)


def _says(clause: str) -> bool:
    return not _ASKING_ONLY.issuperset(words(clause))
