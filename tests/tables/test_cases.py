"""The cases of compliance: opened once for each subject, signed by two people, closed, and read in the inbox."""

import contextlib
import datetime as dt
import hashlib
import io
import json
import re
import uuid
from html import unescape

import pypdfium2
import pytest
from django.db import OperationalError, connection

from audit import people, record
from audit.columns import check_columns
from audit.models import Entry, Lockout, SealerStatus
from games import jurisdictions
from games.engine import Refusal
from games.models import PreparedChange
from tables.cases import case
from tables.cases.case import due_words, open_found_cases, span_words
from tables.cases.exceptions import exceptions
from tables.cases.kinds import words_of_case
from tables.models import Alert, Approval, Case, CaseDocument, CaseLetter, ReportAcceptance, Slip
from tables.runner import facility
from tables.ticker import Ticker
from tests.services.emptying import guards_aside
from tests.tables import slip_scene
from tests.tables.house import hire

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HOUR, MINUTE = dt.timedelta(hours=1), dt.timedelta(minutes=1)


@pytest.fixture
def disputed(hands, scene):
    """Seat 2 says that its Big won; the dice were 2 2 5."""
    scene.play((2, "big", 10_000), (5, "small", 2_000), dice=[2, 2, 5])
    scene.finish()
    scene.act("report_dispute", {"seat": 2, "about": "The dealer called a 6 first"})
    open_found_cases()
    return scene


def only_case():
    return Case.objects.get()


def entries():
    rows = Entry.objects.filter(stream__name="larkfield/cases").order_by("seq")
    return [json.loads(bytes(row.body)) for row in rows]


def sign(scene, by, outcome="stands", reason="The dice showed 9.", **more):
    return scene.in_room(
        "sign_case_outcome", {"case": "C-0001", "outcome": outcome, "reason": reason, **more}, by=by
    )


def refused(code):
    return pytest.raises(Refusal, match=code)


def page(scene, address="/inbox/larkfield/", by="compliance"):
    answer = scene.browser("podium", by).get(address)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


# By rules


def test_a_dispute_opens_one_case_that_is_due_in_the_hours_of_its_jurisdiction(disputed, hands):
    case = only_case()
    assert (case.code, case.kind, case.subject) == ("C-0001", "dispute", "T-01:1:2")
    assert (case.round, case.seat, case.opened_by, case.owner) == (1, 2, None, None)
    assert case.due_at == hands.now + 24 * HOUR and disputed.table.facility.law.cases["dispute"] == 24
    [entry] = entries()
    assert entry["actor"] is None and entry["seq"] == case.opened_seq
    assert entry["data"] == {
        "case": "C-0001",
        "due_at": "2026-11-22T15:00:00.000000Z",
        "kind": "dispute",
        "params": case.params,
        "round": 1,
        "seat": 2,
        "table": "T-01",
        "subject": "T-01:1:2",
        "title": "Dispute at T-01 seat 2, round 1",
    }
    disputed.act("report_dispute", {"seat": 2, "about": "again"})
    hands.now += HOUR
    open_found_cases()
    assert Case.objects.count() == len(entries()) == 1, "the same round and seat"


def test_the_ticker_opens_the_case_of_a_slip(hands, scene):
    scene.play((2, "big", 2_000), dice=[2, 2, 5])
    scene.finish()
    slip_scene.file(scene, "dice", dice=[5, 5, 6])
    ticker = Ticker(lambda: 0.0)
    for _ in range(10):
        ticker.tick()
    case = only_case()
    assert (case.kind, case.subject, case.round) == ("slip", "T-01:ENS-0001", 1)
    assert "Slip ENS-0001 to review T-01 round 1: seat 2 is owed $40. misread" in page(scene)


def test_the_case_of_a_slip_is_due_with_its_review_and_signed_by_somebody_else(hands, scene):
    scene.play((2, "big", 2_000), dice=[2, 2, 5])
    scene.finish()
    slip_scene.file(scene, "dice", dice=[5, 5, 6])
    open_found_cases()
    assert only_case().due_at == Slip.objects.get().review_due_at
    assert "It waits for the review of ENS-0001" in page(scene, "/inbox/larkfield/C-0001/")
    with refused("case-not-ready"):
        sign(scene, "compliance", "agreed")
    scene.act("review_slip", {"slip": "ENS-0001"}, by="surveillance", device=scene.podium)
    with refused("case-signer-acted"):
        sign(scene, "surveillance", "agreed")
    sign(scene, "compliance", "agreed")
    scene.in_room("close_case", {"case": "C-0001"}, by="compliance")


