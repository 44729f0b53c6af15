"""Turn refused access into responses."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers

from audit.errors import AuditRefusal
from tables.runner.access import Denied, Locked, SignedOut
from tables.words.sentences import say

STATUS = {SignedOut: 401, Locked: 423, Denied: 403}


def _and_back(request: HttpRequest) -> str:
    """The query of the sign-in that leads back to this page; empty for the first page and for a form."""
    path = request.get_full_path()
    return f"?{urlencode({'next': path})}" if request.method == "GET" and path != reverse("home") else ""


class AccessMiddleware:
    """Answer refused access with the sign-in page for a person, and with a plain status for a script."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.user.is_authenticated:
            # The Back button of a shared tablet must not show what the previous person saw.
            add_never_cache_headers(response)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Redirect pages to the sign-in for 401 and 423; show 403 and refusals of the record in words."""
        if isinstance(exception, AuditRefusal):
            context = {"status": exception.status, "message": say(exception)}
            return render(request, "error.html", context, status=exception.status)
        status = STATUS.get(type(exception))
        if status is None:
            return None
        if status != 403 and request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate":
            return redirect(f"{reverse('sign-in')}{_and_back(request)}")
        return render(
            request,
            "error.html",
            {"status": status, "message": "You do not have access to this page."},
            status=status,
        )
