"""The shift handover: what is open, who takes it over, what is missing, both signatures, the figures."""

import datetime as dt
import json
import re
from dataclasses import replace

import pytest

from audit.columns import check_columns
from audit.models import Entry, Person
from games.engine import Refusal
from games.models import Facility
from tables.cases.case import open_found_cases
from tables.handover.handover import ShiftFiguresRow, handover_draft, shift_figures, shift_to_hand_over
from tables.handover.open_items import open_items
from tables.models import Assignment, DiceLot, Handover, ItemAcceptance, Table
from tables.screens.table_history import TablePlace, day_figures
from tests.desk.test_football_band import COVERED_VARIANCE, play_a_covered_game
from tests.tables import slip_scene, test_money
from tests.tables.cast import Scene, make_scene
from tests.tables.test_dice_pages import see, words

pytestmark = pytest.mark.django_db
DAY = "2026-11-21/day"


@pytest.fixture
def floor(hands) -> Scene:
    """It is 10:00. The shift ends at 14:00."""
    return make_scene()


def titles(scene: Scene, hands) -> list[tuple[str, str, str]]:
    return [(item.label, item.table, item.title) for item in open_items(scene.table.facility, hands.now)]


def accept(
    scene: Scene, *items: str, by: str = "pit-manager", witness: str | None = "floorperson", shift: str = DAY
):
    return scene.in_room("accept_open_items", {"shift": shift, "items": list(items)}, by=by, witness=witness)


def sign(
    scene: Scene,
    shift: str = DAY,
    note: str = "",
    by: str = "pit-manager",
    witness: str | None = "shift-manager",
):
    return scene.in_room("sign_handover", {"shift": shift, "note": note}, by=by, witness=witness)


def owners(scene: Scene, hands) -> dict[str, str | None]:
    draft = handover_draft(scene.table.facility, hands.now)
    return {item.key: item.owner.code if item.owner else None for item in draft.items}


def test_the_list_has_what_the_record_holds_open_each_once_and_the_most_urgent_first(floor, hands):
    assert titles(floor, hands) == []
    floor.play((1, "small", 1_000), dice=[1, 1, 2])
    floor.finish()
    slip_scene.file(floor, "dice", dice=[5, 5, 6])
    floor.act("report_dispute", {"seat": 3, "about": "the call"})
    floor.act(
        "change_limits", {"min_cents": 2_000, "max_cents": 50_000}, by="floorperson", device=floor.podium
    )
    DiceLot.objects.filter(code="L-0001").update(expires_at=hands.now + dt.timedelta(minutes=119))
    removed = {"status": "removed", "to_destroy_since": hands.now, "removed_at": hands.now}
    DiceLot.objects.filter(code__in=("L-0004", "L-0005")).update(**removed)
    assert titles(floor, hands) == [
        ("Dispute", "T-01", "Dispute at seat 3"),
        ("Notice", "T-01", "Limits go to $20–$500"),
        ("Dice", "T-01", "L-0001 reaches the end of its time"),
        *[title for title in titles(floor, hands) if title[0] in ("Slip", "Dice room")],
    ]
    assert sorted(titles(floor, hands))[1:] == [
        ("Dice room", "", "2 lots of dice to destroy"),
        ("Dispute", "T-01", "Dispute at seat 3"),
        ("Notice", "T-01", "Limits go to $20–$500"),
        ("Slip", "T-01", "ENS-0001, round 1: $20"),
    ]
    floor.act("report_device_failure", {"what": "device"}, witness="floorperson")
    assert titles(floor, hands)[0] == ("Stop", "T-01", "Gaming ceased at 10:00")
    assert [label for label, _table, _title in titles(floor, hands)].count("Stop") == 1
    slip_scene.settle(floor, (1, -2_000))
    assert "Slip" not in [label for label, _table, _title in titles(floor, hands)]


def test_a_prepared_change_is_open_until_a_second_person_decides(floor, hands):
    new = {"station": "podium", "name": "Podium 2"}
    change = floor.in_room("add_device", new, by="system-administrator", approve=False).body["change"]
    [item] = open_items(floor.table.facility, hands.now)
    assert (item.key, item.label, item.holder) == (
        f"change:{change}",
        "Approval",
        floor.people["system-administrator"],
    )
    assert item.title == f"{change}: Podium 2 added as podium device, for the whole facility"
    assert item.due_at is not None and "at 10:00" in item.text and item.text.endswith(" approves it.")
    floor.approve_changes(by="compliance")
    assert titles(floor, hands) == []


