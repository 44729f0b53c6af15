"""Every deadline of a house, read from its own rows: which day it is, which group, and when it is gone."""

import datetime as dt

import pytest

from games.models import (
    Application,
    BoardPermission,
    Document,
    Facility,
    FurtherRequest,
    GameRequest,
    GameTest,
    Guide,
    InterimPermission,
    Provider,
    ProviderNote,
    RulesSubmission,
    SignForm,
)
from games.office.calendar import deadlines, in_groups
from tables.models import Approval, LimitsChange
from tests.audit.gone_back import as_superuser
from tests.games.office.test_submissions_acts import A, B, decide, filed
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
DAY = dt.timedelta(days=1)
TODAY = dt.date(2026, 11, 21)


@pytest.fixture
def house(hands, scene) -> Facility:
    return scene.table.facility


def found(house, hands):
    return {one.key: one for one in deadlines(house, hands.now)}


def days(house, hands):
    return {key: one.due_on.isoformat() for key, one in found(house, hands).items()}


def document(house, hands):
    return Document.objects.create(
        facility=house, code=f"D-{Document.objects.count() + 1:04d}", title="Letter", filename="a.txt",
        media_type="text/plain", size=1, sha256="0" * 64, content=b"x", filed_at=hands.now,
    )  # fmt: skip


def provider(house, hands, code="SP-0001", **application):
    made = Provider.objects.create(
        facility=house, code=code, name="Acme Side Bets", innovation="a wager", patent="US 1",
        no_other_license=True, created_at=hands.now,
    )  # fmt: skip
    if application:
        apply(made, hands, "certification", **application)
    return made


def apply(made, hands, kind, **fields):
    return Application.objects.create(
        provider=made, kind=kind, completed_by="J. Roe", created_at=hands.now, **fields
    )


def certified(house, hands, ends_on, code="SP-0001"):
    return provider(
        house, hands, code, granted=True, decided_on=ends_on.replace(year=ends_on.year - 4), ends_on=ends_on
    )


def request_of(house, hands, **fields):
    return GameRequest.objects.create(
        facility=house, code="NG-0001", title="Lucky Pip", kind="wager", drafted_at=hands.now, **fields
    )


def test_a_house_with_nothing_to_wait_for_has_no_deadline(house, hands):
    assert deadlines(house, hands.now) == ()


def test_a_filed_submission_waits_for_15_days_by_the_calendar_of_the_facility(house, hands):
    # 23:30 on 6 November in the house is the 7th in UTC
    filed = dt.datetime(2026, 11, 7, 4, 30, tzinfo=dt.UTC)
    RulesSubmission.objects.filter(facility=house).update(status="filed", filed_at=filed)
    one = found(house, hands)["review:RS-0009.1"]
    assert (one.due_on, one.state) == (TODAY, "waits")
    assert one.summary == "Decision on RS-0009 v1, filed 6 Nov 2026"
    assert one.section == "58 Pa. Code § 601a.10(c)"
    hands.now += DAY
    assert found(house, hands)["review:RS-0009.1"].group(TODAY + DAY) == "overdue"


@pytest.mark.parametrize("status", ["draft", "approved", "denied", "withdrawn", "superseded"])
def test_a_submission_that_is_not_filed_waits_for_nothing(house, hands, status):
    with as_superuser():  # no filed version becomes a draft again
        RulesSubmission.objects.filter(facility=house).update(status=status, filed_at=hands.now)
    assert not days(house, hands)


def test_an_approved_submission_comes_into_force_at_its_moment(house, hands):
    begins = dt.datetime(2026, 12, 1, 11, tzinfo=dt.UTC)
    RulesSubmission.objects.filter(facility=house).update(in_force_from=begins)
    one = found(house, hands)["in-force:RS-0009.1"]
    assert (one.due_on, one.moment, one.state) == (dt.date(2026, 12, 1), begins, "begins")
    hands.now = begins
    assert not days(house, hands)


def test_each_version_that_is_to_come_is_listed_though_a_later_one_follows(hands, scene):
    for number, (edition, begins) in enumerate(((B, "2026-12-01T06:00"), (A, "2026-12-02T06:00")), start=2):
        filed(scene, edition)
        decide(scene, number, in_force_from=begins)
    said = days(scene.table.facility, hands)
    assert said == {"in-force:RS-0009.2": "2026-12-01", "in-force:RS-0009.3": "2026-12-02"}


def test_an_edition_still_lapses_while_another_version_waits_to_supersede_it(hands):
    hands.now = dt.datetime(2012, 3, 20, 15, tzinfo=dt.UTC)
    house = make_scene("pa-539", opened=False).table.facility
    later = dt.datetime(2012, 5, 1, 15, tzinfo=dt.UTC)
    RulesSubmission.objects.filter(facility=house).update(status="superseded", superseded_at=later)
    assert days(house, hands) == {"lapses:RS-0009.1": "2012-04-03"}


