"""AWS Signature Version 4, for the two requests that a function signs itself.

botocore would do it too, but importing it costs every cold start more than the rest of the function; it stays the
oracle of the tests.
"""

import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from lanekeeper import clock


@dataclass(frozen=True, slots=True)
class Signer:
    """Signs for one service in one region, with the credentials that Lambda gives a function in its environment.

    Raises (when signing):
        KeyError: there are no credentials in the environment.
    """

    service: str
    region: str

    def headers(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
        """The headers to send with a request, signed ones and the signature."""
        stamp = _stamp()
        address = urlsplit(url)
        own = {"Host": address.netloc, "X-Amz-Date": stamp}
        if token := os.environ.get("AWS_SESSION_TOKEN"):
            own["X-Amz-Security-Token"] = token
        sent = {**headers, **own}
        named = {name.lower(): " ".join(value.split()) for name, value in sent.items()}
        digest = hashlib.sha256(body).hexdigest()
        signature = self._signature(_canonical(method, address.path, "", named, digest), stamp)
        sent["Authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self._credential(stamp)}, "
            f"SignedHeaders={_names(named)}, Signature={signature}"
        )
        return sent

    def url(self, url: str, query: Mapping[str, str], expires_s: int) -> str:
        """A GET of ``url`` that carries its signature in its query and is good for a number of seconds."""
        stamp = _stamp()
        address = urlsplit(url)
        named = {"host": address.netloc}
        asked = {
            **query,
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": self._credential(stamp),
            "X-Amz-Date": stamp,
            "X-Amz-Expires": str(expires_s),
            "X-Amz-SignedHeaders": _names(named),
        }
        if token := os.environ.get("AWS_SESSION_TOKEN"):
            asked["X-Amz-Security-Token"] = token
        text = urlencode(sorted(asked.items()), quote_via=quote, safe="-_.~")
        nothing = hashlib.sha256(b"").hexdigest()
        signature = self._signature(_canonical("GET", address.path, text, named, nothing), stamp)
        return f"{url}?{text}&X-Amz-Signature={signature}"

    def _signature(self, request: str, stamp: str) -> str:
        hashed = hashlib.sha256(request.encode()).hexdigest()
        text = "\n".join(("AWS4-HMAC-SHA256", stamp, self._scope(stamp), hashed))
        key = f"AWS4{os.environ['AWS_SECRET_ACCESS_KEY']}".encode()
        for part in self._scope(stamp).split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        return hmac.digest(key, text.encode(), "sha256").hex()

    def _credential(self, stamp: str) -> str:
        return f"{os.environ['AWS_ACCESS_KEY_ID']}/{self._scope(stamp)}"

    def _scope(self, stamp: str) -> str:
        return f"{stamp[:8]}/{self.region}/{self.service}/aws4_request"


def _stamp() -> str:
    return clock.now().strftime("%Y%m%dT%H%M%SZ")


def _names(headers: Mapping[str, str]) -> str:
    return ";".join(sorted(headers))


def _canonical(method: str, path: str, query: str, headers: Mapping[str, str], digest: str) -> str:
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    # The path as it is sent is encoded once more.
    return "\n".join((method, quote(path or "/", safe="/~"), query, lines, _names(headers), digest))
