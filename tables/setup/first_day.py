"""A new facility: created with its first people and podium, and what it still lacks before its first opening.

The list is computed from rows, never ticked by hand (`first_day`). `create_facility` makes a facility in an empty or
running installation: its two administrators, and its first podium. Everything after that is done on screens, by these
two people first.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import transaction
from django.urls import reverse

from audit import clock, record, registration
from audit.devices import enroll
from audit.models import Department, Device, Person, Role, Station
from games.engine import Refusal
from games.engine.editions import all_editions
from games.guide.content import published
from games.models import Facility
from games.office.signs import forms_in_force
from games.registry import game_by_code
from games.submissions import all_in_force
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import CAGE, DEALERS, FLOOR, STAFFERS
from tables.equipment.approvals import Equipment
from tables.equipment.register import TableEquipment, equipment_by_table
from tables.equipment.signs import SIGN_OF_LINE
from tables.models import Assignment, DiceLot, Qualification, Shaker, Table
from tables.setup.floor_plan import FACILITY_MADE
from tables.staffing.assignments import ASSIGNMENT_STARTED


@dataclass(frozen=True)
class Need:
    """Something that the first opening needs: how many there are, how many it takes, why, and where to add it."""

    name: str
    have: int
    need: int
    why: str = ""
    section: str = ""
    url: str = ""

    @property
    def missing(self) -> int:
        return max(0, self.need - self.have)


@dataclass(frozen=True)
class FirstDayStep:
    """One step of the first day. `how`: who does it, in a sentence. `links`: the pages that do it, by their label."""

    code: str
    title: str
    summary: str
    needs: tuple[Need, ...]
    how: str
    links: tuple[tuple[str, str], ...] = field(default=())

    @property
    def missing(self) -> list[Need]:
        return [need for need in self.needs if need.missing]

    @property
    def is_done(self) -> bool:
        return not self.missing

    @property
    def next_url(self) -> str:
        """The page that adds the first thing that is missing, if there is such a page."""
        return next((need.url for need in self.missing if need.url), "")

    @property
    def have(self) -> int:
        return sum(min(need.have, need.need) for need in self.needs)

    @property
    def need(self) -> int:
        return sum(need.need for need in self.needs)


def first_day(facility: Facility, now: dt.datetime) -> list[FirstDayStep]:
    """Return the steps of a facility's first day, in their order. Any order of doing them is right."""
    tables = list(
        Table.objects.filter(facility=facility, kind=Table.Kind.LIVE)
        .select_related("stream", "facility", "pit")
        .order_by("code")
    )
    registers = {register.table.pk: register for register in equipment_by_table(facility, now)}
    return [
        _facility(facility),
        _jurisdiction(facility),
        _people(facility, tables, now),
        _pits(facility, tables),
        _rules(facility, tables, now),
        _equipment(facility, tables, registers),
        _devices(facility, tables),
        _opening(facility, tables),
    ]


def _facility(facility: Facility) -> FirstDayStep:
    begins = f"{facility.gaming_day_start:%H:%M}"
    return FirstDayStep(
        "facility",
        "Facility",
        f"{facility.name}, day from {begins}",
        (Need(facility.name, 1, 1, f"gaming day from {begins}, {facility.time_zone}"),),
        "Created on the server.",
    )


def _jurisdiction(facility: Facility) -> FirstDayStep:
    law = facility.law
    editions = [edition for edition in all_editions().values() if edition.jurisdiction == law.code]
    return FirstDayStep(
        "jurisdiction",
        "Jurisdiction",
        law.name,
        (Need(f"Editions of {law.name}", len(editions), 1, "the games that may be submitted here"),),
        "Chosen when the facility was created.",
    )


# Who must be there, by their roles, and why; dealers depend on the tables.
ROLES: tuple[tuple[str, frozenset[str], str], ...] = (
    (
        "System administrator",
        frozenset({"system-administrator"}),
        "adds people and devices, with a second person",
    ),
    ("Compliance", frozenset({"compliance"}), "approves what others prepare, accepts the report of each day"),
    (
        "Games administrator",
        frozenset({"games-administrator"}),
        "prepares rules; who prepares does not approve",
    ),
    ("Shift or pit manager", STAFFERS, "puts people on duty and keeps the dice"),
    ("Floorperson or above", FLOOR, "inspects and opens each table"),
    ("Security", frozenset({"security"}), "the second department that receives the dice"),
)
CAGE_CASHIER = ("Cage cashier", CAGE, "prepares fills, receives credits and enters the drop")


def _people(facility: Facility, tables: list[Table], now: dt.datetime) -> FirstDayStep:
    people = [
        person
        for person in Person.objects.filter(is_active=True, facility__in=("", facility.code))
        if person.has_usable_password()
    ]
    url, people_url = reverse("staff", args=[facility.code]), reverse("people", args=[facility.code])
    needs = [
        Need(label, sum(person.role in roles for person in people), 1, why, url=people_url)
        for label, roles, why in (*ROLES, *([CAGE_CASHIER] if facility.keeps_inventory else []))
    ]
    needs.append(_trained_dealers(facility, tables, people, now, url))
    short = sum(bool(need.missing) for need in needs)
    summary = f"{short} role{'' if short == 1 else 's'} short" if short else f"{len(people)} with a PIN"
    how = "A system administrator adds people, and compliance approves each. Under Staff they go on duty."
    links = (("People", people_url), ("Staff and training", url))
    return FirstDayStep("people", "People", summary, tuple(needs), how, links)


