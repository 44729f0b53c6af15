"""The clock's own act: dice that reach their time are recorded once, whoever ticks."""

import datetime as dt
import json

import pytest

from audit.models import Entry
from tables.models import DiceLot
from tables.ticker import tick

pytestmark = pytest.mark.django_db


def expiries():
    return [json.loads(bytes(entry.body)) for entry in Entry.objects.filter(type="dice_lot.expired")]


def test_it_records_the_expiry_once_and_two_ticks_are_harmless(hands, scene):
    version = scene.version
    hands.now += dt.timedelta(hours=24, seconds=-1)
    assert tick() == []
    hands.now += dt.timedelta(seconds=1)
    assert tick() == [scene.table.pk]
    assert (tick(), tick(), scene.version) == ([], [], version + 1)
    said = expiries()
    assert len(said) == 1
    assert (said[0]["actor"], said[0]["at"]) == (None, "2026-11-22T15:00:00.000000Z")
    assert said[0]["data"] == {
        "lot": "L-0001",
        "expires_at": "2026-11-22T15:00:00.000000Z",
        "section": "58 Pa. Code § 625a.2(b)",
    }
    assert scene.snapshot["acts"][0]["text"] == "Lot L-0001 reached its time"


def test_two_tickers_that_saw_the_same_lot_record_it_once(hands, scene):
    from tables.ticker import _record_expiry

    lot = DiceLot.objects.get(code="L-0001")
    hands.now += dt.timedelta(days=2)
    assert _record_expiry(lot.pk, "larkfield", "T-01") == scene.table.pk
    assert _record_expiry(lot.pk, "larkfield", "T-01") is None
    assert len(expiries()) == 1


def test_dice_that_were_taken_out_in_time_do_not_expire(hands, scene):
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    hands.now += dt.timedelta(days=2)
    tick()
    assert [entry["data"]["lot"] for entry in expiries()] == ["L-0002"]


def test_the_expiry_makes_no_screen_stale(hands, scene):
    seen = scene.version
    hands.now += dt.timedelta(days=1)
    tick()
    scene.place((1, "small", 2_500), seen=seen)


async def test_a_tick_that_fails_is_tried_again(monkeypatch):
    import asyncio

    from tables import ticker

    loop, ticks, again = asyncio.get_running_loop(), [], asyncio.Event()

    def fails():
        ticks.append(1)
        if len(ticks) == 2:
            loop.call_soon_threadsafe(again.set)
        raise RuntimeError("the database is away")

    monkeypatch.setattr(ticker, "tick", fails)
    monkeypatch.setattr(ticker, "SECONDS", 0.001)
    task = asyncio.create_task(ticker.keep_ticking())
    await asyncio.wait_for(again.wait(), 10)
    task.cancel()
