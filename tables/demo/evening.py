"""The evening of the demo floor: programs deal its tables, from an hour ago up to now, and on from there.

Dice drawn by a program are allowed only where the whole installation is a demo, and only at the tables named here. A
visitor who signs in at the tablet of one of them deals it from then on. The hour before is dealt while the floor is
served already: each act has its moment of that hour, in the thread that executes it, and the ticker leaves a table
alone until its past has reached the present. A visitor who acts at such a table meanwhile ends its past.

The demo is served from its first second (`DemoServer`). Migrations and the floor's people take some ten seconds; until
they are done every address answers with a page that says that the floor opens, and neither the application nor its
ticker begins.
"""

import asyncio
import contextlib
import datetime as dt
import logging
import random
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.db import connections
from django.db.models import Q
from django.template.loader import render_to_string
from django.templatetags.static import static

from audit import clock
from audit.models import Device, Person
from audit.refusals import AuditRefusal
from audit.runner import Stale, one_transaction
from games.engine import Refusal
from games.models import Facility
from tables.core import posts
from tables.core.alerts import held, standing_disputes
from tables.core.context import DICE_PAST_THEIR_TIME
from tables.demo import floor as demo
from tables.demo import seeding
from tables.demo.simulation import (
    EVENING_OUTSIDE_DEMO,
    FILL,
    MAX_ACTS,
    SimulatedTable,
    Staff,
    TableChips,
    acts_of_round,
    change_dice,
    place_wagers,
)
from tables.limits import pending_change
from tables.models import Alert, DiceLot, PlannedMove, PlayerDetails, Round, Table, TableInventory, Wager
from tables.money.chips import change_keeping
from tables.runner import facility as facility_runner
from tables.runner.table import DEALT_IN_THE_PAST
from tables.screens import push
from tables.screens.table_history import wager_labels
from tables.staffing.roster import dealers_on_duty, posts_in_relief

log = logging.getLogger(__name__)
FACILITY = demo.LARKFIELD.code
# Every open table of the floor, each dealt by its own people. The past of one follows that of the other: a dispute
# waits, and a table is ready, when the first visitor comes.
DEALT = ("T-05", "T-01", "T-02", "T-03", "T-04", "T-31", "T-32", "T-42")
DISPUTED, BIASED, FILLED, NOTICED, RATED = "T-05", "T-02", "T-04", "T-03", "T-01"
# The dice of one table favor a six, until its dice are changed: the dice watch finds it within the first hour.
WEIGHTS = (9, 9, 9, 9, 9, 33)
FIRST_SEAL = "SL-00002"  # of the dice with which the biased table opened
PAST = dt.timedelta(hours=1)
PLANNED = "T-01"  # who relieves its dealer next, and when, is planned
PLANNED_AT_LEAST = dt.timedelta(minutes=10)  # before it
BETWEEN_PLANS = dt.timedelta(minutes=1)
SECONDS_BETWEEN_ACTS = 3.0
SECONDS_OF_AN_ACT = (2.0, 4.0)
SECONDS_BETWEEN_ROUNDS = {"sic-bo": (30.0, 70.0), "high-roll": (40.0, 80.0), "football": (60.0, 120.0)}
SECONDS_BETWEEN_PUSHES = 1.0  # of the past, of which no screen needs every act
ACTS_BEFORE_A_PAUSE, PAUSE_IN_THE_PAST = 5, 0.02  # seconds in which others write to the database
SECONDS_CLOSED = 60.0  # between two gaming days
LEAST_SHARE = 0.6  # of the seats that play
WORK, REST = dt.timedelta(minutes=40), dt.timedelta(minutes=demo.BREAK_MINUTES)
HOUSE_WORK = dt.timedelta(minutes=demo.WORK_MINUTES)
DICE_ARE_CHANGED_BEFORE = dt.timedelta(hours=1)
EVENTS_BEGIN_BEFORE = dt.timedelta(minutes=2)  # the present
DISPUTE_WAITS, BETWEEN_EVENTS = dt.timedelta(minutes=15), dt.timedelta(minutes=10)
VISITOR_IS_GONE_AFTER = dt.timedelta(minutes=5)
NOT_TAKEN = (Refusal, AuditRefusal, Stale)
_dealing = threading.RLock()  # the evening, and what brings a table to a visitor, deal in turn


