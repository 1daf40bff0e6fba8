"""Spans sent to a collector: a real one that reads protobuf, one that refuses, one that is away (K3)."""

from collections.abc import Iterator

import pytest

from lanekeeper.redact import hashed
from lanekeeper.settings import Secret, Settings, SettingsError
from lanekeeper.traces import begin, span
from lanekeeper.traces.otlp import OtlpCollector, read_headers, trace_id_of
from lanekeeper.traces.tracing import Tracing
from tests.unit.traces.collector import Receiver, attributes, receiving


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def traced(tracing: Tracing, turns: int = 1) -> None:
    for _ in range(turns):
        with tracing.turn("ana", {"lanekeeper.turn": "turn_1"}) as turn:
            with span("load"):
                pass
            model = begin("chat small", {"gen_ai.request.model": "small"}, remote=True)
            model.note({"gen_ai.usage.input_tokens": 40})
            model.end()
            assert not turn.kept


async def test_spans_arrive_as_protobuf_with_their_headers_and_their_tree(receiver: Receiver) -> None:
    collector = OtlpCollector(
        "staging", f"{receiver.url}/api/public/otel/", Secret("Authorization=Basic YTpi=,X-Team=a"), 3
    )
    tracing = Tracing(collector)
    traced(tracing)
    await tracing.flush()
    assert receiver.paths == ["/api/public/otel/v1/traces"]
    assert receiver.headers[0]["content-type"] == "application/x-protobuf"
    assert (receiver.headers[0]["authorization"], receiver.headers[0]["x-team"]) == ("Basic YTpi=", "a")
    resource = attributes(receiver.requests[0].resource_spans[0].resource.attributes)
    assert (resource["service.name"], resource["deployment.environment.name"]) == ("lanekeeper", "staging")
    spans = {found.name: found for found in receiver.spans}
    assert set(spans) == {"turn", "load", "chat small"}
    assert spans["load"].parent_span_id == spans["chat small"].parent_span_id == spans["turn"].span_id
    assert {found.trace_id for found in receiver.spans} == {trace_id_of("turn_1")}
    assert all(0 < found.start_time_unix_nano <= found.end_time_unix_nano for found in receiver.spans)
    assert attributes(spans["turn"].attributes) == {"lanekeeper.turn": "turn_1", "user.id": hashed("ana")}
    assert attributes(spans["chat small"].attributes)["gen_ai.usage.input_tokens"] == 40
    assert spans["chat small"].kind == 3  # a client's


async def test_what_was_sent_is_not_sent_again(receiver: Receiver) -> None:
    tracing = Tracing(OtlpCollector("dev", receiver.url, Secret(), 3))
    traced(tracing, turns=2)
    await tracing.flush()
    await tracing.flush()
    assert len(receiver.requests) == 1
    assert len(receiver.spans) == 6


async def test_a_collector_that_refuses_or_is_away_costs_the_spans_and_nothing_else(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    receiver.status = 403
    refused = Tracing(OtlpCollector("dev", receiver.url, Secret("authorization=my-key"), 1))
    away = Tracing(OtlpCollector("dev", "http://127.0.0.1:9", Secret(), 0.5))
    for tracing in (refused, away):
        traced(tracing)
        await tracing.flush()
    assert "did not take the traces of 1 turns" in caplog.text
    assert "traces could not be sent: ConnectError" in caplog.text
    assert "my-key" not in caplog.text


async def test_a_key_that_was_changed_is_read_anew(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter(["authorization=old", "authorization=new"])
    monkeypatch.setattr("lanekeeper.aws.secret_value", lambda arn, region: next(keys))
    tracing = Tracing(OtlpCollector("dev", receiver.url, Secret(arn="arn:secret", region="eu-west-1"), 1))
    receiver.status = 401
    traced(tracing)
    await tracing.flush()
    receiver.status = 200
    traced(tracing)
    await tracing.flush()
    assert [headers["authorization"] for headers in receiver.headers] == ["old", "new"]


async def test_headers_that_cannot_be_read_stop_no_turn_and_are_not_quoted(caplog: pytest.LogCaptureFixture) -> None:
    tracing = Tracing(OtlpCollector("dev", "http://127.0.0.1:9", Secret("my-key"), 1))
    traced(tracing)
    await tracing.flush()
    assert "traces could not be sent: ValueError" in caplog.text
    assert "my-key" not in caplog.text


async def test_a_collector_that_stays_away_fills_no_memory(receiver: Receiver) -> None:
    tracing = Tracing(OtlpCollector("dev", receiver.url, Secret(), 3), held=3)
    traced(tracing, turns=4)
    await tracing.flush()
    assert len(receiver.spans) == 3 * 3


def test_headers_are_read_as_opentelemetry_writes_them() -> None:
    assert read_headers("") == {}
    assert read_headers(" Authorization=Basic a==, x=1 ,") == {"authorization": "Basic a==", "x": "1"}


def test_every_worker_that_takes_up_a_turn_adds_to_one_trace() -> None:
    assert trace_id_of("turn_1") == trace_id_of("turn_1") != trace_id_of("turn_2")
    assert len(trace_id_of("turn_1")) == 16


SETTINGS = {
    "LANEKEEPER_ENVIRONMENT": "production",
    "AWS_REGION": "eu-west-1",
    "DATABASE_URL": "postgresql://lanekeeper_worker@db.example.com/lanekeeper",
    "DATABASE_CA": "/opt/rds.pem",
}


def test_one_provider_an_environment() -> None:
    from lanekeeper.limits import Limits
    from lanekeeper.wiring.worker import tracing

    assert Settings.from_environment(SETTINGS).traces == "database"
    with pytest.raises(SettingsError, match="TRACES"):
        Settings.from_environment(SETTINGS | {"TRACES": "both"})
    with pytest.raises(SettingsError, match="traces_endpoint"):
        tracing(Settings.from_environment(SETTINGS | {"TRACES": "otlp"}), Limits())
    with pytest.raises(SettingsError, match="TRACES_ENDPOINT"):
        Settings.from_environment(SETTINGS | {"TRACES_ENDPOINT": "http://collector.example.com"})
