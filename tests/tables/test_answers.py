"""The saved answers of acts end after the time of repetition. Who repeats an act later hears that it was taken."""

import datetime as dt
import json
import uuid

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction

from audit import answers, clock
from audit.answers import end_old_answers
from audit.models import AnswersEnded, Command, Entry
from tables.models import Wager
from tables.ticker import ANSWERS_EVERY, Ticker, end_answers
from tests.tables.cast import Scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

KEPT = dt.timedelta(days=settings.ANSWERS_KEPT_DAYS)
JSON = {"accept": "application/json"}
LAID = {"wagers": [{"seat": 1, "wager": "small", "cents": 2_500}]}


def post(browser, command, params=LAID, act="place_wagers", seen=0):
    body = {"command": str(command), "seen": seen, "params": params, "retry": True}
    address = f"/floor/larkfield/T-01/acts/{act}"
    answer = browser.post(address, json.dumps(body), content_type="application/json", headers=JSON)
    return answer.status_code, answer.json()


def go_on(hands, scene: Scene, later: dt.timedelta) -> None:
    """Let so much time pass, after which something happens at the table: answers end by the time of the record."""
    hands.now += later
    scene.act("place_wagers", {"wagers": [{"seat": 2, "wager": "big", "cents": 2_500}]})


def everything():
    return list(Entry.objects.order_by("pk").values_list()), list(Wager.objects.order_by("pk").values_list())


@pytest.fixture
def repeated(hands, scene):
    """A wager that was taken, and its browser. All answers that are due by now have ended."""
    browser, command = scene.browser("tablet", "dealer"), uuid.uuid4()
    status, first = post(browser, command, seen=scene.version)
    assert (status, first["answer"], first["again"]) == (200, {"type": "wagers.placed", "round": 1}, False)
    taken = scene.version
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    assert end_old_answers(clock.now()) == Entry.objects.filter(at__lt=clock.now() - KEPT).count() > 3
    return scene.browser("tablet", "dealer"), command, taken


def test_a_repeat_within_the_time_gets_the_first_answer(hands, scene):
    browser, command = scene.browser("tablet", "dealer"), uuid.uuid4()
    post(browser, command, seen=scene.version)
    version = scene.version
    go_on(hands, scene, KEPT - dt.timedelta(hours=1))
    end_old_answers(clock.now())
    assert Command.objects.get(pk=command).answer == {"type": "wagers.placed", "round": 1}
    browser = scene.browser("tablet", "dealer")
    before = everything()
    status, again = post(browser, command)
    assert (status, again["version"], again["again"]) == (200, version, True)
    assert again["answer"] == {"type": "wagers.placed", "round": 1}
    assert everything() == before


def test_a_repeat_after_the_time_is_told_that_it_was_taken_and_does_nothing(repeated):
    browser, command, taken = repeated
    kept = Command.objects.get(pk=command)
    assert (kept.answer, kept.seq, kept.person.code) == (None, taken, "dealer")
    before = everything()
    for _ in range(2):
        status, again = post(browser, command)
        assert (status, again["version"], again["again"]) == (200, taken, True)
        assert again["answer"] == {"type": "wagers.placed", "entry": taken}
    assert everything() == before


def test_who_may_not_act_any_more_is_told_the_same(repeated, scene):
    """Neither whom nobody let act since, nor a tablet where nobody is signed in, hears that it was not taken."""
    browser, command, taken = repeated
    scene.people["dealer"].role = "security"
    scene.people["dealer"].save()
    before = everything()
    status, again = post(browser, command)
    assert (status, again["version"], again["again"]) == (200, taken, True)
    assert again["answer"] == {"type": "wagers.placed", "entry": taken}
    status, away = post(scene.browser("tablet"), command)
    assert (status, away["recorded"], away["version"]) == (401, str(command), taken)
    assert everything() == before


def test_other_content_is_refused_after_the_time_too(repeated):
    browser, command, _ = repeated
    before = everything()
    other = {"wagers": [{"seat": 1, "wager": "small", "cents": 5_000}]}
    status, refused = post(browser, command, other)
    assert (status, refused["refusal"]["code"]) == (422, "command-changed")
    assert everything() == before


def test_an_act_with_several_entries_is_told_by_its_own(hands, scene):
    """Its answer has the number of the last."""
    scene.place((1, "small", 2_500))
    command = uuid.uuid4()
    answer = scene.act("void_round", {"reason": "dispute"}, witness="floorperson", command=command)
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    end_old_answers(clock.now())
    kept = Command.objects.get(pk=command)
    own = next(
        entry
        for entry in Entry.objects.filter(stream=kept.stream_id)
        if str(command) in str(bytes(entry.body))
    )
    assert kept.seq == answer.version
    assert answers.answer_of(kept) == {"type": own.type, "entry": own.seq}


