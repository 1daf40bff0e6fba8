"""What the demo model does about each intent: a line to say, or a tool to call first."""

from collections.abc import Callable

from lanekeeper.memory.masking import FORGOTTEN
from tests.devkit.mainline.demo import almanac, days, facts, memories, offers, retelling, statements, topics
from tests.devkit.mainline.demo.arithmetic import solve
from tests.devkit.mainline.demo.conversation import Looked
from tests.devkit.mainline.demo.memories import Known
from tests.devkit.mainline.demo.part import SHOWN, Part, listed
from tests.devkit.mainline.demo.router import UNKNOWN
from tests.devkit.mainline.demo.statements import Statement
from tests.devkit.mainline.demo.understanding import understand
from tests.devkit.mainline.demo.vocabulary import word_set
from tests.devkit.mainline.scripts import Call
from tests.devkit.mainline.words import words

_HAPPY = word_set("happy")
# What a question about oneself may ask for as well.
_ANSWERED_OTHERWISE = {"arithmetic", "time", "date", "weather", "human"}


def reply(part: Part) -> str | Call:
    """What to say to a message, or the tool to call first."""
    if part.text == FORGOTTEN:
        return part.say("forgotten")
    if memories.is_asked_for(part.text):
        if found := memories.fitting(part.text, part.conversation):
            return _told_before(part, found)
        if memories.is_of_oneself(part.text) and part.meaning.intent not in _ANSWERED_OTHERWISE:
            return part.say("not_told")
    special = REPLIES.get(part.meaning.intent)
    return special(part) if special else part.say(part.meaning.intent)


def _told_before(part: Part, found: list[Known]) -> str:
    if len(found) > 1:
        return part.say("which", list="\n".join(f"- {known.told or known.said}" for known in found))
    if part.language == "en" and found[0].told:
        return part.say("told_before", fact=found[0].told)
    return part.say("quoted_before", fact=found[0].said)


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


def _ask_name(part: Part) -> str:
    given = part.name() or memories.name(part.conversation)
    return part.say("ask_name", given=given) if given else part.say("no_name")


def _human(part: Part) -> str | Call:
    call = offers.call(part.conversation, offers.HANDOFF, reason=part.text[:200])
    return part.look(call, lambda made: part.say("handed_over"), "human")


def _remember(part: Part) -> str | Call:
    wanted = facts.to_keep(part.text)
    if any(facts.is_secret(one.body) for one in wanted):
        return part.say("never_kept")
    if not wanted:
        return part.say("remember_what" if offers.REMEMBER in part.conversation.tools else "remember")
    return _kept(part, [(one, "") for one in wanted], "remembered")


def _mention(part: Part) -> str | Call:
    """What is only mentioned is left to the note writer; what puts right something that is kept takes its place."""
    said = statements.statements(part.text)
    rights = statements.puts_right(part.text)
    known = [(one, memories.kept_before(one, part.conversation)) for one in said if one.one or rights]
    put_right = [(one, subject) for one, subject in known if subject]
    if not put_right or offers.REMEMBER not in part.conversation.tools:
        return part.say("mentioned")
    return _kept(part, put_right, "put_right")


def _kept(part: Part, wanted: list[tuple[Statement, str]], occasion: str) -> str | Call:
    """Keep one fact after the other, each under the subject it stands under, and then say so."""
    told: list[str] = []
    for one, subject in wanted:
        call = offers.call(
            part.conversation, offers.REMEMBER, kind=one.kind, subject=subject or one.subject, body=one.body[:180]
        )
        if call is None:
            return part.say("remember")
        made = part.conversation.result(call)
        if made is None:
            return call
        if made.failure:
            return part.say("tool_failed", message=made.failure)
        told.append((retelling.to_them(one.body) if part.language == "en" else None) or "")
    if all(told):
        return part.say(occasion, fact=" and that ".join(told))
    return part.say(f"{occasion}_quoted", fact="; ".join(one.body for one, _ in wanted))


def _forget(part: Part) -> str | Call:
    subject = _subject_to_drop(part)
    if not subject and offers.FORGET in part.conversation.tools:
        return part.say("forget_what")
    call = offers.call(part.conversation, offers.FORGET, subject=subject)
    made = next((made for made in part.conversation.looked if made.name == offers.FORGET), None)
    # What the call said may be forgotten as well by now.
    if call is not None and made is not None:
        return part.say("tool_failed", message=made.failure) if made.failure else part.say("forgotten")
    return part.look(call, lambda made: part.say("forgotten"), "forget")


def _subject_to_drop(part: Part) -> str:
    """As it was kept in this talk, if it was."""
    wanted = facts.subject_to_drop(part.text)
    kept = [str(made.args.get("subject")) for made in part.conversation.looked_before if made.name == offers.REMEMBER]
    return next((subject for subject in reversed(kept) if words(subject) == words(wanted)), wanted)


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
    "mention": _mention,
    "tell_name": lambda part: part.say("tell_name", given=part.name()),
    "ask_name": _ask_name,
    "yes": _yes,
    "remember": _remember,
    "forget": _forget,
    "repeat": _repeat,
    "sources": _sources,
    "more": _more,
    "feelings": lambda part: part.say("feelings_good" if _HAPPY & set(words(part.text)) else "feelings_bad"),
    UNKNOWN: _unknown,
}
