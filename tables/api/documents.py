"""The document of the API: OpenAPI 3.1 at `/api/v1/openapi.json`, as docs/openapi.json has it."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET
from ninja.operation import Operation

from games.access import open_to_all
from tables.api import routers
from tables.api.access import Client
from tables.api.app import BASE, PROBLEM, ProblemShape, answering, api
from tables.api.paging import PlayQuery

SCHEME = Client.__name__
# One example of each operation: `parameters`, `body` and `answer`. tests/api/test_document_examples.py writes them.
EXAMPLES_FILE = Path(__file__).parent / "examples.json"
# Which operation an answer leads to, and what of the answer its parameters are: OpenAPI links, by JSON pointers.
Links = Mapping[str, Mapping[str, str]]
OF_FIRST_TABLE = {"table": "/items/0/code"}
OF_FIRST_SUBMISSION = {"code": "/items/0/code", "version": "/items/0/version"}
OF_FIRST_ACT = {"act": "/items/0/act"}
LINKS: Mapping[str, Links] = {
    "list_facilities": {"list_tables": {"facility": "/items/0/code"}},
    "list_tables": dict.fromkeys(
        ("read_table", "read_limits", "read_turn", "read_sign", "list_rounds", "list_ratings"), OF_FIRST_TABLE
    ),
    "list_rounds": {"read_round": {"table": "/items/0/table", "number": "/items/0/number"}},
    "list_wagers": {"read_round": {"table": "/items/0/table", "number": "/items/0/round"}},
    "list_submissions": dict.fromkeys(("read_submission", "read_odds"), OF_FIRST_SUBMISSION),
    "list_streams": {
        "list_entries": {"stream": "/items/0/place"},
        "prove_entry": {"place": "/items/0/place", "number": "/items/0/number"},
    },
    "list_acts": dict.fromkeys(("read_act", "act_at_table", "act_of_facility"), OF_FIRST_ACT),
    "read_table": {"act_at_table": {"table": "/code"}},
    "read_sign": {"say_shown": {"table": "/table"}},
}
NEXT_PAGE = {"after": "/next"}
# Headers of answers. Those that are required are compared with every answer that has one of these statuses.
HEADERS: Mapping[str, Any] = {
    "Pitside-Version": {
        "description": "the version of the API that answered",
        "required": True,
        "schema": {"type": "string", "format": "date"},
    },
    "RateLimit": {
        "description": "how many requests are left (`r`) for how many seconds (`t`)",
        "required": True,
        "schema": {"type": "string", "pattern": r'^"client";r=\d+;t=\d+$'},
    },
    "RateLimit-Policy": {
        "description": "how many requests a client may send (`q`) in a window of so many seconds (`w`)",
        "required": True,
        "schema": {"type": "string", "pattern": r'^"client";q=\d+;w=\d+$'},
    },
    "ETag": {
        "description": "send it as `If-None-Match`: 304 says that nothing changed",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[0-9a-f]{32}"$'},
    },
    "Retry-After": {"description": "with 429 and 503: seconds", "schema": {"type": "integer", "minimum": 1}},
    "WWW-Authenticate": {
        "description": "with 401, and where a scope is missing",
        "schema": {"type": "string"},
    },
}
OF_ANSWERS = ("Pitside-Version", "RateLimit", "RateLimit-Policy")
OF_REFUSALS = ("Pitside-Version", "Retry-After", "WWW-Authenticate")
assert routers.ROUTERS  # before the document is made of them


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, with the scopes of each operation and what it answers when it refuses."""
    schema: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=BASE))
    shapes = schema["components"]["schemas"]
    schema["components"]["headers"] = HEADERS
    shapes["ProblemShape"] = ProblemShape.model_json_schema()
    del shapes[PlayQuery.__name__]  # its fields are parameters, and no answer has it
    scopes = {operation.view_func.__name__: _scopes_of(operation) for operation in _operations()}
    refused = {
        "description": "Refused: why, and what to do",
        "headers": _headers(*OF_REFUSALS),
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemShape"}}},
    }
    for methods in schema["paths"].values():
        for method, operation in methods.items():
            wanted = scopes[operation["operationId"]]
            operation["security"] = [{SCHEME: [scope]} for scope in wanted]
            answers = {
                status: answer for status, answer in operation["responses"].items() if int(status) < 400
            }
            for answer in answers.values():
                has_etag = method == "get" and "text/event-stream" not in answer.get("content", ())
                answer["headers"] = _headers(*OF_ANSWERS, *(("ETag",) if has_etag else ()))
            operation["responses"] = {**answers, "default": refused}
    _link(schema)
    _add_examples(schema)
    document: dict[str, Any] = json.loads(
        json.dumps(schema)
    )  # numbers of answers become text, as in the file
    return document


def _headers(*names: str) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _link(schema: dict[str, Any]) -> None:
    """Add to each answer what it leads to: the operations of LINKS, and the next page. All stay at their facility."""
    operations = {
        operation["operationId"]: operation
        for methods in schema["paths"].values()
        for operation in methods.values()
    }
    for name, operation in operations.items():
        leads = dict(LINKS.get(name, {}))
        if "after" in _parameters(operation) and name != "stream_entries":
            leads[name] = NEXT_PAGE
        links = {}
        for target, pointers in leads.items():
            taken = {parameter: f"$response.body#{pointer}" for parameter, pointer in pointers.items()}
            if "facility" in _parameters(operation) & _parameters(operations[target]):
                taken["facility"] = "$request.path.facility"
            links[target if target != name else "next_page"] = {"operationId": target, "parameters": taken}
        if links:
            operation["responses"][200]["links"] = links


@cache
def read_examples() -> dict[str, dict[str, Any]]:
    """The example of each operation, by its name."""
    examples: dict[str, dict[str, Any]] = json.loads(EXAMPLES_FILE.read_text("utf-8"))
    return examples


def _add_examples(schema: dict[str, Any]) -> None:
    """Add to each operation what was sent and answered in a real run."""
    for methods in schema["paths"].values():
        for operation in methods.values():
            example = read_examples().get(operation["operationId"], {})
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in example.get("parameters", {}):
                    parameter["example"] = example["parameters"][parameter["name"]]
            for part, name in (
                (operation.get("requestBody", {}), "body"),
                (operation["responses"][200], "answer"),
            ):
                for media in part.get("content", {}).values():
                    if name in example:
                        media["example"] = example[name]


def _parameters(operation: dict[str, Any]) -> set[str]:
    return {parameter["name"] for parameter in operation.get("parameters", ())}


def _operations() -> list[Operation]:
    return [
        operation
        for bound in api._get_bound_routers()
        for view in bound.path_operations.values()
        for operation in view.operations
    ]


def _scopes_of(operation: Operation) -> list[str]:
    """Any of these is enough."""
    return sorted(
        {scope for rule in operation.auth_callbacks if isinstance(rule, Client) for scope in rule.scopes}
    )


@open_to_all("the document of the API says nothing of a casino")
@answering
@require_GET
def openapi(request: HttpRequest) -> HttpResponseBase:
    """The OpenAPI document."""
    return JsonResponse(document())