# Seed the floor and its evening


def verify_demo() -> None:
    """Refuse to deal by program where people may play for money: raises Refusal(`evening-outside-demo`)."""
    if not settings.DEMO:
        raise Refusal(EVENING_OUTSIDE_DEMO)


class Hands:
    """A clock that a program moves while it deals the past."""

    def __init__(self, moment: dt.datetime) -> None:
        self.moment = moment

    def now(self) -> dt.datetime:
        return self.moment

    def move(self, seconds: float) -> None:
        self.moment += dt.timedelta(seconds=seconds)


def seed_floor() -> bool:
    """Create the demo floor as it opened an hour ago, all of it or nothing. Return False if it exists.

    `LiveEvening` deals it from then on. Raises Refusal outside the demo.
    """
    verify_demo()
    if Facility.objects.filter(code=FACILITY).exists():
        return False
    hands = Hands(clock.now() - PAST)
    with one_transaction(), clock.in_this_thread(hands.now):
        seeding.seed(is_evening=True)
        seeding.let_a_client_in()
        hands.move(30)
        _begin_trays(hands)
        register_guest()
    return True


def seed_evening(progress: Callable[[range], Iterable[int]] = iter, seed: int = 1) -> bool:
    """Create the demo floor, and deal its first hour. Return False if it exists.

    `progress` wraps the tables that are dealt. Raises Refusal outside the demo.
    """
    if not seed_floor():
        return False
    evening = LiveEvening(random.Random(seed))
    for dealt in progress(range(len(DEALT))):
        while len(evening.in_the_past()) > len(DEALT) - 1 - dealt:
            evening.deal_past()
    return True


def _begin_trays(hands: Hands) -> None:
    """Keep the inventory from now on: every tray has its par, its opener is signed, and a drop box is on."""
    change_keeping(Facility.objects.get(code=FACILITY), True)
    for simulated in tables_of_the_evening():
        start = hands.moment
        TableChips(_staff()).begin(simulated)
        hands.moment = start + dt.timedelta(seconds=1)


def register_guest() -> str:
    """File the guest of the demo, who has a club card, and return their code."""
    floorperson = seeding.floorperson(
        FACILITY, next(row for row in demo.LARKFIELD.tables if row.code == RATED)
    )
    podium = Device.objects.get(facility=FACILITY, name=seeding.PODIUM)
    guest = {"name": demo.GUEST_NAME, "card": demo.GUEST_CARD}
    request = facility_runner.ActRequest(
        FACILITY, "", "register_player", uuid.uuid4(), 0, guest, floorperson, podium
    )
    return str(facility_runner.execute(request).body["player"])


def _staff() -> Staff:
    """Who brings and counts the chips of the floor."""

    def person_as(role: str) -> Person:
        return Person.objects.get(facility=FACILITY, role=role)

    cashier, guard = person_as("cage"), person_as("security")
    return Staff({}, cashier, cashier, guard, person_as("shift-manager"), person_as("pit-manager"))


# The tables that play, and what they wait for


def plan_relief(simulated: SimulatedTable, now: dt.datetime) -> None:
    """Plan who relieves the dealer of a table next, once that dealer has worked long enough, if nobody is planned yet.

    Its own dealers come back first, then those who rested longest. Raises Refusal where the board refuses the move.
    """
    table = simulated.table
    if PlannedMove.objects.open_moves(table.facility).filter(table=table).exists():
        return
    (post,) = posts_in_relief(table, now)
    dealers = [
        dealer.person for dealer in dealers_on_duty(table, now) if not dealer.obstacle and not dealer.planned
    ]
    if post.person is None or post.break_due is None or not dealers:
        return
    own = next(row.dealers for row in demo.LARKFIELD.tables if row.code == table.code)
    person = next((person for person in dealers if person.code in own), dealers[0])
    planned_for = max(post.break_due - HOUSE_WORK + WORK, now + PLANNED_AT_LEAST).replace(
        second=0, microsecond=0
    )
    move = {"person": person.code, "table": table.code, "planned_for": planned_for.isoformat()}
    facility_runner.execute(
        facility_runner.ActRequest(
            FACILITY, "", "plan_move", uuid.uuid4(), 0, move, simulated.floor, simulated.device
        )
    )


