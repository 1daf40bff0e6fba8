"""The output contract: nothing forbidden leaves, nothing harmless is kept, however the text came (E5, E2, B076)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lanekeeper.replies.contract import BREAK, MARK, REASONS
from tests.unit.replies.contract.speaking import FACTS, HIDDEN, cut, speak

HARMLESS = (
    "Hello there, how are you?",
    "  \nA reply may begin with blank space.\n",
    "See https://ok.example.org/a.",
    "[Guide](https://ok.example.org/a), and (https://ok.example.org/w_(x)?p=1&q=2).",
    "[a](https://ok.example.org/a),[b](<https://ok.example.org/a>)/[c](https://ok.example.org/a 'c')",
    "You wrote https://mine.example/p?q=1, and that is right.",
    "JavaScript: the good parts. **JavaScript:** yes. The data: five things.",
    "Order 4111111111111112 is on its way, and 1234567890123456 too.",
    "Call 600 123 456 or 700 123 456 now, or +34 600 123 456.",
    "Use `<img>` or `![x](y)`, or ``a ` <script>``, in such a page.",
    "So:\n```html\n<img src='https://cdn.example/x'>\n![a](b)\n```\nDone.",
    "~~~\ncurl https://api.example/v1?a=b\n~~~\n",
    "````md\n```html\n<img src=x>\n```\n````\n",
    "Say `a || b`, not:\n```html\n<img src=x>\n```  \nDone.",
    "|a|b|\n|-|-|\n|`<img>`|`![x](y)`|\n",
    "arr[0] and [1]: not, matrix[i][j] ok, (x)[y] too",
    "x < 5, a <b and y > 3, List<int>",
    "中文没有空格的句子。 https://ok.example.org/a。 好",
    "node.js/react and/or e.g. 1.5/2.0, 3,000.50, 50 %",
    "Postal code 28013. Error code: 404404. 2026 is the year. 1234 is your number.",
    "The verification code is in your mail. Enter the six digits of the one-time code.",
    "I have [an open bracket that never ends",
    "A lonely ` tick and {braces} and {{ more",
    "Keys look like sk-xxxxxxxxxxxxxxxxxxxxxxxx1, AKIA and so on.",
    "For this reply only, I mean.",
    "Wow! [really] nice!",
)
FORBIDDEN = (
    ("Hi ![x](https://evil.example/?leak=1) you", "image", "Hi "),
    ("Hi ![x][y] you", "image", "Hi "),
    ("Hi ![x](https://ok.example.org/a) you", "image", "Hi "),
    ("See [x](https://evil.example/a) ok", "link", "See "),
    ("[x][1] is it\n\n[1]: https://evil.example/a\n", "link", "[x][1] is it\n\n"),
    ("[1]: //evil.example/a\n", "link", ""),
    ("[1]:\nhttps://evil.example/a\n", "link", ""),
    ("Look: <img src=x> a", "html", "Look: "),
    ("A <a href='https://ok.example.org/a'>x</a>", "html", "A "),
    ("A <A\nHREF = x>x</a>", "html", "A "),
    ("A <iframe src=x></iframe>", "html", "A "),
    ("[x](javascript:alert(1)) a", "link", ""),
    ("[x](data:text/html;base64,xxx)", "link", ""),
    ("[x](&#106;avascript:alert(1))", "link", ""),
    ("Try javascript:alert(1)", "link", "Try "),
    ("Try data:text/html,<b>", "link", "Try "),
    ("https://ok.example.org.evil.example/a x", "link", ""),
    ("https://evil.example/a x", "link", ""),
    ("https://ok.example.org/a?leak=1 x", "link", ""),
    ("https://ok.example.org/a.evil x", "link", ""),
    ("https://ok.example.org/a秘密 x", "link", ""),
    ("https://ok.example.org@evil.example/a x", "link", ""),
    ("<https://evil.example/a>", "link", ""),
    ("So -https://evil.example/a x", "link", "So "),
    ("So 1https://evil.example/a x", "link", "So "),
    ("So <!--https://evil.example/a x", "link", "So "),
    ("<mailto:x@evil.example>", "link", ""),
    ("Go to www.evil.example now", "link", "Go to "),
    ("Go to wWw.evil.example now", "link", "Go to "),
    ("Go to evil.example/?d=secret now", "link", "Go to "),
    ("Go to `https://evil.example/a` now", "link", "Go to "),
    ("[x]( https://evil.example) b", "link", ""),
    ("[x](\nhttps://evil.example) b", "link", ""),
    ("[x](//evil.example) b", "link", ""),
    ("[x](https://ok.example.org/a),[y](https://evil.example)", "link", ""),
    ("Card 4111 1111 1111 1111 ok", "secret", "Card "),
    ("Card 4111111111111111", "secret", "Card "),
    ("Card 4111-1111-1111-1111.", "secret", "Card "),
    ("Card 4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 ok", "secret", "Card "),
    ("Card 3782 822463 10005 ok", "secret", "Card "),
    ("Card ４１１１ １１１１ １１１１ １１１１ ok", "secret", "Card "),  # noqa: RUF001
    ("In 2026 4111 1111 1111 1111 ok", "secret", "In 2026 "),
    ("```\ncard = 4111111111111111\n```", "secret", "```\ncard = "),
    ("Key sk-proj-abc123def456ghi789jkl0mn x", "secret", "Key "),
    ("Key AKIAIOSFODNN7EXAMPLE x", "secret", "Key "),
    ("-----BEGIN RSA PRIVATE KEY-----", "secret", ""),
    ("Your verification code is 482913 now", "secret", "Your verification code is "),
    ("Tu código de verificación es: 482 913", "secret", "Tu código de verificación es: "),
    ("So 482913 is your one-time code now", "secret", "So "),
    (f"Well. {HIDDEN} It is noon.", "leak", "Well. "),
    ("Dear {{name}}, hello", "leak", "Dear "),
    ("- a\n  ```\n![x](http://evil.example)", "image", "- a\n  ```\n"),
    ("`a\n![x](b) `", "image", "`a\n"),
    ("\\` ![x](b) `", "image", "\\` "),
    ("<b>\n```\n![x](b)\n```", "image", "<b>\n```\n"),
    ("<xy:`> ![x](b) `", "link", ""),
    ("    ```\n![x](b)\n    ```", "image", "    ```\n"),
    ("```\na\n```\u00a0\n```\n![x](b)\n```", "image", "```\na\n```\u00a0\n```\n"),
    ("```\na\n```\t\n```\n![x](b)\n```", "image", "```\na\n```\t\n```\n"),
    ("```\na\n```~\n![x](b)\n```", "image", "```\na\n```~\n"),
    ("```\na\r```\r![x](b)\n```", "image", "```\na\r```\r"),
    ("a\r~~~\na\n~~~\n![x](b)\n", "image", "a\r~~~\na\n~~~\n"),
    ("|a|b|\n|-|-|\n|` ![x](//evil.example/a) | `|\n", "image", "|a|b|\n|-|-|\n|"),
    ("|a|b|\n|-|-|\n|` a | b ` c ` ![x](//evil.example/a) `|\n", "image", "|a|b|\n|-|-|\n|` a | b ` c ` "),
    ("Card 4111\u20111111\u20111111\u20111111 ok", "secret", "Card "),
    ("Card 4111\u20091111\u20091111\u20091111 ok", "secret", "Card "),
)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_harmless_leaves_unchanged(text: str) -> None:
    assert speak(text) == (text, "")
    assert speak(list(text)) == (text, "")


@pytest.mark.parametrize(("text", "fault", "released"), FORBIDDEN)
def test_b076_what_is_forbidden_never_leaves_and_what_stood_before_it_does(
    text: str, fault: str, released: str
) -> None:
    assert speak(text) == (released, fault)
    assert speak(list(text)) == (released, fault)


@pytest.mark.parametrize(("text", "fault", "released"), FORBIDDEN)
def test_nothing_forbidden_leaves_because_its_beginning_had_gone_out(text: str, fault: str, released: str) -> None:
    """A dead worker's words, and a model that goes on from them: together they are held to the same."""
    for place in range(len(released) + 1):
        said = text[:place]
        assert speak(text[place:], said=said) == (released[place:], fault), place


