"""Exports at the desk: who asks, for what, how it goes on the record, and how a download is taken up again."""

import datetime as dt
import json
import re
import uuid
from pathlib import Path

import pytest
from django.test import RequestFactory

from audit import verify
from audit.entry_types import ACT_LINES
from audit.export import gaming_day_range
from audit.exporting import jobs, output
from audit.models import Entry, Job, Stream
from audit.runner import ActRequest
from games.engine import Refusal
from games.facility_runner import Forbidden
from tables.desk import desk, exports
from tables.desk.exports import MAX_OPEN_JOBS, NO_SUCH_EXPORT
from tables.words.sentences import say
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
AUTUMN, SPRING = dt.date(2026, 10, 31), dt.date(2026, 3, 7)
PAGE = "/record/larkfield/exports/"
T01 = "larkfield/T-01"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path)
    return tmp_path


def ask(scene, name="ask_export", by="compliance", device=None, command=None, **params):
    params = {"kind": "csv", **params} if name == "ask_export" else params
    call = ActRequest(
        facility="larkfield", place=desk.STREAM, act=name, command=command or uuid.uuid4(),
        seen_version=0, params=params, actor=scene.people[by], device=device or scene.podium,
    )  # fmt: skip
    return desk.execute(call)


def refused(scene, name="ask_export", **params):
    before = Entry.objects.count(), Job.objects.count()
    with pytest.raises(Refusal) as refusal:
        ask(scene, name, **params)
    assert (Entry.objects.count(), Job.objects.count()) == before
    assert say(refusal.value) and "%(" not in say(refusal.value)
    return refusal.value.code


def newest():
    entry = Entry.objects.filter(stream__name="larkfield/exports").latest("seq")
    return entry.type, json.loads(bytes(entry.body))


def done(scene, **params):
    """An export that is written."""
    answer = ask(scene, **params)
    jobs.Worker().run_next()
    return Job.objects.get(pk=answer.body["job"])


def test_who_requested_what_is_recorded(scene):
    answer = ask(scene, kind="evidence", streams=["T-01"])
    kind, body = newest()
    assert (kind, body["actor"], body["data"]) == (
        "export.asked",
        "compliance",
        {"day": None, "from": None, "job": answer.body["job"], "kind": "evidence", "last_day": None,
         "streams": [T01], "to": None, "training": False},
    )  # fmt: skip
    job = Job.objects.get()
    assert (str(job.pk), job.asked_by.code, job.status) == (answer.body["job"], "compliance", "waiting")
    assert job.total == answer.body["entries"] == Stream.objects.get(name=T01).seq


def test_a_repeated_request_creates_one_job(scene):
    command = uuid.uuid4()
    first, second = (ask(scene, command=command) for _ in range(2))
    assert (first.body, second.is_repeat, Job.objects.count()) == (second.body, True, 1)


def test_a_gaming_day_begins_at_six_in_the_time_zone_of_the_facility(hands, scene):
    ask(scene, day="2026-11-20", last_day="2026-11-21")
    data = newest()[1]["data"]
    assert (data["from"], data["to"]) == ("2026-11-20T11:00:00.000000Z", "2026-11-22T11:00:00.000000Z")
    ask(scene, day="2026-11-21")
    assert newest()[1]["data"]["from"] == "2026-11-21T11:00:00.000000Z"


def test_a_gaming_day_is_an_hour_longer_in_autumn_and_an_hour_shorter_in_spring(scene):
    lengths = [
        ends - begins
        for begins, ends in (gaming_day_range("larkfield", day, day) for day in (AUTUMN, SPRING))
    ]
    assert lengths == [dt.timedelta(hours=25), dt.timedelta(hours=23)]
    six = dt.datetime(2026, 3, 7, 6, tzinfo=dt.UTC)
    assert gaming_day_range("nowhere", SPRING, SPRING) == (six, six + dt.timedelta(days=1))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("2026-11-21T08:05", "2026-11-21T13:05:00.000000Z"),
        ("2026-11-21T08:05:09", "2026-11-21T13:05:09.000000Z"),
        ("2026-11-21T13:05:09.123456Z", "2026-11-21T13:05:09.123456Z"),
        ("2026-11-21T14:05:09+01:00", "2026-11-21T13:05:09.000000Z"),
    ],
)
def test_a_time_without_a_zone_is_in_the_time_zone_of_the_facility(hands, scene, said, kept):
    ask(scene, **{"from": said})
    assert newest()[1]["data"]["from"] == kept