def test_a_command_that_was_ended_stays_ended(hands, scene):
    browser, command = scene.browser("tablet", "dealer"), uuid.uuid4()
    assert post(browser, command, {"round": 1}, "return_wagers")[0] == 422
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    end_old_answers(clock.now())
    kept = Command.objects.get(pk=command)
    assert (kept.answer, kept.person.code) == ({"ended": True}, "dealer")
    status, refused = post(scene.browser("tablet", "dealer"), command, {"round": 1}, "return_wagers")
    assert (status, refused["refusal"]["code"]) == (422, "command-ended")


def test_it_goes_on_where_it_was_and_looks_at_each_entry_once(repeated):
    assert AnswersEnded.objects.get().entry == Entry.objects.filter(at__lt=clock.now() - KEPT).latest("pk").pk
    assert end_old_answers(clock.now()) == 0


def test_a_batch_ends_what_it_looked_at_and_no_more(hands, scene, monkeypatch):
    monkeypatch.setattr(answers, "BATCH", 2)
    for cents in (2_500, 5_000, 7_500, 10_000):
        scene.place((1, "small", cents))
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    left = []
    while end_old_answers(clock.now()):
        left.append(Command.objects.exclude(answer__isnull=True).count())
    assert left == sorted(left, reverse=True)
    assert left[-1] == Command.objects.filter(at__gte=clock.now() - KEPT).count() > 0
    assert len(left) >= 3


def test_a_fault_between_two_statements_loses_nothing(hands, scene):
    scene.place((1, "small", 2_500))
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    end_old_answers(hands.now - dt.timedelta(days=400))  # the row is there
    every = list(Command.objects.order_by("pk").values_list("pk", "answer"))

    def cut(at: int) -> bool:
        """Let the statement of this number fail. Returns whether it came to it."""
        count = 0

        def fail(execute, sql, params, many, context):
            nonlocal count
            count += 1
            if count > at:
                raise DatabaseError("cut")
            return execute(sql, params, many, context)

        try:
            with transaction.atomic(), connection.execute_wrapper(fail):
                end_old_answers(clock.now())
        except DatabaseError:
            return True
        return False

    statements = 0
    while cut(statements):
        assert list(Command.objects.order_by("pk").values_list("pk", "answer")) == every
        assert AnswersEnded.objects.get().entry == 0
        statements += 1
    assert statements > 3
    assert Command.objects.filter(answer__isnull=True).count() > 0


def test_nothing_ends_while_the_record_stands_still(hands, scene):
    """The guards of the database know the time by the record alone."""
    scene.place((1, "small", 2_500))
    hands.now += 10 * KEPT
    looked_at = end_old_answers(clock.now())
    assert Command.objects.filter(answer__isnull=True).count() == 0
    assert looked_at == Entry.objects.filter(at__lt=Entry.objects.latest("at").at - answers.LEAST).count()


def test_the_ticker_ends_them(hands, scene):
    scene.place((1, "small", 2_500))
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    ticker = Ticker()
    assert sum(end_answers in ticker.due() for _ in range(2 * ANSWERS_EVERY)) == 2
    assert end_answers() == []
    assert Command.objects.filter(answer__isnull=True).count() > 0


CHANGES = [
    "answer = '{}'",
    "answer = NULL, seq = seq + 1",
    "answer = NULL, content_sha256 = content_sha256 || content_sha256",
    "answer = NULL, person_id = (SELECT max(id) FROM audit_person)",
    "answer = NULL, at = '2020-01-01'",
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_database_lets_nothing_else_of_a_command_change(hands, scene, change):
    scene.place((1, "small", 2_500))
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    before = list(Command.objects.order_by("pk").values_list())
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE audit_command SET {change} WHERE at < '{clock.now() - KEPT}'")
    assert list(Command.objects.order_by("pk").values_list()) == before


def test_the_database_lets_no_young_answer_end_and_none_of_a_refusal(hands, scene):
    browser = scene.browser("tablet", "dealer")
    ended, young = uuid.uuid4(), uuid.uuid4()
    post(browser, ended, {"round": 1}, "return_wagers")
    go_on(hands, scene, KEPT + dt.timedelta(hours=1))
    scene.act("place_wagers", LAID, command=young)
    for command in (ended, young):
        with pytest.raises(DatabaseError), transaction.atomic():
            Command.objects.filter(pk=command).update(answer=None)
        assert Command.objects.get(pk=command).answer is not None
    with pytest.raises(DatabaseError), transaction.atomic():
        Command.objects.filter(pk=ended).delete()
