"""What the demo model does about each intent: a line to say, or a tool to call first."""

from collections.abc import Callable

from lanekeeper.memory.masking import FORGOTTEN
from tests.devkit.mainline.demo import almanac, days, facts, memories, offers, topics
from tests.devkit.mainline.demo.arithmetic import solve
from tests.devkit.mainline.demo.conversation import Looked
from tests.devkit.mainline.demo.part import SHOWN, Part, listed
from tests.devkit.mainline.demo.router import UNKNOWN
from tests.devkit.mainline.demo.understanding import understand
from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.scripts import Call
from tests.devkit.mainline.words import words

_HAPPY = word_set("happy")


def reply(part: Part) -> str | Call:
    """What to say to a message, or the tool to call first."""
    if part.text == FORGOTTEN:
        return part.say("forgotten")
    if memories.is_asked_for(part.text) and (found := memories.fitting(part.text, part.conversation)):
        return _told_before(part, found)
    special = REPLIES.get(part.meaning.intent)
    return special(part) if special else part.say(part.meaning.intent)


def _told_before(part: Part, found: list[str]) -> str:
    if len(found) == 1:
        return part.say("told_before", fact=found[0])
    return part.say("which", list="\n".join(f"- {fact}" for fact in found))


def _greeting(part: Part) -> str:
    return part.say("greeting_again" if part.conversation.answered else "greeting")


def _clock(part: Part, tell: Callable[[Part, almanac.Moment], str]) -> str | Call:
    zone = days.zone(part.text)
    call = offers.clock_call(part.conversation, zone)
    noted = almanac.from_note(part.conversation.note)
    if call is None and noted:
        return tell(part, noted)

    def told(made: Looked) -> str:
        moment = almanac.from_tool(made.output, zone)
        return tell(part, moment) if moment else made.result

    return part.look(call, told, "no_clock")


def _time(part: Part) -> str | Call:
    return _clock(part, lambda part, moment: almanac.time_line(moment, part.say))


def _date(part: Part) -> str | Call:
    return _clock(part, lambda part, moment: almanac.date_line(moment, days.day(part.text), part.language, part.say))


def _search(part: Part) -> str | Call:
    topic = topics.topic(part.text)
    return part.search(topic) if topic else part.say("ask_topic")


def _news(part: Part) -> str | Call:
    topic = topics.news_topic(part.text)
    return part.search(f"{topic} news") if topic else part.say("ask_news_topic")


def _sum(part: Part) -> str:
    solved = solve(part.text)
    return part.say("sum", sum=solved[0], result=solved[1]) if solved else part.say("no_sum")


def _weather(part: Part) -> str:
    return part.say("weather" if offers.SEARCH in part.conversation.tools else "no_weather")


def _yes(part: Part) -> str | Call:
    asked = part.conversation.asked
    earlier = understand(asked[-1]).intent if asked else ""
    if earlier in ("weather", UNKNOWN) and offers.SEARCH in part.conversation.tools:
        return part.search((topics.topic(asked[-1]) or asked[-1]).replace(" like in ", " in "))
    return part.say("yes")


def _human(part: Part) -> str | Call:
    call = offers.call(part.conversation, offers.HANDOFF, reason=part.text[:200])
    return part.look(call, lambda made: part.say("handed_over"), "human")


def _remember(part: Part) -> str | Call:
    fact = facts.fact(part.text)
    call = offers.call(
        part.conversation, offers.REMEMBER, kind=facts.kind(fact), subject=facts.subject(fact), body=fact[:180]
    )
    return part.look(call, lambda made: part.say("remembered", fact=fact), "remember")


def _forget(part: Part) -> str | Call:
    call = offers.call(part.conversation, offers.FORGET, subject=facts.subject(facts.fact(part.text)))
    made = next((made for made in part.conversation.looked if made.name == offers.FORGET), None)
    # What the call said may be forgotten as well by now.
    if call is not None and made is not None:
        return part.say("tool_failed", message=made.failure) if made.failure else part.say("forgotten")
    return part.look(call, lambda made: part.say("forgotten"), "forget")


def _repeat(part: Part) -> str:
    answered = part.conversation.answered
    return answered[-1] if answered else part.say("nothing_to_repeat")


def _sources(part: Part) -> str:
    found = offers.last_search(part.conversation)
    pages = offers.pages(found) if found else []
    lines = "\n".join(f"- [{page['title']}]({page['url']})" for page in pages if page["url"])
    return part.say("sources", lines=lines) if lines else part.say("no_sources")


def _more(part: Part) -> str:
    found = offers.last_search(part.conversation)
    if found is None:
        return part.say("more_of_what")
    rest = offers.pages(found)[SHOWN:]
    told = any(page["title"] in answer for page in rest for answer in part.conversation.answered[-1:])
    return part.say("more", lines=listed(rest)) if rest and not told else part.say("no_more")


def _unknown(part: Part) -> str:
    text = " ".join(part.text.split()).strip("?!. ")
    searchable = offers.SEARCH in part.conversation.tools and 0 < len(text) <= 60 and len(words(text)) > 0
    return part.say("unknown", text=text) if searchable else part.say("unknown_plain")


REPLIES: dict[str, Callable[[Part], str | Call]] = {
    "greeting": _greeting,
    "help": lambda part: part.say("help", list=part.examples()),
    "time": _time,
    "date": _date,
    "search": _search,
    "news": _news,
    "arithmetic": _sum,
    "weather": _weather,
    "human": _human,
    "tell_name": lambda part: part.say("tell_name", given=part.name()),
    "ask_name": lambda part: part.say("ask_name", given=part.name()) if part.name() else part.say("no_name"),
    "yes": _yes,
    "remember": _remember,
    "forget": _forget,
    "repeat": _repeat,
    "sources": _sources,
    "more": _more,
    "feelings": lambda part: part.say("feelings_good" if _HAPPY & set(words(part.text)) else "feelings_bad"),
    UNKNOWN: _unknown,
}
