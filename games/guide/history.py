"""Whether a page or display for patrons may show earlier rolls: only by a permission of the Board (§ 521.6, A03)."""

import datetime as dt
from typing import Literal

from django.db.models import Q

from games.models import BoardPermission, Facility

ROLL_HISTORY: Literal["roll-history"] = "roll-history"


def permissions_on(facility: Facility, day: dt.date) -> list[BoardPermission]:
    """Return the permissions that apply on a day of the facility's calendar, the newest first."""
    permissions = BoardPermission.objects.filter(
        Q(ends_on=None) | Q(ends_on__gt=day),
        facility=facility,
        subject=ROLL_HISTORY,
        granted_on__lte=day,
        withdrawn_at=None,
    )
    return list(permissions)


def may_show_history(facility: Facility, table: str, day: dt.date) -> bool:
    """Return whether patrons at this table (its code) may be shown earlier rolls on this day."""
    return any(
        not permission.tables or table in permission.tables for permission in permissions_on(facility, day)
    )
