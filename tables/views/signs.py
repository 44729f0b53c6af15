"""The signs of a table: the live display, and each sign as a page to print and as a PDF of its size."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from games.engine import Refusal
from games.models import SignForm
from games.office import pdf
from games.office.signs import KINDS
from games.snapshot_types import Snapshot
from tables.equipment.signs import (
    BOARD_KINDS,
    SignFace,
    day,
    form_of,
    has_content,
    sign,
    verify_form_in_force,
)
from tables.runner.access import Denied, sign_for, sign_station
from tables.screens import fragments, snapshot
from tables.words.sentences import say, short, title


@require_GET
def display(request: HttpRequest, facility: str, table: str) -> HttpResponse:
    """Every sign of a table on one screen, for a display at the table. It listens to the table's socket."""
    row = sign_for(request, facility, table)
    state = snapshot.of_table(row.pk)
    context = {
        "s": state,
        "screen": fragments.render(sign_station(row), state),
        "urls": {
            "socket": f"/ws/table/{facility}/{table}/sign",
            "screen": reverse("sign-screen", args=[facility, table]),
            "sign_in": reverse("home"),
        },
    }
    return render(request, "tables/sign.html", context)


@require_GET
def screen(request: HttpRequest, facility: str, table: str) -> JsonResponse:
    """The display's current fragment, for a resync and while no push arrives."""
    row = sign_for(request, facility, table)
    return JsonResponse(fragments.screen(sign_station(row), row.pk))


@require_GET
def printed(request: HttpRequest, facility: str, table: str, kind: str) -> HttpResponse:
    """One sign as it is printed; 422 with the reason where no approved form is in force."""
    state, sign, refusal = _sign(request, facility, table, kind)
    paper = _paper(state, sign) if sign else None
    context = {
        "s": state,
        "kind": kind,
        "label": SignForm.Kind(kind).label,
        "kinds": [
            (sign_kind, SignForm.Kind(sign_kind).label)
            for sign_kind in (*BOARD_KINDS, "test")
            if form_of(state["signs"], sign_kind) and has_content(state, sign_kind)
        ],
        "sign": sign,
        "paper": paper,
        "lines": pdf.sign_lines(paper) if paper else [],
        "refusal": _refusal(refusal),
    }
    return render(request, "tables/sign_print.html", context, status=422 if refusal else 200)


@require_GET
def as_pdf(request: HttpRequest, facility: str, table: str, kind: str) -> HttpResponse:
    """One sign as a PDF of one page; 422 with the reason where no approved form is in force."""
    state, sign, refusal = _sign(request, facility, table, kind)
    if sign is None:
        assert refusal is not None
        return HttpResponse(say(refusal), status=422, content_type="text/plain; charset=utf-8")
    file = pdf.sign_pdf(_paper(state, sign), state["table"]["facility_name"])
    response = HttpResponse(file, content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{table}-{kind}.pdf"'
    return response


def _sign(
    request: HttpRequest, facility: str, table: str, kind: str
) -> tuple[Snapshot, SignFace | None, Refusal | None]:
    row = sign_for(request, facility, table)
    if kind not in KINDS:
        raise Denied
    state = snapshot.of_table(row.pk)
    try:
        verify_form_in_force(row, kind)
        return state, sign(state, kind), None
    except Refusal as refusal:
        return state, None, refusal


def _paper(state: Snapshot, sign: SignFace) -> pdf.SignSheet:
    form = sign["form"]
    approved = f"approved {day(form['approved_on'])}" if form["approved_on"] else ""
    foot = [
        state["table"]["facility_name"],
        state["table"]["code"],
        f"form {form['version']} {approved}".strip(),
    ]
    return pdf.SignSheet(
        title=f"{SignForm.Kind(sign['kind']).label}, {state['table']['code']}",
        texts=[(text["language"], text["lines"]) for text in sign["texts"]],
        rows=[(line["label"], line["pays"]) for line in sign["odds"]],
        foot=" · ".join([*foot, *([form["reference"]] if form["reference"] else [])]),
        width_mm=form["width_mm"],
        height_mm=form["height_mm"],
    )


def _refusal(refusal: Refusal | None) -> dict[str, str] | None:
    if refusal is None:
        return None
    return {"title": title(refusal), "message": say(refusal), "section": short(refusal.section)}