def test_the_cases_of_a_table_and_kind_are_one_line_with_their_sum_and_one_owner(floor, hands):
    for _ in range(3):
        floor.play((1, "small", 500), (2, "big", 300), (3, "big", 500), dice=[1, 1, 2])
        floor.finish()
    open_found_cases()
    assert titles(floor, hands) == [("Case", "T-01", "9 wagers out of limits, $39")]
    [item] = open_items(floor.table.facility, hands.now)
    assert item.text == ("9 under the minimum, 3 cases, C-0001 to C-0003. Nobody owns them yet.")
    accept(floor, "cases:T-01:limits")
    assert owners(floor, hands) == {"cases:T-01:limits": "floorperson"}
    hands.now += dt.timedelta(minutes=1)
    floor.play((1, "small", 500), dice=[1, 1, 2])
    floor.finish()
    open_found_cases()
    assert owners(floor, hands) == {"cases:T-01:limits": None}, "another case makes the line grow"


def test_the_page_puts_decisions_first_and_gives_each_group_one_owner(floor, hands):
    removed = {"status": "removed", "removed_at": hands.now}
    DiceLot.objects.filter(code="L-0004").update(to_destroy_since=hands.now, **removed)
    DiceLot.objects.filter(code="L-0001").update(expires_at=hands.now + dt.timedelta(minutes=119))
    for _ in range(2):
        floor.play((1, "small", 500), dice=[1, 1, 2])
        floor.finish()
    open_found_cases()
    floor.act("report_dispute", {"seat": 3, "about": "the call"})
    page = see(floor, "handover/", "pit-manager")
    text = words(page)
    assert "Decide before signing, 1" in text and "Goes over, 3 in 3 groups" in text
    assert re.findall(r'data-items="([^"]+)"', page)[0].startswith("alert:T-01:dispute")
    assert 'data-items="cases:T-01:limits"' in page and 'data-items="dice-room:destroy"' in page
    assert "2 wagers out of limits, $10" in text


def test_training_tables_hand_over_nothing(hands):
    scene = make_scene(kind="training")
    scene.act("report_dispute", {"seat": 3, "about": "the call"})
    assert titles(scene, hands) == []


def test_an_item_is_taken_over_by_pin_and_one_that_arises_later_needs_an_owner(floor, hands):
    floor.act("report_dispute", {"seat": 3, "about": "the call"})
    [dispute] = owners(floor, hands)
    with pytest.raises(Refusal, match="handover-item-without-owner"):
        sign(floor)
    accept(floor, dispute)
    entry = json.loads(bytes(Entry.objects.get(type="handover.items_accepted").body))
    assert (entry["actor"], entry["witness"], entry["data"]["owner"]) == ("pit-manager",) + (
        "floorperson",
    ) * 2
    assert entry["data"]["items"] == [
        {"item": dispute, "kind": "Dispute", "table": "T-01", "title": "Dispute at seat 3"}
    ]
    hands.now += dt.timedelta(minutes=1)
    floor.act("report_dispute", {"seat": 4, "about": "the payment"})
    assert sorted(owners(floor, hands).values(), key=str) == [None, "floorperson"]
    Assignment.objects.filter(person__code="floorperson").update(ended_at=hands.now)
    assert set(owners(floor, hands).values()) == {None}


def test_what_grew_after_its_acceptance_is_taken_over_again(floor, hands):
    removed = {"status": "removed", "removed_at": hands.now}
    DiceLot.objects.filter(code="L-0004").update(to_destroy_since=hands.now, **removed)
    accept(floor, "dice-room:destroy")
    assert owners(floor, hands) == {"dice-room:destroy": "floorperson"}
    hands.now += dt.timedelta(minutes=1)
    DiceLot.objects.filter(code="L-0005").update(to_destroy_since=hands.now, **removed)
    assert owners(floor, hands) == {"dice-room:destroy": None}