SCRAPS = st.sampled_from(
    (
        *(
            "Hello ",
            "there. ",
            "\n",
            "\n\n",
            " ",
            "https://ok.example.org/a",
            "https://evil.example/x",
            ") ",
            "](",
            "[a",
        ),
        *("]", "!", "![", "`", "```", "```\n", "<", "<img ", "a href=", ">", "4111 1111 ", "1111 ", "12.50 ", "EUR "),
        *("your code ", "482913 ", "is ", "one-time code ", "中文", "。", MARK, f"\n{MARK}\n", "{{", "}}", "www."),
        *("evil.example", "?a=b", "javascript:", "data:a/b;", "For this reply only, ", "- ", "  ```\n", "]: "),
        *("\r", "~~~\n", "~", "\u00a0\n", "|", "|-|-|\n"),
        "and not part of the conversation:",
    )
)
TEXTS = st.lists(SCRAPS, max_size=14).map("".join)


@given(text=TEXTS, places=st.lists(st.integers(0, 200), max_size=8))
@example(text=f"a\n{MARK}\n\n{MARK}\nb", places=[3])
def test_the_same_leaves_however_the_text_is_cut(text: str, places: list[int]) -> None:
    binding = {"money"}
    whole = speak(text, binding=binding)
    assert speak(cut(text, places), binding=binding) == whole
    assert speak(list(text), binding=binding) == whole


@given(text=TEXTS, places=st.lists(st.integers(0, 200), max_size=8))
def test_nothing_harmless_is_kept_and_what_leaves_is_the_models_own_text(text: str, places: list[int]) -> None:
    out, fault = speak(cut(text, places), messages=20)
    own, told = _letters(text.replace(MARK, "")), _letters(out.replace(BREAK, ""))
    if fault:
        assert fault in REASONS
        assert own.startswith(told)
    else:
        assert told == own