@pytest.mark.parametrize(
    ("said", "since", "until"),
    [
        ("2026-11-01T01:30", "2026-11-01T05:30:00.000000Z", "2026-11-01T06:30:00.000000Z"),  # comes twice
        ("2026-03-08T02:30", "2026-03-08T06:30:00.000000Z", "2026-03-08T07:30:00.000000Z"),  # never
    ],
)
def test_an_hour_in_which_the_clocks_change_is_exported_completely(hands, said, since, until):
    hands.now = dt.datetime(2026, 3, 8, 4, tzinfo=dt.UTC)
    scene = make_scene()  # something is on the record before either hour
    hands.now = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)
    ask(scene, to=said)
    assert newest()[1]["data"]["to"] == until
    ask(scene, **{"from": said})
    assert newest()[1]["data"]["from"] == since


def test_that_nothing_was_recorded_is_evidence_too(scene):
    job = done(scene, kind="evidence", day="2020-01-01", streams=["T-01"])
    assert (job.status, job.entries_done, newest()[1]["data"]["entries"]) == ("done", 0, 0)
    file = str(jobs.file_path(job))
    report = verify.check_path(file, verify.Options([file]), None)
    assert report[0].startswith("good: 0 entries on 1 streams, 2020-01-01T11:00:00.000000Z")


def test_an_invalid_export_is_refused_with_a_sentence(scene, hands):
    assert refused(scene, day="2026-11-21", last_day="2026-11-20") == "export-range"
    assert refused(scene, **{"from": "2026-11-21T09:00", "to": "2026-11-21T08:00"}) == "export-range"
    assert refused(scene, day="2026-11-23") == "export-to-come"
    assert refused(scene, day="2020-01-01", last_day="2026-11-21") == "export-too-long"
    assert refused(scene, day="2020-01-01") == "export-empty"
    assert refused(scene, streams=["T-99"]) == "no-such-stream"
    assert refused(scene, streams=["elsewhere/T-01"]) == "no-such-stream"
    assert refused(scene, streams=["T-01"], training=True) == "export-mixed"
    assert refused(scene, training=True) == refused(scene, kind="evidence", training=True) == "export-empty"


@pytest.mark.parametrize(
    "params",
    [{"kind": "pdf"}, {"kind": "verification"}, {"kind": None}, {"day": "yesterday"}, {"day": 1}, {"from": "soon"},
     {"from": "2026-11-21"}, {"from": "0001-01-01T00:00"}, {"from": "9999-12-31T23:59"}, {"to": 5}, {"streams": "T-01"},
     {"streams": ["a b"]}, {"streams": [1]}, {"training": "no"}, {"day": "2026-11-21", "from": "2026-11-21T08:00"},
     {"more": 1}, {"from": "2026-11-21T25:00"}, {"streams": ["x/y/z"]}],
)  # fmt: skip
def test_nonsense_is_refused_and_changes_nothing(scene, params):
    assert refused(scene, **params) == "malformed"


def test_only_a_limited_number_of_jobs_and_one_verification_may_wait(scene):
    for _ in range(MAX_OPEN_JOBS - 1):
        ask(scene)
    ask(scene, "ask_verification")
    assert newest()[0] == "verification.asked"
    assert refused(scene, "ask_verification") == "verification-runs"
    assert refused(scene) == "too-many-jobs"


@pytest.mark.parametrize(
    "by", ["dealer", "floorperson", "surveillance", "shift-manager", "system-administrator"]
)
def test_nobody_else_may_export_a_copy(scene, by):
    for name in ("ask_export", "ask_verification"):
        with pytest.raises(Forbidden):
            ask(scene, name, by=by)
    with pytest.raises(Forbidden):
        ask(scene, device=scene.tablet)


def test_the_gaming_agent_may_request_an_export(scene):
    assert ask(scene, by="gaming-agent").body["entries"] > 0


def test_the_page_lists_each_export_with_its_hash_and_requester(scene):
    job = done(scene, kind="evidence", streams=["T-01"])
    page = scene.browser("podium", "compliance").get(PAGE).content.decode()
    hashes = (job.sha256, job.results["record_sha256"])
    for part in ("Evidence bundle", "T-01 · real play", "Compliance", *hashes, job.filename):
        assert part in page
    assert f"{PAGE}{job.pk}" in page and "data-watched" not in page
    assert 'data-open="ask-export"' in page and 'value="larkfield/T-01"' in page


