"""Calendar feeds, and the reminders that were sent. Deadlines are read from their own rows."""

from typing import Literal

from django.db import models

from .facility import Facility

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
