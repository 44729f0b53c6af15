"""An upgrade stops no table: several versions are approved at once, for many tables by one act and one letter."""

import json
from typing import Any

import pytest
from django.core.management import call_command

from audit.record import open_stream
from games.engine import Refusal
from games.models import Facility, PreparedChange
from tables.demo.seeding import approve_equipment
from tables.equipment import register
from tables.models import Approval, Pit, Shaker, Table
from tables.opening.opening import make_table
from tests.tables.cast import Scene, make_scene, newest_of_an_act
from tests.tables.cast import approve as approve_rules
from tests.tables.test_dice_pages import see, words

pytestmark = pytest.mark.django_db
LABORATORY = "Bureau of Gaming Laboratory Operations"
OLD, NEW = "dev", "0.1.1"  # the first is the version of the tests


def tables(scene: Scene, count: int) -> list[str]:
    """Make further tables beside T-01, each with a shaker and its approvals. Returns the codes of all."""
    first = scene.table
    for number in range(2, count + 1):
        code = f"T-{number:02d}"
        table = make_table(
            first.facility, code=code, pit=first.pit, submission=first.submission_code, kind="live",
            seats=8, min_cents=1_000, max_cents=50_000,
        )  # fmt: skip
        Shaker.objects.create(facility=first.facility, table=table, code=f"S-{number:02d}", kind="manual")
        approve_equipment(table)
    return list(Table.objects.order_by("code").values_list("code", flat=True))


def version(scene: Scene, *versions: str, **changed: Any) -> dict[str, Any]:
    """The parameters of an approval of these versions, for T-01 unless the test says otherwise."""
    return {
        "subject": "device",
        "table": "T-01",
        "body": LABORATORY,
        "reference": "BGL-7",
        "approved_on": "2026-01-12",
        "versions": list(versions),
        "letter": scene.on_file("The approval of a version"),
        **changed,
    }


def approve(scene: Scene, *versions: str, **changed: Any) -> dict[str, Any]:
    """Record it, approved by a second person. Returns the entry."""
    scene.in_room("record_approval", version(scene, *versions, **changed), by="compliance")
    body: dict[str, Any] = json.loads(bytes(newest_of_an_act("larkfield/equipment").body))
    return body