def test_the_page_shows_running_jobs_and_why_a_job_failed(scene):
    first, second = ask(scene), ask(scene, "ask_verification")
    browser = scene.browser("podium", "compliance")
    Job.objects.filter(pk=first.body["job"]).update(status="running", entries_done=250, total=1000)
    fragment = browser.get(f"{PAGE}list").content.decode()
    assert "data-watched" in fragment and 'width="250"' in fragment and "1 ahead of it" in fragment
    assert "<html" not in fragment and ">Writing<" in fragment
    Job.objects.filter(pk=first.body["job"]).update(entries_done=1000)
    assert ">All written; packing<" in browser.get(f"{PAGE}list").content.decode()
    Job.objects.filter(pk=second.body["job"]).update(status="failed", failure_code="disk-full")
    Job.objects.filter(pk=first.body["job"]).update(status="failed", failure_code="gave-up")
    fragment = browser.get(f"{PAGE}list").content.decode()
    assert "The server&#x27;s disk is full." in fragment and "data-watched" not in fragment


def test_a_bad_verification_lists_its_findings(scene):
    bad = {"what": "entry-changed", "stream": T01, "seq": 4}
    ask(scene, "ask_verification")
    Job.objects.update(status="done", results={"bad": 2, "entries": 9, "seals": 0, "first_bad": bad})
    page = scene.browser("podium", "compliance").get(PAGE).content.decode()
    assert "2 faults found" in page and "larkfield/T-01, entry 4 was changed: its hash does not match" in page


def test_who_may_see_the_desk_sees_the_list_and_may_fetch_nothing(scene):
    job = done(scene)
    browser = scene.browser("podium", "surveillance")
    page = browser.get(PAGE).content.decode()
    assert job.sha256 in page and str(job.pk) + '"' in page
    assert f'href="{PAGE}{job.pk}"' not in page and 'data-open="ask-export"' not in page
    assert browser.get(f"{PAGE}{job.pk}").status_code == 403
    assert scene.browser("podium", "dealer").get(PAGE).status_code == 403
    assert scene.browser("tablet", "dealer").get(f"{PAGE}{job.pk}").status_code == 403


def test_a_file_of_another_facility_is_not_served(scene):
    job = done(scene)
    Job.objects.update(facility="elsewhere")
    assert scene.browser("podium", "compliance").get(f"{PAGE}{job.pk}").status_code == 403


@pytest.fixture
def fetch(scene):
    """`fetch(Range="bytes=0-9")` of an export that is written: the answer, its body, and the whole file."""
    job = done(scene, streams=["T-01"])
    content = jobs.file_path(job).read_bytes()
    browser = scene.browser("podium", "compliance")

    def get(**headers):
        headers_ = {key.replace("_", "-"): value for key, value in headers.items()}
        answer = browser.get(f"{PAGE}{job.pk}", headers=headers_)
        return answer, answer.getvalue(), content

    get.job, get.browser = job, browser
    return get


def test_a_download_is_an_attachment_that_nothing_runs_in(fetch):
    answer, body, whole = fetch()
    assert (answer.status_code, body) == (200, whole)
    assert answer["Content-Length"] == str(len(whole)) and answer["Accept-Ranges"] == "bytes"
    assert answer["ETag"] == f'"{fetch.job.sha256}"' and answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="{fetch.job.filename}"'
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "no-transform" in answer["Cache-Control"] and answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-9", 0, 9), ("bytes=10-", 10, None), ("bytes=-7", -7, None), ("bytes=5-5", 5, 5),
     ("bytes=0-999999999", 0, None), ("bytes=-999999999", 0, None)],
)  # fmt: skip
def test_an_interrupted_download_is_resumed(fetch, asked, first, last):
    answer, body, whole = fetch(Range=asked)
    wanted = whole[first:] if last is None else whole[first : last + 1]
    start = len(whole) + first if first < 0 else first
    assert (answer.status_code, body) == (206, wanted)
    assert answer["Content-Range"] == f"bytes {start}-{start + len(wanted) - 1}/{len(whole)}"
    assert answer["Content-Length"] == str(len(wanted))
    assert fetch(Range=asked, If_Range=f'"{fetch.job.sha256}"')[0].status_code == 206


