"""The page to read the document of the API, at `/api/v1/docs`: drawn here, from the document, with nothing loaded."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from audit import clients
from games.access import open_to_all
from tables.api.app import BASE, MOST_ROWS, VERSION
from tables.api.documents import SCHEME, document

Schema = dict[str, Any]
SCHEMA_PATH = "#/components/schemas/"
MOST_CHARACTERS = 240  # of a text in an example; the document has it whole


@dataclass(frozen=True)
class Field:
    """A field of an object, or a parameter. `shape`: the object that it is or has, by its name; "" for none."""

    name: str
    kind: str
    about: str
    is_required: bool
    shape: str = ""


@dataclass(frozen=True)
class Example:
    """What was sent in a real run, with the line of its request, and what was answered. `body` is "" where none is."""

    request: str
    body: str
    answer: str


@dataclass(frozen=True)
class Operation:
    """What an address does with a method. `body` and `answer` are objects, by their names; "" for none."""

    method: str
    path: str
    name: str
    about: str
    scopes: list[str]
    parameters: list[Field]
    body: str
    answer: str
    answer_kind: str
    example: Example


@require_GET
@open_to_all("the document of the API says nothing of a casino")
def read(request: HttpRequest) -> HttpResponse:
    """The addresses of the API by topic, its objects, its scopes, and how to get a token."""
    content = document()
    context = {
        "base": BASE,
        "version": VERSION,
        "about": content["info"]["description"],
        "topics": topics_of(content),
        "shapes": shapes_of(content),
        "reads": clients.READS.items(),
        "writes": clients.WRITES.items(),
        "requests_a_minute": settings.API_REQUESTS_PER_MINUTE,
        "most_rows": MOST_ROWS,
        "minutes": int(clients.TOKEN_LIFETIME.total_seconds()) // 60,
    }
    return render(request, "api/docs.html", context)


@require_GET
@open_to_all("leads to the page that explains refusals")
def problem(request: HttpRequest, code: str) -> HttpResponse:
    """The address of a code leads to what the page says of refusals."""
    return redirect(f"{BASE}docs#refusals")


def topics_of(content: Schema) -> dict[str, list[Operation]]:
    """The operations of the document by topic, in its order."""
    topics: dict[str, list[Operation]] = {}
    for path, methods in content["paths"].items():
        for method, operation in methods.items():
            topics.setdefault(operation["tags"][0], []).append(_operation(method, path, operation))
    return topics


def _operation(method: str, path: str, operation: Schema) -> Operation:
    sent, answered = operation.get("requestBody", {}), operation["responses"]["200"]
    body, answer = _media_in(sent).get("schema", {}), _media_in(answered).get("schema", {})
    return Operation(
        method.upper(),
        path,
        operation["operationId"],
        operation.get("description", ""),
        sorted({scope for rule in operation.get("security", ()) for scope in rule.get(SCHEME, ())}),
        [_parameter(parameter) for parameter in operation.get("parameters", ())],
        _shape_in(body),
        _shape_in(answer),
        kind_of(answer) if answer else "",
        Example(
            _request_line(method, path, operation),
            _example_in(sent),
            _example_in(answered),
        ),
    )


def _media_in(part: Schema) -> Schema:
    """The schema of a body or an answer and its example, whatever its media type; empty without one."""
    media: Schema = next(iter(part.get("content", {}).values()), {})
    return media


def _request_line(method: str, path: str, operation: Schema) -> str:
    """The method and the address of an example, with its query."""
    query = {}
    for parameter in operation.get("parameters", ()):
        if "example" in parameter and parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
        elif "example" in parameter and parameter["in"] == "query":
            query[parameter["name"]] = parameter["example"]
    return f"{method.upper()} {path}{'?' if query else ''}{urlencode(query)}"


def _example_in(part: Schema) -> str:
    """The example of a body or an answer, as people read it; "" without one."""
    media = _media_in(part)
    if "example" not in media:
        return ""
    example = media["example"]
    if isinstance(example, str):  # events
        return "\n".join(_shortened(line) for line in example.split("\n"))
    return json.dumps(_shortened(example), indent=2, ensure_ascii=False)


def _shortened(value: Any) -> Any:
    """A value of an example with each long text cut."""
    match value:
        case str() if len(value) > MOST_CHARACTERS:
            return f"{value[:MOST_CHARACTERS]} …"
        case list():
            return [_shortened(part) for part in value]
        case dict():
            return {name: _shortened(part) for name, part in value.items()}
    return value


def _parameter(parameter: Schema) -> Field:
    schema = parameter["schema"]
    about = parameter.get("description") or schema.get("description", "")
    return Field(parameter["name"], kind_of(schema), about, parameter["required"])


def shapes_of(content: Schema) -> dict[str, list[Field]]:
    """The fields of every object of the document, by its name."""
    return {
        name: [
            Field(
                field,
                kind_of(schema),
                schema.get("description", ""),
                field in shape.get("required", ()),
                _shape_in(schema),
            )
            for field, schema in shape.get("properties", {}).items()
        ]
        for name, shape in sorted(content["components"]["schemas"].items())
    }


def _shape_in(schema: Schema) -> str:
    """The name of the object that a schema is or has; "" for none."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(SCHEMA_PATH)
    parts = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    return next((name for part in parts if (name := _shape_in(part))), "")


def kind_of(schema: Schema) -> str:
    """What a value is, in words: `integer`, `text`, `moment in UTC`, `list of Round`, `integer or null`."""
    if "$ref" in schema:
        return _shape_in(schema)
    if "anyOf" in schema:
        return " or ".join(kind_of(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(str(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind_of(schema.get('items', {}))}"
    words = {"date-time": "moment in UTC", "date": "day", "uuid": "UUID"}
    kind = schema.get("type", "anything")
    return words.get(
        schema.get("format", ""), {"string": "text", "boolean": "true or false"}.get(kind, str(kind))
    )
