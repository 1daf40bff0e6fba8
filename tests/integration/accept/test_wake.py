"""A worker is woken for a message that is safe, and nobody pays for a wake that fails."""

import threading
from collections.abc import Callable

import pytest

from tests.integration.accept.api import Api, Lambda


def test_a_wake_that_fails_is_never_shown(api: Api, endpoint: Lambda) -> None:
    endpoint.status = 500
    assert api.send("Hello").status == 202
    assert api.sql("select ready_at is not null as armed from lanes") == [{"armed": True}]


@pytest.mark.parametrize("sent_before", [0, 1], ids=["on a new connection", "on the kept one"])
def test_a_wake_that_hangs_delays_the_answer_only_so_long_b043(
    make_api: Callable[..., Api], endpoint: Lambda, sent_before: int
) -> None:
    """B043: the message is durable before the worker is asked for, and the answer does not wait for the worker."""
    api = make_api(LIMIT_WAKE_TIMEOUT_S="0.05")
    for _ in range(sent_before):
        api.send("Hello")
    endpoint.patience = threading.Event()
    try:
        assert api.send("Hello").status == 202
        assert not endpoint.patience.is_set()
        assert api.count("inbox") == sent_before + 1
    finally:
        endpoint.patience.set()


def test_a_wake_goes_over_a_kept_connection_and_heals_it(api: Api, endpoint: Lambda) -> None:
    for _ in range(3):
        api.send("Hello")
    assert len({headers["X-Amz-Date"] for _, headers, _ in endpoint.events}) <= 3
    assert len(endpoint.events) == 3
