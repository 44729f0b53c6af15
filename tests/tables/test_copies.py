"""An act on a worker's copy of a table leaves what it leaves from the rows. Whatever changed, the rows decide."""

import copy as python_copy
import datetime as dt
import io
import random
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg
import pytest
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import DatabaseError, OperationalError, ProgrammingError, connection, transaction
from django.test.utils import CaptureQueriesContext
from psycopg_pool import PoolTimeout

from audit import clock, record
from audit.management.commands import provision_roles
from audit.models import Command, Device, Entry, Incarnation, Person, Stream, WrongPin
from audit.record import SERIALIZATION_FAILURE
from audit.rows import clone, collected_writes, kept_reads, says_nothing_was_begun
from config.postgresql import base
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.models import Facility, RulesSubmission
from games.refusals import NOT_ON_DUTY
from tables.core.context import TableContext
from tables.models import (
    Alert,
    Approval,
    Assignment,
    DiceLot,
    LimitsChange,
    Pit,
    Round,
    Settlement,
    Table,
    Throw,
    Wager,
)
from tables.runner import copies
from tables.runner import table as table_runner
from tables.screens import fragments, table_history
from tables.ticker import tick
from tests.services.emptying import guards_aside
from tests.services.entries import any_entry
from tests.services.later import set_clock_of_entries
from tests.tables.cast import Scene, make_scene, verify_pushed_as_read
from tests.tables.test_offer import approve
from tests.tables.test_walks import walk

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
PLAY: tuple[Any, ...] = (Table, Stream, Round, Throw, Wager, Settlement, Entry, Command, Alert)
NUMBERED: dict[Any, str] = {
    Round: "round_id",
    Throw: "throw_id",
    Wager: "wager_id",
}  # their ids are of no meaning


@dataclass
class Ways:
    """Which acts ran on a copy, and which from the rows."""

    ways: list[str] = field(default_factory=list)

    def last(self) -> str:
        return self.ways[-1]


def no_connection() -> OperationalError:
    """The error of a pool that has no connection in time."""
    error = OperationalError("couldn't get a connection")
    error.__cause__ = PoolTimeout("couldn't get a connection")
    return error


@pytest.fixture
def ways(settings, monkeypatch):
    """Workers keep copies; what is returned notes the way of each act."""
    settings.KEEPS_COPIES = True
    copies.drop_all()
    set_clock_of_entries("clock_timestamp()")
    noted, on_copy = Ways(), table_runner.TableRunner._execute_on_copy

    def note(runner, request):
        response, unknown = on_copy(runner, request)
        noted.ways.append("rows" if response is None else "copy")
        return response, unknown

    monkeypatch.setattr(table_runner.TableRunner, "_execute_on_copy", note)
    yield noted
    copies.drop_all()
    set_clock_of_entries()


def rows_of_play() -> dict[str, list[dict[str, Any]]]:
    """Every row of play, with the ids of rounds, throws and wagers replaced by their places."""
    found: dict[Any, list[Any]] = {
        model: list(model._default_manager.order_by("pk").values()) for model in PLAY
    }
    places = {
        column: {row["id"]: place for place, row in enumerate(found[model])}
        for model, column in NUMBERED.items()
    }
    for model, rows in found.items():
        for row in rows:
            if model in NUMBERED:
                row["id"] = places[NUMBERED[model]][row["id"]]
            elif model in (Entry, Alert):
                del row["id"]
            for column, place in places.items():
                if row.get(column) is not None:
                    row[column] = place[row[column]]
            row |= {name: bytes(value) for name, value in row.items() if isinstance(value, memoryview)}
    return {model.__name__: rows for model, rows in found.items()}


def shown_after(response: table_runner.ActResponse) -> str:
    table_history.forget_lines()
    return fragments.state_after(response.context).text if response.context is not None else ""


def outcome(execute: Callable[[], table_runner.ActResponse]) -> tuple[Any, ...]:
    """What an act answers, shows and leaves, or why it is refused."""
    try:
        response = execute()
    except (Refusal, table_runner.Stale) as refusal:
        return type(refusal), str(refusal), getattr(refusal, "params", None), rows_of_play()
    return response.body, response.version, response.affected_table_ids, shown_after(response), rows_of_play()


