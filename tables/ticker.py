"""What the clock itself does: it records that a dice lot reached its time, and tells the screens.

Correctness never depends on it: every rule is asked against stored moments inside the act. One task inside the one
process of the embedded default, or `manage.py ticker` in production; two of them are harmless.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from channels.db import database_sync_to_async
from django.db import transaction

from audit import clock, record

from . import live
from .at_table import AtTable
from .models import DiceLot
from .reads import locked_table

log = logging.getLogger(__name__)
SECONDS = 1.0


def tick() -> list[int]:
    """Records every dice lot in a shaker that has reached its time. Returns the tables that changed."""
    due = DiceLot.objects.filter(
        expires_at__lte=clock.now(), removed_at=None, expiry_recorded=False, shaker__table__isnull=False
    )
    codes = due.values_list("pk", "shaker__table__facility__code", "shaker__table__code")
    return [
        table_id for pk, facility, code in list(codes) if (table_id := _record_expiry(pk, facility, code))
    ]


def _record_expiry(lot_id: int, facility: str, code: str) -> int | None:
    """Claims the lot under its table's lock; None when another ticker was first."""
    with transaction.atomic(durable=True):
        locked = locked_table(facility, code)
        table = locked.table
        lot = DiceLot.objects.filter(pk=lot_id, expiry_recorded=False, removed_at=None).first()
        if lot is None or lot.expires_at is None:
            return None
        at = AtTable(table, None, None, None, locked.now)
        lot.expiry_recorded = True
        lot.save(update_fields=["expiry_recorded"])
        data = {"lot": lot.code, "expires_at": clock.written(lot.expires_at), "section": lot.clock_section}
        record.append(at.stream, type="dice_lot.expired", data=data, at=at.now, gaming_day=at.gaming_day)
        return table.pk


async def keep_ticking() -> None:
    """Ticks each second until cancelled. A tick that fails is logged, and the next one tries again."""
    while True:
        await asyncio.sleep(SECONDS)
        try:
            for table_id in await database_sync_to_async(tick)():
                await live.publish(table_id)
        except Exception:
            log.exception("a tick failed")


def with_ticker(application: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """The application with the ticker as a task of its server, begun with the first scope."""
    tasks: list[asyncio.Task[None]] = []

    async def ticking(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not tasks or tasks[0].done():
            tasks[:] = [asyncio.create_task(keep_ticking())]
        if scope["type"] != "lifespan":
            await application(scope, receive, send)
            return
        await _answer_lifespan(receive, send)
        tasks[0].cancel()

    return ticking


async def _answer_lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
