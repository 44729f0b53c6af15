"""The document of the API: OpenAPI 3.1 at `/api/v1/openapi.json`, as docs/openapi.json has it."""

import json
from functools import cache
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET
from ninja.operation import Operation

from games.access import open_to_all
from tables.api import routers
from tables.api.access import Client
from tables.api.app import BASE, PROBLEM, ProblemShape, answering, api

SCHEME = Client.__name__
assert routers.ROUTERS  # before the document is made of them


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document, with the scopes of each operation and what it answers when it refuses."""
    schema: dict[str, Any] = dict(api.get_openapi_schema(path_prefix=BASE))
    schema["components"]["schemas"]["ProblemShape"] = ProblemShape.model_json_schema()
    scopes = {operation.view_func.__name__: _scopes_of(operation) for operation in _operations()}
    refused = {
        "description": "Refused: why, and what to do",
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemShape"}}},
    }
    for methods in schema["paths"].values():
        for operation in methods.values():
            wanted = scopes[operation["operationId"]]
            operation["security"] = [{SCHEME: [scope]} for scope in wanted]
            answers = {
                status: answer for status, answer in operation["responses"].items() if int(status) < 400
            }
            operation["responses"] = {**answers, "default": refused}
    document: dict[str, Any] = json.loads(
        json.dumps(schema)
    )  # numbers of answers become text, as in the file
    return document


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


@require_GET
@open_to_all("the document of the API says nothing of a casino")
@answering
def openapi(request: HttpRequest) -> HttpResponseBase:
    """The OpenAPI document."""
    return JsonResponse(document())
