"""The demo model: does it understand a newcomer, and does it stay with what its tools tell?"""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.devkit.mainline.demo import DemoModel
from tests.devkit.mainline.demo.arithmetic import solve
from tests.devkit.mainline.demo.phrases import say
from tests.devkit.mainline.demo.router import Router
from tests.devkit.mainline.demo.topics import news_topic, topic
from tests.devkit.mainline.demo.understanding import understand
from tests.devkit.mainline.scripts import Script

UNSEEN, TRIED = (
    tomllib.loads(Path(__file__).with_name(f"{kind}_phrases.toml").read_text(encoding="utf-8"))
    for kind in ("unseen", "tried")
)
CLOCK = {"name": "clock_now", "parameters": {"properties": {"timezone": {}}, "required": []}}
SEARCH = {"name": "web_search", "parameters": {"properties": {"query": {"type": "string"}}, "required": ["query"]}}
TIME = {"timezone": "Europe/Lisbon", "time": "14:05", "today": "2026-11-30", "weekday": "Monday"}
PAGES = [
    {"title": f"Page {number}", "url": f"https://site.example/{number}", "snippet": f"Finding number {number}."}
    for number in range(1, 6)
]

model = DemoModel(zero_delay=True)


class Chat:
    """A conversation with the demo model that runs the tools it calls, with results of the test's choosing."""

    def __init__(self, *tools: dict[str, Any], **results: Any) -> None:
        self.tools = [{"type": "function", "function": tool} for tool in tools]
        self.results = results
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": "You are Assistant."}]
        self.calls: list[tuple[str, Any]] = []

    def ask(self, *texts: str, note: str = "") -> Script:
        self.messages += [{"role": "user", "content": text} for text in texts]
        tail = [{"role": "system", "content": note}] if note else []
        return model({"messages": self.messages + tail, "tools": self.tools or None}, "chat")

    def say(self, *texts: str, note: str = "") -> str:
        answer = self.ask(*texts, note=note)
        while answer.calls:
            made = []
            for call in answer.calls:
                self.calls.append((call.name, call.args))
                made.append((f"call_{len(self.calls)}", call))
            calls = [
                {"id": name, "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.args)}}
                for name, c in made
            ]
            self.messages.append({"role": "assistant", "content": None, "tool_calls": calls})
            for name, call in made:
                content = json.dumps(self.results[call.name])
                self.messages.append({"role": "tool", "tool_call_id": name, "content": content})
            answer = self.ask(note=note)
        self.messages.append({"role": "assistant", "content": answer.text})
        return answer.text


@pytest.mark.parametrize("phrases", [UNSEEN, TRIED], ids=["unseen", "tried"])
def test_newcomers_are_understood(phrases: dict[str, list[str]]) -> None:
    tried = [(intent, phrase) for intent, said in phrases.items() for phrase in said]
    wrong = [(phrase, intent) for intent, phrase in tried if understand(phrase).intent != intent]
    assert len(wrong) <= 0.15 * len(tried), wrong


def test_every_intent_is_measured_on_phrases_that_are_no_examples() -> None:
    examples = tomllib.loads((Path(__file__).parents[3] / "devkit/mainline/demo/intents.toml").read_text("utf-8"))
    assert set(examples) == set(UNSEEN) - {"unknown"}
    assert min(len(phrases) for phrases in UNSEEN.values()) >= 5
    known = {phrase.casefold() for languages in examples.values() for lines in languages.values() for phrase in lines}
    assert not known & {phrase.casefold() for phrases in UNSEEN.values() for phrase in phrases}


def test_every_example_is_nearest_to_itself() -> None:
    router = Router.load()
    lost = [
        phrase
        for intent in set(UNSEEN) - {"unknown"}
        for phrase in router.phrases(intent)
        if router.route(phrase).intent != intent
    ]
    assert len(lost) <= 20, lost


def test_the_first_greeting_says_that_this_is_a_demo_and_what_it_can_do() -> None:
    text = Chat(CLOCK, SEARCH).say("Hi!")
    assert "scripted demo model" in text
    assert "search the web" in text
    assert "date and time" in text


def test_only_what_is_on_offer_is_promised() -> None:
    assert "search the web" not in Chat().say("what can you do?")
    assert "can't search the web" in Chat().say("who is Ada Lovelace?")


def test_results_are_placed_as_they_came() -> None:
    chat = Chat(SEARCH, web_search={"results": PAGES})
    text = chat.say("Could you search the web for solar panels?")
    assert chat.calls == [("web_search", {"query": "solar panels"})]
    assert all(f"[{page['title']}]({page['url']}): {page['snippet']}" in text for page in PAGES[:3])
    assert "Page 4" not in text
    more = chat.say("tell me more")
    assert "Finding number 4." in more
    assert "Finding number 1." not in more
    assert "https://site.example/2" in chat.say("where did you get that?")
    assert len(chat.calls) == 1


def test_an_empty_search_and_a_failed_one_are_said_to_be_so() -> None:
    assert "found nothing" in Chat(SEARCH, web_search={"results": []}).say("who is Marie Curie")
    failed = {"error": {"message": "The search is not available.", "retryable": False}}
    assert "The search is not available." in Chat(SEARCH, web_search=failed).say("who is Marie Curie")


def test_a_result_of_another_shape_breaks_nothing() -> None:
    shapes: tuple[Any, ...] = ("plain words", [], {"results": "none"}, {"results": [7]}, None, {"trimmed": True})
    for result in shapes:
        assert Chat(SEARCH, web_search=result).say("who is Marie Curie")
        assert Chat(CLOCK, clock_now=result).say("what time is it?")


def test_a_search_without_a_topic_asks_for_one_and_takes_the_next_message_for_it() -> None:
    chat = Chat(SEARCH, web_search={"results": PAGES})
    assert "What shall I look for?" in chat.say("search the web")
    assert "Finding number 1." in chat.say("zeppelins")
    assert chat.calls == [("web_search", {"query": "zeppelins"})]


def test_the_time_comes_from_the_clock_and_elsewhere_is_asked_of_it_too() -> None:
    chat = Chat(CLOCK, clock_now=TIME)
    assert "14:05" in chat.say("what time is it?")
    chat.say("and what time is it in Tokyo?")
    assert chat.calls == [("clock_now", {}), ("clock_now", {"timezone": "Asia/Tokyo"})]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what day is it today?", "Monday, 30 November 2026"),
        ("what day is tomorrow?", "Tomorrow is Tuesday, 1 December 2026"),
        ("what date was it 3 days ago", "3 days ago it was Friday, 27 November 2026"),
        ("what is the date in 2 weeks?", "In 14 days it will be Monday, 14 December 2026"),
        ("how many days until Christmas?", "25 days until Friday, 25 December 2026"),
        ("¿qué día es mañana?", "Mañana es martes, 1 de diciembre de 2026"),
        ("welches Datum war gestern?", "Gestern war Sonntag, 29. November 2026"),
    ],
)
def test_days_are_counted_from_the_clocks_own_day(question: str, answer: str) -> None:
    assert answer in Chat(CLOCK, clock_now=TIME).say(question)


