"""Another approved paytable under a table: the database, the next round, the readjudication and the verification."""

import json

import pytest
from django.db import IntegrityError, transaction

from audit import clock, export, record, verification, verify
from audit.models import Entry
from games.models import RulesSubmission
from games.submissions import draft
from tables import rules
from tables.models import Table
from tables.rounds import course
from tests.audit.gone_back import as_superuser
from tests.audit.outsider import bad, check
from tests.tables.cast import approve
from tests.tables.test_readjudicate import readjudicated

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def scene(scene):
    """A table under RS-0009, the paytable A; the facility has an approval of paytable B too, for RS-0012."""
    rules._verified.clear()
    approve(scene.table.facility, "pa-625a/B", {}, None, "RS-0012")
    return scene


def everything():
    return b"".join(export.lines(export.select()))


def puts_terms_of_another_submission():
    other = RulesSubmission.objects.get(code="RS-0012")
    with as_superuser():
        RulesSubmission.objects.filter(code="RS-0009").update(
            terms=other.terms, terms_sha256=other.terms_sha256, edition=other.edition
        )


def points_the_table_to_another_submission():
    Table.objects.update(submission_code="RS-0012")


def adds_a_version_that_nobody_approved():
    facility = RulesSubmission.objects.get(code="RS-0009").facility
    newer = draft(facility=facility, code="RS-0009", key="pa-625a/B", version=2)
    now = clock.now()
    newer.status, newer.filed_at, newer.decided_at, newer.in_force_from = "approved", now, now, now
    newer.save()


ATTACKS = {
    puts_terms_of_another_submission: "The terms of RS-0009 v1 differ from larkfield/rules, entry 1",
    points_the_table_to_another_submission: "the table's row of the play tables differs from entry 1 in submission",
    adds_a_version_that_nobody_approved: "No entry on larkfield/rules approved RS-0009 v2",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_round_opens_under_terms_that_were_not_approved_for_this_table(scene, attack):
    attack()
    with scene.refused("terms-not-approved", "58 Pa. Code § 521.8(b)"):
        scene.place((1, "small", 1_000))


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_full_verification_names_terms_that_were_not_approved(scene, attack):
    assert verification.verify().good
    attack()
    assert any(ATTACKS[attack] in str(finding) for finding in verification.verify().findings)


@pytest.mark.parametrize(
    "attack", [points_the_table_to_another_submission, adds_a_version_that_nobody_approved]
)
def test_readjudication_names_a_round_that_was_dealt_under_another_paytable(scene, attack, monkeypatch):
    attack()
    monkeypatch.setattr(course, "verify_terms_approved", lambda ctx: None)
    monkeypatch.setattr(course, "verify_acknowledged", lambda ctx: None)
    scene.place((1, "total:12", 500))
    other = RulesSubmission.objects.get(code="RS-0012")
    [seq] = Entry.objects.filter(type="wagers.placed").values_list("seq", flat=True)
    differences = readjudicated()[0]
    assert {
        "stream": "larkfield/T-01", "entry": seq, "round": 1, "what": "terms",
        "record": other.terms_sha256, "rules": "terms that were approved for RS-0009",
    } in differences  # fmt: skip


def test_a_round_that_was_dealt_under_another_paytable_is_named_though_its_table_was_put_back(
    scene, monkeypatch
):
    monkeypatch.setattr(course, "verify_terms_approved", lambda ctx: None)
    monkeypatch.setattr(course, "verify_acknowledged", lambda ctx: None)
    points_the_table_to_another_submission()
    scene.place((1, "total:12", 500))
    Table.objects.update(submission_code="RS-0009")
    [seq] = Entry.objects.filter(type="wagers.placed").values_list("seq", flat=True)
    where = {"stream": "larkfield/T-01", "seq": seq, "submission": "RS-0009"}
    assert [finding.as_data() for finding in verification.verify().findings] == [
        {"what": "round-terms", **where}
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"terms": "{}"},
        {"terms_sha256": "0" * 64},
        {"code": "RS-0077"},
        {"version": 7},
        {"edition": "pa-539"},
        {"options": {"odds_word": "for"}},
        {"status": "draft"},
        {"lapsed_why": "because"},
    ],
)
def test_the_database_refuses_to_change_terms_once_they_are_filed(scene, change):
    rows = RulesSubmission.objects.filter(code="RS-0009")
    with pytest.raises(IntegrityError, match="terms stay as they were filed"), transaction.atomic():
        rows.update(**change)
    with pytest.raises(IntegrityError, match="terms stay as they were filed"), transaction.atomic():
        rows.filter(version=1)._raw_delete("default")
    rows.update(status="withdrawn", withdrawn_at=clock.now())


def test_a_draft_may_change_until_it_is_filed(scene):
    row = draft(facility=scene.table.facility, code="RS-0050", key="pa-625a/A")
    row.save()
    rows = RulesSubmission.objects.filter(pk=row.pk)
    rows.update(terms=json.dumps({}), version=2)
    rows.update(status="filed", filed_at=clock.now())
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.update(terms=json.dumps([]))


@pytest.mark.parametrize(
    "attack", [points_the_table_to_another_submission, adds_a_version_that_nobody_approved]
)
def test_an_outsider_who_checks_an_export_is_told_of_a_round_under_another_paytable(
    scene, attack, monkeypatch
):
    record.open_stream(record.INSTALLATION)  # every sealed record has it
    scene.play((1, "small", 1_000), dice=[1, 1, 2])
    scene.finish()
    assert not [line for line in check(everything()) if line.startswith("NOT ")]
    attack()
    monkeypatch.setattr(course, "verify_terms_approved", lambda ctx: None)
    monkeypatch.setattr(course, "verify_acknowledged", lambda ctx: None)
    scene.place((1, "total:12", 500))
    seq = Entry.objects.get(type="wagers.placed", round=2).seq
    told = bad(everything())
    reason = "its round begins under other terms than those in force at this table"
    assert told.endswith(f"larkfield/T-01 seq {seq}: {reason}")
    # By the approvals alone, where no entry says which terms are in force
    monkeypatch.setattr(verify, "STATING", {})
    reason = "its terms were not approved for RS-0009 by then, but for RS-0012"
    assert f"larkfield/T-01 seq {seq}: {reason}" in bad(everything())
