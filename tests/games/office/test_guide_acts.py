"""The gaming guide from its draft to the public: who has to approve what, and what differs materially."""

import json

import pytest

from audit import clock
from audit.models import Entry
from games.engine import Refusal, Rules
from games.guide.content import differences, published, sha256, still_true
from games.models import Guide, RulesSubmission
from games.submissions import filed_terms
from tests.games.office.chapter_528 import applied, linked
from tests.tables.cast import approve, make_scene, newest_of_an_act

pytestmark = pytest.mark.django_db
IN_PRINT = {"formats": ["print", "web"]}


def draft(scene, **params):
    return scene.in_office("generate_guide", IN_PRINT | params).body["version"]


def decide(scene, guide, granted=True):
    scene.in_office("file_guide_sample", {"guide": guide})
    decision = {"granted": granted, "body": scene.table.facility.law.body("guides"), "reference": "BGO-77"}
    scene.in_office("decide_guide", {"guide": guide, "letter": scene.on_file()} | decision)


def publish(scene, **params):
    guide = draft(scene, **params)
    decide(scene, guide)
    scene.in_office("publish_guide", {"guide": guide})
    return Guide.objects.get(version=guide)


def refused(scene, act, params, code, section):
    with pytest.raises(Refusal) as refusal:
        scene.in_office(act, params)
    assert (refusal.value.code, refusal.value.section) == (code, section)
    return refusal.value


def deal(scene, rules, payouts=None):
    """The same submission in another version, in force now."""
    newer = RulesSubmission.objects.get(code="RS-0009")
    newer.pk, newer.version, newer.in_force_from = None, 2, clock.now()
    newer.terms, newer.terms_sha256 = filed_terms(Rules.of(rules, payouts))
    newer.edition = Rules.of(rules).key
    newer.save()


def newest(scene):
    entry = newest_of_an_act("larkfield/rules")
    return json.loads(bytes(entry.body))


@pytest.mark.clause("PA-521.9(b)", "NJ-19:47-8.5(b)-guide")
@pytest.mark.parametrize("rules", ["pa-625a/B", "nj-19-47-9"])
def test_a_guide_is_drafted_of_every_submission_in_force(hands, rules):
    scene = make_scene(rules)
    if rules.startswith("pa"):
        for code, other in (("RS-0021", "pa-675a"), ("RS-0022", "pa-675a.6"), ("RS-0031", "pa-577")):
            approve(scene.table.facility, other, {}, None, code)
    draft(scene, formats=["print"])
    guide = Guide.objects.get()
    in_force = RulesSubmission.objects.all()
    assert sorted(code for game in guide.content["games"] for code in game["submissions"]) == sorted(
        map(str, in_force)
    )
    assert set(guide.submissions.all()) == set(in_force)
    assert guide.content_sha256 == sha256(guide.content) and guide.facts_sha256 == sha256(guide.facts)
    assert newest(scene)["data"]["content_sha256"] == guide.content_sha256


@pytest.mark.clause("PA-521.9(c)", "NJ-19:47-8.5(c)-sample")
@pytest.mark.parametrize(
    ("rules", "section", "body"),
    [
        ("pa-625a/A", "58 Pa. Code § 521.9(c)", "Bureau of Gaming Operations"),
        ("nj-19-47-9", "N.J.A.C. 19:47-8.5(c)", "Casino Control Commission"),
    ],
)
def test_no_guide_goes_out_before_its_sample_is_approved(hands, rules, section, body):
    scene = make_scene(rules)
    guide = draft(scene, formats=["print"])
    refused(scene, "publish_guide", {"guide": guide}, "guide-not-approved", section)
    scene.in_office("file_guide_sample", {"guide": guide})
    refused(scene, "publish_guide", {"guide": guide}, "guide-not-approved", section)
    decision = {"granted": False, "body": body, "reference": "No. 3", "letter": scene.on_file()}
    executive = {"guide": guide} | decision | {"granted": True, "body": "Executive Director"}
    refused(scene, "decide_guide", executive, "another-body-decides", section)
    scene.in_office("decide_guide", {"guide": guide} | decision)
    refused(scene, "publish_guide", {"guide": guide}, "guide-not-approved", section)
    assert published(scene.table.facility) is None


