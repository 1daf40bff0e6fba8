"""Files on their way in, as a client sends them and as a worker leaves them."""

from tests.integration.accept.api import Api, Reply


def put(api: Api, content: bytes, kind: str = "application/octet-stream", *, sub: str = "ana", **named: str) -> Reply:
    """Send a file alone."""
    headers = {"Content-Type": kind}
    if "name" in named:
        headers["Content-Disposition"] = f'attachment; filename="{named["name"]}"'
    if "key" in named:
        headers["Idempotency-Key"] = named["key"]
    return api("POST", "/uploads", content, sub=sub, headers=headers)


def settle(api: Api, upload_id: str, state: str, message: str | None = None) -> None:
    """As a worker leaves it."""
    kept = "content" if state == "ok" else "null"
    api.sql(
        f"update uploads set state = %s, message = %s, content = {kept} where id = %s",
        state,
        message,
        upload_id,
    )
