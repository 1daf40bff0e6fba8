"""What a batch's files hold is read for what it is worth: whatever stands in a line, it breaks no other (W3, K2)."""

import json
from typing import Any

import pytest

from lanekeeper.ledger.rules import Price, Usage
from lanekeeper.mainline.batch_files import Answer, Line, Standing, answers_in, price_of, standing
from lanekeeper.mainline.errors import MainlineError
from tests.unit.mainline.gateway import SMALL

MESSAGE = {"role": "assistant", "content": "hello"}


def answered(body: Any, status: int = 200, **beside: Any) -> bytes:
    told = {"custom_id": "line_1", "response": {"status_code": status, "body": body}, "error": None, **beside}
    return json.dumps(told).encode()


def only(content: bytes) -> Answer:
    [answer] = answers_in(content)
    return answer


def test_a_line_names_its_person_its_model_and_itself_and_is_one_line() -> None:
    written = Line("line_1", "ana", {"messages": [{"role": "user", "content": "a\nb\r\n\u2028\x00"}]}).written(SMALL)
    assert written.count(b"\n") == 1
    assert written.endswith(b"\n")
    assert b"\r" not in written
    assert json.loads(written) == {
        "custom_id": "line_1",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {
            "model": "vendor/small-7",
            "user": "ana",
            "messages": [{"role": "user", "content": json.loads(written)["body"]["messages"][0]["content"]}],
        },
    }


def test_an_answer_is_its_message_with_what_it_used_and_cost() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
        "cost": 0.00002,
    }
    answer = only(answered({"choices": [{"message": MESSAGE}], "usage": usage}))
    assert (answer.id, answer.message, answer.reason) == ("line_1", MESSAGE, "")
    assert answer.usage == Usage(input_tokens=10, cached_tokens=4, output_tokens=3, micros=20, reported=True)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (answered({"error": {"code": "rate_limit_exceeded"}}, 429), "rate_limit_exceeded"),
        (answered({"error": {"message": "Ana said no"}}, 500), "500"),
        (answered(None, 0, response=None, error={"code": "batch_expired", "message": "too late"}), "batch_expired"),
        (answered({"choices": []}), "200"),
        (answered({"choices": [{"message": "hello"}]}), "200"),
        (answered("not an object"), "200"),
        (answered({"choices": "none"}), "200"),
        (answered({"error": {"code": "Ana said: my card is 4111"}}, 400), "unanswered"),
        (b'{"custom_id": "line_1"}', "unanswered"),
        (b'{"custom_id": "line_1", "response": [], "error": "away"}', "unanswered"),
    ],
)
def test_a_line_without_an_answer_says_why_in_a_word_that_quotes_nobody(content: bytes, reason: str) -> None:
    answer = only(content)
    assert (answer.message, answer.reason) == (None, reason)
    assert answer.usage.micros is None


def test_what_is_no_line_is_passed_over_and_the_rest_is_read() -> None:
    good = answered({"choices": [{"message": MESSAGE}]})
    content = b"\n".join([b"", b"{", b"[]", b"null", b'{"custom_id": 7}', b"\xff\xfe", good, b'{"custom'])
    assert [answer.message for answer in answers_in(content)] == [MESSAGE]


@pytest.mark.parametrize("status", ["validating", "in_progress", "finalizing", "cancelling", "IN_PROGRESS"])
def test_a_batch_that_the_gateway_is_at_is_open(status: str) -> None:
    assert standing({"status": status, "output_file_id": "file-1"}) == Standing("open")


@pytest.mark.parametrize("status", ["completed", "failed", "expired", "cancelled", "something new"])
def test_any_other_batch_is_over_with_the_files_it_left(status: str) -> None:
    left = {"status": status, "output_file_id": "file-1", "error_file_id": None}
    assert standing(left) == Standing("over", ("file-1",))
    assert standing({"status": status}) == Standing("over")
    assert standing({"status": status, "output_file_id": "", "error_file_id": "file-2"}) == Standing(
        "over", ("file-2",)
    )


@pytest.mark.parametrize("told", [None, [], {}, {"status": 7}, "completed"])
def test_a_gateway_that_does_not_say_how_a_batch_stands_is_asked_again(told: object) -> None:
    with pytest.raises(MainlineError) as raised:
        standing(told)
    assert raised.value.retryable


def test_a_price_of_the_gateways_counts_and_else_half_of_the_tables_rounded_up() -> None:
    price = Price(input=250_000, cached=25_000, output=2_000_000)
    used = Usage(input_tokens=4000, output_tokens=1000)
    assert price.of(used) == 3000
    assert price_of(used, price) == 1500
    assert price_of(Usage(input_tokens=1), price) == 1
    assert price_of(Usage(micros=7), price) == 7
    assert price_of(used, None) is None