def test_both_sides_sign_and_the_entry_has_the_list_the_figures_and_the_note(floor, hands):
    floor.play((1, "small", 1_000), dice=[1, 1, 2])
    floor.finish()
    floor.act("report_dispute", {"seat": 3, "about": "the call"})
    accept(floor, *owners(floor, hands))
    hands.now += dt.timedelta(minutes=5)
    number = sign(floor, note="The technician comes at gate 2.").body["handover"]
    data = json.loads(bytes(Entry.objects.get(type="handover.signed").body))["data"]
    [item] = data["items"]
    assert (item["title"], item["holder"], item["owner"]) == (
        "Dispute at seat 3",
        "floorperson",
        "floorperson",
    )
    assert data["total"] | {"band_cents": 0} == {
        "pit": "", "rounds": 1, "handle_cents": 1_000, "win_cents": -1_000, "expected_cents": 28, "band_cents": 0,
    }  # fmt: skip
    assert data["pits"] == [data["total"] | {"pit": "p1"}]
    text = words(see(floor, f"handover/{number}/", "pit-manager"))
    assert "Handed over by Pit Manager Taken over by Shift Manager" in text
    assert "The technician comes at gate 2." in text and "Dispute T-01 Dispute at seat 3" in text
    assert "Pit 1 1 $10 −$10 $0 $" in text, "expected amounts are whole dollars"
    assert "P. Manager to S. Manager" in words(see(floor, "handover/past/", "pit-manager"))
    page = see(floor, "handover/", "shift-manager")
    assert "Swing to night" in page, "the next shift follows"


def test_who_may_not_sign_or_own(floor, hands):
    floor.act("report_dispute", {"seat": 3, "about": "the call"})
    [dispute] = owners(floor, hands)
    for code, call in (
        ("handover-owner-may-not", lambda: accept(floor, dispute, witness="security")),
        ("handover-item-not-open", lambda: accept(floor, "stop:T-01")),
        ("handover-of-another-shift", lambda: accept(floor, dispute, shift="2026-11-21/night")),
        ("malformed", lambda: accept(floor)),
        ("handover-successor-must-sign", lambda: sign(floor, witness=None)),
        ("handover-successor-must-sign", lambda: sign(floor, witness="floorperson")),
    ):
        with pytest.raises(Refusal) as refusal:
            call()
        assert refusal.value.code == code
    accept(floor, dispute, by="shift-manager", witness=None)
    assert owners(floor, hands) == {dispute: "shift-manager"}, "the actor, where nobody signs beside them"
    assert not Handover.objects.exists()


def test_a_shift_that_ended_unsigned_is_handed_over_for_two_hours(floor, hands):
    facility = floor.table.facility
    sign(floor)
    assert shift_to_hand_over(facility, hands.now).key == "2026-11-21/swing"
    hands.now += dt.timedelta(hours=12, minutes=30)
    late = shift_to_hand_over(facility, hands.now)
    assert (late.key, late.name, late.next_name) == ("2026-11-21/swing", "Swing", "Night")
    hands.now += dt.timedelta(hours=2)
    assert shift_to_hand_over(facility, hands.now).key == "2026-11-21/night"


def test_the_shifts_of_a_day_add_up_to_its_figures_and_each_has_its_own_rounds(floor, hands):
    Facility.objects.update(shifts={"day": "06:00", "night": "10:30"})
    facility = Facility.objects.get()
    for _ in range(2):
        floor.play((1, "small", 1_000), (2, "big", 500), dice=[1, 1, 2])
        floor.finish()
        hands.now += dt.timedelta(minutes=31)
    day = shift_to_hand_over(facility, hands.now - dt.timedelta(hours=1))
    night = shift_to_hand_over(facility, hands.now)
    (_pits, first), (_, second) = shift_figures(facility, day), shift_figures(facility, night)
    table = floor.table
    whole = day_figures(TablePlace.of(table), facility.gaming_day(hands.now), 0).sums
    assert (first.rounds, second.rounds, first.win_cents + second.win_cents) == (1, 1, -1_000)
    assert first.expected.value + second.expected.value == whole.expected.value
    assert first.variance.value + second.variance.value == whole.variance.value


def test_a_variance_under_zero_has_a_band_of_nothing(hands):
    scene = play_a_covered_game()
    facility = scene.table.facility
    by_pit, floor_figures = shift_figures(facility, shift_to_hand_over(facility, hands.now))
    [pit] = by_pit.values()
    for figures in (pit, floor_figures):
        assert figures.variance.value == COVERED_VARIANCE
        assert (figures.band_cents, figures.z_tenths, figures.win_cents) == (0, None, -2_000)
    assert "−$20" in words(see(scene, "handover/", "pit-manager"))


