"""A reply held to its contract: so many messages, each of them harmless, in the words of its model."""

from lanekeeper.replies.contract.breaks import BREAK, MARK
from lanekeeper.replies.contract.cards import Cards
from lanekeeper.replies.contract.message import Message, Rules

# What a model is told of its fault, so that it can do better.
REASONS = {
    "link": "It held a link that stands in no tool result and in no message of the person. Give links only exactly as "
    "they stand there, with a blank after them, never made up, shortened or extended, and none by reference. A link "
    "inside a file is not given out: say where in the file it stands.",
    "image": "It held an image. Images cannot be shown: describe it, or leave it out.",
    "html": "It held HTML. Write plain text; HTML may only stand in a code block.",
    "break": "It held the mark that ends a message in the middle of a line. Write that mark on a line of its own, with "
    "nothing before or after it on that line, or leave it out and end the sentence instead.",
    "secret": "It held a card number, a key or a one-time code. Never write such a thing out, whoever wrote it first.",
    "leak": "It held words of your instructions that are not for the person.",
    "fact": "It held an amount, a date or a reference that is not what the tools gave. Copy each one letter for "
    "letter from a tool result, and work none out yourself.",
    "language": "It was in another language than the person's. Answer in theirs, unless they asked for another one.",
    "length": "The message grew too long. Bring it to an end within a sentence or two.",
    "messages": "It had more messages than a reply may have. Only one more may be sent: put what is still to be said "
    "into that one.",
}


class Contract:
    """Lets the text of one answer through, as far as it may go out.

    For the same text the same goes out, however it was cut into pieces on its way here. ``fault`` names what was
    wrong once something was: nothing goes out from there on, and what did go out stands.

    The last message that there may be waits for the answer's end: only then is it known whether it is the end of the
    reply, or was said beside tool calls whose answer is still to come and must have its place. One that grew too long
    for a message is the answer.

    Args:
        rules: what each message is held to.
        messages: how many messages the answer may have, those of ``said`` included; None for any number.
        said: the answer's beginning, which went out before.
        before: the end of what the reply said before this answer.
    """

    def __init__(self, rules: Rules, messages: int | None, said: str = "", before: str = "") -> None:
        *earlier, last = said.split(BREAK)
        self._rules = rules
        self._left = None if messages is None else max(0, messages - len(earlier) - 1)
        self._until_last = self._left
        self._message = Message(rules, last)
        self._cards = Cards(before + BREAK + said if before else said)
        self._break = ""
        self._fault = ""
        self._last = ""
        self.fault = ""

    def take(self, text: str) -> str:
        """More of the answer; what of it goes out now. A break comes whole, with words behind it."""
        released = self._read(text) if text else ""
        if not released and not self._fault:
            return ""
        out = self._without_last(self._without_cards(released))
        return out + self._let_last_out() if self.fault == "length" else out

    def end(self, *, goes_on: bool = False) -> str:
        """The last that goes out once no more comes.

        Args:
            goes_on: whether the answer called tools, so that another follows it. ``fault`` stays empty, but the last
                message that a reply may have does not go out then.
        """
        if self.fault:
            return ""
        out = self._without_cards(self._end_message())
        if not self.fault:
            out += self._cards.end()
            self._note_fault()
        out = self._without_last(out)
        waits = goes_on or self.fault not in ("", "length")
        return out if waits else out + self._let_last_out()

    @property
    def kept(self) -> str:
        """The last message, while it waits."""
        return self._last

    def _let_last_out(self) -> str:
        last, self._last = self._last, ""
        return last

    def _read(self, text: str) -> str:
        """What each message by itself lets through."""
        first, *others = text.split(BREAK) if MARK in text else (text,)
        out = self._checked(self._message.take(first))
        for other in others:
            out += self._end_message()
            if self._fault:
                break
            if self._left == 0:
                self._fault = "messages"
                break
            if self._left is not None:
                self._left -= 1
            self._message, self._break = Message(self._rules), BREAK
            out += self._checked(self._message.take(other))
        return out

    def _end_message(self) -> str:
        return "" if self._fault else self._checked(self._message.end())

    def _checked(self, released: str) -> str:
        self._fault = self._fault or self._message.fault
        if released and self._break:
            released, self._break = self._break + released, ""
        return released

    def _without_cards(self, text: str) -> str:
        """What of a text is known to belong to no card number. Only this looks at all messages together."""
        out = self._cards.take(text) if text else ""
        if self._fault or self._cards.found:
            self._note_fault()
        return out

    def _note_fault(self) -> None:
        self.fault = self.fault or ("secret" if self._cards.found else self._fault)

    def _without_last(self, text: str) -> str:
        """A text up to the last message that there may be."""
        if not text or not (self._until_last == 0 or (self._until_last and MARK in text)):
            return text
        parts = text.split(BREAK)
        if len(parts) <= self._until_last:
            self._until_last -= len(parts) - 1
            return text
        out = BREAK.join(parts[: self._until_last])
        self._last += text[len(out) :]
        self._until_last = 0
        return out
