"""The report of a round on paper: what it says, that it stays the same, and that verify.py gives its hash."""

import datetime as dt
import io
import json
import re
import subprocess
import sys
import uuid
import zipfile
from pathlib import Path

import pypdfium2
import pytest

from audit import clock
from audit.export import select
from audit.exporting import bundle
from audit.models import Entry, Person
from games.drawing import paper_layout
from games.engine.rules import Rules
from games.registry import game_of
from tables.desk.round_paper import round_paper
from tables.models import CameraReference, Case, CaseSignature
from tests.fixtures import games as fixtures
from tests.services.restore import restored_later
from tests.tables.cast import CHAPTER, make_scene
from tests.tables.slip_scene import file, settle

pytestmark = pytest.mark.django_db
hazard = fixtures.hazard
CHECKER = Path(__file__).resolve().parents[2] / "audit" / "verify.py"


@restored_later
def disputed_round():
    scene = make_scene("pa-625a/B")
    scene.place((2, "big", 10_000), (2, "total:10", 1_000))
    scene.place((3, "small", 5_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 2, 6]})
    scene.act("correct_dice", {"dice": [2, 2, 5], "reason": "misread"}, witness="floorperson")
    scene.act("report_dispute", {"seat": 2, "about": "Total 10 should have won"})
    scene.finish()
    return scene


@pytest.fixture
def disputed(db, hands):
    scene = disputed_round()
    hands.now += dt.timedelta(minutes=1)
    return scene


def printed(scene, by="compliance", **params):
    """Print a report by its act, and read it at its address."""
    browser = scene.browser("podium", by)
    body = {"command": str(uuid.uuid4()), "seen": 0, "params": {"table": "T-01", "number": 1, **params}}
    answer = browser.post(
        "/record/larkfield/acts/print_round", json.dumps(body), content_type="application/json"
    )
    sha256 = answer.json().get("answer", {}).get("sha256")
    return answer, browser.get(f"/record/larkfield/rounds/T-01/1/{sha256}.pdf"), browser


def words(content):
    document = pypdfium2.PdfDocument(io.BytesIO(content))
    return " ".join(re.sub(r"\s+", " ", page.get_textpage().get_text_range()) for page in document)


def test_the_report_of_a_seat_says_what_happened_why_and_how_to_check_it(disputed):
    _answer, response, _browser = printed(disputed, seat=2)
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    text = words(response.content)
    newest = Entry.objects.filter(stream=disputed.table.stream, round=1).latest("seq")
    for part in (
        "Larkfield Casino", "Round 1 at table T-01, seat 2", "58 Pa. Code Chapter 625a, paytable B",
        "RS-0009, version 1",
        "Seat 2 disputed the round at 10:00:00", "Total 10 should have won",
        "The dice were entered as 2 2 6 and corrected to 2 2 5 before money moved",
        "Had the dice shown 2 2 6, Total 10 of seat 2 would have been paid 6 to 1, $60.",
        "Wagers of seat 2", "disputed", "$110", "§ 625a.3(7)", "None on the record when this was printed.",
        "was not sealed yet", "larkfield-T-01-2026-11-21-evidence.zip", "Printed Sat 21 Nov 2026, 10:01:00 EST by",
    ):  # fmt: skip
        assert part in text, part
    assert "Wagers of other seats are not shown." in text and "About other seats" in text
    assert "seat 3" not in text and "$50" not in text
    groups = re.search(r"of entry \d+\..*?((?:[0-9a-f]{8} ?){8})", text)
    assert groups and groups[1].replace(" ", "") == bytes(newest.hash).hex()


def test_a_report_is_recorded_and_its_bytes_stay_the_same(disputed, hands):
    answer, first, browser = printed(disputed, seat=2)
    data = json.loads(bytes(Entry.objects.filter(type="round.printed").get().body))
    assert (data["actor"], data["data"]["number"], data["data"]["seat"]) == ("compliance", 1, 2)
    assert data["data"]["sha256"] == answer.json()["answer"]["sha256"] and data["data"]["bytes"] == len(
        first.content
    )
    hands.now += dt.timedelta(minutes=5)
    disputed.act(
        "acknowledge_alert",
        {"alert": disputed.snapshot["alerts"][0]["id"], "note": "explained"},
        by="floorperson",
        device=disputed.podium,
    )
    assert (
        browser.get(f"/record/larkfield/rounds/T-01/1/{data['data']['sha256']}.pdf").content == first.content
    )
    assert browser.get(f"/record/larkfield/rounds/T-01/1/{'0' * 64}.pdf").status_code == 403
    Person.objects.filter(code="floorperson").update(name="Renamed Since")
    assert browser.get(f"/record/larkfield/rounds/T-01/1/{data['data']['sha256']}.pdf").status_code == 410


