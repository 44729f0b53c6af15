"""Rules submissions on their way: drafted, filed, decided, in force, superseded, withdrawn."""

import datetime as dt
import io
import json

import pytest
from PIL import Image

from games import submissions
from games.engine import Refusal, Rules
from games.kit.paper import render, styles, text
from games.models import Facility, RulesSubmission
from games.submissions import VersionState, in_force, rules_of, state_of_version
from tests.tables.cast import make_scene, newest_of_an_act

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause
A, B = "pa-625a@2019-08-31/A", "pa-625a@2019-08-31/B"
P539 = "pa-539@2010-04-03"
BUREAU = "Bureau of Gaming Operations"
WHY = "The Board extended the temporary chapter for this casino"


def version(number, code="RS-0009"):
    return RulesSubmission.objects.get(code=code, version=number)


def named(number=2, code="RS-0009", **more):
    return {"code": code, "version": number, **more}


def drafted(scene, edition=B, code="RS-0009", **options):
    """A draft that chooses these options; its version."""
    made = scene.in_office("draft_submission", {"code": code, "edition": edition, "why": "as asked"}).body
    if options:
        scene.in_office(
            "change_draft", {**named(made["version"], made["code"]), "edition": edition, **options}
        )
    return made["version"]


def filed(scene, edition=B, code="RS-0009", **options):
    number = drafted(scene, edition, code, **options)
    scene.in_office("file_submission", named(number, code))
    return number


def decide(scene, number=2, granted=True, code="RS-0009", **more):
    letter = scene.on_file("The letter")
    params = {
        **named(number, code),
        "granted": granted,
        "body": scene.table.facility.law.body("submissions"),
        "reference": "ED-1",
    }
    return scene.in_office("record_decision", {**params, "letter": letter, **more})


def refusal(scene, act, params):
    with pytest.raises(Refusal) as refused:
        scene.in_office(act, params)
    return refused.value


def entry():
    return json.loads(bytes(newest_of_an_act("larkfield/rules").body))


def test_a_draft_is_filed_and_approved_with_its_letter_and_every_step_has_its_date(hands, scene):
    start = hands.now
    drafted(scene)
    hands.now += dt.timedelta(hours=1)
    scene.in_office("file_submission", named())
    hands.now += dt.timedelta(days=9)
    decide(scene)
    row = version(2)
    assert (row.drafted_at, row.drafted_by.role) == (start, "games-administrator")
    assert row.filed_at == start + dt.timedelta(hours=1)
    assert row.decided_at == row.in_force_from == hands.now
    assert (row.decided_by, row.reference, row.decision.code) == (
        BUREAU,
        "ED-1",
        "D-0001",
    )
    said = entry()
    assert said["_type"] == "rules.approved"
    assert said["data"]["letter"]["sha256"] == row.decision.sha256
    assert said["data"]["terms"]["edition"] == B
    assert said["terms"] == row.terms_sha256


@clause("PA-521.8(b)")
@clause("PA-625a.6(a)")
def test_an_option_takes_effect_only_with_the_approval_of_its_amendment(hands, scene):
    house = scene.table.facility
    for act in ("draft", "file", "approve"):
        assert in_force(house, "sic-bo", hands.now, code="RS-0009").version == 1, act
        if act == "draft":
            drafted(scene)
        elif act == "file":
            scene.in_office("file_submission", named())
        else:
            decide(scene)
    assert rules_of(in_force(house, "sic-bo", hands.now, code="RS-0009")) == Rules.of(B)


@pytest.mark.clause("PA-521.8(b)")
@pytest.mark.parametrize("body", ["Kitchen", "Executive Director", "bureau of gaming operations"])
def test_a_submission_is_decided_by_the_body_that_the_regulation_names(hands, scene, body):
    filed(scene)
    with pytest.raises(Refusal) as refused:
        decide(scene, body=body)
    assert (refused.value.code, refused.value.section) == ("another-body-decides", "58 Pa. Code § 521.8(b)")
    assert version(2).status == "filed"
    decide(scene)
    assert version(2).status == "approved"


def test_a_denied_version_never_comes_into_force(hands, scene):
    filed(scene)
    decide(scene, granted=False)
    later = hands.now + dt.timedelta(days=400)
    assert in_force(scene.table.facility, "sic-bo", later, code="RS-0009").version == 1
    assert version(2).in_force_from is None and entry()["_type"] == "rules.denied"
    assert refusal(scene, "record_decision", {**named(), "granted": True, "body": BUREAU, "reference": "y",
                   "letter": scene.on_file()}).code == "not-filed"  # fmt: skip


