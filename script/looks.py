"""The floors of the pictures of docs/: what is played on a demo floor before script/screenshots.py takes them."""

import contextlib
import datetime as dt
import os
import random
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FACILITY = "larkfield"


@contextlib.contextmanager
def demo_database(**environment: str) -> Iterator[None]:
    """An empty, migrated database of the demo in a temporary folder, for which this process is set up."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(ROOT)
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.local"
        os.environ |= {"DATABASE_URL": f"sqlite:///{folder}/floor.sqlite3", "REDIS_URL": "", "DEBUG": "False"}
        os.environ |= {"PITSIDE_EXPORTS_DIR": f"{folder}/exports", **environment}
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield


class ShiftClock:
    """A clock that stands 18 minutes ago; from `start` on it moves four seconds at each reading, until it is now."""

    def __init__(self) -> None:
        self.now = dt.datetime.now(dt.UTC) - dt.timedelta(minutes=18)
        self.step = dt.timedelta(0)

    def start(self) -> None:
        self.step = dt.timedelta(seconds=4)

    def __call__(self) -> dt.datetime:
        self.now = min(self.now + self.step, dt.datetime.now(dt.UTC))
        return self.now


class Floor:
    """The demo floor, on which acts are executed as people execute them. A set plays on it before its pictures.

    `has_evening`: the demo has its hour of play behind it, at every table.
    """

    has_evening = False

    def __init__(self) -> None:
        from audit.devices import enroll

        self.device, _ = enroll("Podium of the pictures", FACILITY, "podium")

    def play(self) -> None:
        raise NotImplementedError

    def person(self, code: str) -> Any:
        from audit.models import Person

        return Person.objects.get(code=code)

    def table(self, code: str) -> Any:
        from tables.models import Table

        return Table.objects.get(facility__code=FACILITY, code=code)

    def who_acts(self, table: Any, name: str) -> Any:
        at_the_stick = table.stickperson if name == "offer_dice" else None
        return at_the_stick or table.floorperson or self.person("ivan")

    def act(
        self, table: str, name: str, params: dict[str, Any] | None = None, witness: str = "", by: str = ""
    ) -> None:
        from tables.demo.seeding import do

        actor = self.person(by) if by else self.who_acts(self.table(table), name)
        signed = self.person(witness) if witness else None
        do(actor, self.device, FACILITY, table, name, params or {}, signed)

    def in_room(self, by: str, act: str, params: dict[str, Any], witness: str = "") -> Any:
        """An act of the facility, at no table."""
        from audit.runner import ActRequest
        from tables.runner import facility

        signed = self.person(witness) if witness else None
        request = (FACILITY, "", act, uuid.uuid4(), 0, params, self.person(by), self.device, signed)
        return facility.execute(ActRequest(*request))

    def step(self, table: str, until: str) -> None:
        """The next acts of a round, as the snapshot names them, until one of this name is next."""
        from tables.screens.snapshot import of_table

        pk = self.table(table).pk
        while (following := of_table(pk)["next"]) is not None and following["act"] != until:
            self.act(table, following["act"], dict(following["params"]))

    def place(self, table: str, *wagers: tuple[Any, ...]) -> None:
        placed = [dict(zip(("seat", "wager", "cents", "play"), wager, strict=False)) for wager in wagers]
        self.act(table, "place_wagers", {"wagers": placed})

    def round(self, table: str, dice: list[int], *wagers: tuple[int, str, int]) -> None:
        self.place(table, *wagers)
        self.end_round(table, dice)

    def end_round(self, table: str, dice: list[int]) -> None:
        self.step(table, "call_dice")
        self.act(table, "call_dice", {"dice": dice})
        self.step(table, "clear_layout")
        self.act(table, "clear_layout")

    def count(self) -> None:
        """What the ticker counts from time to time: figures, and the dice watch."""
        from django.core.management import call_command

        from tables.dice_watch import count_dice

        call_command("figures_rollup", verbosity=0)
        count_dice()


# The pictures of docs/, and of the felt in docs/looks.md


# Seat, wager, cents: what lies on the table of the pictures.
WAGERS = (
    (1, "small", 2_500), (1, "total:9", 500), (1, "two-dice:2-5", 1_000),
    (2, "big", 10_000), (2, "total:12", 2_500),
    (3, "two-of-a-kind:5", 2_500), (3, "one-of-a-kind:5", 5_000), (3, "any-three-of-a-kind", 500),
    (4, "big", 50_000), (4, "two-dice:5-6", 2_500),
    (6, "one-of-a-kind:2", 2_500), (6, "three-of-a-kind:4", 500), (6, "small", 7_500),
    (7, "total:12", 1_000), (7, "big", 2_500),
)  # fmt: skip

# Seat, wager, cents and the play of a single play wager: what lies on the football table of the pictures.
FOOTBALL = (
    (2, "touchdown", 2_500), (5, "touchdown", 2_500), (14, "touchdown", 2_500), (6, "defense", 2_500),
    (12, "defense", 2_500), (5, "extra-point", 1_000), (14, "extra-point", 1_000), (5, "quick-strike", 1_000),
    (8, "game-changer", 500), (3, "game-length:3", 500), (2, "game-length:4", 500), (15, "game-length:6", 500),
    (2, "no-gain", 500, 1), (2, "big-play", 500, 1), (3, "over-four", 2_500, 1), (5, "trips-td", 500, 1),
    (5, "over-four", 1_000, 1), (5, "big-play", 500, 1), (6, "under-four", 2_500, 1), (8, "cover-three", 500, 1),
    (11, "penalty", 500, 1), (12, "turnover", 500, 1), (14, "big-play", 1_000, 1), (15, "under-four", 500, 1),
)  # fmt: skip

# Seat, wager, cents: what lies on the High Roll table of the pictures. Seats 2 and 4 buy an Extra Roll.
HIGH_ROLL = (
    (1, "pip:2", 1_000), (1, "pip:5", 1_000), (1, "like-kind:4", 1_000),
    (2, "pip:5", 2_500), (2, "pip:1", 2_500), (2, "like-kind:3", 2_500), (2, "like-kind:4", 2_500),
    (2, "like-kind:5", 2_500), (2, "extra-roll", 2_500), (2, "millionaire:9", 100),
    (4, "pip:6", 5_000), (4, "pip:1", 5_000), (4, "like-kind:4", 5_000), (4, "like-kind:5", 5_000),
    (4, "like-kind:6", 5_000), (4, "extra-roll", 5_000), (4, "millionaire:9", 100), (4, "millionaire:10", 100),
    (5, "pip:5", 10_000), (5, "like-kind:2", 10_000), (5, "like-kind:5", 10_000), (6, "pip:1", 1_000),
)  # fmt: skip


# For each seat its wagers in dollars: forty, and every seat on Big but one that is over the maximum on Small.
SEATS = (
    "big 25, total:9 10, two-dice:2-5 10, one-of-a-kind:5 25, total:12 10",
    "big 100, total:12 25, small 25, two-dice:5-6 10, two-of-a-kind:5 10",
    "big 50, total:12 25, one-of-a-kind:2 50, any-three-of-a-kind 10, total:8 10",
    "big 500, two-dice:2-5 25, total:10 10, total:11 10, one-of-a-kind:5 100",
    "big 25, three-of-a-kind:5 10, two-of-a-kind:5 10, total:12 10, small 1200",
    "big 75, one-of-a-kind:2 25, two-dice:2-5 10, total:13 10, total:14 10",
    "big 25, total:12 10, one-of-a-kind:6 25, two-dice:3-4 10, total:7 10",
    "big 100, total:9 10, one-of-a-kind:5 25, two-of-a-kind:2 10, total:16 10",
)
FORTY = tuple(
    (seat, wager.split()[0], 100 * int(wager.split()[1]))
    for seat, wagers in enumerate(SEATS, start=1)
    for wager in wagers.split(", ")
)


class DocsFloor(Floor):
    """Some rounds at every open table, then each left at another step. One of T-01 is disputed."""

    def play(self) -> None:
        self.receive_dice()
        self.play_elsewhere()
        self.act("T-03", "call_dice", {"dice": [1, 4, 6]})
        self.place("T-05", (6, "two-dice:3-4", 2_000))
        self.step("T-05", "call_dice")
        self.prepare_other_games()
        for dice in ([1, 3, 6], [4, 4, 2], [6, 6, 6]):
            self.round("T-01", dice, *WAGERS[:11])
        self.disputed([1, 2, 5], *WAGERS[:11])
        self.act("T-04", "report_device_failure", {"what": "layout"})
        self.place("T-01", *WAGERS)

    def receive_dice(self) -> None:
        """A delivery waits for its inspection; one of its lots is measured and issued already."""
        lot = {"dice": 3, "size_um": 19_050, "attested": True, "seal_intact": True, "maker": "Midwest Dice"}
        lots = [{**lot, "lot": f"L-01{number:02}", "serial": f"MW-{number:04}"} for number in range(1, 5)]
        die = {"low_um": 19_040, "high_um": 19_060, "balanced": True, "square": True, "clean": True}
        tools = {"micrometer": "M-1", "caliper": "C-1", "square": "Q-1"}
        self.in_room("viktor", "receive_dice", {"from": "Midwest Dice, box 12", "lots": lots}, "rita")
        inspection = {"lot": "L-0101", "compartment": "A-3", "dice": [die] * 3, **tools}
        self.in_room("viktor", "inspect_dice", inspection, "rita")
        self.act("T-01", "issue_dice", {"lot": "L-0101"}, "rita", by="viktor")

    def play_elsewhere(self) -> None:
        """A round at three other tables, and the next begun at two."""
        for table, dice in (("T-02", [3, 3, 4]), ("T-03", [1, 5, 6]), ("T-05", [2, 2, 2])):
            self.round(table, dice, (1, "big", 5_000), (3, "total:10", 2_500), (5, "small", 10_000))
        self.place("T-02", (2, "big", 10_000), (4, "one-of-a-kind:6", 2_500), (5, "total:8", 1_000))
        self.place("T-03", (1, "small", 25_000), (3, "big", 50_000), (8, "any-three-of-a-kind", 2_500))
        self.step("T-03", "call_dice")

    def disputed(self, dice: list[int], *wagers: tuple[int, str, int]) -> None:
        """A round at T-01 whose loser asks why, and is told."""
        from tables.models import Alert

        self.place("T-01", *wagers)
        self.step("T-01", "call_dice")
        self.act("T-01", "call_dice", {"dice": dice})
        self.act("T-01", "report_dispute", {"seat": 2, "about": "Big"})
        alert = {"alert": Alert.objects.get(kind="dispute").pk}
        self.act("T-01", "acknowledge_alert", {**alert, "note": "The dice were seen again; Big lost"})
        self.act("T-01", "read_decision", alert)
        self.step("T-01", "clear_layout")
        self.act("T-01", "clear_layout")

    def prepare_other_games(self) -> None:
        """Players with wagers at the High Roll table; wagers on the football table, and the dice with seat 5."""
        for seat in sorted({seat for seat, _, _ in HIGH_ROLL}):
            self.act("T-31", "seat_player", {"seat": seat})
        self.place("T-31", *HIGH_ROLL)
        self.place("T-42", *FOOTBALL)
        for seat in (2, 3, 5):
            self.act("T-42", "offer_dice", {"seat": seat, "accepted": seat == 5})

    def seal(self) -> None:
        from audit.sealing import keys
        from audit.sealing.process import SealerSession

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / keys.KEY_FOLDER).mkdir()
            keys.create(Path(folder))
            SealerSession(Path(folder)).run_once()

    def export(self) -> None:
        from audit.exporting import jobs

        jobs.Worker().run_next()


class FeltFloor(DocsFloor):
    """The demo floor with one full table, T-01, and something to do at others."""

    def play(self) -> None:
        self.play_elsewhere()
        self.prepare_other_games()
        for dice in ([1, 3, 6], [4, 4, 2], [6, 6, 6], [1, 2, 2], [3, 5, 6]):
            self.round("T-01", dice, *FORTY[:20])
        self.place("T-01", *FORTY)


# The compliance desk


SAYS = (
    "The dealer called 2, 2, 6 and the 10 lit up. I had $10 on it. Then they made it a 5 and took my chips."
)
SHOWS = "All three dice are readable before the call: 2, 2, 5."
FINDINGS = (
    "The round settles from its record as it was paid. The recording shows 2, 2, 5. The third die was entered as 6 and"
    " corrected before any wager was taken or paid."
)
REASON = "The dice showed 2, 2, 5, a total of 9. The correction came before any wager was taken or paid."


class DeskFloor(Floor):
    """The demo floor with a disputed round, a slip, a wager over the maximum and refused PINs, each of them a case."""

    def play(self) -> None:
        for dice in ([1, 3, 6], [4, 4, 2]):
            self.round("T-01", dice, *(wager for wager in WAGERS[:11] if wager[2] >= 1_000))
        self.dispute()
        self.round("T-03", [1, 5, 6], (1, "big", 5_000), (5, "small", 250_000))
        self.round("T-02", [3, 3, 4], (1, "big", 5_000), (3, "total:10", 2_500))
        self.slip()
        self.refuse_pins()
        from tables.cases.case import open_found_cases

        open_found_cases()
        self.work_on_the_dispute()
        self.prepare_a_decision()

    def who_acts(self, table: Any, name: str) -> Any:
        """Dealers enter what happens at their tables."""
        assert table.dealer is not None
        return table.dealer

    def dispute(self) -> None:
        """The call is corrected, and seat 2 disputes it. Mei deals, Kate signs."""
        self.place("T-01", (2, "big", 10_000), (2, "total:10", 1_000), (3, "small", 5_000))
        self.step("T-01", "call_dice")
        self.act("T-01", "call_dice", {"dice": [2, 2, 6]})
        self.act("T-01", "correct_dice", {"dice": [2, 2, 5], "reason": "Read from the side"}, "kate")
        self.act("T-01", "report_dispute", {"seat": 2, "about": SAYS})
        self.step("T-01", "clear_layout")
        self.act("T-01", "clear_layout")

    def slip(self) -> None:
        """A wager of T-02 was paid too little."""
        from audit import clock
        from games.params import Params
        from tables.core.context import TableContext
        from tables.corrections.settlements import read_correction
        from tables.rounds.settlement import settled_data

        table = self.table("T-02")
        payment = {"seat": 3, "paid_cents": 10_000, "taken_cents": 0}
        slip = {"kind": "payment", "payments": [payment]}
        ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, clock.now()))
        correction = read_correction(ctx, table.rounds.get(number=1), Params(slip), "", settled_data)
        filed = {**slip, "round": 1, "corrects": correction.corrects.seq, "reason": "One chip was missing"}
        self.act("T-02", "file_slip", filed, table.floorperson.code)

    def refuse_pins(self) -> None:
        """At another device, since a podium that accepts no PIN takes no sign-in."""
        from audit import clock, people
        from audit.devices import enroll

        podium, _token = enroll("Podium of pit 2", FACILITY, "podium")
        for _ in range(5):
            people.count_wrong_pin(podium, self.person("rosa"), None, clock.now())

    def work_on_the_dispute(self) -> None:
        """Taken, the camera seen, a note and a letter, and the first of two signatures."""
        from tables.models import Case, Round

        case = Case.objects.get(kind="dispute")
        which = {"case": case.code}
        self.in_room("carla", "take_case", which)
        assert case.round is not None
        disputed = Round.objects.select_related("table__facility").get(table=case.table_id, number=case.round)
        assert disputed.ended_at is not None
        zone = disputed.table.facility.zone
        begins, ends = (
            moment.astimezone(zone).strftime("%H:%M:%S") for moment in (disputed.opened_at, disputed.ended_at)
        )
        clip = {"camera": "04-A", "clip": "SV-1120-04", "begins": begins, "ends": ends}
        self.in_room("hugo", "record_camera_seen", {**which, **clip, "shows": SHOWS})
        self.in_room("viktor", "add_case_note", {**which, "text": "The patron was told: a letter by noon."})
        decision = {"outcome": "stands", "reason": REASON}
        letter = {"addressee": "Mr. Pat Example\n12 Main Street\nLarkfield", "findings": FINDINGS}
        self.in_room("carla", "write_case_letter", {**which, **decision, **letter})
        self.sign("hugo")

    def sign(self, by: str) -> None:
        from tables.models import CaseLetter

        letter = CaseLetter.objects.select_related("case").get()
        outcome = {"outcome": letter.outcome, "reason": letter.reason, "sha256": letter.sha256}
        self.in_room(by, "sign_case_outcome", {"case": letter.case.code, **outcome})

    def prepare_a_decision(self) -> None:
        """The games administrator records that rules were approved; a second person has to approve that."""
        from games.models import Facility
        from games.office import core
        from tables.demo.seeding import BUREAU, Office

        house = Facility.objects.get(code=FACILITY)
        office = Office(house, self.person("noah"), self.person("viktor"), self.device)
        words = "Rules submission RS-0021, version 2, is approved as it was filed."
        letter = office.letter("Approval of RS-0021 version 2", words)
        decision = {"granted": True, "body": BUREAU, "reference": "BGO-2347", "letter": letter}
        params = {"code": "RS-0021", "version": 2, **decision}
        core.execute(
            core.ActRequest(
                FACILITY,
                core.STREAM,
                "record_decision",
                uuid.uuid4(),
                0,
                params,
                office.person,
                self.device,
            )
        )

    @property
    def case(self) -> str:
        """The address of the dispute."""
        from tables.models import Case

        return f"/inbox/{FACILITY}/{Case.objects.get(kind='dispute').code}/"

    @property
    def change(self) -> str:
        """The address of the decision that waits for a second person."""
        from games.models import PreparedChange

        return f"/office/{FACILITY}/changes/{PreparedChange.objects.get(status='waiting').code}/"

    def sign_again(self) -> None:
        self.sign("carla")

    def letter_paper(self) -> tuple[str, bytes]:
        from tables.cases.outcomes import LetterPaper, letter_pdf
        from tables.models import CaseLetter

        return "letter-paper", letter_pdf(LetterPaper(CaseLetter.objects.get()))

    def dispute_paper(self) -> tuple[str, bytes]:
        from audit import clock
        from tables.desk.round_paper import printed_by, round_paper
        from tables.desk.round_pdf import round_pdf
        from tables.models import Case

        case = Case.objects.get(kind="dispute")
        assert case.table is not None and case.round is not None
        printed = printed_by(self.person("carla"))
        paper = round_paper(case.table, case.round, case.seat, moment=clock.now(), printed_by=printed)
        assert paper is not None
        return "dispute-paper", round_pdf(paper)


# The pit: money, figures and people


TABLE = "T-04"
RATED_WAGERS = ((2, "big", 5_000), (2, "total:12", 1_000), (5, "small", 2_500), (5, "two-dice:2-5", 500))
PARTLY = {"500": 100, "2500": 100}


class EveningFloor(Floor):
    """The demo's evening, with a fill at the table, another that is requested, and two rated players."""

    has_evening = True

    def play(self) -> None:
        from tables.demo.simulation import FILL
        from tables.models import ChipTransfer

        brought = self.fill(TABLE, FILL)
        if brought.status == ChipTransfer.Status.REQUESTED:
            self.prepare(TABLE, brought)
        if brought.status != ChipTransfer.Status.ON_THE_WAY:
            self.act(TABLE, "hand_over_transfer", {"transfer": brought.number}, "rita", by="cleo")
        self.fill("T-31", PARTLY)
        prepared = self.fill("T-32", {"10000": 40})
        if prepared.status == ChipTransfer.Status.REQUESTED:
            self.prepare("T-32", prepared)
        self.finish_round(TABLE)
        self.place(TABLE, *RATED_WAGERS)
        for seat, name in ((2, "Pat Example"), (5, "Sam Sample")):
            registered = self.in_room("marta", "register_player", {"name": name, "card": ""})
            rating = {"seat": seat, "player": str(registered.body["player"])}
            self.act(TABLE, "start_rating", rating, by="marta")
        for dice in ([1, 3, 6], [4, 4, 2], [2, 5, 5]):
            self.end_round(TABLE, dice)
            self.place(TABLE, *RATED_WAGERS)
        self.count()

    def fill(self, table: str, chips: dict[str, int]) -> Any:
        """The fill under way at a table, requested now if there is none."""
        from tables.demo.simulation import UNDER_WAY
        from tables.models import ChipTransfer

        under_way = ChipTransfer.objects.filter(table=self.table(table), status__in=UNDER_WAY)
        if not under_way.exists():
            self.act(table, "request_fill", {"chips": chips}, by=self.table(table).floorperson.code)
        return under_way.get(kind=ChipTransfer.Kind.FILL)

    def prepare(self, table: str, transfer: Any) -> None:
        self.act(table, "prepare_transfer", {"transfer": transfer.number}, by="cleo")

    def finish_round(self, table: str) -> None:
        """Play the round that the evening left at a table to its end."""
        from tables.demo.evening import table_of_the_evening
        from tables.demo.simulation import acts_of_round
        from tables.models import Wager

        simulated = table_of_the_evening(table)
        assert simulated is not None
        if Wager.objects.filter(round__table=simulated.table, round__ended_at=None).exists():
            for _ in acts_of_round(simulated, random.Random(1)):
                pass

    @property
    def player(self) -> str:
        """The address of the first rated player."""
        from tables.models import Player

        return f"/floor/{FACILITY}/players/{Player.objects.earliest('pk').code}/"


# What `manage.py simulate --live` plays at forty tables.
SUBMISSIONS = "RS-0009,RS-0012,RS-0021,RS-0022,RS-0031,RS-0003"
TABLES, HOURS, SEED = 40, 1, 40


class ManyTables(Floor):
    """The demo's evening, and another of many tables."""

    has_evening = True

    def play(self) -> None:
        from django.core.management import call_command

        options = {"tables": TABLES, "hours": HOURS, "submission": SUBMISSIONS, "seed": SEED}
        call_command("simulate", live=True, **options)
        self.count()