def test_one_transaction_a_case_so_that_one_failure_leaves_the_others(hands, scene, monkeypatch):
    scene.act("report_dispute", {"seat": 1, "about": "first"})
    scene.act("report_dispute", {"seat": 2, "about": "second"})
    append = record.append

    def fail_once(*args, **values):
        monkeypatch.setattr(record, "append", append)
        raise OSError("the disk is full")

    monkeypatch.setattr(record, "append", fail_once)
    open_found_cases()
    open_found_cases()
    assert {case.code for case in Case.objects.all()} == {"C-0001", "C-0002"}
    assert len(entries()) == 2


def test_training_and_what_is_long_ago_opens_no_case(hands, scene):
    scene.act("report_dispute", {"seat": 1, "about": "long ago"})
    hands.now += 8 * 24 * HOUR
    open_found_cases()
    assert not Case.objects.exists()


def test_each_kind_has_its_hours_and_another_kind_is_an_error_of_the_file(tmp_path):
    for law in jurisdictions.all_jurisdictions().values():
        assert {kind: law.case_time(kind) for kind in jurisdictions.PRACTICE_CASE_HOURS}
    text = (jurisdictions.FOLDER / "nj.toml").read_text()
    (tmp_path / "nj.toml").write_text(text.replace("\n[cases]\n", "\n[cases]\nghost = 3\nslips = 0\n"))
    with pytest.raises(ValueError, match="unknown kinds of cases: ghost, slips; a case that is due at once"):
        jurisdictions.read(tmp_path / "nj.toml")


# Other kinds


def cases(kind):
    open_found_cases()
    return [(case.subject, *words_of_case(case)) for case in Case.objects.filter(kind=kind).order_by("pk")]


def test_refused_pins_are_a_case_that_the_locked_person_never_signs(hands, scene):
    for _ in range(5):
        people.count_wrong_pin(scene.podium, scene.people["surveillance"], None, hands.now)
    [lockout] = Lockout.objects.all()
    words = ("5 wrong PINs at Podium", "As Surveillance, until 10:15")
    assert cases("lockout") == [(f"lockout:{lockout.pk}", *words)]
    assert Case.objects.get().due_at == hands.now + 12 * HOUR
    with refused("case-signer-acted"):
        sign(scene, "surveillance", "mistyped")


def test_a_wager_over_the_maximum_is_a_case_once_its_round_has_ended(hands, scene):
    scene.play((2, "big", 150_000), (3, "small", 2_000), dice=[5, 5, 6])
    assert cases("limits") == []
    scene.finish()
    words = ("$1,500 over the maximum at T-01", "Round 1, seat 2, big: accepted, and settled in full")
    assert cases("limits") == [("T-01:1", *words)]


def test_a_wager_under_the_minimum_is_a_case_too(hands, scene):
    scene.play((2, "big", 500), dice=[5, 5, 6])
    scene.finish()
    words = ("$5 under the minimum at T-01", "Round 1, seat 2, big: accepted, and settled in full")
    assert cases("limits") == [("T-01:1", *words)]


def test_the_wagers_out_of_limits_of_a_round_are_one_case(hands, scene):
    scene.play((2, "big", 150_000), (3, "small", 500), (4, "small", 500), dice=[5, 5, 6])
    scene.finish()
    scene.play((3, "small", 500), (3, "big", 400), dice=[5, 5, 6])
    scene.finish()
    assert sorted(cases("limits")) == [
        (
            "T-01:1",
            "3 wagers out of limits at T-01, $1,510",
            "Round 1, seats 2, 3, 4: accepted, and settled in full",
        ),
        (
            "T-01:2",
            "2 wagers under the minimum at T-01, $9",
            "Round 2, seat 3: accepted, and settled in full",
        ),
    ]
    assert [case.seat for case in Case.objects.order_by("round")] == [None, 3]


