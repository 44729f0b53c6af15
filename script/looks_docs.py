"""The floors of the pictures of docs/, and of the felt, the pit and the wall in docs/looks.md."""

import tempfile
from pathlib import Path

from script.screenshots import FACILITY, Floor

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
        from tables.demo.seeding import do

        viktor, rita = self.person("viktor"), self.person("rita")
        do(viktor, self.device, FACILITY, "T-01", "issue_dice", {"lot": "L-0101"}, rita)

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