def test_without_a_clock_the_note_beside_the_conversation_tells_the_time() -> None:
    note = "For this reply only: It is 09:30 in Europe/Madrid; today is Monday 2026-11-30, yesterday is Sunday."
    assert "09:30" in Chat().say("what time is it?", note=note)
    assert "can't see a clock" in Chat().say("what time is it?")


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("what is 17 times 23?", "391"),
        ("7 * (3 + 2)", "35"),
        ("15% of 80", "12"),
        ("subtract 3 from 10", "7"),
        ("0.1 + 0.2", "0.3"),
        ("2 - 3 * 4", "-10"),
        ("1 / 3", "≈ 0.3333333333"),
        ("2^10", "1024"),
        ("cuánto es 7 por 8", "56"),
        ("wie viel ist zwölf mal zwölf", "144"),
        ("the square root of 2", "≈ 1.4142135624"),
        ("1,250.5 + 1", "1251.5"),
    ],
)
def test_sums_are_exact(text: str, result: str) -> None:
    solved = solve(text)
    assert solved is not None
    assert solved[1] == result


@pytest.mark.parametrize(
    "text", ["10 / 0", "2^9999999", "my pin is 1234-5678", "2026-11-30", "call 555 1234", "(1 + 2", "9" * 300 + " + 1"]
)
def test_what_is_no_sum_is_not_worked_out(text: str) -> None:
    assert solve(text) is None


def test_a_name_is_kept_in_mind_for_the_conversation() -> None:
    chat = Chat()
    assert "haven't told me" in chat.say("what's my name?")
    assert "Ines" in chat.say("hello, I'm called ines")
    assert "Ines" in chat.say("do you remember my name?")


def test_an_offer_that_is_taken_up_is_kept() -> None:
    chat = Chat(SEARCH, web_search={"results": PAGES})
    assert "Shall I search the web" in chat.say("what's the weather like in Lisbon?")
    assert "Finding number 1." in chat.say("yes please")
    assert chat.calls == [("web_search", {"query": "weather in Lisbon"})]


