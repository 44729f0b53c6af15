"""Passwords and second factors: how people sign in where a PIN alone is not enough."""

from django.db import models
from django.db.models import Q

from .people import Device, Person


class Password(models.Model):
    """The password of a person, apart from their PIN.

    `hash` is of Django's hashers; that of a one-time password is a SHA-256, because the password has 100 random bits.
    A one-time password has `ends_at`, who gave it (null: a command of the server), and `command`, the id from which
    it is derived (`audit/passwords.py`).
    """

    person = models.OneToOneField(Person, models.PROTECT, related_name="+")
    hash = models.CharField(max_length=128)
    set_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    given_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    command = models.UUIDField(null=True, blank=True)

    class Meta:
        verbose_name = "password"
        verbose_name_plural = "passwords"

    def __str__(self) -> str:
        return f"password of {self.person_id}"

    @property
    def is_one_time(self) -> bool:
        """Whether it only lets its person choose another one."""
        return self.ends_at is not None


class SecondFactor(models.Model):
    """An authenticator app or a security key of a person. Rows stay after they have ended.

    `secret`: of an app, encrypted with a key of the server. `credential`: id and public key of a security key.
    `last_step`: the newest time step whose code was used. `sign_count`: the counter of a key at its last use.
    """

    class Kind(models.TextChoices):
        TOTP = "totp", "Authenticator app"
        WEBAUTHN = "webauthn", "Security key"

    person = models.ForeignKey(Person, models.PROTECT, related_name="second_factors")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    label = models.CharField(max_length=40)
    secret = models.BinaryField(max_length=400, default=b"")
    last_step = models.BigIntegerField(default=0)
    credential = models.BinaryField(max_length=4000, default=b"")
    sign_count = models.BigIntegerField(default=0)
    device = models.ForeignKey(Device, models.PROTECT, related_name="+", help_text="Where it was registered.")
    registered_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "second factor"
        verbose_name_plural = "second factors"
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                name="audit_secondfactor_kind", condition=Q(kind__in=("totp", "webauthn"))
            ),
        )
        indexes = (
            models.Index(
                name="audit_secondfactor_active", fields=("person",), condition=Q(ended_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.label} of {self.person_id}"
