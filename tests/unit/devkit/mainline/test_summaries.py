"""The demo model's summary: what the person told, in sentences of the third person, the last word on each thing."""

from tests.devkit.mainline.demo import backstage

ASK = {"role": "user", "content": "Write the summary."}


def summed_up(*said: str, earlier: str = "") -> list[str]:
    told = [{"role": "system", "content": f"<summary>\n{earlier}\n</summary>"}] if earlier else []
    messages = [*told, *({"role": "user", "content": text} for text in said), ASK]
    text = backstage.answer({"messages": messages}, "summary")
    assert text is not None
    return text.split("\n")


def test_it_tells_of_the_person_with_names_numbers_and_dates_as_they_were_given() -> None:
    assert summed_up(
        "Hi! Remember that my sister is called Ana.",
        "I live in Sevilla and I like strong coffee.",
        "I'm flying to Rome on 14 March 2027, it costs 1,250 euros.",
        "Me gusta el café.",
    ) == [
        "- Their sister is called Ana.",
        "- They live in Sevilla.",
        "- They like strong coffee.",
        "- They're flying to Rome on 14 March 2027, it costs 1,250 euros.",
        "- The person said: “Me gusta el café”.",
    ]


def test_the_summary_before_comes_first_and_is_told_once() -> None:
    before = summed_up("My sister is called Ana.", "Vivo en Sevilla.")
    assert summed_up("My sister is called Ana.", "I have a dog.", earlier="\n".join(before)) == [
        *before,
        "- They have a dog.",
    ]


def test_the_last_word_counts_also_against_the_summary_before() -> None:
    assert summed_up("no, my sister is called Anna", earlier="- Their sister is called Ana.") == [
        "- Their sister is called Anna."
    ]
    assert summed_up("I live in Rome", "I have a dog", "Actually I live in Bari") == [
        "- They have a dog.",
        "- They live in Bari.",
    ]


def test_questions_what_is_forgotten_and_secrets_are_no_facts() -> None:
    told = summed_up(
        "I live in Rome.",
        "Do I like jazz?",
        "(Forgotten, as the person asked.)",
        "forget that my sister is called Ana",
        "I want to know the time now please",
        "My card number is 4111 1111 1111 1111.",
        "remember that my password is Igel7",
    )
    assert told == ["- They live in Rome."]


def test_without_a_fact_it_keeps_what_was_written_last() -> None:
    assert summed_up("what time is it?", "tell me a joke") == ["- Wrote last: tell me a joke"]
    assert summed_up("I live in Rome", earlier="- Wrote last: tell me a joke") == ["- They live in Rome."]
    assert summed_up("(Forgotten, as the person asked.)") == ["- Nothing was told so far."]


def test_a_long_talk_keeps_names_and_numbers_before_anything_else() -> None:
    telling = [f"my friend number {number} is called Zoe{number}x" for number in range(20)]
    idle = [f"my hobby {'very ' * 12}{chr(97 + number % 26)}{chr(97 + number // 26)} is nice" for number in range(90)]
    told = summed_up(*telling, *idle)
    assert sum(map(len, told)) <= 3_600
    assert all(any(f"Zoe{number}x" in line for line in told) for number in range(20))