def test_the_page_says_what_is_missing_and_only_managers_open_it(floor, hands):
    assert "Nothing is open." in see(floor, "handover/", "pit-manager")
    assert "Sign the handover" in see(floor, "handover/", "pit-manager")
    floor.act("report_dispute", {"seat": 3, "about": "the <call>"})
    page = see(floor, "handover/", "pit-manager")
    text = words(page)
    assert "Handover at 14:00 Day to swing" in text and "1 of 1 has no owner T-01, Dispute at seat 3" in text
    assert "the &lt;call&gt;" in page and 'data-open="sign-over"' not in page
    assert "By: now" in text and "From: Floorperson" in text
    assert '<a href="/floor/larkfield/handover/" aria-current="page">Handover</a>' in page
    assert '<a href="/floor/larkfield/handover/">Handover</a>' in see(floor, "staff/", "pit-manager")
    assert 'href="/floor/larkfield/handover/"' not in see(floor, "staff/", "floorperson")
    assert floor.browser("podium", "floorperson").get("/floor/larkfield/handover/").status_code == 403
    Table.objects.update(floorperson=None)
    assert "From: Floorperson" not in words(see(floor, "handover/", "pit-manager"))


def test_a_fill_under_way_is_open_until_it_is_received(hands):
    scene = test_money.keep_inventory(make_scene(opened=False))
    scene.staff()
    test_money.count(scene, "count_opener", test_money.OPENER)
    request = test_money.request(scene)
    assert titles(scene, hands) == [("Fill", "T-01", "$3,000, no slip yet")]
    test_money.cage(scene, "prepare_transfer", request)
    test_money.cage(scene, "hand_over_transfer", request, "security")
    [item] = open_items(scene.table.facility, hands.now)
    assert (item.title, item.is_now, item.holder.code) == ("$3,000, F-0001", True, "security")
    received = {**request, "chips": test_money.FILL}
    scene.act("receive_transfer", received, witness="floorperson")
    assert titles(scene, hands) == []


def test_a_verification_finds_a_handover_that_the_record_does_not_state(floor, hands):
    floor.act("report_dispute", {"seat": 3, "about": "the call"})
    accept(floor, *owners(floor, hands))
    sign(floor)

    def findings() -> list[tuple[str, str | None]]:
        return [
            (finding.code, finding.where.get("column"))
            for finding in check_columns(lambda: None, [Handover, ItemAcceptance])
        ]

    assert findings() == []
    handovers, acceptances = Handover.objects.all(), ItemAcceptance.objects.all()
    other = handovers.get().taken_over_by_id
    dealer = Person.objects.get(code="dealer").pk
    changes = {
        "shift": lambda: handovers.update(shift="2026-11-21/swing"),
        "gaming_day": lambda: handovers.update(gaming_day=dt.date(2026, 11, 1)),
        "handed_over_by": lambda: handovers.update(handed_over_by=other),
        "taken_over_by": lambda: handovers.update(taken_over_by=dealer),
        "signed_at": lambda: handovers.update(signed_at=hands.now - dt.timedelta(hours=1)),
        "seq": lambda: handovers.update(seq=1),
        "stream": lambda: handovers.update(stream=floor.table.stream),
        "person": lambda: acceptances.update(person=dealer),
        "accepted_at": lambda: acceptances.update(accepted_at=hands.now - dt.timedelta(hours=1)),
    }
    unnoticed = []
    for column, change in changes.items():
        with floor.tried():
            change()
            if findings() != [("handover-differs", column)]:
                unnoticed.append(column)
    assert unnoticed == []
    for rows in (handovers, acceptances):
        with floor.tried():
            rows.delete()
            assert findings() == [("handover-without-row", None)]
    with floor.tried():
        acceptances.update(item="alert:T-01:dispute:4")
        assert sorted(findings()) == [("handover-without-entry", None), ("handover-without-row", None)]


def test_a_win_a_hundredth_of_a_deviation_outside_its_band_is_marked():
    """To a tenth it is 2.0 deviations, as the sheet writes it; the pages of figures mark it too."""
    pit = ShiftFiguresRow("Pit 1", 40, 100_000, 21_050, expected_cents=1_000, band_cents=20_000)
    assert (pit.deviations, pit.is_outside) == (2.0, True)
    assert not replace(pit, win_cents=21_000).is_outside