@pytest.mark.clause("PA-521.9(d)", "NJ-19:47-8.5(c)-different", "NJ-19:47-8.5(d)")
@pytest.mark.parametrize(
    ("rules", "payouts", "section"),
    [
        ("pa-539", {"two-dice": "6 to 1"}, "58 Pa. Code § 521.9(d)"),
        ("nj-19-47-9", {"two-dice": "6 to 1"}, "N.J.A.C. 19:47-8.5(d)"),
    ],
)
def test_other_odds_need_a_complete_new_sample(hands, rules, payouts, section):
    scene = make_scene(rules)
    first = publish(scene, formats=["print"])
    deal(scene, rules, payouts)
    second = draft(scene, formats=["print"])
    params = {"guide": second, "approved": first.version, "because": "only a comma"}
    refusal = refused(scene, "approve_as_immaterial", params, "guide-differs-materially", section)
    assert "5 to 1 → 6 to 1" in str(refusal.params["first"]) and refusal.params["count"] == 1
    refused(scene, "publish_guide", {"guide": second}, "guide-not-approved", section.replace("(d)", "(c)"))
    decide(scene, second)
    assert newest(scene)["data"]["reference"] == "BGO-77"
    sample = Entry.objects.filter(stream__name="larkfield/rules", type="guide.filed").latest("seq")
    data = json.loads(bytes(sample.body))["data"]
    assert data["content_sha256"] == Guide.objects.get(version=second).content_sha256
    assert data["games"] == 1
    scene.in_office("publish_guide", {"guide": second})
    assert published(scene.table.facility).version == second
    assert Guide.objects.get(version=first.version).ended_at == hands.now


@pytest.mark.clause("PA-521.9(d)")
def test_another_spelling_goes_under_the_approval_that_there_is(hands, scene):
    first = publish(scene)
    second = Guide.objects.get(version=first.version)
    content = json.loads(json.dumps(first.content).replace("Put your chips", "Lay your chips"))
    second.pk, second.version, second.status, second.published_at = None, 2, "draft", None
    second.content, second.content_sha256 = content, sha256(content)
    second.save()
    params = {"guide": 2, "approved": 1, "because": "one word put better"}
    scene.in_office("approve_as_immaterial", params)
    assert newest(scene)["data"]["because"] == "one word put better"
    scene.in_office("publish_guide", {"guide": 2})
    assert published(scene.table.facility).same_as == first


def test_withdrawing_an_approved_guide_ends_those_that_stood_on_its_approval(hands, scene):
    first = publish(scene)
    Guide.objects.create(
        facility=first.facility,
        version=2,
        content=first.content,
        facts=first.facts,
        facts_sha256=first.facts_sha256,
        formats=first.formats,
        drafted_at=hands.now,
    )
    scene.in_office("approve_as_immaterial", {"guide": 2, "approved": 1, "because": "a comma"})
    scene.in_office("publish_guide", {"guide": 2})
    scene.in_office("withdraw_guide", {"guide": 1, "why": "the body called it back"})
    assert published(first.facility) is None
    assert newest(scene)["data"]["also"] == [2]
    params = {"guide": 2}
    refused(scene, "publish_guide", params, "guide-not-approved", "58 Pa. Code § 521.9(c)")


def test_a_guide_of_other_rules_than_are_dealt_is_not_published(hands, scene):
    guide = draft(scene)
    decide(scene, guide)
    deal(scene, "pa-625a/B")
    refused(scene, "publish_guide", {"guide": guide}, "guide-not-dealt", "58 Pa. Code § 521.9(d)")


def test_a_published_guide_knows_which_of_its_games_have_changed(hands, scene):
    approve(scene.table.facility, "pa-577", {}, None, "RS-0031")
    guide = publish(scene)
    assert still_true(guide, hands.now) == {"sic-bo-pa-625a-a": True, "football-pa-577": True}
    deal(scene, "pa-625a/B")
    assert still_true(guide, hands.now) == {"sic-bo-pa-625a-a": False, "football-pa-577": True}


