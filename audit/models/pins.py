"""Wrong PINs, and the lock-outs that follow them."""

from django.db import models
from django.db.models import Q

SERVER_TERMINAL = "the server's terminal"  # where a PIN is typed without a device


class WrongPin(models.Model):
    """One wrong PIN. `person` is null where nobody has the code that was typed. Deleted when it no longer counts.

    `device` is null for one that was typed at the server's terminal.
    """

    device = models.ForeignKey("audit.Device", models.PROTECT, null=True, blank=True, related_name="+")
    person = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    typed_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = "wrong PIN"
        verbose_name_plural = "wrong PINs"

    def __str__(self) -> str:
        return f"{self.device_id} {self.typed_at}"


class OneTimeSecret(models.Model):
    """A person may get a one-time PIN or password: `approved_by` may make it and read it, once, and nobody else.

    `asked_by` asked for it and never reads it. `approved_by` is null for one that was allowed before approvers made
    them: it has to be asked for again. `command`: the id from which a PIN is derived; null until it was made.
    """

    class Kind(models.TextChoices):
        PIN = "pin", "PIN"
        PASSWORD = "password", "password"

    person = models.ForeignKey("audit.Person", models.PROTECT, related_name="one_time_secrets")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.PIN)
    asked_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    approved_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    allowed_at = models.DateTimeField()
    made_at = models.DateTimeField(null=True, blank=True)
    command = models.UUIDField(null=True, blank=True)

    class Meta:
        verbose_name = "one-time secret"
        verbose_name_plural = "one-time secrets"
        constraints = (
            models.UniqueConstraint(name="audit_onetimesecret_kind", fields=("person", "kind")),
            models.CheckConstraint(
                name="audit_onetimesecret_kinds", condition=Q(kind__in=("pin", "password"))
            ),
        )

    def __str__(self) -> str:
        return f"one-time {self.kind} of {self.person_id}"


class Lockout(models.Model):
    """PINs that are refused for a while: of a person at a device, of everybody at a device, or of a person anywhere.

    `device` is where the last wrong PIN was typed; null for the server's terminal. `signed_in` is who was signed in
    there if it was typed as a second signature.
    """

    class Scope(models.TextChoices):
        PERSON_AT_DEVICE = "person-at-device", "a person at a device"
        DEVICE = "device", "a device"
        PERSON = "person", "a person at every device"

    scope = models.CharField(max_length=16, choices=Scope.choices)
    facility = models.CharField(max_length=40)
    device = models.ForeignKey("audit.Device", models.PROTECT, null=True, blank=True, related_name="+")
    person = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    signed_in = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    started_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    unlocked_at = models.DateTimeField(null=True, blank=True, help_text="When a supervisor ended it early.")
    read_at = models.DateTimeField(
        null=True, blank=True, help_text="When its person read that somebody typed wrong PINs as them."
    )

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

    @property
    def where(self) -> str:
        """Where the last wrong PIN was typed, in words."""
        return self.device.name if self.device is not None else SERVER_TERMINAL
