"""Exceptions over weeks."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from tables.cases.exceptions import BY, KINDS, WEEKS, exceptions
from tables.cases.page import inbox_context
from tables.cases.roles import authorize_cases


@require_GET
def page(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show the exceptions of `?weeks=` by person, table or game (`?by=`), drawn and listed."""
    person, facility = authorize_cases(request, facility_code)
    context = inbox_context(person, facility, "exceptions")
    typed = request.GET.get("weeks", "")
    weeks = int(typed) if typed in map(str, WEEKS) else WEEKS[1]
    by = request.GET.get("by", "")
    by = by if by in BY else "dealer"
    counted = exceptions(facility, facility.gaming_day(context["now"]), weeks)
    context |= {
        "exceptions": counted,
        "kinds": list(KINDS.values()),
        "rows": counted.rows(by),
        "by": by,
        "weeks": weeks,
        "views": [
            {"code": code, "label": label, "url": f"?by={code}&weeks={weeks}"} for code, label in BY.items()
        ],
        "spans": [{"weeks": count, "url": f"?by={by}&weeks={count}"} for count in WEEKS],
    }
    return render(request, "cases/exceptions.html", context)


urlpatterns = [path("inbox/<slug:facility_code>/exceptions/", page, name="inbox-exceptions")]
