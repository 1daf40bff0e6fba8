"""Where one message of a reply ends and the next begins: the model says so, by a line of its own."""

import re

MARK = "<message-break>"
BREAK = f"\n{MARK}\n"

# Blank space is tried from its beginning alone, a word from its own: else time grew with the square of their length.
_MARK_LINE = re.compile(rf"(?P<before>(?<!\s)\s+|){MARK}(?P<after>\s*)(?=\S)")
_LAST_WORD = re.compile(r"(?<!\S)\S*\Z")


def joined(*messages: str) -> str:
    """Messages as one text, the empty ones left out."""
    return BREAK.join(message for message in messages if message)


class Breaks:
    """Brings the marks of a model that is still writing into one form, ``BREAK``, and leaves all else as it is.

    A mark counts only on a line of its own. Blank space around it goes, and so does a mark with nothing before or
    after it. A break is given out in one piece with the first words after it.

    Args:
        begun: whether the text goes on from words that were shown before.
    """

    def __init__(self, *, begun: bool) -> None:
        self._begun = begun
        self._line_begins = True
        self._breaks = False
        self._held = ""

    def take(self, piece: str) -> str:
        """What of the text so far is certain, and new."""
        text = self._held + piece
        if "<" not in text:
            certain = len(text.rstrip())
            self._held = text[certain:]
            return self._say(text[:certain])
        out = ""
        position = 0
        for mark in _MARK_LINE.finditer(text):
            own_line = "\n" in mark["before"] or (mark.start() == position and self._line_begins)
            if own_line and "\n" in mark["after"]:
                out += self._say(text[position : mark.start()])
                self._breaks, self._line_begins = self._begun, True
                position = mark.end()
        rest = text[position:]
        certain = self._certain(rest)
        self._held = rest[certain:]
        return out + self._say(rest[:certain])

    def end(self) -> str:
        """What is left once no more comes."""
        held, self._held = self._held, ""
        before, found, after = held.partition(MARK)
        if found and not after.strip() and ("\n" in before or (self._line_begins and not before)):
            return ""
        return "" if self._breaks and not held.strip() else self._say(held)

    def _certain(self, text: str) -> int:
        """How much of a text can no longer become blank space around a mark, or a mark."""
        end = len(text.rstrip())
        last = _LAST_WORD.search(text, 0, end)
        assert last is not None
        word = last.group()
        if MARK.startswith(word) and (word == MARK or end == len(text)):
            before = text[: last.start()]
            blank = before[len(before.rstrip()) :]
            if "\n" in blank or (not before.rstrip() and self._line_begins):
                return len(before.rstrip())
        return end

    def _say(self, text: str) -> str:
        if not text:
            return ""
        broken = self._breaks
        self._breaks, self._line_begins, self._begun = False, False, True
        return BREAK + text.lstrip() if broken else text
