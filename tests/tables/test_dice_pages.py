"""The dice pages: what they show, to whom, and that typed text is escaped."""

import datetime as dt
import re

import pytest
from django.utils import timezone

from tables.dice import custody
from tables.models import Approval, Assignment, DiceLot, Round, Shaker
from tests.markup import one_line
from tests.tables.cast import Scene, make_scene
from tests.tables.test_dice_custody import TWO, box, measure, receive

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause

HOUSE = "/floor/larkfield/"
EVIL = "=HYPERLINK(1)<script>alert(1)</script>'\"&"
KEEPERS = ("casino-supervisor", "pit-manager", "shift-manager")


def words(page: str) -> str:
    """The text of a page without tags, with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page)).strip()


def see(scene: Scene, path: str, by: str = "shift-manager") -> str:
    page = scene.browser("podium", by).get(HOUSE + path)
    assert page.status_code == 200, path
    return one_line(page.content.decode())


def rows(page: str, group: str) -> list[str]:
    """The codes in one group of the dice page."""
    part = re.search(rf'class="group group--{group}".*?</section>', page, re.DOTALL)
    return re.findall(r'class="lot-id" href="[^"]*"><b>([^<]+)</b>', part[0]) if part else []


# The dice room


def test_the_lots_stand_along_their_way(scene):
    receive(scene, box("L-0101"), box("L-0102"))
    measure(scene)
    page = see(scene, "dice/")
    found_rows = {group: rows(page, group) for group in ("received", "stored", "issued", "placed", "removed")}
    assert found_rows == {
        "received": ["L-0102"],
        "stored": ["L-0101"],
        "issued": ["L-0002", "L-0003", "L-0004", "L-0005"],
        "placed": ["L-0001"],
        "removed": [],
    }
    assert "7 lots in the casino" in words(page)
    assert re.findall(r'<rect class="part part--(\w+)" x="(\d+)" width="(\d+)"', page) == [
        ("received", "0", "1"),
        ("stored", "1", "1"),
        ("issued", "2", "4"),
        ("placed", "6", "1"),
    ]


def test_the_day_stands_in_figures(scene):
    receive(scene, box("L-0101"), box("L-0102"))
    measure(scene)
    figures = re.search(r'<dl class="figures day".*?</dl>', see(scene, "dice/"), re.DOTALL)
    assert words(figures[0]) == (
        "Received 2 Issued 0 Returned 0 Placed 1 Removed 0 Destroyed 0 In use 1 Over 24 h 0 In storage 1"
    )


def test_a_lot_in_use_counts_down_and_one_out_of_time_says_so(hands):
    scene = make_scene()
    hands.now += dt.timedelta(hours=23, minutes=19)
    page = see(scene, "dice/")
    assert '<span data-expires="2026-11-22T15:00:00+00:00">41 min</span> left' in page
    assert '<rect class="rest" width="3"' in page and "lot low" in page
    hands.now += dt.timedelta(minutes=41)
    assert "out of time" in see(scene, "dice/")


def test_the_filters_keep_to_a_state_and_to_a_code(scene):
    assert rows(see(scene, "dice/?state=issued"), "placed") == []
    assert rows(see(scene, "dice/?code=0003"), "issued") == ["L-0003"]
    assert rows(see(scene, "dice/?state=issued&code=0004"), "issued") == ["L-0004"]
    assert "No lot of this code." in see(scene, "dice/?code=nothing")
    for odd in (
        "state=eaten",
        "state=%00",
        "code=%00%FF",
        "page=-1",
        "page=9999999999",
        "state=issued&page=7",
    ):
        see(scene, f"dice/?{odd}")


def test_many_lots_of_a_state_stand_on_pages(scene):
    DiceLot.objects.bulk_create(
        DiceLot(facility=scene.table.facility, code=f"M-{n:04}", status="stored") for n in range(130)
    )
    page = see(scene, "dice/")
    assert len(rows(page, "stored")) == 24 and "106 more" in words(page)
    first, second = see(scene, "dice/?state=stored"), see(scene, "dice/?state=stored&page=1")
    assert len(rows(first, "stored")) == 120 and "10 more" in words(first)
    assert rows(second, "stored") == [f"M-{n:04}" for n in range(120, 130)]


@pytest.mark.parametrize("by", ["pit-manager", "floorperson", "security", "surveillance", "gaming-agent"])
def test_only_who_may_act_is_offered_the_acts(scene, by):
    receive(scene, box("L-0101"), box("L-0102"))
    measure(scene)
    page = see(scene, "dice/", by)
    offered = set(re.findall(r'data-open="([a-z-]+)"', page))
    keeps, examines = by in KEEPERS, by in (*KEEPERS, "floorperson")
    assert ({"receive", "inspect", "issue", "return"} <= offered) is keeps
    assert ("examine" in offered) is examines
    assert set(re.findall(r'<dialog class="[^"]*" id="([a-z-]+)"', page)) >= offered


def test_the_second_person_is_of_security_and_on_duty(scene):
    page = see(scene, "dice/", "pit-manager")
    signers = re.search(r"data-witness>.*?</select>", page, re.DOTALL)[0]
    offered = re.findall(r'value="([^"]+)"', signers)
    assert offered == ["security"]
    assert not {"shift-manager", "floorperson", "pit-manager", "dealer"} & set(offered)
    Assignment.objects.filter(person=scene.people["security"]).update(ended_at=timezone.now())
    assert 'value="security"' not in see(scene, "dice/", "pit-manager")


def test_a_round_is_found_by_its_table_and_number(scene):
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    browser = scene.browser("podium", "security")
    found_rows = browser.get(HOUSE + "dice/", {"table": "T-01", "round": "1"})
    assert found_rows["Location"] == "/floor/larkfield/T-01/rounds/1/dice"
    for table, number in (
        ("T-01", "2"),
        ("T-99", "1"),
        ("T-01", "x"),
        ("T-01", "9" * 30),
        ("", "1"),
        ("\0", "1"),
    ):
        missing = browser.get(HOUSE + "dice/", {"table": table, "round": number})
        assert missing.status_code == 200 and b"There is no such round." in missing.content


# One lot, and the dice of a round


@clause("PA-675a.3(a)-standard")
def test_a_lots_page_tells_its_way_and_its_rounds(hands):
    scene = make_scene()
    receive(scene, box("L-0101", serial="77-1", maker="The maker"))
    measure(scene)
    scene.act("issue_dice", {"lot": "L-0101"}, device=scene.podium, **TWO)
    scene.act("change_dice_lot", {"lot": "L-0101", "seal": "SL-9"}, by="floorperson")
    hands.now += dt.timedelta(hours=2)
    for _ in range(3):
        scene.play((1, "small", 2_500), dice=[1, 2, 3])
        scene.finish()
    page = see(scene, "dice/L-0101/")
    text = words(page)
    assert (
        "Serial 77-1 Maker The maker Attested to the standard of the game Box seal intact at receipt" in text
    )
    assert "Now In use Table T-01, shaker S-01 Seal SL-9 Until 22 Nov 2026 10:00:00" in text
    assert "1 19.040 19.060 yes yes yes good" in text
    assert "21 Nov 2026 10:00:00 2026-11-21 15:00:00Z 1 lots received from the maker" in text
    assert "Shift Manager, shift manager Security, security" in text
    assert "3 throws in 3 rounds" in text
    assert "T-01 1 to 3 3 3 21 Nov 2026 12:00:00 21 Nov 2026 12:00:00" in text
    for step in custody.custody_steps(DiceLot.objects.get(code="L-0101")):
        assert f"{step.stream} {step.seq}" in text and step.hash[:16] in text and step.hash[:17] not in text


def test_a_rejected_lot_shows_which_die_was_bad(scene):
    receive(scene)
    good = {"low_um": 19_040, "high_um": 19_060, "balanced": True, "square": True, "clean": True}
    measure(scene, good, {**good, "clean": False}, good)
    assert re.search(r'class="bad"><th scope="row">2</th>', see(scene, "dice/L-0101/"))
    assert "1 19.040 19.060 yes yes yes good 2 19.040 19.060 yes yes no bad" in words(
        see(scene, "dice/L-0101/")
    )


def test_a_lot_that_is_not_there_is_no_page(scene):
    browser = scene.browser("podium", "shift-manager")
    for address in ("dice/L-9999/", "dice/%00/", "dice/a%20b/", "dice/../"):
        assert browser.get(HOUSE + address).status_code in (403, 404)


def test_a_round_tells_the_lot_and_shaker_of_each_throw(scene):
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    page = see(scene, "T-01/rounds/1/dice", "surveillance")
    assert 'href="/floor/larkfield/dice/L-0001/">L-0001</a>' in page
    assert "Round 1" in page and ">S-01<" in page and 'aria-label="1, 2 and 3"' in page
    browser = scene.browser("podium", "surveillance")
    for number in ("2", "0", "9" * 30, "-1", "x"):
        assert browser.get(f"{HOUSE}T-01/rounds/{number}/dice").status_code in (403, 404)


@pytest.mark.parametrize(
    ("by", "device", "status"),
    [
        ("dealer", "tablet", 200),
        ("floorperson", "tablet", 200),
        ("security", "podium", 200),
        ("games-administrator", "podium", 200),
        ("gaming-agent", "podium", 200),
        ("stranger", "podium", 403),
        ("security", "tablet", 403),
        ("system-administrator", "podium", 403),
    ],
)
def test_the_dice_of_a_round_are_shown_to_who_sees_the_table_or_the_dice_room(scene, by, device, status):
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    page = scene.browser(device, by).get(f"{HOUSE}T-01/rounds/1/dice")
    assert page.status_code == status
    if status == 200:
        leads = b"/floor/larkfield/dice/L-0001/" in page.content
        assert leads is (device == "podium")


def test_the_table_page_leads_from_each_round_to_its_replay_and_that_to_its_dice(scene):
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    scene.finish()
    assert '<a href="rounds/1/">1' in see(scene, "T-01/")
    assert 'href="/floor/larkfield/T-01/rounds/1/dice"' in see(scene, "T-01/rounds/1/")


# What people typed


def test_whatever_people_typed_stays_words(scene):
    DiceLot.objects.filter(code="L-0002").update(
        serial=EVIL[:40], maker=EVIL, compartment=EVIL[:40], status="stored", table=None
    )
    scene.people["security"].name = EVIL
    scene.people["security"].save()
    receive(scene, box("L-0101"))
    Shaker.objects.update(code="<b>S</b>")
    Approval.objects.update(reference=EVIL, body=EVIL)
    for path, by in (
        ("dice/", "shift-manager"),
        ("dice/L-0002/", "shift-manager"),
        ("dice/L-0101/", "shift-manager"),
        ("equipment/", "compliance"),
        ("staff/?all=1", "pit-manager"),
        (f"staff/?who={EVIL}", "pit-manager"),
        (f"dice/?code={EVIL}", "shift-manager"),
    ):
        page = see(scene, path, by)
        assert "<script>alert" not in page and "<b>S</b>" not in page, path


def test_the_bar_leads_to_what_the_person_may_see(scene):
    def led(by: str, device: str = "podium", path: str = "") -> list[str]:
        page = scene.browser(device, by).get(HOUSE + path).content.decode()
        bar = re.search(r'<nav class="page-links".*?</nav>', page, re.DOTALL)
        return re.findall(r">(\w+)</a>", bar[0]) if bar else []

    everything = ["Floor", "Dice", "Equipment", "Staff", "Rotation", "Players", "Money", "Rules", "Record"]
    assert led("pit-manager") == everything
    assert led("shift-manager") == ["Inbox", *everything]
    assert led("compliance") == ["Inbox", *[page for page in everything if page != "Rotation"]]
    assert led("security", path="dice/") == ["Dice", "Staff", "Players"]
    assert led("floorperson", "tablet", "T-01/") == []


def test_security_begins_in_the_dice_room_and_may_sign_in_at_the_podium(scene):
    podium = scene.browser("podium")
    assert b'value="security"' in podium.get("/sign-in").content
    assert scene.browser("podium", "security").get("/")["Location"] == "/floor/larkfield/dice/"
    assert Round.objects.count() == 0
