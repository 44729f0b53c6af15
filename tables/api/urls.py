"""The addresses of the API, below `/api/v1/`. Those of its topics come from `routers.py`."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, re_path
from django.views.decorators.csrf import csrf_exempt

from games.access import decides_itself, open_to_all
from tables.api import documents, oauth, pages, routers
from tables.api.app import Problem, answering, api, problem_response

assert routers.ROUTERS  # before the addresses are made of them
patterns = [
    pattern for pattern in api.urls[0] if isinstance(pattern, URLPattern) and pattern.name != "api-root"
]
for pattern in patterns:
    assert pattern.callback is not None
    pattern.callback = decides_itself("the scope of its client decides")(answering(pattern.callback))


@csrf_exempt
@open_to_all("says only that there is no such address")
@answering
def no_such_address(request: HttpRequest, rest: str) -> HttpResponseBase:
    """404 for any other address, as a problem."""
    return problem_response(Problem(404, "not-found", "There is no such address. /api/v1/docs lists them."))


urlpatterns = [
    path("oauth/token", oauth.token, name="api-token"),
    path("openapi.json", documents.openapi, name="api-openapi"),
    path("docs", pages.read, name="api-docs"),
    path("problems/<slug:code>", pages.problem, name="api-problem"),
    *patterns,
    re_path(r"^(?P<rest>[\s\S]*)$", no_such_address),  # with line feeds, which `<path:rest>` does not take
]
