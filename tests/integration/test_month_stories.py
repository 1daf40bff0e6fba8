"""A few days of one person, beside other ways to keep a conversation: what they cost, what they know, what is gone."""

from tests.devkit.bench.month import OURS, compared
from tests.devkit.bench.month_product import MODEL
from tests.devkit.bench.month_rivals import FullHistory, Window
from tests.devkit.bench.month_script import facts, month
from tests.devkit.system import System

DAYS, MESSAGES_A_DAY = 3, 15
# Told and asked for; put right; and forgotten.
TOLD = {"What is my favourite tea?", "What do I drink after lunch?", "Which colour did I choose for our hall?"}
FORGOTTEN = {"What is my salary?", "What did I promise my son for his birthday?"}


async def test_over_days_a_conversation_stays_cheap_keeps_what_it_was_told_and_sends_nothing_forgotten_c2_w4() -> None:
    told = [fact for fact in facts() if fact.ask in TOLD | FORGOTTEN]
    lived = month(DAYS, MESSAGES_A_DAY, told=told)
    async with System.launched(model=MODEL, workers=1, direct_database=True, no_freeze=True) as system:
        ways = (await compared(system, lived, print))["ways"]
    ours, full, window = ways[OURS], ways[FullHistory.name], ways[Window.name]
    assert (ours["kept"], ours["outdated"], ours["lost"]) == (len(TOLD), 0, 0), ours["not_kept"]
    assert (ours["sent_again"], ours["forgotten"]) == (0, len(FORGOTTEN)), ours["again"]
    assert ours["had_to_wait"] == 0
    assert ours["summaries"] > 1
    # What is looked for is there to be found, and can be missing.
    assert full["sent_again"] == len(FORGOTTEN)
    assert window["lost"] > 0
    assert ours["features"]["chat"]["dollars"] < full["features"]["chat"]["dollars"]