class BothWays:
    """Executes each act from the rows, takes it back, executes it on the copy, and compares."""

    def __init__(self, ways: Ways) -> None:
        self.ways, self.execute, self.compared = ways, table_runner.execute, 0

    def __call__(self, request: table_runner.ActRequest) -> table_runner.ActResponse:
        if table_runner.ACTS[request.act].is_all_in_context and request.act != "call_no_roll":
            request = replace(request, witness=None)
        key = (request.facility, request.place)
        kept = copies._copies.pop(key, None)
        if kept is None:
            return self.execute(request)
        kept, again = python_copy.deepcopy(kept), python_copy.deepcopy(kept)
        before = transaction.savepoint()
        from_rows = outcome(lambda: self.execute(request))
        transaction.savepoint_rollback(before)
        copies._copies[key] = kept
        before = transaction.savepoint()
        on_copy = outcome(lambda: self.execute(request))
        self.compared += self.ways.last() == "copy"
        assert on_copy == from_rows, request.act
        transaction.savepoint_rollback(before)
        table_history.forget_lines()
        copies._copies[key] = again
        return self.execute(request)


@pytest.mark.parametrize("rules", ["pa-539", "pa-625a/B", "pa-675a", "pa-577"])
def test_every_act_of_a_walk_leaves_the_same_on_the_copy_and_from_the_rows(rules, ways, monkeypatch):
    scene, both = make_scene(rules), BothWays(ways)
    monkeypatch.setattr(table_runner, "execute", both)
    with clock.override(clock.now()):
        assert walk(scene, random.Random(f"{rules} both"), steps=60) >= 1
    assert both.compared >= 8, ways.ways


def whole_round(scene: Scene) -> None:
    scene.play((1, "small", 2_500), (2, "big", 1_000), dice=[1, 2, 5])
    scene.finish()


def test_every_act_of_a_round_runs_on_the_copy_also_its_first_wager_and_its_end(scene, ways):
    whole_round(scene)
    # The rows are read once: by the first wager of all, and by the first end of a round, which reads the rules again
    assert ways.ways[0] == "rows" and set(ways.ways[1:]) == {"copy"}
    whole_round(scene)
    scene.place((1, "small", 2_500), (2, "big", 1_000))
    scene.place((1, "small", 0))
    assert set(ways.ways[1:]) == {"copy"}


def test_limits_that_take_effect_with_a_wager_are_pending_no_more_on_the_screens_that_it_is_pushed_to(
    scene, ways
):
    changed = {"min_cents": 2_000, "max_cents": 50_000}
    scene.act("change_limits", changed, by="floorperson", device=scene.podium)
    past = clock.now() - dt.timedelta(seconds=1)
    LimitsChange.objects.update(posted_at=past, announced_at=past, effective_at=past)
    response = scene.place((1, "small", 2_500))
    assert scene.fresh.min_cents == 2_000
    verify_pushed_as_read(response)


def test_readyz_says_how_many_acts_ran_on_the_copy_and_why_others_did_not(scene, ways):
    copies.acts_run.clear()
    whole_round(scene)
    with scene.refused("no-such-wager"):
        scene.place((1, "no-such-wager", 2_500))
    said = scene.browser().get("/readyz").json()["acts"]
    assert said == {"no copy": 1, "copy": len(ways.ways) - 2, "place_wagers: Refusal": 1}


def test_what_an_act_reads_of_the_office_is_forgotten_with_its_epoch(scene, ways):
    whole_round(scene)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # the epoch of this transaction begins here
    Approval.objects.filter(subject="device").update(withdrawn_at=clock.now())
    with scene.refused("not-approved"):
        scene.place((1, "small", 2_500))
    assert ways.last() == "rows"


def test_a_copy_knows_when_rules_end_that_are_withdrawn_for_a_later_moment(scene, ways):
    """No row changes then, so no other epoch begins."""
    ends = clock.now() + dt.timedelta(hours=1)
    RulesSubmission.objects.filter(status="approved").update(status="withdrawn", withdrawn_at=ends)
    whole_round(scene)
    (copy,) = copies._copies.values()
    for minutes, is_in_force in ((-1, True), (1, False)):
        moment = ends + dt.timedelta(minutes=minutes)
        ctx = TableContext(copy.table, None, None, None, moment, copy.play)
        with kept_reads(copy.reads), CaptureQueriesContext(connection) as queries:
            assert (ctx.in_force is not None) is is_in_force
        assert len(queries) == 0