def test_a_slip_is_named_on_the_first_page_with_what_it_changed_for_this_seat_alone(disputed):
    file(disputed, "dice", dice=[2, 2, 6], reason="the video shows six")
    settle(disputed, (2, 7_000))
    text = words(printed(disputed, seat=2)[1].content)
    for part in (
        "After money had moved, the round was corrected by ENS-0001; see the slips below.",
        "ENS-0001, after money had moved: the dice were 2 2 6, not 2 2 5; $70 to seat 2.",
        "Settled again: Total 10 of seat 2 won, paid $60.", "Reason: the video shows six.",
        "ENS-0001 was settled: $70 to seat 2.",
    ):  # fmt: skip
        assert part in text, part
    assert "ENS-0001 is about other seats" in words(printed(disputed, seat=3)[1].content)
    paper = round_paper(disputed.table, 1, None, moment=clock.now(), printed_by="Mei")
    assert paper is not None and "Total 10 of seat 2 won, paid $60" in paper.slips[0]


def test_a_case_about_the_round_is_on_its_report_with_camera_and_signatures(disputed, hands):
    surveillance = disputed.people["surveillance"]
    case = Case.objects.create(
        facility=disputed.table.facility, code="C-0041", kind="dispute", subject="x", table=disputed.table, round=1,
        seat=2, opened_at=hands.now, opened_seq=1, due_at=hands.now,
    )  # fmt: skip
    CameraReference.objects.create(
        case=case, camera="SV-11", clip="SV-1120-04", begins="10:00:00", ends="10:00:09",
        shows="The dice show 2, 2, 5.", seen_at=hands.now, seen_by=surveillance, seq=2,
    )  # fmt: skip
    CaseSignature.objects.create(case=case, person=surveillance, signed_at=hands.now, seq=3)
    text = words(printed(disputed, seat=2)[1].content)
    for part in (
        "Case C-0041",
        "SV-1120-04",
        "The dice show 2, 2, 5.",
        "Signed by Surveillance, surveillance",
        "Still open",
    ):
        assert part in text, part
    paper = round_paper(disputed.table, 1, 3, moment=hands.now, printed_by="Mei")
    assert paper is not None and paper.cases == []


def test_verify_prints_the_hash_of_the_report_for_the_bundle_of_the_round(disputed, tmp_path):
    entries = list(Entry.objects.filter(stream=disputed.table.stream, round=1).order_by("seq"))
    until = entries[-1].at + dt.timedelta(microseconds=1)
    path = tmp_path / "bundle.zip"
    with path.open("wb") as out:
        bundle.write(out, select([disputed.table.stream.name], entries[0].at, until, facility="larkfield"))
    done = subprocess.run([sys.executable, "-I", CHECKER, path], capture_output=True, text=True, check=True)
    paper = round_paper(disputed.table, 1, None, moment=clock.now(), printed_by="Mei")
    assert done.stdout.startswith("good") and paper is not None
    line = next(line for line in done.stdout.splitlines() if line.startswith(f"{paper.stream} "))
    assert line.endswith(paper.newest.digest)
    assert zipfile.is_zipfile(path)


@pytest.mark.parametrize("by", ["shift-manager", "surveillance"])
def test_those_who_may_not_export_print_no_report(disputed, by):
    answer, response, browser = printed(disputed, by=by)
    assert (answer.status_code, response.status_code) == (403, 403)
    assert "PDF of this round" not in browser.get("/floor/larkfield/T-01/rounds/1/").content.decode()


def test_the_page_of_the_round_offers_the_report_of_each_disputed_seat(disputed):
    page = disputed.browser("podium", "compliance").get("/floor/larkfield/T-01/rounds/1/").content.decode()
    assert (
        "PDF for seat 2, disputed" in page
        and 'data-print-seat="0"' in page
        and "Sheets of this round" in page
    )


def verify_drawn(rules):
    """Every wager has one area, inside the layout, and no two areas overlap."""
    layout = paper_layout(rules)
    assert sorted(area.wager for area in layout.areas) == sorted(
        type_.code for type_ in game_of(rules).wager_types(rules)
    )
    for place, area in enumerate(layout.areas):
        assert area.x >= 0 and area.x + area.width <= layout.width + 1e-6, area
        assert area.y >= 0 and area.y + area.height <= layout.height + 1e-6, area
        for other in layout.areas[place + 1 :]:
            is_apart = (
                area.x + area.width <= other.x + 1e-6
                or other.x + other.width <= area.x + 1e-6
                or area.y + area.height <= other.y + 1e-6
                or other.y + other.height <= area.y + 1e-6
            )
            assert is_apart, (area, other)


@pytest.mark.parametrize("key", CHAPTER)
def test_every_game_has_a_layout_on_paper_with_each_wager_once(key):
    verify_drawn(Rules.of(key))


def test_a_game_without_a_drawing_of_its_own_has_its_wagers_in_rows(hazard):
    verify_drawn(Rules.of("xx-hazard"))
