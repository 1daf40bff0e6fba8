"""A reply held to its contract: so many messages, each of them harmless, in the words of its model."""

from lanekeeper.replies.contract.breaks import BREAK
from lanekeeper.replies.contract.message import Message, Rules

# What a model is told of its fault, so that it can do better.
REASONS = {
    "link": "It held a link that stands in no tool result and in no message of the person. Give links only exactly as "
    "they stand there, with a blank after them, never made up, shortened or extended, and none by reference.",
    "image": "It held an image. Images cannot be shown: describe it, or leave it out.",
    "html": "It held HTML. Write plain text; HTML may only stand in a code block.",
    "secret": "It held a card number, a key or a one-time code. Never write such a thing out, whoever wrote it first.",
    "leak": "It held words of your instructions that are not for the person.",
    "fact": "It held an amount, a date or a reference that is not what the tools gave. Copy each one letter for "
    "letter from a tool result, and work none out yourself.",
    "language": "It was in another language than the person's. Answer in theirs, unless they asked for another one.",
    "length": "The message grew too long. Bring it to an end within a sentence or two.",
    "messages": "It went on with one message more than a reply may have. Leave that one out.",
}


class Contract:
    """Lets the text of one answer through, as far as it may go out.

    For the same text the same goes out, however it was cut into pieces on its way here. ``fault`` names what was
    wrong once something was: nothing goes out from there on, and what did go out stands.

    Args:
        rules: what each message is held to.
        messages: how many messages the answer may have, those of ``said`` included.
        said: the answer's beginning, which went out before.
    """

    def __init__(self, rules: Rules, messages: int, said: str = "") -> None:
        *earlier, last = said.split(BREAK)
        self._rules = rules
        self._left = messages - len(earlier) - 1
        self._message = Message(rules, last)
        self._break = ""
        self.fault = ""

    def take(self, text: str) -> str:
        """More of the answer; what of it goes out now. A break comes whole."""
        first, *others = text.split(BREAK)
        out = self._checked(self._message.take(first))
        for other in others:
            out += self.end()
            if self.fault:
                break
            if not self._left:
                self.fault = "messages"
                break
            self._left -= 1
            self._message, self._break = Message(self._rules), BREAK
            out += self._checked(self._message.take(other))
        return out

    def end(self) -> str:
        """The last that goes out once no more comes."""
        return "" if self.fault else self._checked(self._message.end())

    def _checked(self, released: str) -> str:
        self.fault = self.fault or self._message.fault
        if not released:
            return ""
        out, self._break = self._break + released, ""
        return out