def test_an_edition_that_lapses_is_listed_while_a_submission_deals_by_it(hands):
    hands.now = dt.datetime(2012, 3, 20, 15, tzinfo=dt.UTC)
    scene = make_scene("pa-539", opened=False)
    house = scene.table.facility
    assert days(house, hands) == {"lapses:RS-0009.1": "2012-04-03"}
    hands.now = dt.datetime(2012, 5, 3, 15, tzinfo=dt.UTC)
    assert days(house, hands)  # 30 days after
    hands.now += DAY
    assert not days(house, hands)


def test_guides_signs_and_requests_wait_for_15_days(house, hands):
    filed = {"status": "filed", "filed_at": hands.now - 5 * DAY, "drafted_at": hands.now}
    Guide.objects.create(
        facility=house, version=3, content={}, content_sha256="0", facts={}, facts_sha256="0", **filed
    )
    SignForm.objects.create(
        facility=house, kind="limits", game="sicbo", version=2, location="podium",
        width_mm=200, height_mm=300, wording={}, **filed,
    )  # fmt: skip
    request_of(house, hands, **{key: filed[key] for key in ("status", "filed_at")})
    assert days(house, hands) == {
        "review:guide:v3": "2026-12-01",
        "review:request:NG-0001": "2026-12-01",
        "review:sign:limits:sicbo.v2": "2026-12-01",
    }
    Guide.objects.update(status="approved")
    SignForm.objects.update(status="denied")
    GameRequest.objects.update(status="withdrawn")
    assert not days(house, hands)


def test_a_test_waits_for_its_decision_and_then_is_over_after_its_last_day(house, hands):
    test = GameTest.objects.create(
        request=request_of(house, hands), number=1, status="filed", filed_at=hands.now
    )
    assert days(house, hands) == {"review:test:NG-0001.1": "2026-12-06"}
    GameTest.objects.filter(pk=test.pk).update(status="approved", ends_on=dt.date(2026, 12, 31))
    GameRequest.objects.update(status="withdrawn")
    assert not days(house, hands)
    GameRequest.objects.update(status="draft")
    one = found(house, hands)["test-ends:NG-0001.1"]
    assert (one.due_on, one.state) == (dt.date(2027, 1, 1), "ends")


def test_what_a_body_asked_besides_waits_until_it_is_answered(house, hands):
    asked = FurtherRequest.objects.create(
        request=request_of(house, hands), asked_on=TODAY, body="The Board", what="a second drawing"
    )
    one = found(house, hands)[f"further:{asked.pk}"]
    assert (one.due_on, one.summary) == (
        dt.date(2026, 12, 6),
        "Answer The Board on NG-0001: a second drawing",
    )
    FurtherRequest.objects.update(answered_on=TODAY)
    assert not days(house, hands)


@pytest.mark.clause("PA-528.4(b)")
def test_a_renewal_is_due_60_days_before_the_certification_ends_and_overdue_on_the_59th(house, hands):
    certified(house, hands, dt.date(2027, 1, 20))
    assert days(house, hands) == {"renewal:SP-0001": "2026-11-21", "certification:SP-0001": "2027-01-20"}
    assert found(house, hands)["renewal:SP-0001"].group(TODAY) == "week"
    hands.now += DAY
    assert found(house, hands)["renewal:SP-0001"].group(TODAY + DAY) == "overdue"


@pytest.mark.parametrize(
    ("approved", "ends", "renewal"),
    [
        ("2024-02-29", "2028-02-29", "2027-12-31"),
        ("2023-03-01", "2027-03-01", "2026-12-31"),
        ("2024-04-29", "2028-04-29", "2028-02-29"),  # 60 days before, in a leap year
        ("2025-04-29", "2029-04-29", "2029-02-28"),
    ],
)
def test_months_of_every_length_count_to_the_day(house, hands, approved, ends, renewal):
    dates = {"decided_on": dt.date.fromisoformat(approved), "ends_on": dt.date.fromisoformat(ends)}
    provider(house, hands, granted=True, **dates)
    assert days(house, hands) == {"renewal:SP-0001": renewal, "certification:SP-0001": ends}


@pytest.mark.clause("PA-528.4(c)")
def test_a_renewal_that_is_filed_in_time_lets_neither_end_nor_renewal_stand(house, hands):
    made = certified(house, hands, dt.date(2027, 1, 20))
    apply(made, hands, "renewal", filed_at=hands.now)
    assert not days(house, hands)
    hands.now += 61 * DAY
    assert not days(house, hands)


def test_a_certification_that_ended_is_listed_for_30_days(house, hands):
    certified(house, hands, dt.date(2026, 10, 22))
    one = found(house, hands)["certification:SP-0001"]
    assert (one.days_left(TODAY), one.group(TODAY)) == (-30, "overdue")
    hands.now += DAY
    assert not days(house, hands)


