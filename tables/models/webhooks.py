"""Webhooks: where systems outside are told of new entries, with which keys messages are signed, and each message.

`Webhook.told_id` is the id of the newest entry of which a message was made (`audit.event_log`). A webhook has at most
one message that is not done: what is written meanwhile is in the next one, so messages are in the order of the record.
"""

import uuid

from django.db import models
from django.db.models import Q

from audit.delivery import Delivery


class Webhook(models.Model):
    """An address that is told of new entries, prepared by one person and approved by another.

    `types` are names of entry types, or beginnings that end in a dot; all if empty. `ended_by` is nobody where the
    receiver itself ended it (410). `stopped_at`: since when it sends nothing, because a message was given up; a replay
    begins again.
    """

    facility = models.ForeignKey("games.Facility", models.PROTECT, related_name="webhooks")
    code = models.CharField(max_length=20, help_text="for instance WH-0001")
    url = models.CharField(max_length=300)
    purpose = models.CharField(max_length=120, help_text="which system receives it, and why")
    types = models.JSONField(default=list, blank=True)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(
        "audit.Person", models.PROTECT, related_name="+", help_text="who approved it"
    )
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    stopped_at = models.DateTimeField(null=True, blank=True)
    told_id = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["facility", "code"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="webhook_code_is_unique"),
            models.CheckConstraint(
                condition=Q(ended_by=None) | Q(ended_at__isnull=False), name="ended_webhook_says_when"
            ),
        ]

    def __str__(self) -> str:
        return self.code


class WebhookKey(models.Model):
    """A public key (Ed25519) of a webhook. Its private half is derived from `SECRET_KEY`, and stored nowhere."""

    webhook = models.ForeignKey(Webhook, models.PROTECT, related_name="keys")
    number = models.PositiveIntegerField(help_text="from 1 in each webhook")
    public_key = models.CharField(max_length=60, help_text="whpk_ and base64")
    made_at = models.DateTimeField()
    made_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    ends_at = models.DateTimeField(null=True, blank=True, help_text="until when it signs beside the next key")

    class Meta:
        ordering = ["webhook", "number"]
        constraints = [
            models.UniqueConstraint(fields=["webhook", "number"], name="webhook_key_number_is_unique")
        ]

    def __str__(self) -> str:
        return f"{self.webhook} key {self.number}"


class WebhookMessage(Delivery):
    """A message of a webhook: which streams have more entries. Its bytes are the same at each try.

    `body` is JSON of less than 20 kB about the entries with ids after `after_id` and up to `until_id`. `http_status`
    is that of the last answer; null without one. The claimed status, and one message at a time, keep the order.
    """

    webhook = models.ForeignKey(Webhook, models.PROTECT, related_name="messages")
    message_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    made_at = models.DateTimeField()
    after_id = models.BigIntegerField()
    until_id = models.BigIntegerField()
    entries = models.PositiveIntegerField(help_text="how many entries it is about")
    body = models.TextField()
    http_status = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["webhook", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["webhook"],
                condition=Q(status__in=["due", "writing"]),
                name="webhook_has_one_message_at_a_time",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["due", "writing", "done", "failed"]),
                name="webhook_message_status_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.webhook} {self.message_id}"
