"""Deliveries that leave Pitside: each is claimed by one process and tried again after a failure.

A topic has a model of its own on `Delivery` whose rows say what is to be delivered, and an `Outbox` with the function
that delivers one of them. Whatever calls `Outbox.deliver`, such as the ticker, may run in several processes.

1. A process claims a delivery by one statement (`writing`). What it then writes may be written again: a process that
   stops has lost its claim after a while, and another one begins again.
2. What cannot be taken back, such as an e-mail, is marked before it leaves (`Claim.begin_to_send`, `sending`). A
   process that stops then leaves it `unsure`: nobody sends it again without being told to.
3. What failed (`Undelivered`) is due again after a wait that doubles.
"""

import datetime as dt
import logging
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db import models
from django.db.models import F, Q, QuerySet

from audit import clock

LONGEST_ERROR = 300  # characters
MOST_DOUBLINGS = 10


class DeliveryStatus(models.TextChoices):
    """How far a delivery is."""

    DUE = "due", "due"
    WRITING = "writing", "being written"
    SENDING = "sending", "being sent"
    DONE = "done", "done"
    UNSURE = "unsure", "not known whether the e-mail left"


class Delivery(models.Model):
    """What is to be delivered, and how its tries ended."""

    Status = DeliveryStatus

    status = models.CharField(max_length=7, choices=DeliveryStatus, default=DeliveryStatus.DUE)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True, help_text="why the last attempt failed")

    class Meta:
        abstract = True


DeliveryT = TypeVar("DeliveryT", bound=Delivery)


class Undelivered(Exception):
    """A delivery failed with a sentence for people; it is tried again."""


class Claim(Generic[DeliveryT]):
    """A delivery that this process has claimed."""

    def __init__(self, rows: QuerySet[DeliveryT]) -> None:
        self._rows = rows

    def begin_to_send(self) -> None:
        """Mark that it leaves now and cannot be taken back. Raises `Undelivered` if another process has it by now."""
        if not self._rows.filter(status=DeliveryStatus.WRITING).update(status=DeliveryStatus.SENDING):
            raise Undelivered("Another process has this delivery.")

    @property
    def is_sending(self) -> bool:
        return self._rows.filter(status=DeliveryStatus.SENDING).exists()

    def end(self, status: DeliveryStatus, **values: Any) -> None:
        """Store how the try ended, unless another process has it by now."""
        self._rows.update(status=status, **values)


class Outbox(Generic[DeliveryT]):
    """The deliveries of one kind.

    `deliver_one` delivers a row, of which `related` is read along. It returns what to store with a delivery that is
    done, and raises `Undelivered`. `lease`: after which a process that claimed one is taken for dead. `interrupted`:
    what is said of one whose sending did not end.
    """

    def __init__(
        self,
        model: type[DeliveryT],
        deliver_one: Callable[[DeliveryT, Claim[DeliveryT]], dict[str, Any]],
        *,
        related: str,
        lease: dt.timedelta,
        first_retry: dt.timedelta,
        last_retry: dt.timedelta,
        interrupted: str,
        log: logging.Logger,
    ) -> None:
        self.model, self.deliver_one, self.related = model, deliver_one, related
        self.lease, self.first_retry, self.last_retry = lease, first_retry, last_retry
        self.interrupted, self.log = interrupted, log

    @property
    def rows(self) -> QuerySet[DeliveryT]:
        rows: QuerySet[DeliveryT] = self.model._default_manager.all()
        return rows

    def deliver(self, rows: QuerySet[DeliveryT]) -> list[int]:
        """Deliver those of these rows that are due, in their order. Returns the ids of those that were tried here."""
        now = clock.now()
        interrupted = self.rows.filter(status=DeliveryStatus.SENDING, claimed_at__lt=now - self.lease)
        interrupted.update(status=DeliveryStatus.UNSURE, error=self.interrupted)
        return [pk for pk in rows.filter(self._due(now)).values_list("pk", flat=True) if self._try(pk, now)]

    def _due(self, now: dt.datetime) -> Q:
        abandoned = Q(status=DeliveryStatus.WRITING, claimed_at__lt=now - self.lease)
        return Q(status=DeliveryStatus.DUE, next_try_at__lte=now) | abandoned

    def _try(self, pk: int, now: dt.datetime) -> bool:
        """Claim one and deliver it. Returns False where another process has it."""
        claimed = self.rows.filter(self._due(now), pk=pk)
        if not claimed.update(status=DeliveryStatus.WRITING, claimed_at=now, attempts=F("attempts") + 1):
            return False
        delivery = self.rows.select_related(self.related).get(pk=pk)
        claim = Claim(self.rows.filter(pk=pk, claimed_at=now))
        try:
            stored = self.deliver_one(delivery, claim)
        except Undelivered as error:
            again_at = now + self._wait_after(delivery.attempts)
            claim.end(DeliveryStatus.DUE, next_try_at=again_at, error=str(error)[:LONGEST_ERROR])
            self.log.warning("%s %s: %s", self.model._meta.verbose_name, delivery, error)
        except Exception as error:
            status = DeliveryStatus.UNSURE if claim.is_sending else DeliveryStatus.DUE
            said = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
            claim.end(status, next_try_at=now + self.last_retry, error=said)
            self.log.exception("%s %s", self.model._meta.verbose_name, delivery)
        else:
            claim.end(DeliveryStatus.DONE, done_at=clock.now(), error="", **stored)
        return True

    def _wait_after(self, attempts: int) -> dt.timedelta:
        wait: dt.timedelta = self.first_retry * 2 ** min(attempts - 1, MOST_DOUBLINGS)
        return min(self.last_retry, wait)
