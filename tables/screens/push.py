"""Push tables to their screens after the commit. A lost push loses no act: screens compare versions.

A message carries the state of one table as HTML, rendered once per station, with its version.
"""

import asyncio
import json
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async

from tables.models import Table
from tables.screens import fragments, snapshot
from tables.screens.delivery import delivery
from tables.screens.fragments import Message


def table_group(table_id: int, station: str) -> str:
    """Return the group of the screens that show this table at this station."""
    return f"table.{table_id}.{station}"


def floor_group(facility_code: str) -> str:
    """Return the group of a facility's pit dashboards."""
    return f"floor.{facility_code}"


def person_group(person_id: int) -> str:
    """Return the group of a person's sockets, so that signing off closes them all."""
    return f"person.{person_id}"


async def publish(table_id: int) -> dict[str, Message]:
    """Render a table and send it to each station, the dealer's first. Return the messages by station.

    Rendering queries nothing, so it needs no thread. Nobody waits for the channel layer: each message is sent beside
    this coroutine, as soon as it is rendered.
    """
    state = await sync_to_async(snapshot.of_table)(table_id)
    messages = {}
    for station in fragments.PUSHED:
        messages[station] = fragments.message(station, table_id, state)
        await send({station: messages[station]})
    return messages


async def publish_now(table_id: int) -> dict[str, Message]:
    """Publish, and wait until the messages are sent or dropped: for an event loop that ends afterwards."""
    messages = await publish(table_id)
    await delivery().flush()
    return messages


def on_table_changed(sender: Any, table_id: int, **_extra: Any) -> None:
    """Publish a table for code that is not asynchronous (`tables.core.signals.table_changed`)."""
    async_to_sync(publish_now)(table_id)


async def send(messages: dict[str, Message]) -> None:
    """Have messages sent to their groups."""
    delivery().add([(group_of(station, message), event_of(message)) for station, message in messages.items()])
    await asyncio.sleep(0)  # the first goes out before the next is rendered


def event_of(message: Message) -> dict[str, Any]:
    """Return a message as an event of the channel layer, serialized once for all its sockets."""
    text = json.dumps({"table": message["table"], "version": message["version"], "html": message["html"]})
    return {"type": "screen", "table": message["table"], "text": text}


def group_of(station: str, message: Message) -> str:
    """Return the group of a message: tiles go to the facility's dashboards, the others to the table's screens."""
    if station == "tile":
        return floor_group(message["facility"])
    return table_group(message["table_id"], station)


async def close_person(person_id: int, code: int) -> None:
    """Close the sockets of a person who signed off (4401) or whose tablet was locked (4423).

    Waits half a second at most. A socket that is not reached finds out by its next heartbeat.
    """
    delivery().add([(person_group(person_id), {"type": "closing", "code": code})])
    await delivery().flush()


def versions(table_ids: list[int]) -> dict[str, int]:
    """Return the current version of each table by its code, in one query."""
    rows = Table.objects.filter(pk__in=table_ids).values_list("code", "stream__seq")
    return dict(rows)