# What changed between two taps


def on_duty_until_now(scene: Scene) -> None:
    Assignment.objects.filter(person=scene.people["dealer"]).update(ended_at=clock.now())


def inactive(scene: Scene) -> None:
    Person.objects.filter(pk=scene.people["dealer"].pk).update(is_active=False)


def at_a_post_elsewhere(scene: Scene) -> None:
    elsewhere = clone(scene.fresh)
    elsewhere.pk, elsewhere.code, elsewhere.uid, elsewhere._state.adding = None, "T-99", uuid.uuid4(), True
    elsewhere.stream = record.open_stream("larkfield/T-99")
    elsewhere.save()


def halted(scene: Scene) -> None:
    Table.objects.filter(pk=scene.table.pk).update(halted_at=clock.now())


def in_another_incarnation(scene: Scene) -> None:
    Incarnation.objects.create(number=7, opened_at=clock.now(), origin="a restored backup")


def with_another_head(scene: Scene) -> None:
    """As after a restored backup on which as many acts were recorded again: the number is the same."""
    with guards_aside(connection):
        Stream.objects.filter(pk=scene.table.stream_id).update(head=bytes(32))


def with_another_entry(scene: Scene) -> None:
    """As by the ticker, or by another worker."""
    with transaction.atomic():
        stream = record.lock_stream(scene.table.stream.name)
        moment = clock.now()
        record.append(stream, entry=any_entry("a.b"), moment=moment, gaming_day=moment.date())


def in_another_epoch(scene: Scene) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_epoch SET epoch = gen_random_uuid()")


CHANGES = (
    *(on_duty_until_now, inactive, at_a_post_elsewhere, halted, in_another_incarnation),
    *(with_another_head, with_another_entry, in_another_epoch),
)


def guard_refuses(copy: copies.Copy, scene: Scene, by: str = "dealer") -> bool:
    """Whether the guard of this copy, alone, refuses."""
    request = table_runner.ActRequest(
        "larkfield", "T-01", "shake", uuid.uuid4(), 0, {}, scene.people[by], None
    )
    try:
        with collected_writes(), transaction.atomic():
            copies.lock(copy, request)
    except DatabaseError as error:
        return getattr(error.__cause__, "sqlstate", "") == SERIALIZATION_FAILURE
    return False


@pytest.mark.parametrize("change", CHANGES)
def test_a_copy_is_old_once_anything_that_it_assumes_has_changed(change, scene, ways):
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # the epoch of this transaction begins here
    scene.place((1, "small", 2_500))
    (copy,) = copies._copies.values()
    assert not guard_refuses(copy, scene)
    change(scene)
    assert guard_refuses(copy, scene)


def test_a_copy_is_old_for_a_person_at_no_post_whose_duty_has_ended(scene, ways):
    scene.place((1, "small", 2_500))
    (copy,) = copies._copies.values()
    assert not guard_refuses(copy, scene, by="floorperson")
    Assignment.objects.filter(person=scene.people["floorperson"]).update(ended_at=clock.now())
    assert guard_refuses(copy, scene, by="floorperson") and not guard_refuses(copy, scene)


def reset_pin(scene: Scene) -> None:
    scene.people["dealer"].set_password("654321")
    scene.people["dealer"].save(update_fields=["password"])


def revoke_device(scene: Scene) -> None:
    Device.objects.filter(pk=scene.tablet.pk).update(revoked_at=clock.now())


def lock_device(scene: Scene) -> None:
    Device.objects.filter(pk=scene.tablet.pk).update(locked_at=clock.now())


def sign_off(scene: Scene) -> None:
    Device.objects.filter(pk=scene.tablet.pk).update(person=None, signed_on_at=None)


def end_license(scene: Scene) -> None:
    Person.objects.filter(pk=scene.people["dealer"].pk).update(licence_ends_on=dt.date(2020, 1, 1))


def change_role(scene: Scene) -> None:
    Person.objects.filter(pk=scene.people["dealer"].pk).update(role="cage")


def end_session(scene: Scene) -> None:
    Session.objects.all().delete()


