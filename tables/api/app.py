"""The API as a whole: how it answers and refuses. Its addresses are in `urls.py`, its topics in the other files.

A refusal is a problem of RFC 9457 (`application/problem+json`): `type` is the address of its code, `title` two or three
words, `detail` the sentence, `section` the law behind it or "". Only the token endpoint answers as OAuth does
(RFC 6749, `oauth.py`). Every answer has the version of the API, and one to a client how many requests it has left.
"""

import datetime as dt
import hashlib
import json
import logging
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from inspect import iscoroutinefunction
from typing import Annotated, Any, Generic, TypeVar

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.operation import Operation
from ninja.responses import NinjaJSONEncoder
from pydantic import ConfigDict, Field

from audit.refusals import NOT_BEGUN, AuditRefusal
from audit.rows import says_nothing_was_begun
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.refusals import MALFORMED
from tables.words.sentences import say, title

VERSION = dt.date(2026, 11, 29).isoformat()
BASE = "/api/v1/"
PROBLEM = "application/problem+json"
MOST_ROWS = 500  # of one page
USUAL_ROWS = 100
RETRY_AFTER_SECONDS = 2
NOT_AS_DOCUMENTED = "The request is not as the document says. %s."
log = logging.getLogger(__name__)


# Shapes


class Shape(Schema):
    """An object of the API. It has the fields that are declared, and no others."""

    model_config = ConfigDict(extra="forbid")


def json_of(shape: Shape) -> str:
    """An object as an answer writes it, for a stream: a moment has one format in both."""
    return json.dumps(shape.model_dump(), cls=NinjaJSONEncoder)


class ProblemShape(Shape):
    """Why a request was refused (RFC 9457)."""

    type: str = Field(description="the address of the code, below this host")
    title: str = Field(description="two or three words")
    status: int = Field(description="the status of the answer")
    detail: str = Field(description="what is wrong and what to do, in a sentence")
    code: str = Field(description="the code by which a program tells it from others")
    section: str = Field(description="the section of the law behind it; empty where none is")


# In a body: text that looks like a number is none there. In an address everything is text.
Whole = Annotated[int, Field(strict=True)]
Row = TypeVar("Row")


class Page(Shape, Generic[Row]):
    """Some rows, in the order of their numbers, and how to ask for those that follow."""

    items: list[Row]
    next: int | str | None = Field(description="send it as `after` for the rows that follow; null at the end")


# Refusals


class Problem(Exception):
    """A request that the API refuses itself. `section`: the law behind it, or "". 503 says when to ask again."""

    def __init__(
        self, status: int, code: str, detail: str, section: str = "", *, title: str = "",
        headers: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(status, code, detail)
        self.status, self.code, self.detail, self.section = status, code, detail, section
        self.title = title or HTTPStatus(status).phrase
        later = {"Retry-After": str(RETRY_AFTER_SECONDS)} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}
        self.headers = headers or later


def not_found(what: str) -> Problem:
    """The refusal of something that is not there, or that the client may not know of."""
    return Problem(404, "not-found", f"There is no such {what} here.")


def too_large() -> Problem:
    """The refusal of a body that is larger than one of the API may be."""
    return Problem(413, "body-too-large", "A request has 1 MB at most. Nothing was begun.", title="Too large")


def problem_response(problem: Problem) -> HttpResponse:
    """A problem as the answer to a request."""
    body = {
        "type": f"{BASE}problems/{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "section": problem.section,
    }
    return JsonResponse(body, status=problem.status, content_type=PROBLEM, headers=problem.headers)


def problem_of(error: Exception) -> Problem:
    """The problem that tells of an error."""
    match error:
        case Problem():
            return error
        case ValidationError():
            return Problem(422, "malformed", _malformed_in_words(error), title="Malformed")
        case AuthenticationError():
            detail = "Send a token that is valid now, as Authorization: Bearer …"
            headers = {"WWW-Authenticate": 'Bearer realm="pitside", error="invalid_token"'}
            return Problem(401, "invalid-token", detail, headers=headers)
        case Refusal(code=code) if code == MALFORMED:
            return malformed_act(error)
        case Forbidden():
            return Problem(403, error.code, say(error), error.section, title=title(error))
        case Refusal():
            return Problem(422, error.code, say(error), error.section, title=title(error))
        case AuditRefusal():
            return Problem(error.status, error.code, say(error), title=title(error))
        case Http404():
            return not_found("address or row")
        case RequestDataTooBig():
            return too_large()
        case BadRequest() | SuspiciousOperation() | MultiPartParserError():
            return Problem(400, "not-readable", f"This cannot be read: {error}")
        case HttpError():
            return Problem(error.status_code, "not-readable", str(error))
    if says_nothing_was_begun(error):
        return Problem(503, NOT_BEGUN, say(Refusal(NOT_BEGUN)))
    log.error("A request of the API failed.", exc_info=error)
    return Problem(
        500, "internal-error", "The server could not answer. Nobody knows what became of an act: ask again."
    )


def _malformed_in_words(error: ValidationError) -> str:
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'][1:])}: {fault['msg']}" for fault in error.errors[:5]
    ]
    return NOT_AS_DOCUMENTED % "; ".join(faults)


def malformed_act(refusal: Refusal) -> Problem:
    """The problem that tells of a `malformed` parameter of an act. The sentence of the refusal speaks to a tablet."""
    fault = f"{refusal.params['path']}: {refusal.params['takes']}"
    return Problem(422, "malformed", NOT_AS_DOCUMENTED % fault, title="Malformed")


# The document


SCOPES_OF_READS = "the scope of its client decides"


class Api(NinjaAPI):
    """django-ninja, with names of operations that are those of the functions."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return str(operation.view_func.__name__)


api = Api(
    title="Pitside",
    version=VERSION,
    description=(
        "Reads and acts for other systems of a casino: what happens at its tables of dice, its money, its people and "
        "its cases. Amounts are whole cents, moments are in UTC, and a gaming day is the day of the facility."
    ),
    docs_url=None,
    openapi_url=None,
    urls_namespace="api",
)


@api.exception_handler(Exception)
def _refused(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
    assert isinstance(error, Exception)
    return problem_response(problem_of(error))


for _kind in (Http404, HttpError, ValidationError):
    api.add_exception_handler(_kind, _refused)


# What every answer has


View = Callable[..., Any]


def answering(view: View) -> View:
    """The view of an address, with what every answer of the API has."""
    if iscoroutinefunction(view):

        @wraps(view)
        async def answer_later(request: HttpRequest, **address: Any) -> HttpResponseBase:
            return finished(request, await view(request, **address))

        return answer_later

    @wraps(view)
    def answer(request: HttpRequest, **address: Any) -> HttpResponseBase:
        response = view(request, **address)
        assert isinstance(response, HttpResponseBase)
        return finished(request, response)

    return answer


def finished(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The answer with its version and limits; 304 to a client that has it already."""
    if response.status_code == 405 and response.get("Content-Type") != PROBLEM:
        allowed = response.get("Allow", "")
        detail = f"This address takes {allowed}."
        response = problem_response(Problem(405, "method-not-allowed", detail, headers={"Allow": allowed}))
    if request.method == "GET" and response.status_code == 200 and isinstance(response, HttpResponse):
        etag = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        response["ETag"] = etag
        response = get_conditional_response(request, etag=etag, response=response) or response
    response["Pitside-Version"] = VERSION
    response.setdefault("Cache-Control", "private, no-cache")
    patch_vary_headers(response, ["Authorization"])
    for name, value in getattr(request, "limit_headers", {}).items():
        response[name] = value
    return response
