"""Kinds of cases: what each says, which outcomes it has, and the rule that finds its subjects.

A kind is declared once (`case_kind`). The ticker, the acts and the pages all use the declaration. A rule returns
subjects that arose in the last days, without locks; what arose earlier, before there were cases or while no ticker ran,
gets none. A subject has a key, so that it never gets two cases. How long a case may take is in the file of its
jurisdiction (`[cases]`).

How a case is opened and worked on is `tables.cases.case`, how it is decided `tables.cases.outcomes`.
"""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef

from audit import findings
from audit.days import day_in_words
from audit.entries import RECORD_VERIFIED
from audit.models import Entry, Lockout
from audit.people import MAX_WRONG_PINS
from audit.record import INSTALLATION, names_with_continuations
from audit.sealing.log import facility_log
from audit.sealing.state import say_problem
from audit.sealing.status import sealer_status
from games.models import Facility, PreparedChange
from games.office.calendar import BEGINS, ENDS, deadlines
from tables.alerts.calls import DISPUTE_REPORTED, NO_WORDS, alert_words
from tables.core.entries import of_round
from tables.corrections.slips import SLIP_FILED, SLIP_REVIEWED
from tables.desk.integrity import RECORD_ALERTS
from tables.dice_watch import CASE_KIND, evidence_words, range_words, subject_of
from tables.models import Alert, Case, Round, Slip, Table, Wager, WatchedDice
from tables.money.tray import DISCREPANCY_REPORTED
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.words.entries import data_of
from tables.words.sentences import dollars

MINUTE, HOUR, DAY = dt.timedelta(minutes=1), dt.timedelta(hours=1), dt.timedelta(days=1)

# Outcomes with a meaning for acts
GOODWILL = "goodwill"
BY_SLIP = "by-slip"


@dataclass(frozen=True)
class CaseSubject:
    """Something that needs a case. `key` names it, so that it never gets two. `since` is when it arose.

    `due_at`: set where the time does not follow from the kind.
    """

    key: str
    since: dt.datetime
    params: dict[str, Any] = field(default_factory=dict)
    table: Table | None = None
    round: int | None = None
    seat: int | None = None
    due_at: dt.datetime | None = None


Query = Callable[[Facility, dt.datetime], Iterable[CaseSubject]]


@dataclass(frozen=True)
class CaseKind:
    """What a case of one kind says.

    `describe` returns the title and the text for its params. `outcomes` are words by code. `query` returns the subjects
    that arose in the last days, without locks; None: only people open such a case. `actors` returns the codes of those
    who acted in what the case is about, who may not sign it. `needs_camera`: whether surveillance is to look at it.
    `signatures`: how many people sign its outcome. `waits_for` returns what has to be done elsewhere before anybody
    signs, in words; "" for nothing. `is_slow`: the query reads much, so the ticker asks once a minute.
    `writes_letters`: whether a patron is answered by a letter. `sum_up` returns title and text of several cases of one
    table, for their params; None: only their number is said.
    """

    code: str
    label: str
    outcomes: Mapping[str, str]
    describe: Callable[[Mapping[str, Any]], tuple[str, str]]
    query: Query | None = None
    actors: Callable[[Case], set[str]] = lambda case: set()
    needs_camera: bool = False
    is_warning: bool = True
    is_slow: bool = False
    signatures: int = 2
    waits_for: Callable[[Case], str] = lambda case: ""
    writes_letters: bool = False
    sum_up: Callable[[Sequence[Mapping[str, Any]]], tuple[str, str]] | None = None


CASE_KINDS: dict[str, CaseKind] = {}


def case_kind(kind: CaseKind) -> CaseKind:
    """Declare a kind. Raises ValueError for a code that is declared already."""
    if kind.code in CASE_KINDS:
        raise ValueError(f"declared twice: {kind.code}")
    CASE_KINDS[kind.code] = kind
    return kind


def kind_of(case: Case) -> CaseKind:
    """Return the declaration of a stored case."""
    return CASE_KINDS[case.kind]


def words_of_case(case: Case) -> tuple[str, str]:
    """Return the title and the text of a case."""
    return kind_of(case).describe(case.params)


def outcome_words(outcome: str) -> str:
    """An outcome in words; its code where no kind knows it."""
    return next((kind.outcomes[outcome] for kind in CASE_KINDS.values() if outcome in kind.outcomes), outcome)


# What rules read: recent entries, and who acted in a round


LOOKBACK = 7 * DAY  # what arose earlier, before there were cases or while no ticker ran, gets none


