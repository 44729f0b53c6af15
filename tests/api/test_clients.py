"""Tokens of clients: what is asked for, what is granted, and what ends them at once."""

import base64
import datetime as dt
import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from audit import clients, devices
from audit.models import Entry
from audit.verification import verify
from tables.alerts.calls import alert_words
from tables.core.alerts import ALERT_RULES
from tables.demo.floor import first_request
from tables.models import Alert
from tables.setup.clients import SECRET_ENDS
from tables.ticker import reconcile_alerts
from tests.api.conftest import TOKEN_URL

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_client_gets_a_token_for_ten_minutes_and_reads_with_it(machine, hands):
    reader = machine("floor", "money")
    answer = reader.ask_token()
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    assert answer.json() | {"access_token": ""} == {
        "access_token": "", "token_type": "Bearer", "expires_in": 600, "scope": "floor money",
    }  # fmt: skip
    (row,) = reader.get("facilities").json()["items"]
    assert row == {
        "code": "larkfield", "name": "Larkfield Casino", "jurisdiction": "PA", "time_zone": "America/New_York",
        "gaming_day": "2026-11-21",
    }  # fmt: skip
    hands.now += dt.timedelta(minutes=10)
    refused = reader.get("facilities")
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid-token")
    assert refused["WWW-Authenticate"] == 'Bearer realm="pitside", error="invalid_token"'


def test_a_token_may_be_asked_for_fewer_scopes_and_never_for_more(machine):
    reader = machine("floor", "money")
    reader.token = reader.ask_token(scope="money").json()["access_token"]
    refused = reader.get("facilities")
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient-scope")
    answer = reader.ask_token(scope="money people")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_scope")


def test_a_wrong_secret_and_another_grant_are_refused_as_oauth_says(machine):
    reader = machine("floor")
    for changed in ({"client_secret": "pitside_guess"}, {"client_id": "nobody"}):
        assert reader.ask_token(**changed).json()["error"] == "invalid_client"
    assert reader.ask_token(grant_type="password").json()["error"] == "unsupported_grant_type"
    basic = base64.b64encode(f"{reader.id}:{reader.secret}".encode()).decode()
    answer = Client().post(
        TOKEN_URL, {"grant_type": "client_credentials"}, headers={"Authorization": f"Basic {basic}"}
    )
    assert answer.status_code == 200


def test_a_revoked_device_opens_nothing_from_that_moment_on(machine):
    reader = machine("floor")
    assert reader.get("facilities").status_code == 200
    devices.revoke(reader.client.device)
    assert reader.get("facilities").status_code == 401
    assert reader.ask_token().json()["error"] == "invalid_client"


def test_the_secret_before_is_accepted_for_a_week_beside_a_new_one(machine, hands):
    reader = machine("floor")
    _secret, second = clients.make_secret(reader.client)
    hands.now += dt.timedelta(days=7, seconds=-1)
    assert reader.ask_token().status_code == 200
    hands.now += dt.timedelta(seconds=1)
    assert reader.ask_token().json()["error"] == "invalid_client"
    assert reader.ask_token(client_secret=second).status_code == 200
    hands.now += dt.timedelta(days=83)
    assert reader.ask_token(client_secret=second).json()["error"] == "invalid_client"


@pytest.mark.parametrize(
    "sent",
    [base64.b64encode(b"\xff\xfe:\xff").decode(), "\u00e9", "!!!", base64.b64encode(b"no-colon").decode()],
)
def test_a_header_that_holds_no_id_and_secret_gets_no_token(machine, sent):
    form = {"grant_type": "client_credentials"}
    answer = Client().post(TOKEN_URL, form, headers={"Authorization": f"Basic {sent}"})
    assert (answer.status_code, answer.json()["error"]) == (401, "invalid_client")


def test_a_token_ends_with_its_secret(machine, hands):
    reader = machine("floor")
    hands.now += dt.timedelta(days=90, minutes=-5)
    reader.token = reader.ask_token().json()["access_token"]
    hands.now += dt.timedelta(minutes=5)
    assert reader.get("facilities").status_code == 401


def test_no_secret_is_on_the_record_or_in_the_database_and_the_record_proves_its_rows(machine):
    reader = machine("floor")
    clients.make_secret(reader.client)
    assert not any(reader.secret in bytes(entry.body).decode() for entry in Entry.objects.all())
    assert [
        finding for finding in verify().findings if "secret" in str(finding) or "client" in str(finding)
    ] == []
    reader.client.scopes = ["acts"]
    reader.client.save()
    assert [finding for finding in verify().findings if "client" in str(finding)] != []


def test_the_demo_has_a_client_whose_id_and_secret_are_printed_before_it_exists(db, settings):
    settings.DEMO = True
    call_command("seed_demo", client=True, stdout=StringIO())
    said = "\n".join(first_request("http://127.0.0.1:8000"))
    client_id, secret = re.search(r"-u ([\w-]+):([\w-]+)", said).groups()
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
    token = Client().post(TOKEN_URL, form).json()["access_token"]
    address = re.search(r"http://127.0.0.1:8000(/\S+/tables)", said).group(1)
    tables = Client().get(address, headers={"Authorization": f"Bearer {token}"}).json()["items"]
    assert "T-01" in {row["code"] for row in tables}
    call_command("seed_demo", client=True, stdout=StringIO())


