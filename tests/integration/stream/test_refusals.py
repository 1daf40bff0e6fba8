"""Who may not listen, and what may not be asked."""

import json
from datetime import timedelta

import pytest

from lanekeeper import clock
from tests.integration.stream.author import Author
from tests.integration.stream.conftest import KEY, OpenTab, token
from tests.integration.stream.tab import Tab
from tests.unit.people.issuer import claims, ec_key, sign


async def refused(tab: Tab, status: int) -> dict[str, object]:
    await tab.until(lambda: tab.ended)
    assert tab.status == status
    assert tab.headers["content-type"] == "application/json"
    (body,) = json.loads(tab.raw).values()
    assert set(body) == {"code", "message", "retryable", "nextStep"}
    return dict(body)


@pytest.mark.parametrize("which", ["conversation", "turn", "turn of another conversation", "unknown"])
async def test_what_is_not_the_persons_own_is_not_there(which: str, author: Author, open_tab: OpenTab) -> None:
    mine, theirs = await author.turn("ana"), await author.turn("bob")
    other = await author.turn("ana")
    path, query = {
        "conversation": (theirs.path, theirs.query),
        "turn": (mine.path, theirs.query),
        "turn of another conversation": (mine.path, other.query),
        "unknown": ("/chat/conv_none/stream", ""),
    }[which]
    async with open_tab(path, query) as tab:
        refusal = await refused(tab, 404)
    assert theirs.id not in json.dumps(refusal)
    assert refusal["code"] == "not_found"


async def test_nobody_listens_without_a_good_token(author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    async with open_tab(turn.path, turn.query, user_id=None) as tab:
        await refused(tab, 401)
        assert tab.headers["www-authenticate"] == "Bearer"
    forged = sign(claims(clock.now()), ec_key(), algorithm="ES256")
    unsigned = token().rpartition(".")[0] + "."
    expired = sign(claims(clock.now() - timedelta(hours=2)), KEY, algorithm="ES256")
    for bad in (forged, unsigned, expired, "x"):
        async with open_tab(turn.path, turn.query, user_id=None, token=bad) as tab:
            await refused(tab, 401)


PATHS = [
    "/",
    "/chat//stream",
    "/chat/a/b/stream",
    "/chat/a/stream/",
    "/chat/a%2Fb/stream",
    "/chat/é/stream",
    "/chat/../stream",
    "/chat/a b/stream",
    f"/chat/{'x' * 201}/stream",
    "/chat/\0/stream",
]


@pytest.mark.parametrize("path", PATHS)
async def test_an_address_that_cannot_exist_is_not_there(path: str, open_tab: OpenTab) -> None:
    """B041: an id is a plain word."""
    async with open_tab(path) as tab:
        await refused(tab, 404)


@pytest.mark.parametrize("turn_id", ["", "a/b", "%00", "%EF%BF%BD", "%ff", "x" * 201])
async def test_a_turn_id_that_cannot_exist_is_not_there(turn_id: str, author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    async with open_tab(turn.path, f"turn={turn_id}") as tab:
        await refused(tab, 404)


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "1e3", "٣", "9999999999", " "])
async def test_an_event_id_is_a_number(after: str, author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    async with open_tab(turn.path, f"{turn.query}&after={after}") as tab:
        await refused(tab, 422)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])
async def test_a_stream_is_only_read(method: str, author: Author, open_tab: OpenTab) -> None:
    turn = await author.turn()
    async with open_tab(turn.path, turn.query, method=method) as tab:
        await refused(tab, 405)
        assert tab.headers["allow"] == "GET"
