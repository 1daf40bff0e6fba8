"""A person who sends files: what the accept function leaves of it, and what became of it."""

from dataclasses import dataclass
from typing import Any

from lanekeeper.inbox import Inbox, Incoming
from lanekeeper.parser.kinds import media_type_of
from lanekeeper.postgres import Database
from lanekeeper.types import new_id
from lanekeeper.uploads import Given, Uploads
from tests.integration.turn.conftest import LIMITS, Talk


@dataclass
class Sender:
    """Ana's side, as the accept function leaves it."""

    talk: Talk
    database: Database
    uploads: Uploads

    @classmethod
    def of(cls, talk: Talk, accept: Database) -> "Sender":
        """Who speaks in a talk, over the accept function's database."""
        return cls(talk, accept, Uploads(accept, LIMITS))

    async def give(self, content: bytes, name: str = "a file") -> str:
        given = Given(name=name, media_type=media_type_of(content, name), content=content)
        return (await self.uploads.take_in(self.talk.user_id, given)).id

    async def say(self, text: str, *ids: str) -> str:
        enclosed = await self.uploads.attachments(self.talk.user_id, ids)
        message_id = new_id("msg")
        incoming = Incoming(key=message_id, text=text, message_id=message_id, conversation="c1")
        inbox = Inbox(self.database, "assistant", LIMITS)
        return (await inbox.accept(self.talk.user_id, incoming, enclosed=enclosed)).turn_id

    async def judge(self, *verdicts: dict[str, Any]) -> None:
        for verdict in verdicts:
            body = {"sub": self.talk.user_id, **({"answers": verdict} if "error" not in verdict else verdict)}
            assert (await self.talk.http.post("/control/decisions", json=body)).status_code == 200

    async def upload(self, upload_id: str) -> dict[str, Any]:
        return (await self.talk.rows("select * from uploads where id = %s", upload_id))[0]

    async def asked(self, feature: str = "chat") -> list[dict[str, Any]]:
        """The requests of one feature, whole."""
        params = {"sub": self.talk.user_id, "feature": feature}
        return list((await self.talk.http.get("/control/requests", params=params)).json())

    async def seen(self) -> list[Any]:
        """What the model saw as the person's messages in its last request."""
        messages = (await self.asked())[-1]["body"]["messages"]
        return [message["content"] for message in messages if message["role"] == "user"]