def forge_nothing(scene: Scene) -> None:
    """What a tablet says of itself all the time changes nothing of who it is."""
    Device.objects.filter(pk=scene.tablet.pk).update(heard_at=clock.now(), battery_percent=80)


class Tablet:
    """A tablet that posts taps, as its page does."""

    def __init__(self, scene: Scene, signed_in: str = "dealer") -> None:
        self.scene, self.browser = scene, scene.browser(signed_in=signed_in)
        self.queries: list[str] = []  # of the last tap

    def tap(self, act: str, **params: Any) -> int:
        """Tap an act, and return the status of its answer."""
        body = {
            "command": str(uuid.uuid4()),
            "seen": self.scene.version,
            "params": params,
            "pushed": True,
        }
        with CaptureQueriesContext(connection) as queries:
            reply = self.browser.post(
                f"/floor/larkfield/T-01/acts/{act}", body, content_type="application/json"
            )
        self.queries = [query["sql"] for query in queries.captured_queries]
        return int(reply.status_code)

    def place(self, seat: int = 1) -> int:
        wager = {"seat": seat, "wager": "small", "cents": 2_500, "made_in": "chips"}
        return self.tap("place_wagers", wagers=[wager])


def test_a_tap_on_the_copy_reads_nothing_and_nobody(scene, ways):
    tablet = Tablet(scene)
    # The first tap shows a new cookie, which is written, so that who sent it is read once more
    assert [tablet.place(seat) for seat in (1, 2, 3)] == [200, 200, 200]
    assert ways.ways == ["rows", "copy", "copy"]
    reads = [sql for sql in tablet.queries if sql.startswith("SELECT") and "audit_append" not in sql]
    assert [sql.partition("(")[0] for sql in reads] == ["SELECT tables_guard"], tablet.queries


@pytest.mark.parametrize(
    ("change", "status"),
    [
        *[(reset_pin, 401), (revoke_device, 401), (end_session, 401), (lock_device, 423), (sign_off, 423)],
        *[(end_license, 403), (change_role, 403), (on_duty_until_now, 403), (inactive, 401), (halted, 423)],
        *[(with_another_entry, 200), (forge_nothing, 200)],
    ],
)
def test_a_tap_is_judged_by_the_rows_where_anything_has_changed_since_the_one_before(
    change, status, scene, ways
):
    tablet = Tablet(scene)
    assert [tablet.place(1), tablet.place(2), tablet.place(4)] == [200, 200, 200]
    assert ways.ways == ["rows", "copy", "copy"]
    change(scene)
    version = scene.version
    assert tablet.place(3) == status and scene.version == version + (status == 200)
    assert ways.last() == ("copy" if change is forge_nothing else "rows")


def test_a_refused_tap_of_a_revoked_tablet_shows_no_screen(scene, ways):
    """What is malformed is refused before any row is read."""
    tablet = Tablet(scene)
    assert [tablet.place(1), tablet.place(2), tablet.place(3)] == [200, 200, 200]
    revoke_device(scene)
    body = {"command": "none", "seen": scene.version, "params": {}}
    reply = tablet.browser.post(
        "/floor/larkfield/T-01/acts/place_wagers", body, content_type="application/json"
    )
    assert (reply.status_code, reply.json()["screen"]) == (422, None)


def test_only_acts_at_a_table_begin_with_who_is_remembered(scene, ways):
    tablet = Tablet(scene)
    assert [tablet.place(1), tablet.place(2), tablet.place(3)] == [200, 200, 200]
    revoke_device(scene)
    for address in ("/floor/larkfield/acts/register_shaker", "/sign-off"):
        reply = tablet.browser.post(address, {}, content_type="application/json")
        assert reply.status_code in (302, 401, 403), address


def test_rules_that_were_approved_between_two_rounds_bind_the_next_one(scene, ways):
    tablet = Tablet(scene)
    whole_round(scene)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # each change begins an epoch at once
    approve(scene)
    before = scene.version
    assert tablet.place() == 422 and ways.last() == "rows" and scene.version == before


def test_the_ticker_acts_between_two_taps(scene, ways):
    tablet = Tablet(scene)
    assert [tablet.place(1), tablet.place(2)] == [200, 200]
    DiceLot.objects.filter(shaker__table=scene.table).update(expires_at=clock.now() + dt.timedelta(minutes=5))
    before = scene.version
    assert scene.table.pk in tick() and scene.version > before
    assert [tablet.place(3), tablet.place(4)] == [200, 200]
    assert ways.ways[-2:] == ["rows", "copy"]