def _trained_dealers(
    facility: Facility, tables: list[Table], people: list[Person], now: dt.datetime, url: str
) -> Need:
    """Dealers trained for the game of some table, as many as the table with the fewest posts has.

    Before there is a table, a training for any game counts.
    """
    today = facility.local(now).date()
    dealers = [person.pk for person in people if person.role in DEALERS]
    trained = Qualification.objects.in_effect(today).filter(person__in=dealers)
    if tables:
        trained = trained.filter(game__in={table.game for table in tables})
    count = trained.values("person").distinct().count()
    need = min((len(posts.posts_of(table)) for table in tables), default=1)
    return Need(
        "Dealer, trained", count, need, "at each post of a table, with training for its game", url=url
    )


def _pits(facility: Facility, tables: list[Table]) -> FirstDayStep:
    pits = facility.pits.count()
    summary = f"{pits} pit{'' if pits == 1 else 's'}, {len(tables)} table{'' if len(tables) == 1 else 's'}"
    return FirstDayStep(
        "pits",
        "Pits and tables",
        summary,
        (
            Need("Pit", pits, 1, "a group of tables under a pit manager"),
            Need("Table", len(tables), 1, "needs a pit and a rules submission"),
        ),
        "An administrator or compliance adds them here.",
    )


def _rules(facility: Facility, tables: list[Table], now: dt.datetime) -> FirstDayStep:
    law = facility.law
    in_force = {code for _, _, code in all_in_force([facility.pk], now)}
    dealt = {table.submission_code for table in tables}
    submissions = reverse("submissions", args=[facility.code])
    guide, signs = reverse("guides", args=[facility.code]), reverse("signs", args=[facility.code])
    needs = [
        Need(
            "Rules submission in force",
            len(in_force & dealt if dealt else in_force),
            max(1, len(dealt)),
            "filed, and approved by its letter",
            law.section("submissions.start"),
            submissions,
        ),
        *(
            Need(f"Approved form: {kind}", int(is_approved), 1, game, law.section("signs.form"), signs)
            for game, kind, is_approved in _required_signs(facility, tables, now)
        ),
        Need(
            "Gaming guide",
            int(published(facility) is not None),
            1,
            "published",
            law.section("guide.guide"),
            guide,
        ),
    ]
    missing = [need.name for need in needs if need.missing]
    codes = ", ".join(sorted(dealt or in_force))
    summary = f"{codes}; {missing[0].lower()} missing" if codes and missing else codes or "none yet"
    links = (("Submissions", submissions), ("Signs", signs), ("Guide", guide))
    how = "A games administrator or compliance prepares it; somebody else approves it under Approvals."
    return FirstDayStep("rules", "First submission", summary, tuple(needs), how, links)


def _required_signs(
    facility: Facility, tables: Iterable[Table], now: dt.datetime
) -> list[tuple[str, str, bool]]:
    """The signs that the inspections of these tables ask for: name of the game, kind, whether its form is approved.

    What a table asks for is known once it has rules in force and a shaker.
    """
    required: dict[tuple[str, str], bool] = {}
    for table in tables:
        ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, now))
        try:
            lines = [line.code for line in Equipment(ctx).lines]
        except Refusal:
            continue
        forms = forms_in_force(facility, table.game)
        required |= {
            (table.game, SIGN_OF_LINE[line]): SIGN_OF_LINE[line] in forms
            for line in lines
            if line in SIGN_OF_LINE
        }
    return [(game_by_code(game).name, kind, is_approved) for (game, kind), is_approved in required.items()]


def _equipment(facility: Facility, tables: list[Table], registers: dict[int, TableEquipment]) -> FirstDayStep:
    equipment, dice = reverse("equipment", args=[facility.code]), reverse("dice", args=[facility.code])
    with_shaker = set(
        Shaker.objects.filter(table__in=tables, out_of_order=False).values_list("table", flat=True)
    )
    needs: list[Need] = []
    for table in tables:
        register = registers[table.pk]
        on_file = sum(not requirement.blocks_opening for requirement in register.requirements)
        approvals = len(register.requirements) or 1
        has_dice = DiceLot.objects.in_use_at(table.pk) is not None
        needs += [
            Need(
                f"{table.code}: shaker", int(table.pk in with_shaker), 1, "registered, placed", url=equipment
            ),
            Need(f"{table.code}: approvals", on_file, approvals, "of its equipment", url=equipment),
            Need(f"{table.code}: dice", int(has_dice), 1, "issued, and placed in the shaker", url=dice),
        ]
    if not tables:
        needs = [Need("Shaker, approvals and dice", 0, 1, "of the first table")]
    ready = sum(
        not any(need.missing for need in needs if need.name.startswith(f"{table.code}:")) for table in tables
    )
    links = (("Equipment", equipment), ("Dice", dice))
    how = (
        "A games administrator or compliance records approvals, somebody else approves them. "
        "Managers keep the dice."
    )
    summary = f"{ready} of {len(tables)} ready" if tables else "waits for a table"
    return FirstDayStep("equipment", "Equipment and dice", summary, tuple(needs), how, links)


