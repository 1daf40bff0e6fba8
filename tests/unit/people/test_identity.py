"""A person is whoever a valid access token of our issuer speaks of; every other token is nobody."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization

from lanekeeper import clock
from lanekeeper.errors import Problem
from lanekeeper.limits import Limits
from lanekeeper.people import Identity, Issuer, KeySet
from tests.unit.people import issuer as idp

KEY = idp.rsa_key()
OTHER_KEY = idp.rsa_key()
CURVE = idp.ec_key()
KEYS = json.dumps({"keys": [idp.public(KEY, "k1"), idp.public(CURVE, "e1"), idp.public(OTHER_KEY, "enc", use="enc")]})
NOW = datetime(2030, 5, 1, 12, tzinfo=UTC)
COGNITO = Issuer(url=idp.URL, kind="cognito", clients=frozenset({idp.CLIENT}))
OIDC = Issuer(url=idp.URL, kind="oidc", clients=frozenset({"https://api.example"}), groups_claim="roles")


@pytest.fixture(autouse=True)
def the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far from the machine's date, so that a look at any other clock shows."""
    monkeypatch.setattr(clock, "now", lambda: NOW)


def identity(issuer: Issuer = COGNITO) -> Identity:
    limits = Limits()
    return Identity(issuer, KeySet(limits, inline=KEYS), limits)


def token(key: Any = KEY, kid: str | None = "k1", algorithm: str = "RS256", **changed: Any) -> str:
    return idp.sign(idp.claims(NOW, **changed), key, kid, algorithm)


async def refusal(header: str | None, issuer: Issuer = COGNITO) -> Problem:
    with pytest.raises(Problem) as refused:
        await identity(issuer).person(header)
    return refused.value


async def test_a_cognito_access_token_proves_its_person() -> None:
    person = await identity().person(f"Bearer {token(name='Ana', zoneinfo='Europe/Madrid')}")
    assert (person.id, person.name, person.groups, person.timezone) == (
        "ana",
        "Ana",
        frozenset({"staff"}),
        "Europe/Madrid",
    )


async def test_an_es256_token_is_believed_as_well() -> None:
    assert (await identity().person(f"bearer {token(CURVE, 'e1', 'ES256')}")).id == "ana"


async def test_an_oidc_token_names_this_api_in_its_audience() -> None:
    named = token(token_use=None, client_id=None, aud=["x", "https://api.example"], roles=["admin", 3])
    person = await identity(OIDC).person(f"Bearer {named}")
    assert person.groups == frozenset({"admin"})


@pytest.mark.parametrize("name", [None, "", 7, "a\x00b", "x" * 300])
async def test_a_name_that_cannot_be_shown_is_left_out(name: object) -> None:
    assert (await identity().person(f"Bearer {token(name=name)}")).name is None


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "localtime", 5, ""])
async def test_a_timezone_that_does_not_exist_is_left_out(zone: object) -> None:
    assert (await identity().person(f"Bearer {token(zoneinfo=zone)}")).timezone is None


async def test_groups_come_from_the_one_configured_claim_only() -> None:
    elsewhere = token(roles=["admin"], groups=["admin"], **{"cognito:groups": "admin"})
    assert (await identity().person(f"Bearer {elsewhere}")).groups == frozenset()


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer x.y.z", "Bearer é", "Bearer " + "a" * 20_000]
)
async def test_what_is_no_bearer_token_is_refused(header: str | None) -> None:
    assert (await refusal(header)).status == 401


@pytest.mark.parametrize(
    "changed",
    [
        {"exp": int(NOW.timestamp())},
        {"exp": int(NOW.timestamp()) - 1},
        {"exp": None},
        {"exp": "tomorrow"},
        {"exp": float("nan")},
        {"nbf": int(NOW.timestamp()) + 61},
        {"iss": "https://issuer.example.evil"},
        {"iss": None},
        {"iss": ["https://issuer.example"]},
        {"client_id": "another-app"},
        {"client_id": None, "aud": idp.CLIENT},
        {"client_id": [idp.CLIENT]},
        {"token_use": "id"},
        {"token_use": None},
        {"nonce": "n"},
        {"at_hash": "h"},
        {"sub": None},
        {"sub": ""},
        {"sub": 5},
        {"sub": "a\x00b"},
        {"sub": "\ud800"},
        {"sub": "a" * 256},
    ],
    ids=json.dumps,
)
async def test_claims_that_do_not_fit_are_refused(changed: dict[str, Any]) -> None:
    assert (await refusal(f"Bearer {token(**changed)}")).status == 401


@pytest.mark.parametrize("audience", [None, "web-client", ["other"], 5, {"https://api.example": 1}])
async def test_an_oidc_token_for_another_audience_is_refused(audience: Any) -> None:
    assert (await refusal(f"Bearer {token(token_use=None, aud=audience)}", OIDC)).status == 401


async def test_an_oidc_id_token_is_refused_even_when_its_audience_fits() -> None:
    assert (await refusal(f"Bearer {token(token_use=None, aud='https://api.example', typ='ID')}", OIDC)).status == 401


async def test_a_token_without_signature_is_refused() -> None:
    unsigned = jwt.encode(idp.claims(NOW), "", algorithm="none", headers={"kid": "k1"})
    assert (await refusal(f"Bearer {unsigned}")).status == 401


