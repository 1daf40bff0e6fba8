"""Sends spans to a collector that speaks OTLP over HTTP, such as Langfuse."""

from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from lanekeeper.settings import Secret

PATH = "/v1/traces"


class OtlpCollector:
    """A collector behind an address.

    Args:
        endpoint: its address without ``/v1/traces``.
        headers: what it lets us in with, ``name=value`` pairs with commas between them.
        timeout_s: seconds one delivery may take, retries included.
    """

    def __init__(self, endpoint: str, headers: Secret, timeout_s: float) -> None:
        self._endpoint = endpoint.removesuffix(PATH).rstrip("/") + PATH
        self._headers = headers
        self._timeout_s = timeout_s
        self._exporter: SpanExporter | None = None

    def send(self, spans: Sequence[ReadableSpan]) -> bool:
        """Send them; whether they arrived."""
        if self._exporter is None:
            self._exporter = self._connect()
        arrived = self._exporter.export(spans) is SpanExportResult.SUCCESS
        if not arrived and self._headers.forget():
            # Its key may have been changed: it is read anew for the next delivery.
            self._exporter = None
        return arrived

    def _connect(self) -> SpanExporter:
        # Late: an HTTP client of its own and protobuf, which only this way out needs.
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(
            endpoint=self._endpoint, headers=read_headers(self._headers.reveal()), timeout=self._timeout_s
        )


def read_headers(text: str) -> dict[str, str]:
    """Headers from ``name=value`` pairs. A value may hold ``=`` but no comma.

    Raises:
        ValueError: a pair has no name. What stands there is not quoted: it may be a key.
    """
    headers = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        name, found, value = pair.partition("=")
        if not (found and name.strip()):
            raise ValueError("headers are written as name=value, with commas between them")
        headers[name.strip().lower()] = value.strip()
    return headers