def tables_of_the_evening() -> list[SimulatedTable]:
    """The tables of the floor that programs deal, each with the people who are at its posts now.

    Left out is a table without its dealers, or that is not open.
    """
    return [table for code in DEALT if (table := table_of_the_evening(code)) is not None]


def table_of_the_evening(code: str) -> SimulatedTable | None:
    tables = Table.objects.select_related("stream", "facility", "dealer", "dealer_left", "stickperson")
    table = tables.filter(facility__code=FACILITY, code=code, status=Table.Status.OPEN).first()
    if table is None:
        return None
    crew = {post: posts.holder(table, post) for post in posts.posts_of(table)}
    people = {post: person for post, person in crew.items() if person is not None}
    if len(people) < len(crew):
        return None
    demo_table = next(row for row in demo.LARKFIELD.tables if row.code == code)
    return SimulatedTable(
        table,
        next(iter(people.values())),
        seeding.floorperson(FACILITY, demo_table),
        Device.objects.get(facility=FACILITY, name=seeding.PODIUM),
        seeding.rules_at(table),
        people if len(people) > 1 else {},
        least_players=max(1, round(LEAST_SHARE * table.seats)),
        weights=WEIGHTS if code == BIASED and _lot_of(table).seal == FIRST_SEAL else (),
    )


def _lot_of(table: Table) -> DiceLot:
    """The dice in the shaker of a table."""
    return DiceLot.objects.get(shaker__table=table, status=DiceLot.Status.PLACED)


# The evening


@dataclass
class TableOfEvening:
    """What the evening remembers of a table: the round that is dealt, its past, and when something is due."""

    code: str
    hands: Hands | None = None  # while its past is dealt
    acts: Iterator[str] | None = None
    chips: TableChips | None = None
    waits_until: dt.datetime | None = None  # the next round
    event_at: dt.datetime | None = None  # its dispute, fill or notice
    has_old_dice: bool = False  # whether a shake was refused because their time is over

    def now(self) -> dt.datetime:
        return self.hands.moment if self.hands is not None else clock.now()


