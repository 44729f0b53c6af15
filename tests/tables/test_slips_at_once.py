"""Two slips at once, at two tables and by the same signers: on PostgreSQL the second one counts the first."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tables.corrections import reviews
from tables.models import Slip
from tests.tables.cast import Scene
from tests.tables.house import make_house
from tests.tables.slip_scene import file
from tests.tables.test_two_at_once import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
MEANWHILE = 0.6  # seconds in which the other slip is filed


def deal_round(scene: Scene) -> None:
    """Seat 2 wins $900 on Big."""
    scene.staff()
    scene.inspect()
    scene.open()
    scene.play((2, "big", 90_000), dice=[2, 5, 5])
    scene.finish()


def filing(scene: Scene) -> Callable[[], Any]:
    """A slip of the table's dealer and the floorperson of both that pays $840 more to seat 2."""
    payments = [{"seat": 2, "paid_cents": 6_000, "taken_cents": 0}]
    return lambda: file(scene, "payment", payments=payments, by="dealer", witness="floorperson")


def test_a_signer_of_two_slips_at_two_tables_at_once_is_reviewed_first_at_one_of_them(
    transactional_db, monkeypatch
):
    house = make_house(("T-01", "pa-625a/A", None), ("T-02", "pa-625a/A", None))
    deal_round(house["T-01"])
    people = house["T-01"].people
    second = replace(house["T-02"], people={**people, "dealer": people["relief"]})
    deal_round(second)
    added = reviews._moved_cents

    def adding_slowly(*args: Any) -> int:
        cents = added(*args)
        time.sleep(MEANWHILE / 4)
        return cents

    monkeypatch.setattr(reviews, "_moved_cents", adding_slowly)
    results = at_once(filing(house["T-01"]), filing(second))
    assert [result for result in results if isinstance(result, Exception)] == []
    assert sorted(Slip.objects.values_list("review_comes_first", flat=True)) == [False, True]
