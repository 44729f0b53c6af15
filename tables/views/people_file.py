"""The page of people from a file: a CSV is checked and shown, and prepared as one change for a second person."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from audit import clock
from games.separation import policy
from tables.runner.access import PEOPLE, Denied, facility_page_for
from tables.staffing.people_acts import MOST_PEOPLE, SUBJECT
from tables.staffing.people_file import COLUMNS, EXAMPLE, NEEDED, PersonLine, UnreadableFile, read_people
from tables.views.facility import page_context


@require_http_methods(["GET", "HEAD", "POST"])
def people_file(request: HttpRequest, facility: str) -> HttpResponse:
    """Show the form, or what a sent file has. Nothing is stored: the act `add_people` sends what is shown."""
    person, facility_row = facility_page_for(request, facility, PEOPLE)
    row = policy.row_of(facility_row.law, SUBJECT)
    if not policy.may_prepare(row, person):
        raise Denied()
    lines: list[PersonLine] = []
    unreadable = ""
    if request.method == "POST":
        file = request.FILES.get("file")
        try:
            if file is None:
                raise UnreadableFile("Choose a file first.")
            lines = read_people(file.read(), facility_row, person)
        except UnreadableFile as problem:
            unreadable = str(problem)
    problems = sum(bool(line.problem) for line in lines)
    context = page_context(person, facility_row, PEOPLE, clock.now()) | {
        "tab": "people",
        "lines": lines,
        "problems": problems,
        "unreadable": unreadable,
        "columns": [(heading, heading in NEEDED) for heading in COLUMNS],
        "example": EXAMPLE,
        "most": MOST_PEOPLE,
        "policy": {"title": row.title, "approve": policy.in_words(row.approve)},
    }
    status = 422 if unreadable or problems else 200
    return render(request, "tables/people/file.html", context, status=status)
