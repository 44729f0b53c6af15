"""The handover that is being prepared: what is open, who took it over, and what is still missing."""

import datetime as dt
from dataclasses import dataclass

from audit.models import Person
from games.models import Facility
from tables.core.permissions import FLOOR, STAFFERS
from tables.handover.open_items import OpenItem, open_items
from tables.handover.shifts import ShiftToHandOver, shift_to_hand_over
from tables.models import Assignment, ItemAcceptance


@dataclass(frozen=True)
class HandoverItem:
    """An open item, and the person who took it over; None while nobody did."""

    item: OpenItem
    owner: Person | None


@dataclass(frozen=True)
class HandoverDraft:
    """The handover of a shift before it is signed."""

    shift: ShiftToHandOver
    items: list[HandoverItem]

    @property
    def without_owner(self) -> list[OpenItem]:
        return [row.item for row in self.items if row.owner is None]


def handover_draft(facility: Facility, now: dt.datetime) -> HandoverDraft:
    """Return what is open at a facility now, with the people who took it over for this handover.

    An acceptance counts while its person is on duty here, and only for the shift for which it was given.
    """
    shift, items = shift_to_hand_over(facility, now), open_items(facility, now)
    accepted: dict[str, ItemAcceptance] = {}
    acceptances = ItemAcceptance.objects.filter(facility=facility, shift=shift.key).select_related("person")
    for acceptance in acceptances.order_by("pk"):
        accepted[acceptance.item] = acceptance
    able = {person.pk for person in floor_on_duty(facility)}
    return HandoverDraft(shift, [HandoverItem(item, _owner(item, accepted, able)) for item in items])


def _owner(item: OpenItem, accepted: dict[str, ItemAcceptance], able: set[int]) -> Person | None:
    acceptance = accepted.get(item.key)
    if acceptance is None or acceptance.person_id not in able:
        return None
    arose_later = item.since is not None and acceptance.accepted_at < item.since
    return None if arose_later else acceptance.person


def floor_on_duty(facility: Facility) -> list[Person]:
    """Return the people on duty here who may take over what is open, by name."""
    on_duty = Assignment.objects.at_facility(facility)
    people = Person.objects.filter(assignments__in=on_duty, is_active=True, role__in=FLOOR)
    return list(people.distinct().order_by("name", "pk"))


def successors(people: list[Person], person: Person) -> list[Person]:
    """Return who of these people may take over the shift from this person."""
    return [candidate for candidate in people if candidate.role in STAFFERS and candidate.pk != person.pk]
