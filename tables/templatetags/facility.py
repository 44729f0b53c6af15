"""Template tags of the facility pages: sizes, days and moments, and the links of the bar."""

import datetime as dt
from typing import Any

from django import template
from django.db.models import Q
from django.urls import reverse

from audit.days import day_in_words
from audit.models import Person
from audit.people import takes_password
from games.engine import Refusal
from games.models import Facility
from games.office.core import may_see_office
from games.views.office import landing_url
from tables.cases.case import may_see_cases
from tables.cases.inbox import open_count
from tables.core.duty import CAGE, may_see_floor
from tables.desk import desk
from tables.desk.desk import may_see_desk
from tables.equipment.approvals import approval_subjects, inspection_lines
from tables.models import Approval, Table
from tables.runner.access import CAGE_PAGE, FIGURES, HANDOVER, PEOPLE, ROTATION, facility_pages_for
from tables.runner.facility import DICE, EQUIPMENT, PLAYERS, SETUP, SIGN_INS, STAFF
from tables.staffing.supervision import game_or_table_name
from tables.words.sentences import say

register = template.Library()

PAGES = {
    DICE: ("dice", "Dice"),
    EQUIPMENT: ("equipment", "Equipment"),
    STAFF: ("staff", "Staff"),
    ROTATION: ("rotation", "Rotation"),
    PLAYERS: ("players", "Players"),
    FIGURES: ("figures", "Money"),
    PEOPLE: ("people", "People"),
    SIGN_INS: ("sign-ins", "Sign-ins"),
    SETUP: ("first-day", "Setup"),
    CAGE_PAGE: ("cage", "Cage"),
}
# Tabs of the page of the staff, which the bar has.
STAFF_TABS = {STAFF: ("staff", "Staff"), HANDOVER: ("handover", "Handover")}


@register.simple_tag(takes_context=True)
def facility_zone(context: dict[str, Any]) -> str:
    """Return the name of the time zone of the device's facility, "" without a device. Error pages do not ask for it."""
    device = getattr(context.get("request"), "device", None)
    facility = Facility.objects.filter(code=device.facility).only("time_zone").first() if device else None
    return facility.time_zone if facility else ""


