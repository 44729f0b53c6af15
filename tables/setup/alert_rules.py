"""Alerts about devices that were revoked."""

import datetime as dt

from audit.models import Device
from tables.core.alert_kinds import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_kind,
    alert_rule,
    tables_concerned,
)

DEVICE_TICKS = 5
LASTS = dt.timedelta(hours=1)
DEVICE_REVOKED = alert_kind(
    AlertKind(
        "device-revoked",
        "device-revoked:{cause}",
        Level.WARN,
        "Device revoked",
        "A device was revoked",
        "%(device)s was revoked and shows nothing more. The record says who did it. If its people did not ask for it, "
        "tell compliance.",
        at_the_pit=True,
    )
)


def revoked_devices(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the devices that were revoked within the hour: at their table, or at every one in play."""
    revoked = Device.objects.filter(revoked_at__gt=now - LASTS).order_by("facility", "name")
    return [
        DEVICE_REVOKED.expected(pk, cause=device.pk, since=device.revoked_at, device=device.name)
        for device in revoked
        for pk in tables_concerned(device.facility, device.place)
        if table_id in (None, pk)
    ]


alert_rule(AlertRule((DEVICE_REVOKED,), revoked_devices, DEVICE_TICKS))
