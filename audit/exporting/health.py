"""Check that the desk's jobs are being done. If a job waits and no worker reports, no worker is running."""

import datetime as dt

from django.db.models import Q

from audit import clock
from audit.models import Job

from .jobs import DEAD_AFTER


def health_problem(now: dt.datetime) -> str:
    """Return a sentence if a job has waited longer than DEAD_AFTER and no worker is running; "" if all is well.

    A job may wait long behind another, whose worker then reports every second.
    """
    running = Job.objects.filter(status=Job.Status.RUNNING, beat_at__gt=now - DEAD_AFTER)
    since = now - DEAD_AFTER
    overdue = Q(status=Job.Status.WAITING, asked_at__lt=since) | Q(
        status=Job.Status.RUNNING, beat_at__lt=since
    )
    oldest = Job.objects.filter(overdue).order_by("asked_at").values_list("asked_at", flat=True).first()
    if oldest is None or running.exists():
        return ""
    return f"A job from {clock.format_moment(oldest)} is waiting and no exporter is running. See the exporter's log."
