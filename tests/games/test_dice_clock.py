"""How long dice may be played with."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from games.engine import Refusal, Rules, dice_expiry

clause = pytest.mark.clause
NEW_YORK = ZoneInfo("America/New_York")
NOON = datetime(2026, 3, 7, 12, tzinfo=NEW_YORK)  # clocks go forward that night


@clause("PA-625a.2(b)-manual")
def test_dice_in_a_manual_shaker_have_24_elapsed_hours_across_a_clock_change():
    at, section = dice_expiry(Rules.of("pa-625a/A"), "manual", NOON, attested=True)
    assert at - NOON.astimezone(UTC) == timedelta(hours=24)
    assert (at.hour, section) == (13, "58 Pa. Code § 625a.2(b)")


@clause("PA-539.2(b)")
@pytest.mark.parametrize("kind", ["manual", "automated-uncovered"])
def test_539_gives_any_dice_24_hours(kind):
    at, section = dice_expiry(Rules.of("pa-539"), kind, NOON.astimezone(UTC), attested=True)
    assert (at, section) == (NOON.astimezone(UTC) + timedelta(hours=24), "58 Pa. Code § 539.2(b)")


@clause("PA-625a.2(b)-automated")
@pytest.mark.parametrize(("year", "day"), [(2026, 28), (2028, 29)])
@pytest.mark.parametrize("kind", ["automated-covered", "automated-uncovered", "player-activated"])
def test_attested_dice_in_an_automated_shaker_have_a_calendar_month_clamped(kind, year, day):
    locked = datetime(year, 1, 31, 10, tzinfo=NEW_YORK)
    at, section = dice_expiry(Rules.of("pa-625a/B"), kind, locked, attested=True)
    assert (at, section) == (datetime(year, 2, day, 10, tzinfo=NEW_YORK), "58 Pa. Code § 625a.2(b)")
    assert dice_expiry(Rules.of("pa-625a/B"), kind, locked, attested=False)[0] == locked + timedelta(hours=24)


def test_a_month_from_december_ends_in_january():
    locked = datetime(2026, 12, 15, 10, tzinfo=UTC)
    assert dice_expiry(Rules.of("pa-625a/A"), "automated-covered", locked, attested=True)[0] == datetime(
        2027, 1, 15, 10, tzinfo=UTC
    )


def test_new_jersey_has_a_house_setting_and_says_so():
    assert dice_expiry(Rules.of("nj-19-47-9"), "manual", NOON, attested=False)[1] == "House setting"


@pytest.mark.parametrize(
    ("key", "kind"),
    [("nj-19-47-9", "automated-covered"), ("pa-539", "automated-covered"), ("pa-539", "player-activated")],
)
def test_a_shaker_that_the_edition_does_not_allow_is_refused(key, kind):
    with pytest.raises(Refusal, match="shaker-not-allowed"):
        dice_expiry(Rules.of(key), kind, NOON, attested=True)


def test_a_moment_without_a_time_zone_is_a_mistake():
    with pytest.raises(ValueError, match="time zone"):
        dice_expiry(Rules.of("pa-539"), "manual", datetime(2026, 1, 1), attested=True)  # noqa: DTZ001