def test_the_older_version_stays_in_force_until_the_new_one_is(hands, scene):
    house, at = scene.table.facility, hands.now
    filed(scene)
    decide(scene, in_force_from="2026-11-22T06:00")
    six = dt.datetime(2026, 11, 22, 11, tzinfo=dt.UTC)
    assert version(2).in_force_from == version(1).superseded_at == six
    assert state_of_version(version(1), at) == VersionState.IN_FORCE
    assert state_of_version(version(2), at) == VersionState.COMING
    before = six - dt.timedelta(microseconds=1)
    assert in_force(house, "sic-bo", before, code="RS-0009").version == 1
    assert in_force(house, "sic-bo", six, code="RS-0009").version == 2
    assert state_of_version(version(1), six) == VersionState.SUPERSEDED
    assert state_of_version(version(2), six) == VersionState.IN_FORCE


def test_rules_never_come_into_force_before_they_are_approved(hands, scene):
    filed(scene)
    letter = scene.on_file()
    params = {
        **named(),
        "granted": True,
        "body": BUREAU,
        "reference": "1",
        "letter": letter,
    }
    early = refusal(scene, "record_decision", {**params, "in_force_from": "2026-11-21T09:59"})
    assert (early.code, early.section) == ("in-force-before-decided", "58 Pa. Code § 521.8(b)")
    assert refusal(scene, "record_decision", {**params, "in_force_from": "tomorrow"}).code == "malformed"
    assert version(2).status == "filed"


def test_in_new_jersey_a_moment_too_early_cites_no_section_of_pennsylvania(hands):
    scene = make_scene("nj-19-47-9")
    filed(scene, "nj-19-47-9@1993-12-06", odds_word="win")
    params = {
        **named(),
        "granted": True,
        "body": "Casino Control Commission",
        "reference": "1",
        "letter": scene.on_file(),
    }
    early = refusal(scene, "record_decision", {**params, "in_force_from": "2026-01-01T00:00"})
    assert (early.code, early.section) == ("in-force-before-decided", "")


def test_a_moment_beyond_the_calendar_is_refused(scene):
    filed(scene)
    params = {
        **named(),
        "granted": True,
        "body": BUREAU,
        "reference": "1",
        "letter": scene.on_file(),
    }
    late = {**params, "in_force_from": "9999-12-31T23:59"}
    assert refusal(scene, "record_decision", late).code == "malformed"


@pytest.mark.parametrize(("said", "hour"), [("2027-03-14T06:00", 10), ("2026-11-22T06:00", 11)])
def test_a_moment_is_said_by_the_clocks_of_the_house_on_its_own_day(hands, scene, said, hour):
    filed(scene)
    decide(scene, in_force_from=said)
    assert version(2).in_force_from.hour == hour


def test_a_decision_needs_its_letter(scene):
    filed(scene)
    params = {**named(), "granted": True, "body": BUREAU, "reference": "1"}
    assert refusal(scene, "record_decision", {**params, "letter": "D-0099"}).code == "no-such-document"
    assert refusal(scene, "record_decision", params).code == "malformed"


def test_one_version_waits_at_a_time(scene):
    drafted(scene)
    params = {"code": "RS-0009", "edition": A, "why": ""}
    assert refusal(scene, "draft_submission", params).code == "version-waits"
    scene.in_office("file_submission", named())
    assert refusal(scene, "draft_submission", params).code == "version-waits"
    decide(scene)
    assert scene.in_office("draft_submission", params).body["version"] == 3


def test_a_later_version_may_not_come_before_one_that_waits(hands, scene):
    filed(scene)
    decide(scene, in_force_from="2026-12-01T06:00")
    filed(scene, A, odds_word="wins")
    letter = scene.on_file("Another letter")
    params = {
        **named(3),
        "granted": True,
        "body": BUREAU,
        "reference": "1",
        "letter": letter,
    }
    for more in ({}, {"in_force_from": "2026-12-01T06:00"}):
        assert refusal(scene, "record_decision", {**params, **more}).code == "in-force-before-earlier"
    scene.in_office("record_decision", {**params, "in_force_from": "2026-12-02T06:00"})
    scene.in_office("withdraw_submission", named(2, why="a slip"))
    at, house = dt.datetime(2026, 12, 1, 12, tzinfo=dt.UTC), scene.table.facility
    assert in_force(house, "sic-bo", at, code="RS-0009").version == 1
    assert state_of_version(version(1), at) == VersionState.IN_FORCE
    assert in_force(house, "sic-bo", at + dt.timedelta(days=1), code="RS-0009").version == 3
    assert state_of_version(version(1), at + dt.timedelta(days=1)) == VersionState.SUPERSEDED


def test_what_says_the_same_as_before_is_not_filed(scene):
    drafted(scene, A)
    assert refusal(scene, "file_submission", named()).code == "nothing-changed"


