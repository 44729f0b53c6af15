"""Insiders and the money of the tables: split slips, guessed counts, unsigned credits, fills beyond the par.

Each test is one story: what the thief does, what stops them, and who is told.
"""

import datetime as dt
import json
import uuid
from collections.abc import Iterator

import pytest

from audit import clock
from tables.cases.exceptions import KINDS, exceptions
from tables.models import Alert, ChipTransfer, Slip
from tables.money.record_checks import check_money
from tests.tables.cast import Scene, make_scene
from tests.tables.conftest import Hands
from tests.tables.slip_scene import entry, file, review, settle
from tests.tables.test_money import FILL, OPENER, cage, count, fill, keep_inventory, newest, request

pytestmark = pytest.mark.django_db


@pytest.fixture
def money_clock() -> Iterator[Hands]:
    """It is 10:00 in the casino until a story moves the hands."""
    hands = Hands(dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC))
    with clock.override(hands):
        yield hands


def money_open_alerts() -> set[str]:
    return set(Alert.objects.filter(ended_at=None).values_list("key", flat=True))


# Slips below the sum of a first review


def money_round(scene: Scene, number: int = 1) -> None:
    """Seat 2 wins $900 on Big in the next round, seat 3 wins $900 too."""
    scene.play((2, "big", 90_000), (3, "big", 90_000), dice=[2, 5, 5])
    scene.finish()


def money_slip(scene: Scene, *, number: int = 1, seat: int = 2, **signers: str) -> Slip:
    """A slip that pays $840 to a seat: "only $60 of $900 were paid"."""
    payment = {"seat": seat, "paid_cents": 6_000, "taken_cents": 0}
    file(scene, "payment", number=number, payments=[payment], **signers)
    return Slip.objects.latest("pk")


def test_four_slips_of_840_dollars_for_one_round_and_seat_wait_for_a_review_from_the_second_on(money_clock):
    """A dealer and a floorperson pay an accomplice $840 four times, each slip below the $1,000 of a first review.

    The second slip comes to $1,680 with the first, so no money moves before surveillance has seen it, and so do the
    third and fourth. Surveillance sees all four; the record has the sum.
    """
    scene = make_scene()
    money_round(scene)
    assert not money_slip(scene).review_comes_first
    settle(scene, (2, 84_000))
    for number in (2, 3, 4):
        slip = money_slip(scene)
        assert slip.review_comes_first
        assert entry(scene, "slip.filed")[2]["data"]["review"]["sum_cents"] == number * 84_000
        assert f"slip-review:{slip.code}" in money_open_alerts()
        with scene.refused("slip-review-first"):
            settle(scene, (2, 84_000), code=slip.code)
        review(scene, slip.code)
        settle(scene, (2, 84_000), code=slip.code)


def test_a_slip_that_only_waits_counts_too_and_another_seat_of_the_round_does_not_help(money_clock):
    """The thieves file for two rounds before either slip is paid, and for the other seat of a round: both wait."""
    scene = make_scene()
    money_round(scene)
    money_round(scene)
    assert not money_slip(scene, number=1).review_comes_first
    assert money_slip(scene, number=2, seat=3).review_comes_first
    settle(scene, (2, 84_000))
    assert money_slip(scene, number=1, seat=3, by="relief", witness="pit-manager").review_comes_first


def test_the_slips_of_a_signer_add_up_within_an_hour_whoever_signs_beside_them(money_clock):
    """A floorperson signs a slip in each round, with another dealer each time. Within an hour the second one waits.

    After an hour the slips of the morning no longer count: what a signer moves without a review is less than $1,000 an
    hour.
    """
    scene = make_scene()
    money_round(scene)
    money_round(scene)
    money_round(scene)
    assert not money_slip(scene, number=1, seat=2).review_comes_first
    settle(scene, (2, 84_000), by="relief", witness="pit-manager")  # whoever settles has signed it too
    money_clock.now += dt.timedelta(minutes=20)
    assert money_slip(scene, number=2, seat=3, by="relief", witness="shift-manager").review_comes_first
    money_clock.now += dt.timedelta(minutes=61)
    assert not money_slip(scene, number=3, seat=3, by="dealer", witness="floorperson").review_comes_first


