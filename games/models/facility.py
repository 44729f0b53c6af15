"""A casino facility, its shifts, and what its office keeps: documents, changes that wait for approval, calendar feeds.

A document's bytes never change: letters, drawings, forms, the text of the rules. A change is prepared by one person and
approved by another. Deadlines are read from their own rows; only the reminders that were sent are kept. The shifts of a
gaming day are a house figure: each begins at a local time, the first with the gaming day.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from zoneinfo import ZoneInfo

from django.db import models
from django.db.models import Q

from games import jurisdictions
from games.chips import DEFAULT_CHIPS_CENTS
from games.engine.editions import Edition, all_editions
from games.jurisdictions import Jurisdiction

# Shifts


# Offsets from the beginning of a gaming day, where the house declares no shifts.
PRACTICE_SHIFTS = {"day": dt.timedelta(0), "swing": dt.timedelta(hours=8), "night": dt.timedelta(hours=16)}


@dataclass(frozen=True)
class Shift:
    """One shift of one gaming day; `begins` and `ends` are in UTC, `ends` is when the next one begins."""

    code: str
    day: dt.date
    begins: dt.datetime
    ends: dt.datetime

    @property
    def name(self) -> str:
        """`Swing` for the code `swing`."""
        return self.code.replace("-", " ").capitalize()


def starts_of(declared: Mapping[str, str], day_start: dt.time) -> list[tuple[str, dt.time]]:
    """Return code and local start of each shift, in the order of the gaming day. `declared`: local times by code."""
    midnight = dt.date(2000, 1, 1)
    starts = {code: dt.time.fromisoformat(start) for code, start in declared.items()} or {
        code: (dt.datetime.combine(midnight, day_start) + offset).time()
        for code, offset in PRACTICE_SHIFTS.items()
    }
    return sorted(starts.items(), key=lambda shift: (shift[1] < day_start, shift[1]))


def wrong_shifts(declared: Mapping[str, object], day_start: dt.time) -> list[str]:
    """Return what is wrong with declared shifts (local times by code), in sentences."""
    wrong = [
        f"The shift {code} must begin at a local time such as 14:00:00, without a fraction of a minute."
        for code, start in declared.items()
        if not isinstance(start, dt.time) or start.second or start.microsecond or start.tzinfo
    ]
    starts = list(declared.values())
    if declared and not wrong and (day_start not in starts or len(set(starts)) < len(starts)):
        wrong.append(
            f"Each shift begins at another time, and the first with the gaming day at {day_start:%H:%M}."
        )
    return wrong


# The facility, and what its office keeps


class Facility(models.Model):
    """A casino. One installation may have several."""

    code = models.SlugField(max_length=30, unique=True)
    name = models.CharField(max_length=100)
    jurisdiction = models.CharField(max_length=8, choices=jurisdictions.choices)
    time_zone = models.CharField(max_length=40, default="America/New_York")
    gaming_day_start = models.TimeField(default=dt.time(6), help_text="local time")
    # House figures, not law. Where they are empty, no screen says when a break is due.
    work_minutes = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="house figure: how long a dealer works at tables before a break is due",
    )
    break_minutes = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="house figure: how long a break lasts; a shorter pause counts as work",
    )
    review_first_from_cents = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="slips from this sum on are reviewed before money moves; below that of the jurisdiction",
    )
    keeps_inventory = models.BooleanField(
        default=False,
        help_text="house choice: the chips of each table are counted at its opening and closing",
    )
    chips_cents = models.JSONField(
        default=list,
        blank=True,
        help_text="values in cents of the chips that the house has; empty: those without a half dollar",
    )
    target_paces = models.JSONField(
        default=dict,
        blank=True,
        help_text="rounds an hour that the house aims at, by the game's code: a house figure, not law",
    )
    floor_items = models.JSONField(
        default=list,
        blank=True,
        help_text="pits (by code) and landmarks of the floor plan with their rows, from left to right",
    )
    shifts = models.JSONField(
        default=dict,
        blank=True,
        help_text="local time at which each shift begins, by its code, such as 14:00: a house figure, not law",
    )

    class Meta:
        ordering = ["code"]
        verbose_name_plural = "facilities"
        constraints = [
            # `installation/system` is the stream of what belongs to no facility
            models.CheckConstraint(
                condition=~Q(code="installation"), name="facility_is_not_the_installation"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def law(self) -> Jurisdiction:
        """What the jurisdiction of this facility asks. Raises ImproperlyConfigured for a code without a file."""
        return jurisdictions.jurisdiction(self.jurisdiction)

    @property
    def chip_values(self) -> tuple[int, ...]:
        """The values of this house's chips in cents, largest first."""
        return tuple(sorted(self.chips_cents, reverse=True)) or DEFAULT_CHIPS_CENTS

    def readable_editions(self) -> dict[str, Edition]:
        """Return the editions that this facility's office reads, by their dated key."""
        return {
            key: edition
            for key, edition in all_editions().items()
            if self.law.reads_other_editions or edition.jurisdiction == self.jurisdiction
        }

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def local(self, moment: dt.datetime) -> dt.datetime:
        """Return a moment in the facility's time zone."""
        return moment.astimezone(self.zone)

    def day_begins(self, day: dt.date) -> dt.datetime:
        """Return the moment in UTC at which a gaming day begins. A day has 23 or 25 hours when the clocks change."""
        return dt.datetime.combine(day, self.gaming_day_start, self.zone).astimezone(dt.UTC)

    def gaming_day(self, moment: dt.datetime) -> dt.date:
        """Return the gaming day of a moment. It begins at `gaming_day_start` local time."""
        local = self.local(moment)
        before_start = local.time() < self.gaming_day_start
        return local.date() - dt.timedelta(days=1) if before_start else local.date()

    def shifts_of(self, day: dt.date) -> list[Shift]:
        """Return the shifts of a gaming day in order. Together they cover it."""
        starts = [
            (code, self._local_moment(day, start))
            for code, start in starts_of(self.shifts, self.gaming_day_start)
        ]
        ends = [*(begins for _code, begins in starts[1:]), self.day_begins(day + dt.timedelta(days=1))]
        return [Shift(code, day, begins, end) for (code, begins), end in zip(starts, ends, strict=True)]

    def shift_of(self, moment: dt.datetime) -> Shift:
        """Return the shift of a moment."""
        shifts = self.shifts_of(self.gaming_day(moment))
        return next((shift for shift in reversed(shifts) if shift.begins <= moment), shifts[0])

    def _local_moment(self, day: dt.date, time: dt.time) -> dt.datetime:
        """Return the moment in UTC of a local time in a gaming day, which may be after midnight."""
        date = day + dt.timedelta(days=1) if time < self.gaming_day_start else day
        return dt.datetime.combine(date, time, self.zone).astimezone(dt.UTC)


