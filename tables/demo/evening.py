"""An evening on the demo floor: two hours of play, and work that waits for the visitor.

Dice drawn by a program are allowed only where the whole installation is a demo, and only at the tables named here. A
visitor who signs in at the tablet of one of them deals it from then on.
"""

import asyncio
import contextlib
import datetime as dt
import logging
import random
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings

from audit import clock
from audit.errors import AuditRefusal
from audit.models import Device, Person
from audit.runner import one_transaction
from games.engine import Refusal
from games.models import Facility
from games.snapshot_types import NextStep
from tables.demo import floor as demo
from tables.demo import seeding
from tables.demo.refusals import EVENING_OUTSIDE_DEMO
from tables.demo.simulation import SimulatedTable, acts_of_round, prepare, simulated_table
from tables.models import Table
from tables.money.keeping import change_keeping
from tables.runner import facility as facility_runner
from tables.screens import push
from tables.screens.snapshot import of_table

log = logging.getLogger(__name__)
FACILITY = demo.LARKFIELD.code
# Tables of the floor that are dealt all evening, each by the dealer and under the floorperson of the demo's data.
DEALT = ("T-04", "T-31", "T-32")
FOOTBALL_SUBMISSION = "RS-0031"
PAST = dt.timedelta(hours=2)
PLANNED_IN = dt.timedelta(minutes=40)  # the planned move that waits for the visitor
ROUNDS, FOOTBALL_GAMES = 20, 3
SECONDS_BETWEEN_ACTS = 3.0
WITHOUT_DEALER, DISPUTED, BETTING = "T-02", "T-05", "T-03"
# Chips of the trays by their par and at their count, and of the fill that waits, by value in cents
PAR = {"100": 50, "500": 300, "2500": 400, "10000": 200, "50000": 40, "100000": 10}
TRAY = {"100": 50, "500": 118, "2500": 96, "10000": 61, "50000": 28, "100000": 9}
FILL = {"500": 150, "2500": 250, "10000": 100}
# Seat, wager, cents
WAGERS_AT_DISPUTED = (
    (2, "big", 2_500),
    (3, "total:12", 1_000),
    (3, "two-dice:2-5", 1_000),
    (6, "small", 5_000),
)
DICE_AT_DISPUTED = [2, 5, 5]
WAGERS_AT_BETTING = (
    (1, "small", 5_000),
    (4, "one-of-a-kind:5", 2_500),
    (4, "big", 10_000),
    (7, "total:9", 2_500),
)


def verify_demo() -> None:
    """Refuse to deal by program where people may play for money: raises Refusal(`evening-outside-demo`)."""
    if not settings.DEMO:
        raise Refusal(EVENING_OUTSIDE_DEMO)


class Hands:
    """A clock that the seeding moves: the evening begins in the past and ends now."""

    def __init__(self, moment: dt.datetime) -> None:
        self.moment = moment

    def now(self) -> dt.datetime:
        return self.moment

    def move(self, seconds: float) -> None:
        self.moment += dt.timedelta(seconds=seconds)


def seed_evening(progress: Callable[[range], Iterable[int]] = iter, seed: int = 1) -> bool:
    """Create the demo floor as it is after two hours of play, all of it or nothing. Return False if it exists.

    `progress` wraps the rounds that are played. The record has the times of the played evening. Raises Refusal outside
    the demo.
    """
    verify_demo()
    if Facility.objects.filter(code=FACILITY).exists():
        return False
    end, draw = clock.now(), random.Random(seed)
    hands = Hands(end - PAST)
    with one_transaction(), clock.override(hands.now):
        seeding.seed()
        begin, tables = hands.moment + dt.timedelta(minutes=1), tables_of_the_evening()
        for simulated in filter(is_football, tables):
            prepare(simulated)
        pause = (end - begin) / (ROUNDS + 1)
        for number in progress(range(ROUNDS)):
            for simulated in tables:
                if is_football(simulated) and number * FOOTBALL_GAMES % ROUNDS >= FOOTBALL_GAMES:
                    continue
                # Each table has its own stream, so the times of two tables may overlap.
                hands.moment = begin + number * pause + draw.random() * pause / 8
                for _ in acts_of_round(simulated, draw):
                    hands.move(draw.uniform(2, 5))
        hands.moment = end - dt.timedelta(minutes=3)
        _begin_trays(tables, hands)
        hands.moment = end - dt.timedelta(minutes=2)
        _leave_work_for_the_visitor(hands)
    return True


def is_football(simulated: SimulatedTable) -> bool:
    return simulated.table.kind == Table.Kind.SIMULATED


def tables_of_the_evening() -> list[SimulatedTable]:
    """The tables of the floor that the evening deals, and a simulated football table.

    Football has three posts at a live table, and so three people who act in turn; a simulated table has none.
    """
    facility = Facility.objects.get(code=FACILITY)
    device = Device.objects.get(facility=FACILITY, name=seeding.PODIUM)
    live = []
    for code in DEALT:
        table = Table.objects.select_related("stream", "facility", "dealer").get(facility=facility, code=code)
        demo_table = next(table for table in demo.LARKFIELD.tables if table.code == code)
        dealer = Person.objects.get(code=demo_table.dealers[0])
        supervisor = seeding.floorperson(FACILITY, demo_table)
        live.append(SimulatedTable(table, dealer, supervisor, device, seeding.rules_at(table)))
    return [*live, simulated_table(facility, FOOTBALL_SUBMISSION, device)]