def test_a_seat_that_four_people_pay_is_one_seat(money_clock):
    """Two pairs who never sign together pay the same accomplice from two rounds. The seat is what they share."""
    scene = make_scene()
    money_round(scene)
    money_round(scene)
    assert not money_slip(scene, number=1).review_comes_first
    settle(scene, (2, 84_000))
    assert money_slip(scene, number=2, by="relief", witness="pit-manager").review_comes_first


def test_a_round_stays_one_sum_hours_later_and_with_other_people(money_clock):
    """The thieves wait for two hours, and let two others sign for the other seat. The round is still the same."""
    scene = make_scene()
    money_round(scene)
    assert not money_slip(scene).review_comes_first
    settle(scene, (2, 84_000))
    money_clock.now += dt.timedelta(hours=2)
    assert money_slip(scene, seat=3, by="relief", witness="pit-manager").review_comes_first


def test_a_slip_of_which_nothing_moved_does_not_count(money_clock):
    """Surveillance differed and the slip was settled with $0: the next honest slip is not made to wait by it."""
    scene = make_scene()
    money_round(scene)
    slip = money_slip(scene)
    review(scene, slip.code, differs=True, reason="camera 12 shows $900")
    money_round(scene)
    assert not money_slip(scene, number=2).review_comes_first
    settle(scene, (2, 0), reason="the review differs")
    assert not money_slip(scene, number=1, seat=3, by="relief", witness="pit-manager").review_comes_first
    settle(scene, (2, 84_000), code="ENS-0002")
    assert money_slip(scene, number=2, seat=3).review_comes_first


# Counts of fills and credits


@pytest.fixture
def money_table(money_clock) -> Scene:
    """An open table with an opener of $61,550."""
    scene = keep_inventory(make_scene(opened=False))
    scene.staff()
    count(scene, "count_opener", OPENER)
    scene.inspect()
    scene.open()
    return scene


def money_count(scene: Scene, transfer: dict[str, int], chips: dict[str, int], **how: uuid.UUID) -> None:
    scene.act("receive_transfer", {**transfer, "chips": chips}, witness="floorperson", **how)


def test_a_dealer_who_guesses_the_numbers_of_a_fill_learns_nothing_and_is_seen(money_table):
    """The dealer counts short and waits for the numbers of the slip, to sign for what the slip says.

    The refusal says only that the counts differ. Each try is an entry with both signers, the second one alerts the
    floor and surveillance, the cage sees the number of tries on its slip, and the exceptions name who tried.
    """
    scene, transfer = money_table, fill(money_table)
    with scene.refused_on_record("receipt-differs") as refusal:
        money_count(scene, transfer, {"500": 98, "2500": 100})
    assert not any(number in refusal.value.sentence for number in ("98", "99", "100", "$"))
    tried = newest("transfer.count_refused")
    assert (tried["slip"], tried["refused_counts"], tried["agrees"]) == ("F-0001", 1, False)
    assert (tried["chips"], tried["cents"]) == (FILL, 300_000)
    assert (tried["counted_chips"], tried["counted_cents"]) == ({"500": 98, "2500": 100}, 299_000)
    assert money_open_alerts() == set()
    with scene.refused_on_record("receipt-differs"):
        money_count(scene, transfer, {"500": 99, "2500": 100})
    assert money_open_alerts() == {"counts-refused:F-0001"}
    with scene.refused_on_record("count-agrees"):  # a third way to learn whether a number is right
        scene.act("report_count_difference", {**transfer, "chips": FILL})
    page = scene.browser("podium", "cage").get("/floor/larkfield/cage/").content.decode()
    assert "3 counts refused" in page
    rows = exceptions(scene.fresh.facility, dt.date(2026, 11, 21), 4).rows("dealer")
    assert [dict(zip(KINDS, row.cells, strict=True))["counts"].count for row in rows] == [3]
    money_count(scene, transfer, FILL)
    assert ChipTransfer.objects.get().refused_counts == 3
    assert [finding.code for finding in check_money(lambda: None)] == []


