"""The template as CloudFormation receives it. SAM accepts much that AWS would read differently."""

import json
import re
from typing import Any

import pytest

from lanekeeper.limits import Limits
from tests.packaging.cloudformation import Stack
from tests.packaging.sam import ROOT, Sam

pytestmark = pytest.mark.packaging

FUNCTIONS = {"AcceptFunction", "StreamFunction", "WorkerFunction", "MaintenanceFunction", "MigrateFunction"}
ENVIRONMENTS = ("dev", "staging", "production")

# Connections that one running copy of each function may hold, and those that stay for everybody else.
CONNECTIONS = {"Accept": 1, "Stream": 1, "Worker": 4, "Maintenance": 2}
MIGRATE, RESERVE = 1, 20


def paths(stack: Stack) -> dict[str, dict[str, Any]]:
    (api,) = stack.of_type("AWS::ApiGateway::RestApi")
    found: dict[str, dict[str, Any]] = stack.properties(api)["Body"]["paths"]
    return found


def statements(stack: Stack, role: str) -> list[dict[str, Any]]:
    inline = [policy["PolicyDocument"] for policy in stack.properties(role).get("Policies", [])]
    apart = [
        stack.properties(name)["PolicyDocument"]
        for name in stack.of_type("AWS::IAM::RolePolicy")
        if stack.properties(name)["RoleName"] == role
    ]
    return [statement for document in (*inline, *apart) for statement in document["Statement"]]


def test_the_linter_has_nothing_to_say_not_even_a_warning(sam: Sam) -> None:
    assert "is a valid SAM Template" in sam("validate", "--lint")


def test_b037_the_stream_s_route_streams_and_no_other_does(production: Stack) -> None:
    stream = paths(production)["/chat/{conversationId}/stream"]["get"]["x-amazon-apigateway-integration"]
    assert stream["responseTransferMode"] == "STREAM"
    assert stream["uri"].endswith("/response-streaming-invocations")
    assert "StreamFunction" in stream["uri"]
    assert stream["timeoutInMillis"] == 1000 * production.properties("StreamFunction")["Timeout"]
    for path, methods in paths(production).items():
        for method, operation in methods.items():
            if (path, method) != ("/chat/{conversationId}/stream", "get"):
                assert "responseTransferMode" not in operation["x-amazon-apigateway-integration"]
                assert "AcceptFunction" in operation["x-amazon-apigateway-integration"]["uri"]


def test_every_prefix_of_the_stream_s_path_goes_to_accept(production: Stack) -> None:
    """API Gateway picks the most exact path first: a path without methods of its own would answer 403."""
    parts = ["", "chat", "{conversationId}", "stream"]
    prefixes = ["/".join(parts[:end]) or "/" for end in range(1, len(parts) + 1)]
    for path in (*prefixes, "/{proxy+}", "/chat/{conversationId}/{proxy+}"):
        assert "x-amazon-apigateway-any-method" in paths(production)[path]


def test_the_turn_the_stream_and_their_functions_fit_into_one_another(production: Stack) -> None:
    limits = Limits()
    worker, stream = production.properties("WorkerFunction"), production.properties("StreamFunction")
    parameters = production.properties("DatabaseParameters")["Parameters"]
    idle_s = int(parameters["idle_in_transaction_session_timeout"]) / 1000
    assert limits.turn_s < limits.drain_reserve_s < worker["Timeout"]
    assert limits.turn_s + limits.stream_reserve_s < stream["Timeout"]
    assert limits.turn_s < idle_s < worker["Timeout"]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_all_copies_of_two_releases_have_connections_enough(translated: dict[str, Any], environment: str) -> None:
    stack = Stack(translated, Environment=environment)
    running = sum(
        held * stack.properties(f"{name}Function")["ReservedConcurrentExecutions"] for name, held in CONNECTIONS.items()
    )
    allowed = int(stack.properties("DatabaseParameters")["Parameters"]["max_connections"])
    assert 2 * (running + MIGRATE) + RESERVE <= allowed


