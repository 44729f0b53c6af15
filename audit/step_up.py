"""Acts that need a second factor again, unless one was given at this device in the last ten minutes.

A session holds the moment of its newest second factor. Each sign-in starts a new session, so this moment never counts
at another device or for another person.
"""

import datetime as dt
from typing import Literal, TypeAlias

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase

from audit import clock
from audit.models import Device, Station
from audit.refusals import SecondFactorNeeded

# When an act needs it: never, at office devices, or at every device.
StepUp: TypeAlias = Literal["never", "office", "always"]
SPAN = dt.timedelta(minutes=10)
SESSION_FACTOR_AT = "second_factor_at"


def note(session: SessionBase, moment: dt.datetime) -> None:
    """Store in the session that a second factor was given."""
    session[SESSION_FACTOR_AT] = clock.format_moment(moment)


def factor_at(session: SessionBase) -> dt.datetime | None:
    """When a second factor was last given in this session; None if never."""
    text = session.get(SESSION_FACTOR_AT)
    return dt.datetime.fromisoformat(text) if text else None


def verify(step_up: StepUp, device: Device | None, given_at: dt.datetime | None, now: dt.datetime) -> None:
    """Raise SecondFactorNeeded if an act needs a second factor here and none was given in the last ten minutes.

    An act without a device is not sent by a screen: a command of the server, or the ticker.
    """
    if step_up == "never" or device is None or not settings.SECOND_FACTORS:
        return
    if step_up == "office" and device.station != Station.OFFICE:
        return
    if not is_fresh(given_at, now):
        raise SecondFactorNeeded()


def is_fresh(given_at: dt.datetime | None, now: dt.datetime) -> bool:
    """Whether a second factor that was given at this moment still counts."""
    return given_at is not None and now - given_at <= SPAN