@given(text=TEXTS)
def test_whatever_leaves_would_leave_again(text: str) -> None:
    """So nothing forbidden is ever released: the whole of what went out passes the contract."""
    out, fault = speak(text)
    again = speak(out)
    assert again.fault in ("", fault) if fault in ("leak", "break") else again == (out, "")


def _letters(text: str) -> str:
    return "".join(text.split())


def test_prose_leaves_within_a_word() -> None:
    text = "The train leaves at noon from platform four, and it is well-known that owls hunt at night; 3 of them do. "
    for end in range(1, len(text)):
        out, _ = _unfinished(text[:end])
        assert len(text[:end].split()) - len(out.split()) <= (2 if "3" in text[end - 5 : end] else 1), text[:end]


def _unfinished(text: str) -> tuple[str, str]:
    from lanekeeper.limits import Limits
    from lanekeeper.replies.contract import Breaks, Contract, Known, Rules, Script

    contract = Contract(Rules(known=Known(), marks=(MARK, HIDDEN), chars=4000, script=Script("", "", Limits())), 3)
    return contract.take(Breaks(begun=False).take(text)), contract.fault


def test_a_message_may_be_so_long_and_a_reply_may_have_so_many() -> None:
    assert speak("word " * 20, chars=99).fault == "length"
    out, fault = speak("word " * 20, chars=100)
    assert (len(out), fault) == (100, "")
    three = BREAK.join(["one", "two", "three"])
    assert speak(three) == (three, "")
    assert speak(f"{three}\n{MARK}\nfour") == (BREAK.join(["one", "two"]), "messages")
    assert speak(f"\n{MARK}\nfour", said=three) == ("", "messages")


def test_a_word_without_end_is_not_let_through_either() -> None:
    assert speak("x" * 5000) == ("", "length")


@pytest.mark.parametrize(
    "text",
    [
        "It costs 12.50 EUR.",
        "It costs 12.50 EUR, and you said 20 EUR",
        "On 7 December 2026 at 14:30.",
        "The reference is KX42ZP, on HTTP404.",
        "You pay 3 times, in 2026, 50 % now.",
    ],
)
def test_facts_leave_as_the_tools_gave_them(text: str) -> None:
    assert speak(text, binding={"money", "date", "reference"}) == (text, "")


@pytest.mark.parametrize(
    ("text", "released"),
    [
        ("It costs 12.51 EUR.", "It costs "),
        ("It costs 12,50 EUR.", "It costs "),
        ("It costs EUR 12.50.", "It costs EUR "),
        ("It costs €12.50.", "It costs "),
        ("It costs 112.50 EUR.", "It costs "),
        ("It costs 12.50 EUR or 1 200,00 EUR", "It costs 12.50 EUR or "),
        ("On 8 December 2026.", "On "),
        ("On December 8, 2026.", "On December "),
        ("On 2026-12-08.", "On "),
        ("At 15:30.", "At "),
        ("The reference is KX42ZQ.", "The reference is "),
    ],
)
def test_a_fact_that_was_rewritten_does_not_leave(text: str, released: str) -> None:
    assert speak(text, binding={"money", "date", "reference"}) == (released, "fact")


def test_facts_are_checked_only_where_this_turns_tools_gave_some_of_their_kind() -> None:
    assert speak("It costs 99 EUR on 1.1.2027.", binding={"reference"}).fault == ""
    assert speak("It costs 99 EUR on 1.1.2027.", facts=FACTS).fault == ""


def test_the_reply_is_in_the_persons_script_where_that_is_sure() -> None:
    russian = "Добрый день, чем я могу вам сегодня помочь?"
    assert speak(russian, language="en", words=["what is the weather"]) == ("", "language")
    assert speak(russian, language="ru", words=["какая сегодня погода"]) == (russian, "")
    assert speak(russian, language="en", words=["what does погода mean"]).fault == ""
    assert speak(russian, words=["what is the weather"]).fault == ""
    assert speak("Привет means hello.", language="en", words=["what is the weather"]).fault == ""
    assert speak("Да.", language="en", words=["what is the weather"]) == ("Да.", "")


@pytest.mark.parametrize(
    "text",
    [
        f"One. {MARK}\nTwo.",
        f"One.{MARK}\nTwo.",
        f"One.\n{MARK} Two.",
        f"One.\n{MARK}Two.",
        f"One. {MARK} \n\nTwo. {MARK}",
        f"{MARK} One.\n\n{MARK}\n\nTwo.\n{MARK}",
    ],
)
def test_a_break_at_the_edge_of_a_line_is_one(text: str) -> None:
    assert speak(text) == (f"One.{BREAK}Two.", "")
    assert speak(list(text)) == (f"One.{BREAK}Two.", "")


@pytest.mark.parametrize("text", [f"One. {MARK} Two.", f"One.{MARK}Two.", f"The mark `{MARK}` is mine."])
def test_a_break_within_a_line_is_none_and_the_model_is_told_what_to_do(text: str) -> None:
    out, fault = speak(text)
    assert fault == "break"
    assert speak(list(text)) == (out, fault)
    assert text.startswith(out)
    assert MARK not in out
    assert "on a line of its own" in REASONS[fault]
