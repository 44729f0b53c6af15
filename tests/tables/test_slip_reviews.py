"""A slip that moves money is reviewed by somebody outside the table, and above a sum before any money moves."""

import datetime as dt
import io
import json

import pypdfium2
import pytest

from audit.models import Person
from games.engine import Refusal
from games.jurisdictions import jurisdiction
from games.models import Facility
from games.separation import policy
from tables.corrections.reviews import SLIP_REVIEWER_OF_TABLE
from tables.models import Alert, Slip
from tests.services.restore import restored_later
from tests.tables.cast import make_scene, newest_of_an_act
from tests.tables.slip_scene import entry, file, review, settle

pytestmark = pytest.mark.django_db
HOUR = dt.timedelta(hours=1)
ROUND = "/floor/larkfield/T-01/rounds/1/"


@restored_later
def one_round():
    scene = make_scene()
    scene.play((1, "small", 2_500), (2, "big", 90_000), dice=[2, 5, 5])
    scene.finish()
    return scene


@pytest.fixture
def cleared(hands):
    """Round 1: seat 1 lost $25 on Small, seat 2 won $900 on Big, at 2 5 5. It has ended."""
    return one_round()


def small(scene):
    """A slip of $30 to seat 2."""
    file(scene, "payment", payments=[{"seat": 2, "paid_cents": 87_000, "taken_cents": 0}])
    return Slip.objects.get()


def large(scene):
    """A slip of $1,850: $50 to seat 1, and $1,800 from seat 2."""
    file(scene, "dice", dice=[1, 1, 2])
    return Slip.objects.get()


def open_alerts():
    return set(Alert.objects.filter(ended_at=None, kind__startswith="slip").values_list("key", flat=True))


def waiting():
    return [
        slip.code
        for slip in Slip.objects.filter(reviewed_at=None)
        .exclude(review_due_at=None)
        .order_by("review_due_at")
    ]


def text_of(content: bytes) -> str:
    return " ".join(
        page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(io.BytesIO(content))
    )


def test_a_slip_that_moves_money_says_by_when_it_is_reviewed(cleared, hands):
    slip = small(cleared)
    assert policy.row_of(jurisdiction("PA"), "corrections").hours == 24
    assert (slip.review_due_at, slip.review_comes_first) == (hands.now + 24 * HOUR, False)
    assert entry(cleared, "slip.filed")[2]["data"]["review"]["before_money"] is False
    assert waiting() == ["ENS-0001"]
    settle(cleared, (2, 3_000))
    assert waiting() == ["ENS-0001"]


def test_a_slip_without_money_or_without_players_needs_no_review(cleared):
    file(cleared, "dice", dice=[3, 5, 5])
    assert waiting() == []
    with cleared.refused("slip-needs-no-review"):
        review(cleared)


def test_of_training_nothing_is_reviewed():
    scene = make_scene(kind="training")
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    scene.act("draw_dice")
    scene.act("call_dice", {"dice": scene.snapshot["round"]["drawn"]})
    scene.finish()
    file(scene, "payment", payments=[{"seat": 1, "paid_cents": 100, "taken_cents": 100}])
    assert Slip.objects.get().review_due_at is None


def test_surveillance_agrees_and_the_record_and_the_page_say_so(cleared, hands):
    slip = small(cleared)
    filed_seq, filed_hash, _ = entry(cleared, "slip.filed")
    hands.now += HOUR
    page = cleared.browser("podium", "surveillance").get(ROUND).content.decode()
    assert 'id="review-slip"' in page and "Surveillance or compliance" in page
    review(cleared, reason="seen on camera 12")
    seq, _, body = entry(cleared, "slip.reviewed")
    assert body["actor"] == "surveillance"
    assert body["data"] == {
        "slip": "ENS-0001",
        "round": 1,
        "filed": {"seq": filed_seq, "hash": filed_hash},
        "verdict": "agrees",
        "reason": "seen on camera 12",
        "department": "surveillance",
        "due_at": entry(cleared, "slip.filed")[2]["data"]["review"]["due_at"],
    }
    slip.refresh_from_db()
    assert (slip.reviewed_seq, slip.reviewed_by.code, slip.review_verdict) == (seq, "surveillance", "agrees")
    assert waiting() == []
    page = cleared.browser("podium", "floorperson").get(ROUND).content.decode()
    assert ": agrees<small>" in page and "seen on camera 12" in page and 'id="review-slip"' not in page
    with cleared.refused("slip-reviewed-already"):
        review(cleared, by="compliance")


def test_a_review_that_comes_late_says_so(cleared, hands):
    small(cleared)
    hands.now += 25 * HOUR
    page = cleared.browser("podium", "floorperson").get(ROUND).content.decode()
    assert "Its review by surveillance or compliance is late" in page
    review(cleared)
    assert ", late: agrees" in cleared.browser("podium", "floorperson").get(ROUND).content.decode()


