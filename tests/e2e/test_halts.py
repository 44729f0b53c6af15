"""A record that goes back under a tablet: its next tap halts the table on every screen, until two people declare."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from playwright.sync_api import expect

from audit.models import Entry, Stream
from audit.sealing import declarations
from audit.sealing.declarations import declare_incarnation, open_first
from tables.models import Round, Table, Wager
from tests.e2e.floor import Tablet, dashboard, lying, tablet, touch
from tests.e2e.test_looks import faults_of, rules_broken_today
from tests.services.emptying import guards_aside

pytestmark = pytest.mark.browser


def patiently(do: Any) -> Any:
    """The in-memory SQLite of tests knows no waiting."""
    for _ in range(100):
        try:
            return do()
        except OperationalError:
            time.sleep(0.02)
    return do()


def cut(scene: Any, kept: int) -> None:
    """A superuser cuts the table's record off after this number, with the round that it tells of."""
    stream = scene.table.stream
    last = Entry.objects.get(stream=stream, seq=kept)

    def do() -> None:
        with guards_aside(connection):
            Entry.objects.filter(stream=stream, seq__gt=kept).delete()
            Stream.objects.filter(pk=stream.pk).update(seq=kept, head=last.hash, last_at=last.at)
            Wager.objects.filter(round__table=scene.table).delete()
            Round.objects.filter(table=scene.table).delete()
            Table.objects.filter(pk=scene.table.pk).update(last_round=0)

    patiently(do)


def declare(scene: Any) -> None:
    people = scene.people

    def do() -> None:
        if not declarations.Incarnation.objects.exists():
            open_first()
        declare_incarnation(people["compliance"], people["shift-manager"], "the disk was replaced")

    def apart() -> None:
        patiently(do)
        connection.close()

    with ThreadPoolExecutor(1) as thread:  # this one has the browser's loop
        thread.submit(apart).result()


def test_the_next_tap_finds_a_cut_tail_and_a_declaration_lets_the_table_go_on(scene, new_page, spotless):
    kept = scene.version
    pit, dealer = dashboard(new_page, scene), tablet(new_page, scene)
    beside = Tablet(dealer.page.context.new_page())  # a second tab of the tablet
    beside.page.goto(dealer.page.url)
    beside.is_live()
    spotless += [pit, dealer, beside]
    dealer.place((1, "big", 2_500))
    pit.shows(wagered="$25")
    cut(scene, kept)
    dealer.tap(dealer.next)

    expect(dealer.page.locator("#side-halted")).to_contain_text("The record of T-01 was rolled back.")
    expect(dealer.refused()).to_contain_text(f"has shown entry {kept + 1} of T-01")
    dealer.says("Halted")
    expect(dealer.next).to_have_attribute("aria-disabled", "true")
    expect(beside.page.locator("#side-halted")).to_be_visible()  # although its own number is higher
    pit.shows("Halted")
    expect(pit.page.locator(".alert.stop")).to_contain_text("The record was rolled back")
    assert scene.fresh.halted_at is not None and scene.round is None

    touch(beside.area("small"))
    expect(beside.page.locator("#side-halted")).to_be_visible()
    assert not Wager.objects.filter(round__table=scene.table).exists()
    assert (faults_of(dealer.page), faults_of(pit.page, None), rules_broken_today(pit.page)) == ([], [], [])
    touch(dealer.page.locator("#refusal [data-close]"))
    assert rules_broken_today(dealer.page) == []
    pit.page.goto("/floor/larkfield/T-01")
    expect(pit.page.locator(".now-on")).to_contain_text("Halted. Nothing can be entered here.")
    assert (faults_of(pit.page, None), rules_broken_today(pit.page)) == ([], [])

    declare(scene)
    for screen in (dealer, beside):
        expect(screen.page.locator("#side-halted")).to_have_count(0)
        expect(screen.page.locator("#screen")).to_have_attribute("data-incarnation", "2")
    dealer.place((2, "small", 2_500))
    assert lying(scene) == {(2, "small"): 2_500}


def sign_everybody_off() -> None:
    """As a restored backup does: the sessions that were opened after it are gone."""
    patiently(Session.objects.all().delete)


def test_after_a_restore_a_tap_halts_the_table_although_nobody_is_signed_in_any_more(
    scene, new_page, spotless
):
    kept = scene.version
    dealer = tablet(new_page, scene)
    spotless.append(dealer)
    dealer.place((1, "big", 2_500))
    cut(scene, kept)
    sign_everybody_off()
    pit = dashboard(new_page, scene)
    dealer.tap(dealer.next)
    pit.shows("Halted")
    expect(pit.page.locator(".alert.stop")).to_contain_text("The record was rolled back")
    assert scene.fresh.halted_at is not None


def test_after_a_restore_the_sign_in_of_a_tablet_halts_the_table(scene, new_page, spotless):
    kept = scene.version
    dealer = tablet(new_page, scene)
    spotless.append(dealer)
    dealer.place((1, "big", 2_500))
    cut(scene, kept)
    sign_everybody_off()
    dealer.page.goto("/sign-in")
    dealer.arrive("dealer")
    expect(dealer.page.locator("#side-halted")).to_contain_text("The record of T-01 was rolled back.")
    dashboard(new_page, scene).shows("Halted")


def test_a_head_that_is_not_ours_is_refused_and_told_to_the_pit(scene, new_page, spotless):
    pit, dealer = dashboard(new_page, scene), tablet(new_page, scene)
    spotless += [pit, dealer]
    dealer.page.evaluate("document.getElementById('screen').dataset.mac = '0'.repeat(64)")
    dealer.tap(dealer.next)
    expect(dealer.refused()).to_contain_text("that the server never showed")
    expect(pit.page.locator(".alert.warn")).to_contain_text("Unknown screen")
    assert scene.round is None and scene.fresh.halted_at is None
    touch(dealer.page.locator("#refusal [data-close]"))
    dealer.tap(dealer.next)  # the alert's own push has brought a head of ours
    dealer.is_in("shaken")
