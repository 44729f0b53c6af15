"""An evening at new simulated tables: hours of play in the past, up to now, by several games, pits and dealers.

Every act is executed as at any table, at the moment of the evening. Only streams of the new tables get entries, so what
the facility did meanwhile does not matter.
"""

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush

from audit import clock
from audit.devices import enroll
from audit.models import Device, Person
from games.engine import Refusal
from games.models import Facility, RulesSubmission
from games.office.submissions.refusals import NO_SUCH_SUBMISSION
from tables.demo.evening import Hands
from tables.demo.seeding import assign
from tables.demo.simulated_money import chip_room
from tables.demo.simulation import SimulatedTable, acts_of_round, prepare, simulated_table
from tables.models import Pit, Table

PITS = 3
DEALERS_FOR_TWO_TABLES = 3
TIME_AT_TABLE = dt.timedelta(minutes=40)
MOST_OPENING_DELAY = dt.timedelta(minutes=40)
LAST_ROUND_BEFORE = dt.timedelta(minutes=3)
SECONDS_OF_AN_ACT = (1.5, 4.0)
SECONDS_BETWEEN_ROUNDS = (8.0, 45.0)


@dataclass(frozen=True)
class Evening:
    """What is played: `hours` up to now at `tables` new tables, under these rules submissions in turn."""

    facility: Facility
    submissions: Sequence[str]
    tables: int
    hours: int
    seed: int


def play_evening(
    evening: Evening, after_round: Callable[[dt.timedelta], None] = lambda played: None
) -> tuple[list[Table], int]:
    """Play an evening. Return its tables and the number of rounds. Calls `after_round` with how much of it is played.

    The rounds of all tables are played in the order of their moments. Raises `no-such-submission`.
    """
    for code in evening.submissions:
        if not RulesSubmission.objects.filter(facility=evening.facility, code=code).exists():
            raise Refusal(NO_SUCH_SUBMISSION, code=code, version=1)
    end, draw = clock.now(), random.Random(evening.seed)
    begin = end - dt.timedelta(hours=evening.hours)
    hands, rounds = Hands(begin), 0
    device, _ = enroll(f"Simulation {Device.objects.count() + 1}", evening.facility.code, "podium")
    with clock.override(hands.now):
        simulated_tables = _new_tables(evening, device)
        room = chip_room(evening.facility) if evening.facility.keeps_inventory else None
        dealers = _dealers(evening, [simulated.table for simulated in simulated_tables])
        opening = [
            (begin + draw.random() * min(MOST_OPENING_DELAY, (end - begin) / 2), number)
            for number in range(len(simulated_tables))
        ]
        waiting = sorted(opening)
        while waiting and waiting[0][0] < end - LAST_ROUND_BEFORE:
            hands.moment, number = heappop(waiting)
            simulated = simulated_tables[number]
            if (hands.moment, number) in opening:
                prepare(simulated)
                if room is not None:
                    room.open(simulated)
            turn = int((hands.moment - opening[number][0]) / TIME_AT_TABLE)
            at_table = replace(simulated, dealer=dealers[(number + turn) % len(dealers)])
            if room is not None:
                room.serve(at_table, draw)
            for _ in acts_of_round(at_table, draw):
                hands.move(draw.uniform(*SECONDS_OF_AN_ACT))
            hands.move(draw.uniform(*SECONDS_BETWEEN_ROUNDS))
            heappush(waiting, (hands.moment, number))
            rounds += 1
            after_round(hands.moment - begin)
    return [simulated.table for simulated in simulated_tables], rounds


def _new_tables(evening: Evening, device: Device) -> list[SimulatedTable]:
    """Make the tables, each under the next submission and in the next pit."""
    facility = evening.facility
    pits = [
        Pit.objects.get_or_create(
            facility=facility, code=f"sim-{number}", defaults={"name": f"Simulated {number}"}
        )[0]
        for number in range(1, PITS + 1)
    ]
    simulated_tables = []
    for number in range(evening.tables):
        submission = evening.submissions[number % len(evening.submissions)]
        pit = pits[number * PITS // evening.tables]
        simulated_tables.append(simulated_table(facility, submission, device, _free_number(facility), pit))
    return simulated_tables


def _free_number(facility: Facility) -> int:
    """The number of the next simulated table of the facility."""
    return Table.objects.filter(facility=facility, kind=Table.Kind.SIMULATED).count() + 1


def _dealers(evening: Evening, tables: Sequence[Table]) -> list[Person]:
    """The dealers of the evening, on duty in every pit of it. They have no PIN, so nobody can sign in as them."""
    count = max(2, evening.tables * DEALERS_FOR_TWO_TABLES // 2)
    pits = sorted({table.pit.code for table in tables})
    dealers = []
    for number in range(1, count + 1):
        person, is_new = Person.objects.get_or_create(
            code=f"sim-dealer-{number}-{evening.facility.code}",
            defaults={
                "name": f"Simulated Dealer {number}",
                "role": "dealer",
                "department": "table-games",
                "facility": evening.facility.code,
                "password": "!",
            },
        )
        if is_new:
            for pit in pits:
                assign(person, evening.facility, pit)
        dealers.append(person)
    return dealers