class LiveEvening:
    """Deals every table of the evening, the past first, until a visitor does."""

    def __init__(self, draw: random.Random | None = None) -> None:
        verify_demo()
        self.draw = draw or random.Random()
        self.tables: dict[int, TableOfEvening] = {}
        now = self.plans_from = clock.now()
        for simulated in tables_of_the_evening():
            table = simulated.table
            begins = max(now - PAST, table.stream.last_at or now)
            state = self.tables[table.pk] = TableOfEvening(
                table.code, chips=TableChips.of(table, _staff()), event_at=now - EVENTS_BEGIN_BEFORE
            )
            if now - begins > dt.timedelta(seconds=SECONDS_OF_AN_ACT[1]):
                state.hands = Hands(begins)
                DEALT_IN_THE_PAST.add(table.pk)

    def in_the_past(self) -> list[TableOfEvening]:
        """The tables whose past is still dealt, the next one first: in turn, so that some are soon alive."""
        past = [state for state in self.tables.values() if state.hands is not None]
        return sorted(past, key=lambda state: DEALT.index(state.code))

    def deal_past(self) -> list[int]:
        """Execute the next act of the past. Return the id of its table, if it changed."""
        for state in self.in_the_past()[:1]:
            pk = next(pk for pk, other in self.tables.items() if other is state)
            hands, present = state.hands, clock.now()
            assert hands is not None
            hands.moment = max(hands.moment, state.waits_until or hands.moment)
            if hands.moment >= present:
                self._reach_the_present(pk, state)
                return []
            with clock.in_this_thread(hands.now):
                is_dealt = self._act(pk, state)
                hands.move(self.draw.uniform(*SECONDS_OF_AN_ACT))
            if self._has_present(pk, hands):
                self._reach_the_present(pk, state)
            return [pk] if is_dealt else []
        return []

    def act(self) -> list[int]:
        """Execute the next act at each table whose past is over. Return the ids of the tables that changed.

        Where reliefs are planned, the next one is, once the last has taken place.
        """
        self._plan()
        return [pk for pk, state in self.tables.items() if state.hands is None and self._act(pk, state)]

    def _plan(self) -> None:
        """Plan the next relief of the table where one is planned, unless the board has just refused it."""
        state = next((state for state in self.tables.values() if state.code == PLANNED), None)
        if state is None or state.hands is not None or clock.now() < self.plans_from:
            return
        self.plans_from = clock.now() + BETWEEN_PLANS
        simulated = table_of_the_evening(PLANNED)
        if simulated is not None:
            with contextlib.suppress(*NOT_TAKEN):  # such as nobody who will have rested
                plan_relief(simulated, clock.now())

    def _has_present(self, pk: int, hands: Hands) -> bool:
        """Whether somebody has acted at the table at the present, so that nothing earlier can follow."""
        last_at = Table.objects.values_list("stream__last_at", flat=True).get(pk=pk)
        return last_at is not None and last_at > hands.moment + clock.LARGEST_STEP_BACK

    def _reach_the_present(self, pk: int, state: TableOfEvening) -> None:
        state.hands = None
        DEALT_IN_THE_PAST.discard(pk)

    def _act(self, pk: int, state: TableOfEvening) -> bool:
        """Execute the next act at a table, unless a visitor has it or its next round is not due.

        After a refusal the table's round is left to people. The table is tried again later, and continues once its
        round can.
        """
        with _dealing:
            return self._act_in_turn(pk, state)

    def _act_in_turn(self, pk: int, state: TableOfEvening) -> bool:
        simulated = table_of_the_evening(state.code)
        if simulated is None or has_visitor(simulated.table):
            state.acts = None
            return False
        if state.waits_until is not None and state.now() < state.waits_until:
            return False
        try:
            if state.acts is None:
                state.waits_until = None
                if self._between_rounds(simulated, state):
                    return True
                state.acts = acts_of_round(simulated, self.draw)
            if self._waits_for_the_floor(simulated, state):
                return False
            next(state.acts)
        except StopIteration:
            state.acts = None
            pause = SECONDS_BETWEEN_ROUNDS[simulated.table.game]
            state.waits_until = state.now() + dt.timedelta(seconds=self.draw.uniform(*pause))
            return False
        except NOT_TAKEN as refusal:
            log.debug("%s: %s", state.code, refusal)
            state.acts = None
            state.waits_until = state.now() + dt.timedelta(seconds=SECONDS_BETWEEN_ACTS)
            state.has_old_dice = isinstance(refusal, Refusal) and refusal.code == DICE_PAST_THEIR_TIME
            return False
        return True

    def _between_rounds(self, simulated: SimulatedTable, state: TableOfEvening) -> bool:
        """Do what is due between two rounds: a relief, new dice, the tray, a notice. Return whether something was."""
        table, now, chips = simulated.table, state.now(), state.chips
        if state.has_old_dice:
            state.has_old_dice = False
            change_dice(simulated)
            return True
        if Round.objects.filter(table=table, ended_at=None, wagers__isnull=False).exists():
            return False
        if relieve(simulated, now):
            return True
        lot = _lot_of(table)
        if lot.expires_at is not None and lot.expires_at - now < DICE_ARE_CHANGED_BEFORE:
            change_dice(simulated)
            return True
        if chips is not None and table.facility.keeps_inventory:
            inventory = TableInventory.objects.filter(table=table, closed_at=None).first()
            if inventory is not None and inventory.gaming_day != table.facility.gaming_day(now):
                self._begin_another_day(simulated, chips, state.hands)
                return True
            chips.serve(simulated, self.draw)
        if state.code in (FILLED, NOTICED, RATED) and state.event_at is not None and state.event_at <= now:
            state.event_at = now + BETWEEN_EVENTS
            if state.code == FILLED and chips is not None and chips.next_step_at is None:
                chips.request(simulated, "fill", FILL)
            elif state.code == NOTICED and pending_change(table) is None:
                self._give_notice(simulated)
            elif state.code == RATED:
                self._rate_guest(simulated)
        return False

    def _begin_another_day(self, simulated: SimulatedTable, chips: TableChips, hands: Hands | None) -> None:
        """Close the table with its gaming day, and open it for the next one. Its dealers stay."""
        with one_transaction():
            for dispute in standing_disputes(held(simulated.table.pk)):
                params = {"alert": dispute.pk, "decision": "as-recorded"}
                _do(simulated, simulated.floor, "decide_alert", params)
            chips.end(simulated)
            _do(simulated, simulated.floor, "close_table", {"secured": True})
            if hands is not None:
                hands.move(SECONDS_CLOSED)
            chips.begin_another_day(simulated)
            seeding.open_table(simulated.floor, simulated.device, FACILITY, simulated.table.code)

    def _give_notice(self, simulated: SimulatedTable) -> None:
        """Begin the notice of another maximum, with its sign and announcement."""
        table = simulated.table
        usual = next(row for row in demo.LARKFIELD.tables if row.code == table.code)
        most = 2 * usual.max_cents if table.max_cents == usual.max_cents else usual.max_cents
        params = {"min_cents": table.min_cents, "max_cents": most, "nobody_plays": False}
        _do(simulated, simulated.floor, "change_limits", params)
        _do(simulated, simulated.dealer, "post_limits_sign")
        _do(simulated, simulated.dealer, "announce_limits")

    def _rate_guest(self, simulated: SimulatedTable) -> None:
        """End the rating of the guest of the demo, and begin the next one at a seat that plays.

        Does nothing once a visitor has erased the guest.
        """
        table = simulated.table
        guests = PlayerDetails.objects.filter(player__facility=table.facility, card=demo.GUEST_CARD)
        player = guests.values_list("player__code", flat=True).first()
        if player is None:
            return
        for seat in [seat for seat, code in table.rated_seats.items() if code == player]:
            _do(simulated, simulated.floor, "end_rating", {"seat": int(seat)})
        table.refresh_from_db()
        free = [seat for seat in table.seated if str(seat) not in table.rated_seats]
        if free:
            _do(simulated, simulated.floor, "start_rating", {"seat": free[0], "player": player})

    def _waits_for_the_floor(self, simulated: SimulatedTable, state: TableOfEvening) -> bool:
        """Whether the round waits for a decision about a dispute, which begins here at one table now and then.

        The floorperson of the table decides one for which no visitor came.
        """
        if state.code != DISPUTED:
            return False
        now, table = state.now(), simulated.table
        dispute = Alert.objects.filter(table=table, kind="dispute", ended_at=None).first()
        if dispute is not None and state.event_at is not None and dispute.raised_at > state.event_at:
            state.event_at = dispute.raised_at + DISPUTE_WAITS  # it was brought for a visitor
        if dispute is None:
            round_ = Round.objects.filter(table=table, phase="lit").first()
            if round_ is None or state.event_at is None or state.event_at > now:
                return False
            if not round_.wagers.exists():
                return False
            report_dispute(simulated, round_)
            state.event_at = now + DISPUTE_WAITS
            return True
        if state.event_at is not None and state.event_at <= now:
            _do(simulated, simulated.floor, "decide_alert", {"alert": dispute.pk, "decision": "as-recorded"})
            _do(simulated, simulated.dealer, "read_decision", {"alert": dispute.pk})
            state.event_at = now + BETWEEN_EVENTS
        return True


