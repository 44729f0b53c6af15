"""Deliveries that leave Pitside: each is claimed by one process and tried again after a failure.

A topic has a model of its own on `Delivery` whose rows say what is to be delivered, and an `Outbox` with the function
that delivers one of them. Whatever calls `Outbox.deliver`, such as the ticker, may run in several processes.

1. A process claims a delivery by one statement (`writing`). What it then writes may be written again: a process that
   stops has lost its claim after a while, and another one begins again.
2. What cannot be taken back, such as an e-mail, is marked before it leaves (`Claim.begin_to_send`, `sending`). A
   process that stops then leaves it `unsure`: nobody sends it again without being told to.
3. What failed (`Undelivered`) is due again after a wait: one that doubles (`doubling`), or one of a list
   (`listed_waits`), at whose end the delivery has `failed`.
"""

import datetime as dt
import logging
import random
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from django.db import models
from django.db.models import F, Q, QuerySet

from audit import clock

LONGEST_ERROR = 300  # characters
MOST_DOUBLINGS = 10
JITTER = 0.1  # of a wait in a list, at most, so that many deliveries do not come back at one moment
# How long to wait after so many attempts, the last of which failed; None to give up.
Waits = Callable[[int], dt.timedelta | None]


class DeliveryStatus(models.TextChoices):
    """How far a delivery is."""

    DUE = "due", "due"
    WRITING = "writing", "being written"
    SENDING = "sending", "being sent"
    DONE = "done", "done"
    UNSURE = "unsure", "not known whether the e-mail left"
    FAILED = "failed", "given up"


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
    """A delivery failed with a sentence for people; it is tried again. `values` are stored with the try."""

    def __init__(self, why: str, **values: Any) -> None:
        self.values = values
        super().__init__(why)


class GivenUp(Undelivered):
    """A delivery failed for good: it is not tried again."""


def doubling(first: dt.timedelta, last: dt.timedelta) -> Waits:
    """Wait `first`, then twice as long each time, up to `last`, without end."""
    return lambda attempts: min(last, first * 2 ** min(attempts - 1, MOST_DOUBLINGS))


def listed_waits(waits: Sequence[dt.timedelta], jitter: float = JITTER) -> Waits:
    """Wait each of a list, and up to a tenth longer. After the last one the delivery is given up."""

    def wait_after(attempts: int) -> dt.timedelta | None:
        return waits[attempts - 1] * random.uniform(1, 1 + jitter) if attempts <= len(waits) else None

    return wait_after


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
    done, and raises `Undelivered`. `lease`: after which a process that claimed one is taken for dead. `waits`: after
    which a failed one is tried again. `interrupted`: what is said of one whose sending did not end.
    """

    def __init__(
        self,
        model: type[DeliveryT],
        deliver_one: Callable[[DeliveryT, Claim[DeliveryT]], dict[str, Any]],
        *,
        related: str,
        lease: dt.timedelta,
        waits: Waits,
        interrupted: str,
        log: logging.Logger,
    ) -> None:
        self.model, self.deliver_one, self.related = model, deliver_one, related
        self.lease, self.waits = lease, waits
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
        held = (DeliveryStatus.WRITING, DeliveryStatus.SENDING)
        claim = Claim(self.rows.filter(pk=pk, claimed_at=now, status__in=held))
        try:
            stored = self.deliver_one(delivery, claim)
        except Undelivered as error:
            wait = None if isinstance(error, GivenUp) else self.waits(delivery.attempts)
            values = {**error.values, "error": str(error)[:LONGEST_ERROR]}
            if wait is None:
                claim.end(DeliveryStatus.FAILED, **values)
            else:
                claim.end(DeliveryStatus.DUE, next_try_at=now + wait, **values)
            self.log.warning("%s %s: %s", self.model._meta.verbose_name, delivery, error)
        except Exception as error:
            error_text = f"{type(error).__name__}: {error}"[:LONGEST_ERROR]
            wait = self.waits(delivery.attempts)
            status = DeliveryStatus.DUE if wait else DeliveryStatus.FAILED
            if claim.is_sending:
                status = DeliveryStatus.UNSURE
            claim.end(status, next_try_at=now + (wait or dt.timedelta()), error=error_text)
            self.log.exception("%s %s", self.model._meta.verbose_name, delivery)
        else:
            claim.end(DeliveryStatus.DONE, done_at=clock.now(), error="", **stored)
        return True
