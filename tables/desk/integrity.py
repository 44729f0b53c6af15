"""The integrity page: whether the record can be trusted now, and why. Only reads.

What a compliance officer needs before trusting any figure (`read_integrity`): the newest seal and how long entries have
waited for one, the checkpoint, the witnesses and how far behind they are, the last full verification, tables that are
halted and alerts about the record. `Integrity.checks` judges each of them in a sentence, `verdict` all together. Beside
it the page has the seals of the last hour, the keys that sign, and the incarnations of the record.

The inbox of cases shows the verdict too (`tables.cases.inbox`); a verification is requested by `tables.desk.exports`.
"""

import base64
import datetime as dt
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit import clock, findings, notes
from audit.entries import RECORD_VERIFIED
from audit.exporting import bundle
from audit.models import (
    Checkpoint,
    Cosignature,
    Entry,
    Incarnation,
    Job,
    Person,
    Seal,
    SealedHead,
    SealerStatus,
    Stream,
)
from audit.record import INSTALLATION, names_with_continuations
from audit.sealing import keys
from audit.sealing.log import Log, facility_log
from audit.sealing.state import say_problem
from audit.sealing.status import SILENT_AFTER, sealer_status
from games.access import opened_by
from games.models import Facility
from tables.alerts.calls import alert_words
from tables.desk.desk import DESK, desk_context
from tables.desk.entries import entry_url
from tables.models import Alert, Table
from tables.replay.evidence import BAD, OK, WAITS, Check
from tables.runner.halts import FORGED_HEAD, ROLLED_BACK
from tables.words.entries import data_of

MAX_WAIT = dt.timedelta(seconds=10)  # an older unsealed entry waits too long
VERIFICATION_INTERVAL = dt.timedelta(days=7)  # after this, another full verification is due
MINUTES = 60
MAX_SEALS = MINUTES * 60
MIN_TOP = 6  # the least number of seals at the top of the plot
RECORD_ALERTS = (ROLLED_BACK.code, FORGED_HEAD.code)
WITNESS_PROBLEMS = {
    "unreachable": "cannot be reached",
    "key-not-known": "does not know the casino's key",
    "log-not-known": "does not know this log",
    "bad-answer": "gave an answer that is not a cosignature",
    "asked-again": "reports a longer log than this record's, and is asked again",
    "witness-ahead": "has a longer log than this record",
    "witness-disagrees": "has a different log than this record",
    "failed": "could not be reached; the sealer's log has the details",
}


@dataclass(frozen=True)
class WitnessStatus:
    """A witness by its key's name: what it last cosigned and when, how many seals it is behind, and its problem."""

    name: str
    url: str
    size: int
    cosigned_at: dt.datetime | None
    behind: int
    problem: str


@dataclass(frozen=True)
class MinuteBar:
    """One minute of the plot: its bar (heights of 100), and its number of seals."""

    x: int
    y: int
    height: int
    seals: int


@dataclass(frozen=True)
class LastVerification:
    """The last full verification: its entry, whether all was good, its figures, and the first fault."""

    entry: Entry
    good: bool
    figures: dict[str, Any]
    first_bad: str


@dataclass(frozen=True)
class Integrity:
    """Everything that the page shows, read at `now`."""

    now: dt.datetime
    status: SealerStatus
    log: Log | None
    seal: Seal | None
    checkpoint: Checkpoint | None
    waiting: dt.timedelta | None
    problem: str
    witnesses: tuple[WitnessStatus, ...]
    verification: LastVerification | None
    running: Job | None
    halted: tuple[Table, ...]
    alerts: tuple[Alert, ...]

    @cached_property
    def checks(self) -> list[Check]:
        """What was found, each in a sentence."""
        return _checks(self)

    @property
    def verdict(self) -> str:
        """`bad` where something is wrong, `waits` where something is late or was never done, else `ok`."""
        states = {check.state for check in self.checks}
        return BAD if BAD in states else WAITS if WAITS in states else OK


def read_integrity(facility: Facility, now: dt.datetime) -> Integrity:
    """Read the state of the record for a facility: its halted tables and alerts, and its log."""
    log = facility_log(facility.code)
    status = sealer_status(log.facility if log else "")
    seal = log.seals.order_by("-number").first() if log else None
    checkpoint = log.newest() if log else None
    return Integrity(
        now=now,
        status=status,
        log=log,
        seal=seal,
        checkpoint=checkpoint,
        waiting=_longest_wait(facility, log, now),
        problem=say_problem(status.problem, status.params) if status.problem else "",
        witnesses=tuple(_witnesses(status, log, checkpoint)),
        verification=_verification(facility),
        running=Job.objects.filter(
            facility=facility.code, kind=Job.Kind.VERIFICATION, status__in=("waiting", "running")
        ).first(),
        halted=tuple(Table.objects.filter(facility=facility, stream__closed_at=None).exclude(halted_at=None)),
        alerts=tuple(
            Alert.objects.filter(
                table__facility=facility, kind__in=RECORD_ALERTS, ended_at=None
            ).select_related("table")
        ),
    )


