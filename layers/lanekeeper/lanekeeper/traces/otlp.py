"""Sends traces to a collector that speaks OTLP over HTTP, such as Langfuse."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, Status

from lanekeeper.settings import Secret
from lanekeeper.traces.rules import Value
from lanekeeper.traces.spans import Opened

PATH = "/v1/traces"
SERVICE = "lanekeeper"


class OtlpCollector:
    """A collector behind an address.

    Args:
        environment: the environment's name, told with every span.
        endpoint: its address without ``/v1/traces``.
        headers: what it lets us in with, ``name=value`` pairs with commas between them.
        timeout_s: seconds the network may be silent in a delivery.
    """

    def __init__(self, environment: str, endpoint: str, headers: Secret, timeout_s: float) -> None:
        told = {"service.name": SERVICE, "deployment.environment.name": environment}
        self._resource = Resource(attributes=_attributes(told))
        self._endpoint = endpoint.removesuffix(PATH).rstrip("/") + PATH
        self._headers = headers
        self._timeout_s = timeout_s

    def send(self, traces: Sequence[Sequence[Opened]]) -> bool:
        """Send the spans of some turns, once; whether they arrived."""
        scope = ScopeSpans(
            scope=InstrumentationScope(name=SERVICE), spans=[span for trace in traces for span in _spans(trace)]
        )
        request = ExportTraceServiceRequest(
            resource_spans=[ResourceSpans(resource=self._resource, scope_spans=[scope])]
        )
        headers = {**read_headers(self._headers.reveal()), "content-type": "application/x-protobuf"}
        answer = httpx.post(
            self._endpoint, content=request.SerializeToString(), headers=headers, timeout=self._timeout_s
        )
        if answer.status_code in {401, 403}:
            # The key may have been changed: it is read anew for the next delivery.
            self._headers.forget()
        return answer.is_success


def _spans(trace: Sequence[Opened]) -> list[Span]:
    """The spans of one turn. Those that are still open are over now."""
    turn_id = trace[0].attributes.get("lanekeeper.turn") or secrets.token_hex()
    trace_id = trace_id_of(str(turn_id))
    ids = [secrets.token_bytes(8) for _ in trace]
    return [
        Span(
            trace_id=trace_id,
            span_id=span_id,
            parent_span_id=b"" if opened.parent is None else ids[opened.parent],
            name=opened.name,
            kind=Span.SPAN_KIND_CLIENT if opened.remote else Span.SPAN_KIND_INTERNAL,
            start_time_unix_nano=opened.begun_ns,
            end_time_unix_nano=opened.ended_ns or opened.begun_ns,
            attributes=_attributes(opened.attributes),
            status=Status(code=Status.STATUS_CODE_ERROR) if opened.failed else None,
        )
        for opened, span_id in zip(trace, ids, strict=True)
    ]


def _attributes(attributes: Mapping[str, Value]) -> list[KeyValue]:
    return [KeyValue(key=name, value=_value(value)) for name, value in attributes.items()]


def _value(value: Value) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case str():
            return AnyValue(string_value=value)


def trace_id_of(turn_id: str) -> bytes:
    """The trace of a turn, the same for all workers that took it up: whoever knows the turn finds the trace."""
    return hashlib.sha256(turn_id.encode()).digest()[:16]


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
