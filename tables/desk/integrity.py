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
from audit.sealing import keys, troubles
from audit.sealing.log import Log, current
from audit.sealing.status import SILENT, of_sealer
from games.models import Facility
from tables.replay.checks import BAD, OK, WAITS, Check
from tables.runner import halts
from tables.words.entries import said_by

from ..models import Alert, Table

LATE = dt.timedelta(seconds=10)  # what is older than this and not sealed waits too long
VERIFIED = dt.timedelta(days=7)  # a full verification older than this is worth another
MINUTES = 60
MOST_SEALS = MINUTES * 60
LEAST_HEIGHT = 6  # seals a minute that the plot's top line says at the least
OF_THE_RECORD = (halts.ROLLBACK, halts.FORGED_HEAD)
WITNESS_SAID = {
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
class Witness:
    """A witness by its key's name: the size that it cosigned last and when, how far behind it is, and its trouble."""

    name: str
    url: str
    size: int
    at: dt.datetime | None
    behind: int
    said: str


@dataclass(frozen=True)
class Column:
    """A minute of the plot: where its column stands and how high it is, of 100, and how many seals it says."""

    x: int
    y: int
    height: int
    seals: int


@dataclass(frozen=True)
class Verification:
    """The last full verification: its entry, whether all was good, its figures, and the first thing that was not."""

    entry: Entry
    good: bool
    said: dict[str, Any]
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
    trouble: str
    witnesses: tuple[Witness, ...]
    verification: Verification | None
    running: Job | None
    halted: tuple[Table, ...]
    alerts: tuple[Alert, ...]
    checks: tuple[Check, ...] = field(default=())

    @property
    def verdict(self) -> str:
        """`bad` where something is wrong, `waits` where something is late or was never done, else `ok`."""
        states = {one.state for one in self.checks}
        return BAD if BAD in states else WAITS if WAITS in states else OK


def of(house: Facility, now: dt.datetime) -> Integrity:
    """How the record stands, for a house: its own halted tables and alerts, and the log that holds every house."""
    status, incarnation = of_sealer(), current()
    seal = Seal.objects.filter(incarnation=incarnation).order_by("-number").first() if incarnation else None
    checkpoint = Log(incarnation).newest() if incarnation else None
    found = Integrity(
        now=now,
        status=status,
        incarnation=incarnation,
        seal=seal,
        checkpoint=checkpoint,
        waiting=_waiting(incarnation, now),
        trouble=troubles.say(status.trouble, status.params) if status.trouble else "",
        witnesses=tuple(_witnesses(status, incarnation, checkpoint)),
        verification=_verification(),
        running=Job.objects.filter(kind=Job.Kind.VERIFICATION, status__in=("waiting", "running")).first(),
        halted=tuple(Table.objects.filter(facility=house).exclude(halted_at=None)),
        alerts=tuple(
            Alert.objects.filter(table__facility=house, kind__in=OF_THE_RECORD, ended_at=None).select_related(
                "table"
            )
        ),
    )
    return Integrity(**{**_fields(found), "checks": tuple(_checks(found))})


def seals_a_minute(incarnation: Incarnation | None, now: dt.datetime) -> tuple[list[Column], int]:
    """Columns of the last hour, the oldest first, and the highest number among them (6 at the least)."""
    newest = Seal.objects.filter(incarnation=incarnation).order_by("-number")[:MOST_SEALS]
    first = now.replace(second=0, microsecond=0) - dt.timedelta(minutes=MINUTES - 1)
    moments = (at for at in newest.values_list("at", flat=True) if at >= first)
    counted = Counter(int((at - first).total_seconds() // 60) for at in moments)
    most = max([LEAST_HEIGHT, *counted.values()])
    columns = []
    for minute in range(MINUTES):
        height = 100 * counted[minute] // most if counted[minute] else 0
        height = max(height, 2) if counted[minute] else 0
        columns.append(Column(minute * 10, 100 - height, height, counted[minute]))
    return columns, most


def signing_keys() -> list[dict[str, Any]]:
    """The keys of the record with the line to give to others, the newest first."""
    return [
        {"key": one, "vkey": keys.verifier_of(one).vkey}
        for one in SigningKey.objects.order_by("-created_at", "-pk")
    ]


def incarnations() -> list[dict[str, Any]]:
    """The lives of the record, the newest first, with the sizes at which the one before was found and was signed."""
    rows = Incarnation.objects.select_related("opened_by", "opened_with").order_by("-number")
    return [
        {"row": one, "found": _size_in(one.after.get("found")), "signed": _size_in(one.after.get("signed"))}
        for one in rows
    ]


def _fields(found: Integrity) -> dict[str, Any]:
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def _size_in(note: Any) -> int | None:
    """The size of the checkpoint that a note says; None where there is none that can be read."""
    if not isinstance(note, str):
        return None
    try:
        return notes.Checkpoint.read(notes.Note.read(note).text).size
    except notes.Malformed:
        return None


def _waiting(incarnation: Incarnation | None, now: dt.datetime) -> dt.timedelta | None:
    """How long the oldest head that no seal of this incarnation lists has stood; None where every head is sealed.

    The newest sealed number of each stream is one look into an index. Asked whether none covers the head, PostgreSQL
    joins all that was ever sealed.
    """
    listed = SealedHead.objects.filter(stream=OuterRef("pk"), seal__incarnation=incarnation)
    newest = Coalesce(Subquery(listed.order_by("-seq").values("seq")[:1]), 0)
    moved = Stream.objects.filter(seq__gt=newest).exclude(last_at=None)
    oldest = moved.order_by("last_at").values_list("last_at", flat=True).first()
    return now - oldest if oldest else None


def _witnesses(
    status: SealerStatus, incarnation: Incarnation | None, checkpoint: Checkpoint | None
) -> list[Witness]:
    """Those that the sealer asks, and those whose cosignatures the log has though it asks them no more."""
    size = checkpoint.size if checkpoint else 0
    last: dict[str, Cosignature] = {}
    if incarnation is not None:
        for name in {*status.witnesses, *_cosigners(incarnation)}:
            own = Cosignature.objects.filter(name=name, checkpoint__incarnation=incarnation)
            newest = own.select_related("checkpoint").order_by("-checkpoint_id").first()
            if newest is not None:
                last[name] = newest
    found = []
    for name in sorted({*status.witnesses, *last}):
        told = status.witnesses.get(name, {})
        kept = last.get(name)
        cosigned = kept.checkpoint.size if kept else 0
        code = told.get("said", "")
        said = (
            str(WITNESS_SAID.get(code, code)) if code else "" if name in status.witnesses else "asked no more"
        )
        found.append(
            Witness(
                name, told.get("url", ""), cosigned, kept.at if kept else None, max(0, size - cosigned), said
            )
        )
    return found


def _cosigners(incarnation: Incarnation) -> set[str]:
    """Who cosigned the newest checkpoint that anybody cosigned."""
    newest = Cosignature.objects.filter(checkpoint__incarnation=incarnation).order_by("-pk").first()
    if newest is None:
        return set()
    return set(Cosignature.objects.filter(checkpoint=newest.checkpoint_id).values_list("name", flat=True))


def _verification() -> Verification | None:
    own = Entry.objects.filter(type="record.verified", stream__name=INSTALLATION)
    entry = own.select_related("stream").order_by("-at", "-pk").first()
    if entry is None:
        return None
    said = said_by(entry)
    bad = said.get("first_bad")
    first_bad = verification_words.say(bad) if isinstance(bad, dict) else ""
    return Verification(entry, said.get("outcome") == "good", said, first_bad)


def _checks(found: Integrity) -> list[Check]:
    return [
        _sealing(found),
        *(_witnessed(one) for one in found.witnesses),
        *(
            []
            if found.witnesses
            else [Check(WAITS, "No witness", "the house's own key alone stands behind it")]
        ),
        _verified(found),
        _tables(found),
    ]


def _sealing(found: Integrity) -> Check:
    if found.trouble:
        return Check(BAD, "The sealer has stopped", found.trouble)
    if found.seal is None:
        return Check(WAITS, "Nothing is sealed yet", "start the sealer: manage.py sealer")
    if found.waiting is not None and found.waiting > LATE:
        return Check(
            WAITS, "Entries wait to be sealed", "for %s; is the sealer at work?" % _long(found.waiting)
        )
    if found.status.beat_at is None or found.now - found.status.beat_at > SILENT:
        return Check(WAITS, "The sealer is silent", "all that stands is sealed; what comes next would wait")
    return Check(OK, "All that stands is sealed", "last seal %s ago" % ago(found.seal.at, found.now))


def _witnessed(witness: Witness) -> Check:
    if witness.said:
        return Check(WAITS, witness.name, witness.said)
    if witness.behind > MINUTES:
        return Check(WAITS, witness.name, "%s seals behind" % f"{witness.behind:,}")
    return Check(OK, "Cosigned by %s" % witness.name, "up to checkpoint %s" % f"{witness.size:,}")


def _verified(found: Integrity) -> Check:
    last = found.verification
    if last is None:
        return Check(WAITS, "Never verified whole", "ask for it once, and then each week")
    since = ago(last.entry.at, found.now)
    if not last.good:
        return Check(BAD, "The last full verification found a fault", last.first_bad)
    if found.now - last.entry.at > VERIFIED:
        return Check(WAITS, "Verified whole %s ago" % since, "all good then; ask for it again")
    return Check(OK, "Verified whole %s ago" % since, "every entry, seal and signature")


def _tables(found: Integrity) -> Check:
    if found.halted:
        names = ", ".join(table.code for table in found.halted)
        return Check(BAD, "Halted: %s" % names, "a screen had seen more than the record holds")
    if found.alerts:
        return Check(WAITS, "A screen showed a head that is not ours", "see the alerts beneath")
    return Check(OK, "Every screen agrees with the record", "each act sends back the head that it saw")


def ago(at: dt.datetime, now: dt.datetime) -> str:
    """How long ago a moment was: `8 s`, `4 min`."""
    return _long(now - at)


def _long(span: dt.timedelta) -> str:
    """`8 s`, `4 min`, `3 h`, `12 days`: one unit, rounded down."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 120:
        return "%s s" % seconds
    if seconds < 7200:
        return "%s min" % (seconds // 60)
    return "%s h" % (seconds // 3600) if seconds < 172_800 else "%s days" % (seconds // 86_400)