# What happens now and then


def report_dispute(simulated: SimulatedTable, round_: Round) -> None:
    """The player of the first wager says that it was twice as much."""
    wager = round_.wagers.order_by("seat")[0]
    label = wager_labels(simulated.table.game)[wager.code]
    about = f"Says that the wager on {label} was ${wager.cents // 50}, not ${wager.cents // 100}."
    _do(simulated, simulated.dealer, "report_dispute", {"seat": wager.seat, "about": about})


def _do(simulated: SimulatedTable, person: Person, name: str, params: dict[str, Any] | None = None) -> None:
    seeding.do(person, simulated.device, FACILITY, simulated.table.code, name, params or {})


def relieve(simulated: SimulatedTable, now: dt.datetime) -> bool:
    """Relieve a dealer who has worked long enough at a table, or works in place of somebody who has rested.

    Who is planned here comes at that time, and nobody before. Of the others the table's own dealers come back first,
    then those who have rested longest. Return whether somebody was relieved.
    """
    table = simulated.table
    move = PlannedMove.objects.open_moves(table.facility).filter(table=table).first()
    own = next(row.dealers for row in demo.LARKFIELD.tables if row.code == table.code)
    rested = [
        dealer
        for dealer in dealers_on_duty(table, now)
        if not dealer.obstacle and now - dealer.rests_since >= REST
    ]
    if move is not None and move.person in [dealer.person for dealer in rested]:
        if move.planned_for <= now:
            _do(simulated, move.person, "take_over_table", {"post": move.post} if len(own) > 1 else {})
        return move.planned_for <= now
    for post in posts_in_relief(table, now):
        if post.person is None or post.break_due is None:
            continue
        worked = now - post.break_due + HOUSE_WORK
        fitting = [dealer.person for dealer in rested if dealer.person.role == post.person.role]
        back = [person for person in fitting if person.code in own]
        others = back or fitting if worked >= WORK else []
        for person in back[:1] if post.person.code not in own else others[:1]:
            _do(simulated, person, "take_over_table", {"post": post.post} if len(own) > 1 else {})
            return True
    return False


