"""Another function is started over one kept connection, which heals when the other end has closed it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import pytest

from lanekeeper import clock
from lanekeeper.functions import KEPT_S, Functions

OK = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"


def one_request(received: BinaryIO) -> bytes:
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        if not (line := received.readline()):
            return head
        head += line
    length = next(line for line in head.splitlines() if line.lower().startswith(b"content-length:"))
    return head + received.read(int(length.partition(b":")[2]))


class Endpoint:
    """A Lambda endpoint by hand: each connection gets these answers, then it is closed."""

    def __init__(self, answers: list[list[bytes | None]]) -> None:
        self.connections = 0
        self.requests: list[bytes] = []
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        for answers in self._answers:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection, connection.makefile("rb") as received:
                for answer in answers:
                    self.requests.append(one_request(received))
                    if answer is not None:
                        connection.sendall(answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")


@contextmanager
def endpoint(*answers: list[bytes | None]) -> Iterator[tuple[Endpoint, Functions]]:
    one = Endpoint(list(answers))
    functions = Functions(one.url, "eu-west-1", 5)
    try:
        yield one, functions
    finally:
        if functions._kept:
            functions._kept[0].close()
        one.close()


def test_an_event_is_handed_over_signed_and_not_waited_for() -> None:
    with endpoint([OK]) as (one, functions):
        functions.start("arn:aws:lambda:eu-west-1:1:function:worker", b'{"turnId": "t"}')
    head, _, body = one.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(
        b"POST /2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-west-1%3A1%3Afunction%3Aworker/invocations "
    )
    assert b"X-Amz-Invocation-Type: Event" in head
    assert b"Authorization: AWS4-HMAC-SHA256 Credential=local/" in head
    assert head.lower().count(b"\r\nhost:") == 1
    assert body == b'{"turnId": "t"}'


def test_one_connection_is_kept() -> None:
    with endpoint([OK, OK, OK]) as (one, functions):
        for _ in range(3):
            functions.start("worker", b"{}")
    assert one.connections == 1


def test_a_connection_that_was_closed_meanwhile_is_made_again() -> None:
    with endpoint([OK], [OK]) as (one, functions):
        functions.start("worker", b"{}")
        functions.start("worker", b"{}")
    assert one.connections == 2


def test_without_a_kept_connection_nothing_is_sent_on_it() -> None:
    with endpoint([OK, OK], [OK]) as (one, functions):
        assert not functions.start_on_kept("worker", b"{}")
        assert one.connections == 0
        functions.start("worker", b"{}")
        assert functions.start_on_kept("worker", b'{"turnId": "t"}')
        assert one.requests[1].endswith(b'{"turnId": "t"}')
        assert not functions.start_on_kept("worker", b"{}")  # it was closed meanwhile
        functions.start("worker", b"{}")
    assert one.connections == 2


def test_a_connection_that_slept_too_long_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    with endpoint([OK, OK], [OK]) as (one, functions):
        functions.start("worker", b"{}")
        assert functions._kept
        kept, slept = functions._kept[0], clock.monotonic() + KEPT_S
        monkeypatch.setattr(clock, "monotonic", lambda: slept)
        functions._kept = (kept, slept - KEPT_S)
        threading.Thread(target=kept.close).start()
        functions.start("worker", b"{}")
    assert one.connections == 2


@pytest.mark.parametrize("answer", [b"HTTP/1.1 429 Slow down\r\nContent-Length: 0\r\n\r\n", b"nonsense\r\n\r\n", None])
def test_an_event_that_was_not_taken_is_an_error(answer: bytes | None) -> None:
    with endpoint([answer]) as (_, functions), pytest.raises(OSError):  # noqa: PT011 - whatever it says
        functions.start("worker", b"{}")


def test_nobody_there_is_an_error() -> None:
    with pytest.raises(OSError):  # noqa: PT011
        Functions("http://127.0.0.1:9", "eu-west-1", 0.5).start("worker", b"{}")
