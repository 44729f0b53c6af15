"""How the record stands: what a compliance officer asks before trusting any figure. Reads only."""

import datetime as dt
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from audit import notes, verification_words
from audit.models import (
    Checkpoint,
    Cosignature,
    Entry,
    Incarnation,
    Job,
    Seal,
    SealedHead,
    SealerStatus,
    SigningKey,
    Stream,
)
from audit.record import INSTALLATION
from audit.sealing import keys, problems
from audit.sealing.log import Log, current_incarnation
from audit.sealing.status import SILENT_AFTER, sealer_status
from games.models import Facility
from tables.replay.checks import BAD, OK, WAITS, Check
from tables.runner.alert_rules import FORGED_HEAD, ROLLED_BACK
from tables.words.entries import said_by

from ..models import Alert, Table

MAX_WAIT = dt.timedelta(seconds=10)  # what is older than this and not sealed waits too long
VERIFICATION_INTERVAL = dt.timedelta(days=7)  # a full verification older than this is worth another
MINUTES = 60
MAX_SEALS = MINUTES * 60
MIN_TOP = 6  # seals a minute that the plot's top line says at the least
RECORD_ALERTS = (ROLLED_BACK.code, FORGED_HEAD.code)
WITNESS_TROUBLES = {
    "unreachable": "cannot be reached",
    "key-not-known": "does not know the house's key",
    "log-not-known": "does not know this log",
    "bad-answer": "answered something that is no cosignature",
    "asked-again": "says that it knows more than this record, and is asked again",
    "witness-ahead": "knows more than this record",
    "witness-disagrees": "knows another story than this record",
    "failed": "could not be asked; the sealer's log says why",
}


@dataclass(frozen=True)
class WitnessStatus:
    """A witness by its key's name: the size that it cosigned last and when, how far behind it is, and its problem."""

    name: str
    url: str
    size: int
    cosigned_at: dt.datetime | None
    behind: int
    problem: str


@dataclass(frozen=True)
class MinuteBar:
    """A minute of the plot: where its column stands and how high it is, of 100, and how many seals it says."""

    x: int
    y: int
    height: int
    seals: int


@dataclass(frozen=True)
class LastVerification:
    """The last full verification: its entry, whether all was good, its figures, and the first thing that was not."""

    entry: Entry
    good: bool
    figures: dict[str, Any]
    first_bad: str


@dataclass(frozen=True)
class Integrity:
    """Everything that the page shows, read at `now`."""

    now: dt.datetime
    status: SealerStatus
    incarnation: Incarnation | None
    seal: Seal | None
    checkpoint: Checkpoint | None
    waiting: dt.timedelta | None
    problem: str
    witnesses: tuple[WitnessStatus, ...]
    verification: LastVerification | None
    running: Job | None
    halted: tuple[Table, ...]
    alerts: tuple[Alert, ...]
    checks: tuple[Check, ...] = field(default=())

    @property
    def verdict(self) -> str:
        """`bad` where something is wrong, `waits` where something is late or was never done, else `ok`."""
        states = {check.state for check in self.checks}
        return BAD if BAD in states else WAITS if WAITS in states else OK


def read_integrity(facility: Facility, now: dt.datetime) -> Integrity:
    """How the record stands, for a house: its own halted tables and alerts, and the log that holds every house."""
    status, incarnation = sealer_status(), current_incarnation()
    seal = Seal.objects.filter(incarnation=incarnation).order_by("-number").first() if incarnation else None
    checkpoint = Log(incarnation).newest() if incarnation else None
    integrity = Integrity(
        now=now,
        status=status,
        incarnation=incarnation,
        seal=seal,
        checkpoint=checkpoint,
        waiting=_longest_wait(incarnation, now),
        problem=problems.say(status.problem, status.params) if status.problem else "",
        witnesses=tuple(_witnesses(status, incarnation, checkpoint)),
        verification=_verification(),
        running=Job.objects.filter(kind=Job.Kind.VERIFICATION, status__in=("waiting", "running")).first(),
        halted=tuple(Table.objects.filter(facility=facility).exclude(halted_at=None)),
        alerts=tuple(
            Alert.objects.filter(
                table__facility=facility, kind__in=RECORD_ALERTS, ended_at=None
            ).select_related("table")
        ),
    )
    return Integrity(**{**_fields(integrity), "checks": tuple(_checks(integrity))})


def seals_per_minute(incarnation: Incarnation | None, now: dt.datetime) -> tuple[list[MinuteBar], int]:
    """Columns of the last hour, the oldest first, and the highest number among them (6 at the least)."""
    newest = Seal.objects.filter(incarnation=incarnation).order_by("-number")[:MAX_SEALS]
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


def signing_keys() -> list[dict[str, Any]]:
    """The keys of the record with the line to give to others, the newest first."""
    return [
        {"key": key, "vkey": keys.verifier_of(key).vkey}
        for key in SigningKey.objects.order_by("-created_at", "-pk")
    ]


def incarnations() -> list[dict[str, Any]]:
    """The lives of the record, the newest first, with the sizes at which the one before was found and was signed."""
    rows = Incarnation.objects.select_related("opened_by", "opened_with").order_by("-number")
    return [
        {
            "row": incarnation,
            "found": _checkpoint_size(incarnation.after.get("found")),
            "signed": _checkpoint_size(incarnation.after.get("signed")),
        }
        for incarnation in rows
    ]