def test_above_the_sum_no_money_moves_before_the_review(cleared):
    slip = large(cleared)
    assert slip.due_cents == 185_000 >= policy.row_of(jurisdiction("PA"), "corrections").first_from_cents
    assert slip.review_comes_first
    assert open_alerts() == {"slip-review:ENS-0001"}
    assert (
        "No money moves before the review."
        in cleared.browser("podium", "floorperson").get(ROUND).content.decode()
    )
    with cleared.refused("slip-review-first"):
        settle(cleared, (1, 5_000), (2, -180_000))
    review(cleared)
    assert open_alerts() == {"slip:ENS-0001"}
    settle(cleared, (1, 5_000), (2, -180_000))
    assert Slip.objects.get().status == "settled"
    assert open_alerts() == set()


def test_a_facility_lowers_the_sum_of_the_jurisdiction_and_never_raises_it(cleared):
    def set_sum(cents):
        cleared.in_room("set_review_sum", {"cents": cents}, by="compliance")

    with cleared.refused("review-sum-too-high") as refusal:
        set_sum(100_001)
    assert refusal.value.params == {"jurisdiction": "Pennsylvania", "most": "$1,000"}
    with cleared.refused("review-sum-the-same"):
        set_sum(100_000)
    set_sum(2_500)
    body = json.loads(bytes(newest_of_an_act("larkfield/setup").body))
    assert (body["_type"], body["data"]) == ("review_sum.set", {"cents": 2_500, "before_cents": 100_000})
    page = cleared.browser("podium", "floorperson").get(ROUND).content.decode()
    assert "reviews a slip that moves money, from $25 on before any money moves." in page
    page = cleared.browser("podium", "compliance").get("/office/larkfield/changes/").content.decode()
    assert "from $25 before money moves, a sum of this casino" in page
    slip = small(cleared)
    assert (slip.due_cents, slip.review_comes_first) == (3_000, True)
    Facility.objects.update(review_first_from_cents=500_000)  # written beside the act
    assert policy.review_first_from(Facility.objects.get()) == 100_000


def test_a_review_that_differs_says_why_and_stops_the_money(cleared):
    large(cleared)
    with cleared.refused("slip-say-why-differs"):
        review(cleared, differs=True)
    review(cleared, differs=True, reason="the dice show 1 1 3")
    assert open_alerts() == {"slip-differs:ENS-0001"}
    with cleared.refused("slip-review-differs"):
        settle(cleared, (1, 5_000), (2, 0), reason="part of it")
    settle(cleared, (1, 0), (2, 0), reason="the review differs")
    assert Slip.objects.get().status == "settled"
    assert open_alerts() == {"slip-differs:ENS-0001"}  # until somebody acknowledges it


def test_a_review_that_differs_after_the_money_is_an_alert_at_the_table(cleared):
    small(cleared)
    settle(cleared, (2, 3_000))
    review(cleared, differs=True, reason="seat 2 got the whole sum")
    assert open_alerts() == {"slip-differs:ENS-0001"}


def test_nobody_reviews_a_slip_that_they_signed_and_no_reviewer_signs(cleared):
    large(cleared)
    Person.objects.filter(code="dealer").update(role="surveillance", department="surveillance")
    cleared.people["dealer"].refresh_from_db()
    with cleared.refused("slip-reviewer-signed"):
        review(cleared, by="dealer")
    review(cleared, by="surveillance")
    Person.objects.filter(code="surveillance").update(role="floorperson", department="table-games")
    cleared.people["surveillance"].refresh_from_db()
    with cleared.refused("slip-signed-by-reviewer"):
        settle(cleared, (1, 5_000), (2, -180_000), by="relief", witness="surveillance")


def test_only_the_departments_of_the_jurisdiction_review(cleared):
    slip = small(cleared)
    Person.objects.filter(code="compliance").update(department="table-games")
    cleared.people["compliance"].refresh_from_db()
    with pytest.raises(Refusal) as refusal:
        review(cleared, by="compliance")
    assert refusal.value.code == SLIP_REVIEWER_OF_TABLE
    assert slip.waits_for_review


def test_the_slip_prints_with_its_signatures_and_its_review(cleared):
    large(cleared)
    address = "/floor/larkfield/T-01/slips/1.pdf"
    response = cleared.browser("podium", "surveillance").get(address)
    assert response["Content-Type"] == "application/pdf"
    words = text_of(response.content)
    assert "Error Notification Slip T-01 ENS-0001" in words
    assert "awaited from surveillance or compliance" in words and "No money moves before the review." in words
    review(cleared)
    settle(cleared, (1, 5_000), (2, -180_000))
    words = text_of(cleared.browser("tablet", "dealer").get(address).content)
    for part in ("2 5 5", "1 1 2", "Seat 2", "owes", "$1,800", "Surveillance", "agrees", "misread"):
        assert part in words
    assert entry(cleared, "slip.reviewed")[1] in words.replace("\r\n", "")


def test_a_slip_of_exactly_the_sum_waits_and_of_a_dollar_less_does_not(cleared):
    def due(paid_cents: int) -> bool:
        payments = [{"seat": 2, "paid_cents": 90_000 - paid_cents, "taken_cents": 0}]
        with cleared.tried():
            file(cleared, "payment", payments=payments)
            return Slip.objects.get().review_comes_first

    cleared.in_room("set_review_sum", {"cents": 5_000}, by="compliance")
    assert [due(cents) for cents in (4_900, 5_000, 5_100)] == [False, True, True]