# Documents on file


MediaType = Literal["application/pdf", "image/png", "image/jpeg", "text/plain"]


class Document(models.Model):
    """A file as it was received. Its bytes are in the database, and an entry has their SHA-256."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="documents")
    code = models.CharField(max_length=20, help_text="for instance D-0001")
    title = models.CharField(max_length=120)
    filename = models.CharField(max_length=120)
    media_type: "models.CharField[MediaType, MediaType]" = models.CharField(
        max_length=60, help_text="as its first bytes tell, not as its name claims"
    )
    size = models.PositiveIntegerField(help_text="bytes")
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(editable=False)
    is_about_several = models.BooleanField(
        default=False, help_text="filed as a letter that says several decisions"
    )
    filed_at = models.DateTimeField()
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["facility", "-filed_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="document_code_is_unique"),
            models.CheckConstraint(condition=Q(size__gt=0), name="document_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.title}"


# Prepared changes


class PreparedChange(models.Model):
    """An act that was checked and stored, and is done when somebody else approves it.

    `stream` is the place of the stream whose lock protects it, such as `rules`. `params` are the parameters of the act.
    `makers` are the codes of the people who made it; none of them may approve it. The clock withdraws it when what it
    is about has ended: nobody has decided it then.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "waits for approval"
        APPROVED = "approved", "approved"
        SENT_BACK = "sent-back", "sent back"
        TAKEN_BACK = "taken-back", "taken back"
        WITHDRAWN = "withdrawn", "withdrawn"

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="changes")
    code = models.CharField(max_length=20, help_text="for instance CH-0001")
    subject = models.CharField(max_length=30, help_text="the row of the policy")
    stream = models.CharField(max_length=60)
    act = models.CharField(max_length=60)
    params = models.JSONField(default=dict, blank=True)
    entry_type = models.CharField(max_length=60, help_text="of the entry that the act would write")
    entry_data = models.JSONField(default=dict, blank=True, help_text="of this entry, as it was checked")
    makers = models.JSONField(default=list)
    prepared_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    prepared_at = models.DateTimeField()
    prepared_seq = models.PositiveBigIntegerField(help_text="number of its change.prepared")
    due_at = models.DateTimeField()
    status = models.CharField(max_length=12, choices=Status, default=Status.WAITING)
    decided_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    why = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["facility", "-code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="change_code_is_unique"),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "approved", "sent-back", "taken-back", "withdrawn"]),
                name="change_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(status="waiting", decided_by__isnull=True)
                | Q(status="withdrawn", decided_by__isnull=True, decided_at__isnull=False)
                | (
                    ~Q(status__in=["waiting", "withdrawn"])
                    & Q(decided_by__isnull=False, decided_at__isnull=False)
                ),
                name="ended_change_says_by_whom",
            ),
            models.CheckConstraint(
                condition=~Q(status="approved") | ~Q(decided_by=models.F("prepared_by")),
                name="change_is_approved_by_another_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.code} {self.act}"


class PaperSignature(models.Model):
    """A signature that somebody gave by itself, beside those of the acts of a paper (games/separation/signers.toml).

    `place` is the stream of the paper without its facility, such as the code of a table; `number` the paper's own, such
    as that of a fill at its table. `post` is the place on the paper that was signed.
    """

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="paper_signatures")
    place = models.CharField(max_length=40)
    paper = models.CharField(max_length=20)
    number = models.PositiveIntegerField()
    post = models.CharField(max_length=40)
    signature = models.PositiveSmallIntegerField(help_text="which signature of the paper it is, from 1")
    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    signed_at = models.DateTimeField()
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["facility", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "place", "paper", "number", "post"],
                name="place_of_a_paper_is_signed_once",
            ),
            models.UniqueConstraint(
                fields=["facility", "place", "paper", "number", "person"], name="paper_is_signed_once_by_each"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.paper} {self.place} {self.number}, {self.post}"


