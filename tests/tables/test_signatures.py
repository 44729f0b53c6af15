"""Who signs a paper is a list in the file of a jurisdiction: a row adds a signer, and no line of code.

Ruritania's file gets rows of `[[signatures]]` here, as those of a state that asks for a fifth signature on a fill.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from audit import clock, record
from audit.columns import STATED, check_columns
from audit.models import Entry, Person
from games import jurisdictions
from games.models import PaperSignature
from games.separation import policy
from games.separation.signatures import PAPER_SIGNED, PAPERS
from tables.handover.open_items import open_items
from tables.signing import check_signatures
from tests.audit.outsider import check
from tests.audit.test_columns import unnoticed_changes, unnoticed_rows
from tests.fixtures.jurisdictions import FILE
from tests.tables import test_money
from tests.tables.cast import Scene, make_scene
from tests.tables.test_third_jurisdiction import hand_over, sealed_bundle, text_of

pytestmark = pytest.mark.django_db

FILL = """
[[signatures]]
paper = "fill"
post = "Pit manager"
roles = ["pit-manager", "shift-manager"]
since = 2020-01-01
section = "Ruritanian Dice Act art. 70"
"""
INVENTORY = """
[[signatures]]
paper = "inventory"
post = "Surveillance"
roles = ["surveillance"]
before = "closer"
since = 2020-01-01
"""
HANDOVER = """
[[signatures]]
paper = "handover"
post = "Compliance"
roles = ["compliance"]
since = 2020-01-01
"""
OUTCOME = """
[[signatures]]
paper = "outcome"
post = "Shift manager"
roles = ["shift-manager"]
since = 2020-01-01
"""
PEOPLE = """
[[signatures]]
paper = "people"
post = "Surveillance"
roles = ["surveillance"]
before = "approval"
since = 2020-01-01
"""
BOX_TAKEN_OFF_BY_SURVEILLANCE = """
[[signatures]]
paper = "drop-box"
step = "take-off"
post = "Security"
roles = ["surveillance"]
"""
Place = Callable[..., Scene]


@pytest.fixture
def in_ruritania(tmp_path: Path, hands) -> Iterator[Place]:
    """Make an open table in a Ruritania whose file has these rows too, with an opener and a drop box."""
    settings = override_settings(JURISDICTION_DIRS=[tmp_path])

    def make(*rows: str) -> Scene:
        (tmp_path / "xx.toml").write_text(FILE.read_text("utf-8") + "".join(rows), "utf-8")
        settings.enable()
        assert not jurisdictions.problems()
        scene = test_money.keep_inventory(make_scene("xx-7/A", opened=False))
        scene.staff()
        test_money.count(scene, "count_opener", test_money.OPENER)
        test_money.box(scene, "put_on_drop_box", {"box": "B-17"})
        scene.inspect()
        scene.open()
        return scene

    yield make
    settings.disable()


def sign(scene: Scene, paper: str, number: int = 1, **how) -> dict:
    how = {"by": "floorperson", "device": scene.podium, **how}
    return scene.act("sign_paper", {"paper": paper, "number": number}, **how).body


def received_fill(scene: Scene) -> None:
    transfer = test_money.fill(scene)
    scene.act("receive_transfer", {**transfer, "chips": test_money.FILL}, witness="floorperson")


def places(scene: Scene, address: str, by: str = "pit-manager") -> str:
    response = scene.browser("podium", by).get(address)
    assert response.status_code == 200
    return response.content.decode()


def findings() -> list[str]:
    """What a full verification finds wrong with signatures and their rows."""
    found = [*check_signatures(lambda: None), *check_columns(lambda: None)]
    return [
        finding.code for finding in found if "signature" in str(finding.where) or "signed" in finding.code
    ]


@pytest.mark.both_databases
def test_a_row_of_the_file_asks_for_a_fifth_signature_on_a_fill(in_ruritania):
    scene = in_ruritania(FILL)
    with scene.refused("no-such-paper"):
        sign(scene, "fill", witness="pit-manager")
    transfer = test_money.fill(scene)
    with scene.refused("paper-not-ready") as refusal:
        sign(scene, "fill", witness="pit-manager")
    assert refusal.value.params == {"paper": "Fill F-0001", "post": "Dealer"}
    scene.act("receive_transfer", {**transfer, "chips": test_money.FILL}, witness="floorperson")
    assert 'data-post="Pit manager"' in places(scene, "/floor/larkfield/T-01/tray")
    with scene.refused("paper-signed-next-by") as refusal:
        sign(scene, "fill", witness="compliance")
    assert refusal.value.section == "Ruritanian Dice Act art. 70"
    with scene.refused("paper-signed-by-you"):
        sign(scene, "fill")  # the floorperson has signed the receipt
    assert sign(scene, "fill", witness="pit-manager")["signature"] == 5
    with scene.refused("paper-is-complete"):
        sign(scene, "fill", witness="shift-manager")
    entry = Entry.objects.filter(type="paper.signed").get()
    data = test_money.newest("paper.signed")
    assert (entry.actor, entry.witness) == (
        scene.people["floorperson"].code,
        scene.people["pit-manager"].code,
    )
    assert data == {
        "paper": "fill",
        "number": 1,
        "name": "Fill F-0001",
        "post": "Pit manager",
        "signer": scene.people["pit-manager"].code,
        "signature": 5,
        "complete": True,
    }
    assert findings() == []


def test_the_checker_of_outsiders_reads_a_record_with_further_signatures(in_ruritania, tmp_path):
    scene = in_ruritania(FILL)
    received_fill(scene)
    sign(scene, "fill", witness="pit-manager")
    archive, key = sealed_bundle(tmp_path / "sealer")
    lines = check(archive, "--vkey", key, "--require-signature")
    assert lines[0].startswith("good: "), lines


def test_a_person_of_the_right_role_who_signed_a_step_does_not_sign_again(in_ruritania):
    scene = in_ruritania(FILL)
    transfer = test_money.fill(scene)
    scene.act("receive_transfer", {**transfer, "chips": test_money.FILL}, witness="pit-manager")
    with scene.refused("paper-signed-by-you"):
        sign(scene, "fill", witness="pit-manager")
    sign(scene, "fill", witness="shift-manager")


def test_who_is_signed_in_signs_without_another(in_ruritania):
    scene = in_ruritania(FILL)
    received_fill(scene)
    assert 'data-open="sign-paper-alone"' in places(scene, "/floor/larkfield/T-01/tray")
    assert sign(scene, "fill", by="pit-manager")["signature"] == 5
    assert "to-sign" not in places(scene, "/floor/larkfield/T-01/tray")


def test_page_and_paper_show_every_signer_and_the_handover_who_is_missing(in_ruritania, hands):
    scene = in_ruritania(FILL)
    received_fill(scene)
    items = [item for item in open_items(scene.fresh.facility, hands.now) if item.label == "Signature"]
    assert [(item.table, item.title) for item in items] == [("T-01", "Fill F-0001: Pit manager to sign")]
    cage = places(scene, "/floor/larkfield/cage/?slip=1", "cage")
    assert (
        "<span>Pit manager</span>" in cage and 'data-address="/floor/larkfield/T-01/acts/sign_paper"' in cage
    )
    sign(scene, "fill", witness="pit-manager")
    cage = places(scene, "/floor/larkfield/cage/?slip=1", "cage")
    assert scene.people["pit-manager"].short_name in cage and 'class="next-signer"' not in cage
    paper = text_of(scene.browser("podium", "cage").get("/floor/larkfield/cage/F-0001.pdf"))
    assert "Pit manager" in paper and scene.people["pit-manager"].short_name in paper
    assert not [item for item in open_items(scene.fresh.facility, hands.now) if item.label == "Signature"]


def test_a_signature_before_a_step_holds_the_step_up(in_ruritania):
    scene = in_ruritania(INVENTORY)
    test_money.box(scene, "take_off_drop_box")
    with scene.refused("signature-missing") as refusal:
        test_money.count(scene, "count_closer", test_money.OPENER)
    assert refusal.value.params == {"paper": "Inventory 1", "post": "Surveillance", "who": "surveillance"}
    assert sign(scene, "inventory", witness="surveillance")["signature"] == 3
    test_money.count(scene, "count_closer", test_money.OPENER)
    assert test_money.newest("paper.signed")["complete"] is False
    paper = text_of(scene.browser("podium", "pit-manager").get("/floor/larkfield/T-01/inventories/1.pdf"))
    assert scene.people["surveillance"].name in paper
    assert findings() == []


@pytest.mark.parametrize("row", [INVENTORY, INVENTORY.replace('before = "closer"', "")])
def test_a_signature_holds_up_no_count_of_the_tray(in_ruritania, row):
    scene = in_ruritania(row)
    test_money.count(scene, "count_tray", test_money.OPENER)
    assert test_money.newest("inventory.counted")["inventory"] == 1


def test_who_signed_a_fill_by_themselves_does_not_receive_it(in_ruritania):
    scene = in_ruritania(FILL.replace("since", 'before = "receipt"\nsince'))
    transfer = test_money.fill(scene)
    sign(scene, "fill", witness="shift-manager")
    received = {**transfer, "chips": test_money.FILL}
    with scene.refused("paper-signed-by-you") as refusal:
        scene.act("receive_transfer", received, witness="shift-manager")
    assert (refusal.value.params["paper"], refusal.value.params["post"]) == ("Fill F-0001", "Dealer")
    scene.act("receive_transfer", received, witness="floorperson")
    assert findings() == []


def test_a_handover_takes_a_third_signature(in_ruritania):
    scene = in_ruritania(HANDOVER)
    scene.act("request_fill", {"chips": test_money.FILL}, by="floorperson", device=scene.podium)
    hand_over(scene)
    page = places(scene, "/floor/larkfield/handover/1/")
    assert "<dt>Compliance</dt>" in page and 'data-post="Compliance"' in page
    paper = {"paper": "handover", "number": 1}
    with scene.refused("paper-signed-by-you"):
        scene.in_room("sign_facility_paper", paper, by="pit-manager")
    scene.in_room("sign_facility_paper", paper, by="pit-manager", witness="compliance")
    page = places(scene, "/floor/larkfield/handover/1/")
    assert scene.people["compliance"].name in page and "data-post" not in page
    assert findings() == []


def test_the_outcome_of_a_case_takes_a_third_signature_and_the_letter_has_it(in_ruritania):
    scene = in_ruritania(OUTCOME)
    dispute = {"kind": "dispute", "about": "the call", "table": "T-01", "seat": 1}
    scene.in_room("open_case", dispute, by="compliance")
    case = {"case": "C-0001", "outcome": "stands", "reason": "The dice showed 9."}
    scene.in_room("sign_case_outcome", case, by="surveillance")
    scene.in_room("sign_case_outcome", case, by="compliance")
    with scene.refused("case-not-signed") as refusal:
        scene.in_room("close_case", {"case": "C-0001"}, by="compliance")
    assert refusal.value.params == {"case": "C-0001", "count": 2, "needed": 3}
    page = places(scene, "/inbox/larkfield/C-0001/", "shift-manager")
    assert "Signed by 3" in page and 'data-open="sign"' in page
    Person.objects.filter(code="security").update(role="surveillance", department="surveillance")
    scene.people["security"].refresh_from_db()
    with scene.refused("paper-signed-next-by"):
        scene.in_room("sign_case_outcome", case, by="security")
    assert scene.in_room("sign_case_outcome", case, by="shift-manager").body["signature"] == 3
    scene.in_room("close_case", {"case": "C-0001"}, by="compliance")


def test_a_change_takes_a_third_person_before_its_approval(in_ruritania):
    scene = in_ruritania(PEOPLE)
    scene.in_room("end_access", {"person": "relief", "why": "left"}, by="shift-manager", approve=False)

    def approve(by: str):
        return scene.in_room("approve_change", {"change": "CH-0001"}, by=by, approve=False).body

    with scene.refused("paper-signed-next-by"):
        approve("compliance")
    page = places(scene, "/office/larkfield/changes/CH-0001/", "compliance")
    assert "Surveillance" in page and "Approve CH-0001" not in page
    assert approve("surveillance") == {"change": "CH-0001", "signature": 1, "type": "paper.signed"}
    assert Person.objects.get(code="relief").is_active
    with scene.refused("paper-signed-by-you"):
        approve("surveillance")
    page = places(scene, "/office/larkfield/changes/CH-0001/", "compliance")
    assert "Approve CH-0001" in page and scene.people["surveillance"].short_name in page
    approve("compliance")
    assert not Person.objects.get(code="relief").is_active
    assert findings() == []


def test_the_papers_of_changes_are_the_subjects_that_are_approved_later():
    assert set(jurisdictions.CHANGES) == set(policy.changed(policy.practice()))
    assert set(jurisdictions.STEPS_OF_PAPER) == {*PAPERS, "outcome"}


def test_another_role_at_a_place_of_an_act_is_a_row_too(in_ruritania):
    scene = in_ruritania(BOX_TAKEN_OFF_BY_SURVEILLANCE)
    with scene.refused("step-signed-by") as refusal:
        test_money.box(scene, "take_off_drop_box", by="security")
    floor = "floorperson or casino supervisor or pit manager or shift manager"
    assert refusal.value.params == {"who": f"Security: surveillance; Floorperson: {floor}"}
    test_money.box(scene, "take_off_drop_box", by="floorperson", witness="surveillance")


def test_whatever_is_changed_deleted_or_added_among_signatures_is_named(in_ruritania):
    scene = in_ruritania(FILL)
    received_fill(scene)
    sign(scene, "fill", witness="pit-manager")
    columns = STATED[PaperSignature].stated
    assert len(columns) == len(PaperSignature._meta.concrete_fields) - 1
    assert list(unnoticed_changes(PaperSignature.objects.get(), columns)) == []
    assert list(unnoticed_rows(PaperSignature)) == []


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"signer": "floorperson"}, "paper-signed-twice"),
        ({"signer": "compliance"}, "paper-signed-by-nobody"),
        ({"signature": 5}, "paper-signed-out-of-order"),
    ],
)
def test_an_entry_that_breaks_the_list_is_named(in_ruritania, changed, code):
    """An attacker who writes entries as the web role may, past the act."""
    scene = in_ruritania(FILL)
    received_fill(scene)
    sign(scene, "fill", witness="pit-manager")
    data = test_money.newest("paper.signed") | {"signature": 6, "signer": "shift-manager"} | changed
    people = {"actor": scene.people["floorperson"], "witness": scene.people["shift-manager"]}
    stream = record.lock_stream("larkfield/T-01")
    record.append(
        stream, entry=PAPER_SIGNED(**data), moment=clock.now(), gaming_day=clock.now().date(), **people
    )
    assert [finding.code for finding in check_signatures(lambda: None)] == [code]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (FILL.replace("fill", "bill"), "is no paper that is signed"),
        (FILL.replace('"pit-manager"', '"king"'), "names neither known roles nor a row, or both"),
        (FILL.replace("since = 2020-01-01", ""), "names no day since which it is signed"),
        (FILL + 'before = "lunch"', "has no step lunch"),
        (FILL.replace("since = 2020-01-01", 'step = "receipt"'), "leave the step out"),
        (FILL + FILL, "is there twice"),
        (PEOPLE.replace('before = "approval"', ""), "signs a change, so it is before its approval"),
        (INVENTORY.replace('"closer"', '"opener"'), "is before opener, which makes the paper"),
    ],
)
def test_a_malformed_row_leaves_the_file_out_and_says_why(tmp_path, row, reason):
    (tmp_path / "xx.toml").write_text(FILE.read_text("utf-8") + row, "utf-8")
    with override_settings(JURISDICTION_DIRS=[tmp_path]):
        (problem,) = jurisdictions.problems()
        assert reason in problem.reason
