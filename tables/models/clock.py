"""The state of the ticker."""

from django.db import models


class TickerStatus(models.Model):
    """The ticker's last report, in a single row (1). It is not part of the record and is overwritten.

    `beat_at` is when it last ticked, to five seconds. `failing` has the names of its checks that fail, sorted.
    """

    beat_at = models.DateTimeField()
    failing = models.JSONField(default=list)

    class Meta:
        verbose_name = "ticker's status"
        verbose_name_plural = "ticker's status"

    def __str__(self) -> str:
        return ", ".join(self.failing) or "ticking"
