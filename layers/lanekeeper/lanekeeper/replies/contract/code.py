"""Which part of a message is code, where no renderer makes a link, an image or HTML of anything.

Only what every renderer takes for code counts: a fence at most three spaces in, a span of backticks within one line.
Where renderers could differ on what comes after (an escaped or single backtick, HTML, a fence that its list ends or
that is almost closed, a table's cell that ends within a span, a carriage return), no further code is believed in that
message. Taking code for prose is safe, the other way round is a hole.
"""

import re

_FENCE = re.compile(r"(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})(?P<info>.*)")
# What may yet become a fence.
_BEGUN = re.compile(r" *(?:`{0,2}|~{0,2})")
_TICKS = re.compile(r"`+")
_DOUBTFUL = re.compile(r"<[A-Za-z/!?]|\\`")
# What stands behind a fence that some renderers take for its end and others do not.
_NEARLY_NOTHING = re.compile(r"[\s\ufeff`~]*")
# The line below a table's head, if it has a dash. From there on a bar may end a cell, and with it a span.
_BELOW_HEAD = re.compile(r"[-:|>\s]*")
# Longer spans within a line are taken for prose.
_SPAN_CHARS = 200

BLANK = "\x01"
_IN_SPAN = str.maketrans(dict.fromkeys("<>[]!()", BLANK))


class Code:
    """Follows one message and keeps a view of it: as long as the text, with code made harmless.

    ``view`` ends where it is not known yet what the text is.
    """

    def __init__(self) -> None:
        self.view = ""
        self._believed = True
        self._in_table = False
        self._fence = ""
        self._indent = 0
        self._line = 0
        self._kind = ""  # of the line at the end of the view: prose, code, or not known yet

    @property
    def in_prose(self) -> bool:
        """Whether the line at the end of the view is known to be prose."""
        return self._kind == "prose"

    def add_words(self, words: str) -> None:
        """Take in words that hold no mark of any kind, within a line of prose."""
        self.view += words

    def follow(self, text: str, end: int, *, final: bool = False) -> None:
        """Take in the message up to ``end``."""
        while (at := len(self.view)) < end:
            if text[at] == "\r":
                # A line ends here or does not, as the renderer likes.
                self._believed, self._fence, self._kind = False, "", "prose"
            newline = text.find("\n", at, end)
            stop = end if newline < 0 else newline + 1
            whole = newline >= 0 or final
            if (carriage := text.find("\r", at + 1, stop)) >= 0:
                newline, stop, whole = -1, carriage, True
            if not self._kind:
                self._kind = self._kind_of(text[self._line : stop], whole=whole)
                if not self._kind:
                    return
            if self._kind == "code":
                self._add(re.sub(r"[^\n]", BLANK, text[len(self.view) : stop]))
            elif not self._prose(text, stop, whole=whole):
                return
            if newline >= 0:
                if self._kind == "prose" and _BELOW_HEAD.fullmatch(text, self._line, stop):
                    self._in_table |= "-" in text[self._line : stop]
                self._line, self._kind = stop, ""

    def _kind_of(self, line: str, *, whole: bool) -> str:
        fence = _FENCE.match(line)
        if self._fence:
            return self._kind_in_fence(line, fence, whole=whole)
        if not (self._believed and fence):
            return "" if self._believed and not whole and _BEGUN.fullmatch(line) else "prose"
        if not whole:
            return ""
        if fence["fence"][0] == "`" and "`" in fence["info"]:
            return "prose"
        self._fence, self._indent = fence["fence"], len(fence["indent"])
        return "code"

    def _kind_in_fence(self, line: str, fence: re.Match[str] | None, *, whole: bool) -> str:
        content = line.lstrip(" ")
        if not content.strip(" \t\n") or (not whole and (fence or _BEGUN.fullmatch(line))):
            return "code" if whole else ""
        if fence and fence["fence"].startswith(self._fence) and _NEARLY_NOTHING.fullmatch(fence["info"]):
            self._fence = ""
            if fence["info"].strip(" "):
                self._believed = False
                return "prose"
        elif len(line) - len(content) < self._indent:
            # A fence inside a list ends with its list.
            self._fence, self._believed = "", False
            return "prose"
        return "code"

    def _prose(self, text: str, stop: int, *, whole: bool) -> bool:
        """Take in prose up to ``stop``; False when a span is open and its end not known yet."""
        while (at := len(self.view)) < stop:
            opening = _TICKS.search(text, at, stop) if self._believed else None
            if opening is None:
                self._add_prose(text[at:stop])
                return True
            self._add_prose(text[at : opening.start()])
            if text[opening.start() - 1 : opening.start()] == "\\":
                self._believed = False
            if not self._believed:
                continue
            closing = next(
                (t for t in _TICKS.finditer(text, opening.end(), stop) if len(t.group()) == len(opening.group())), None
            )
            if closing is not None and self._in_table and "|" in text[opening.end() : closing.start()]:
                self._believed = False
            elif closing is not None:
                self._add(text[opening.start() : closing.end()].translate(_IN_SPAN))
            elif whole or stop - opening.start() > _SPAN_CHARS:
                self._believed = False
            else:
                return False
        return True

    def _add_prose(self, text: str) -> None:
        if _DOUBTFUL.search(self.view[-1:] + text):
            self._believed = False
        self._add(text)

    def _add(self, text: str) -> None:
        self.view += text
