"""Telling the screens, after the commit. A lost push never loses an act: the version in the database is the truth.

One message carries one table's whole state as HTML, rendered once for each station, with its version.
"""

import asyncio
import json
import logging
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from channels.layers import BaseChannelLayer, get_channel_layer

from tables.models import Table
from tables.screens import fragments, snapshot

log = logging.getLogger(__name__)
PATIENCE_SECONDS = 0.5


def layer() -> BaseChannelLayer:
    """The channel layer of these settings; every installation has one."""
    found = get_channel_layer()
    assert found is not None
    return found


def table_group(table_id: int, station: str) -> str:
    """The group of the screens that show this table at this station."""
    return f"table.{table_id}.{station}"


def floor_group(facility_code: str) -> str:
    """The group of the pit dashboards of a facility."""
    return f"floor.{facility_code}"


def person_group(person_id: int) -> str:
    """The group of every socket of one person, so that a sign-off closes them all."""
    return f"person.{person_id}"


async def publish(table_id: int) -> dict[str, Any]:
    """Renders the table as it now stands and sends it to each station, the dealer's first. Returns the messages.

    Rendering asks nothing of the database, so it needs no thread; and no station waits for the next one's rendering.
    Never raises for a layer that does not answer: it is logged, and the heartbeat repairs the screens.
    """
    state = await sync_to_async(snapshot.of_table)(table_id)
    messages = {}
    for station in fragments.PUSHED:
        messages[station] = fragments.message(station, table_id, state)
        await send({station: messages[station]})
    return messages


def on_table_changed(sender: Any, table_id: int, **_extra: Any) -> None:
    """Publish a table for code that is not asynchronous (`tables.core.signals.table_changed`)."""
    async_to_sync(publish)(table_id)


async def send(messages: dict[str, dict[str, Any]]) -> None:
    """Sends rendered messages to their groups, all at once, with patience of half a second."""
    sending = [
        layer().group_send(group_of(station, message), event_of(message))
        for station, message in messages.items()
    ]
    try:
        await asyncio.wait_for(asyncio.gather(*sending), PATIENCE_SECONDS)
    except Exception:
        log.exception("a push was lost; the heartbeat will repair it")


def event_of(message: dict[str, Any]) -> dict[str, Any]:
    """A message as it travels through the layer: written out once, whatever number of sockets it goes to."""
    said = {name: message[name] for name in ("table", "version", "html")}
    return {"type": "screen", "table": message["table"], "text": json.dumps(said)}


def group_of(station: str, message: dict[str, Any]) -> str:
    """Tiles go to the facility's dashboards, everything else to the table's screens of that station."""
    if station == "tile":
        return floor_group(message["facility"])
    return table_group(message["table_id"], station)


async def close_person(person_id: int, code: int) -> None:
    """Closes every socket of a person who signed off (4401) or whose tablet was locked (4423)."""
    try:
        await asyncio.wait_for(
            layer().group_send(person_group(person_id), {"type": "closing", "code": code}), PATIENCE_SECONDS
        )
    except Exception:
        log.exception("a sign-off was not pushed; the next check closes the sockets")


def versions(table_ids: list[int]) -> dict[str, int]:
    """Table codes to their current versions: one query, for the heartbeat."""
    rows = Table.objects.filter(pk__in=table_ids).values_list("code", "stream__seq")
    return dict(rows)
