"""What settings ask of AWS: a secret's value, and a password for Postgres."""

from lanekeeper.signature import Signer

TOKEN_S = 900


def secret_value(arn: str, region: str) -> str:
    """The text of one secret in Secrets Manager. Blocks for one request."""
    # Late: only a function whose key lies there needs it, and not before its first call.
    import botocore.session

    client = botocore.session.get_session().create_client("secretsmanager", region_name=region)
    return str(client.get_secret_value(SecretId=arn)["SecretString"])


def database_token(host: str, port: int, user: str, region: str) -> str:
    """A password for IAM database authentication, good for 15 minutes. Signed here, without a request."""
    signer = Signer("rds-db", region)
    return signer.url(f"https://{host}:{port}/", {"Action": "connect", "DBUser": user}, TOKEN_S).removeprefix(
        "https://"
    )
