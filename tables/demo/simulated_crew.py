"""The people of a simulated evening: dealers in turn, a floorperson for two tables, the cage, security and managers.

Those of simulated tables have no PIN, so nobody can sign in as them. Those of live tables have one, `PIN`, because only
people who can sign in are offered for reliefs; only a demo has such tables.
"""

import itertools
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from django.contrib.auth.hashers import make_password

from audit import clock
from audit.models import Person
from games.models import Facility
from games.registry import game_by_code
from tables.demo.seeding import assign
from tables.models import Pit, Qualification, Table

PIN = "404040"
DEALERS_FOR_THREE_POSTS = 5  # each deals 40 minutes and rests more than 20
TABLES_OF_A_FLOORPERSON = 2
FIRST_NAMES = (
    *("Ada", "Bruno", "Celia", "Dario", "Elena", "Farid", "Grace", "Hana", "Idris", "Joan", "Karim", "Leila"),
    *("Milan", "Nadia", "Oscar", "Paula", "Quinn", "Rafael", "Sonia", "Tomas", "Uma", "Vera", "Wade", "Yara"),
)
LAST_NAMES = (
    *("Abbott", "Brooks", "Castro", "Dunn", "Ellis", "Fuentes", "Grant", "Hayes", "Ito", "Jensen", "Kane"),
    *(
        "Lowe",
        "Mercer",
        "Novak",
        "Ortiz",
        "Perry",
        "Quist",
        "Rossi",
        "Shaw",
        "Tully",
        "Vance",
        "Walsh",
        "Young",
    ),
)
DEPARTMENTS = {"cage": "cage", "security": "security"}  # by role; everybody else is of table games


@dataclass
class PitCrew:
    """Who works in a pit: dealers who rest, the longest rested first, and the floorperson of each table, by its code.

    A floorperson has two tables of the same game at most, which the span of every edition allows.
    """

    resting: deque[Person] = field(default_factory=deque)
    floor: dict[str, Person] = field(default_factory=dict)


@dataclass(frozen=True)
class Staff:
    """Everybody of an evening. `pits`: by the pit's code."""

    pits: dict[str, PitCrew]
    cashier: Person
    second_cashier: Person
    guard: Person
    manager: Person
    next_manager: Person


def staff_of(facility: Facility, tables: Sequence[Table]) -> Staff:
    """Make the people of an evening at these new tables, and put them on duty."""
    recruits = _Recruits(facility, has_names=any(table.kind == Table.Kind.LIVE for table in tables))
    pits: dict[str, PitCrew] = {}
    for pit in dict.fromkeys(table.pit for table in tables):
        tables_of_pit = [table for table in tables if table.pit_id == pit.pk]
        posts = sum(len(game_by_code(table.game).posts) for table in tables_of_pit)
        games = {table.game for table in tables_of_pit}
        crew = PitCrew()
        for game in sorted(games):
            codes = [table.code for table in tables_of_pit if table.game == game]
            for number in range(0, len(codes), TABLES_OF_A_FLOORPERSON):
                person = recruits.hire("floorperson", pit)
                crew.floor |= dict.fromkeys(codes[number : number + TABLES_OF_A_FLOORPERSON], person)
        dealers = -(-posts * DEALERS_FOR_THREE_POSTS // 3)
        crew.resting.extend(recruits.hire("dealer", pit, games) for _ in range(dealers))
        pits[pit.code] = crew
    return Staff(
        pits,
        recruits.hire("cage"),
        recruits.hire("cage"),
        recruits.hire("security"),
        recruits.hire("pit-manager"),
        recruits.hire("shift-manager"),
    )


class _Recruits:
    """Hires people of a facility, each with the next number."""

    def __init__(self, facility: Facility, *, has_names: bool) -> None:
        self.facility, self.has_names = facility, has_names
        self.password = make_password(PIN) if has_names else "!"
        known = Person.objects.filter(facility=facility.code, code__startswith="sim-").count()
        self.numbers: Iterator[int] = itertools.count(known + 1)

    def hire(self, role: str, pit: Pit | None = None, games: Collection[str] = ()) -> Person:
        """Return a new person on duty at this pit, or at the whole facility, who is trained for these games."""
        facility, number = self.facility, next(self.numbers)
        person = Person.objects.create(
            code=f"sim-{role}-{number}-{facility.code}",
            name=self._name(role, number),
            role=role,
            department=DEPARTMENTS.get(role, "table-games"),
            facility=facility.code,
            password=self.password,
        )
        assign(person, facility, pit.code if pit else "")
        today = facility.local(clock.now()).date()
        for game in sorted(games):
            Qualification.objects.create(person=person, game=game, reference=f"TR-SIM-{number}", since=today)
        return person

    def _name(self, role: str, number: int) -> str:
        if not self.has_names:
            return f"Simulated {role.replace('-', ' ').title()} {number}"
        # 24 and 23 have no common factor, so the first 552 names differ.
        return f"{FIRST_NAMES[number % len(FIRST_NAMES)]} {LAST_NAMES[number % len(LAST_NAMES)]}"
