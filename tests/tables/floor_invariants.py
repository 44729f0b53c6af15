"""A floor of every game with its crews, and what must hold there whatever people do.

Nothing here asks the product what is allowed: after each accepted act the rows are read and judged again. A state
machine that acts on such a floor inherits `FloorInvariants`: through the runner in test_floor_machine.py, over the API
in tests/api/test_document_machine.py.
"""

from typing import Any

from hypothesis.stateful import invariant

from audit.models import Entry, Person
from tables.models import Assignment, DiceLot, Inspection, Settlement, Shaker, Table, Throw
from tests.tables.cast import Scene
from tests.tables.house import hire, make_house

TABLES = (
    ("T-01", "pa-625a/A", "manual"),
    ("T-02", "pa-539", "automated-uncovered"),
    ("T-03", "pa-625a/B", "automated-covered"),
    ("T-31", "pa-675a", None),
    ("T-32", "pa-675a.6", None),
    ("T-41", "pa-577", None),
    ("T-42", "pa-577", None),
    ("T-43", "pa-577", None),
)
FOOTBALL = {"T-41", "T-42", "T-43"}
SHAKER_NEEDS_A_KEEPER = {"T-01", "T-02", "T-31", "T-32"}  # 539 speaks of any shaker, 625a of the manual one
EXCLUDED = {"baccarat", "midibaccarat", "craps", "mini-craps", "pai-gow"}
CREWS = {
    "T-01": ("dealer-5",),
    "T-02": ("dealer-6",),
    "T-03": ("dealer-7",),
    "T-31": ("dealer-4",),
    "T-32": ("dealer-8",),
    "T-41": ("dealer", "relief", "stickperson"),
    "T-42": ("dealer-3", "dealer-9", "stick-2"),
    "T-43": ("dealer", "dealer-3", "stickperson"),  # who are wanted elsewhere too
}
DEALERS = tuple(dict.fromkeys(who for crew in CREWS.values() for who in crew))
HIRED = [(who, "stickperson" if who.startswith("stick") else "dealer") for who in DEALERS if "-" in who]
POSTS = ("dealer", "dealer-left", "stick")
FLOOR = ("floorperson", "floor-2", "shift-manager")
BEGINS_PLAY = {"place_wagers", "shake", "throw_dice", "no_more_bets", "offer_dice"}
CLOSES_BETS = {"no_more_bets", "throw_dice"}
OPENS_BETS_AGAIN = {"call_dice", "call_no_roll", "void_round", "report_device_failure"}


