"""How the pages of the rooms write sizes, days and moments, and which rooms the bar leads to."""

import datetime as dt
from typing import Any

from django import template
from django.urls import reverse

from audit.models import Person
from games.engine import Refusal
from games.office.core.access import may_see_office
from games.views.page_context import landing_url
from tables.core.permissions import may_see_floor
from tables.desk import page as desk
from tables.desk.access import may_see_desk
from tables.equipment.words import LINES, SUBJECTS
from tables.runner.access import rooms_open_to
from tables.runner.facility import DICE, EQUIPMENT, STAFF
from tables.staffing.words import game_or_table_name
from tables.words.sentences import say

register = template.Library()

ROOMS = {
    DICE: ("dice-room", "Dice"),
    EQUIPMENT: ("equipment", "Equipment"),
    STAFF: ("staff", "Staff"),
}


@register.simple_tag(takes_context=True)
def rooms_open(context: dict[str, Any]) -> list[dict[str, Any]]:
    """The pages of the house that the person at this device may open, in the order of the bar."""
    request = context.get("request")
    device = getattr(request, "device", None)
    if request is None or device is None or not isinstance(request.user, Person):
        return []
    found = [
        {"code": room, "label": ROOMS[room][1], "url": reverse(ROOMS[room][0], args=[device.facility])}
        for room in rooms_open_to(request.user, device)
    ]
    if may_see_floor(request.user, device.facility) and not device.place:
        url = reverse("floor", args=[device.facility])
        found.insert(0, {"code": "floor", "label": "Floor", "url": url})
    if may_see_office(request.user, device):
        found.append({"code": "rules", "label": "Rules", "url": landing_url(device.facility)})
    if may_see_desk(request.user, device):
        found.append({"code": "record", "label": "Record", "url": desk.landing_url(device.facility)})
    return found


@register.filter
def subject(code: str) -> str:
    """What an approval is of, in words."""
    return str(SUBJECTS.get(code, code))


@register.filter
def line(code: str) -> str:
    """A line that a person confirms, in words."""
    return str(LINES.get(code, code))


@register.filter
def said(refusal: Refusal) -> str:
    """A refusal as a sentence."""
    return say(refusal)


@register.filter
def mm(um: int) -> str:
    """Micrometres as millimetres to the thousandth: `19.050`."""
    return f"{um // 1000}.{um % 1000:03}"


@register.filter
def mm_short(um: int) -> str:
    """The same with no more digits than it needs, two at least: `19.05`."""
    text = mm(um)
    return text[:-1] if text.endswith("0") else text


@register.filter
def day(value: dt.date | None) -> str:
    """`21 Nov 2026`."""
    return f"{value.day} {value:%b %Y}" if value else ""


@register.filter
def range_of(pair: tuple[int, int]) -> str:
    """`12` or `12 to 48`."""
    first, last = pair
    return str(first) if first == last else f"{first} to {last}"


@register.filter
def local(at: dt.datetime | None, house: Any) -> str:
    """A moment as this house's clocks show it: `21 Nov 2026 10:00:05`."""
    return f"{day(there)} {there:%H:%M:%S}" if at and (there := house.local(at)) else ""


@register.filter
def since(at: dt.datetime | None, now: dt.datetime) -> str:
    """A moment as short as it can be said: `10:00` where it is of this day, else `21 Nov 10:00`.

    `now` is the page's moment by the house's clocks: a list of everybody asks the clock once.
    """
    if at is None:
        return ""
    there = at.astimezone(now.tzinfo)
    return f"{there:%H:%M}" if there.date() == now.date() else f"{there.day} {there:%b %H:%M}"


@register.filter
def utc(at: dt.datetime | None) -> str:
    """The same moment in UTC: `2026-11-21 15:00:05Z`."""
    return f"{at.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S}Z" if at else ""


@register.filter
def elsewhere(code: str) -> str:
    """A game at a table that Pitside does not run, by its name."""
    return game_or_table_name(code)