@pytest.mark.parametrize(
    "headers",
    [{"Range": "bytes=5-1"}, {"Range": "bytes=0-1,4-5"}, {"Range": "lines=0-1"}, {"Range": "bytes=-"},
     {"Range": "junk"}, {"Range": "bytes=0-9", "If_Range": '"another"'},
     {"Range": "bytes=0-9", "If_Range": "Sat, 21 Nov 2026 10:00:00 GMT"}],
)  # fmt: skip
def test_an_invalid_range_gets_the_complete_file(fetch, headers):
    answer, body, whole = fetch(**headers)
    assert (answer.status_code, body) == (200, whole)


@pytest.mark.parametrize("asked", ["bytes=999999999-", "bytes=-0"])
def test_a_range_outside_the_file_is_answered_with_its_size(fetch, asked):
    answer, _, whole = fetch(Range=asked)
    assert (answer.status_code, answer["Content-Range"]) == (416, f"bytes */{len(whole)}")


def test_a_file_that_the_browser_has_is_not_sent_again_and_head_returns_its_size(fetch):
    assert fetch(If_None_Match=f'"{fetch.job.sha256}"')[0].status_code == 304
    head = fetch.browser.head(f"{PAGE}{fetch.job.pk}")
    assert (head.status_code, head.content) == (200, b"")
    assert head["Content-Length"] == str(fetch.job.size_bytes)


def test_the_record_says_who_took_which_copy_and_names_them_once(scene, fetch):
    def takers():
        taken = Entry.objects.filter(type="export.taken").order_by("seq")
        return [(entry.actor, json.loads(bytes(entry.body))["data"]) for entry in taken]

    fetch.browser.head(f"{PAGE}{fetch.job.pk}")
    fetch(If_None_Match=f'"{fetch.job.sha256}"')
    assert takers() == []
    fetch(Range="bytes=0-9")
    fetch(Range="bytes=10-")
    fetch()
    copy = {
        "job": str(fetch.job.pk),
        "kind": "csv",
        "filename": fetch.job.filename,
        "sha256": fetch.job.sha256,
    }
    assert takers() == [("compliance", copy)]
    scene.browser("podium", "gaming-agent").get(f"{PAGE}{fetch.job.pk}")
    assert takers() == [("compliance", copy), ("gaming-agent", copy)]
    shown = " ".join(scene.browser("podium", "compliance").get(PAGE).content.decode().split())
    assert re.search(r"Downloaded by Compliance, [^;<]+; Gaming Agent, ", shown)


def test_nobody_gets_a_copy_that_the_record_cannot_name(fetch, monkeypatch):
    def refuse(request):
        raise Refusal(NO_SUCH_EXPORT, job="x")

    monkeypatch.setattr("tables.desk.exports.execute", refuse)
    assert fetch()[0].status_code == 403


def test_a_removed_file_is_answered_with_what_to_do(fetch):
    jobs.file_path(fetch.job).unlink()
    answer = fetch.browser.get(f"{PAGE}{fetch.job.pk}")
    assert answer.status_code == 410 and b"Request the same range again" in answer.content


def test_a_changed_file_is_not_served_under_the_recorded_hash(fetch, tmp_path):
    place = jobs.file_path(fetch.job)
    secret = tmp_path / "secret"
    secret.write_bytes(place.read_bytes())
    place.unlink()
    place.symlink_to(secret)
    assert fetch.browser.get(f"{PAGE}{fetch.job.pk}").status_code == 410
    place.unlink()
    place.write_bytes(b"cut off")
    assert fetch.browser.get(f"{PAGE}{fetch.job.pk}").status_code == 410


def test_it_is_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(exports, "CHUNK_BYTES", 4)
    (tmp_path / "a").write_bytes(b"0123456789")
    request = RequestFactory().get("/", headers={"Range": "bytes=1-8"})
    answer = exports.file_response(request, tmp_path / "a", "a.csv", "e" * 64, "text/csv")
    assert list(answer) == [b"1234", b"5678"]


def test_every_failure_and_entry_has_its_words():
    failing = Path(jobs.__file__).read_text()
    for code in exports.FAILURES:
        assert f'"{code}"' in failing and exports.FAILURES[code]
    for kind in ("export.asked", "export.finished", "export.failed", "verification.asked", "record.verified"):
        assert kind in ACT_LINES and ACT_LINES[kind]({"kind": "csv", "outcome": "good", "job": "1"})
    writers = {*output.WRITERS, *output.FILE_WRITERS}
    assert set(output.EXTENSIONS) == writers == set(output.MEDIA_TYPES)
