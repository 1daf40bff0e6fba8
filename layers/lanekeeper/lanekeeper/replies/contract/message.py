"""One message of a reply on its way out: what is proven harmless goes, the rest waits until it is."""

import re
from dataclasses import dataclass
from functools import cache

from lanekeeper.replies.contract import facts, links, secrets
from lanekeeper.replies.contract.breaks import MARK
from lanekeeper.replies.contract.code import Code
from lanekeeper.replies.contract.facts import Known
from lanekeeper.replies.contract.language import Script

# A text is looked at where a word ends, so that it never matters how it was cut into pieces on its way.
_WORD_END = re.compile(r"(?<=\S)\s|\n|[\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_LINK_WORD = re.compile(r"(?:://|www\.)\S*\Z")
# Words that no rule is about: nothing but letters and the commonest marks.
_WORDS = re.compile(r"[^\d\[\]<>!:/@`~\\(){}&=\x01?\r\n-]*")
_PLAIN = re.compile(r"[^\d\[\]<>!:/@`~\\(){}&=\x01?-]*")
_PLACEHOLDER = re.compile(r"\{\{[^{}\n]*\}\}")
_OPEN_PLACEHOLDER = re.compile(r"\{\{?[^{}\n]{0,60}\Z")
_BLANK = re.compile(r"\s+")
_CONTEXT_CHARS = 80


@dataclass(slots=True, kw_only=True)
class Rules:
    """What a message is held to.

    Attributes:
        known: what it may say as a fact.
        marks: words of the prompt's own that no person may see.
        chars: characters it may have.
        script: what its beginning is to be written in, where that is sure.
    """

    known: Known
    marks: tuple[str, ...]
    chars: int
    script: Script


class Message:
    """Checks one message while it is written.

    ``fault`` names what may not go out, once something was found; nothing is released from there on.

    Args:
        rules: what it is held to.
        said: its beginning, which went out before.
    """

    def __init__(self, rules: Rules, said: str = "") -> None:
        self._rules = rules
        self._loud = _loud(rules.marks)
        self._text = said
        self._code = Code()
        self._code.follow(said, len(said))
        self._looked = self._released = len(said)
        self._tag = 0  # up to where it is known whether a tag is open
        self._in_tag = False
        self.fault = ""

    def take(self, piece: str) -> str:
        """More of it; what goes out now."""
        before = self._released
        self._text += piece
        if piece.isalnum() and piece.isascii():
            return ""  # within a word
        if self._let_words_through():
            return self._text[before : self._released]
        while not self.fault and (word := _WORD_END.search(self._text, self._looked)):
            self._looked = word.end()
            if word.group().isspace() or not _LINK_WORD.search(self._text, self._released, self._looked):
                self._look(final=False)
        return self._text[before : self._released]

    def end(self) -> str:
        """The last that goes out once no more comes."""
        before = self._released
        self._looked = len(self._text)
        if not self.fault:
            self._look(final=True)
        return self._text[before : self._released]

    def _let_words_through(self) -> bool:
        """The short way for mere words in a line of prose. It lets through no more than looking would."""
        words = self._text[self._released :]
        if not (
            self._code.in_prose
            and self._looked == self._released == len(self._code.view)
            and len(self._text) <= self._rules.chars
            and _WORDS.fullmatch(words)
            and self._is_quiet(words)
        ):
            return False
        whole = words[: words.rfind(" ") + 1].rstrip()
        end = len(whole) + 1 if whole else 0
        self._code.add_words(words[:end])
        self._released = self._looked = self._released + end
        return True

    def _is_quiet(self, words: str) -> bool:
        """Whether words hold neither the beginning of a mark nor of an address, and no script is watched."""
        return not self._rules.script.watching and self._loud.search(words) is None

    def _look(self, *, final: bool) -> None:
        """Release what is harmless of the text up to where it is looked at."""
        self._code.follow(self._text, self._looked, final=final)
        end = len(self._code.view)
        if end <= self._released:
            return
        if self._is_plain(end):
            self._released = end
            return
        begin = self._begin()
        self.fault = self._fault(begin, end)
        if not self.fault:
            self._released = end if final else max(self._released, self._undecided(begin, end))

    def _is_plain(self, end: int) -> bool:
        """Whether there is nothing in the new words that any rule could be about. Most words are like that."""
        new = self._code.view[self._released : end]
        return end <= self._rules.chars and _PLAIN.fullmatch(new) is not None and self._is_quiet(new)

    def _begin(self) -> int:
        """Where to begin to read, so that what has gone out gives the new words their sense: at a word."""
        far = self._released - _CONTEXT_CHARS
        if far <= 0:
            return 0
        blank = _BLANK.search(self._text, far, self._released)
        return blank.end() if blank else self._released

    def _fault(self, begin: int, end: int) -> str:
        rules, new = self._rules, self._released - begin
        text, view = self._text[begin:end], self._code.view[begin:end]
        if end > rules.chars:
            return "length"
        if kind := links.offence(view, new, lambda: rules.known.links, in_tag=self._is_in_tag(begin)):
            return kind
        if kind := "secret" if secrets.offence(text, new) else self._leak(text, view, new):
            return kind
        if facts.offence(view, new, rules.known):
            return "fact"
        return "language" if rules.script.watching and rules.script.is_wrong(self._code.view[:end]) else ""

    def _leak(self, text: str, view: str, new: int) -> str:
        for mark in self._rules.marks:
            if text.find(mark, max(0, new - len(mark) + 1)) >= 0:
                return "break" if mark == MARK else "leak"
        return "leak" if _PLACEHOLDER.search(view) else ""

    def _is_in_tag(self, begin: int) -> bool:
        """Whether a tag is open where it is begun to read: however long ago it began, a value in it makes it one."""
        if begin > self._tag:
            self._in_tag = links.ends_in_tag(self._code.view[self._tag : begin], in_tag=self._in_tag)
            self._tag = begin
        return self._in_tag

    def _undecided(self, begin: int, end: int) -> int:
        """Where in the text something begins that may yet become a fault."""
        if self._rules.script.watching and self._rules.script.is_doubtful(self._code.view[:end]):
            return self._released
        text, view = self._text[begin:end], self._code.view[begin:end]
        opened = _OPEN_PLACEHOLDER.search(view)
        return begin + min(
            links.undecided(view),
            secrets.undecided(text),
            facts.undecided(view, self._rules.known),
            opened.start() if opened else len(view),
            *(_beginning_of(mark, text) for mark in self._rules.marks),
        )


@cache
def _loud(marks: tuple[str, ...]) -> re.Pattern[str]:
    """What may begin a mark or an address."""
    return re.compile(r"[wW]{3}\.|[" + re.escape("".join(mark[0] for mark in marks)) + "]")


def _beginning_of(mark: str, text: str) -> int:
    """Where a text ends in the beginning of a mark; its length if it does not."""
    at = text.find(mark[0], max(0, len(text) - len(mark) + 1))
    while at >= 0 and not mark.startswith(text[at:]):
        at = text.find(mark[0], at + 1)
    return at if at >= 0 else len(text)
