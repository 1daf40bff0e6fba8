"""What a person wants known stands before the conversation, and its bytes change only when it does (C1, W1)."""

from tests.integration.turn.conftest import Talk

KNOWN = (
    "insert into profiles (user_id, name, home_city, plan_tier, budget_amount, budget_currency) "
    "values ('ana', 'Ana Lima', 'Oslo', 'pro', 1200, 'JPY')"
)


async def profile(talk: Talk, text: str) -> str:
    await talk.say(text)
    await talk.run()
    return str((await talk.requests())[-1]["body"]["messages"][1]["content"])


async def test_the_columns_of_the_profile_are_lines_of_the_block_until_one_changes(talk: Talk) -> None:
    await talk.superuser.execute("insert into users (id, name) values ('ana', 'ana@token')")
    await talk.superuser.execute(KNOWN)
    first = await profile(talk, "one")
    assert "<profile>\nName: Ana Lima\nHome city: Oslo\nPlan: pro\nBudget: 1200 JPY\n</profile>" in first
    assert await profile(talk, "two") == first
    await talk.superuser.execute(
        "update profiles set home_city = 'Bergen', budget_amount = null, budget_currency = null"
    )
    assert await profile(talk, "three") == first.replace("Oslo", "Bergen").replace("\nBudget: 1200 JPY", "")


async def test_without_a_name_of_their_own_a_person_has_their_tokens(talk: Talk) -> None:
    await talk.superuser.execute("insert into users (id, name) values ('ana', 'Ana Token')")
    assert "<profile>\nName: Ana Token\n</profile>" in await profile(talk, "one")
