"""The floor of the pictures of the compliance desk in docs/looks.md."""

import uuid
from typing import Any

from script.looks_docs import WAGERS
from script.screenshots import FACILITY, Floor

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