def test_several_messages_get_one_answer_to_all() -> None:
    """T2: a message that was folded in is answered too, and what was looked up is not looked up again."""
    chat = Chat(CLOCK, SEARCH, clock_now=TIME, web_search={"results": PAGES})
    text = chat.say("what time is it?", "who is Marie Curie?")
    assert "14:05" in text
    assert "Finding number 1." in text
    assert len(chat.calls) == 2


def test_an_answer_that_was_cut_off_is_gone_on_with() -> None:
    chat = Chat()
    whole = chat.ask("what can you do?").text
    chat.messages.append({"role": "assistant", "content": whole[:40]})
    assert chat.ask(note="Write on from exactly there.").text == whole[40:]
    chat.messages[-1]["content"] = "Something else entirely"
    assert chat.ask(note="Write on from exactly there.").text == whole


def test_the_same_conversation_always_gets_the_same_answer() -> None:
    assert {Chat().say("tell me a joke") for _ in range(5)} == {Chat().say("tell me a joke")}


def test_other_tools_are_called_by_their_fixed_names_when_they_are_on_offer() -> None:
    def tool(name: str, *fields: str) -> dict[str, Any]:
        return {"name": name, "parameters": {"properties": {f: {} for f in fields}, "required": list(fields)}}

    chat = Chat(
        tool("people_handoff", "reason"),
        tool("memory_remember", "kind", "subject", "body"),
        tool("memory_forget", "subject"),
        people_handoff={},
        memory_remember={},
        memory_forget={},
    )
    chat.say("I want to talk to a person")
    chat.say("please remember that I like green tea")
    chat.say("forget that I like green tea")
    assert [name for name, _ in chat.calls] == ["people_handoff", "memory_remember", "memory_forget"]
    assert chat.calls[1][1] == {"kind": "preference", "subject": "tea", "body": "I like green tea"}


@pytest.mark.parametrize("language", ["en", "es", "de"])
def test_every_intent_has_an_answer_in_every_language(language: str) -> None:
    question = {"en": "{}", "es": "responde en español", "de": "antworte auf Deutsch"}[language]
    for phrases in UNSEEN.values():
        chat = Chat(CLOCK, SEARCH, clock_now=TIME, web_search={"results": PAGES})
        if language != "en":
            chat.say(question)
        assert chat.say(phrases[0]).strip()
    assert say("help", language, list="")


@pytest.mark.parametrize("text", ["", " ", "🙂", "??!", "a" * 32_000, "\u2028\u0000", "{name} {0}"])
def test_odd_messages_get_an_honest_line(text: str) -> None:
    answer = Chat().say(text or "x")
    assert answer.strip()


def test_the_spoken_language_is_answered_in() -> None:
    assert "modelo de demostración" in Chat().say("hola")
    assert "Demomodell" in Chat().say("guten Tag")
    chat = Chat()
    chat.say("please answer in German")
    assert "Drehbuch" in chat.say("what can you do?")


def test_a_schema_is_kept_to() -> None:
    schema = {
        "type": "object",
        "properties": {
            "kind": {"enum": ["fact", "plan"]},
            "notes": {"type": "array", "items": {"type": "string"}},
            "inner": {"$ref": "#/$defs/inner"},
        },
        "required": ["kind", "notes", "inner"],
        "$defs": {
            "inner": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
        },
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    body = {"messages": [{"role": "user", "content": "x"}], "response_format": wanted}
    assert json.loads(model(body, "chat").text) == {"kind": "fact", "notes": [], "inner": {"n": 3}}


def test_the_features_behind_the_scenes_get_plain_answers() -> None:
    body = {"messages": [{"role": "user", "content": "I live in Porto."}]}
    assert json.loads(model(body, "notes").text) == {"notes": []}
    asked = {"messages": [*body["messages"], {"role": "user", "content": "Put it in short."}]}
    assert "They live in Porto." in model(asked, "summary").text
    assert json.loads(model(body, "judge").text)["verdict"] == "pass"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("who is Marie Curie?", "Marie Curie"),
        ("look up Frida Kahlo", "Frida Kahlo"),
        ("busca en la web paneles solares", "paneles solares"),
        ("suche im Internet nach Solarzellen", "Solarzellen"),
        ("what does inflation mean", "inflation"),
        ("search for it online", ""),
        ("how tall is the Eiffel Tower?", "how tall is the Eiffel Tower"),
    ],
)
def test_a_topic_is_what_is_left_without_the_asking(text: str, found: str) -> None:
    assert topic(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("latest news on climate change", "climate change"),
        ("solar power news please", "solar power"),
        ("¿qué noticias hay sobre fútbol?", "fútbol"),
        ("what's in the news", ""),
    ],
)
def test_news_have_a_topic_or_none(text: str, found: str) -> None:
    assert news_topic(text) == found