def test_nothing_but_lambda_and_postgres_carries_work(production: Stack) -> None:
    kinds = {resource["Type"] for resource in production.template["Resources"].values()}
    assert not [kind for kind in kinds if re.match(r"AWS::(SQS|SNS|Events|Scheduler|Pipes|StepFunctions)::", kind)]
    assert not re.search(r"arn:aws[^\"]*:(sqs|sns|events)|DeadLetter", json.dumps(production.template))
    for name in production.of_type("AWS::Lambda::EventInvokeConfig"):
        assert not production.properties(name).get("DestinationConfig")


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_each_function_is_bounded_traced_private_and_logged_for_a_while(production: Stack, function: str) -> None:
    properties = production.properties(function)
    assert properties["Runtime"] == "python3.13"
    assert properties["Architectures"] == ["arm64"]
    assert properties["ReservedConcurrentExecutions"] > 0
    assert properties["TracingConfig"] == {"Mode": "Active"}
    assert properties["VpcConfig"]["SubnetIds"] == ["PrivateSubnetA", "PrivateSubnetB"]
    log = properties["LoggingConfig"]["LogGroup"]
    assert production.properties(log)["RetentionInDays"] > 0
    assert properties["LoggingConfig"]["LogFormat"] == "JSON"


def test_traces_go_out_only_where_a_collector_is_named(production: Stack, translated: dict[str, Any]) -> None:
    variables = production.properties("WorkerFunction")["Environment"]["Variables"]
    assert (variables["TRACES"], variables["TRACES_ENDPOINT"]) == ("database", "")
    secret = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:traces"
    sent = Stack(translated, Traces="otlp", TracesEndpoint="https://traces.example.com", TracesHeadersSecret=secret)
    assert sent.properties("WorkerFunction")["Environment"]["Variables"]["TRACES_HEADERS_SECRET"] == secret
    allowed = [statement["Resource"] for statement in statements(sent, "WorkerFunctionRole")]
    assert [secret in resource for resource in allowed].count(True) == 1


def test_there_are_five_functions_and_an_event_is_never_retried_more_than_once(production: Stack) -> None:
    assert set(production.of_type("AWS::Lambda::Function")) == FUNCTIONS
    retries = {
        (properties := production.properties(name))["FunctionName"]: properties["MaximumRetryAttempts"]
        for name in production.of_type("AWS::Lambda::EventInvokeConfig")
    }
    assert retries == {"WorkerFunction": 0, "MaintenanceFunction": 0, "MigrateFunction": 1}
    # SAM puts the retries on the alias, so CloudFormation must ask the alias.
    assert production.properties("MigrateFunctionEventInvokeConfig")["Qualifier"] == "live"
    assert production.properties("Migration")["ServiceToken"] == "MigrateFunctionAliaslive"


def test_the_stream_s_runtime_changes_with_a_deploy_only(production: Stack) -> None:
    properties = production.properties("StreamFunction")
    assert properties["RuntimeManagementConfig"] == {"UpdateRuntimeOn": "FunctionUpdate"}
    assert properties["Environment"]["Variables"]["AWS_LAMBDA_EXEC_WRAPPER"] == "/opt/stream-wrapper"


def test_no_secret_stands_in_the_template(production: Stack) -> None:
    for name in FUNCTIONS:
        for variable, value in production.properties(name)["Environment"]["Variables"].items():
            if re.search(r"KEY|PASSWORD|SECRET|TOKEN", variable):
                assert variable.endswith("_SECRET")
                assert value.startswith("arn:") or value == "Database.MasterUserSecret.SecretArn"
            assert not re.search(r"//[^/@]*:[^/@]*@", str(value)), f"{variable} holds a password"
    database = production.properties("Database")
    assert database["ManageMasterUserPassword"] is True
    assert "MasterUserPassword" not in database
    for name, parameter in production.template["Parameters"].items():
        if re.search(r"Key|Secret|Password", name):
            assert "secretsmanager" in parameter["AllowedPattern"]


