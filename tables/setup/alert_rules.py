"""Alerts about devices that were revoked, or whose cookie was copied."""

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

DEVICE_COPIED = alert_kind(
    AlertKind(
        "device-copied",
        "device-copied:{cause}",
        Level.WARN,
        "Key of a device copied",
        "A copy of a device's key",
        "Another browser used an old key of %(device)s, which is locked now. One of the two is a copy. Go to "
        "%(device)s and see who works there; if nobody can say why, have it revoked.",
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


def copied_devices(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the devices of which somebody used an old cookie within the hour, as `revoked_devices`."""
    copied = Device.objects.filter(copied_at__gt=now - LASTS, revoked_at=None).order_by("facility", "name")
    return [
        DEVICE_COPIED.expected(
            pk, cause=f"{device.pk}-{device.copied_cookie}", since=device.copied_at, device=device.name
        )
        for device in copied
        for pk in tables_concerned(device.facility, device.place)
        if table_id in (None, pk)
    ]


alert_rule(AlertRule((DEVICE_COPIED,), copied_devices, DEVICE_TICKS))
alert_rule(AlertRule((DEVICE_REVOKED,), revoked_devices, DEVICE_TICKS))
