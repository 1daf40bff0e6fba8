"""The little HTTP server, fed byte by byte and all at once."""

import asyncio

from tests.devkit.mainline.listener import Listener
from tests.devkit.mainline.wire import Reply, Request


async def echo(request: Request, reply: Reply) -> None:
    if request.path == "/chunks":
        reply.begin(200, "text/plain")
        reply.send(request.body)
        reply.end()
    else:
        reply.json(200, [request.method, request.path, request.query, request.body.decode()])


async def exchange(*pieces: bytes) -> bytes:
    listener = Listener(echo, 0)
    await listener.open()
    reader, writer = await asyncio.open_connection("127.0.0.1", listener.port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
        await asyncio.sleep(0)
    answer = await reader.read()
    writer.close()
    listener.close()
    return answer


async def test_a_request_may_arrive_byte_by_byte() -> None:
    raw = b"POST /a%20b?x=1&y= HTTP/1.1\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
    answer = await exchange(*(bytes([byte]) for byte in raw))
    assert answer.endswith(b'["POST", "/a b", {"x": "1", "y": ""}, "hello"]')


async def test_requests_on_one_connection_are_answered_in_their_order() -> None:
    raw = b"".join(b"GET /%d HTTP/1.1\r\n\r\n" % number for number in range(4))
    answer = await exchange(raw + b"GET /4 HTTP/1.1\r\nConnection: close\r\n\r\n")
    places = [answer.find(b'"/%d"' % number) for number in range(5)]
    assert -1 not in places
    assert places == sorted(places)


async def test_a_body_may_come_in_chunks_and_go_in_chunks() -> None:
    head = b"POST /chunks HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    answer = await exchange(head, b"3\r\nabc\r\n", b"A;x=y\r\n0123456789\r\n", b"0\r\n\r\n")
    assert answer.endswith(b"d\r\nabc0123456789\r\n0\r\n\r\n")


async def test_what_is_no_http_is_turned_away() -> None:
    for raw in (b"nonsense\r\n\r\n", b"GET / HTTP/2\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
        assert (await exchange(raw)).startswith(b"HTTP/1.1 400 ")
