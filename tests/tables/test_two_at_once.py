"""Two people at once, on PostgreSQL: nothing is settled twice, nothing is paid twice, nothing is lost."""

import json
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from audit.models import Command, Entry, Person
from games.engine import Refusal
from tables.models import Player, Rating, Round, Settlement, Throw, Wager
from tables.runner import table
from tables.ticker import tick
from tests.tables.cast import PIN, make_scene

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act gave or raised, all begun at the same moment in threads of their own."""
    gate = threading.Barrier(len(acts))
    found: list[Any] = [None] * len(acts)

    def run(place: int, act: Callable[[], Any]) -> None:
        try:
            gate.wait(10)
            found[place] = act()
        except Exception as error:
            found[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place, act)) for place, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    return found


def entries(type_: str) -> int:
    return Entry.objects.filter(type=type_).count()


def test_two_browsers_that_enter_the_dice_settle_once(committed):
    committed.place((1, "small", 2_500), (2, "big", 2_500))
    committed.to_the_dice()
    seen = committed.version
    found = at_once(
        lambda: committed.act("call_dice", {"dice": [2, 5, 5]}, seen=seen),
        lambda: committed.act(
            "call_dice", {"dice": [1, 1, 2]}, seen=seen, by="floorperson", device=committed.podium
        ),
    )
    assert sorted(type(one).__name__ for one in found) == ["ActResponse", "Stale"]
    assert (entries("round.settled"), Throw.objects.count(), Settlement.objects.count()) == (1, 1, 2)
    assert committed.version == seen + 1


def test_two_browsers_that_pay_the_same_seat_pay_once(committed):
    committed.play((1, "big", 2_500), (2, "big", 2_500), dice=[2, 5, 5])
    seen = committed.version

    def pay():
        return committed.act("pay_seats", {"seats": [1]}, seen=seen)

    found = at_once(pay, pay)
    refused = [one for one in found if isinstance(one, Refusal)]
    assert [one.code for one in refused] == ["seat-paid-already"]
    assert (entries("winners.paid"), committed.round.paid_seats) == (1, [1])


def test_two_browsers_that_pay_two_seats_both_pay(committed):
    committed.play((1, "big", 2_500), (2, "big", 2_500), (3, "big", 2_500), dice=[2, 5, 5])
    seen = committed.version
    found = at_once(
        *(lambda seat=seat: committed.act("pay_seats", {"seats": [seat]}, seen=seen) for seat in (1, 3))
    )
    assert all(isinstance(one, table.ActResponse) for one in found), found
    assert committed.round.paid_seats == [1, 3]


def test_a_command_that_comes_four_times_in_parallel_is_done_once(committed):
    command, seen = uuid.uuid4(), committed.version

    def lay():
        return committed.place((1, "small", 2_500), command=command, seen=seen)

    found = at_once(lay, lay, lay, lay)
    assert sorted(one.is_repeat for one in found) == [False, True, True, True]
    assert len({(one.version, str(one.body)) for one in found}) == 1
    assert (entries("wagers.placed"), Command.objects.filter(pk=command).count(), Wager.objects.count()) == (
        1,
        1,
        1,
    )


def test_eight_seats_at_once_open_one_round_and_lose_no_wager(committed):
    seen = committed.version
    found = at_once(
        *(lambda seat=seat: committed.place((seat, "small", 1_000), seen=seen) for seat in range(1, 9))
    )
    assert all(isinstance(one, table.ActResponse) for one in found), found
    assert sorted(one.version for one in found) == list(range(seen + 1, seen + 9))
    played = Round.objects.get()
    assert (played.number, played.wagered_cents, Wager.objects.count()) == (1, 8_000, 8)


def test_a_wager_and_no_more_bets_at_once_leave_one_order(committed):
    committed.place((1, "small", 2_500))
    committed.act("shake", {"shakes": 3})
    seen = committed.version
    laid, closed = at_once(
        lambda: committed.place((2, "big", 2_500), seen=seen),
        lambda: committed.act("no_more_bets", seen=seen),
    )
    assert isinstance(closed, table.ActResponse)
    kept = Wager.objects.filter(seat=2).exists()
    assert isinstance(laid, table.ActResponse) == kept
    assert committed.round.wagered_cents == (5_000 if kept else 2_500)
    if not kept:
        assert getattr(laid, "code", "") == "bets-closed"


def test_two_tickers_record_one_expiry(committed):
    import datetime as dt

    from audit import clock

    later = clock.now() + dt.timedelta(days=2)
    with clock.override(later):
        at_once(tick, tick)
    assert entries("dice_lot.expired") == 1


@pytest.fixture
def football(transactional_db):
    """A football table with three people at it, its Quarterback at seat 5."""
    scene = make_scene("pa-577")
    scene.place((5, "touchdown", 500))
    scene.act("offer_dice", {"seat": 5, "accepted": True}, by="stickperson")
    return scene


def test_two_football_dealers_never_refuse_each_other_over_different_seats(football):
    """Each lays wagers on the own half sixteen times at once, from a screen that has not seen the other's."""
    seen = football.version
    found = at_once(
        *(
            lambda seat=seat, by=by: football.place((seat, "big-play", 500, 1), seen=seen, by=by)
            for by, seats in (("dealer", range(1, 9)), ("relief", range(9, 17)))
            for seat in seats
        )
    )
    assert all(isinstance(one, table.ActResponse) for one in found), found
    assert (Wager.objects.count(), football.round.wagered_cents) == (17, 17 * 500)


