"""Alerts about devices that were revoked, or whose cookie was copied."""

import datetime as dt

from django.db.models import Q

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
        is_everywhere=True,
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
        is_everywhere=True,
    )
)


def device_alerts(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the devices that were revoked, or of which somebody used an old cookie, within the hour.

    Each is at its table, or at every one in play.
    """
    since = now - LASTS
    concerned = Device.objects.filter(Q(revoked_at__gt=since) | Q(copied_at__gt=since, revoked_at=None))
    return [
        _alert_of(device, pk)
        for device in concerned.order_by("facility", "name")
        for pk in tables_concerned(device.facility, device.place)
        if table_id in (None, pk)
    ]


def _alert_of(device: Device, table_id: int) -> ExpectedAlert:
    if device.revoked_at is not None:
        return DEVICE_REVOKED.expected(table_id, cause=device.pk, since=device.revoked_at, device=device.name)
    return DEVICE_COPIED.expected(
        table_id, cause=f"{device.pk}-{device.copied_cookie}", since=device.copied_at, device=device.name
    )


alert_rule(AlertRule((DEVICE_COPIED, DEVICE_REVOKED), device_alerts, DEVICE_TICKS))
