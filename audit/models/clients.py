"""Clients: the machines that use the API, and their secrets.

A client is an enrolled device of the station `machine`, with what it may read and do (its scopes), and a person of the
role `machine` as whom it acts. How they are made, renewed and ended is in `audit/clients.py`.
"""

from django.db import models
from django.db.models import Q

from .people import Device, Person


class ApiClient(models.Model):
    """What a machine may read and do. Its facility and its only table, if it has one, are those of its device.

    `asked_by`: who asked for it, or for its newest secret, and never makes or reads that one. `may_make_secret`: a
    second person has approved another secret, and nobody has made it yet. `certificate_sha256`: the fingerprint of the
    certificate that it shows beside its secret, 64 digits of hex; "" where the secret is enough.
    """

    device = models.OneToOneField(Device, models.PROTECT, primary_key=True, related_name="client")
    person = models.OneToOneField(Person, models.PROTECT, related_name="client")
    scopes = models.JSONField(default=list)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    asked_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    may_make_secret = models.BooleanField(default=True)
    certificate_sha256 = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name = "client"
        verbose_name_plural = "clients"

    def __str__(self) -> str:
        return f"client {self.device_id}"


class ClientSecret(models.Model):
    """A secret of a client. Only its SHA-256 is stored. It is accepted from when it was made until it ends.

    `command`: the id from which a secret that was made on a screen is derived, so that who made it can read it for ten
    minutes; null for one that a command of the server made.
    """

    client = models.ForeignKey(ApiClient, models.PROTECT, related_name="secrets")
    number = models.PositiveIntegerField()
    sha256 = models.BinaryField(max_length=32, unique=True)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    ends_at = models.DateTimeField()
    command = models.UUIDField(null=True, blank=True)

    class Meta:
        verbose_name = "secret of a client"
        verbose_name_plural = "secrets of clients"
        constraints = (
            models.UniqueConstraint(name="audit_clientsecret_number", fields=("client", "number")),
            models.CheckConstraint(
                name="audit_clientsecret_ends", condition=Q(ends_at__gte=models.F("made_at"))
            ),
        )

    def __str__(self) -> str:
        return f"secret {self.number} of {self.client_id}"
