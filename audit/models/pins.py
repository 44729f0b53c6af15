"""Wrong PINs, and the lock-outs that follow them."""

from django.db import models
from django.db.models import Q


class WrongPin(models.Model):
    """One wrong PIN. `person` is null where nobody has the code that was typed. Deleted when it no longer counts."""

    device = models.ForeignKey("audit.Device", models.PROTECT, related_name="+")
    person = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    typed_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = "wrong PIN"
        verbose_name_plural = "wrong PINs"

    def __str__(self) -> str:
        return f"{self.device_id} {self.typed_at}"


class OneTimePin(models.Model):
    """A person may get a one-time PIN: `asked_by` asked for it, and may make it and read it, once.

    `command`: the id from which the PIN is derived (`audit/one_time_pins.py`); null until it was made.
    """

    person = models.OneToOneField("audit.Person", models.PROTECT, related_name="one_time_pin")
    asked_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    allowed_at = models.DateTimeField()
    made_at = models.DateTimeField(null=True, blank=True)
    command = models.UUIDField(null=True, blank=True)

    class Meta:
        verbose_name = "one-time PIN"
        verbose_name_plural = "one-time PINs"

    def __str__(self) -> str:
        return f"one-time PIN of {self.person_id}"


class Lockout(models.Model):
    """PINs that are refused for a while: of a person at a device, of everybody at a device, or of a person anywhere.

    `device` is where the last wrong PIN was typed. `signed_in` is who was signed in there if it was typed as a second
    signature.
    """

    class Scope(models.TextChoices):
        PERSON_AT_DEVICE = "person-at-device", "a person at a device"
        DEVICE = "device", "a device"
        PERSON = "person", "a person at every device"

    scope = models.CharField(max_length=16, choices=Scope.choices)
    facility = models.CharField(max_length=40)
    device = models.ForeignKey("audit.Device", models.PROTECT, related_name="+")
    person = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    signed_in = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    started_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    unlocked_at = models.DateTimeField(null=True, blank=True, help_text="When a supervisor ended it early.")

    class Meta:
        verbose_name = "lock-out"
        verbose_name_plural = "lock-outs"
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                name="audit_lockout_scope",
                condition=Q(scope="device", person__isnull=True)
                | Q(scope__in=("person-at-device", "person"), person__isnull=False),
            ),
        )
        indexes = (models.Index(name="audit_lockout_ends", fields=("ends_at",)),)

    def __str__(self) -> str:
        return f"{self.scope} {self.device_id} {self.person_id or ''}"