def test_a_guide_can_be_drafted_of_rules_that_are_still_to_come(hands, scene):
    publish(scene)
    coming = RulesSubmission.objects.get()
    coming.pk, coming.version = None, 2
    coming.terms, coming.terms_sha256 = filed_terms(Rules.of("pa-625a/B"))
    coming.edition = Rules.of("pa-625a/B").key
    coming.in_force_from = hands.now.replace(day=25)
    coming.save()
    refused(scene, "generate_guide", IN_PRINT, "guide-says-the-same", "58 Pa. Code § 521.9(b)")
    guide = draft(scene, coming=True)
    changed = differences(Guide.objects.get(version=1).facts, Guide.objects.get(version=guide).facts)
    assert [change.topic for change in changed][:2] == ["edition", "payout Three of a Kind"]
    assert {(change.old, change.new) for change in changed} >= {
        ("150 to 1", "180 to 1"),
        ("5 to 1", "6 to 1"),
    }
    decide(scene, guide)
    refused(scene, "publish_guide", {"guide": guide}, "guide-not-dealt", "58 Pa. Code § 521.9(d)")
    hands.now = coming.in_force_from
    scene.in_office("publish_guide", {"guide": guide})
    assert all(still_true(published(scene.table.facility), hands.now).values())


@pytest.mark.clause("PA-521.9(d)")
def test_one_pair_of_dice_that_is_stopped_makes_another_guide_that_says_so(hands, scene):
    publish(scene)
    linked(scene, applied(scene), "two-dice:1-2")
    assert still_true(published(scene.table.facility), hands.now) == {"sic-bo-pa-625a-a": False}
    guide = draft(scene)
    refused(scene, "publish_guide", {"guide": guide}, "guide-not-approved", "58 Pa. Code § 521.9(c)")
    texts = Guide.objects.get(version=guide).content["games"][0]["texts"]
    assert "Not offered here at present: the pair 1 and 2." in texts["en"]["know"]


@pytest.mark.clause("NJ-19:47-8.5(b)-format")
def test_in_new_jersey_a_format_besides_print_and_video_needs_its_approval(hands):
    scene = make_scene("nj-19-47-9")
    cite = "N.J.A.C. 19:47-8.5(b)"
    params = {"formats": ["print", "video", "web"]}
    refused(scene, "generate_guide", params, "format-needs-approval", cite)
    scene.in_office("generate_guide", params | {"reference": "CCC-12"})
    assert Guide.objects.get().formats == [
        {"format": "print", "reference": ""},
        {"format": "web", "reference": "CCC-12"},
        {"format": "video", "reference": ""},
    ]


def test_in_pennsylvania_every_guide_is_printed(hands, scene):
    cite = "58 Pa. Code § 521.9(b)"
    refused(scene, "generate_guide", {"formats": ["web"]}, "guide-is-printed", cite)


@pytest.mark.clause("PA-521.9(e)", "NJ-19:47-8.5(e)-display")
@pytest.mark.parametrize(
    ("rules", "cite"), [("pa-625a/A", "58 Pa. Code § 521.9"), ("nj-19-47-9", "N.J.A.C. 19:47-8.5")]
)
def test_only_an_approved_guide_is_displayed_and_its_places_are_recorded(hands, rules, cite):
    scene = make_scene(rules)
    guide = draft(scene, formats=["print"])
    lies = {"guide": guide, "place": "Rack at Pit 1"}
    refused(scene, "record_guide_display", lies, "guide-not-approved", f"{cite}(c)")
    decide(scene, guide)
    refused(scene, "record_guide_display", lies, "guide-not-published", f"{cite}(e)")
    scene.in_office("publish_guide", {"guide": guide})
    scene.in_office("record_guide_display", lies)
    assert newest(scene)["data"]["place"] == "Rack at Pit 1"
    refused(scene, "record_guide_display", lies, "lies-there", f"{cite}(e)")
    scene.in_office("end_guide_display", lies)
    refused(scene, "end_guide_display", lies, "lies-not-there", f"{cite}(e)")
    scene.in_office("record_guide_display", lies)
    scene.in_office("withdraw_guide", {"guide": guide, "why": "called back"})
    assert not Guide.objects.get().displays.filter(until=None).exists()


@pytest.mark.parametrize("by", ["dealer", "floorperson", "gaming-agent", "shift-manager"])
def test_others_draft_no_guide(scene, by):
    with pytest.raises(Refusal, match="role-may-not"):
        scene.in_office("generate_guide", IN_PRINT, by=by)
