"""A round from its wagers to the cleared layout, by the runner of acts."""

import pytest

from audit.models import Entry
from tables.models import Settlement

pytestmark = pytest.mark.both_databases


def test_it_plays_a_round_to_the_cleared_layout(scene):
    scene.play((1, "small", 2_500), (2, "big", 5_000), (2, "total:12", 500), dice=[2, 5, 5])
    scene.finish()
    played = scene.last_round
    assert (played.phase, played.wagered_cents, played.taken_cents, played.paid_cents) == (
        "cleared",
        8_000,
        2_500,
        8_000,
    )
    assert [one.outcome for one in Settlement.objects.order_by("place")] == ["lose", "win", "win"]


def test_every_act_stands_on_the_tables_stream(scene):
    before = scene.version
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.finish()
    types = list(
        Entry.objects.filter(stream=scene.table.stream, seq__gt=before)
        .order_by("seq")
        .values_list("type", flat=True)
    )
    assert types == [
        "wagers.placed",
        "dice.shaken",
        "bets.closed",
        "round.settled",
        "winners.paid",
        "layout.cleared",
    ]


@pytest.mark.clause("PA-625a.5(e)-order")
def test_it_refuses_to_pay_before_the_losers_are_taken(scene):
    from games.engine import Refusal

    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    with pytest.raises(Refusal) as refused:
        scene.act("pay_seats", {"seats": [2]})
    assert (refused.value.code, refused.value.section) == ("losers-not-taken", "58 Pa. Code § 625a.5(e)")
