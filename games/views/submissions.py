"""Rules submissions, the odds of any rules, and the changes that a second person approves.

The list by game leads to the page of one version with its odds and options. The odds sheet shows any edition or
submission, with what-if trials, also as a PDF. The page of approvals shows what waits, what was decided, and the policy
that says who does what.
"""

import datetime as dt
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from audit import clock
from audit.identity import Denied
from audit.models import Department, Person, Role
from games.access import opened_by
from games.engine import Refusal, Rules
from games.engine.game import Game
from games.engine.odds import in_dollars
from games.jurisdictions import REVIEW, SeparationRow
from games.kit.files import file_response
from games.kit.searches import Search, Words
from games.models import Document, Facility, PreparedChange, RulesSubmission
from games.office import core as office_runner
from games.office.core import OFFICE, DealtTable, floor
from games.office.odds import Curve, OddsSheet, curve, odds_sheet, odds_sheet_pdf
from games.office.pdf import approval_text
from games.office.submissions import compare
from games.office.submissions.compare import Change, WhatIf, choices, edition_title, what_if
from games.office.submissions.filing import editions_for, submission_form
from games.office.submissions.gate import GateFinding, Lapse, findings, gate_checks, submission_steps
from games.registry import game_by_code, game_of
from games.separation import policy
from games.separation.acts import next_signer, obstacle, why_not_acknowledged
from games.separation.signatures import PAPERS, further_signers, signatures_on
from games.submissions import Options, VersionState, options_of, state_of_version
from games.views.office import page_context

WAITING_STATES = {VersionState.DRAFT, VersionState.FILED, VersionState.COMING}
Version = RulesSubmission.Status
SAID_ELSEWHERE = ("code", "version", "letter")  # of a change: in the headline, and as a link to the document
MOST_ENDED = 40  # newest ended changes on the page

# Submissions