async def test_a_public_key_used_as_a_shared_secret_is_refused() -> None:
    pem = KEY.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    header, payload = token().split(".")[:2]
    forged = json.loads(base64.urlsafe_b64decode(header + "==")) | {"alg": "HS256"}
    signing_input = base64.urlsafe_b64encode(json.dumps(forged).encode()).rstrip(b"=") + b"." + payload.encode()
    import hashlib
    import hmac

    signature = base64.urlsafe_b64encode(hmac.digest(pem, signing_input, hashlib.sha256)).rstrip(b"=")
    assert (await refusal(f"Bearer {(signing_input + b'.' + signature).decode()}")).status == 401


@pytest.mark.parametrize(
    "forged",
    [
        token(OTHER_KEY),
        token(OTHER_KEY, "enc"),
        token(OTHER_KEY, "unknown"),
        token(KEY, None),
        token(CURVE, "k1", "ES256"),
        token(KEY, "k1", "RS512"),
        token()[:-4] + "AAAA",
        token() + ".x",
    ],
    ids=[
        "another key",
        "an encryption key",
        "an unknown key",
        "no key id",
        "the key of another kind",
        "another hash",
        "a bent signature",
        "a fourth part",
    ],
)
async def test_forged_tokens_are_refused(forged: str) -> None:
    assert (await refusal(f"Bearer {forged}")).status == 401


async def test_a_payload_that_was_changed_is_refused() -> None:
    header, _, signature = token().split(".")
    other = base64.urlsafe_b64encode(json.dumps(idp.claims(NOW, sub="eva")).encode()).rstrip(b"=").decode()
    assert (await refusal(f"Bearer {header}.{other}.{signature}")).status == 401


async def test_a_deeply_nested_payload_is_refused() -> None:
    nested = jwt.api_jws.encode(b"[" * 3000 + b"]" * 3000, KEY, algorithm="RS256", headers={"kid": "k1"})
    assert (await refusal(f"Bearer {nested}")).status == 401


async def test_a_weak_key_is_not_believed() -> None:
    weak = idp.rsa_key(1024)
    limits = Limits()
    one = Identity(COGNITO, KeySet(limits, inline=json.dumps({"keys": [idp.public(weak, "w")]})), limits)
    with pytest.warns(jwt.warnings.InsecureKeyLengthWarning):
        signed = idp.sign(idp.claims(NOW), weak, "w")
    with pytest.raises(Problem) as refused:
        await one.person(f"Bearer {signed}")
    assert refused.value.status == 401


async def test_every_refusal_reads_the_same() -> None:
    said = {(await refusal(h)).message for h in (None, f"Bearer {token(OTHER_KEY)}", f"Bearer {token(exp=1)}")}
    assert len(said) == 1


async def test_tokens_end_by_the_products_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    one, signed = identity(), token()
    assert (await one.person(f"Bearer {signed}")).id == "ana"
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(hours=1))
    with pytest.raises(Problem):
        await one.person(f"Bearer {signed}")


class Signatures:
    """Counts how often a signature is worked out."""

    def __init__(self, identity: Identity, monkeypatch: pytest.MonkeyPatch) -> None:
        self.checked = 0
        decode = identity._signatures.decode_complete

        def counted(*arguments: Any, **named: Any) -> Any:
            self.checked += 1
            return decode(*arguments, **named)

        monkeypatch.setattr(identity._signatures, "decode_complete", counted)


async def test_a_signature_is_checked_once_for_a_token_and_again_for_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    believer = identity()
    signatures = Signatures(believer, monkeypatch)
    sent = token(sub="bob")
    for _ in range(3):
        assert (await believer.person(f"Bearer {sent}")).id == "bob"
    assert signatures.checked == 1
    head, payload, signature = sent.split(".")
    forged = base64.urlsafe_b64encode(json.dumps(idp.claims(NOW, sub="eve")).encode()).rstrip(b"=").decode()
    for changed in (f"{head}.{forged}.{signature}", f"{head}.{payload}.{signature[:-4]}AAAA"):
        for _ in range(2):
            with pytest.raises(Problem):
                await believer.person(f"Bearer {changed}")
    assert signatures.checked == 5


async def test_a_remembered_token_expires_when_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    believer = identity()
    sent = token()
    await believer.person(f"Bearer {sent}")
    expires = datetime.fromtimestamp(idp.claims(NOW)["exp"], UTC)
    monkeypatch.setattr(clock, "now", lambda: expires - timedelta(seconds=1))
    await believer.person(f"Bearer {sent}")
    monkeypatch.setattr(clock, "now", lambda: expires)
    with pytest.raises(Problem):
        await believer.person(f"Bearer {sent}")


async def test_a_remembered_token_falls_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The issuer takes a key back: after the next fetch nothing that it signed is believed."""
    published = [idp.public(KEY, "k1")]
    limits = Limits(jwks_cache_s=100, jwks_refetch_s=10)
    keys = KeySet(limits, url="https://issuer.example/jwks", fetch=lambda *_: json.dumps({"keys": published}).encode())
    believer = Identity(COGNITO, keys, limits)
    sent = token()
    assert (await believer.person(f"Bearer {sent}")).id == "ana"
    published[:] = [idp.public(OTHER_KEY, "k1")]
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(seconds=101))
    with pytest.raises(Problem) as refused:
        await believer.person(f"Bearer {sent}")
    assert refused.value.status == 401


async def test_few_tokens_are_remembered_and_the_longest_unused_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(tokens_kept=2)
    believer = Identity(COGNITO, KeySet(limits, inline=KEYS), limits)
    signatures = Signatures(believer, monkeypatch)
    first, second, third = (token(sub=sub) for sub in ("a", "b", "c"))
    for sent, checked in [(first, 1), (second, 2), (first, 2), (third, 3), (first, 3), (second, 4)]:
        await believer.person(f"Bearer {sent}")
        assert signatures.checked == checked
