"""Rules submissions: their list by game, and one submission with its versions, its odds and what it may choose."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.doors import Denied
from games.models import Facility, RulesSubmission
from games.office.core.access import office_of
from games.office.core.floor import Dealt, floor
from games.office.odds.charts import curve
from games.office.odds.sheet import sheet
from games.office.submissions.compare import Change, changes, edition_title
from games.office.submissions.form import editions_for, form_of
from games.office.submissions.gate import Finding, findings
from games.office.submissions.steps import steps_of
from games.registry import game_by_code, game_of
from games.submission_options import Options, of_submission
from games.submissions import Standing, standing_of
from games.views.page_context import office

from .odds import asked_of

WAITS = {Standing.DRAFT, Standing.FILED, Standing.COMING}


@require_GET
def submissions(request: HttpRequest, facility: str) -> HttpResponse:
    """Every submission of the house by game: what is in force, what waits, and what to do next."""
    person, house = office_of(request, facility)
    context = office(person, house, "submissions")
    by_code: dict[str, list[RulesSubmission]] = defaultdict(list)
    for row in RulesSubmission.objects.filter(facility=house).order_by("game", "code", "-version"):
        by_code[row.code].append(row)
    dealt: dict[str, list[Dealt]] = defaultdict(list)
    for one in floor().tables(house):
        dealt[one.submission].append(one)
    rows = [_line(code, versions, dealt[code], context["now"]) for code, versions in by_code.items()]
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in rows:
        groups[line["game"]].append(line)
    context |= {
        "groups": [
            {"game": code, "name": game_by_code(code).name, "rows": found} for code, found in groups.items()
        ],
        "count": len(rows),
        "waiting": sum(bool(line["waits"]) for line in rows),
        "editions": editions_for(house),
    }
    return render(request, "games/office/submissions.html", context)


def _line(code: str, versions: list[RulesSubmission], tables: list[Dealt], now: Any) -> dict[str, Any]:
    standing = [(row, standing_of(row, now)) for row in versions]
    force = next((row for row, how in standing if how == Standing.IN_FORCE), None)
    waits = next(((row, how) for row, how in standing if how in WAITS), None)
    shown = force or versions[0]
    return {
        "code": code,
        "game": shown.game,
        "title": edition_title(of_submission(shown).rules_if_any() or _plain(shown)),
        "force": force,
        "last": (versions[0], standing[0][1].value),
        "waits": (waits[0], waits[1].value) if waits else None,
        "tables": tables,
        "versions": len(versions),
    }


def _plain(row: RulesSubmission) -> Any:
    return Options(row.edition).rules()


@require_GET
def submission(request: HttpRequest, facility: str, code: str, version: int = 0) -> HttpResponse:
    """One version of a submission, the newest unless another is asked for; superseded ones stay readable for ever."""
    person, house = office_of(request, facility)
    versions = list(
        RulesSubmission.objects.filter(facility=house, code=code)
        .select_related("drafted_by", "filed_by", "decision")
        .order_by("-version")
    )
    row = next((one for one in versions if one.version == version or not version), None)
    if row is None:
        raise Denied
    context = office(person, house, "submissions")
    tables = [one for one in floor().tables(house) if one.submission == code]
    context |= _of_version(house, row, versions, tables, context["now"])
    return render(request, "games/office/submission.html", context)


def _of_version(
    house: Facility, row: RulesSubmission, versions: list[RulesSubmission], tables: list[Dealt], now: Any
) -> dict[str, Any]:
    options, standing = of_submission(row), standing_of(row, now)
    asked = asked_of(house, f"{row.code}.{row.version}")
    found = findings(options, tables) if standing == Standing.DRAFT else ()
    standings = [(one, standing_of(one, now).value) for one in versions]
    force = next((one for one, how in standings if how == Standing.IN_FORCE), None)
    before = force if force and force.version < row.version else _approved_before(row, versions)
    old = of_submission(before).rules_if_any() if before else None
    shown = sheet(asked.rules, old, f"version {row.version}", f"version {before.version}" if before else "")
    changed = changes(old, asked.rules)
    return {
        "row": row,
        "standing": standing.value,
        "title": edition_title(asked.rules),
        "game": game_of(asked.rules),
        "edition": asked.rules.edition,
        "lapsed": bool(
            asked.rules.edition.lapses_on and asked.rules.edition.lapses_on <= house.gaming_day(now)
        ),
        "steps": steps_of(row, now, found),
        "findings": [(one, _mended(options, one)) for one in found],
        "versions": standings,
        "newest": versions[0],
        "may_amend": standing_of(versions[0], now) not in (Standing.DRAFT, Standing.FILED),
        "may_withdraw": standing in (Standing.DRAFT, Standing.FILED, Standing.COMING, Standing.IN_FORCE),
        "force": force,
        "before": before,
        "tables": tables,
        "changes": changed,
        "payout_changes": [one for one in changed if one.what in ("payout", "wager")],
        "other_changes": [one for one in changed if one.what not in ("payout", "wager")],
        "form": form_of(options, tables),
        "editions": editions_for(house, row.game),
        "sheet": shown,
        "chart": _chart(asked.rules, old, shown, changed, row, before),
    }


def _approved_before(row: RulesSubmission, versions: list[RulesSubmission]) -> RulesSubmission | None:
    """The newest version before this one that was ever approved."""
    earlier = (one for one in versions if one.version < row.version and one.in_force_from)
    return next(earlier, None)


def _chart(
    rules: Any,
    old: Any,
    shown: Any,
    changed: list[Change],
    row: RulesSubmission,
    before: RulesSubmission | None,
) -> Any:
    """The line of what most needs a look: a row that favours the player, or else the first that pays more."""
    wanted = next((one for one in shown.rows if one.favours_player), None)
    wanted = wanted or next((one for one in shown.rows if one.is_changed), None)
    if wanted is None:
        return None
    named = {"before": old, "before_name": f"version {before.version}"} if before else {}
    return curve(rules, wanted.paytable[0], wanted.label, name=f"version {row.version}", **named)


def _mended(options: Options, finding: Finding) -> Options | None:
    """The options with this finding's remedy; None where it has none that concerns a payout."""
    if not finding.remedy or finding.row not in options.payouts or not options.edition.sets_floors:
        return None
    return replace(options, payouts={**options.payouts, finding.row: finding.remedy})


urlpatterns = [
    path("office/<slug:facility>/submissions/", submissions, name="submissions"),
    path("office/<slug:facility>/submissions/<slug:code>/", submission, name="submission"),
    path("office/<slug:facility>/submissions/<slug:code>/<int:version>/", submission, name="submission"),
]
