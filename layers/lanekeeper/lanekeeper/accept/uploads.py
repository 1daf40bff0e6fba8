"""``/uploads``: a picture or a file is taken in, told of, and handed back. Nothing is opened here."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Request
from fastapi.responses import JSONResponse, Response

from lanekeeper.accept.answers import Refusal, Upload
from lanekeeper.accept.reading import read_bytes, read_key
from lanekeeper.accept.services import Services
from lanekeeper.errors import Problem
from lanekeeper.inbox.rules import is_id

UploadId = Annotated[str, Path(alias="uploadId", description="Its id.")]

_BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
_FORM: dict[str, Any] = {
    "schema": {
        "type": "object",
        "properties": {"file": {"type": "string", "format": "binary"}},
        "required": ["file"],
    }
}
_BODY: dict[str, Any] = {
    "required": True,
    "description": "The file alone, or as the one file of a form.",
    "content": {"application/octet-stream": _BINARY, "multipart/form-data": _FORM},
}
_HEADERS: list[dict[str, Any]] = [
    {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
        "description": "What makes a repeat a repeat.",
    },
    {
        "name": "Content-Disposition",
        "in": "header",
        "schema": {"type": "string"},
        "description": 'Names a file that is sent alone: attachment; filename="a.pdf".',
    },
]
# More than the file: a form's lines around it.
_FORM_BYTES = 16 * 1024


def upload_routes(services: Services) -> APIRouter:
    """The routes on pictures and files."""
    routes = APIRouter(tags=["uploads"], prefix="/uploads")

    @routes.post(
        "",
        status_code=202,
        summary="Hand over a picture or a file",
        response_class=JSONResponse,
        responses={
            202: {"model": Upload},
            409: {"model": Refusal, "description": "The key stands for another file."},
            410: {"model": Refusal, "description": "The key stands for a file that is no longer kept."},
            413: {"model": Refusal, "description": "It is too large."},
            415: {"model": Refusal, "description": "It is of no kind that is read here."},
        },
        openapi_extra={"parameters": _HEADERS, "requestBody": _BODY},
    )
    async def upload(request: Request) -> Response:
        from lanekeeper.uploads.rules import received

        person = await services.person(request)
        key = read_key(request.headers, services.limits)
        content, name = await _file_of(request, services)
        given = received(content, name, services.limits.upload_name_chars, key)
        taken = await services.uploads().take_in(person.id, given, name=person.name, home=person.timezone)
        if taken.waits:
            await services.worker.wake({"turnId": taken.id})
        return JSONResponse(taken.body, 202)

    @routes.get(
        "/{uploadId}",
        summary="Ask what became of it",
        response_class=JSONResponse,
        responses={200: {"model": Upload}, 410: {"model": Refusal, "description": "It is no longer kept."}},
    )
    async def verdict(request: Request, upload_id: UploadId) -> Response:
        person = await services.person(request)
        return JSONResponse(await services.uploads().verdict(person.id, _known(upload_id, services)))

    @routes.get(
        "/{uploadId}/content",
        summary="Get it back",
        response_class=Response,
        responses={200: {"description": "The file, to be saved.", "content": {"application/octet-stream": _BINARY}}},
    )
    async def content(request: Request, upload_id: UploadId) -> Response:
        person = await services.person(request)
        found = await services.uploads().content(person.id, _known(upload_id, services))
        # Pictures were taken apart and are nothing but pictures. Any other file is bytes to a browser, whatever it is.
        kind = found.media_type if found.kind == "image" else "application/octet-stream"
        return Response(
            found.content,
            media_type=kind,
            headers={
                "Content-Disposition": f"attachment; filename*=UTF-8''{quote(found.name, safe='')}",
                "Content-Security-Policy": "sandbox; default-src 'none'",
                "Cross-Origin-Resource-Policy": "same-origin",
            },
        )

    return routes


async def _file_of(request: Request, services: Services) -> tuple[bytes, str | None]:
    """The file of a request and its name, from a form or from the body itself.

    Raises:
        Problem: 413, 422.
    """
    from lanekeeper.accept.multipart import BrokenFormError, filename_of, parameters_of, parts_of

    most = services.limits.upload_bytes
    content_type = request.headers.get("content-type", "")
    if not content_type.lower().startswith("multipart/form-data"):
        content = await read_bytes(request, most)
        # A header's bytes are read as Latin-1; whoever writes other letters into one means UTF-8.
        disposition = request.headers.get("content-disposition", "").encode("latin-1").decode("utf-8", "replace")
        return content, filename_of(parameters_of(disposition))
    body = await read_bytes(request, most + _FORM_BYTES)
    try:
        files = [part for part in parts_of(body, content_type) if part.filename is not None]
    except BrokenFormError:
        raise Problem(422, "broken_form", "The form cannot be read.", "Send the file alone as the body.") from None
    if len(files) != 1:
        raise Problem(422, "one_file", "One file at a time is taken.", "Send each file by itself.")
    if len(files[0].content) > most:
        raise too_large(most)
    return files[0].content, files[0].filename


def too_large(most: int) -> Problem:
    """The refusal of a file with more bytes than this."""
    return Problem(
        413, "too_large", f"This file is larger than {most // 2**20} MB.", "Send a smaller one, or a part of it."
    )


def _known(upload_id: str, services: Services) -> str:
    if not is_id(upload_id, services.limits.id_chars):
        raise Problem(404, "not_found", "There is no such file.", "Send it again.")
    return upload_id