def test_two_football_dealers_settle_their_halves_at_once(football):
    football.place(*((seat, "big-play", 500, 1) for seat in (2, 12)))
    football.act("throw_dice", by="stickperson")
    football.act("call_dice", {"dice": [6, 5, 1]}, by="stickperson")
    seen = football.version
    found = at_once(
        lambda: football.act("settle_seats", {"seats": [2]}, seen=seen),
        lambda: football.act("settle_seats", {"seats": [12]}, seen=seen, by="relief"),
    )
    assert all(isinstance(one, table.ActResponse) for one in found), found
    assert (football.round.phase, entries("seats.settled")) == ("open", 2)


def test_thirty_wrong_pins_at_once_leave_other_tables_a_connection(committed, monkeypatch):
    hashes, go_on = threading.Semaphore(0), threading.Event()

    def slow(person: Person, pin: str) -> bool:
        hashes.release()
        go_on.wait(20)
        return False

    monkeypatch.setattr(Person, "check_password", slow)

    def sign_in(browser: Client) -> None:
        try:
            browser.post("/sign-in", {"person": "floorperson", "pin": "000000"})
        finally:
            connection.close()

    browsers = [committed.browser("tablet") for _ in range(30)]
    guesses = [threading.Thread(target=sign_in, args=(browser,)) for browser in browsers]
    try:
        for guess in guesses:
            guess.start()
        assert hashes.acquire(timeout=10)
        time.sleep(0.5)  # the others have come as far as they can: they wait for the first one's hash
        assert not hashes.acquire(blocking=False)
        (answer,) = at_once(lambda: committed.place((1, "small", 2_500)))
        assert isinstance(answer, table.ActResponse), answer
    finally:
        go_on.set()
        for guess in guesses:
            guess.join(20)
    assert (entries("person.refused"), entries("person.locked_out")) == (5, 1)


def test_while_a_witness_pin_is_hashed_the_table_goes_on(committed, monkeypatch):
    committed.place((1, "small", 2_500))
    hashed, go_on = threading.Event(), threading.Event()
    tablet = committed.browser("tablet", "dealer")

    def slow(person: Person, pin: str) -> bool:
        hashed.set()
        return go_on.wait(20)

    monkeypatch.setattr(Person, "check_password", slow)
    answers: list[int] = []

    def void() -> None:
        witness = {"person": "floorperson", "pin": PIN}
        body = {
            "command": str(uuid.uuid4()),
            "seen": seen,
            "params": {"reason": "dispute"},
            "witness": witness,
        }
        try:
            address = "/floor/larkfield/T-01/acts/void_round"
            answers.append(
                tablet.post(address, json.dumps(body), content_type="application/json").status_code
            )
        finally:
            connection.close()

    seen = committed.version
    voiding = threading.Thread(target=void)
    try:
        voiding.start()
        assert hashed.wait(10)
        (answer,) = at_once(lambda: committed.place((2, "small", 2_500)))
        assert isinstance(answer, table.ActResponse), answer
    finally:
        go_on.set()
        voiding.join(20)
    assert answers == [200]


def test_nobody_is_rated_who_is_excluded_at_the_same_moment(committed):
    committed.place((1, "small", 2_500))
    code = str(committed.in_room("register_player", {"name": "A name"}, by="floorperson").body["player"])
    seen = committed.version
    rated, excluded = at_once(
        lambda: committed.act(
            "start_rating", {"seat": 1, "player": code}, seen=seen, by="floorperson", device=committed.podium
        ),
        lambda: committed.in_room("exclude_player", {"player": code, "reason": "list"}, by="compliance"),
    )
    assert not isinstance(excluded, Exception), excluded
    assert not isinstance(rated, Exception) or rated.code in ("player-is-excluded", "player-is-busy"), rated
    assert not Rating.objects.filter(ended_at=None).exists() and committed.fresh.rated_seats == {}


def test_an_act_at_a_table_never_waits_for_a_player_whom_an_exclusion_has_locked(committed):
    committed.place((1, "small", 2_500))
    code = str(committed.in_room("register_player", {"name": "A name"}, by="floorperson").body["player"])
    refused: list[Any] = []
    with transaction.atomic():
        Player.objects.select_for_update(no_key=True).get(code=code)
        refused += at_once(
            lambda: committed.act(
                "start_rating", {"seat": 1, "player": code}, by="floorperson", device=committed.podium
            )
        )
    assert [refusal.code for refusal in refused] == ["player-is-busy"]
