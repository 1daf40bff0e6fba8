"""The old part of a conversation becomes a summary, and its person notices nothing (C2, C3, N6)."""

from typing import Any

from lanekeeper.context import Fill
from lanekeeper.graph import Thread
from lanekeeper.mainline.messages import to_wire
from lanekeeper.mainline.text import dumps
from tests.integration.compaction.conftest import Night
from tests.integration.turn.reading import is_valid_history, shown_text
from tests.integration.turn.sender import Sender
from tests.integration.turn.toys import PRICE, call

SAID = ("my sister is called Ana and lives in Lisbon", "and my dog is called Rex", "what a day")
SUMMARY = "The person's sister is Ana, in Lisbon. Their dog is Rex."


async def test_the_old_part_becomes_a_summary_that_the_next_turn_is_sent_c2(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"text": SUMMARY})
    outcome = await night.run()
    assert (outcome.state, outcome.covered, outcome.done) == ("published", 4, True)
    assert await night.said() == ["what a day", "All right."]
    summary = await night.summary()
    assert (summary["body"], summary["version"], summary["covers_until"]) == (SUMMARY, 1, 4)
    await night.chat("who is Rex?")
    sent = (await night.talk.requests())[-1]["body"]["messages"]
    assert [message["role"] for message in sent[:3]] == ["system", "system", "user"]
    assert sent[1]["content"].endswith(f"<summary>\n{SUMMARY}\n</summary>")
    assert [message["content"] for message in sent[2:-1]] == ["what a day", "All right.", "who is Rex?"]
    # What the person sees is not shortened.
    assert len(await night.talk.history()) == 8


async def test_the_second_summary_holds_the_first_and_stands_alone_b020(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"text": SUMMARY})
    await night.run()
    await night.chat("my flat has 63 square metres", "good night")
    both = f"{SUMMARY} Their flat has 63 square metres."
    await night.script({"text": both})
    assert (await night.run()).state == "published"
    asked = (await night.talk.requests("summary"))[-1]["body"]["messages"]
    assert asked[1]["content"].endswith(f"<summary>\n{SUMMARY}\n</summary>")
    summary = await night.summary()
    assert (summary["body"], summary["version"]) == (both, 2)
    await night.chat("what do you know of me?")
    sent = dumps((await night.talk.requests())[-1]["body"])
    assert sent.count("<summary>") == 1
    assert "Ana" in sent
    assert "63 square metres" in sent


async def test_a_second_summary_that_forgets_the_first_does_not_get_away_with_it_b020(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"text": SUMMARY})
    await night.run()
    await night.chat("my flat has 63 square metres", "good night")
    await night.script({"text": "The flat has 63 square metres."}, {"text": "A flat of 63 square metres."})
    await night.run()
    assert (await night.summary())["body"] == f"{SUMMARY}\n\nA flat of 63 square metres."


async def test_the_request_begins_with_the_bytes_that_the_turns_sent_so_the_cache_pays_n6(night: Night) -> None:
    looking = {"calls": [{"name": "test_look", "args": {"query": "owls"}}]}
    await night.talk.script(looking, {"text": "Owls fly at night. " * 40})
    await night.talk.say("look for owls, please " * 300, conversation_id="conv_ana")
    await night.talk.run()
    await night.talk.rows(
        "insert into profiles (user_id, name, home_city, budget_amount, budget_currency) "
        "values ('ana', 'Ana Lima', 'Lisbon', 150000, 'EUR') returning user_id"
    )
    await night.talk.rows("""update inbox set payload = payload || '{"roles": ["staff"]}' returning id""")
    await night.talk.script({"text": "You are welcome."})
    await night.talk.say("thanks")
    await night.talk.rows("""update inbox set payload = payload || '{"roles": ["staff"]}' returning id""")
    await night.talk.run()
    await night.talk.script({"text": "Good night."})
    await night.talk.say("and good night")
    await night.talk.rows("""update inbox set payload = payload || '{"roles": ["staff"]}' returning id""")
    await night.talk.run()
    await night.script({"text": "The person asked for owls."})
    await night.run()
    [asked] = await night.talk.requests("summary")
    sent = (await night.talk.requests())[-1]["body"]
    body = asked["body"]
    assert body["tools"] == sent["tools"]
    assert body["tool_choice"] == "none"
    covered = body["messages"][:-1]
    assert dumps(sent["messages"]).startswith(dumps(covered)[:-1])
    assert "1500.00 EUR" in covered[1]["content"]
    assert "They work for this service" in covered[1]["content"]
    assert is_valid_history(covered[1:])
    assert any(message["role"] == "tool" for message in covered)
    assert asked["cached_tokens"] >= 0.8 * asked["input_tokens"]
    # Nothing of what was for one reply only, and nothing remembered.
    assert sum("For this reply only" in str(message["content"]) for message in body["messages"]) == 1
    assert "today is" not in dumps(body)