class FloorInvariants:
    """The tables of `house`, by code. `hands` is the clock; `bets_closed` says where no wager may be taken now."""

    house: dict[str, Scene]
    hands: Any
    bets_closed: dict[str, bool]

    def rows(self, code: str) -> Table:
        return Table.objects.get(pk=self.house[code].table.pk)

    def lot_in_play(self, table: Table) -> DiceLot | None:
        """The dice in the shaker of a table that is in order."""
        return DiceLot.objects.filter(
            shaker__table=table, shaker__out_of_order=False, status="placed"
        ).first()

    def judge(self, code: str, act: str, before: Table, lot: DiceLot | None) -> None:
        """Judge an act that was taken at a table, by the row of the table and the dice in play before it."""
        if act in ("shake", "throw_dice"):
            assert lot is not None and lot.expires_at > self.hands.now, f"{act} with expired dice at {code}"
        if act in BEGINS_PLAY:
            assert before.status == "open" and before.ceased_what == "", f"{act} while ceased at {code}"
            self.posts_are_filled(code)
        if act == "open_table":
            since = Inspection.objects.filter(table=before).latest("inspected_at")
            assert before.closed_at is None or since.inspected_at >= before.closed_at, (
                f"{code} opened uninspected"
            )
            assert lot is not None and lot.expires_at > self.hands.now
            self.posts_are_filled(code)
        if act == "place_wagers":
            assert not self.bets_closed.get(code), f"a wager after the bets were closed at {code}"
        if act in CLOSES_BETS:
            self.bets_closed[code] = True
        if act in OPENS_BETS_AGAIN and (code in FOOTBALL or self.house[code].round is None):
            self.bets_closed[code] = False
        if self.house[code].round is None:
            self.bets_closed[code] = False

    def posts_are_filled(self, code: str) -> None:
        table = self.rows(code)
        people = [table.dealer_id]
        if code in FOOTBALL:
            people += [table.dealer_left_id, table.stickperson_id]
        assert None not in people and len(set(people)) == len(people), f"{code} is run by {people}"

    # What must hold at every moment

    @invariant()
    def no_shaker_is_left_alone(self) -> None:
        for shaker in Shaker.objects.filter(table__isnull=False, out_of_order=False).select_related("table"):
            if shaker.table.code in SHAKER_NEEDS_A_KEEPER and shaker.table.status != "closed":
                assert shaker.table.dealer_id is not None and not shaker.secured, shaker.table.code
            if shaker.table.status == "closed" and shaker.table.code in SHAKER_NEEDS_A_KEEPER:
                assert shaker.secured, shaker.table.code

    @invariant()
    def nobody_of_the_crew_alone_gives_wagers_back(self) -> None:
        """After no more bets a round without a result was signed by the floor; before it, it was a failure."""
        undone = Entry.objects.filter(type__in=("round.no_roll", "round.voided"))
        for entry in undone.exclude(actor__in=FLOOR).exclude(witness__in=FLOOR):
            earlier = Entry.objects.filter(stream=entry.stream, round=entry.round, type="bets.closed")
            assert entry.type == "round.voided" and not earlier.exists(), entry

    @invariant()
    def football_has_its_three(self) -> None:
        for code in FOOTBALL:
            if self.rows(code).status != "closed":
                self.posts_are_filled(code)

    @invariant()
    def no_span_is_exceeded(self) -> None:
        running = Table.objects.exclude(status="closed").filter(facility=self.house["T-01"].table.facility)
        for person in Person.objects.filter(code__in=FLOOR):
            here = [table.code for table in running if table.floorperson_id == person.pk]
            duty = Assignment.objects.filter(person=person, ended_at=None).exclude(elsewhere="")
            elsewhere = list(duty.values_list("elsewhere", flat=True))
            count = len(here) + len(elsewhere)
            if not here:
                continue
            if FOOTBALL & set(here):
                assert count <= 2 and not EXCLUDED & set(elsewhere), (person.code, here, elsewhere)
            assert count <= 4, (person.code, here, elsewhere)
        assert all(table.floorperson_id for table in running)

    @invariant()
    def every_lot_is_where_the_rows_say(self) -> None:
        for lot in DiceLot.objects.select_related("shaker"):
            if lot.status == "placed":
                assert lot.shaker.table_id == lot.table_id is not None, lot.code
            if lot.status == "issued":
                assert lot.table_id is not None and lot.shaker is None and lot.placed_at is None, lot.code
            if lot.status == "removed":
                assert lot.removed_at is not None and lot.removed_why, lot.code

    def no_wager_settled_twice(self) -> None:
        for scene in self.house.values():
            for round_ in scene.table.rounds.all():
                throws = Throw.objects.filter(round=round_).order_by("revision")
                newest = {throw.number: throw.pk for throw in throws}
                rows = Settlement.objects.filter(throw__in=newest.values()).exclude(outcome="fee")
                settled = list(rows.values_list("wager", flat=True))
                assert len(settled) == len(set(settled)), round_


def open_three() -> dict[str, Scene]:
    """The tables by code. Sic Bo, High Roll Dice and Football run, the last under a floorperson of its own."""
    house = make_house(*TABLES)
    hire(house["T-01"], ("floor-2", "floorperson"), *HIRED)
    for code, by in (("T-01", "floorperson"), ("T-31", "floorperson"), ("T-41", "floor-2")):
        scene = house[code]
        for who, post in zip(CREWS[code], POSTS, strict=False):
            scene.act("take_over_table", {"post": post}, by=who, device=scene.podium)
        scene.act("inspect_table", scene.inspection(), by=by, device=scene.podium)
        scene.act("open_table", {"acknowledge_lapsed": True}, by=by, device=scene.podium)
    for seat in range(1, 5):
        house["T-31"].act("seat_player", {"seat": seat}, by="dealer-4", device=scene.podium)
    return house