def test_what_comes_later_is_measured_by_the_version_that_it_supersedes(hands, scene):
    filed(scene, B)
    decide(scene, in_force_from="2026-12-01T06:00")
    drafted(scene, B)
    assert refusal(scene, "file_submission", named(3)).params["version"] == 2
    scene.in_office("change_draft", {**named(3), "edition": A})
    scene.in_office("file_submission", named(3))
    decide(scene, 3, in_force_from="2026-12-02T06:00")
    after = dt.datetime(2026, 12, 2, 11, tzinfo=dt.UTC)
    assert in_force(scene.table.facility, "sic-bo", after, code="RS-0009").version == 3


def test_a_new_submission_has_the_next_code_and_is_for_this_state(scene):
    made = scene.in_office("draft_submission", {"code": "", "edition": P539, "why": ""}).body
    assert (made["code"], made["version"], made["status"]) == ("RS-0010", 1, "draft")
    other = {"code": "", "edition": "nj-19-47-9@1993-12-06", "why": ""}
    assert refusal(scene, "draft_submission", other).code == "not-a-new-edition-here"
    football = {"code": "RS-0009", "edition": "pa-577@2012-07-28", "why": ""}
    assert refusal(scene, "draft_submission", football).code == "other-game"
    assert refusal(scene, "draft_submission", {**other, "code": "RS-0777"}).code == "no-such-submission"


def test_the_next_version_begins_with_what_the_newest_one_chose(scene):
    filed(scene, B, odds_word="wins", increments=[{"family": "total", "cents": 500}])
    decide(scene)
    drafted(scene)
    assert version(3).options == {"odds_word": "wins", "increments": {"total": 500}}
    assert version(3).terms_sha256 == version(2).terms_sha256


def test_a_draft_may_choose_what_the_gate_then_refuses_and_nothing_is_filed(scene):
    drafted(scene, P539, payouts=[{"family": "total:4", "odds": "80"}, {"family": "two-dice", "odds": "4 to 1"},
                                  {"family": "small", "odds": ""}])  # fmt: skip
    assert version(2).options == {"payouts": {"total:4": "80 to 1", "two-dice": "4 to 1"}}
    assert refusal(scene, "file_submission", named()).code == "filed-under-the-floor"
    assert version(2).status == "draft" and version(2).filed_at is None
    scene.in_office(
        "change_draft", {**named(), "edition": P539, "payouts": [{"family": "total:4", "odds": "80"}]}
    )
    refused = refusal(scene, "file_submission", named())
    assert (refused.code, refused.section) == ("filed-favours-player-by-odds", "58 Pa. Code § 539.6(b)")
    payouts = [{"family": "total:4", "odds": "70"}]
    scene.in_office("change_draft", {**named(), "edition": P539, "payouts": payouts})
    assert refusal(scene, "file_submission", named()).code == "filed-edition-lapsed"
    scene.in_office("change_draft", {**named(), "edition": P539, "payouts": payouts, "lapsed_why": WHY})
    scene.in_office("file_submission", named())
    assert entry()["data"]["lapsed_why"] == version(2).lapsed_why == WHY
    assert rules_of(version(2)) == Rules.of("pa-539", {"total:4": "70 to 1"})


def test_only_a_draft_is_changed_and_only_once_filed(scene):
    filed(scene)
    assert refusal(scene, "change_draft", {**named(), "edition": A}).code == "not-a-draft"
    assert refusal(scene, "file_submission", named()).code == "not-a-draft"
    assert refusal(scene, "file_submission", named(7)).code == "no-such-submission"


@clause("PA-675a.5(e)-floor")
def test_the_gate_is_asked_again_when_the_approval_is_recorded():
    scene = make_scene("pa-675a", payout_limit_cents=5_006_000)
    filed(scene, "pa-675a@2016-08-27", payout_limit_cents=5_010_000)
    scene.table.min_cents = 2_000
    scene.table.save()
    letter = scene.on_file()
    params = {
        **named(),
        "granted": True,
        "body": BUREAU,
        "reference": "1",
        "letter": letter,
    }
    refused = refusal(scene, "record_decision", params)
    assert (refused.code, refused.params["least"]) == ("filed-limit-too-low", "$100,120")


def test_a_withdrawn_version_leaves_nothing_in_force_and_what_it_superseded_stays_past(hands, scene):
    house = scene.table.facility
    filed(scene)
    decide(scene)
    hands.now += dt.timedelta(days=1)
    scene.in_office("withdraw_submission", named(2, why="a fault in the paytable"))
    assert in_force(house, "sic-bo", hands.now, code="RS-0009") is None
    assert in_force(house, "sic-bo", hands.now) is None
    yesterday = hands.now - dt.timedelta(hours=2)
    assert in_force(house, "sic-bo", yesterday, code="RS-0009").version == 2
    assert entry()["data"]["tables"] == ["T-01"] and entry()["data"]["was"] == "in-force"
    with scene.refused("no-rules-in-force"):
        scene.place((1, "small", 1000))
    assert refusal(scene, "withdraw_submission", named(2, why="x")).code == "already-ended"
    assert refusal(scene, "withdraw_submission", named(1, why="x")).code == "already-ended"


