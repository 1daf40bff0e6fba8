"""Where one message of a reply ends and the next begins: the model says so, by a mark where a line begins or ends."""

import re

MARK = "<message-break>"
BREAK = f"\n{MARK}\n"

# Blank space is tried from its beginning alone: else time grew with the square of its length.
_MARK_LINE = re.compile(rf"(?P<before>(?<!\s)\s+|){MARK}(?P<after>\s*)(?=\S)")


def joined(*messages: str) -> str:
    """Messages as one text, the empty ones left out."""
    return BREAK.join(message for message in messages if message)


class Breaks:
    """Brings the marks of a model that is still writing into one form, ``BREAK``, and leaves all else as it is.

    The mark is to have a line of its own, and counts where a line begins or ends with it. Within a line it is no
    break but words that nobody may see. Blank space around a break goes, and so does a mark with nothing before or
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
            begins_line = "\n" in mark["before"] or (mark.start() == position and self._line_begins)
            if begins_line or "\n" in mark["after"]:
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
        if found and not before.strip() and not after.strip():
            return ""
        return "" if self._breaks and not held.strip() else self._say(held)

    def _certain(self, text: str) -> int:
        """How much of a text can no longer become blank space around a mark, or a mark."""
        at = text.rfind("<")
        mark = text[at:].rstrip() if at >= 0 else ""
        if mark and MARK.startswith(mark) and (mark == MARK or at + len(mark) == len(text)):
            return len(text[:at].rstrip())
        return len(text.rstrip())

    def _say(self, text: str) -> str:
        if not text:
            return ""
        broken = self._breaks
        self._breaks, self._line_begins, self._begun = False, False, True
        return BREAK + text.lstrip() if broken else text
