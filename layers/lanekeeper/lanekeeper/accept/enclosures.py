"""What goes along with a message: uploads of the person's own, by id or address, or a small file inside the request."""

import base64
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from lanekeeper.accept.reading import invalid
from lanekeeper.accept.services import Services
from lanekeeper.errors import Problem
from lanekeeper.inbox import Incoming
from lanekeeper.inbox.rules import Enclosed, Named, is_id
from lanekeeper.people import Person


async def find_enclosed(services: Services, person: Person, message: Incoming) -> Sequence[Enclosed]:
    """What the attachments of a message stand for, in their order.

    What may not go along with a new message is no fault of a repeat: its message is here already.

    Raises:
        Problem: 422 for one that is unknown, refused or gone; 415 for a file inside the request that is of no kind
            that is read here.
    """
    try:
        ids = [
            await _id_of(services, person, named, f"{message.key} file {number}")
            for number, named in enumerate(message.attachments)
        ]
        return await services.uploads().attachments(person.id, ids)
    except Problem:
        if await services.inbox.knows(person.id, message.key):
            return ()
        raise


async def _id_of(services: Services, person: Person, named: Named, key: str) -> str:
    from lanekeeper.uploads.rules import received, upload_at

    if is_id(named.address, services.limits.id_chars):
        return named.address
    if named.address.startswith("data:"):
        # A space is in no key of a client's, so this one is nobody else's.
        given = received(_content_of(named.address), named.name, services.limits.upload_name_chars, key)
        taken = await services.uploads().take_in(person.id, given, name=person.name, home=person.timezone)
        return taken.id
    if (upload_id := upload_at(named.address)) is not None:
        return upload_id
    raise Problem(
        422, "unknown_upload", "A file cannot be fetched from elsewhere.", "Send it to POST /uploads and name its id."
    )


def _content_of(url: str) -> bytes:
    """The bytes of a data URL."""
    head, comma, data = url.partition(",")
    if not comma:
        raise invalid("messages: a data URL without data")
    try:
        return base64.b64decode(data, validate=True) if head.endswith(";base64") else unquote_to_bytes(data)
    except ValueError:  # no base64, or letters that are not even ASCII
        raise invalid("messages: a data URL that is no base64") from None