def test_a_round_whose_wager_has_a_case_of_its_own_gets_no_second_one(hands, scene):
    scene.play((2, "big", 150_000), dice=[5, 5, 6])
    scene.finish()
    older = {"table": "T-01", "round": 1, "seat": 2, "wager": "big", "cents": 150_000}
    open_found_cases()
    Case.objects.update(subject="T-01:1:2:big:0", params=older)
    words = ("$1,500 over the maximum at T-01", "Round 1, seat 2, big: accepted, and settled in full")
    assert cases("limits") == [("T-01:1:2:big:0", *words)], "cases of single wagers still read as they did"


def test_approvals_open_a_case_so_many_days_before_they_end(hands, scene):
    Approval.objects.filter(table=scene.table, subject="layout").update(ends_on=dt.date(2026, 12, 2))
    assert cases("approval") == []
    hands.now += 2 * 24 * HOUR
    [(subject, title, text)] = cases("approval")
    assert subject.endswith(":2026-12-02") and "ends" in title
    assert text == "Ends 2 Dec 2026, in the rules office's calendar"
    assert Case.objects.get().due_at == scene.table.facility.day_begins(dt.date(2026, 12, 2))


def test_a_change_that_nobody_approves_is_a_case_that_its_makers_do_not_sign(hands, scene):
    PreparedChange.objects.create(
        facility=scene.table.facility, code="CH-0001", subject="rules", stream="rules", act="record_decision",
        makers=["compliance"], prepared_by=scene.people["compliance"], prepared_at=hands.now, prepared_seq=1,
        due_at=hands.now + 72 * HOUR,
    )  # fmt: skip
    assert cases("approval") == []
    hands.now += 49 * HOUR
    words = ("CH-0001 waits for a second person", "Prepared by Compliance, to be approved by 24 Nov 2026")
    assert cases("approval") == [("change:CH-0001", *words)]
    with refused("case-signer-acted"):
        sign(scene, "compliance", "renewed")


def test_a_table_outside_its_band_is_a_case_of_its_day(hands, scene):
    for _ in range(6):
        scene.play((2, "big", 100_000), dice=[5, 5, 6])
        scene.finish()
    assert cases("band") == [], "the day is not over"
    hands.now += 24 * HOUR
    [(subject, title, text)] = cases("band")
    assert (subject, title) == ("T-01:2026-11-21", "T-01 outside its band")
    assert text.startswith("Sat 21 Nov: −$6,000, expected $")


def test_what_is_wrong_with_the_record_is_a_case(hands, scene):
    alert = Alert.objects.create(
        table=scene.table, kind="record-went-back", key="record-went-back", level="stop", raised_at=hands.now,
        params={"seen": 9, "last": 7},
    )  # fmt: skip
    [(subject, title, _text)] = cases("integrity")
    assert (subject, title) == (f"T-01:alert:{alert.pk}", "T-01: The record was rolled back")
    assert Case.objects.get().due_at == hands.now + 4 * HOUR


def test_a_sealer_that_has_stopped_is_one_case(hands, scene):
    SealerStatus.objects.create(pk=1, beat_at=hands.now)
    hands.now += 4 * MINUTE
    assert cases("integrity") == []
    hands.now += 2 * MINUTE
    [(subject, title, text)] = cases("integrity")
    assert (subject[:7], title) == ("sealer:", "The sealer has stopped")
    assert text == "Nothing was sealed since 10:00. See its log."
    hands.now += HOUR
    assert len(cases("integrity")) == 1
    SealerStatus.objects.update(beat_at=hands.now, problem="key-missing", since=hands.now - 6 * MINUTE)
    assert cases("integrity")[1][1] == "The record is not being sealed"


# By hand


def test_a_patron_at_the_desk_has_the_same_case_as_the_table(disputed):
    params = {"kind": "dispute", "about": "I want my $60.", "table": "T-01", "number": 1, "seat": 2}
    with refused("case-exists"):
        disputed.in_room("open_case", params, by="compliance")
    answer = disputed.in_room("open_case", {**params, "seat": 5}, by="shift-manager")
    assert answer.body["case"] == "C-0002" and entries()[-1]["data"]["about"] == "I want my $60."
    with refused("no-such-round"):
        disputed.in_room("open_case", {**params, "number": 7}, by="compliance")
    with refused("no-such-place"):
        disputed.in_room("open_case", {**params, "table": "T-77"}, by="compliance")
    disputed.in_room("open_case", {"kind": "other", "about": "A lamp is out"}, by="surveillance")
    assert "A lamp is out No table" in page(disputed)