def play_a_round(scene: Scene) -> None:
    scene.place((2, "big", 5_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    scene.finish()


def test_workers_of_two_versions_deal_beside_each_other_there_and_back(scene, settings):
    approve(scene, NEW)
    for build in (OLD, NEW, OLD, NEW):
        settings.BUILD = build
        play_a_round(scene)
    settings.BUILD = "0.1.2"
    with scene.refused("device-of-another-version", "58 Pa. Code § 625a.1(b)") as refusal:
        scene.place((2, "big", 5_000))
    assert refusal.value.params["runs"] == "0.1.2"


def test_one_approval_names_several_versions(scene, settings):
    Approval.objects.filter(subject="device").delete()
    data = approve(scene, OLD, NEW)["data"]
    assert (data["version"], data["further_versions"]) == (OLD, [NEW])
    for build in (OLD, NEW):
        settings.BUILD = build
        play_a_round(scene)
    assert "version dev and 0.1.1" in words(see(scene, "equipment/", "compliance"))


def test_an_approval_of_one_version_is_written_as_before(scene):
    assert "further_versions" not in approve(scene, NEW)["data"]


@pytest.mark.parametrize(
    "changed", [{"versions": ["x" * 41]}, {"versions": [OLD], "version": NEW}, {"versions": [""]}]
)
def test_versions_are_words_of_at_most_forty_letters_sent_once(scene, changed):
    with pytest.raises(Refusal, match="malformed"):
        approve(scene, **changed)


def test_an_approval_of_a_device_names_a_version(scene):
    with pytest.raises(Refusal, match="approval-without-version"):
        approve(scene)


def test_a_withdrawn_version_deals_no_further_round_and_the_other_goes_on(scene, settings):
    old = Approval.objects.get(subject="device")
    approve(scene, NEW)
    scene.in_room("withdraw_approval", {"approval": old.pk, "why": "replaced"}, by="compliance")
    with scene.refused("device-of-another-version"):
        scene.place((2, "big", 5_000))
    settings.BUILD = NEW
    play_a_round(scene)


def test_one_act_approves_a_version_at_every_table_with_one_letter(scene, settings):
    codes = tables(scene, 20)
    before = Approval.objects.count()
    letter = scene.on_file("The approval of a version")
    params = version(scene, NEW, letter=letter, tables=codes)
    del params["table"]
    answer = scene.in_room("record_approval", params, by="compliance")
    assert (PreparedChange.objects.count(), Approval.objects.count()) == (1, before + 20)
    assert len(answer.affected_table_ids) == 20
    entry = json.loads(bytes(newest_of_an_act("larkfield/equipment").body))
    approvals = entry["data"]["approvals"]
    assert entry["_type"] == "approvals.recorded" and [row["of_table"] for row in approvals] == codes
    stored = {row.pk: row for row in Approval.objects.filter(reference="BGL-7").select_related("table")}
    assert [stored[row["approval"]].table.code for row in approvals] == codes
    assert {row["letter"]["document"] for row in approvals} == {letter}
    settings.BUILD = NEW
    assert {
        row.refusal for row in register.equipment_by_table(scene.table.facility, scene.fresh.stream.last_at)
    } == {None}
    change = scene.browser("podium", "compliance").get(
        f"/office/larkfield/changes/{PreparedChange.objects.get().code}/"
    )
    assert "T-20" in change.content.decode()


def test_one_act_withdraws_a_version_at_every_table(scene):
    codes = tables(scene, 3)
    rows = list(Approval.objects.filter(subject="device").values_list("pk", flat=True))
    scene.in_room("withdraw_approval", {"approvals": rows, "why": "a fault"}, by="compliance")
    entry = json.loads(bytes(newest_of_an_act("larkfield/equipment").body))
    assert entry["_type"] == "approvals.withdrawn" and entry["data"]["why"] == "a fault"
    assert [row["of_table"] for row in entry["data"]["approvals"]] == codes
    assert not Approval.objects.filter(subject="device", withdrawn_at=None).exists()
    with pytest.raises(Refusal, match="no-such-approval"):
        scene.in_room("withdraw_approval", {"approvals": rows, "why": "again"}, by="compliance")


def test_nothing_of_another_casino_is_approved_or_withdrawn_among_many(scene):
    other = Facility.objects.create(code="seabright", name="Seabright", time_zone="America/New_York")
    pit = Pit.objects.create(facility=other, code="p1", name="Pit 1")
    table = Table.objects.create(
        facility=other, pit=pit, stream=open_stream("seabright/T-42"), code="T-42", game=scene.table.game,
        kind="live", submission_code="RS-0009", seats=8, min_cents=1_000, max_cents=50_000,
    )  # fmt: skip
    foreign = Approval.objects.get(subject="device")
    foreign.pk, foreign.facility, foreign.table = None, other, table
    foreign.save()
    own = Approval.objects.get(subject="device", facility=scene.table.facility)
    for pks in ([foreign.pk], [own.pk, foreign.pk], [own.pk, own.pk]):
        with pytest.raises(Refusal, match="no-such-approval"):
            scene.in_room("withdraw_approval", {"approvals": pks, "why": "x"}, by="compliance")
    with pytest.raises(Refusal, match="no-such-equipment"):
        approve(scene, NEW, table="", tables=["T-01", "T-42"])
    assert not Approval.objects.exclude(withdrawn_at=None).exists()


def test_many_shakers_have_one_letter_too(scene):
    tables(scene, 3)
    params = {
        **version(scene),
        "subject": "shaker",
        "body": "Bureau of Gaming Operations",
        "shakers": ["S-01", "S-03"],
    }
    for name in ("table", "versions"):
        del params[name]
    scene.in_room("record_approval", params, by="compliance")
    recorded = Approval.objects.filter(reference="BGL-7").order_by("pk")
    assert [row.shaker.code for row in recorded] == ["S-01", "S-03"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"tables": ["T-01", "T-99"]}, "no-such-equipment"),
        ({"tables": ["T-01", "T-01"]}, "malformed"),
        ({"tables": ["T-01"], "table": "T-01"}, "approval-of-one-thing"),
        ({"tables": ["T-01"], "shakers": ["S-01"]}, "approval-of-one-thing"),
        ({"tables": []}, "approval-of-one-thing"),
        ({"tables": ["T-01"], "body": "Kitchen"}, "body-does-not-approve"),
    ],
)
def test_an_approval_of_many_is_refused_for_each_reason_of_one(scene, changed, code):
    before = Approval.objects.count()
    params = {**version(scene, NEW), "table": "", **changed}
    with pytest.raises(Refusal, match=code):
        scene.in_room("record_approval", params, by="compliance")
    assert Approval.objects.count() == before