def _fields(integrity: Integrity) -> dict[str, Any]:
    return {name: getattr(integrity, name) for name in integrity.__dataclass_fields__}


def _checkpoint_size(note: Any) -> int | None:
    """The size of the checkpoint that a note says; None where there is none that can be read."""
    if not isinstance(note, str):
        return None
    try:
        return notes.Checkpoint.read(notes.Note.read(note).text).size
    except notes.Malformed:
        return None


def _longest_wait(incarnation: Incarnation | None, now: dt.datetime) -> dt.timedelta | None:
    """How long the oldest head that no seal of this incarnation lists has stood; None where every head is sealed.

    The newest sealed number of each stream is one look into an index. Asked whether none covers the head, PostgreSQL
    joins all that was ever sealed.
    """
    sealed = SealedHead.objects.filter(stream=OuterRef("pk"), seal__incarnation=incarnation)
    newest = Coalesce(Subquery(sealed.order_by("-seq").values("seq")[:1]), 0)
    unsealed = Stream.objects.filter(seq__gt=newest).exclude(last_at=None)
    oldest = unsealed.order_by("last_at").values_list("last_at", flat=True).first()
    return now - oldest if oldest else None


def _witnesses(
    status: SealerStatus, incarnation: Incarnation | None, checkpoint: Checkpoint | None
) -> list[WitnessStatus]:
    """Those that the sealer asks, and those whose cosignatures the log has though it asks them no more."""
    size = checkpoint.size if checkpoint else 0
    newest_by_name: dict[str, Cosignature] = {}
    if incarnation is not None:
        for name in {*status.witnesses, *_cosigners(incarnation)}:
            cosignatures = Cosignature.objects.filter(name=name, checkpoint__incarnation=incarnation)
            newest = cosignatures.select_related("checkpoint").order_by("-checkpoint_id").first()
            if newest is not None:
                newest_by_name[name] = newest
    statuses = []
    for name in sorted({*status.witnesses, *newest_by_name}):
        reported = status.witnesses.get(name, {})
        cosignature = newest_by_name.get(name)
        cosigned = cosignature.checkpoint.size if cosignature else 0
        code = reported.get("said", "")
        problem = (
            str(WITNESS_TROUBLES.get(code, code))
            if code
            else ""
            if name in status.witnesses
            else "asked no more"
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


def _cosigners(incarnation: Incarnation) -> set[str]:
    """Who cosigned the newest checkpoint that anybody cosigned."""
    cosignature = Cosignature.objects.filter(checkpoint__incarnation=incarnation).order_by("-pk").first()
    if cosignature is None:
        return set()
    return set(
        Cosignature.objects.filter(checkpoint=cosignature.checkpoint_id).values_list("name", flat=True)
    )


def _verification() -> LastVerification | None:
    entries = Entry.objects.filter(type="record.verified", stream__name=INSTALLATION)
    entry = entries.select_related("stream").order_by("-at", "-pk").first()
    if entry is None:
        return None
    figures = said_by(entry)
    bad_finding = figures.get("first_bad")
    first_bad = verification_words.say(bad_finding) if isinstance(bad_finding, dict) else ""
    return LastVerification(entry, figures.get("outcome") == "good", figures, first_bad)


def _checks(integrity: Integrity) -> list[Check]:
    return [
        _check_sealing(integrity),
        *(_check_witness(witness) for witness in integrity.witnesses),
        *(
            []
            if integrity.witnesses
            else [Check(WAITS, "No witness", "the house's own key alone stands behind it")]
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
            "Entries wait to be sealed",
            "for %s; is the sealer at work?" % _format_span(integrity.waiting),
        )
    if integrity.status.beat_at is None or integrity.now - integrity.status.beat_at > SILENT_AFTER:
        return Check(WAITS, "The sealer is silent", "all that stands is sealed; what comes next would wait")
    return Check(OK, "All that stands is sealed", "last seal %s ago" % ago(integrity.seal.at, integrity.now))


def _check_witness(witness: WitnessStatus) -> Check:
    if witness.problem:
        return Check(WAITS, witness.name, witness.problem)
    if witness.behind > MINUTES:
        return Check(WAITS, witness.name, "%s seals behind" % f"{witness.behind:,}")
    return Check(OK, "Cosigned by %s" % witness.name, "up to checkpoint %s" % f"{witness.size:,}")


def _check_verification(integrity: Integrity) -> Check:
    verification = integrity.verification
    if verification is None:
        return Check(WAITS, "Never verified whole", "ask for it once, and then each week")
    since = ago(verification.entry.at, integrity.now)
    if not verification.good:
        return Check(BAD, "The last full verification found a fault", verification.first_bad)
    if integrity.now - verification.entry.at > VERIFICATION_INTERVAL:
        return Check(WAITS, "Verified whole %s ago" % since, "all good then; ask for it again")
    return Check(OK, "Verified whole %s ago" % since, "every entry, seal and signature")


def _check_tables(integrity: Integrity) -> Check:
    if integrity.halted:
        names = ", ".join(table.code for table in integrity.halted)
        return Check(BAD, "Halted: %s" % names, "a screen had seen more than the record holds")
    if integrity.alerts:
        return Check(WAITS, "A screen showed a head that is not ours", "see the alerts beneath")
    return Check(OK, "Every screen agrees with the record", "each act sends back the head that it saw")


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
