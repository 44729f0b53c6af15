"""What is kept until when, by jurisdiction, and what a legal hold keeps longer."""

import datetime as dt
import json
import uuid

import pytest

from audit import clock
from audit.exporting import jobs
from audit.models import Entry, Job, LegalHold
from audit.runner import ActRequest
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.jurisdictions import KEPT_KINDS, jurisdiction
from tables.desk import desk
from tables.desk.retention import KIND_WORDS, kept_kinds, years_later
from tables.models import Case

pytestmark = pytest.mark.django_db
PAGE = "/record/larkfield/retention/"


def act(scene, name, by="compliance", **params):
    call = ActRequest(
        facility="larkfield", place=desk.STREAM, act=name, command=uuid.uuid4(), seen_version=0,
        params=params, actor=scene.people[by], device=scene.podium,
    )  # fmt: skip
    return desk.execute(call)


def newest():
    body = json.loads(bytes(Entry.objects.filter(stream__name="larkfield/exports").latest("seq").body))
    return body["_type"], body["data"]


def test_pennsylvania_names_five_years_and_a_section_and_new_jersey_leaves_it_to_practice():
    pa, nj = jurisdiction("PA"), jurisdiction("NJ")
    assert (pa.years_kept("record"), pa.section("retention.record")) == (5, "58 Pa. Code § 465a.6")
    assert (nj.years_kept("record"), nj.section("retention.record")) == (5, "")
    assert pa.section("retention.exports") == ""
    assert set(KIND_WORDS) == set(KEPT_KINDS)


def test_the_oldest_of_each_kind_must_be_kept_for_its_years(hands, scene):
    kinds = {kind.code: kind for kind in kept_kinds(scene.table.facility, hands.now.date())}
    record = kinds["record"]
    assert (record.oldest, record.until) == (dt.date(2026, 10, 22), dt.date(2031, 10, 22))
    assert not record.is_deleted and kinds["exports"].is_deleted
    assert kinds["cases"].oldest is None
    Case.objects.create(
        facility=scene.table.facility, code="C-0001", kind="other", subject="x", opened_at=hands.now, opened_seq=1,
        due_at=hands.now,
    )  # fmt: skip
    kinds = {kind.code: kind for kind in kept_kinds(scene.table.facility, hands.now.date())}
    assert (kinds["cases"].oldest, kinds["cases"].until) == (dt.date(2026, 11, 21), dt.date(2031, 11, 21))
    assert years_later(dt.date(2028, 2, 29), 5) == dt.date(2033, 3, 1)


def test_the_page_says_that_nothing_is_deleted_that_the_record_needs(hands, scene):
    page = scene.browser("podium", "surveillance").get(PAGE).content.decode()
    for part in ("Entries are never deleted", "§ 465a.6", "22 Oct 2031", "practice of the casino", "14 days"):
        assert part in page, part
    assert "Place a legal hold" not in page  # compliance places them


def test_a_legal_hold_is_placed_and_released_with_a_reason_on_the_record(hands, scene):
    answer = act(
        scene, "place_legal_hold", reason="Letter of the Board, 2026-118", kinds=["exports", "cases"],
        first_day="2026-11-01", until="2027-11-01",
    )  # fmt: skip
    assert answer.body["hold"] == "LH-0001"
    assert newest() == (
        "legal_hold.placed",
        {"first_day": "2026-11-01", "hold": "LH-0001", "kinds": ["cases", "exports"], "last_day": None,
         "reason": "Letter of the Board, 2026-118", "until": "2027-11-01"},
    )  # fmt: skip
    page = scene.browser("podium", "compliance").get(PAGE).content.decode()
    assert "Letter of the Board, 2026-118" in page and "until 1 Nov 2027" in page
    rows = scene.browser("podium", "compliance").get("/record/larkfield/?number=lh-1").context["rows"]
    assert [row.entry.type for row in rows] == ["legal_hold.placed"]
    act(scene, "release_legal_hold", hold="LH-0001", reason="Closed by letter")
    assert newest() == ("legal_hold.released", {"hold": "LH-0001", "reason": "Closed by letter"})
    with pytest.raises(Refusal) as refusal:
        act(scene, "release_legal_hold", hold="LH-0001", reason="again")
    assert refusal.value.code == "no-such-hold"
    assert act(scene, "place_legal_hold", reason="Another", kinds=["record"]).body["hold"] == "LH-0002"


@pytest.mark.parametrize(
    "params",
    [{"first_day": "2026-11-02", "last_day": "2026-11-01"}, {"until": "2026-11-20"}],
)
def test_a_hold_that_ends_before_it_begins_is_refused(hands, scene, params):
    with pytest.raises(Refusal) as refusal:
        act(scene, "place_legal_hold", reason="x", kinds=["record"], **params)
    assert (refusal.value.code, LegalHold.objects.count()) == ("hold-range", 0)


def test_only_compliance_places_a_hold(hands, scene):
    for by in ("shift-manager", "surveillance"):
        with pytest.raises(Forbidden):
            act(scene, "place_legal_hold", by=by, reason="x", kinds=["record"])


def test_an_exported_file_ends_unless_a_hold_covers_its_days(hands, scene, settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path)
    for day in ("2026-11-20", "2026-11-21"):
        Job.objects.create(
            facility="larkfield", kind="csv", params={"day": day, "last_day": day}, status="done", filename="a.csv",
            asked_by=scene.people["compliance"], asked_at=clock.now(), finished_at=clock.now() - dt.timedelta(days=15),
        )  # fmt: skip
    held, free = Job.objects.order_by("-params__day")
    for job in (held, free):
        jobs.file_path(job).write_text("a copy")
    act(scene, "place_legal_hold", reason="x", kinds=["exports"], first_day="2026-11-21")
    jobs.Worker().tidy()
    assert [jobs.file_path(job).exists() for job in (held, free)] == [True, False]
    act(scene, "release_legal_hold", hold="LH-0001", reason="over")
    jobs.Worker().tidy()
    assert not jobs.file_path(held).exists()