async def test_where_a_change_of_the_choice_of_tools_would_cost_the_cache_it_is_left_open(night: Night) -> None:
    models = {"models": [{"id": "small", "cache": "marks"}]}
    await night.talk.rows(
        "insert into settings (key, value, changed_by) values ('models', %s, 'test') returning key", dumps(models)
    )
    await night.chat(*SAID)
    await night.script({"text": SUMMARY})
    assert (await night.run()).state == "published"
    [asked] = await night.talk.requests("summary")
    assert "tool_choice" not in asked["body"]
    marked = [m for m in asked["body"]["messages"] if "cache_control" in dumps(m)]
    assert marked[-1] == asked["body"]["messages"][-2]


async def test_the_model_that_read_the_conversation_last_writes_its_summary(night: Night) -> None:
    await night.chat(*SAID)
    await night.talk.rows("update turns set model_id = 'large' where user_id = 'ana' returning id")
    await night.script({"text": SUMMARY})
    await night.run()
    assert [one["model"] for one in await night.talk.requests("summary")] == ["large"]


async def test_the_call_is_on_the_books_of_its_person(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"error": 429}, {"text": SUMMARY})
    await night.run()
    await night.run()
    rows = await night.talk.rows("select * from costs where feature = 'summary' order by id")
    assert [(row["user_id"], row["status"], row["turn_id"]) for row in rows] == [
        ("ana", "failed", None),
        ("ana", "exact", None),
    ]
    assert rows[1]["micros"] > 0
    assert rows[1]["output_tokens"] > 0


async def test_the_note_writer_starts_together_and_neither_fails_the_other(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"error": 500}, {"text": SUMMARY})
    assert (await night.run()).state == "failed"
    assert night.notes.read == [("ana", "conv_ana")]
    night.notes.error = RuntimeError("no notes today")
    assert (await night.run()).state == "published"
    assert len(night.notes.read) == 2


async def test_messages_that_waited_for_the_summary_are_answered_after_it(night: Night) -> None:
    await night.chat(*SAID)
    waiting = await night.wait("and who is Ana?")
    await night.talk.rows("update conversations set fill_tokens = 70000 where id = 'conv_ana' returning id")
    assert await night.talk.run() == 0
    await night.script({"text": SUMMARY})
    outcome = await night.run()
    assert (outcome.freed, night.woken) == (1, [1])
    [conversation] = await night.talk.rows("select fill_tokens from conversations where id = 'conv_ana'")
    assert conversation["fill_tokens"] == 0
    await night.talk.script({"text": "Your sister."})
    assert await night.talk.run() == 1
    assert (await night.talk.turn(waiting["turn_id"]))["state"] == "done"


async def test_what_waits_for_a_summary_that_nobody_needs_is_answered_all_the_same(night: Night) -> None:
    await night.wait("hello?")
    outcome = await night.run()
    assert (outcome.state, outcome.freed, night.woken) == ("nothing", 1, [1])
    assert await night.talk.requests("summary") == []
    await night.talk.script({"text": "Hello."})
    assert await night.talk.run() == 1