def test_each_table_of_a_letter_needs_the_body_that_its_own_edition_names(scene):
    """The boxes: § 625a names the Bureau of Casino Compliance, § 539 that of Gaming Operations."""
    approve_rules(scene.table.facility, "pa-539", {}, None, code="RS-0010")
    make_table(
        scene.table.facility, code="T-02", pit=scene.table.pit, submission="RS-0010", kind="live",
        seats=8, min_cents=1_000, max_cents=50_000,
    )  # fmt: skip
    before = Approval.objects.count()
    for body in ("Bureau of Casino Compliance", "Bureau of Gaming Operations"):
        params = version(scene, subject="boxes", table="", tables=["T-01", "T-02"], body=body)
        with pytest.raises(Refusal, match="body-does-not-approve"):
            scene.in_room("record_approval", params, by="compliance")
    assert Approval.objects.count() == before
    approve(scene, subject="boxes", body="Bureau of Casino Compliance")
    assert Approval.objects.count() == before + 1


def test_the_page_offers_a_version_for_every_table_in_one_form(scene):
    codes = tables(scene, 3)
    text = see(scene, "equipment/", "compliance")
    assert "This console runs dev" in words(text) and "3 of 3 tables" in words(text)
    assert f'data-alike="{" ".join(codes)}"' in text and 'data-tick="all"' in text


# Before the upgrade


def check_upgrade(*arguments: str) -> tuple[int, str]:
    """The status and the output of the command."""
    from io import StringIO

    output = StringIO()
    try:
        call_command("check_upgrade", *arguments, stdout=output)
    except SystemExit as ended:
        return int(ended.code or 0), output.getvalue()
    return 0, output.getvalue()


def test_before_an_upgrade_a_command_says_at_which_tables_the_version_is_not_approved(scene):
    codes = tables(scene, 3)
    status, text = check_upgrade(NEW)
    assert status == 1
    for code in codes:
        assert (
            f"{code}: version 0.1.1 of the electrical device is not approved (58 Pa. Code § 625a.1(b))"
            in text
        )
    assert "No round would begin at 3 tables" in text
    approve(scene, NEW, table="", tables=["T-01", "T-03"])
    status, text = check_upgrade(NEW)
    assert status == 1 and "T-02: version 0.1.1" in text and "T-01" not in text
    scene.in_room("record_approval", version(scene, NEW, table="T-02"), by="compliance", approve=False)
    waiting = PreparedChange.objects.latest("pk")
    status, text = check_upgrade(NEW)
    assert status == 1 and f"{waiting.code} waits for its second person" in text
    approve(scene, NEW, table="T-02", reference="BGL-8")
    assert check_upgrade(NEW) == (
        0,
        "Version 0.1.1 is approved at 3 tables of 1 facility. dev is approved there too: the way back is open.\n",
    )


def test_the_command_says_when_the_way_back_is_closed(scene):
    old = Approval.objects.get(subject="device")
    approve(scene, NEW)
    scene.in_room("withdraw_approval", {"approval": old.pk, "why": "replaced"}, by="compliance")
    status, text = check_upgrade(NEW)
    assert status == 0 and "dev is not approved at T-01: there would be no way back." in text


def test_a_table_without_an_electrical_device_needs_no_version():
    make_scene("pa-675a")
    assert check_upgrade(NEW) == (0, "No table needs an approval of version 0.1.1.\n")