def test_a_date_to_cease_by_and_what_is_asked_on_a_file(house, hands):
    made, letter = provider(house, hands), document(house, hands)
    permission = InterimPermission.objects.create(
        provider=made, diligence=letter, acknowledgement=letter, granted_on=TODAY, reference="IP-7",
        rescinded_on=TODAY, cease_on=dt.date(2026, 12, 5),
    )  # fmt: skip
    note = ProviderNote.objects.create(
        provider=made, kind="information", on=TODAY, text="list of owners", due_on=dt.date(2026, 11, 30)
    )
    ProviderNote.objects.create(provider=made, kind="change", on=TODAY, text="moved")
    ProviderNote.objects.create(
        provider=made, kind="information", on=TODAY, text="done", due_on=TODAY, done_on=TODAY
    )
    assert days(house, hands) == {
        f"note:SP-0001.{note.pk}": "2026-11-30",
        f"cease:SP-0001.{permission.pk}": "2026-12-05",
    }
    one = found(house, hands)[f"note:SP-0001.{note.pk}"]
    assert one.summary == "Acme Side Bets, information asked for: list of owners"
    assert one.section == "58 Pa. Code § 528.5(1)"


def test_a_permission_of_the_board_ends_on_its_day_unless_it_was_withdrawn(house, hands):
    one = BoardPermission.objects.create(
        facility=house, subject="roll-history", reference="B-12", granted_on=TODAY, ends_on=TODAY + 40 * DAY
    )
    assert days(house, hands) == {f"permission:{one.pk}": "2026-12-31"}
    BoardPermission.objects.update(withdrawn_at=hands.now)
    assert not days(house, hands)


def test_the_floor_tells_of_approvals_that_end_and_limits_that_were_announced(house, hands, scene):
    one = Approval.objects.filter(subject="layout").get()
    Approval.objects.filter(pk=one.pk).update(ends_on=TODAY + 10 * DAY)
    LimitsChange.objects.create(
        table=scene.table, number=1, was_min_cents=1_000, was_max_cents=100_000, min_cents=2_500,
        max_cents=100_000, asked_at=hands.now, posted_at=hands.now, announced_at=hands.now,
        effective_at=hands.now + dt.timedelta(minutes=30),
    )  # fmt: skip
    assert days(house, hands) == {"limits:T-01.1": "2026-11-21", f"approval:{one.pk}": "2026-12-01"}
    limits = found(house, hands)["limits:T-01.1"]
    assert limits.summary == "T-01: minimum $25, maximum $1,000 at the first round after"
    assert (limits.moment, limits.section, limits.reminds) == (
        hands.now + dt.timedelta(minutes=30),
        "58 Pa. Code § 521.8(c)",
        False,
    )


def test_an_approval_that_another_has_taken_the_place_of_ends_without_a_word(house, hands):
    one = Approval.objects.filter(subject="layout").get()
    Approval.objects.filter(pk=one.pk).update(ends_on=TODAY + 10 * DAY)
    one.pk, one.approved_on, one.ends_on = None, TODAY, None
    one.save()
    assert not days(house, hands)


@pytest.mark.clause("NJ-19:47-8.4(g)-gate")
def test_what_final_approval_in_new_jersey_still_waits_for_is_listed_by_the_end_of_the_test(hands):
    house = make_scene("nj-19-47-9", opened=False).table.facility
    request = request_of(house, hands, status="filed", filed_at=hands.now, costs_cents=90_000)
    GameTest.objects.create(request=request, number=1, status="approved", ends_on=dt.date(2027, 2, 28))
    one = found(house, hands)["conditions:NG-0001"]
    assert one.due_on == dt.date(2027, 2, 28)
    assert one.summary == (
        "Final approval of NG-0001 Lucky Pip waits for: found suitable for casino use, "
        "amended regulations in effect, applications filed and waivers issued, costs paid in full"
    )
    GameRequest.objects.update(
        suitable_on=TODAY, amended_on=TODAY, licensed_on=TODAY, paid_cents=90_000, conditions={"bills": [{}]}
    )
    assert "conditions:NG-0001" not in days(house, hands)
    # New Jersey's texts set no days for a review: the count is the house's own
    assert found(house, hands)["review:request:NG-0001"].section == ""


def test_it_reads_one_house_alone_and_sorts_by_day(house, hands):
    other = Facility.objects.create(code="other", name="Other", jurisdiction="PA")
    certified(other, hands, dt.date(2027, 1, 20))
    certified(house, hands, dt.date(2027, 1, 25), "SP-0002")
    RulesSubmission.objects.filter(facility=house).update(status="filed", filed_at=hands.now - 16 * DAY)
    got = deadlines(house, hands.now)
    assert [one.key for one in got] == ["review:RS-0009.1", "renewal:SP-0002", "certification:SP-0002"]
    groups = in_groups(got, TODAY)
    assert [(name, len(rows)) for name, rows in groups.items()] == [
        ("overdue", 1), ("week", 1), ("month", 0), ("later", 1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("left", "group"),
    [(-1, "overdue"), (0, "week"), (7, "week"), (8, "month"), (30, "month"), (31, "later")],
)
def test_the_groups_end_at_7_and_30_days(house, hands, left, group):
    BoardPermission.objects.create(
        facility=house, subject="roll-history", reference="B", granted_on=TODAY, ends_on=TODAY + left * DAY
    )
    assert deadlines(house, hands.now)[0].group(TODAY) == group
