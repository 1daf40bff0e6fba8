"""Many requests in one file, answered within a day at half the price: an OpenAI-compatible gateway's batch API.

All that is assumed of such a gateway stands here and in ``batch_files``. ``POST /files`` takes the requests as a
multipart form, one JSON object a line; ``POST /batches`` begins them, ``GET /batches/{id}`` tells how they stand, and
``GET /files/{id}/content`` gives the answers and the failures, a line each, in any order. All lines of a batch ask one
model.
"""

from collections.abc import Sequence

from lanekeeper.limits import Limits
from lanekeeper.mainline import text
from lanekeeper.mainline.batch_files import ENDPOINT, Answer, Standing, answers_in, standing
from lanekeeper.mainline.catalogue import Model
from lanekeeper.mainline.errors import MainlineError
from lanekeeper.mainline.transport import Transport
from lanekeeper.settings import Secret

WINDOW = "24h"

# LiteLLM finds the provider of a file by this header; others do not look at it.
_MODEL_HEADER = "x-litellm-model"
# Every batch carries our own id, by which one that was begun is found again.
_NAME = "lanekeeper"
_MISSING = frozenset({404, 405, 501})
_LISTED, _PAGES = 100, 10


class NoBatchesError(Exception):
    """The gateway has no batch API."""


class Batches:
    """The batches of one gateway. One instance serves one event loop.

    Args:
        base_url: the gateway's address, up to and including ``/v1``.
        key: what the gateway lets us in with.
        limits: how long a transfer may take, and how much an answer may hold.
    """

    def __init__(self, base_url: str, key: Secret, limits: Limits) -> None:
        self._transport = Transport(base_url, key, limits)
        self._limits = limits

    async def upload(self, name: str, model: Model, lines: Sequence[bytes]) -> str:
        """Upload the written lines of a batch; the file's id.

        Raises:
            NoBatchesError: the gateway has no batch API.
            MainlineError: it was refused, or did not come through in time.
        """
        # JSON on one line holds no line feed, so the form's boundary is nowhere in it.
        edge = f"--{name}\r\n".encode()
        form = b"".join(
            (
                edge,
                b'content-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n',
                edge,
                f'content-disposition: form-data; name="file"; filename="{name}.jsonl"\r\n'.encode(),
                b"content-type: application/jsonl\r\n\r\n",
                *lines,
                f"\r\n--{name}--\r\n".encode(),
            )
        )
        headers = {"content-type": f"multipart/form-data; boundary={name}", _MODEL_HEADER: model.gateway_id}
        return _id(await self._post("files", form, headers))

    async def begin(self, name: str, file_id: str) -> str:
        """Begin the batch of an uploaded file; the gateway's id of it.

        Raises:
            NoBatchesError: the gateway has no batch API.
            MainlineError: it was refused, or the gateway did not answer: then it may have begun, see ``find``.
        """
        asked = {
            "input_file_id": file_id,
            "endpoint": ENDPOINT,
            "completion_window": WINDOW,
            "metadata": {_NAME: name},
        }
        return _id(await self._post("batches", text.dumps(asked).encode(), {"content-type": "application/json"}))

    async def find(self, name: str) -> str | None:
        """The gateway's id of the batch that carries our name, among the newest thousand; None when there is none.

        Raises:
            MainlineError: the gateway did not say.
        """
        after = ""
        for _ in range(_PAGES):
            listed = await self._transport.get(f"batches?limit={_LISTED}{after}", self._limits.batch_call_s)
            batches = listed.get("data") if isinstance(listed, dict) else None
            if not isinstance(listed, dict) or not isinstance(batches, list):
                raise MainlineError("unavailable", retryable=True)
            for batch in batches:
                if _name_of(batch) == name:
                    return _id(batch)
            if not batches or listed.get("has_more") is not True:
                break
            after = f"&after={_id(batches[-1])}"
        return None

    async def look(self, batch_id: str) -> Standing:
        """How a batch stands.

        Raises:
            MainlineError: the gateway did not say; ``status`` 404 when it knows no such batch.
        """
        return standing(await self._transport.get(f"batches/{batch_id}", self._limits.batch_call_s))

    async def answers(self, found: Standing) -> list[Answer]:
        """All answers and failures of a batch that is over. A line that it never came to is not among them.

        Raises:
            MainlineError: they did not come through in time, or are larger than may be read.
        """
        told: list[Answer] = []
        for file_id in found.files:
            content = await self._transport.fetch(
                f"files/{file_id}/content", self._limits.batch_call_s, self._limits.batch_answer_bytes
            )
            told.extend(answers_in(content))
        return told

    async def cancel(self, batch_id: str) -> None:
        """Ask for no more answers. Those that were given can still be read.

        Raises:
            MainlineError: the gateway did not hear.
        """
        await self._transport.post(
            f"batches/{batch_id}/cancel", b"{}", {"content-type": "application/json"}, self._limits.batch_call_s
        )

    async def remove(self, file_id: str) -> None:
        """Delete a file: it holds what people wrote.

        Raises:
            MainlineError: the gateway did not do it.
        """
        await self._transport.delete(f"files/{file_id}", self._limits.batch_call_s)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    async def _post(self, path: str, content: bytes, headers: dict[str, str]) -> object:
        try:
            return (await self._transport.post(path, content, headers, self._limits.batch_call_s))[1]
        except MainlineError as error:
            if error.status in _MISSING:
                raise NoBatchesError from error
            raise


def _id(answer: object) -> str:
    found = answer.get("id") if isinstance(answer, dict) else None
    if not isinstance(found, str) or not found:
        raise MainlineError("unavailable", retryable=True)
    return found


def _name_of(batch: object) -> object:
    metadata = batch.get("metadata") if isinstance(batch, dict) else None
    return metadata.get(_NAME) if isinstance(metadata, dict) else None
