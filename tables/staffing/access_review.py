"""The review of access: compliance looks at who has it, and a full verification at who gave it.

Somebody of compliance states that they looked at who has access, as the page showed it (`review_access`).

A statement of a person or a device counts for the checks of rows, so whoever may append entries could state a person of
their own. Each statement that gives access, or that calls somebody back from a leave, has to name people who were on
record before it, with a role of the policy (`check_registrations`). One that names nobody is of the server's operator:
it is listed, because nobody on record answers for it (`registered_by_operator`). Nor may an entry have the sign-in or
the signature of somebody who was on leave.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from django.db.models import Q

from audit.entries import DEVICE_ENROLLED, PERSON_RECORDED, PERSON_SIGNED_IN
from audit.entry_types import entry_type
from audit.findings import Finding, declare_finding, record_check, record_gap
from audit.models import Entry, Person, Role, Station
from games.act_forms import Text, text
from games.engine import Refusal, RefusalCode
from games.jurisdictions import Jurisdiction
from games.models import Facility
from games.separation import policy
from tables.models import Assignment, Table
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act

# The review

ACCESS_HAS_CHANGED = RefusalCode(
    "access-has-changed",
    "Somebody was added, changed or left since this page was loaded. Load it again and review it then.",
    "Changed meanwhile",
)


@entry_type("access.reviewed")
def ACCESS_REVIEWED(
    *,
    note: Annotated[str, "what the reviewer remarked; empty without a remark"],
    people: Annotated[int, "how many people had access"],
    sha256: Annotated[
        str, "SHA-256, in hex, of the JSON list of their codes, roles, departments and facilities"
    ],
) -> str:
    """Somebody of compliance reviewed who has access, and with which role."""
    return f"Access of {people} people reviewed"


REVIEWERS = frozenset({"compliance"})
SHA256_LENGTH = 64


@facility_act(STAFF, roles=REVIEWERS, step_up="office")
def review_access(
    ctx: FacilityContext, *, sha256: Annotated[str, text(SHA256_LENGTH)], note: Text = ""
) -> ActOutcome:
    """Record that the access of everybody was reviewed. `sha256` is that of the people whom the page listed.

    Raises `access-has-changed` if somebody was added, changed or left meanwhile.
    """
    people = people_with_access(ctx.facility)
    if access_sha256(people) != sha256:
        raise Refusal(ACCESS_HAS_CHANGED)
    entry = ACCESS_REVIEWED(people=len(people), sha256=sha256, note=note)
    return ActOutcome(entry, {"people": len(people)}, changes="nothing")


def people_with_access(facility: Facility) -> list[Person]:
    """Everybody who has access here, by role and name; not the people of simulated tables, who never sign in."""
    people = Person.objects.filter(Q(facility=facility.code) | Q(facility=""), is_active=True)
    people = people.exclude(role=Role.MACHINE)
    simulated = Assignment.objects.filter(table__kind=Table.Kind.SIMULATED).values("person")
    return list(people.exclude(pk__in=simulated).order_by("department", "role", "name"))


def access_sha256(people: list[Person]) -> str:
    """The SHA-256 (hex) of who has which role, in whatever order the people come."""
    rows = sorted([person.code, person.role, person.department, person.facility] for person in people)
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


# Who put people and devices on record

PERSON_BY_OTHERS = declare_finding(
    "person-by-others",
    "%(stream)s, entry %(seq)s gives %(person)s access, and names nobody who was allowed to: %(by)s.",
)
DEVICE_BY_OTHERS = declare_finding(
    "device-by-others",
    "%(stream)s, entry %(seq)s enrolls the device %(device)s, and names nobody who was allowed to: %(by)s.",
)
ACTOR_UNRECORDED = declare_finding(
    "actor-unrecorded",
    "Entries of %(facility)s name %(person)s, whom no entry of its record states as a person.",
)
SIGNED_ON_LEAVE = declare_finding(
    "signed-on-leave",
    "%(stream)s, entry %(seq)s has the sign-in or the signature of %(person)s, who was on leave then.",
)
ACCESS = ("active", "department", "role", "works_in")
MOST_LISTED = 20
Tick = Callable[[], None]


@dataclass(frozen=True)
class StatedLeave:
    """A leave from a gaming day on, as it was stated from one entry to another one, by their keys; None: until now."""

    begins_on: str
    from_entry: int
    until_entry: int | None = None

    def covers(self, entry: Entry) -> bool:
        """Whether an entry was written while on leave."""
        is_stated = self.from_entry < entry.pk and (self.until_entry is None or entry.pk < self.until_entry)
        return is_stated and self.begins_on <= entry.gaming_day.isoformat()


@dataclass
class Registrations:
    """The people of a facility as its entries so far state them, their leaves, and who was put on record by nobody."""

    law: Jurisdiction
    people: dict[str, dict[str, Any]] = field(default_factory=dict)
    leaves: dict[str, list[StatedLeave]] = field(default_factory=dict)
    by_operator: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def apply(self, type_: str, body: dict[str, Any], pk: int) -> None:
        """Apply one entry, with its key. Raises KeyError or TypeError for one that is not as it was written."""
        if type_ == PERSON_RECORDED.name:
            self._person(body, pk)
        else:
            self._device(body)

    def _person(self, body: dict[str, Any], pk: int) -> None:
        data = body["data"]
        before = self.people.get(data["code"])
        self.people[data["code"]] = data
        self._note_leave(data, pk)
        gives_access = before is None or any(before.get(name) != data[name] for name in ACCESS)
        ends_leave = before is not None and before.get("leave_from") not in (None, data.get("leave_from"))
        if not (gives_access or ends_leave) or not data["active"]:
            return
        if body["actor"] is None or body["witness"] is None:  # `record_people --by` names one
            self.by_operator.append(f"{data['code']} (entry {body['seq']})")
        elif not self._may(_subject_of(data, gives_access=gives_access), body, signed=True):
            where = {"stream": body["stream"], "seq": body["seq"], "person": data["code"]}
            self.findings.append(Finding(PERSON_BY_OTHERS, {**where, "by": _by(body)}))

    def _note_leave(self, data: dict[str, Any], pk: int) -> None:
        leaves = self.leaves.setdefault(data["code"], [])
        if leaves and leaves[-1].until_entry is None:
            leaves[-1] = replace(leaves[-1], until_entry=pk)
        if data.get("leave_from"):
            leaves.append(StatedLeave(data["leave_from"], pk))

    def _device(self, body: dict[str, Any]) -> None:
        is_machine = body["data"]["station"] == Station.MACHINE
        if body["actor"] is None:
            self.by_operator.append(f"{body['data']['name']} (entry {body['seq']})")
        elif not self._may("clients" if is_machine else "devices", body, signed=False):
            where = {"stream": body["stream"], "seq": body["seq"], "device": body["data"]["name"]}
            self.findings.append(Finding(DEVICE_BY_OTHERS, {**where, "by": _by(body)}))

    def _may(self, subject: str, body: dict[str, Any], *, signed: bool) -> bool:
        """Whether the policy lets the actor prepare or approve such a change, and a second person answers for it."""
        row = policy.row_of(self.law, subject)
        about = body["data"].get("code")
        if about is not None and about in (body["actor"], body["witness"]):
            return False
        actor, witness = self.people.get(body["actor"]), self.people.get(body["witness"] or "")
        if actor is None or (signed and witness is None):
            return True  # `actor-unrecorded` names whom no entry states
        if not (actor["active"] and actor["role"] in {*row.prepare, *row.approve}):
            return False
        if not signed or witness is None:
            return True
        is_other = witness["role"] in row.approve or witness["department"] != actor["department"]
        return witness["active"] and is_other


def _subject_of(data: dict[str, Any], *, gives_access: bool) -> str:
    """The row of the policy by which somebody is stated as this person."""
    if data["role"] == Role.MACHINE:
        return "clients"
    return "people" if gives_access else "leaves"


def _by(body: dict[str, Any]) -> str:
    return " and ".join(code for code in (body["actor"], body["witness"]) if code)


def _registrations(facility: Facility) -> Registrations:
    """The statements of a facility, in the order in which they were appended."""
    registrations = Registrations(facility.law)
    entries = Entry.objects.filter(
        stream__name__startswith=f"{facility.code}/sign-in",
        type__in=(PERSON_RECORDED.name, DEVICE_ENROLLED.name),
    ).order_by("pk")
    for pk, type_, content in entries.values_list("pk", "type", "body").iterator(chunk_size=1000):
        try:
            registrations.apply(type_, json.loads(bytes(content)), pk)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return registrations


def _signed_on_leave(facility: Facility, registrations: Registrations) -> Iterator[Finding]:
    """The sign-ins and second signatures of people who were on leave."""
    leaves = {code: stated for code, stated in registrations.leaves.items() if stated}
    if not leaves:
        return
    entries = Entry.objects.filter(stream__name__startswith=f"{facility.code}/").select_related("stream")
    signed = Q(type=PERSON_SIGNED_IN.name, actor__in=leaves) | Q(witness__in=leaves)
    for entry in entries.filter(signed).defer("body").order_by("pk").iterator(chunk_size=1000):
        signers = {entry.witness, entry.actor if entry.type == PERSON_SIGNED_IN.name else ""}
        for person in sorted(signers & leaves.keys()):
            if any(leave.covers(entry) for leave in leaves[person]):
                where = {"stream": entry.stream.name, "seq": entry.seq, "person": person}
                yield Finding(SIGNED_ON_LEAVE, where)


@record_check
def check_registrations(tick: Tick) -> Iterator[Finding]:
    """Check that each person and device was put on record by people of the policy, and that every actor is stated."""
    for facility in Facility.objects.order_by("pk"):
        tick()
        registrations = _registrations(facility)
        yield from registrations.findings
        yield from _signed_on_leave(facility, registrations)
        if not registrations.people:
            continue
        entries = Entry.objects.filter(stream__name__startswith=f"{facility.code}/")
        named = {
            *entries.values_list("actor", flat=True).distinct(),
            *entries.values_list("witness", flat=True).distinct(),
        }
        for code in sorted(named - {""} - registrations.people.keys()):
            yield Finding(ACTOR_UNRECORDED, {"facility": facility.code, "person": code})


@record_gap
def registered_by_operator() -> Iterator[str]:
    """Whom the server's operator put on record, beside the two administrators and the podium of a new facility."""
    for facility in Facility.objects.order_by("pk"):
        names = _registrations(facility).by_operator
        is_made = Entry.objects.filter(
            stream__name__startswith=f"{facility.code}/", type="facility.made"
        ).exists()
        names = names[3:] if is_made else names
        if names:
            listed = ", ".join(names[-MOST_LISTED:])
            yield (
                f"{facility.code}: {len(names)} people and devices that the operator of the server put on record, for "
                f"which no two people answer. The newest: {listed}. Compare them with your list of staff."
            )
