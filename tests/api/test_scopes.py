"""Which scope opens which address: none without one that its document names."""

import html
import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from audit.clients import SCOPES
from tables.api.documents import SCHEME, document, read_examples

pytestmark = [pytest.mark.django_db]
EXAMPLES = {"facility": "larkfield", "table": "T-01"}
OPERATIONS = [
    (method, path, operation)
    for path, methods in document()["paths"].items()
    for method, operation in methods.items()
]


def address_of(path: str) -> str:
    return re.sub(r"{(\w+)}", lambda match: EXAMPLES.get(match[1], "1"), path)


def test_each_address_refuses_everybody_without_a_token_and_every_token_without_its_scope(machine):
    machines = {scope: machine(scope) for scope in SCOPES}
    wrong = []
    for method, path, operation in OPERATIONS:
        scopes = {scope for rule in operation["security"] for scope in rule[SCHEME]}
        assert scopes, path
        if Client().generic(method.upper(), address_of(path)).status_code != 401:
            wrong.append(f"{method} {path} without a token")
        for scope, reader in machines.items():
            answer = Client().generic(method.upper(), address_of(path), headers=reader.headers)
            if (answer.status_code == 403 and answer.json()["code"] == "insufficient-scope") == (
                scope in scopes
            ):
                wrong.append(f"{method} {path} with {scope}: {answer.status_code}")
    assert wrong == []


def test_the_document_is_the_one_that_clients_were_built_from():
    stored = Path(settings.BASE_DIR / "docs/openapi.json").read_text("utf-8")
    assert json.loads(stored) == json.loads(json.dumps(document())), (
        "run manage.py openapi > docs/openapi.json"
    )
    assert Client().get("/api/v1/openapi.json").json() == document()


def test_no_amount_is_a_fraction_and_every_amount_says_that_it_is_in_cents():
    wrong = []
    for name, schema in document()["components"]["schemas"].items():
        for field, kind in schema.get("properties", {}).items():
            kinds = {kind.get("type"), *(part.get("type") for part in kind.get("anyOf", ()))}
            if "number" in kinds or (field.endswith("_cents") and not kinds <= {"integer", "null", None}):
                wrong.append(f"{name}.{field}")
    assert wrong == []


def test_the_command_writes_the_document(capsys):
    call_command("openapi")
    assert json.loads(capsys.readouterr().out)["openapi"] == "3.1.0"


def test_the_page_of_the_document_names_every_address_and_loads_nothing_from_elsewhere():
    text = html.unescape(Client().get("/api/v1/docs").content.decode())
    assert [path for _method, path, _operation in OPERATIONS if f"<code>{path}</code>" not in text] == []
    assert [scope for scope in SCOPES if f"<code>{scope}</code>" not in text] == []
    links = set(re.findall(r'href="#([^"]+)"', text))
    assert links - set(re.findall(r' id="([^"]+)"', text)) == set()
    assert "http://" not in text and "https://" not in text
    assert Client().get("/api/v1/problems/not-found")["Location"] == "/api/v1/docs#refusals"


def test_the_page_shows_the_example_of_every_operation():
    page = Client().get("/api/v1/docs").content.decode()
    shown = dict(re.findall(r'aria-label="Request of (\w+)">([^<]*)</pre>', page))
    answers = dict(re.findall(r'aria-label="Answer of (\w+)">([^<]*)</pre>', page))
    examples = read_examples()
    assert (
        shown.keys()
        == answers.keys()
        == {operation["operationId"] for _method, _path, operation in OPERATIONS}
    )
    assert html.unescape(shown["list_transfers"]) == "GET /api/v1/facilities/larkfield/transfers?kind=fill"
    line, body = html.unescape(shown["say_shown"]).split("\n\n")
    assert line == "POST /api/v1/facilities/larkfield/tables/T-01/sign/shown"
    assert json.loads(body) == examples["say_shown"]["body"]
    assert json.loads(html.unescape(answers["read_table"])) == examples["read_table"]["answer"]
    assert max(len(line) for text in answers.values() for line in html.unescape(text).split("\n")) < 300