def recent_entries(
    facility: Facility, now: dt.datetime, *types: str
) -> Iterator[tuple[Entry, dict[str, Any]]]:
    """The entries of these types of the last days, of real play, with their data. They are in the order of time."""
    rows = Entry.objects.filter(type__in=types, at__gt=now - LOOKBACK, stream__real_play=True)
    rows = rows.filter(stream__name__startswith=f"{facility.code}/").select_related("stream")
    for entry in rows.order_by("at", "pk"):
        yield entry, data_of(entry)


def tables_by_stream(facility: Facility) -> dict[int, Table]:
    """The tables of real play of this facility, by the id of their stream."""
    tables = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE).select_related("stream")
    return {table.stream_id: table for table in tables}


def actors_of_round(case: Case) -> set[str]:
    """The codes of those who acted, or signed, in the round of a case, and of those who corrected it.

    Who reviewed a slip about it did not act in it.
    """
    if case.table is None or case.round is None:
        return set()
    entries = of_round(case.table.stream, case.round)
    acts = [entry for entry in entries if entry.type != SLIP_REVIEWED.name]
    return {code for entry in acts for code in (entry.actor, entry.witness) if code}


# Disputes: each report of a dispute at a table, and those that a patron brings to the desk


def dispute_key(table: str, number: int | None, seat: int | None, seq: int | None = None) -> str:
    """The subject of a dispute: its round and seat; before the first round, the entry that reported it."""
    return f"{table}:{number}:{seat}" if number else f"{table}:entry:{seq}"