def test_a_case_has_an_owner_whom_compliance_may_change(disputed):
    disputed.in_room("take_case", {"case": "C-0001"}, by="surveillance")
    with refused("case-has-owner"):
        disputed.in_room("take_case", {"case": "C-0001"}, by="compliance")
    with refused("case-owner-may-not"):
        disputed.in_room("assign_case", {"case": "C-0001", "person": "dealer"}, by="compliance")
    disputed.in_room("assign_case", {"case": "C-0001", "person": "shift-manager"}, by="compliance")
    assert only_case().owner.code == "shift-manager"
    assert [entry["_type"] for entry in entries()] == ["case.opened", "case.taken", "case.assigned"]


def test_documents_keep_their_bytes_and_a_verification_finds_replaced_ones(disputed):
    content = b"I had $100 on Big."
    params = {
        "case": "C-0001",
        "title": "Statement",
        "filename": "said.txt",
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    disputed.in_room("add_case_document", params, by="compliance", attachment=content)
    with refused("document-named-otherwise"):
        disputed.in_room(
            "add_case_document", {**params, "filename": "a.pdf"}, by="compliance", attachment=content
        )
    answer = disputed.browser("podium", "gaming-agent").get("/inbox/larkfield/C-0001/documents/1")
    assert answer.content == content and "attachment" in answer["Content-Disposition"]
    assert list(check_columns(lambda: None, [CaseDocument])) == []
    CaseDocument.objects.update(content=b"I had nothing.")
    assert [found.code for found in check_columns(lambda: None, [CaseDocument])] == ["row-differs"]
    CaseDocument.objects.all().delete()
    assert [found.code for found in check_columns(lambda: None, [CaseDocument])] == ["row-without-row"]


# Signatures


def test_two_people_sign_the_same_and_compliance_closes(disputed, hands):
    with refused("case-no-such-outcome"):
        sign(disputed, "surveillance", "agreed")
    sign(disputed, "surveillance")
    with refused("case-signed-already"):
        sign(disputed, "surveillance")
    with refused("case-signed-otherwise"):
        sign(disputed, "compliance", reason="Something else.")
    with refused("case-not-signed"):
        disputed.in_room("close_case", {"case": "C-0001"}, by="compliance")
    sign(disputed, "compliance")
    with refused("case-signed-by-two"):
        sign(disputed, "shift-manager")
    hands.now += HOUR
    disputed.in_room("close_case", {"case": "C-0001"}, by="compliance")
    case = only_case()
    assert (case.status, case.outcome, case.closed_by.code) == ("closed", "stands", "compliance")
    with refused("case-is-closed"):
        disputed.in_room("take_case", {"case": "C-0001"}, by="compliance")
    disputed.in_room("add_case_note", {"case": "C-0001", "text": "The letter was sent."}, by="compliance")
    disputed.in_room("reopen_case", {"case": "C-0001", "reason": "Another clip"}, by="compliance")
    case = only_case()
    assert (case.status, case.outcome, case.signatures.filter(counts=True).count()) == ("open", "", 0)
    with refused("case-is-open"):
        disputed.in_room("reopen_case", {"case": "C-0001", "reason": "Twice"}, by="compliance")


LETTER = {
    "case": "C-0001",
    "addressee": "Pat Example\n1 Main Street",
    "findings": "The camera shows 2, 2, 5.",
    "outcome": "stands",
    "reason": "The dice showed 9.",
}


def write(scene, by="compliance", **more):
    answer = scene.in_room("write_case_letter", {**LETTER, **more}, by=by)
    return CaseLetter.objects.get(number=answer.body["letter"])


def print_letter(scene):
    """Print the letter by its act, and read it at its address."""
    browser = scene.browser("podium", "compliance")
    body = {"command": str(uuid.uuid4()), "seen": 0, "params": {"case": "C-0001"}}
    url = "/record/larkfield/acts/print_letter"
    answer = browser.post(url, json.dumps(body), content_type="application/json").json()
    if "answer" not in answer:
        return answer["refusal"]["code"], browser
    return browser.get(f"/inbox/larkfield/C-0001/letters/1/{answer['answer']['sha256']}.pdf"), browser


def test_a_letter_is_signed_with_the_outcome_and_printed(disputed, hands):
    letter = write(disputed)
    assert print_letter(disputed)[0] == "letter-not-signed"
    with refused("letter-not-read"):
        sign(disputed, "surveillance")
    with refused("letter-says-otherwise"):
        sign(disputed, "surveillance", reason="Something else.", sha256=letter.sha256)
    sign(disputed, "surveillance", sha256=letter.sha256)
    with refused("letter-is-signed"):
        write(disputed)
    assert "A draft: 1 signature missing" in page(disputed, "/inbox/larkfield/C-0001/letters/1/")
    hands.now += HOUR
    sign(disputed, "compliance", sha256=letter.sha256)
    assert [entry["data"].get("letter") for entry in entries()[1:]] == [1, letter.sha256, letter.sha256]
    assert not any("Pat Example" in str(entry) for entry in entries()), "names stay off the record"

    response, browser = print_letter(disputed)
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    document = pypdfium2.PdfDocument(io.BytesIO(response.content))
    words = re.sub(r"\s+", " ", " ".join(sheet.get_textpage().get_text_range() for sheet in document))
    for part in (
        "Larkfield Casino", "Pat Example 1 Main Street November 21, 2026, case C-0001",
        "Your dispute of round 1 at table T-01, seat 2", "“The dealer called a 6 first”",
        "What we found The camera shows 2, 2, 5.", "The round stands as it was settled. The dice showed 9.",
        "Dice, called: 2 2 5.", "Big $100 Lost", "58 Pa. Code § 625a.3", "surveillance", letter.sha256,
        letter.facts["hash"],
    ):  # fmt: skip
        assert part in words, f"{part} is not in: {words}"
    assert "Small" not in words and "Surveillance looked" not in words, "of others, and what nobody recorded"
    disputed.people["surveillance"].name = "Somebody Else"
    disputed.people["surveillance"].save()
    assert browser.get(response.wsgi_request.path).status_code == 410
    agent = disputed.browser("podium", "gaming-agent")
    assert agent.get(response.wsgi_request.path).status_code == 403, "who did not print it"


def test_a_letter_states_what_the_record_says_now_or_is_refused(disputed):
    with refused("case-slip-missing"):
        write(disputed, outcome="by-slip")
    disputed.in_room("open_case", {"kind": "other", "about": "A lamp is out"}, by="surveillance")
    with refused("no-letter-here"):
        write(disputed, case="C-0002", outcome="no-finding")
    letter = write(disputed)
    slip_scene.file(disputed, "dice", dice=[5, 5, 6])
    with refused("letter-outdated"):
        sign(disputed, "surveillance", sha256=letter.sha256)
    letter = write(disputed, outcome="by-slip", reason="The dice showed 16.")
    [filed] = letter.facts["slips"]
    assert (letter.number, filed[:15]) == (2, "ENS-0001, after") and "$200 to seat 2" in filed
    with guards_aside(connection):
        entry = Entry.objects.filter(stream=disputed.table.stream, type="slip.filed").get()
        Entry.objects.filter(pk=entry.pk).update(body=bytes(entry.body).replace(b"misread", b"mistake"))
    with refused("letter-round-damaged"):
        write(disputed)


def test_a_verification_finds_a_letter_with_other_words(disputed):
    letter = write(disputed)
    for by in ("surveillance", "compliance"):
        sign(disputed, by, sha256=letter.sha256)
    disputed.in_room("reopen_case", {"case": "C-0001", "reason": "Another clip"}, by="compliance")
    text = page(disputed, "/inbox/larkfield/C-0001/letters/1/")
    assert "It no longer counts" in text and "By nobody." in text
    write(disputed, findings="Another clip shows 2, 2, 6.")

    def found():
        findings = [
            (finding.code, finding.where.get("column"))
            for finding in check_columns(lambda: None, [CaseLetter])
        ]
        return findings

    assert found() == []
    CaseLetter.objects.filter(number=2).update(findings="Nothing.", counts=False)
    assert found() == [("row-differs", "words"), ("row-differs", "counts")]
    CaseLetter.objects.filter(number=2).delete()
    assert found() == [("row-without-row", None)]
    CaseLetter.objects.update(number=9)
    assert ("row-without-entry", None) in found()


def test_a_verification_finds_a_case_that_differs_from_its_entries(disputed):
    disputed.in_room("take_case", {"case": "C-0001"}, by="compliance")
    for by in ("surveillance", "compliance"):
        sign(disputed, by)
    disputed.in_room("reopen_case", {"case": "C-0001", "reason": "Another clip"}, by="compliance")
    sign(disputed, "surveillance")

    def found():
        return [
            (finding.code, finding.where.get("column")) for finding in check_columns(lambda: None, [Case])
        ]

    assert found() == []
    Case.objects.update(outcome="goodwill", owner=disputed.people["surveillance"])
    assert found() == [("row-differs", "owner"), ("row-differs", "outcome")]
    Case.objects.update(code="C-0007")
    assert found() == [("row-without-entry", None), ("row-without-row", None)]


def test_nobody_signs_who_acted_in_the_round_and_table_games_do_not_sign_alone(disputed, hands):
    hire(disputed, ("night-manager", "shift-manager"))
    disputed.place((1, "small", 1_000))
    disputed.act("void_round", {"reason": "dispute"}, witness="shift-manager")
    disputed.act("report_dispute", {"seat": 1, "about": "Why void?"})
    open_found_cases()
    params = {"case": "C-0002", "outcome": "stands", "reason": "A die left the table."}
    with refused("case-signer-acted"):
        disputed.in_room("sign_case_outcome", params, by="shift-manager")
    sign(disputed, "shift-manager")
    with refused("case-signer-outside"):
        sign(disputed, "night-manager")
    sign(disputed, "surveillance")


def test_goodwill_names_its_sum_and_a_slip_must_have_been_filed(disputed):
    with refused("case-goodwill-cents"):
        sign(disputed, "surveillance", "goodwill")
    with refused("case-goodwill-cents"):
        sign(disputed, "surveillance", "stands", cents=500)
    for by in ("surveillance", "compliance"):
        sign(disputed, by, "by-slip")
    with refused("case-slip-missing"):
        disputed.in_room("close_case", {"case": "C-0001"}, by="compliance")
    slip_scene.file(disputed, "dice", dice=[5, 5, 6])
    disputed.in_room("close_case", {"case": "C-0001"}, by="compliance")
    disputed.in_room("reopen_case", {"case": "C-0001", "reason": "A letter"}, by="compliance")
    sign(disputed, "compliance", "goodwill", cents=6_000)
    assert entries()[-1]["data"]["cents"] == 6_000


def test_who_may_do_what(disputed):
    cases = [act for act, stream in facility.RUNNER.streams.items() if stream == "cases"]
    roles = {act: facility.ACTS[act].roles for act in cases}
    assert {act for act in cases if "shift-manager" not in roles[act]} >= {"close_case", "assign_case"}
    assert not [act for act in cases if {"gaming-agent", "dealer", "floorperson"} & roles[act]]
    assert roles["record_camera_seen"] == {"surveillance"}
    with refused("camera-time"):
        params = {"case": "C-0001", "camera": "04-A", "shows": "2 2 5", "begins": "noon"}
        disputed.in_room("record_camera_seen", params, by="surveillance")


# The daily report


def accept(scene, opened, by="compliance", day="2026-11-21"):
    return scene.in_room("accept_report", {"day": day, "opened": opened}, by=by)


def opened(scene, by="compliance", day="2026-11-21"):
    """What the page of the report gives to a person who opens it."""
    html = scene.browser("podium", by).get(f"/inbox/larkfield/reports/{day}/").content.decode()
    return re.findall(r'name="opened" value="([^"]+)"', html)


def test_no_report_is_asked_for_of_a_day_before_any_table_was_on_record(hands, scene):
    """A casino that had just begun was told that yesterday's report was overdue."""
    hands.now += 8 * HOUR
    assert "No table was on record yet" in page(scene)
    assert "To be accepted" not in page(scene) and "Read, then accept" not in page(scene)


def test_a_report_is_read_then_accepted_with_the_sha256_of_its_pdf(hands, scene):
    scene.play((2, "big", 2_000), dice=[2, 2, 5])
    scene.finish()
    with refused("report-day-not-over"):
        accept(scene, "")
    assert opened(scene) == []
    hands.now += 20 * HOUR
    assert "Read, then accept" in page(scene) and "To be accepted by 15:00" in page(scene)
    with refused("report-not-opened"):
        accept(scene, "")
    [statement] = opened(scene)
    with refused("report-not-opened"):
        accept(scene, statement, day="2026-11-20")
    assert opened(scene, by="surveillance") == [], "compliance accepts"
    hands.now += HOUR / 2
    accept(scene, statement)
    row = ReportAcceptance.objects.get()
    pdf = scene.browser("podium", "compliance").get("/record/larkfield/report.pdf?day=2026-11-21").content
    assert row.sha256 == hashlib.sha256(pdf).hexdigest()
    assert row.accepted_at - row.opened_at == HOUR / 2
    assert entries()[-1]["data"] == {
        "day": "2026-11-21",
        "opened_at": "2026-11-22T11:00:00.000000Z",
        "sha256": row.sha256,
        "win_cents": 2_000,
    }
    assert "Accepted by Compliance" in page(scene) and opened(scene) == []
    with refused("report-accepted-already"):
        accept(scene, statement)


def test_a_slip_that_is_filed_meanwhile_asks_for_another_reading(hands, scene):
    scene.play((2, "big", 2_000), dice=[2, 2, 5])
    scene.finish()
    hands.now += 20 * HOUR
    [statement] = opened(scene)
    slip_scene.file(scene, "dice", dice=[5, 5, 6])
    with refused("report-changed"):
        accept(scene, statement)
    accept(scene, *opened(scene))
    assert "No case of that day is open" in page(scene)


# Pages


def test_the_inbox_begins_with_the_next_due_case_and_its_single_next_step(disputed, hands):
    text = page(disputed)
    for words in (
        "None overdue", "Open 1 Due today 0 Yours 0 No owner 1", "Due Sun 22 Nov, in 1 d 0 h C-0001, dispute",
        "Dispute at T-01 seat 2, round 1 “The dealer called a 6 first”", "Nobody yet", "Take C-0001",
        "Inbox 1 open case", "Never fully verified",
    ):  # fmt: skip
        assert words in text, words
    disputed.in_room("take_case", {"case": "C-0001"}, by="surveillance")
    hands.now += 25 * HOUR
    assert "1 overdue" in page(disputed) and "Waiting for others 1" in page(disputed)
    assert "Open C-0001" in page(disputed, "/inbox/larkfield/?show=waiting")
    assert "Look into C-0001" in page(disputed, by="surveillance")
    assert "No such case is open." in page(disputed, "/inbox/larkfield/?show=free")
    assert "Open C-0001" in page(disputed, by="gaming-agent")


def test_a_case_shows_its_round_from_the_record_and_what_is_decided(disputed):
    disputed.in_room("take_case", {"case": "C-0001"}, by="compliance")
    seen = {
        "case": "C-0001",
        "camera": "04-A",
        "clip": "SV-1",
        "begins": "21:17:30",
        "shows": "2, 2, 5 before the call",
    }
    disputed.in_room("record_camera_seen", seen, by="surveillance")
    disputed.in_room("add_case_note", {"case": "C-0001", "text": "Patron told."}, by="shift-manager")
    sign(disputed, "surveillance")
    text = page(disputed, "/inbox/larkfield/C-0001/")
    for words in (
        "Dispute at T-01 seat 2, round 1", "Staked at seat 2 $100", "settled again now, no difference",
        "“The dealer called a 6 first”", "04-A, clip SV-1", "Patron told.", "Stands as settled", "The dice showed 9.",
        "1 of 2", "Dice 2 2 5 called", "C 1", "Sign: stands as settled", "Lost",
    ):  # fmt: skip
        assert words in text, words
    assert "You acted in what this case is about" not in text
    assert page(disputed, "/inbox/larkfield/C-0001/", by="gaming-agent").count("Sign: ") == 0
    assert disputed.browser("podium", "compliance").get("/inbox/larkfield/C-0009/").status_code == 404


def test_a_changed_entry_of_its_round_shows_in_the_case(disputed):
    row = Entry.objects.get(stream=disputed.table.stream, type="round.settled")
    with guards_aside(connection):
        Entry.objects.filter(pk=row.pk).update(
            body=bytes(row.body).replace(b'"dice":[2,2,5]', b'"dice":[2,2,6]')
        )
    assert "the record and the rules differ" in page(disputed, "/inbox/larkfield/C-0001/")


def test_compliance_begins_with_the_inbox(scene):
    for by, address in (("compliance", "/inbox/larkfield/"), ("surveillance", "/floor/larkfield/")):
        assert scene.browser("podium", by).get("/").headers["Location"] == address
    assert "Inbox" not in page(scene, "/floor/larkfield/", by="pit-manager")


# Exceptions


def test_exceptions_are_counted_by_week_person_table_and_game(hands, scene):
    scene.play((2, "big", 150_000), dice=[2, 2, 5])
    scene.act("correct_dice", {"dice": [5, 5, 6], "reason": "misread"}, witness="floorperson")
    scene.finish()
    scene.place((1, "small", 1_000))
    scene.to_the_dice()
    scene.act("call_no_roll", {"reason": "leans", "faces_read": [1, 1]}, witness="floorperson")
    hands.now += 8 * 24 * HOUR
    scene.place((1, "small", 1_000))
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    scene.place((1, "small", 1_000))
    scene.act("report_device_failure")
    open_found_cases()
    counted = exceptions(scene.table.facility, scene.table.facility.gaming_day(hands.now), 4)
    assert {chart.label: [bar.count for bar in chart.bars] for chart in counted.charts} == {
        "Corrections": [0, 0, 1, 0],
        "Voids": [0, 0, 0, 1],
        "No rolls": [0, 0, 1, 0],
        "Device failures": [0, 0, 0, 1],
        "Settled by hand": [0, 0, 0, 0],
        "Out of limits": [0, 0, 1, 0],
        "Refused counts": [0, 0, 0, 0],
        "Outside the band": [0, 0, 0, 0],
    }
    row, signer = counted.rows("dealer")
    assert (signer.label, signer.rounds, signer.total) == ("Floorperson", 0, 2)  # of the void and the no roll
    assert (row.label, row.rounds, row.total) == ("Dealer", 4, 5)
    assert [(cell.count, cell.rate, cell.share) for cell in row.cells] == [
        (1, 25, 100), (1, 25, 100), (1, 25, 100), (1, 25, 100), (0, 0, 0), (1, 25, 100), (0, 0, 0), (0, None, 0)
    ]  # fmt: skip
    assert [(row.label, row.total) for row in counted.rows("table")] == [("T-01", 5)]
    assert "Nothing was searched" not in page(scene, counted.rows("dealer")[0].url)
    text = page(scene, "/inbox/larkfield/exceptions/?by=game&weeks=4")
    assert "4 rounds ended; rates are per 100 rounds" in text
    one = "1 25.0 per 100"
    assert f"Sic Bo 4 {one} {one} {one} {one} 0 {one} 0 0 5" in text


def test_spans_in_words():
    minute = dt.timedelta(minutes=1)
    spans = {18 * minute: "18 min", 258 * minute: "4 h 18 min", 39 * HOUR: "1 d 15 h", 130 * HOUR: "5 d"}
    assert {span: span_words(span) for span in spans} == spans
    now = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)
    assert (due_words(now + HOUR, now), due_words(now - HOUR, now)) == (
        "in 1 h 0 min",
        "overdue by 1 h 0 min",
    )


@pytest.mark.parametrize(("is_usable", "tried"), [(False, 1), (True, None)])
def test_a_connection_that_is_lost_stops_the_search_and_a_rule_that_fails_does_not(
    scene, monkeypatch, is_usable, tried
):
    asked = []

    def fail(facility, kind, now):
        asked.append(kind.code)
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(case, "_open_cases", fail)
    monkeypatch.setattr(case.connection, "is_usable", lambda: is_usable, raising=False)
    with pytest.raises(OperationalError) if tried else contextlib.nullcontext():
        open_found_cases()
    assert len(asked) == tried if tried else len(set(asked)) > 3