# A table for a visitor


def has_visitor(table: Table) -> bool:
    """Whether somebody has signed in at a tablet of this table, and used it in the last minutes."""
    since = clock.now() - VISITOR_IS_GONE_AFTER
    at_work = Q(signed_on_at__gt=since) | Q(last_seen_at__gt=since)
    tablets = Device.objects.filter(place=table.stream.name, person__isnull=False, revoked_at=None)
    return tablets.filter(at_work).exists()


def bring_to_betting(code: str, draw: random.Random) -> None:
    """Deal a table on until its bets have just opened and every seat has a wager, for a visitor who goes on."""
    with _dealing:
        _bring_to_betting(code, draw)


def _bring_to_betting(code: str, draw: random.Random) -> None:
    for _ in range(MAX_ACTS):
        simulated = table_of_the_evening(code)
        if simulated is None:
            return
        simulated = replace(simulated, least_players=simulated.table.seats)
        try:
            if not _has_open_bets(simulated):
                next(acts_of_round(simulated, draw), None)
            elif free := _free_seats(simulated.table):
                place_wagers(simulated, draw, sorted(free))
            else:
                return
        except NOT_TAKEN as refusal:  # the evening or the visitor has just acted
            log.debug("%s: %s", code, refusal)


def bring_to_dispute(draw: random.Random) -> None:
    """Deal the disputed table on until somebody disputes there, for a visitor who decides it."""
    with _dealing:
        _bring_to_dispute(draw)


def _bring_to_dispute(draw: random.Random) -> None:
    for _ in range(MAX_ACTS):
        simulated = table_of_the_evening(DISPUTED)
        if simulated is None or has_visitor(simulated.table):
            return
        if Alert.objects.filter(table=simulated.table, kind="dispute", ended_at=None).exists():
            return
        try:
            round_ = Round.objects.filter(table=simulated.table, phase="lit").first()
            if round_ is not None:
                report_dispute(simulated, round_)
            else:
                next(acts_of_round(simulated, draw), None)
        except NOT_TAKEN as refusal:  # the evening has just acted
            log.debug("%s: %s", DISPUTED, refusal)


def _has_open_bets(simulated: SimulatedTable) -> bool:
    """Whether wagers lie on the layout and nothing else has happened, soon after another round."""
    since = clock.now() - VISITOR_IS_GONE_AFTER
    rounds = Round.objects.filter(table=simulated.table)
    is_begun = rounds.filter(ended_at=None, phase="open", opened_at__gt=since, wagers__isnull=False).exists()
    return is_begun and rounds.filter(ended_at__gt=since).exists()