def seals_per_minute(log: Log | None, now: dt.datetime) -> tuple[list[MinuteBar], int]:
    """Return the bars of the last hour, oldest first, and the number at the top of the plot (at least 6)."""
    newest = log.seals.order_by("-number")[:MAX_SEALS] if log else Seal.objects.none()
    first = now.replace(second=0, microsecond=0) - dt.timedelta(minutes=MINUTES - 1)
    moments = (moment for moment in newest.values_list("at", flat=True) if moment >= first)
    counts = Counter(int((moment - first).total_seconds() // 60) for moment in moments)
    top = max([MIN_TOP, *counts.values()])
    bars = []
    for minute in range(MINUTES):
        height = 100 * counts[minute] // top if counts[minute] else 0
        height = max(height, 2) if counts[minute] else 0
        bars.append(MinuteBar(minute * 10, 100 - height, height, counts[minute]))
    return bars, top


def signing_keys(facility: Facility) -> list[dict[str, Any]]:
    """The keys of the facility's logs, newest first: `key`, its line for verifiers `vkey`, and whether it `signs` now.

    A key of another facility's log is not among them.
    """
    current = facility_log(facility.code) or keys.first_log()
    sign = keys.keys_signing(current)
    logs = [facility_log(facility.code, incarnation) for incarnation in Incarnation.objects.all()]
    rows = {key.pk: key for log in (current, *logs) if log for key in keys.keys_of(log)}
    return [
        {"key": key, "vkey": keys.verifier_of(key).vkey, "signs": key in sign}
        for key in sorted(rows.values(), key=lambda key: (key.created_at, key.pk), reverse=True)
    ]


def incarnations(facility: Facility) -> list[dict[str, Any]]:
    """The incarnations of the record, newest first: `row`, and the `origin` of the facility's log.

    `found_size` and `signed` are the sizes of that log that were found and signed before; None where there is none.
    """
    lives: list[dict[str, Any]] = []
    before: Log | None = None
    for incarnation in Incarnation.objects.select_related("opened_by", "opened_with").order_by("number"):
        log = facility_log(facility.code, incarnation)
        assert log is not None
        of_others = before is not None and before.facility
        after = incarnation.after.get("logs", {}).get(facility.code, {}) if of_others else incarnation.after
        lives.append(
            {
                "row": incarnation,
                "origin": log.origin,
                "found_size": _checkpoint_size(after.get("found")),
                "signed": _checkpoint_size(after.get("signed")),
            }
        )
        before = log
    return lives[::-1]


def _checkpoint_size(note: Any) -> int | None:
    """The size of the checkpoint in a note; None where it cannot be read."""
    if not isinstance(note, str):
        return None
    try:
        return notes.Checkpoint.read(notes.Note.read(note).text).size
    except notes.Malformed:
        return None


def _longest_wait(facility: Facility, log: Log | None, now: dt.datetime) -> dt.timedelta | None:
    """How long the oldest unsealed head of the log's streams has been waiting; None where every head is sealed.

    Looks up the newest sealed number of each stream in an index. With a condition that no seal covers the head,
    PostgreSQL would join everything ever sealed.
    """
    sealed = SealedHead.objects.filter(
        stream=OuterRef("pk"),
        seal__incarnation=log.incarnation if log else None,
        seal__facility=log.facility if log else "",
    )
    newest = Coalesce(Subquery(sealed.order_by("-seq").values("seq")[:1]), 0)
    own = Q(name__startswith=f"{facility.code}/") | Q(name=INSTALLATION)
    unsealed = Stream.objects.filter(own, seq__gt=newest).exclude(last_at=None)
    oldest = unsealed.order_by("last_at").values_list("last_at", flat=True).first()
    return now - oldest if oldest else None


def _witnesses(status: SealerStatus, log: Log | None, checkpoint: Checkpoint | None) -> list[WitnessStatus]:
    """The witnesses that the sealer asks, and former ones whose cosignatures the log holds."""
    size = checkpoint.size if checkpoint else 0
    newest_by_name: dict[str, Cosignature] = {}
    if log is not None:
        for name in {*status.witnesses, *_cosigners(log)}:
            newest = log.cosignatures().filter(name=name).select_related("checkpoint").first()
            if newest is not None:
                newest_by_name[name] = newest
    statuses = []
    for name in sorted({*status.witnesses, *newest_by_name}):
        reported = status.witnesses.get(name, {})
        cosignature = newest_by_name.get(name)
        cosigned = cosignature.checkpoint.size if cosignature else 0
        code = reported.get("said", "")
        problem = (
            str(WITNESS_PROBLEMS.get(code, code))
            if code
            else ""
            if name in status.witnesses
            else "no longer asked"
        )
        statuses.append(
            WitnessStatus(
                name,
                reported.get("url", ""),
                cosigned,
                cosignature.at if cosignature else None,
                max(0, size - cosigned),
                problem,
            )
        )
    return statuses


def _cosigners(log: Log) -> set[str]:
    """Who cosigned the newest cosigned checkpoint."""
    cosignature = log.cosignatures().first()
    if cosignature is None:
        return set()
    return set(
        Cosignature.objects.filter(checkpoint=cosignature.checkpoint_id).values_list("name", flat=True)
    )


def _verification(facility: Facility) -> LastVerification | None:
    """The last one that the facility asked for, or that `manage.py verify_record` recorded for the installation."""
    names = [INSTALLATION, *names_with_continuations(f"{facility.code}/exports")]
    entries = Entry.objects.filter(type=RECORD_VERIFIED.name, stream__name__in=names)
    entry = entries.select_related("stream").order_by("-at", "-pk").first()
    if entry is None:
        return None
    figures = data_of(entry)
    bad_finding = figures.get("first_bad")
    first_bad = findings.say(bad_finding) if isinstance(bad_finding, dict) else ""
    return LastVerification(entry, figures.get("outcome") == "good", figures, first_bad)


def _checks(integrity: Integrity) -> list[Check]:
    return [
        _check_sealing(integrity),
        *(_check_witness(witness) for witness in integrity.witnesses),
        *(
            []
            if integrity.witnesses
            else [Check(WAITS, "No witness", "only the casino's own key vouches for the log")]
        ),
        _check_verification(integrity),
        _check_tables(integrity),
    ]


def _check_sealing(integrity: Integrity) -> Check:
    if integrity.problem:
        return Check(BAD, "The sealer has stopped", integrity.problem)
    if integrity.seal is None:
        return Check(WAITS, "Nothing is sealed yet", "start the sealer: manage.py sealer")
    if integrity.waiting is not None and integrity.waiting > MAX_WAIT:
        return Check(
            WAITS,
            "Entries are waiting to be sealed",
            "for %s; check that the sealer is running" % _format_span(integrity.waiting),
        )
    if integrity.status.beat_at is None or integrity.now - integrity.status.beat_at > SILENT_AFTER:
        return Check(
            WAITS, "The sealer is silent", "everything is sealed so far; check that the sealer is running"
        )
    return Check(OK, "Everything is sealed", "last seal %s ago" % ago(integrity.seal.at, integrity.now))


def _check_witness(witness: WitnessStatus) -> Check:
    if witness.problem:
        return Check(WAITS, witness.name, witness.problem)
    if witness.behind > MINUTES:
        return Check(WAITS, witness.name, "%s seals behind" % f"{witness.behind:,}")
    return Check(OK, "Cosigned by %s" % witness.name, "up to checkpoint %s" % f"{witness.size:,}")


def _check_verification(integrity: Integrity) -> Check:
    verification = integrity.verification
    if verification is None:
        return Check(WAITS, "Never fully verified", "verify it now, then once a week")
    since = ago(verification.entry.at, integrity.now)
    if not verification.good:
        return Check(BAD, "The last full verification found a fault", verification.first_bad)
    if integrity.now - verification.entry.at > VERIFICATION_INTERVAL:
        return Check(WAITS, "Fully verified %s ago" % since, "all good then; verify it again")
    return Check(OK, "Fully verified %s ago" % since, "every entry, seal and signature")


def _check_tables(integrity: Integrity) -> Check:
    if integrity.halted:
        names = ", ".join(table.code for table in integrity.halted)
        return Check(BAD, "Halted: %s" % names, "a screen had shown entries that the record does not have")
    if integrity.alerts:
        return Check(WAITS, "A screen showed a forged head", "see the alerts below")
    return Check(OK, "Every screen agrees with the record", "each act sends back the head that it was shown")


def ago(moment: dt.datetime, now: dt.datetime) -> str:
    """How long ago a moment was: `8 s`, `4 min`."""
    return _format_span(now - moment)


def _format_span(span: dt.timedelta) -> str:
    """`8 s`, `4 min`, `3 h`, `12 days`: one unit, rounded down."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 120:
        return "%s s" % seconds
    if seconds < 7200:
        return "%s min" % (seconds // 60)
    return "%s h" % (seconds // 3600) if seconds < 172_800 else "%s days" % (seconds // 86_400)


# The page


@require_GET
@opened_by(DESK)
def integrity(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show seals, checkpoint, witnesses, copies, keys, incarnations, verifications, halted tables and alerts."""
    now = clock.now()
    status = read_integrity(facility, now)
    bars, top = seals_per_minute(status.log, now)
    verification = status.verification
    context = desk_context(person, facility, "integrity") | {
        "integrity": status,
        "ago": ago(status.seal.at, now) if status.seal else "",
        "root": base64.b64encode(bytes(status.checkpoint.root)).decode() if status.checkpoint else "",
        "bars": bars,
        "sealed_in_the_hour": sum(bar.seals for bar in bars),
        "top": top,
        "keys": signing_keys(facility),
        "checker_sha256": bundle.checker_sha256(),
        "incarnations": incarnations(facility),
        "verified_at": _entry_url(verification, facility),
        "alerts": [(alert, *alert_words(alert.kind, alert.key, alert.params)) for alert in status.alerts],
    }
    return render(request, "desk/integrity.html", context)


def _entry_url(verification: LastVerification | None, facility: Facility) -> str:
    if verification is None:
        return ""
    return entry_url(verification.entry.stream.name, verification.entry.seq, facility)


urlpatterns = [path("record/<slug:facility>/integrity/", integrity, name="record-integrity")]
