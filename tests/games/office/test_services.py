"""What a provider supplies: how it is linked, its four steps, and which wagers they stop."""

import datetime as dt

import pytest

from games.engine import Refusal
from games.models import GameRequest, Review, Service
from games.office.providers import services

from .chapter_528 import (
    ANY_TRIPLE,
    applied,
    approved_request,
    certified,
    dealt,
    investigated,
    linked,
    permitted,
    three_steps,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def house(hands, scene):
    return scene


def steps(scene, now):
    """The four steps of the newest service: done or not, in their order."""
    facility = scene.table.facility
    rows = Service.objects.select_related("provider", "request").order_by("-pk")[:1]
    (use,) = services.service_statuses(facility, list(rows), facility.gaming_day(now), now)
    return [step.is_done for step in use.steps]


def of(scene, now, game="sic-bo"):
    return services.suspended_codes(scene.table.facility, game, now)


@pytest.mark.clause("PA-528.1")
def test_no_provider_is_linked_to_a_game_without_an_application_on_file(house):
    code = investigated(house)
    with pytest.raises(Refusal) as refusal:
        linked(house, code, ANY_TRIPLE)
    assert (refusal.value.code, refusal.value.section) == ("provider-not-applied", "58 Pa. Code § 528.1")
    assert not Service.objects.exists()


@pytest.mark.clause("PA-528.7", "PA-528.7(1)", "PA-528.7(2)", "PA-528.7(3)", "PA-528.7(4)")
def test_a_service_is_dealt_once_its_four_steps_are_done_and_no_sooner(house, hands):
    code = applied(house)
    assert of(house, hands.now) == frozenset()  # nothing is linked, nothing is stopped
    service = linked(house, code, ANY_TRIPLE)
    assert (steps(house, hands.now), of(house, hands.now)) == ([False] * 4, {ANY_TRIPLE})
    house.in_office("record_laboratory", {"service": service.code, "submitted_on": "2026-11-01"})
    assert steps(house, hands.now) == [False] * 4
    house.in_office(
        "record_laboratory",
        {"service": service.code, "submitted_on": "2026-11-01", "approved_on": "2026-11-18"},
    )
    assert steps(house, hands.now) == [True, False, False, False]
    house.in_office("record_laboratory_costs", {"service": service.code, "costs_cents": 480_000})
    assert steps(house, hands.now) == [True, False, False, False]
    house.in_office(
        "record_laboratory_costs",
        {"service": service.code, "costs_cents": 480_000, "paid_on": "2026-11-19"},
    )
    assert steps(house, hands.now) == [True, True, False, False]
    request = approved_request(house, hands.now, ANY_TRIPLE)
    GameRequest.objects.update(status=Review.FILED, decided_at=None)
    house.in_office("link_request", {"service": service.code, "request": request.code})
    assert steps(house, hands.now) == [True, True, False, False]
    GameRequest.objects.update(status=Review.APPROVED, decided_at=hands.now)
    assert (steps(house, hands.now), of(house, hands.now)) == ([True, True, True, False], {ANY_TRIPLE})
    certified(house, code)
    assert (steps(house, hands.now), of(house, hands.now)) == ([True] * 4, frozenset())
    kept = Service.objects.get()
    assert (kept.lab_submitted_on, kept.lab_approved_on) == (dt.date(2026, 11, 1), dt.date(2026, 11, 18))
    assert (kept.costs_cents, kept.costs_paid_on, kept.request.status) == (
        480_000,
        dt.date(2026, 11, 19),
        "approved",
    )


@pytest.mark.clause("PA-528.7(4)", "PA-528.8(b)-cease")
def test_permission_to_trade_does_for_certification_until_the_day_to_cease(house, hands):
    code = applied(house)
    three_steps(house, linked(house, code, ANY_TRIPLE), hands.now)
    permitted(house, code)
    assert of(house, hands.now) == frozenset()
    notice = house.on_file("Notice")
    rescind = {"provider": code, "on": "2026-11-21", "cease_on": "2026-11-25", "notice": notice}
    house.in_office("rescind_permission", rescind)
    begins = dt.datetime(2026, 11, 25, 11, tzinfo=dt.UTC)  # 06:00 by the house's clocks
    assert of(house, begins - dt.timedelta(microseconds=1)) == frozenset()
    assert of(house, begins) == {ANY_TRIPLE}


@pytest.mark.clause("PA-528.4(c)")
def test_a_renewal_that_waits_keeps_the_wager_on_the_layout(house, hands):
    from .chapter_528 import completed

    service = dealt(house, hands.now)
    hands.now = dt.datetime(2030, 9, 1, 15, tzinfo=dt.UTC)
    completed(house, service.provider.code, kind="renewal", fee_paid_on="2030-09-01")
    after = dt.datetime(2031, 3, 1, 15, tzinfo=dt.UTC)
    assert of(house, after) == {ANY_TRIPLE}
    house.in_office("file_application", {"provider": service.provider.code})
    assert of(house, after) == frozenset()


def test_a_family_means_all_its_wagers_and_no_wagers_means_the_game(house, hands):
    code = applied(house)
    linked(house, code, "two-of-a-kind", "big")
    assert of(house, hands.now) == {*(f"two-of-a-kind:{n}" for n in range(1, 7)), "big"}
    assert of(house, hands.now, "high-roll") == frozenset()
    linked(house, code)
    assert of(house, hands.now) == {services.WHOLE_GAME}


def test_an_unknown_wager_is_not_linked(house):
    code = applied(house)
    with pytest.raises(Refusal, match="no-such-wager-here"):
        linked(house, code, "zork")


def test_what_the_house_has_ended_is_dealt_only_as_a_service_of_somebody_else(house, hands):
    service = dealt(house, hands.now)
    house.in_office("end_service", {"service": service.code, "on": "2026-11-22", "why": "contract ended"})
    tomorrow = hands.now + dt.timedelta(days=1)
    assert (of(house, hands.now), of(house, tomorrow)) == (frozenset(), {ANY_TRIPLE})
    three_steps(house, linked(house, service.provider.code, ANY_TRIPLE, name="Again"), hands.now)
    assert of(house, tomorrow) == frozenset()


def test_an_approval_opens_what_it_was_asked_for_and_no_more(house, hands):
    service = linked(house, applied(house), ANY_TRIPLE, "big")
    request = approved_request(house, hands.now, ANY_TRIPLE)
    link = {"service": service.code, "request": request.code}
    with pytest.raises(Refusal) as refusal:
        house.in_office("link_request", link)
    assert (refusal.value.code, refusal.value.params["wager"]) == ("request-without-wager", "Big")
    GameRequest.objects.update(game="high-roll")
    with pytest.raises(Refusal, match="request-for-another-game"):
        house.in_office("link_request", link)


def test_an_approval_that_is_withdrawn_stops_the_wager(house, hands):
    dealt(house, hands.now)
    GameRequest.objects.update(status=Review.WITHDRAWN, withdrawn_at=hands.now)
    assert of(house, hands.now) == {ANY_TRIPLE}


def test_what_is_asked_at_every_wager_costs_one_statement_or_three(house, hands, django_assert_num_queries):
    service = dealt(house, hands.now)
    with django_assert_num_queries(3):
        assert of(house, hands.now) == frozenset()
    with django_assert_num_queries(1):
        assert of(house, hands.now, "football") == frozenset()
    other = house.table.facility
    other.pk = None
    other.code = "other"
    other.save()
    assert services.suspended_codes(other, "sic-bo", hands.now) == frozenset()
    assert service.provider.facility.code == "larkfield"