def test_each_function_may_do_only_its_own_work(production: Stack) -> None:
    allowed: dict[str, set[str]] = {}
    for function in FUNCTIONS:
        role = str(production.properties(function)["Role"]).removesuffix(".Arn")
        allowed[function] = set()
        for statement in statements(production, role):
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            targets = statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]]
            assert "*" not in "".join((*actions, *targets))
            allowed[function] |= {f"{action} {target.rpartition(':')[2]}" for action in actions for target in targets}
    key, search = "secretsmanager:GetSecretValue mainline", "secretsmanager:GetSecretValue search"
    wake, database = "lambda:InvokeFunction WorkerFunction.Arn", "rds-db:connect Database.DbiResourceId/lanekeeper_"
    shorten = "lambda:InvokeFunction lanekeeper-maintenance"
    assert allowed == {
        "AcceptFunction": {database + "accept", wake, shorten, key},
        "StreamFunction": {database + "stream"},
        "WorkerFunction": {database + "worker", shorten, key, search},
        "MaintenanceFunction": {database + "maintenance", wake, key},
        "MigrateFunction": {"secretsmanager:GetSecretValue Database.MasterUserSecret.SecretArn"},
    }
    assert statements(production, "DatabaseRole") == [
        {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": "MaintenanceFunction.Arn"}
    ]


def test_the_database_is_private_asks_for_tls_and_can_start_maintenance(production: Stack) -> None:
    database = production.properties("Database")
    assert database["PubliclyAccessible"] is False
    assert database["StorageEncrypted"] is True
    assert database["EnableIAMDatabaseAuthentication"] is True
    assert database["AssociatedRoles"] == [{"FeatureName": "Lambda", "RoleArn": "DatabaseRole.Arn"}]
    assert re.fullmatch(r"\d+\.\d+", database["EngineVersion"])
    parameters = production.properties("DatabaseParameters")
    assert parameters["Family"] == f"postgres{database['EngineVersion'].partition('.')[0]}"
    expected = {
        "cron.database_name": database["DBName"],
        "rds.custom_dns_resolution": "1",
        "rds.force_ssl": "1",
        "tcp_keepalives_idle": "10",
        "tcp_keepalives_interval": "5",
        "tcp_keepalives_count": "2",
        "log_error_verbosity": "terse",
    }
    assert expected.items() <= parameters["Parameters"].items()
    assert "pg_cron" in parameters["Parameters"]["shared_preload_libraries"].split(",")
    assert production.template["Resources"]["Database"]["DeletionPolicy"] == "Snapshot"


def test_nothing_starts_before_the_database_is_migrated(production: Stack) -> None:
    for function in FUNCTIONS - {"MigrateFunction"}:
        depends = production.template["Resources"][function]["DependsOn"]
        assert "Migration" in ([depends] if isinstance(depends, str) else depends)


def test_new_migrations_and_nothing_else_run_the_migrate_function(sam: Sam) -> None:
    def asked_with(key: str) -> Any:
        code = {"CodeUri": {"Bucket": "bucket", "Key": key}}
        return sam.translate(MigrateFunction=code)["Resources"]["Migration"]["Properties"]["Migrations"]

    assert asked_with("one") == asked_with("one") != asked_with("two")


def test_api_gateway_s_own_answers_have_the_contract_s_shape(production: Stack) -> None:
    (api,) = production.of_type("AWS::ApiGateway::RestApi")
    responses = production.properties(api)["Body"]["x-amazon-apigateway-gateway-responses"]
    assert {"DEFAULT_4XX", "DEFAULT_5XX", "THROTTLED", "REQUEST_TOO_LARGE", "INTEGRATION_TIMEOUT"} <= set(responses)
    for response in responses.values():
        assert int(response["statusCode"]) in {400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 503}
        (media_type, template) = next(iter(response["responseTemplates"].items()))
        error = json.loads(template)["error"]
        assert media_type == "application/json"
        assert set(error) == {"code", "message", "retryable", "nextStep"}
        assert error["retryable"] is (int(response["statusCode"]) in {429, 503})


def test_a_body_of_any_kind_reaches_the_function_as_the_bytes_it_is(production: Stack) -> None:
    """Otherwise API Gateway reads a picture as UTF-8, and what arrives is no picture any more."""
    (api,) = production.of_type("AWS::ApiGateway::RestApi")
    assert production.properties(api)["Body"]["x-amazon-apigateway-binary-media-types"] == ["*/*"]
    # 4 MB in base64, as a form, with the longest headers, are still an event that Lambda takes.
    assert Limits().upload_bytes * 4 / 3 + 128 * 1024 < 6 * 1024 * 1024


def test_the_api_is_regional_throttled_and_traces_no_bodies(production: Stack) -> None:
    (api,) = production.of_type("AWS::ApiGateway::RestApi")
    (stage,) = production.of_type("AWS::ApiGateway::Stage")
    assert production.properties(api)["EndpointConfiguration"] == {"Types": ["REGIONAL"]}
    (settings,) = production.properties(stage)["MethodSettings"]
    assert settings["DataTraceEnabled"] is False
    assert settings["LoggingLevel"] == "OFF"
    assert settings["ThrottlingRateLimit"] > 0


def test_each_environment_of_samconfig_deploys_a_stack_of_its_own() -> None:
    import tomllib

    config = tomllib.loads((ROOT / "samconfig.toml").read_text())
    deploys = {name: config[name]["deploy"]["parameters"] for name in ENVIRONMENTS}
    assert len({deploy["stack_name"] for deploy in deploys.values()}) == 3
    for name, deploy in deploys.items():
        assert f"Environment={name}" in deploy["parameter_overrides"]