@pytest.mark.parametrize("ahead", [-3, 0.3])
def test_a_copy_is_old_where_the_clock_of_its_worker_is_not_that_of_the_database(
    ahead, scene, ways, monkeypatch
):
    scene.place((1, "small", 2_500))
    (copy,) = copies._copies.values()
    there = clock.estimated() + dt.timedelta(seconds=ahead)
    monkeypatch.setattr(clock, "estimated", lambda: there)
    assert guard_refuses(copy, scene)


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (RulesSubmission, {"status": "withdrawn"}),
        (Facility, {"name": "Larkfield Hall"}),
        (DiceLot, {"seal": "another"}),
        (Pit, {"name": "Another"}),
        (Approval, {"reference": "another"}),
        (Person, {"name": "Another"}),
    ],
)
@pytest.mark.django_db(transaction=True)
def test_another_epoch_begins_with_the_commit_that_changes_what_acts_read(model, values, scene, ways):
    scene.place((1, "small", 2_500))
    (copy,) = copies._copies.values()
    with transaction.atomic():
        model.objects.update(**values)
        assert not guard_refuses(copy, scene)  # as every other transaction still sees it
    assert guard_refuses(copy, scene)


@pytest.mark.django_db(transaction=True)
def test_two_commits_that_begin_an_epoch_do_not_wait_for_each_other_in_a_ring(scene):
    """1. This one locks a person.  2. The other changes a pit, and its foreign key waits for that person as it commits.
    3. This one changes the facility, and commits: the other must not hold the epoch while it waits.
    """
    dealer = scene.people["dealer"]

    def change_pit() -> None:
        with transaction.atomic():
            Pit.objects.update(name="Another")
            WrongPin.objects.create(person=dealer, typed_at=clock.now())
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Person.objects.select_for_update().get(pk=dealer.pk)
            other = pool.submit(change_pit)
            while not is_anybody_waiting():
                time.sleep(0.01)
            Facility.objects.update(name="Larkfield Hall")
        other.result()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM tables_epoch_due")
        assert cursor.fetchone() == (0,)


def is_anybody_waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pid FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchall())


def test_an_act_on_an_old_copy_is_refused_by_the_rows(scene, ways):
    scene.place((1, "small", 2_500))
    on_duty_until_now(scene)
    with pytest.raises(Forbidden):
        scene.act("shake", {"shakes": 3})
    assert ways.last() == "rows" and not copies._copies


def test_two_workers_act_at_one_table_in_turn(scene, ways):
    """Each has its copies, which the acts of the other make old."""
    workers: tuple[dict[Any, Any], ...] = ({}, {})
    for turn in range(6):
        copies._copies.clear()
        copies._copies.update(workers[turn % 2])
        scene.place((turn + 1, "small", 2_500))
        workers[turn % 2].update(copies._copies)
    wagers = list(Wager.objects.order_by("pk"))
    assert [wager.seat for wager in wagers] == [1, 2, 3, 4, 5, 6]  # in the order in which they were made
    assert ways.ways == ["rows"] * 6


def test_a_repeated_command_gets_its_first_answer(scene, ways):
    scene.place((1, "small", 2_500))
    command = uuid.uuid4()
    first = scene.act("shake", {"shakes": 3}, command=command)
    again = scene.act("shake", {"shakes": 3}, command=command, seen=first.version - 1)
    assert (again.is_repeat, again.version, again.body) == (True, first.version, first.body)


def test_a_refused_act_leaves_no_copy_and_changes_nothing(scene, ways):
    scene.place((1, "small", 2_500))
    before = rows_of_play()
    with scene.refused("no-such-wager"):
        scene.place((1, "no-such-wager", 2_500))
    assert ways.last() == "rows" and not copies._copies and rows_of_play() == before


