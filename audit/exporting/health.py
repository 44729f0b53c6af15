"""Whether anybody does what the desk asks for: work that waits while no worker is heard says that none lives."""

import datetime as dt

from django.db.models import Q

from audit import clock
from audit.models import Job

from .jobs import DEAD_AFTER


def health_problem(now: dt.datetime) -> str:
    """In a sentence that a job waits longer than DEAD_AFTER and no worker works; "" where all is well.

    A job may wait for long behind another one, whose worker is then heard each second.
    """
    heard = Job.objects.filter(status=Job.Status.RUNNING, beat_at__gt=now - DEAD_AFTER)
    since = now - DEAD_AFTER
    overdue = Q(status=Job.Status.WAITING, asked_at__lt=since) | Q(
        status=Job.Status.RUNNING, beat_at__lt=since
    )
    oldest = Job.objects.filter(overdue).order_by("asked_at").values_list("asked_at", flat=True).first()
    if oldest is None or heard.exists():
        return ""
    return (
        "What was asked for at %s waits, and no exporter is at work. Its log says why."
        % clock.format_moment(oldest)
    )
