"""Two people reach for the same dice, or the same table, at the same moment, on PostgreSQL."""

import pytest

from audit import runner
from games.engine import Refusal
from tables.models import DiceLot
from tests.tables.house import make_house
from tests.tables.test_two_at_once import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
TWO = {"by": "shift-manager", "witness": "security"}


@pytest.fixture
def house(transactional_db):
    return make_house(("T-01", "pa-625a/A", None), ("T-02", "pa-625a/A", None))


def test_a_lot_is_issued_to_one_of_two_tables(house):
    DiceLot.objects.filter(code="L-0003").update(status="stored", table=None)

    def issue(code):
        scene = house[code]
        return scene.act("issue_dice", {"lot": "L-0003"}, device=scene.podium, **TWO)

    found = at_once(lambda: issue("T-01"), lambda: issue("T-02"))
    assert sorted(type(one).__name__ for one in found) == ["ActResponse", "Refusal"]
    lot = DiceLot.objects.get(code="L-0003")
    given = next(number for number, one in enumerate(found, start=1) if isinstance(one, runner.ActResponse))
    assert (lot.status, lot.table.code) == ("issued", f"T-0{given}")


def test_a_lot_is_destroyed_once_and_a_list_completely_or_not_at_all(house):
    codes = ["L-0002", "L-0003", "L-0004"]
    DiceLot.objects.filter(code__in=codes).update(status="removed")
    first, again = codes, list(reversed(codes))

    def destroy(lots):
        return house["T-01"].in_room("destroy_dice", {"lots": lots, "how": "destroyed"}, **TWO)

    found = at_once(lambda: destroy(first), lambda: destroy(again))
    refused = [one for one in found if isinstance(one, Refusal)]
    assert [one.code for one in refused] == ["lot-is-elsewhere"]
    assert set(DiceLot.objects.filter(code__in=codes).values_list("status", flat=True)) == {"destroyed"}
    assert [lot.steps.count() for lot in DiceLot.objects.filter(code__in=codes)] == [1, 1, 1]


def test_one_of_two_receipts_of_the_same_codes_stands(house):
    lots = [{"lot": "L-0500", "dice": 3, "size_um": 19_050, "seal_intact": True}]

    def receive():
        return house["T-01"].in_room("receive_dice", {"from": "the maker", "lots": lots}, **TWO)

    found = at_once(receive, receive)
    assert sorted(type(one).__name__ for one in found) == ["ActResponse", "Refusal"]
    assert DiceLot.objects.filter(code="L-0500").count() == 1
