"""A server that is too busy says in words that nothing was begun, with 503.

Only errors after which nothing is written count: no connection of the pool was free in time, or the lock was not, the
database accepts no writes (a standby), or its disk has no space for them, so that the transaction ends. Of any other
error nobody knows what became of the act, and the screen asks again by its id (static/js/acts.js).
"""

import logging
import sys

from django.db import InternalError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template import loader
from psycopg.errors import DiskFull, LockNotAvailable, ReadOnlySqlTransaction
from psycopg_pool import PoolTimeout

from audit import logs
from audit.errors import NOT_BEGUN
from games.engine import Refusal
from tables.words.sentences import say, title

log = logging.getLogger(__name__)
RETRY_AFTER_SECONDS = 2
OF_SQLITE = ("database is locked", "database or disk is full")


def says_nothing_was_begun(error: BaseException | None) -> bool:
    """Whether an error leaves nothing of its transaction."""
    if isinstance(error, InternalError):
        return isinstance(error.__cause__, ReadOnlySqlTransaction)
    if not isinstance(error, OperationalError):
        return False
    is_refused = isinstance(error.__cause__, PoolTimeout | LockNotAvailable | DiskFull)
    return is_refused or any(words in str(error) for words in OF_SQLITE)


def busy_or_error(request: HttpRequest) -> HttpResponse:
    """Django's `handler500`: a worded 503 where nothing was begun, wherever in a request that happened.

    The pages are rendered without the request: what they would read for it may be what failed.
    """
    error = sys.exc_info()[1]
    if not says_nothing_was_begun(error):
        request_id = logs.about_the_request().get("request", "")
        return HttpResponse(loader.render_to_string("500.html", {"request_id": request_id}), status=500)
    reason = str(getattr(error, "__cause__", None) or error)
    log.warning("Nothing was begun: %s", reason.partition("\n")[0])
    refusal = Refusal(NOT_BEGUN)
    if "application/json" in request.headers.get("Accept", ""):
        worded = {"code": refusal.code, "title": title(refusal), "message": say(refusal), "section": ""}
        response: HttpResponse = JsonResponse({"refusal": worded, "screen": None}, status=503)
    else:
        page = loader.render_to_string("error.html", {"status": 503, "message": say(refusal)})
        response = HttpResponse(page, status=503)
    # Django would log the traceback of each request, and a busy server has many of them.
    response._has_been_logged = True  # type: ignore[attr-defined]
    response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response