def _devices(facility: Facility, tables: list[Table]) -> FirstDayStep:
    devices = Device.objects.filter(facility=facility.code, revoked_at=None, enrollment_used_at__isnull=False)
    places = list(devices.filter(station=Station.DEALER).values_list("place", flat=True))
    shared = devices.filter(place="", station__in=(Station.PODIUM, Station.PIT, Station.OFFICE)).count()
    needs = [Need("Podium or office", shared, 1, "serves the whole facility")]
    needs += [
        Need(f"Tablet of {table.code}", places.count(table.stream.name), 1, "the dealer's console")
        for table in tables
    ]
    if not tables:
        needs.append(Need("Tablet of the first table", 0, 1, "the dealer's console"))
    enrolled = sum(min(need.have, need.need) for need in needs)
    how = "A system administrator gives each device its token."
    return FirstDayStep("devices", "Devices", f"{enrolled} of {len(needs)} enrolled", tuple(needs), how)


def _opening(facility: Facility, tables: list[Table]) -> FirstDayStep:
    on_duty = Assignment.objects.at_facility(facility).filter(person__is_active=True)
    roles = list(on_duty.values_list("person__role", "person").distinct())
    opened = [table.code for table in tables if has_been_open(table)]
    url = reverse("staff", args=[facility.code])
    needs = (
        Need(
            "Floorperson on duty",
            len({pk for role, pk in roles if role in FLOOR}),
            1,
            "inspects and opens",
            url=url,
        ),
        Need(
            "Dealer on duty",
            len({pk for role, pk in roles if role in DEALERS}),
            1,
            "signs in at the tablet",
            url=url,
        ),
        Need("Table opened", len(opened), 1, "inspected and opened at its tablet"),
    )
    summary = f"{', '.join(opened)} opened" if opened else "no table has been open"
    how = "At its tablet the dealer signs in, and the floorperson inspects and opens the table."
    return FirstDayStep("opening", "First opening", summary, needs, how, (("Staff", url),))


def has_been_open(table: Table) -> bool:
    """Whether a table is open, or was before."""
    return table.status != Table.Status.CLOSED or table.closed_at is not None or table.last_round > 0


# The facility itself, its two administrators, and its first podium


@dataclass(frozen=True)
class Administrator:
    """One of the first two people, with their own PIN."""

    code: str
    name: str
    pin: str


# Neither of them gives anybody access alone: they belong to two departments.
FIRST_PEOPLE = (
    (Role.SYSTEM_ADMINISTRATOR, Department.INFORMATION_TECHNOLOGY),
    (Role.COMPLIANCE, Department.COMPLIANCE),
)


@transaction.atomic
def create_facility(
    *,
    code: str,
    name: str,
    jurisdiction: str,
    time_zone: str,
    gaming_day_start: dt.time,
    administrators: tuple[Administrator, Administrator],
    podium: str,
) -> tuple[Facility, str]:
    """Create a facility with a system administrator, somebody of compliance, and a podium.

    Returns it with the device's enrollment token. Each row is stated on the record; nobody acts, for the server does.
    Raises ValidationError for what may not be saved.
    """
    facility = Facility(
        code=code,
        name=name,
        jurisdiction=jurisdiction,
        time_zone=time_zone,
        gaming_day_start=gaming_day_start,
    )
    facility.full_clean()
    facility.save()
    now = clock.now()
    record.append(
        record.lock_stream(f"{code}/setup"),
        entry=FACILITY_MADE(
            code=code,
            name=name,
            jurisdiction=jurisdiction,
            time_zone=time_zone,
            gaming_day_start=f"{gaming_day_start:%H:%M}",
        ),
        moment=now,
        gaming_day=facility.gaming_day(now),
    )
    for administrator, (role, department) in zip(administrators, FIRST_PEOPLE, strict=True):
        _add(facility, administrator, role, department, now)
    return facility, enroll(podium, code, "podium")[1]


def _add(
    facility: Facility, administrator: Administrator, role: Role, department: Department, now: dt.datetime
) -> None:
    """Add a person who is on duty at the whole facility."""
    person = Person.objects.create_person(
        administrator.code,
        administrator.pin,
        name=administrator.name,
        role=role,
        department=department,
        facility=facility.code,
    )
    registration.record_person(person)
    duty = Assignment.objects.create(person=person, facility=facility, started_at=now)
    stream = record.lock_stream(f"{facility.code}/staff")
    record.append(
        stream,
        entry=ASSIGNMENT_STARTED(
            {"assignment": duty.pk, "person": person.code, "pit": None, "table": None, "elsewhere": None}
        ),
        moment=clock.never_before(stream, now),
        gaming_day=facility.gaming_day(now),
    )
