"""Rules submissions: the list by game, and the page of one version with its odds and options."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.identity import Denied
from games.models import Facility, PreparedChange, RulesSubmission
from games.office.core import DealtTable, floor, person_and_facility
from games.office.odds.charts import curve
from games.office.odds.sheet import odds_sheet
from games.office.submissions.compare import Change, changes, edition_title
from games.office.submissions.filing import editions_for, submission_form
from games.office.submissions.gate import GateFinding, Lapse, findings, gate_checks, submission_steps
from games.registry import game_by_code, game_of
from games.submissions import Options, VersionState, options_of, state_of_version
from games.views.page_context import page_context

from .odds import odds_subject

WAITING_STATES = {VersionState.DRAFT, VersionState.FILED, VersionState.COMING}


@require_GET
def submissions(request: HttpRequest, facility_code: str) -> HttpResponse:
    """List the facility's submissions by game: what is in force, what is undecided, and what to do next."""
    person, facility = person_and_facility(request, facility_code)
    context = page_context(person, facility, "submissions")
    by_code: dict[str, list[RulesSubmission]] = defaultdict(list)
    for row in RulesSubmission.objects.filter(facility=facility).order_by("game", "code", "-version"):
        by_code[row.code].append(row)
    dealt: dict[str, list[DealtTable]] = defaultdict(list)
    for table in floor().tables(facility):
        dealt[table.submission].append(table)
    rows = [
        _submission_row(code, versions, dealt[code], context["now"]) for code, versions in by_code.items()
    ]
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in rows:
        groups[line["game"]].append(line)
    context |= {
        "groups": [
            {"game": code, "name": game_by_code(code).name, "rows": lines} for code, lines in groups.items()
        ],
        "count": len(rows),
        "waiting": sum(bool(line["waits"]) for line in rows),
        "editions": editions_for(facility),
    }
    return render(request, "games/office/submissions.html", context)


def _submission_row(
    code: str, versions: list[RulesSubmission], tables: list[DealtTable], now: Any
) -> dict[str, Any]:
    states = [(row, state_of_version(row, now)) for row in versions]
    force = next((row for row, how in states if how == VersionState.IN_FORCE), None)
    waits = next(((row, how) for row, how in states if how in WAITING_STATES), None)
    leading = force or versions[0]
    return {
        "code": code,
        "game": leading.game,
        "title": edition_title(options_of(leading).rules_if_any() or _edition_rules(leading)),
        "force": force,
        "last": (versions[0], states[0][1].value),
        "waits": (waits[0], waits[1].value) if waits else None,
        "tables": tables,
        "versions": len(versions),
    }


def _edition_rules(row: RulesSubmission) -> Any:
    return Options(row.edition).rules()


@require_GET
def submission(request: HttpRequest, facility_code: str, code: str, version: int = 0) -> HttpResponse:
    """Show one version of a submission, by default the newest. Superseded versions stay readable."""
    person, facility = person_and_facility(request, facility_code)
    versions = list(
        RulesSubmission.objects.filter(facility=facility, code=code)
        .select_related("drafted_by", "filed_by", "decision")
        .order_by("-version")
    )
    row = next((candidate for candidate in versions if candidate.version == version or not version), None)
    if row is None:
        raise Denied
    context = page_context(person, facility, "submissions")
    tables = [table for table in floor().tables(facility) if table.submission == code]
    context |= version_context(facility, row, versions, tables, context["now"])
    context["waiting_change"] = PreparedChange.objects.filter(
        facility=facility,
        subject="rules",
        status=PreparedChange.Status.WAITING,
        params__code=row.code,
        params__version=row.version,
    ).first()
    return render(request, "games/office/submission.html", context)


def version_context(
    facility: Facility,
    row: RulesSubmission,
    versions: list[RulesSubmission],
    tables: list[DealtTable],
    now: Any,
) -> dict[str, Any]:
    """What the pages of a version show: its state, steps, findings, changes since the version before, and odds."""
    options, version_state = options_of(row), state_of_version(row, now)
    subject = odds_subject(facility, f"{row.code}.{row.version}")
    lapse = Lapse(facility.gaming_day(now), row.lapsed_why)
    is_checked = version_state in (VersionState.DRAFT, VersionState.FILED)
    problems = findings(options, tables, lapse) if version_state == VersionState.DRAFT else ()
    standings = [(candidate, state_of_version(candidate, now).value) for candidate in versions]
    force = next((candidate for candidate, how in standings if how == VersionState.IN_FORCE), None)
    before = force if force and force.version < row.version else _approved_before(row, versions)
    old = options_of(before).rules_if_any() if before else None
    new_sheet = odds_sheet(
        subject.rules, old, f"version {row.version}", f"version {before.version}" if before else ""
    )
    changed = changes(old, subject.rules)
    return {
        "row": row,
        "version_state": version_state.value,
        "title": edition_title(subject.rules),
        "game": game_of(subject.rules),
        "edition": subject.rules.edition,
        "lapsed": bool(
            subject.rules.edition.lapses_on and subject.rules.edition.lapses_on <= facility.gaming_day(now)
        ),
        "steps": submission_steps(row, now, problems),
        "gate_checks": gate_checks(options, tables, lapse, facility.chip_values) if is_checked else [],
        "findings": [(problem, _corrected(options, problem)) for problem in problems],
        "versions": standings,
        "newest": versions[0],
        "may_amend": state_of_version(versions[0], now) not in (VersionState.DRAFT, VersionState.FILED),
        "may_withdraw": version_state
        in (VersionState.DRAFT, VersionState.FILED, VersionState.COMING, VersionState.IN_FORCE),
        "force": force,
        "before": before,
        "tables": tables,
        "changes": changed,
        "payout_changes": [change for change in changed if change.kind in ("payout", "wager")],
        "other_changes": [change for change in changed if change.kind not in ("payout", "wager")],
        "form": submission_form(options, tables),
        "editions": editions_for(facility, row.game),
        "sheet": new_sheet,
        "chart": _chart(subject.rules, old, new_sheet, changed, row, before),
    }


def _approved_before(row: RulesSubmission, versions: list[RulesSubmission]) -> RulesSubmission | None:
    """Return the newest version before this one that was ever approved."""
    earlier = (
        candidate for candidate in versions if candidate.version < row.version and candidate.in_force_from
    )
    return next(earlier, None)


def _chart(
    rules: Any,
    old: Any,
    new_sheet: Any,
    changed: list[Change],
    row: RulesSubmission,
    before: RulesSubmission | None,
) -> Any:
    """Return the chart of the row that needs the most attention: one that favors the player, or the first that
    changed.
    """
    focus = next((sheet_row for sheet_row in new_sheet.rows if sheet_row.favors_player), None)
    focus = focus or next((sheet_row for sheet_row in new_sheet.rows if sheet_row.is_changed), None)
    if focus is None:
        return None
    compared = {"before": old, "before_name": f"version {before.version}"} if before else {}
    return curve(rules, focus.paytable[0], focus.label, name=f"version {row.version}", **compared)


def _corrected(options: Options, finding: GateFinding) -> Options | None:
    """Return the options with the remedy of this finding, or None if it does not concern a payout."""
    if not finding.remedy or finding.row not in options.payouts or not options.edition.sets_floors:
        return None
    return replace(options, payouts={**options.payouts, finding.row: finding.remedy})


urlpatterns = [
    path("office/<slug:facility_code>/submissions/", submissions, name="submissions"),
    path("office/<slug:facility_code>/submissions/<slug:code>/", submission, name="submission"),
    path("office/<slug:facility_code>/submissions/<slug:code>/<int:version>/", submission, name="submission"),
]