def reported_disputes(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The disputes that were reported at tables of real play."""
    tables = tables_by_stream(facility)
    for entry, data in recent_entries(facility, now, DISPUTE_REPORTED.name):
        table, seat = tables.get(entry.stream_id), data.get("seat")
        if table is None or type(seat) is not int:
            continue
        yield CaseSubject(
            dispute_key(table.code, entry.round, seat, entry.seq),
            entry.at,
            {"table": table.code, "round": entry.round, "seat": seat, "about": str(data.get("about", ""))},
            table,
            entry.round,
            seat,
        )


def describe_dispute(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return who disputes, and what they say."""
    where = params["table"] if params.get("table") else "Away from a table"
    seat = f" seat {params['seat']}" if params.get("seat") else ""
    round_ = f", round {params['round']:,}" if params.get("round") else ""
    about = params["about"]
    text = "The table called without words. Ask what the patron says." if about == NO_WORDS else f"“{about}”"
    return f"Dispute at {where}{seat}{round_}", text


DISPUTE = case_kind(
    CaseKind(
        "dispute",
        "Dispute",
        {"stands": "Stands as settled", BY_SLIP: "Pay by slip", GOODWILL: "Goodwill, no finding"},
        describe_dispute,
        reported_disputes,
        actors_of_round,
        needs_camera=True,
        writes_letters=True,
    )
)


# What a person opens a case about where no rule does


def describe_other(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the words of the person who opened it, and the place."""
    place = params["table"] or "No table"
    return params["about"], f"{place}, round {params['round']:,}" if params.get("round") else place


OTHER = case_kind(
    CaseKind(
        "other",
        "Other",
        {"no-finding": "No finding", "corrected": "Corrected", "reported": "Reported to the regulator"},
        describe_other,
        actors=actors_of_round,
        is_warning=False,
    )
)


# Approvals that are late or end: deadlines of the rules office, and changes that wait for a second person


def late_approvals(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The deadlines that are near or past, and the changes that somebody prepared and nobody approves in time."""
    yield from _waiting_changes(facility, now)
    lead = facility.law.case_time("approval")
    for deadline in deadlines(facility, now):
        last_day = deadline.due_on if deadline.state == ENDS else deadline.due_on + DAY
        due_at = deadline.moment or facility.day_begins(last_day)
        if deadline.state == BEGINS or due_at - lead > now:
            continue
        params = {
            "summary": deadline.summary,
            "due_on": day_in_words(deadline.due_on),
            "state": deadline.state,
        }
        yield CaseSubject(f"{deadline.key}:{deadline.due_on}", now, params, due_at=due_at)


def _waiting_changes(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    waiting = PreparedChange.objects.filter(facility=facility, status=PreparedChange.Status.WAITING)
    for change in waiting.filter(due_at__lte=now + DAY).select_related("prepared_by").order_by("pk"):
        params = {
            "summary": f"{change.code} waits for a second person",
            "due_on": day_in_words(facility.local(change.due_at).date()),
            "state": "prepared",
            "prepared_by": change.prepared_by.name,
            "people": change.makers,
        }
        yield CaseSubject(f"change:{change.code}", change.prepared_at, params, due_at=change.due_at)


def makers_of_change(case: Case) -> set[str]:
    """Those who made the change; nobody for a deadline."""
    return set(case.params.get("people", ()))


def describe_approval(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the deadline as the office's calendar says it, or the change, and its day."""
    if "prepared_by" in params:
        return params["summary"], f"Prepared by {params['prepared_by']}, to be approved by {params['due_on']}"
    verb = "Ends" if params["state"] == ENDS else "Due"
    return params["summary"], f"{verb} {params['due_on']}, in the rules office's calendar"


APPROVAL = case_kind(
    CaseKind(
        "approval",
        "Approval",
        {"renewed": "Renewed or decided", "not-needed": "No longer needed", "lapsed": "Lapsed"},
        describe_approval,
        late_approvals,
        makers_of_change,
        is_warning=False,
        is_slow=True,
    )
)


# Tables whose win of a gaming day was more than two standard deviations from the expected win


MAX_DAYS_CACHED = 256
_days_outside: dict[Any, list[CaseSubject]] = {}  # of final days, by tables and day


def tables_outside_band(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The tables of the last gaming day, once it is over and each of its rounds has ended."""
    day = ReportDay(facility, facility.gaming_day(now) - DAY, now)
    key = tuple(table.uid for table in day.tables.values()), day.date
    if key not in _days_outside:
        report = build_report(day)
        if not report.is_final:
            return
        if len(_days_outside) >= MAX_DAYS_CACHED:
            _days_outside.clear()
        tables = {table.code: table for table in day.tables.values()}
        _days_outside[key] = [
            CaseSubject(
                f"{row.code}:{day.date}",
                day.ends,
                {
                    "table": row.code,
                    "day": day.date.isoformat(),
                    "won_cents": row.figures.sums.win_cents,
                    "expected_cents": row.figures.sums.expected_cents,
                    "band_cents": row.figures.sums.band_cents,
                },
                tables[row.code],
            )
            for row in report.tables
            if row.figures.sums.is_outside
        ]
    yield from _days_outside[key]


def describe_band(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the table, its win and its band."""
    day = dt.date.fromisoformat(params["day"])
    won, expected, band = (dollars(params[f"{name}_cents"]) for name in ("won", "expected", "band"))
    return (
        f"{params['table']} outside its band",
        f"{day:%a} {day.day} {day:%b}: {won}, expected {expected} ± {band}",
    )


BAND = case_kind(
    CaseKind(
        "band",
        "Outside its band",
        {
            "chance": "Chance",
            "equipment": "Dice or equipment",
            "play": "Dealing or play",
            "not-explained": "Not explained",
        },
        describe_band,
        tables_outside_band,
        is_slow=True,
    )
)


# Counts of chips and cash that differ from the record. Nothing was adjusted, so somebody finds out why


COUNT_NAMES = {
    "opener": "Opener",
    "count": "Tray",
    "transfer": "Fill or credit",
    "drop": "Drop box",
    "closer": "Closer",
}


def differing_counts(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The discrepancies that were reported at tables of real play."""
    tables = tables_by_stream(facility)
    for entry, data in recent_entries(facility, now, DISCREPANCY_REPORTED.name):
        table, number = tables.get(entry.stream_id), data.get("discrepancy")
        if table is None or not isinstance(number, int):
            continue
        params = {
            "table": table.code,
            "differs": data["cause"],
            "expected_cents": data["expected_cents"],
            "counted_cents": data["counted_cents"],
            "slip": data["slip"] or "",
            "note": data["note"],
            "people": sorted(filter(None, (entry.actor, entry.witness))),
        }
        yield CaseSubject(f"{table.code}:{number}", entry.at, params, table)


def describe_chips(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return what differs by how much, and both sums."""
    difference = params["counted_cents"] - params["expected_cents"]
    if difference:
        by = f"{dollars(abs(difference))} {'over' if difference > 0 else 'short'}"
    else:
        by = "of the right value, in other chips"
    subject = params["slip"] or COUNT_NAMES[params["differs"]]
    note = f" {params['note']}" if params["note"] else ""
    expected, counted = dollars(params["expected_cents"]), dollars(params["counted_cents"])
    return (
        f"{subject} {by} at {params['table']}",
        f"Counted {counted}, {expected} by the record. Nothing was adjusted.{note}",
    )


def people_of_count(case: Case) -> set[str]:
    """Those who signed the count."""
    return set(case.params["people"])


CHIPS = case_kind(
    CaseKind(
        "chips",
        "Chips and cash",
        {
            "miscounted": "Miscounted, and counted again",
            "wrong-payment": "A payment that was wrong",
            "wrong-entry": "An entry that was wrong or missing",
            "taken": "Chips or cash were taken",
            "not-explained": "Not explained",
        },
        describe_chips,
        differing_counts,
        people_of_count,
        needs_camera=True,
    )
)


# Findings of the dice watch: a lot, or a shaker in a year, whose throws speak against fair dice


def unfair_dice(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The lots and shakers of live tables that reached their alarm line."""
    rows = WatchedDice.objects.filter(
        facility=facility, kind=WatchedDice.Kind.LIVE, found_at__gt=now - LOOKBACK
    )
    for row in rows.select_related("lot", "shaker", "table__stream").order_by("pk"):
        assert row.found_at is not None and row.found_round is not None
        params = {
            "lot": row.lot.code if row.lot else "",
            "shaker": row.shaker.code,
            "year": row.year,
            "table": row.table.code,
            "first_round": row.first_round,
            "last_round": row.found_round,
            "rounds": row.found_rounds,
            "evidence": evidence_words(row.found_log_evidence or 0),
            "line": row.alarm_line,
        }
        yield CaseSubject(subject_of(row), row.found_at, params, row.table, row.found_round)


def describe_dice(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the lot or shaker with its rounds and the evidence, and what is proposed."""
    lot, shaker = params["lot"], params["shaker"]
    title = f"Dice watch: lot {lot}" if lot else f"Dice watch: shaker {shaker} in {params['year']}"
    where = f"{params['table']}, shaker {shaker}, {range_words(params['first_round'], params['last_round'])}"
    text = (
        f"{where}: after {params['rounds']:,} rounds the evidence against fair dice is {params['evidence']}, "
        f"the alarm line is {params['line']:,}. Proposed: withdraw the dice and inspect them"
    )
    return title, text if lot else f"{text}, and the shaker"


DICE = case_kind(
    CaseKind(
        CASE_KIND,
        "Dice watch",
        {
            "chance": "Chance: dice and shaker are sound",
            "unfair": "The dice are not fair",
            "shaker": "The shaker is at fault",
            "not-explained": "Not explained",
        },
        describe_dice,
        unfair_dice,
        needs_camera=True,
    )
)


# The record itself: rolled back, an unknown state, a failed verification, and nothing that seals it


SEALER_STOPPED_AFTER = dt.timedelta(minutes=5)  # a restart takes less


def record_findings(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The alerts about the record, the full verifications that found a fault, and a sealer that has stopped."""
    alerts = Alert.objects.filter(
        table__facility=facility, table__kind="live", kind__in=RECORD_ALERTS, raised_at__gt=now - LOOKBACK
    )
    for alert in alerts.select_related("table").order_by("pk"):
        title, text = alert_words(alert.kind, alert.key, alert.params)
        params = {"title": f"{alert.table.code}: {title}", "text": text}
        yield CaseSubject(f"{alert.table.code}:alert:{alert.pk}", alert.raised_at, params, alert.table)
    streams = [INSTALLATION, *names_with_continuations(f"{facility.code}/exports")]
    entries = Entry.objects.filter(type=RECORD_VERIFIED.name, stream__name__in=streams, at__gt=now - LOOKBACK)
    for entry in entries.select_related("stream").order_by("at", "pk"):
        data = data_of(entry)
        if data.get("outcome") == "good":
            continue
        bad = data.get("first_bad")
        text = findings.say(bad) if isinstance(bad, dict) else "See the integrity page."
        params = {"title": "The full verification found a fault", "text": text}
        yield CaseSubject(f"{entry.stream.name}:{entry.seq}", entry.at, params)
    yield from _stopped_sealer(facility, now)


def _stopped_sealer(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The sealer that runs no more, or that cannot seal the log of this facility. One that never ran has no case."""
    log = facility_log(facility.code)
    status = sealer_status(log.facility if log else "")
    if status.beat_at is not None and now - status.beat_at > SEALER_STOPPED_AFTER:
        since = f"{facility.local(status.beat_at):%H:%M}"
        params = {
            "title": "The sealer has stopped",
            "text": f"Nothing was sealed since {since}. See its log.",
        }
        yield CaseSubject(f"sealer:{status.beat_at.isoformat()}", status.beat_at, params)
    elif status.problem and status.since is not None and now - status.since > SEALER_STOPPED_AFTER:
        params = {
            "title": "The record is not being sealed",
            "text": say_problem(status.problem, status.params),
        }
        yield CaseSubject(f"sealer:{status.since.isoformat()}", status.since, params)


def describe_finding(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the finding in the words of the alert or the verification."""
    return params["title"], params["text"]


INTEGRITY = case_kind(
    CaseKind(
        "integrity",
        "Integrity",
        {"explained": "Explained", "restored": "Record restored and declared", "tampered": "Tampered with"},
        describe_finding,
        record_findings,
    )
)


# PINs that were refused until somebody was locked out


NO_PIN_ACCEPTED = "under several names: the device accepted no PIN"


def refused_pins(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The lock-outs of this facility."""
    rows = Lockout.objects.filter(facility=facility.code, started_at__gt=now - LOOKBACK)
    for row in rows.select_related("device", "person", "signed_in").order_by("pk"):
        params = {
            "scope": row.scope,
            "device": row.where,
            "person": row.person.name if row.person else "",
            "people": sorted(person.code for person in (row.person, row.signed_in) if person is not None),
            "until": f"{facility.local(row.ends_at):%H:%M}",
        }
        yield CaseSubject(f"lockout:{row.pk}", row.started_at, params)


def describe_lockout(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return where the PINs were typed, and who was locked out until when."""
    count = MAX_WRONG_PINS[Lockout.Scope(params["scope"])]
    where = "at every device, last " if params["scope"] == Lockout.Scope.PERSON else ""
    who = f"as {params['person']}" if params["person"] else NO_PIN_ACCEPTED
    return (
        f"{count} wrong PINs {where}at {params['device']}",
        f"{who[:1].upper()}{who[1:]}, until {params['until']}",
    )


def people_of_lockout(case: Case) -> set[str]:
    """The locked person, and the person who was signed in there."""
    return set(case.params["people"])


LOCKOUT = case_kind(
    CaseKind(
        "lockout",
        "Refused PINs",
        {
            "mistyped": "Mistyped by the person",
            "attempt": "Somebody tried PINs",
            "not-explained": "Not explained",
        },
        describe_lockout,
        refused_pins,
        people_of_lockout,
        needs_camera=True,
    )
)


# Error Notification Slips: each is reviewed by somebody outside the table, and then signed by somebody else


def filed_slips(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The slips that were filed at tables of real play."""
    tables = tables_by_stream(facility)
    for entry, data in recent_entries(facility, now, SLIP_FILED.name):
        table, code = tables.get(entry.stream_id), data.get("slip")
        if table is None or not isinstance(code, str):
            continue
        due = [amount for amount in data.get("due") or () if isinstance(amount, dict)]
        params = {"table": table.code, "slip": code, "round": entry.round, "due": due}
        review = data.get("review")
        due_at = dt.datetime.fromisoformat(review["due_at"]) if isinstance(review, dict) else None
        params["reason"] = data.get("reason", "")
        yield CaseSubject(f"{table.code}:{code}", entry.at, params, table, entry.round, due_at=due_at)


def describe_slip(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return which slip is to be reviewed, and what it moves."""
    due = [_due_words(amount) for amount in params["due"]] or ["no money is due"]
    return (
        f"Slip {params['slip']} to review",
        f"{params['table']} round {params['round']:,}: {', '.join(due)}. {params['reason']}",
    )


def _due_words(amount: Mapping[str, Any]) -> str:
    verb = "is owed" if amount["cents"] > 0 else "owes"
    return f"seat {amount['seat']} {verb} {dollars(abs(amount['cents']))}"


def slip_of(case: Case) -> Slip | None:
    """The slip that a case is about."""
    number = int(case.params["slip"].removeprefix("ENS-"))
    people = ("filed_by", "filed_with", "settled_by", "settled_with", "reviewed_by")
    return Slip.objects.filter(table=case.table, number=number).select_related(*people).first()


def review_missing(case: Case) -> str:
    """What the case waits for: the review of the slip, if it needs one and has none."""
    slip = slip_of(case)
    waits = slip is not None and slip.review_due_at is not None and slip.reviewed_at is None
    return f"review of {case.params['slip']}" if waits else ""


def actors_of_slip(case: Case) -> set[str]:
    """Those who acted in the round, signed the slip, or reviewed it: the review is a signature of its own."""
    slip = slip_of(case)
    signers = (
        (slip.filed_by, slip.filed_with, slip.settled_by, slip.settled_with, slip.reviewed_by) if slip else ()
    )
    return actors_of_round(case) | {person.code for person in signers if person is not None}


SLIP = case_kind(
    CaseKind(
        "slip",
        "Slip",
        {
            "agreed": "The slip is right",
            "wrong": "The slip is wrong",
            "improper": "Right, but filed improperly",
        },
        describe_slip,
        filed_slips,
        actors_of_slip,
        needs_camera=True,
        is_warning=False,
        signatures=1,
        waits_for=review_missing,
    )
)


# Wagers outside the table's limits that were accepted and settled


SIDES = {"over-max": "over the maximum", "under-min": "under the minimum"}
LIMITS_KIND = "limits"


def wagers_out_of_limits(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The rounds with wagers outside the limits that were not changed before no more bets, once each has ended.

    A round is one case, however many wagers it is about: the same people accepted them within the same minute. The
    rounds of older cases, which were about one wager each, get no second one.
    """
    since = now - LOOKBACK
    rows = Wager.objects.filter(flag__in=SIDES, struck=False, round__ended_at__gt=since)
    # the index of rounds is by table and gaming day, which may have begun a day before
    first_day = facility.gaming_day(since) - DAY
    rows = rows.filter(round__table__in=tables_by_stream(facility).values(), round__gaming_day__gte=first_day)
    cases = Case.objects.filter(
        kind=LIMITS_KIND, table=OuterRef("round__table"), round=OuterRef("round__number")
    )
    rows = rows.filter(~Exists(cases)).select_related("round__table").order_by("round__pk", "pk")
    for round_, wagers in groupby(rows, key=lambda wager: wager.round):
        yield _wagers_subject(round_, list(wagers))


def _wagers_subject(round_: Round, wagers: list[Wager]) -> CaseSubject:
    table, seats = round_.table, {wager.seat for wager in wagers}
    assert round_.ended_at is not None
    params = {
        "table": table.code,
        "round": round_.number,
        "wagers": [
            {"seat": wager.seat, "wager": wager.code, "cents": wager.cents, "flag": wager.flag}
            for wager in wagers
        ],
    }
    seat = seats.pop() if len(seats) == 1 else None
    return CaseSubject(f"{table.code}:{round_.number}", round_.ended_at, params, table, round_.number, seat)


def wagers_of(params: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The wagers that a case is about. An older case is about one, over the maximum where it does not say."""
    return params.get("wagers", [{"flag": "over-max", **params}])


def describe_wagers(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return what was outside the limits, and where it was accepted."""
    wagers, place = wagers_of(params), f"Round {params['round']:,}"
    what = f"{_sides(wagers)} at {params['table']}"
    if len(wagers) == 1:
        [wager] = wagers
        title = f"{dollars(wager['cents'])} {what}"
        return title, f"{place}, seat {wager['seat']}, {wager['wager']}: accepted, and settled in full"
    seats = sorted({wager["seat"] for wager in wagers})
    at = f"seat {seats[0]}" if len(seats) == 1 else f"seats {', '.join(map(str, seats))}"
    title = f"{len(wagers)} wagers {what}, {dollars(sum(wager['cents'] for wager in wagers))}"
    return title, f"{place}, {at}: accepted, and settled in full"


def sum_up_wagers(cases: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return how many wagers several cases are about and their sum, and how many are on each side of the limits."""
    wagers = [wager for params in cases for wager in wagers_of(params)]
    counts = Counter(wager["flag"] for wager in wagers)
    cents = sum(wager["cents"] for wager in wagers)
    sides = [f"{counts[flag]:,} {words}" for flag, words in SIDES.items() if counts[flag]]
    return f"{len(wagers):,} wagers out of limits, {dollars(cents)}", ", ".join(sides)


def _sides(wagers: list[Mapping[str, Any]]) -> str:
    flags = {wager["flag"] for wager in wagers}
    return SIDES[flags.pop()] if len(flags) == 1 else "out of limits"


LIMITS = case_kind(
    CaseKind(
        LIMITS_KIND,
        "Wagers out of limits",
        {"error": "Accepted in error", "permitted": "Permitted", "reported": "Reported to the regulator"},
        describe_wagers,
        wagers_out_of_limits,
        actors_of_round,
        is_slow=True,
        sum_up=sum_up_wagers,
    )
)