def test_of_what_was_to_come_the_version_before_it_stays(hands, scene):
    filed(scene)
    decide(scene, in_force_from="2026-12-01T06:00")
    scene.in_office("withdraw_submission", named(2, why="not yet"))
    late = hands.now + dt.timedelta(days=99)
    assert in_force(scene.table.facility, "sic-bo", late, code="RS-0009").version == 1
    assert (version(1).status, version(1).superseded_at) == ("approved", None)


def test_a_superseded_version_stays_on_file_for_ever(hands, scene):
    filed(scene)
    decide(scene)
    hands.now += dt.timedelta(days=366 * 6)
    row = version(1)
    assert state_of_version(row, hands.now) == VersionState.SUPERSEDED and rules_of(row) == Rules.of(A)
    with pytest.raises(Refusal, match="already-ended"):
        scene.in_office("withdraw_submission", named(1, why="tidy"))


@pytest.mark.parametrize("by", ["dealer", "pit-manager", "gaming-agent"])
def test_others_draft_nothing(scene, by):
    with pytest.raises(Refusal, match="role-may-not"):
        scene.in_office("draft_submission", {"code": "", "edition": A, "why": ""}, by=by)


def test_the_same_rules_have_the_same_terms_and_can_be_read_back():
    chosen = {"odds_word": "wins", "increments": {"total": 500}, "shakers": {"manual": "Three times."}}
    rules = Rules.of(B, **chosen)
    terms, digest = submissions.filed_terms(rules)
    assert Rules.from_terms(json.loads(terms)) == rules
    assert submissions.filed_terms(Rules.of("pa-625a/B", **chosen)) == (terms, digest)
    plain = submissions.filed_terms(Rules.of(B))[0]
    assert not {"odds_word", "increments", "shakers"} & set(json.loads(plain))
    assert submissions.filed_terms(Rules.of(B, odds_word="to", increments={}, shakers={}))[0] == plain


def test_a_facility_without_submissions_has_nothing_in_force(hands, scene):
    other = Facility.objects.create(code="river", name="River", jurisdiction="PA")
    assert in_force(other, "sic-bo", hands.now) is None


# Letters


def png(side):
    file = io.BytesIO()
    Image.new("1", (side, side)).save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"abc", "letter.txt"),
        (b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n", "letter.pdf"),
        (png(3), "letter.png"),
    ],
)
def test_a_file_in_which_nothing_can_be_read_approves_nothing(scene, content, name):
    """A clerk once approved a payout with a text of three bytes."""
    filed(scene)
    letter = scene.on_file("The letter", content, filename=name)
    with pytest.raises(Refusal) as refused:
        decide(scene, letter=letter)
    assert (refused.value.code, refused.value.params["document"]) == ("letter-unreadable", letter)
    assert version(2).status == "filed"


def test_a_pdf_with_a_page_and_a_scan_are_letters(scene):
    page = render([text("Approved.", styles()["body"])], title="L", facility_name="F", approved="")
    filed(scene)
    decide(scene, letter=scene.on_file("A PDF", page, filename="letter.pdf"))
    filed(scene, A)
    decide(scene, 3, letter=scene.on_file("A scan", png(300), filename="scan.png"))
    assert version(3).status == "approved"


def test_the_same_file_approves_nothing_else_unless_it_was_filed_as_a_letter_about_several(scene):
    words = b"The body approves what this letter names."
    filed(scene)
    decide(scene, letter=scene.on_file("The letter", words))
    filed(scene, A)
    again = scene.on_file("Another title", words)
    with pytest.raises(Refusal) as refused:
        decide(scene, 3, letter=again)
    assert (refused.value.code, refused.value.params) == (
        "letter-used",
        {"document": "D-0001", "use": "RS-0009 v2"},
    )
    guide = scene.in_office("generate_guide", {"formats": ["print", "web"]}).body["version"]
    scene.in_office("file_guide_sample", {"guide": guide})
    said = {"guide": guide, "granted": True, "body": BUREAU, "reference": "x", "letter": again}
    assert refusal(scene, "decide_guide", said).code == "letter-used"
    scene.on_file("A letter about both", words, several="true")
    assert entry()["data"]["several"] is True
    decide(scene, 3, letter=again)
    assert version(3).status == "approved"
