"""A server that is too busy says in words that nothing was begun, with 503.

Only errors that come before any write count: no connection of the pool was free in time, or the lock was not. Of any
other error nobody knows what became of the act, and the screen asks again by its id (static/js/acts.js).
"""

import sys

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.defaults import server_error
from psycopg.errors import LockNotAvailable
from psycopg_pool import PoolTimeout

from games.engine import Refusal
from tables.views.refusals import NOT_BEGUN
from tables.words.sentences import say, title

RETRY_AFTER_SECONDS = 2


def says_nothing_was_begun(error: BaseException | None) -> bool:
    """Whether an error came before the transaction could write anything."""
    if not isinstance(error, OperationalError):
        return False
    return isinstance(error.__cause__, PoolTimeout | LockNotAvailable) or "database is locked" in str(error)


def busy_or_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: a worded 503 where nothing was begun, wherever in a request that happened."""
    if not says_nothing_was_begun(sys.exc_info()[1]):
        return server_error(request)
    refusal = Refusal(NOT_BEGUN)
    if "application/json" in request.headers.get("Accept", ""):
        worded = {"code": refusal.code, "title": title(refusal), "message": say(refusal), "section": ""}
        response: HttpResponse = JsonResponse({"refusal": worded, "screen": None}, status=503)
    else:
        response = render(request, "error.html", {"status": 503, "message": say(refusal)}, status=503)
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
