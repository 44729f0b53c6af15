"""Insiders and the money of the tables: split slips, guessed counts, unsigned credits, fills beyond the par.

Each test is one story: what the thief does, what stops them, and who is told.
"""

import datetime as dt
from collections.abc import Iterator

import pytest

from audit import clock
from tables.models import Alert, Slip
from tests.tables.cast import Scene, make_scene
from tests.tables.conftest import Hands
from tests.tables.slip_scene import entry, file, review, settle

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
        assert money_open_alerts() == {f"slip-review:{slip.code}"}
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
