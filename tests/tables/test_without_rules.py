"""A table whose rules are no longer in force is shown, and deals nothing; its neighbours do not notice."""

import pytest

from games.models import RulesSubmission


def withdraw():
    RulesSubmission.objects.update(status="withdrawn")


def test_it_is_shown_with_what_is_missing_and_offers_only_to_close(scene):
    withdraw()
    shown = scene.snapshot
    assert shown["rules"]["in_force"] is False
    assert (shown["next"], shown["offers"]) == (None, ["close_table"])
    assert shown["missing"]["text"].startswith("No approved rules submission RS-0009 is in force.")
    assert [alert["title"] for alert in shown["alerts"]] == ["No rules in force"]


def test_it_deals_nothing_and_closes(scene):
    withdraw()
    with scene.refused("no-rules-in-force"):
        scene.place((1, "small", 2_500))
    scene.close()
    assert scene.snapshot["offers"] == []


def test_a_round_in_play_ends_under_the_rules_that_it_pinned(scene):
    scene.place((1, "small", 2_500))
    withdraw()
    assert scene.snapshot["rules"]["in_force"] is True
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    scene.finish()
    assert scene.last_round.paid_cents == 2_500


@pytest.mark.parametrize(
    "page", ["/floor/larkfield/", "/floor/larkfield/tiles", "/floor/larkfield/T-01/console"]
)
def test_no_page_of_the_floor_goes_blind(scene, page):
    withdraw()
    assert scene.browser("podium", "pit-manager").get(page).status_code == 200


def test_nothing_placed_begins_no_round(scene):
    with scene.refused("nothing-placed"):
        scene.place((1, "small", 0))
    assert scene.round is None