@require_GET
@opened_by(OFFICE)
def submissions(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the facility's submissions by game: what is in force, what is undecided, and what to do next."""
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
@opened_by(OFFICE)
def submission(
    request: HttpRequest, person: Person, facility: Facility, code: str, version: int = 0
) -> HttpResponse:
    """Show one version of a submission, by default the newest. Superseded versions stay readable."""
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
    changed = compare.changes(old, subject.rules)
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


# The odds sheet


@dataclass(frozen=True)
class OddsSubject:
    """What an odds page shows: some rules, their name, and the rules to compare them with."""

    key: str
    title: str
    name: str
    rules: Rules
    options: Options
    submission: RulesSubmission | None = None
    before: Rules | None = None
    before_name: str = ""

    @property
    def game(self) -> Game:
        return game_by_code(self.rules.edition.game)

    @property
    def sheet(self) -> OddsSheet:
        return odds_sheet(self.rules, self.before, self.name, self.before_name)


def odds_subject(facility: Facility, key: str) -> OddsSubject:
    """Return a version such as `RS-0014.4` of the facility, or an edition by its key. Raises `Denied`."""
    code, _, version = key.rpartition(".")
    submission = None
    if code and version.isascii() and version.isdigit() and len(version) < 9:
        submission = RulesSubmission.objects.filter(
            facility=facility, code=code, version=int(version)
        ).first()
    if submission is not None:
        return _submission_subject(submission, key)
    try:
        rules = Rules.of(key)
    except Refusal:
        raise Denied from None
    return OddsSubject(key, edition_title(rules), "edition", rules, Options(rules.key))


def _submission_subject(submission: RulesSubmission, key: str) -> OddsSubject:
    """Return a version compared with the approved one before it. Drafts that may not be filed have odds too."""
    options, title = options_of(submission), f"{submission.code} version {submission.version}"
    earlier = RulesSubmission.objects.filter(
        facility=submission.facility_id, code=submission.code, version__lt=submission.version
    )
    last = earlier.filter(status__in=[Version.APPROVED, Version.SUPERSEDED]).order_by("-version").first()
    before = options_of(last).rules_if_any() if last else None
    name, before_name = f"version {submission.version}", f"version {last.version}" if last else ""
    return OddsSubject(key, title, name, _rules(options), options, submission, before, before_name)


def _rules(options: Options) -> Rules:
    """Return the rules of options, leaving out payouts that are not allowed."""
    rules = options.rules_if_any()
    if rules is not None:
        return rules
    allowed = {}
    for row, odds in options.payouts.items():
        try:
            Rules.of(options.key, {row: odds})
        except Refusal:
            continue
        allowed[row] = odds
    return Rules.of(options.key, allowed)


class OddsQuery(Search):
    """The sheet of an edition, or of a version such as `RS-0014.4`; and the odds of a row of its paytable to try."""

    rules = Words(max_length=60)
    family = Words(max_length=40)
    odds = Words(max_length=40)


@require_GET
@opened_by(OFFICE)
def odds(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show an odds sheet, with a what-if trial if the query has one. HTMX requests get only the answer."""
    query = OddsQuery(request.GET).values
    subject = odds_subject(facility, query["rules"] or _default_key(facility))
    answer, tried = _answer_what_if(subject, query["family"], query["odds"])
    context = {
        "facility": facility,
        "subject": subject,
        "answer": answer,
        "sheet": answer.sheet,
        "chart": answer.chart,
        "tried": tried,
        "query": request.GET.urlencode() or f"rules={subject.key}",
    }
    if request.headers.get("HX-Request"):
        response = render(request, "games/office/odds_answer.html", context)
    else:
        context |= page_context(person, facility, "odds") | _choices(facility, subject)
        response = render(request, "games/office/odds.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _default_key(facility: Facility) -> str:
    """Return the newest submission in force, or else an edition of this jurisdiction.

    Raises Denied where there is no edition at all.
    """
    approved = RulesSubmission.objects.filter(
        facility=facility, status__in=[Version.APPROVED, Version.SUPERSEDED]
    )
    newest = approved.filter(in_force_from__lte=clock.now()).order_by("-in_force_from", "-version").first()
    if newest:
        return f"{newest.code}.{newest.version}"
    editions = facility.readable_editions()
    own = [key for key, edition in editions.items() if edition.jurisdiction == facility.jurisdiction]
    if not editions:
        raise Denied
    return next(iter(own or editions))


def _answer_what_if(subject: OddsSubject, row: str, written: str) -> tuple[WhatIf, dict[str, str]]:
    """Return the sheet, with these odds of a row of its paytable tried."""
    if not row or not written:
        return WhatIf(subject.sheet, _plain_chart(subject)), {"family": row, "odds": ""}
    try:
        answer = what_if(subject.rules, subject.options, row, written, subject.name)
    except Refusal:
        raise Denied from None
    return answer, {"family": row, "odds": written}


def _plain_chart(subject: OddsSubject) -> Curve | None:
    """Return the chart of the row that needs the most attention: one that favors the player, or one that changed."""
    full_sheet = subject.sheet
    for row in (*full_sheet.favored, *full_sheet.changed):
        return curve(
            subject.rules,
            row.paytable[0],
            row.label,
            name=subject.name,
            before=subject.before,
            before_name=subject.before_name,
        )
    return None


def _choices(facility: Facility, subject: OddsSubject) -> dict[str, Any]:
    versions = RulesSubmission.objects.filter(facility=facility).defer("terms")
    return {
        "versions": [
            {
                "key": f"{version.code}.{version.version}",
                "title": f"{version.code} version {version.version}, {version.get_status_display()}",
            }
            for version in versions
        ],
        "editions": [
            {"key": key, "title": edition_title(Rules.of(key))} for key in facility.readable_editions()
        ],
        "edition_key": subject.rules.key if subject.submission is None else "",
        "choices": choices(subject.rules),
    }


@require_GET
@opened_by(OFFICE)
def odds_pdf(request: HttpRequest, _person: Person, facility: Facility) -> HttpResponse:
    """Return the sheet of the page as a PDF."""
    query = OddsQuery(request.GET).values
    subject = odds_subject(facility, query["rules"] or _default_key(facility))
    answer, tried = _answer_what_if(subject, query["family"], query["odds"])
    if tried["odds"]:
        approved = f"What-if on {subject.title}, not filed"
    elif subject.submission is not None:
        approved = approval_text(subject.submission, facility)
    else:
        approved = "Computed from the edition, no submission"
    content = odds_sheet_pdf(
        answer.sheet, answer.chart, title=subject.title, facility_name=facility.name, approved=approved,
        summary=". ".join(text for text in (answer.headline, answer.detail) if text),
    )  # fmt: skip
    return file_response(content, f"odds-{subject.key.replace('/', '-').replace('@', '-')}.pdf", inline=True)


@require_GET
@opened_by(OFFICE)
def submission_pdf(
    request: HttpRequest, _person: Person, facility: Facility, code: str, version: int
) -> HttpResponse:
    """Return a version of a submission with its options, odds and dates as a PDF."""
    submission = RulesSubmission.objects.filter(facility=facility, code=code, version=version).first()
    if submission is None:
        raise Denied
    subject = _submission_subject(submission, f"{code}.{version}")
    content = compare.submission_pdf(
        submission, subject.options, subject.sheet, subject.before, facility, clock.now()
    )
    return file_response(content, f"{code}-version-{version}.pdf", inline=True)


# Approvals


@require_GET
@opened_by(OFFICE)
def changes(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the changes that wait, those that ended last, and the policy of the jurisdiction."""
    context = page_context(person, facility, "changes")
    rows = PreparedChange.objects.filter(facility=facility).select_related("prepared_by", "decided_by")
    waiting = rows.filter(status=PreparedChange.Status.WAITING).order_by("due_at")
    ended = rows.exclude(status=PreparedChange.Status.WAITING).order_by("-decided_at")[:MOST_ENDED]
    context |= {
        "waiting": [_change_row(facility, change, person, context["now"]) for change in waiting],
        "ended": [_change_row(facility, change, person, context["now"]) for change in ended],
        "person_department": person.get_department_display().lower(),
        "told": [_change_row(facility, change, person, context["now"]) for change in context["told_changes"]],
        "review_sum": _review_sum(facility, person),
        "policy": [_policy_line(row, facility) for row in policy.rows_of(facility.law).values()],
    }
    return render(request, "games/office/changes.html", context)


@require_GET
@opened_by(OFFICE)
def change(request: HttpRequest, person: Person, facility: Facility, code: str) -> HttpResponse:
    """Show one change: what it does, who made it, and what this person may do about it."""
    with_this_code = PreparedChange.objects.filter(facility=facility, code=code)
    change_row = with_this_code.select_related("prepared_by", "decided_by", "facility").first()
    if change_row is None:
        raise Denied
    context = page_context(person, facility, "changes")
    line = _change_row(facility, change_row, person, context["now"])
    paper = PAPERS[change_row.subject]
    context |= {
        "line": line,
        "change": change_row,
        "waits": change_row.status == PreparedChange.Status.WAITING,
        "makers": Person.objects.filter(code__in=change_row.makers).order_by("name"),
        "may_approve": _people_who_may(facility, change_row),
        "next_signer": next_signer(change_row),
        "signatures": signatures_on(paper, change_row) if further_signers(paper, change_row) else (),
        "notices": [
            (Department(notice.department).label, notice)
            for notice in change_row.notices.select_related("acknowledged_by").order_by("department")
        ],
        "may_acknowledge": why_not_acknowledged(change_row, person) is None,
        "subject_url": _subject_url(facility, change_row),
        "letter": _letter(facility, change_row),
        "facts": _facts(change_row),
        **{
            f"{name}_address": _act_address(facility, change_row, f"{name}_change")
            for name in ("approve", "send_back", "take_back", "acknowledge")
        },
    }
    submission = _submission(facility, change_row)
    if submission is not None:
        versions = list(
            RulesSubmission.objects.filter(facility=facility, code=submission.code).order_by("-version")
        )
        tables = [table for table in floor().tables(facility) if table.submission == submission.code]
        context |= version_context(facility, submission, versions, tables, context["now"])
    return render(request, "games/office/change.html", context)


def _change_row(
    facility: Facility, change: PreparedChange, person: Person, now: dt.datetime
) -> dict[str, Any]:
    """A change in a list. `says`: what its act would record. `is_late`: it waits longer than the policy allows."""
    waits = change.status == PreparedChange.Status.WAITING
    return {
        "change": change,
        "row": policy.row_of(facility.law, change.subject),
        "says": floor().words_of(change.entry_type, change.entry_data),
        "is_late": waits and change.due_at < now,
        "obstacle": obstacle(change, person) if waits else None,
        "is_mine": change.prepared_by_id == person.pk,
    }


def _review_sum(facility: Facility, person: Person) -> dict[str, Any] | None:
    """What the dialog of the sum from which slips are reviewed first needs; None for who does not prepare it."""
    if not policy.may_prepare(policy.row_of(facility.law, "review-sum"), person):
        return None
    most = policy.row_of(facility.law, "corrections").first_from_cents
    return {
        "now": in_dollars(policy.review_first_from(facility)),
        "most": in_dollars(most) if most else "",
        "address": reverse("facility-act", args=[facility.code, "set_review_sum"]),
    }


def _policy_line(row: SeparationRow, facility: Facility) -> dict[str, Any]:
    """One row of the policy in words. `time`: by when the second person has approved, signed or reviewed."""
    roles_told = ", ".join(Role(role).label.lower() for role in row.told)
    time = f"{row.hours} h" if row.hours else policy.limits_in_words(row) or "at once"
    if row.control == REVIEW and (first_from := policy.review_first_from(facility)):
        time += f"; from {in_dollars(first_from)} before money moves"
        if first_from != row.first_from_cents:
            time += ", a sum of this casino"
    return {
        "row": row,
        "prepare": policy.prepared_in_words(row),
        "approve": policy.approved_in_words(row),
        "control": policy.control_in_words(row),
        "told": roles_told,
        "time": time,
    }


def _people_who_may(facility: Facility, change: PreparedChange) -> list[tuple[Person, bool]]:
    """People who may approve the change, with whether they are on duty; those on duty first."""
    row = policy.row_of(facility.law, change.subject)
    people = Person.objects.filter(role__in=row.approve, is_active=True).exclude(code__in=change.makers)
    today = facility.gaming_day(clock.now())
    able = [
        (person, floor().is_on_duty(person, facility))
        for person in people
        if person.belongs_to(facility.code)
        and policy.may_approve(row, person)
        and not person.is_on_leave(today)
    ]
    return sorted(able, key=lambda pair: (not pair[1], pair[0].name))


def _submission(facility: Facility, change: PreparedChange) -> RulesSubmission | None:
    """The version of a rules submission that the change is about, or None."""
    if change.subject != "rules":
        return None
    of = {"code": change.params.get("code", ""), "version": change.params.get("version", 0)}
    rows = RulesSubmission.objects.filter(facility=facility, **of)
    return rows.select_related("drafted_by", "filed_by", "decision").first()


def _letter(facility: Facility, change: PreparedChange) -> Document | None:
    code = change.params.get("letter")
    return Document.objects.filter(facility=facility, code=code).first() if isinstance(code, str) else None


def _subject_url(facility: Facility, change: PreparedChange) -> str:
    """The page of what the change is about."""
    params = change.params
    match change.subject:
        case "rules":
            return reverse("submission", args=[facility.code, params["code"], params["version"]])
        case "guides":
            return reverse("guides", args=[facility.code])
        case "signs":
            return reverse("signs", args=[facility.code])
        case "requests":
            return reverse("game-request", args=[facility.code, params["request"]])
        case "clients":
            name = params.get("device") or params["name"]
            return f"{reverse('systems', args=[facility.code])}?{urlencode({'system': name})}"
        case "devices":
            name = params.get("device") or params["name"]
            return f"{reverse('devices', args=[facility.code])}?{urlencode({'device': name})}"
        case "people" | "leaves":
            return f"{reverse('people', args=[facility.code])}?{urlencode({'person': params['person']})}"
        case "review-sum":
            return reverse("changes", args=[facility.code])
        case "equipment":
            return reverse("equipment", args=[facility.code])
    return reverse("guides", args=[facility.code])


def _facts(change: PreparedChange) -> list[tuple[str, str]]:
    """What the act was given, a line each, for the page of a change without a page of its own."""
    return [
        ("sum", in_dollars(value)) if name == "cents" else (name.replace("_", " "), _param_text(value))
        for name, value in change.params.items()
        if value not in ("", None, [], {}) and name not in SAID_ELSEWHERE
    ]


def _param_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(_param_text, value)) if isinstance(value, list) else str(value)


def _act_address(facility: Facility, change: PreparedChange, act: str) -> str:
    """Where an act on this change is sent: to the runner that has the act of the change."""
    name = "office-act" if change.act in office_runner.ACTS else "facility-act"
    return reverse(name, args=[facility.code, act])


urlpatterns = [
    path("office/<slug:facility>/submissions/", submissions, name="submissions"),
    path("office/<slug:facility>/submissions/<slug:code>/", submission, name="submission"),
    path("office/<slug:facility>/submissions/<slug:code>/<int:version>/", submission, name="submission"),
    path("office/<slug:facility>/odds/", odds, name="odds"),
    path("office/<slug:facility>/odds/what-if", odds, name="odds-what-if"),
    path("office/<slug:facility>/odds/sheet.pdf", odds_pdf, name="odds-pdf"),
    path(
        "office/<slug:facility>/submissions/<slug:code>/<int:version>.pdf",
        submission_pdf,
        name="submission-pdf",
    ),
    path("office/<slug:facility>/changes/", changes, name="changes"),
    path("office/<slug:facility>/changes/<slug:code>/", change, name="change"),
]