def _free_seats(table: Table) -> set[int]:
    """The seats without a wager in this round."""
    taken = Wager.objects.filter(round__table=table, round__ended_at=None).values_list("seat", flat=True)
    return set(range(1, table.seats + 1)) - set(taken) - set(table.refused_seats)


# Run it


def deal_some_past(evening: LiveEvening) -> set[int]:
    """Execute some acts of the past. Return the ids of the tables that changed."""
    return {pk for _ in range(ACTS_BEFORE_A_PAUSE) for pk in evening.deal_past()}


async def run_evening() -> None:
    """Deal the evening until canceled."""
    evening: LiveEvening | None = None
    next_live = next_push = 0.0
    changed: set[int] = set()
    loop = asyncio.get_running_loop()
    while True:
        try:
            if evening is None:
                evening = await database_sync_to_async(LiveEvening)()
            if loop.time() >= next_live:
                next_live = loop.time() + SECONDS_BETWEEN_ACTS
                changed |= set(await database_sync_to_async(evening.act)())
            is_past = bool(evening.in_the_past())
            if is_past:
                changed |= await database_sync_to_async(deal_some_past)(evening)
            if loop.time() >= next_push or not is_past:
                next_push = loop.time() + SECONDS_BETWEEN_PUSHES
                while changed:
                    await push.publish(changed.pop())
            await asyncio.sleep(PAUSE_IN_THE_PAST if is_past else max(0.0, next_live - loop.time()))
        except Exception:  # the database is unavailable or was replaced: the evening continues later
            log.exception("The evening of the demo pauses.")
            evening = None
            DEALT_IN_THE_PAST.clear()
            await asyncio.sleep(10 * SECONDS_BETWEEN_ACTS)


# Served from the first second


Application = Callable[..., Awaitable[None]]
SHEET = "css/opening.css"
HEADERS = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; style-src 'self'"),
]


def make_the_floor() -> None:
    """Migrate the database, and seed the floor once."""
    call_command("migrate", verbosity=0)
    seed_floor()
    connections.close_all()


class OpeningPage:
    """The page of a floor that opens, or could not be made, with its one style sheet."""

    def __init__(self, *, has_failed: bool = False) -> None:
        self.has_failed = has_failed
        self.body = render_to_string("tables/demo/opening.html", {"has_failed": has_failed}).encode()
        self.sheet = Path(str(finders.find(SHEET))).read_bytes()

    def answer(self, path: str) -> tuple[int, bytes, bytes]:
        """The status, type and content for a path. The landing is there at once, what else is asked for is not yet."""
        if path == static(SHEET):
            return 200, b"text/css; charset=utf-8", self.sheet
        return 200 if path == "/" and not self.has_failed else 503, b"text/html; charset=utf-8", self.body


class DemoServer:
    """The application of a demo floor, which begins once its floor is made, and deals it."""

    def __init__(self, application: Application, make: Callable[[], None] = make_the_floor) -> None:
        self.application, self.make = application, make
        self.is_open = False
        self.tasks: list[asyncio.Task[None]] = []
        self.page: OpeningPage | None = None

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._live(scope, receive, send)
        elif self.is_open:
            await self.application(scope, receive, send)
        elif scope["type"] == "http":
            self.page = self.page or OpeningPage()
            status, kind, content = self.page.answer(scope["path"])
            headers = [(b"content-type", kind), *HEADERS]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await send({"type": "http.response.body", "body": content})
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1013})

    async def _live(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer the server's lifespan at once, and run that of the application once the floor is made."""
        inner: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

        async def ignore(message: dict[str, Any]) -> None:
            """What the application answers to its lifespan was answered already."""

        async def open_floor() -> None:
            try:
                await asyncio.to_thread(self.make)
            except Exception:
                log.exception("The demo floor could not be made.")
                self.page = OpeningPage(has_failed=True)
                return
            self.tasks.append(asyncio.create_task(run_evening()))
            self.is_open = True
            await self.application(scope, inner.get, ignore)

        opening = asyncio.create_task(open_floor())
        while True:
            message = await receive()
            await inner.put(message)
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                break
        for task in self.tasks:
            task.cancel()
        if not self.is_open:
            opening.cancel()
        await asyncio.wait([opening], timeout=3)