class ChangeNotice(models.Model):
    """A department that is told of an approved change, until somebody of it acknowledges that."""

    change = models.ForeignKey(PreparedChange, models.PROTECT, related_name="notices")
    department = models.CharField(max_length=24)
    acknowledged_by = models.ForeignKey(
        "audit.Person", models.PROTECT, null=True, blank=True, related_name="+"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["change", "department"]
        constraints = [
            models.UniqueConstraint(fields=["change", "department"], name="change_notice_is_unique"),
            models.CheckConstraint(
                condition=Q(acknowledged_by__isnull=True, acknowledged_at__isnull=True)
                | Q(acknowledged_by__isnull=False, acknowledged_at__isnull=False),
                name="change_notice_says_by_whom",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.change_id} {self.department}"


# Calendar feeds and reminders


ReminderDays = Literal[30, 7, 1, 0]


class CalendarFeed(models.Model):
    """An address at which a calendar reads the deadlines of a facility. The secret itself is not stored."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="feeds")
    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    name = models.CharField(max_length=60)
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["facility", "-created_at"]

    def __str__(self) -> str:
        return f"{self.name} of {self.person_id}"


class Reminder(models.Model):
    """A reminder of a deadline, and who acknowledged it."""

    facility = models.ForeignKey(Facility, models.PROTECT, related_name="reminders")
    key = models.CharField(max_length=80, help_text="of the deadline, for instance renewal:SP-0001")
    due_on = models.DateField()
    days: "models.PositiveIntegerField[ReminderDays, ReminderDays]" = models.PositiveIntegerField(
        help_text="how long before it was said: 30, 7, 1 or 0"
    )
    text = models.CharField(max_length=200)
    said_at = models.DateTimeField()
    noted_at = models.DateTimeField(null=True, blank=True)
    noted_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["facility", "due_on", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["facility", "key", "due_on", "days"], name="a_reminder_is_said_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.key}, {self.days} days before {self.due_on}"