def _begin_trays(tables: Iterable[SimulatedTable], hands: Hands) -> None:
    """Keep the inventory from now on: the trays of the dealt tables are counted, and one of them waits for a fill."""
    change_keeping(Facility.objects.get(code=FACILITY), True)
    guard = Person.objects.get(facility=FACILITY, role="security")
    manager = Person.objects.get(facility=FACILITY, role="shift-manager")
    cashier = Person.objects.get(facility=FACILITY, role="cage")
    live = [simulated for simulated in tables if not is_football(simulated)]
    for simulated in live:
        code = simulated.table.code

        def act(person: Person, name: str, params: dict[str, Any], witness: Person | None = None) -> None:
            seeding.do(person, simulated.device, FACILITY, code, name, params, witness)  # noqa: B023
            hands.move(4)

        act(manager, "set_par", {"chips": PAR}, cashier)
        act(simulated.dealer, "count_opener", {"chips": TRAY}, simulated.floor)
        act(simulated.floor, "put_on_drop_box", {"box": f"BOX-{code}"}, guard)
        act(simulated.dealer, "sell_chips", {"cents": 50_000})
    seeding.do(live[0].floor, live[0].device, FACILITY, live[0].table.code, "request_fill", {"chips": FILL})


def _leave_work_for_the_visitor(hands: Hands) -> None:
    """Leave a table without its dealer, one with open bets, one with a dispute for the floor, and a planned move."""
    device = Device.objects.get(facility=FACILITY, name=seeding.PODIUM)

    def act(person: str, table: str, name: str, params: dict[str, Any]) -> None:
        seeding.do(Person.objects.get(code=person), device, FACILITY, table, name, params)
        hands.move(4)

    act("sam", WITHOUT_DEALER, "leave_table", {})
    act("linh", BETTING, "place_wagers", {"wagers": _lines(WAGERS_AT_BETTING)})
    act("omar", DISPUTED, "place_wagers", {"wagers": _lines(WAGERS_AT_DISPUTED)})
    while (step := _next_step(DISPUTED))["act"] != "call_dice":
        act("omar", DISPUTED, step["act"], {**step["params"]})
    act("omar", DISPUTED, "call_dice", {"dice": DICE_AT_DISPUTED})
    act(
        "omar",
        DISPUTED,
        "report_dispute",
        {"seat": 3, "about": "Says that the wager on 12 was $25, not $10."},
    )
    planned_for = (hands.moment + PLANNED_IN).replace(second=0, microsecond=0)
    move = {"person": "zara", "table": "T-01", "planned_for": planned_for.isoformat()}
    floor = Person.objects.get(code="kate")
    facility_runner.execute(
        facility_runner.ActRequest(FACILITY, "", "plan_move", uuid.uuid4(), 0, move, floor, device)
    )


def _next_step(code: str) -> NextStep:
    table = Table.objects.get(facility__code=FACILITY, code=code)
    step = of_table(table.pk)["next"]
    assert step is not None
    return step


def _lines(wagers: Iterable[tuple[int, str, int]]) -> list[dict[str, Any]]:
    return [{"seat": seat, "wager": wager, "cents": cents} for seat, wager, cents in wagers]


class LiveEvening:
    """Continues to deal the tables of the evening, one act at each in turn, until a visitor does."""

    def __init__(self, draw: random.Random | None = None) -> None:
        verify_demo()
        self.draw = draw or random.Random()
        self.rounds: dict[int, Iterator[str]] = {}

    def act(self) -> list[int]:
        """Execute the next act at each table that no visitor has taken. Return the ids of the tables that changed.

        After a refusal the table's round is left to people. The table is tried again at the next call, and continues
        once its round can.
        """
        changed = []
        for simulated in tables_of_the_evening():
            table = simulated.table
            if has_visitor(table):
                self.rounds.pop(table.pk, None)
                continue
            acts = self.rounds.setdefault(table.pk, acts_of_round(simulated, self.draw))
            try:
                next(acts)
            except StopIteration:
                self.rounds.pop(table.pk)
                continue
            except (Refusal, AuditRefusal):
                self.rounds.pop(table.pk)
                continue
            changed.append(table.pk)
        return changed


def has_visitor(table: Table) -> bool:
    """Whether somebody has signed in at a tablet of this table."""
    return Device.objects.filter(place=table.stream.name, person__isnull=False, revoked_at=None).exists()


async def run_evening() -> None:
    """Deal the evening until canceled."""
    evening = LiveEvening()
    while True:
        await asyncio.sleep(SECONDS_BETWEEN_ACTS)
        try:
            for table_id in await database_sync_to_async(evening.act)():
                await push.publish(table_id)
        except Exception:  # the database is unavailable or was replaced: the evening continues later
            log.exception("The evening of the demo pauses.")
            await asyncio.sleep(10 * SECONDS_BETWEEN_ACTS)


def with_evening(application: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Wrap an application so that its server runs the evening as a task, from the first request on."""
    tasks: list[asyncio.Task[None]] = []

    async def application_with_evening(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if not tasks:
            tasks.append(asyncio.create_task(run_evening()))
        try:
            await application(scope, receive, send)
        finally:
            if scope["type"] == "lifespan":
                with contextlib.suppress(IndexError):
                    tasks[0].cancel()

    return application_with_evening