def test_a_refused_count_that_is_sent_again_is_one_try_with_the_same_answer(money_table):
    """The network loses the answer, and the tablet sends the count again: one entry, one answer."""
    scene, transfer, command = money_table, fill(money_table), uuid.uuid4()
    for _try in range(2):
        with pytest.raises(Exception, match="receipt-differs"):
            money_count(scene, transfer, {"500": 99, "2500": 100}, command=command)
    assert ChipTransfer.objects.get().refused_counts == 1


def test_a_count_without_the_pin_of_the_second_person_tells_nothing(money_table):
    """The dealer alone names the floorperson and guesses the PIN: a right and a wrong count get the same answer."""
    scene, transfer = money_table, fill(money_table)
    dealer = scene.browser("tablet", "dealer")
    answers = []
    for chips in (FILL, {"500": 99, "2500": 100}):
        body = {
            "command": str(uuid.uuid4()),
            "seen": scene.version,
            "params": {**transfer, "chips": chips},
            "witness": {"person": "floorperson", "pin": "000000"},
        }
        address = "/floor/larkfield/T-01/acts/receive_transfer"
        response = dealer.post(address, json.dumps(body), content_type="application/json")
        answers.append((response.status_code, response.json()["refusal"]["code"]))
    assert answers[0] == answers[1] and answers[0][1] != "receipt-differs"
    body["witness"]["pin"] = "123456"
    body["command"] = str(uuid.uuid4())
    response = dealer.post(address, json.dumps(body), content_type="application/json")
    assert (response.status_code, response.json()["refusal"]["code"]) == (422, "receipt-differs")
    assert response.json()["screen"]["version"] == scene.version


def test_nobody_carries_a_credit_who_did_not_sign_for_it(money_table):
    """Dealer and floorperson hand a credit to a security officer who was never there, and keep the chips.

    The officer's own PIN comes first, so that whoever is blamed has signed. Nobody of the table can.
    """
    scene = money_table
    credit = request(scene, "credit", {"10000": 50})
    cage(scene, "prepare_transfer", credit)
    with scene.refused("carrier-must-sign"):
        scene.act("hand_over_transfer", {**credit, "carrier": "security"}, witness="floorperson")
    for witness in (None, "relief", "floorperson", "cage"):
        with scene.refused("carrier-must-sign"):
            scene.act("sign_to_carry", credit, witness=witness)
    scene.act("sign_to_carry", credit, witness="security")
    assert newest("transfer.carrier_signed")["carrier"] == "security"
    scene.act("hand_over_transfer", credit, witness="floorperson")
    assert newest("transfer.handed_over")["carrier"] == "security"
    assert [finding.code for finding in check_money(lambda: None)] == []


def test_a_fill_brings_no_more_than_the_par_of_the_table(money_table):
    """A floorperson asks for $1,000,000 of chips at a table of $61,550, at once or in parts.

    Each denomination is bounded by the par, what is under way counts with it, and so is the value of the tray. A par is
    set by a pit or shift manager, on the record.
    """
    scene = money_table
    with scene.refused("fill-above-par"):  # no par is set: the opener is the measure
        request(scene, "fill", {"100000": 1_000})
    par = {"500": 200, "2500": 400, "10000": 300}  # $41,000
    scene.act("set_par", {"chips": par}, by="pit-manager", device=scene.podium)
    with scene.refused("fill-above-par") as refusal:
        request(scene, "fill", {"500": 201})
    assert refusal.value.params == {"asked": 201, "chip": "$5", "most": 200, "par": "par"}
    with scene.refused("fill-above-par"):
        request(scene, "fill", {"50000": 1})
    request(scene, "fill", {"500": 150})
    with scene.refused("fill-above-par"):
        request(scene, "fill", {"500": 51})
    request(scene, "fill", {"500": 50})
    with scene.refused("tray-above-par") as refusal:  # $61,550 and $1,000 to come
        request(scene, "fill", {"10000": 195})
    assert refusal.value.params == {"cents": "$82,050", "most": "$82,000", "par": "par"}
    request(scene, "fill", {"10000": 194})
