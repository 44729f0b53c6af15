"""Push tables to their screens after the commit. A lost push loses no act: screens compare versions.

A push carries the state of one table as JSON. The workers whose sockets show the table render it, each station once
(`fragments.py`), beside the answer to the act.
"""

import uuid
from typing import Any

from channels.db import database_sync_to_async

from tables.core.context import TableContext
from tables.screens import fragments
from tables.screens.delivery import Push, delivery, hand_over
from tables.screens.fragments import TableState


def table_group(table_id: int) -> str:
    """Return the group of the screens that show this table, at any station."""
    return f"table.{table_id}"


def floor_group(facility_code: str) -> str:
    """Return the group of a facility's pit dashboards."""
    return f"floor.{facility_code}"


def device_group(device_id: uuid.UUID) -> str:
    """Return the group of a device's sockets, so that signing off there closes them all, and no others."""
    return f"device.{device_id}"


async def publish(table_id: int) -> TableState:
    """Send a table's state to its screens and to its facility's dashboards, and return it.

    Nobody waits for the channel layer: the state is sent beside this coroutine.
    """
    state = await database_sync_to_async(fragments.read_state)(table_id)
    delivery().add(_pushes(table_id, state))
    return state


def publish_from_thread(table_id: int, ctx: TableContext | None = None) -> TableState:
    """As `publish`, for the thread that handles a request; outside a server the state is sent before this returns.

    `ctx`: that of the act, if it has all that the act wrote; then the table is not read again.
    """
    state = fragments.read_state(table_id) if ctx is None else fragments.state_after(ctx)
    hand_over(_pushes(table_id, state))
    return state


def _pushes(table_id: int, state: TableState) -> list[Push]:
    event = {"type": "screen", "table": state.table, "state": state.text}
    return [(table_group(table_id), event), (floor_group(state.facility), event)]


def on_table_changed(sender: Any, table_id: int, **_extra: Any) -> None:
    """Publish a table for code that is not asynchronous (`tables.core.context.table_changed`)."""
    publish_from_thread(table_id)


async def close_device(device_id: uuid.UUID, code: int) -> None:
    """Close the sockets of a device at which somebody signed off or was relieved (4401), or which was locked (4423).

    Waits half a second at most. A socket that is not reached finds out by its next heartbeat.
    """
    delivery().add([(device_group(device_id), {"type": "closing", "code": code})])
    await delivery().flush()