@register.simple_tag(takes_context=True)
def facility_pages(context: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pages that the person may open at this device, in the order of the bar."""
    request = context.get("request")
    device = getattr(request, "device", None)
    if request is None or device is None or not isinstance(request.user, Person):
        return []
    pages: list[dict[str, Any]] = [
        {"code": page, "label": PAGES[page][1], "url": reverse(PAGES[page][0], args=[device.facility])}
        for page in facility_pages_for(request.user, device)
        if page in PAGES
        and (page != SETUP or _is_set_up_here(request.user, device.facility, context))
        and (page != CAGE_PAGE or _has_cage_in_bar(request.user, device.facility))
        and (page != PEOPLE or _has_people_in_bar(request.user, device.facility, context))
    ]
    if may_see_floor(request.user, device.facility) and not device.place:
        url = reverse("floor", args=[device.facility])
        pages.insert(0, {"code": "floor", "label": "Floor", "url": url})
    if may_see_office(request.user, device):
        pages.append({"code": "rules", "label": "Rules", "url": landing_url(device.facility)})
    if may_see_desk(request.user, device):
        pages.append({"code": "record", "label": "Record", "url": desk.landing_url(device.facility)})
    if may_see_cases(request.user, device):
        url, count = reverse("inbox", args=[device.facility]), open_count(device.facility)
        pages.insert(0, {"code": "inbox", "label": "Inbox", "url": url, "count": count})
    return pages


@register.simple_tag(takes_context=True)
def staff_tabs(context: dict[str, Any]) -> list[dict[str, str]]:
    """Return the tabs of the page of the staff that the person may open; none for who has only that page."""
    request = context.get("request")
    device = getattr(request, "device", None)
    if request is None or device is None or not isinstance(request.user, Person):
        return []
    open_pages = facility_pages_for(request.user, device)
    tabs = [
        {"code": page, "label": label, "url": reverse(name, args=[device.facility])}
        for page, (name, label) in STAFF_TABS.items()
        if page in open_pages
    ]
    return tabs if len(tabs) > 1 else []


def _is_set_up_here(person: Person, facility: str, context: dict[str, Any]) -> bool:
    """Whether the bar has the page of the first day: for who has no floor, and for others until a table has opened."""
    if not may_see_floor(person, facility) or context.get("section") == SETUP:
        return True
    opened = Q(last_round__gt=0) | Q(closed_at__isnull=False) | ~Q(status=Table.Status.CLOSED)
    return not Table.objects.filter(opened, facility__code=facility).exists()


def _has_people_in_bar(person: Person, facility: str, context: dict[str, Any]) -> bool:
    """Whether the bar has the page People: for who has no floor. Others come there from the page of the staff."""
    return not may_see_floor(person, facility) or context.get("section") == PEOPLE


def _has_cage_in_bar(person: Person, facility: str) -> bool:
    """Whether the bar has the page of the cage: for a cashier, and for others where the facility keeps inventories."""
    return person.role in CAGE or Facility.objects.filter(code=facility, keeps_inventory=True).exists()


@register.simple_tag(takes_context=True)
def pin_needs_code(context: dict[str, Any]) -> bool:
    """Return whether a second person gives a code of their app with their PIN at this device."""
    device = getattr(context.get("request"), "device", None)
    return device is not None and takes_password(device, None)


@register.filter
def subject(code: str) -> str:
    """Return the subject of an approval in words."""
    return approval_subjects().get(code, code)


@register.filter
def letter_code(approval: Approval, letters: dict[int, str]) -> str:
    """Return the code of the letter of an approval; `letters` are the codes by id."""
    return letters.get(approval.letter_id or 0, "")


@register.filter
def words(text: str) -> list[str]:
    """Split a text at its spaces."""
    return text.split()


@register.filter
def line(code: str) -> str:
    """Return an inspection line in words."""
    return inspection_lines().get(code, code)


@register.filter
def refusal_text(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    return say(refusal)


@register.filter
def mm(um: int) -> str:
    """Format micrometers as millimeters with three digits: `19.050`."""
    return f"{um // 1000}.{um % 1000:03}"


@register.filter
def mm_short(um: int) -> str:
    """Format micrometers as millimeters with two digits, or three where they are needed: `19.05`."""
    text = mm(um)
    return text[:-1] if text.endswith("0") else text


@register.filter
def day(value: dt.date | None) -> str:
    """Format a day: `21 Nov 2026`."""
    return day_in_words(value) if value else ""


@register.filter
def range_of(pair: tuple[int, int]) -> str:
    """Format a range: `12` or `12 to 48`."""
    first, last = pair
    return str(first) if first == last else f"{first} to {last}"


@register.filter
def local(moment: dt.datetime | None, facility: Facility) -> str:
    """Format a moment in the facility's time zone: `21 Nov 2026 10:00:05`."""
    if moment is None:
        return ""
    local_moment = facility.local(moment)
    return f"{day(local_moment)} {local_moment:%H:%M:%S}"


@register.filter
def local_with_zone(moment: dt.datetime, facility: Facility) -> str:
    """Format a moment for paper, in the facility's time zone: `21 Nov 2026 10:00:05 EST`."""
    return f"{local(moment, facility)} {facility.local(moment):%Z}"


@register.filter
def since(moment: dt.datetime | None, now: dt.datetime) -> str:
    """Format a moment as briefly as possible: `10:00` on the same day, otherwise `21 Nov 10:00`.

    `now` is the page's moment in the facility's time zone.
    """
    if moment is None:
        return ""
    local_moment = moment.astimezone(now.tzinfo)
    if local_moment.date() == now.date():
        return f"{local_moment:%H:%M}"
    return f"{local_moment.day} {local_moment:%b %H:%M}"


@register.filter
def utc(moment: dt.datetime | None) -> str:
    """Format a moment in UTC: `2026-11-21 15:00:05Z`."""
    return f"{moment.astimezone(dt.UTC):%Y-%m-%d %H:%M:%S}Z" if moment else ""


@register.filter
def elsewhere(code: str) -> str:
    """Return the name of a game that is not dealt with Pitside."""
    return game_or_table_name(code)
