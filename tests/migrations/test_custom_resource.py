"""Migrate as a custom resource: CloudFormation always gets an answer, and a rollback is never in its way."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest

from lanekeeper.migrate import custom_resource
from lanekeeper.migrate.deployment import Deployment
from lanekeeper.settings import SettingsError
from lanekeeper.wiring.migrate import build
from tests.devkit.migrations import MIGRATIONS
from tests.devkit.postgres import MIGRATOR, Postgres, free_port


class CloudFormation:
    """Takes answers; refuses the first ``refusals`` of them."""

    def __init__(self) -> None:
        self.answers: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.refusals = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_PUT(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.headers.append(dict(self.headers))
                if outer.refusals:
                    outer.refusals -= 1
                    self.send_error(503)
                    return
                outer.answers.append(json.loads(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def request(self, kind: str) -> dict[str, Any]:
        return {
            "RequestType": kind,
            "ResponseURL": f"http://127.0.0.1:{self.server.server_port}/answer?X-Amz-Signature=a%2Bb",
            "StackId": "arn:aws:cloudformation:eu-central-1:111122223333:stack/x/1",
            "RequestId": "request-1",
            "LogicalResourceId": "Migration",
            "ResourceProperties": {"Migrations": "1"},
        }


class Context:
    def __init__(self, seconds: float = 600) -> None:
        self.seconds = seconds

    def get_remaining_time_in_millis(self) -> int:
        return round(self.seconds * 1000)


@pytest.fixture
def cloudformation() -> Iterator[CloudFormation]:
    cloudformation = CloudFormation()
    yield cloudformation
    cloudformation.server.shutdown()
    cloudformation.server.server_close()


@pytest.fixture
def owner_url(postgres_server: Postgres, empty_database_url: str) -> str:
    """A database such as RDS hands out: extensions at hand, no tables."""
    name = empty_database_url.rpartition("/")[2]
    postgres_server.prepare_database(name, lambda _url: None)
    return postgres_server.url(name, MIGRATOR)


def environment(url: str, **more: str) -> dict[str, str]:
    return {
        "LANEKEEPER_ENVIRONMENT": "dev",
        "DATABASE_AUTH": "none",
        "DATABASE_URL": url,
        "MAINTENANCE_FUNCTION": "arn:aws:lambda:eu-central-1:111122223333:function:x-maintenance",
        "AWS_REGION": "eu-central-1",
        **more,
    }


def stored(url: str, query: str) -> list[Any]:
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute(query).fetchall()]  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["Create", "Update"])
def test_a_deploy_migrates_and_says_so(cloudformation: CloudFormation, owner_url: str, kind: str) -> None:
    build(environment(owner_url), migrations=MIGRATIONS)(cloudformation.request(kind), Context())

    names = stored(owner_url, "select name from migrations order by name")
    assert cloudformation.answers == [
        {
            "Status": "SUCCESS",
            "Reason": "",
            "PhysicalResourceId": custom_resource.PHYSICAL_ID,
            "StackId": "arn:aws:cloudformation:eu-central-1:111122223333:stack/x/1",
            "RequestId": "request-1",
            "LogicalResourceId": "Migration",
            "Data": {"Applied": len(names)},
        }
    ]
    assert names == sorted(path.name for path in MIGRATIONS.glob("[0-9]*.sql"))
    # S3 signed the address for a request without content type.
    assert cloudformation.headers[0]["Content-Type"] == ""


def test_pg_cron_is_told_which_function_it_starts_and_told_anew_when_that_changes(owner_url: str) -> None:
    for arn in ("arn:one", "arn:one", "arn:two"):
        build(environment(owner_url, MAINTENANCE_FUNCTION=arn), migrations=MIGRATIONS)({}, Context())
        assert stored(owner_url, "select value from settings where key = 'maintenance'") == [
            {"function": arn, "region": "eu-central-1"}
        ]


def test_by_hand_it_answers_with_what_was_applied(owner_url: str) -> None:
    handler = build(environment(owner_url), migrations=MIGRATIONS)
    assert len(handler({}, Context())["applied"]) == len(list(MIGRATIONS.glob("[0-9]*.sql")))
    assert handler({}, Context()) == {"applied": []}


def test_deleting_the_stack_succeeds_and_touches_no_data(cloudformation: CloudFormation) -> None:
    nowhere = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    build(environment(nowhere), migrations=MIGRATIONS)(cloudformation.request("Delete"), Context())
    assert [answer["Status"] for answer in cloudformation.answers] == ["SUCCESS"]


def test_a_database_that_is_ahead_does_not_block_a_rollback_but_is_refused_by_hand(
    cloudformation: CloudFormation, owner_url: str
) -> None:
    handler = build(environment(owner_url), migrations=MIGRATIONS)
    handler({}, Context())
    with psycopg.connect(owner_url) as connection:
        connection.execute("insert into migrations (name, sha256) values ('9999_fly_away.sql', '')")

    handler(cloudformation.request("Update"), Context())
    assert cloudformation.answers[0]["Status"] == "SUCCESS"
    assert "9999_fly_away.sql" in cloudformation.answers[0]["Reason"]
    with pytest.raises(Exception, match="9999_fly_away"):
        handler({}, Context())


def test_a_migration_that_fails_is_answered_without_the_row_it_failed_on(
    cloudformation: CloudFormation, owner_url: str, tmp_path: Path
) -> None:
    (tmp_path / "0001_create_shelf.sql").write_text(
        "create table shelf (id text primary key); insert into shelf values ('my secret'), ('my secret')"
    )
    build(environment(owner_url), migrations=tmp_path)(cloudformation.request("Create"), Context())
    answer = cloudformation.answers[0]
    assert answer["Status"] == "FAILED"
    assert answer["Reason"].startswith("UniqueViolation: duplicate key value")
    assert "my secret" not in json.dumps(answer)


def test_a_database_that_is_not_up_yet_is_asked_until_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("lanekeeper.clock.monotonic", lambda: sum(pauses))
    nowhere = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    deployment = Deployment(connect=lambda: nowhere, folder=MIGRATIONS, pause=pauses.append)
    with pytest.raises(psycopg.OperationalError):
        deployment.run(time_left_s=80)
    assert pauses == [5, 5, 5, 5]


def test_an_answer_that_does_not_arrive_is_sent_again(cloudformation: CloudFormation) -> None:
    cloudformation.refusals = 2
    custom_resource.handle(cloudformation.request("Update"), lambda: ["0001_a_b.sql"], pauses_s=(0, 0))
    assert [answer["Data"] for answer in cloudformation.answers] == [{"Applied": 1}]


def test_even_a_process_that_is_told_to_exit_answers(cloudformation: CloudFormation) -> None:
    def leave() -> list[str]:
        raise SystemExit

    with pytest.raises(SystemExit):
        custom_resource.handle(cloudformation.request("Update"), leave)
    assert cloudformation.answers[0]["Status"] == "FAILED"


def test_a_build_without_the_authority_of_rds_says_what_is_missing(cloudformation: CloudFormation) -> None:
    settings = environment("postgresql://owner@db.example.com/x", DATABASE_CA="/opt/no-such-ca.pem")
    build(settings, migrations=MIGRATIONS)(cloudformation.request("Create"), Context())
    assert "make rds-ca" in cloudformation.answers[0]["Reason"]
    with pytest.raises(SettingsError):
        build(settings, migrations=MIGRATIONS)({}, Context())


def test_a_function_packed_without_migrations_does_not_pass_for_migrated(
    cloudformation: CloudFormation, owner_url: str, tmp_path: Path
) -> None:
    build(environment(owner_url), migrations=tmp_path)(cloudformation.request("Create"), Context())
    assert cloudformation.answers[0]["Status"] == "FAILED"
    assert cloudformation.answers[0]["Reason"].startswith("FileNotFoundError")
