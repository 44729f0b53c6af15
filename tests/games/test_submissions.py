"""What a facility filed, which version is in force, and that nobody altered it."""

import datetime as dt

import pytest
from django.db import IntegrityError, connection, transaction

from games.engine import Refusal, Rules
from games.models import Facility, RulesSubmission
from games.submissions import draft, filed_terms, in_force, rules_of
from tests.services.emptying import guards_aside

pytestmark = pytest.mark.django_db
MAY = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)


@pytest.fixture
def facility():
    return Facility.objects.create(code="river", name="River", jurisdiction="PA")


def approved(facility, code="RS-0009", key="pa-625a/A", since=MAY, **more):
    submission = draft(facility=facility, code=code, key=key, **more)
    submission.status, submission.decided_at, submission.in_force_from = "approved", since, since
    submission.save()
    return submission


def test_the_gaming_day_begins_at_six_by_the_local_clock(facility):
    assert facility.gaming_day(dt.datetime(2026, 5, 2, 9, 59, tzinfo=dt.UTC)) == dt.date(2026, 5, 1)
    assert facility.gaming_day(dt.datetime(2026, 5, 2, 10, 0, tzinfo=dt.UTC)) == dt.date(2026, 5, 2)
    assert facility.gaming_day(dt.datetime(2026, 12, 2, 10, 30, tzinfo=dt.UTC)) == dt.date(2026, 12, 1)


def test_the_newest_version_that_has_begun_is_in_force(facility):
    first = approved(facility)
    later = approved(facility, version=2, key="pa-625a/B", since=MAY + dt.timedelta(days=9))
    other = approved(facility, code="RS-0010", key="pa-539", payouts={"total:4": "60 to 1"})
    assert in_force(facility, "sic-bo", MAY - dt.timedelta(seconds=1)) is None
    assert in_force(facility, "sic-bo", MAY, code="RS-0009") == first
    assert in_force(facility, "sic-bo", MAY + dt.timedelta(days=9), code="RS-0009") == later
    assert in_force(facility, "sic-bo", MAY, code="RS-0010") == other
    assert in_force(facility, "high-roll", MAY) is None
    assert rules_of(other) == Rules.of("pa-539", {"total:4": "60 to 1"})


@pytest.mark.parametrize("status", ["draft", "filed", "denied", "withdrawn"])
def test_nothing_but_an_approved_submission_is_in_force(facility, status):
    submission = approved(facility)
    with guards_aside(connection):  # no filed version becomes a draft again
        RulesSubmission.objects.filter(pk=submission.pk).update(status=status)
    assert in_force(facility, "sic-bo", MAY) is None


def test_altered_terms_are_refused(facility):
    submission = approved(facility)
    submission.terms = submission.terms.replace("150 to 1", "180 to 1")
    with pytest.raises(Refusal, match="terms-do-not-match"):
        rules_of(submission)


def test_terms_are_canonical_and_name_the_dated_edition():
    terms, digest = filed_terms(Rules.of("pa-625a/A"))
    assert terms.startswith('{"edition":"pa-625a@2019-08-31/A","format":1,"game":"sic-bo","payouts":{')
    assert len(digest) == 64


def test_odds_that_favour_the_player_do_not_pass_the_gate(facility):
    with pytest.raises(Refusal) as refused:
        draft(facility=facility, code="RS-0011", key="pa-539", payouts={"total:4": "80 to 1"})
    assert (refused.value.code, refused.value.params) == ("player-favoured", {"wager": "total:4"})


@pytest.mark.parametrize(
    "change", [{"status": "lost"}, {"decided_at": None}, {"in_force_from": None}, {"version": 0}]
)
def test_the_database_refuses_a_submission_that_cannot_be(facility, change):
    submission = approved(facility)
    with pytest.raises(IntegrityError), transaction.atomic():
        RulesSubmission.objects.filter(pk=submission.pk).update(**change)


def test_a_version_is_filed_once(facility):
    approved(facility)
    with pytest.raises(IntegrityError), transaction.atomic():
        approved(facility)