def test_an_act_that_a_copy_lacks_something_for_drops_it(scene, ways):
    scene.place((1, "small", 2_500))
    scene.act("report_dispute", {"seat": 1, "about": "a late chip"})
    assert not copies._copies


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("then", [no_connection, Forbidden(NOT_ON_DUTY, facility="Larkfield")])
def test_nothing_is_said_of_an_act_that_may_have_been_committed_before_its_record_was_searched(
    then, scene, ways, monkeypatch
):
    """Its connection ended with the COMMIT, and the rows were never asked: a tablet asks again by the same id."""
    scene.place((1, "small", 2_500))
    before, send = scene.version, base.execute_together

    def commit_and_break(driver, statements):
        send(driver, statements)
        driver.close()
        monkeypatch.undo()
        monkeypatch.setattr(table_runner.TableRunner, "lock", refuse)
        raise psycopg.OperationalError("the connection broke")

    def refuse(runner, request):
        raise then() if callable(then) else then

    monkeypatch.setattr(base, "execute_together", commit_and_break)
    with pytest.raises(OperationalError, match="the connection broke") as unknown:
        scene.act("shake", {"shakes": 3})
    assert not says_nothing_was_begun(unknown.value)
    monkeypatch.undo()
    assert scene.version == before + 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_written", [False, True])
def test_an_act_whose_connection_breaks_as_it_is_sent_is_done_once(is_written, scene, ways, monkeypatch):
    scene.place((1, "small", 2_500))
    before, send, breaks = scene.version, base.execute_together, [True]

    def break_once(driver, statements):
        if not breaks:
            return send(driver, statements)
        breaks.clear()
        if is_written:
            send(driver, statements)
        driver.close()
        raise psycopg.OperationalError("the connection broke")

    monkeypatch.setattr(base, "execute_together", break_once)
    response = scene.act("shake", {"shakes": 3})
    assert not breaks and ways.last() == "rows"
    assert (response.is_repeat, scene.version) == (is_written, before + 1)
    assert Entry.objects.filter(stream=scene.table.stream_id, type="dice.shaken").count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_act_whose_session_is_ended_while_its_guard_waits_for_the_table_is_done_once(scene, ways):
    scene.place((1, "small", 2_500))
    before = scene.version

    def shake() -> table_runner.ActResponse:
        try:
            return scene.act("shake", {"shakes": 3})
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Table.objects.select_for_update().get(pk=scene.table.pk)
            act = pool.submit(shake)
            while not is_anybody_waiting():
                time.sleep(0.01)
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted")
                assert cursor.fetchall() == [(True,)]
        response = act.result()
    assert (response.is_repeat, scene.version, ways.last()) == (False, before + 1, "rows")
    assert Entry.objects.filter(stream=scene.table.stream_id, type="dice.shaken").count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_act_that_is_cut_after_any_of_its_statements_leaves_nothing(scene, ways, monkeypatch):
    scene.place((1, "small", 2_500))
    (copy,) = copies._copies.values()
    rows, send = rows_of_play(), base.execute_together
    sent = 0
    for cut in range(20):

        def cut_off(driver, statements, cut=cut):
            nonlocal sent
            sent = len(statements)
            if cut >= sent:
                return send(driver, statements)
            return send(driver, [*statements[:cut], ("SELECT 1 / 0", [])])

        copies._copies["larkfield", "T-01"] = python_copy.deepcopy(copy)
        request = table_runner.ActRequest(
            "larkfield",
            "T-01",
            "shake",
            uuid.uuid4(),
            scene.version,
            {"shakes": 3},
            scene.people["dealer"],
            scene.tablet,
        )
        with monkeypatch.context() as patched:
            patched.setattr(base, "execute_together", cut_off)
            response, _unknown = table_runner.RUNNER._execute_on_copy(request)
        if response is not None:
            break
        assert rows_of_play() == rows, cut
    assert sent == cut >= 4


def test_the_login_of_the_web_workers_acts_on_copies_and_writes_no_epoch(scene, ways):
    connection.check_constraints()  # no deferred check may wait while tables are altered
    call_command("provision_roles", stdout=io.StringIO())
    tablet = Tablet(scene)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {provision_roles.WEB}")
    assert [tablet.place(1), tablet.place(2), tablet.place(3)] == [200, 200, 200]
    scene.to_the_dice()
    assert ways.ways[0] == "rows" and set(ways.ways[1:]) == {"copy"}
    for forbidden in ("UPDATE tables_epoch SET epoch = gen_random_uuid()", "DELETE FROM tables_epoch"):
        with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(forbidden)
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