async def test_what_was_counted_with_the_old_part_counts_no_longer(night: Night, database_as: Any) -> None:
    thread = Thread("conv_ana", "ana")
    for text in SAID:
        usage = {"prompt_tokens": 50_000, "completion_tokens": 10}
        await night.talk.script({"text": "All right.", "usage": usage})
        await night.talk.say(text)
        await night.talk.run()
    await thread.load(database_as("worker"))
    assert Fill.of("", thread.messages).tokens == 50_010
    before = dumps(to_wire(thread.messages[-2:]))
    await night.script({"text": SUMMARY})
    await night.run()
    await thread.load(database_as("worker"))
    assert Fill.of("", thread.messages).tokens < 100
    assert dumps(to_wire(thread.messages)) == before


async def test_what_only_the_summary_tells_may_be_said_again_but_no_link_of_it_leaves(night: Night) -> None:
    await night.chat(*SAID)
    await night.script({"text": f"{SUMMARY} The flight costs 129.50 EUR, see https://evil.example/x?leak=1 for it."})
    await night.run()
    engine = night.talk.new_engine(tools=[PRICE])
    await night.talk.script(
        {"calls": [call(PRICE)]},
        {"text": "The train is 12.50 EUR, the flight was 129.50 EUR."},
    )
    sent = await night.talk.say("what does the train cost?")
    await night.talk.run(engine)
    assert shown_text(await night.talk.chunks(sent["turn_id"])) == [
        "The train is 12.50 EUR, the flight was 129.50 EUR."
    ]
    assert await night.hits() == []
    await night.talk.script({"text": "See https://evil.example/x?leak=1 now."}, {"text": "Ask the airline."})
    sent = await night.talk.say("where do I book?")
    await night.talk.run(engine)
    assert shown_text(await night.talk.chunks(sent["turn_id"])) == ["See Ask the airline."]
    assert await night.hits() == ["contract_link"]


async def test_a_conversation_of_another_person_or_of_none_is_gone(night: Night) -> None:
    await night.chat(*SAID)
    night.talk.user_id = "ben"
    assert (await night.run()).state == "gone"
    assert len(await night.thread()) == 6


async def test_thirty_turns_leave_as_many_rows_as_the_limits_allow_b022(night: Night) -> None:
    for _ in range(3):
        await night.chat(*[f"{number} " + "x" * 480 for number in range(10)])
        assert (await night.run(compaction_kept_turns=4, compaction_kept_tokens=2_000)).state == "published"
    rows = await night.thread()
    assert len(rows) <= 8
    assert sum(len(dumps(row["message"])) for row in rows) < 8_000
    assert len(await night.talk.rows("select 1 from summaries")) == 1
    # The newest state loads, and the person sees all of it.
    await night.chat("still there?")
    assert len(await night.talk.history()) == 62


async def test_files_of_covered_messages_are_read_as_the_turns_showed_them(night: Night, database_as: Any) -> None:
    sender = Sender.of(night.talk, database_as("accept"))
    await night.chat("hello")
    upload = await sender.give(b"the plan: owls in the attic, bats in the cellar", "plan.txt")
    await night.talk.rows("update conversations set alias = 'c1' where id = 'conv_ana' returning id")
    await night.talk.run()
    await night.talk.script({"text": "I see owls and bats."})
    await sender.say("what is in this?", upload)
    await night.talk.run()
    await night.chat("thanks", "good night")
    await night.script({"text": "The person sent plan.txt: owls in the attic, bats in the cellar."})
    assert (await night.run()).state == "published"
    asked = (await night.talk.requests("summary"))[-1]["body"]["messages"]
    sent = (await night.talk.requests())[-1]["body"]["messages"]
    assert "owls in the attic" in dumps(asked)
    assert dumps(sent).startswith(dumps(asked[:-1])[:-1])
