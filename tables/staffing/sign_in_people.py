"""Who may sign in at a device, and what their sign-in will do there."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from audit.entries import PERSON_SIGNED_IN
from audit.models import Device, Entry, Person
from audit.people import takes_password
from audit.registration import SIGN_IN
from games.engine.game import PostCode
from games.models import Facility
from tables.core import posts
from tables.core.permissions import DEALERS, FLOOR
from tables.models import Assignment, Shaker, Table
from tables.staffing.relief import dealers_on_duty

RECENT_SIGN_INS = 500  # newest sign-ins at the facility that are searched for those at this device


@dataclass(frozen=True)
class SignInPerson:
    """One person on duty here. `effects` are sentences on what their sign-in at this device does, the first most
    important. `obstacle` says why somebody on duty elsewhere cannot take a post here; "" for everybody else.
    `last_here`: when they signed in at this device last, in words; "" if it is long ago.
    `takes_password`: whether a PIN is not enough for them here.
    """

    code: str
    name: str
    role: str
    keeps_shaker: bool
    effects: tuple[str, ...]
    obstacle: str = ""
    badge: str = ""
    last_here: str = ""
    takes_password: bool = False


def people_at(
    device: Device, table: Table | None, facility_roles: Iterable[str], post: PostCode | None = None
) -> list[SignInPerson]:
    """Everybody on duty here: first who keeps the shaker, then who signed in at this device last, then by name.

    At a table these are its dealers and floor; at a podium, the people with one of `facility_roles`. `post`: the post
    that is relieved, where somebody chose it.
    """
    people = _on_duty(device, table, facility_roles)
    sign_ins = _newest_sign_ins(device)
    recent = list(sign_ins)
    facility = table.facility if table else Facility.objects.filter(code=device.facility).first()
    keeper_id = posts.holder_id(table, posts.keeper_post(table)) if table else None
    shaker = table.shakers.filter(out_of_order=False).first() if table else None

    def place(person: Person) -> tuple[bool, int, str]:
        last = recent.index(person.code) if person.code in recent else len(recent)
        return person.pk != keeper_id, last, person.name

    return [
        SignInPerson(
            person.code,
            person.name,
            person.get_role_display(),
            person.pk == keeper_id,
            tuple(_effects(device, table, shaker, person, post)),
            badge=person.badge,
            last_here=_moment_words(facility, sign_ins.get(person.code)),
            takes_password=takes_password(device, person),
        )
        for person in sorted(people, key=place)
    ]


def dealers_elsewhere(table: Table, now: dt.datetime) -> list[SignInPerson]:
    """Dealers on duty at the facility who cannot take a post at this table, by name: only a search lists them."""
    dealers = [dealer for dealer in dealers_on_duty(table, now) if dealer.obstacle]
    return [
        SignInPerson(
            dealer.person.code,
            dealer.person.name,
            dealer.person.get_role_display(),
            False,
            (),
            dealer.obstacle,
            dealer.person.badge,
        )
        for dealer in sorted(dealers, key=lambda dealer: dealer.person.name)
    ]


def post_to_take(table: Table, person: Person, post: PostCode | None) -> PostCode:
    """Return the post that a person takes by signing in: the one to relieve, if their role works there."""
    fits = post in posts.posts_of(table) and (person.role != "stickperson" or post == "stick")
    return post if post is not None and fits else posts.post_for(table, person)


def _on_duty(device: Device, table: Table | None, facility_roles: Iterable[str]) -> Iterable[Person]:
    if table is None:
        facility = Facility.objects.filter(code=device.facility).first()
        duty = Assignment.objects.at_facility(facility) if facility else Assignment.objects.none()
    else:
        duty = Assignment.objects.at(table)
    roles = facility_roles if table is None else DEALERS | FLOOR
    assignments = duty.filter(person__role__in=roles, person__is_active=True).select_related("person")
    people = {assignment.person.pk: assignment.person for assignment in assignments}.values()
    return [person for person in people if person.has_usable_password()]  # simulated people have none


def _newest_sign_ins(device: Device) -> dict[str, dt.datetime]:
    """When each person signed in at this device last, by code, the newest sign-in first."""
    entries = Entry.objects.filter(
        stream__name=f"{device.facility}{SIGN_IN}", type=PERSON_SIGNED_IN.name
    ).order_by("-seq")
    here = str(device.pk).encode()
    sign_ins: dict[str, dt.datetime] = {}
    for actor, at, body in entries.values_list("actor", "at", "body")[:RECENT_SIGN_INS]:
        if here in bytes(body):
            sign_ins.setdefault(actor, at)
    return sign_ins


def _moment_words(facility: Facility | None, moment: dt.datetime | None) -> str:
    """A moment of the last days, as the people at the facility say it: `Fri 19:40`."""
    if facility is None or moment is None:
        return ""
    return facility.local(moment).strftime("%a %H:%M")


def _effects(
    device: Device, table: Table | None, shaker: Shaker | None, person: Person, post: PostCode | None
) -> Iterable[str]:
    if table is not None and person.role in DEALERS:
        yield from _effects_at_post(table, shaker, person, post_to_take(table, person, post))
    if device.person is not None and device.person != person:
        yield f"Ends the sign-in of {device.person.name} here"


def _effects_at_post(table: Table, shaker: Shaker | None, person: Person, post: PostCode) -> Iterable[str]:
    holder = posts.holder(table, post)
    device = shaker and post == posts.keeper_post(table) and f"{shaker.get_kind_display()} {shaker.code}"
    if holder == person:
        yield f"Keeps the {device}" if device else f"Continues at {table.code}"
        return
    yield f"Relieves {holder.name}" if holder else f"Begins work at {table.code}"
    if device:
        yield f"Takes the {device}"
