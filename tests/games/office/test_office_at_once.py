"""Two people in the office at once, on PostgreSQL: one is told what the other has done, and nothing is done twice."""

import pytest

from games.engine import Refusal
from games.models import Guide, RulesSubmission
from tables.models import LimitsChange, Round
from tests.games.office.test_guide_acts import decide as decide_guide
from tests.games.office.test_guide_acts import draft as draft_guide
from tests.games.office.test_submissions_acts import drafted, named
from tests.tables.test_two_at_once import at_once, entries

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
DECISION = {"body": "Bureau of Gaming Operations", "reference": "ED-1"}
WAGER = {"seat": 1, "wager": "small", "cents": 2_500, "made_in": "chips"}


def outcome(found):
    """The codes that were refused; whatever else went wrong is shown as it is."""
    wrong = [one for one in found if isinstance(one, Exception) and not isinstance(one, Refusal)]
    assert not wrong
    return [one.code for one in found if isinstance(one, Refusal)]


def test_two_who_file_a_submission_file_it_once(committed):
    drafted(committed)
    found = at_once(
        lambda: committed.in_office("file_submission", named()),
        lambda: committed.in_office("file_submission", named(), by="compliance"),
    )
    assert outcome(found) == ["not-a-draft"] and entries("rules.filed") == 1


def test_two_who_record_a_decision_record_one_of_them(committed):
    drafted(committed)
    committed.in_office("file_submission", named())
    approved = entries("rules.approved")
    yes = {**named(), **DECISION, "letter": committed.on_file(), "granted": True}
    no = {**yes, "letter": committed.on_file(), "granted": False}
    found = at_once(
        lambda: committed.in_office("record_decision", yes),
        lambda: committed.in_office("record_decision", no, by="compliance"),
    )
    assert outcome(found) == ["not-filed"]
    approved = entries("rules.approved") - approved
    assert approved + entries("rules.denied") == 1
    decided = RulesSubmission.objects.get(version=2)
    assert decided.status == ("approved" if approved else "denied")


def test_two_guides_published_at_once_leave_one_that_is_given_out(committed):
    first = draft_guide(committed)
    decide_guide(committed, first)
    second = draft_guide(committed, formats=["print"])
    decide_guide(committed, second)
    found = at_once(
        *(
            lambda guide=guide: committed.in_office("publish_guide", {"guide": guide})
            for guide in (first, second)
        )
    )
    assert outcome(found) == []
    assert Guide.objects.filter(published_at__isnull=False, ended_at=None).count() == 1


def test_two_who_draft_at_once_get_codes_of_their_own(committed):
    new = {"code": "", "edition": "pa-539@2010-04-03"}
    found = at_once(*(lambda: committed.in_office("draft_submission", new) for _ in range(4)))
    assert outcome(found) == []
    assert len({one.body["code"] for one in found}) == 4


def test_two_changes_of_limits_at_once_begin_one(committed):
    committed.place((1, "small", 2_500))
    params = {"min_cents": 2_500, "max_cents": 200_000}
    found = at_once(
        *(
            lambda: committed.act("change_limits", params, by="floorperson", device=committed.podium)
            for _ in range(2)
        )
    )
    assert outcome(found) == ["change-is-pending"] and LimitsChange.objects.count() == 1


def test_limits_announced_while_a_round_opens_lose_neither(committed):
    committed.place((1, "small", 2_500))
    params = {"min_cents": 2_500, "max_cents": 200_000}
    committed.act("change_limits", params, by="floorperson", device=committed.podium)
    committed.act("post_limits_sign", by="floorperson", device=committed.podium)
    committed.to_the_dice()
    committed.act("call_dice", {"dice": [1, 2, 2]})
    committed.finish()
    found = at_once(
        lambda: committed.act("announce_limits", by="dealer"),
        lambda: committed.act("place_wagers", {"wagers": [WAGER]}, by="dealer"),
    )
    assert outcome(found) == []
    assert LimitsChange.objects.get().announced_at is not None and Round.objects.count() == 2


def test_a_decision_and_a_round_at_once_wait_for_neither(committed):
    drafted(committed)
    committed.in_office("file_submission", named())
    said = {**named(), **DECISION, "letter": committed.on_file(), "granted": True}
    approved = entries("rules.approved")
    found = at_once(
        lambda: committed.in_office("record_decision", said),
        lambda: committed.act("place_wagers", {"wagers": [WAGER]}),
    )
    assert outcome(found) == []
    assert Round.objects.count() == 1 and entries("rules.approved") == approved + 1