def secret_alerts_at(now):
    reconcile_alerts([rule for rule in ALERT_RULES if SECRET_ENDS in rule.kinds], now)
    return [
        (alert.key.split(":")[1], alert.level, alert.params["device"])
        for alert in Alert.objects.filter(ended_at=None)
    ]


def test_a_secret_that_is_about_to_end_is_an_alert_until_there_is_another(machine, hands):
    reader = machine("floor", name="Reader")
    hands.now += dt.timedelta(days=83, seconds=-1)
    assert secret_alerts_at(hands.now) == []
    hands.now += dt.timedelta(seconds=1)
    assert secret_alerts_at(hands.now) == [("ends", "info", "Reader")]
    assert "ends 19 Feb 10:00" in alert_words(*Alert.objects.values_list("kind", "key", "params")[0])[1]
    clients.make_secret(reader.client)
    assert secret_alerts_at(hands.now) == []


@pytest.mark.parametrize(("is_used", "raised"), [(True, [("ended", "warn", "Reader")]), (False, [])])
def test_a_secret_that_ended_while_it_was_in_use_is_an_alert_until_the_system_ends(
    machine, hands, is_used, raised
):
    reader = machine("floor", name="Reader")
    hands.now += dt.timedelta(days=90, minutes=-1)
    if is_used:
        reader.token = reader.ask_token().json()["access_token"]
        assert reader.get("facilities").status_code == 200
    hands.now += dt.timedelta(minutes=1)
    assert secret_alerts_at(hands.now) == raised
    devices.revoke(reader.client.device)
    assert secret_alerts_at(hands.now) == []


def test_a_secret_of_a_system_that_serves_one_table_is_an_alert_there(machine, scene, hands):
    machine("readings", place="larkfield/T-01", name="Reader")
    hands.now += dt.timedelta(days=84)
    secret_alerts_at(hands.now)
    assert [alert.table for alert in Alert.objects.all()] == [scene.table]


# A certificate beside the secret

MINE, OTHER = "ab" * 32, "cd" * 32
NOTHING = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # Caddy's word for no certificate
)


def bind(scene, reader, fingerprint):
    params = {"device": reader.client.device.name, "certificate_sha256": fingerprint}
    code = scene.in_room("bind_client", params, by="system-administrator", approve=False).body["change"]
    scene.in_room("approve_change", {"change": code}, by="compliance")


def with_certificate(reader, fingerprint):
    """The statuses of a token that is asked for, and of a read, by a client that shows this certificate."""
    headers = {"X-Client-Certificate-Sha256": fingerprint} if fingerprint else {}
    form = {"grant_type": "client_credentials", "client_id": reader.id, "client_secret": reader.secret}
    return Client().post(TOKEN_URL, form, headers=headers).status_code, reader.get(
        "facilities", headers=headers
    ).status_code


def test_a_client_that_is_bound_to_a_certificate_is_refused_without_it(machine, scene, settings):
    settings.CLIENT_CERTIFICATES = True
    reader = machine("floor")
    assert with_certificate(reader, "") == with_certificate(reader, OTHER) == (200, 200)
    bind(scene, reader, ":".join(["AB"] * 32))
    assert with_certificate(reader, MINE) == with_certificate(reader, MINE.upper()) == (200, 200)
    for shown in ("", OTHER, NOTHING, "{http.request.tls.client.fingerprint}"):
        assert with_certificate(reader, shown) == (401, 401)
    bind(scene, reader, "")
    assert with_certificate(reader, "") == (200, 200)
    assert [finding for finding in verify().findings if "client" in str(finding)] == []


def test_without_a_proxy_that_says_it_no_header_counts(machine, scene, settings):
    settings.CLIENT_CERTIFICATES = True
    reader = machine("floor")
    bind(scene, reader, MINE)
    settings.CLIENT_CERTIFICATES = False
    assert with_certificate(reader, MINE) == (401, 401)
    with scene.refused("no-certificates-here"):
        bind(scene, reader, OTHER)
    settings.CLIENT_CERTIFICATES = True
    for fingerprint, code in (
        ("ab", "not-a-fingerprint"),
        (NOTHING, "not-a-fingerprint"),
        (MINE, "bound-already"),
    ):
        with scene.refused(code):
            bind(scene, reader, fingerprint)


def test_a_token_is_asked_for_with_a_form_and_no_json(machine):
    client = machine("floor")
    asked = {"grant_type": "client_credentials", "client_id": client.id, "client_secret": client.secret}
    answer = Client().post(TOKEN_URL, asked, content_type="application/json")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_request")
    assert answer.json()["error_description"].startswith("Send a form (application/x-www-form-urlencoded)")
    assert Client().post(TOKEN_URL, asked).status_code == 200
