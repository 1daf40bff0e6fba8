"""What settings ask of AWS: a secret's value, and a password for Postgres. botocore is imported only then."""

from urllib.parse import urlencode

TOKEN_S = 900


def secret_value(arn: str, region: str) -> str:
    """The text of one secret in Secrets Manager. Blocks for one request."""
    import botocore.session

    client = botocore.session.get_session().create_client("secretsmanager", region_name=region)
    return str(client.get_secret_value(SecretId=arn)["SecretString"])


def database_token(host: str, port: int, user: str, region: str) -> str:
    """A password for IAM database authentication, good for 15 minutes. Signed here, without a request."""
    import botocore.session
    from botocore.auth import SigV4QueryAuth
    from botocore.awsrequest import AWSRequest

    credentials = botocore.session.get_session().get_credentials()
    query = urlencode({"Action": "connect", "DBUser": user})
    request = AWSRequest("GET", f"https://{host}:{port}/?{query}")
    SigV4QueryAuth(credentials.get_frozen_credentials(), "rds-db", region, expires=TOKEN_S).add_auth(request)
    return str(request.url).removeprefix("https://")
