"""People as a personnel office knows them: the user of SCIM 2.0 (RFC 7643), and which acts a change of one is.

`userName` is the code by which somebody signs in, `roles` their one role here, and an extension of our own has badge
and license. Somebody whose addition still waits for an approval is a user, too, who is not active. Machines, simulated
people, and people who work in every facility are no users. Everything else that a personnel office sends of somebody,
such as an address, is not stored.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from scim2_models import (
    URN,
    ComplexAttribute,
    Extension,
    Meta,
    Mutability,
    Required,
    Resource,
    Returned,
    Uniqueness,
)
from scim2_models.resources.resource import AnyExtension

from audit.models import Person, Role
from games.models import Facility, PreparedChange
from tables.api.app import Problem
from tables.models import Assignment, Table
from tables.staffing.access import (
    MAX_BADGE,
    MAX_LICENSE,
    ROLE_BY_LABEL,
    add_people,
    add_person,
    change_access,
)

WAITING = PreparedChange.Status.WAITING
WHY = "The personnel office ended the employment."


# Shapes


class Name(ComplexAttribute):
    formatted: str | None = None
    """The name as people here read it."""

    given_name: str | None = None

    family_name: str | None = None


class RoleOfUser(ComplexAttribute):
    value: str | None = None
    """Code of the role, such as dealer, or its name."""

    display: str | None = None

    primary: bool | None = None


class User(Resource[AnyExtension]):
    """Somebody who has access here, or shall have."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true, Mutability.immutable] = None
    """The code by which the person signs in: lowercase letters, digits and single hyphens. It is the id, too."""

    name: Name | None = None

    display_name: Annotated[str | None, Mutability.immutable] = None
    """The name as people here read it."""

    active: bool | None = None
    """Whether the person has access. An end is for good."""

    roles: list[RoleOfUser] | None = None
    """The one role of the person."""


class Employee(Extension):
    """What a casino knows of somebody beside their name and role."""

    __schema__ = URN("urn:pitside:scim:schemas:2.0:User")

    badge: str | None = None
    """Number of the badge: at most six digits."""

    license: str | None = None
    """Number of the license."""

    license_ends_on: str | None = None
    """The last day on which the license is in effect, as 2028-11-30."""

    change: Annotated[str | None, Mutability.read_only, Returned.default] = None
    """Code of the change of this person that waits for an approval under Approvals."""


HrUser = User[Employee]


@dataclass(frozen=True)
class StaffChange:
    """An act that a change of a user is, with its parameters."""

    act: str
    params: dict[str, Any]


# Reading


def users(facility: Facility, base: str) -> Iterator[Any]:
    """Every user of a facility, by code: people, and those whose addition waits. `base`: the address of `/Users`."""
    waiting = _waiting(facility)
    additions = {params["person"]: (change, params) for change in waiting for params in _added(change)}
    changes = {
        change.params["person"]: change.code for change in waiting if change.act == change_access.__name__
    }
    people = {person.code: person for person in _people(facility)}
    for code in sorted({*people, *additions}):
        if code in people:
            yield _of_person(people[code], changes.get(code), base)
        else:
            change, params = additions[code]
            yield _of_addition(change, params, base)


def user(facility: Facility, code: str, base: str) -> Any:
    """The user with this code. Raises Problem 404."""
    named = next((row for row in users(facility, base) if row.id == code), None)
    if named is None:
        raise Problem(404, "not-named", f"There is no user {code} here.")
    return named


def addition_of(facility: Facility, code: str) -> PreparedChange | None:
    """The change that waits and would add this person; None for somebody who is here already."""
    return next(
        (change for change in _waiting(facility) for params in _added(change) if params["person"] == code),
        None,
    )


def _people(facility: Facility) -> list[Person]:
    simulated = Assignment.objects.filter(table__kind=Table.Kind.SIMULATED).values("person")
    people = Person.objects.filter(facility=facility.code).exclude(role=Role.MACHINE)
    return list(people.exclude(pk__in=simulated))


def _waiting(facility: Facility) -> list[PreparedChange]:
    acts = [act.__name__ for act in (add_person, add_people, change_access)]
    rows = PreparedChange.objects.filter(facility=facility, act__in=acts, status=WAITING)
    return list(rows.select_related("prepared_by").order_by("pk"))


def _added(change: PreparedChange) -> list[dict[str, Any]]:
    """The parameters of each person whom a change would add."""
    if change.act == add_person.__name__:
        return [change.params]
    people: list[dict[str, Any]] = change.params.get("people", [])
    return people


def _of_person(person: Person, change: str | None, base: str) -> Any:
    ends_on = person.licence_ends_on.isoformat() if person.licence_ends_on else None
    return _user(
        person.code, person.name, person.role, person.badge, person.licence, ends_on, change, base,
        active=person.is_active,
    )  # fmt: skip


