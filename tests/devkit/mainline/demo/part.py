"""One message of a conversation, with everything that its answer may want to know."""

from collections.abc import Callable

from tests.devkit.mainline.demo import facts, language, offers, topics
from tests.devkit.mainline.demo.conversation import Conversation, Looked
from tests.devkit.mainline.demo.phrases import in_a_row, say
from tests.devkit.mainline.demo.router import UNKNOWN
from tests.devkit.mainline.demo.understanding import Meaning, understand
from tests.devkit.mainline.scripts import Call
from tests.devkit.mainline.words import words

SHOWN = 3


class Part:
    """The answer to one message of a conversation.

    Args:
        conversation: all that is known.
        text: the message.
    """

    def __init__(self, conversation: Conversation, text: str) -> None:
        self.conversation = conversation
        self.text = text
        self.meaning = self._meaning()
        self.language = self._language()

    def say(self, occasion: str, **slots: str) -> str:
        """A line for an occasion, with what every line may want to know."""
        seed = f"{len(self.conversation.asked)} {self.text}"
        known = {"name": f", {name}" if (name := self.name()) else "", "skills": self.skills()}
        return say(occasion, self.language, seed, **{**known, **slots})

    def name(self) -> str:
        """What the person said their name is, or empty."""
        told = [*self.conversation.asked, *self.conversation.pending]
        return next((name for text in reversed(told) if (name := facts.name(text))), "")

    def skills(self) -> str:
        """What can be done here, in a row."""
        return in_a_row((say(f"skill_{skill}", self.language) for skill in self._skills()), self.language)

    def examples(self) -> str:
        """What can be tried here, as a list."""
        return "\n".join(f"- {say(f'try_{skill}', self.language)}" for skill in self._skills())

    def look(self, call: Call | None, tell: Callable[[Looked], str], without: str) -> str | Call:
        """Call a tool unless it was called, then tell of its result; say the other line when it is not on offer."""
        if call is None:
            return self.say(without)
        made = self.conversation.result(call)
        if made is None:
            return call
        return self.say("tool_failed", message=made.failure) if made.failure else tell(made)

    def search(self, query: str) -> str | Call:
        """Look something up on the web and place what came back."""

        def tell(made: Looked) -> str:
            pages = offers.pages(made)
            if not pages:
                return self.say("found_nothing", query=query)
            return self.say("found", query=query, lines=listed(pages[:SHOWN]))

        return self.look(offers.call(self.conversation, offers.SEARCH, query=query[:200]), tell, "no_search")

    def _skills(self) -> list[str]:
        tools = self.conversation.tools
        able = {
            "search": offers.SEARCH in tools,
            "clock": bool(offers.clock(self.conversation)),
            "memory": offers.REMEMBER in tools,
        }
        return [skill for skill in ("search", "clock", "memory", "sums", "jokes") if able.get(skill, True)]

    def _meaning(self) -> Meaning:
        meaning = understand(self.text)
        before = self.conversation.asked[-1] if self.conversation.asked else ""
        if meaning.intent == UNKNOWN and before:
            earlier = understand(before)
            # The topic that was asked back for.
            if earlier.intent in ("search", "news", "more") and not _topic(before, earlier.intent):
                return Meaning("search", earlier.language)
        return meaning

    def _language(self) -> str:
        """The language that was asked for, or else that of the message; what does not tell keeps the last one."""
        for text in reversed([*self.conversation.asked, self.text]):
            # Only a message that names a language can ask for it, and to name one is rare.
            if (wanted := language.named(text)) and understand(text).intent == "language":
                return wanted
        if len(words(self.text)) < 2:
            longer = (text for text in reversed(self.conversation.asked) if len(words(text)) > 1)
            if before := next(longer, ""):
                return language.detect(self.text, understand(before).language)
        return self.meaning.language


def listed(pages: list[dict[str, str]]) -> str:
    """Results as a list: each with its title, its link, and its words as they came."""
    return "\n".join(
        f"- {_linked(page)}: {page['snippet']}" if page["snippet"] else f"- {_linked(page)}" for page in pages
    )


def _linked(page: dict[str, str]) -> str:
    title = page["title"] or page["url"]
    return f"[{title}]({page['url']})" if page["url"] else title


def _topic(text: str, intent: str) -> str:
    return "" if intent == "more" else topics.news_topic(text) if intent == "news" else topics.topic(text)