def _of_addition(change: PreparedChange, params: dict[str, Any], base: str) -> Any:
    badge, licence = params.get("badge") or "", params.get("licence") or ""
    return _user(
        params["person"], params["name"], params["role"], badge, licence, params.get("licence_ends_on"), change.code,
        base, active=False,
    )  # fmt: skip


def _user(
    code: str, name: str, role: str, badge: str, license: str, ends_on: str | None, change: str | None, base: str,
    *, active: bool,
) -> Any:  # fmt: skip
    row = HrUser(
        id=code,
        user_name=code,
        name=Name(formatted=name),
        display_name=name,
        active=active,
        roles=[RoleOfUser(value=role, display=str(Role(role).label), primary=True)],
        meta=Meta(resource_type="User", location=f"{base}/{code}"),
    )
    row[Employee] = Employee(
        badge=badge or None, license=license or None, license_ends_on=ends_on, change=change
    )
    return row


# Writing


def addition(sent: Any) -> StaffChange:
    """The act by which a user is added. Raises Problem without a name or a role, and for one that is not active."""
    if sent.active is False:
        raise _refused(
            "invalidValue", "A user is added to have access: send active as true, or leave it out."
        )
    name = _name(sent)
    if not name:
        raise _refused(
            "invalidValue", "A user needs a name: displayName, name.formatted, or both parts of it."
        )
    role = _role(sent)
    if role is None:
        raise _refused("invalidValue", "A user needs one role, such as [{“value”: “dealer”}].")
    return StaffChange(
        add_person.__name__, {"person": sent.user_name, "name": name, "role": role, **_of_employee(sent)}
    )


def change(before: Any, after: Any) -> StaffChange | None:
    """The act that makes one user another, or None where nothing of it is stored differently.

    What is not given stays; whether somebody has access is not compared. Raises Problem for what nobody can change.
    """
    if not before.active and before[Employee].change is None and after.active:
        detail = (
            "Access that ended does not come back. Add the person as another user, with another userName."
        )
        raise _refused("mutability", detail)
    _verify_same(before, after)
    role = _role(after)
    changed = {"role": role} if role not in (None, _role(before)) else {}
    own = _of_employee(before)
    changed |= {name: value for name, value in _of_employee(after).items() if value != own.get(name)}
    if changed and not before.active:
        raise Problem(409, "", f"{before.display_name} has no access now, or it waits for an approval.")
    return StaffChange(change_access.__name__, {"person": before.id, **changed}) if changed else None


def ended(before: Any) -> Any:
    """A user whose access has just ended."""
    after = before.model_copy(deep=True)
    after.active, after[Employee].change = False, None
    return after


def verify_nothing_removed(before: Any, after: Any) -> None:
    """Refuse a PATCH that would leave somebody without a role, badge or license. Raises Problem."""
    if (before.roles and not after.roles) or _of_employee(before).keys() - _of_employee(after).keys():
        raise _refused(
            "mutability", "A role, a badge or a license is replaced by another, and never removed."
        )


def _verify_same(before: Any, after: Any) -> None:
    if after.user_name is not None and after.user_name != before.user_name:
        raise _refused("mutability", "A userName stays as it is: the record names the person by it.")
    name = _name(after)
    if name and name != before.display_name:
        raise _refused("mutability", "A name is changed on the server, with manage.py change_person.")


def _name(sent: Any) -> str:
    parts = sent.name
    both = f"{parts.given_name or ''} {parts.family_name or ''}".strip() if parts else ""
    return str(sent.display_name or (parts and parts.formatted) or both).strip()


def _role(sent: Any) -> str | None:
    """The code of the one role; None without any. Raises Problem for several, or an unknown one."""
    values = [role.value or "" for role in sent.roles or ()]
    if not values:
        return None
    code = ROLE_BY_LABEL.get(" ".join(values[0].casefold().split()))
    if len(values) > 1 or code is None:
        known = ", ".join(sorted({*ROLE_BY_LABEL.values()}))
        raise _refused("invalidValue", f"A user has one of these roles: {known}.")
    return code


def _of_employee(sent: Any) -> dict[str, str]:
    """Badge and license by the names of the parameters; what is not given is left out. Raises Problem."""
    own = sent[Employee]
    if own is None:
        return {}
    values = {"badge": own.badge, "licence": own.license, "licence_ends_on": own.license_ends_on}
    given = {name: value.strip() for name, value in values.items() if value and value.strip()}
    for name, most in (("badge", MAX_BADGE), ("licence", MAX_LICENSE)):
        if len(given.get(name, "")) > most:
            raise _refused("invalidValue", f"At most {most} characters: {given[name][:most]}…")
    try:
        dt.date.fromisoformat(given.get("licence_ends_on", "2000-01-01"))
    except ValueError:
        raise _refused("invalidValue", "The last day of a license is written as 2028-11-30.") from None
    return given


def _refused(scim_type: str, detail: str) -> Problem:
    return Problem(400, scim_type, detail)
