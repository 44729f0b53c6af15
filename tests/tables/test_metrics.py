"""What each process counts, what is read of the whole installation, and where both are served."""

import datetime as dt
import json
import logging
import re
import time
import uuid
from urllib.request import urlopen

import pytest
from channels.db import database_sync_to_async
from django.db import DatabaseError, OperationalError
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from audit import clock, metrics
from audit.models import Checkpoint, Entry, Job, SealerStatus
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from config.postgresql.base import DatabaseWrapper
from tables import monitoring
from tables.models import Alert, FiguresSchedule, TickerStatus
from tables.monitoring import FIGURES, Installation, Source
from tables.screens import push
from tables.views import acts
from tests.services.installation import free_port
from tests.tables.test_sockets import TABLE, Socket, browser

pytestmark = pytest.mark.both_databases
ACT = "/floor/larkfield/T-01/acts/"
LAY = {"wagers": [{"seat": 1, "wager": "small", "cents": 2_500}]}
SECOND = dt.timedelta(seconds=1)


def value(name, **labels):
    return metrics.REGISTRY.get_sample_value(name, labels) or 0.0


def send(browser, scene, act="place_wagers", params=LAY, **changed):
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": params, **changed}
    return browser.post(ACT + act, json.dumps(body), content_type="application/json")


# What a process counts


def test_it_counts_each_act_once_by_what_became_of_it(scene, monkeypatch):
    tablet, command = scene.browser("tablet", "dealer"), str(uuid.uuid4())
    tablet.raise_request_exception = False
    outcomes = [
        ("taken", ""), ("repeated", ""), ("refused", "stale"), ("refused", "unknown-act"), ("refused", "malformed"),
        ("busy", ""), ("error", ""),
    ]  # fmt: skip

    def counts():
        return [
            value("pitside_acts_total", place="table", outcome=outcome, code=code)
            for outcome, code in outcomes
        ]

    def fail(error):
        def perform(*_):
            raise error

        monkeypatch.setattr(acts, "_perform", perform)

    before = counts()
    assert send(tablet, scene, command=command).status_code == 200
    assert send(tablet, scene, command=command, seen=scene.version - 1).json()["again"] is True
    assert send(tablet, scene, "shake", {"shakes": 3}, seen=scene.version + 1).status_code == 409
    assert send(tablet, scene, "open_the_safe").status_code == 404
    assert send(tablet, scene, params=[]).status_code == 422
    fail(OperationalError("database is locked"))
    assert send(tablet, scene).status_code == 503
    fail(ZeroDivisionError())
    assert send(tablet, scene).status_code == 500
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [1] * len(outcomes)


def test_the_seconds_of_an_act_begin_with_its_tap_and_a_repetition_counts_none(scene):
    tablet, command = scene.browser("tablet", "dealer"), str(uuid.uuid4())
    count, total = (f"pitside_tap_to_commit_seconds_{part}" for part in ("count", "sum"))
    acts_before, seconds_before = value(count, place="table"), value(total, place="table")
    tapped = {"clock": clock.format_moment(clock.now() - 3 * SECOND), "waited_ms": 3_000}
    for _ in range(2):
        assert send(tablet, scene, command=command, tapped=tapped).status_code == 200
    assert value(count, place="table") == acts_before + 1
    assert 3 <= value(total, place="table") - seconds_before < 60


async def test_it_counts_open_sockets_and_the_seconds_from_a_tap_to_their_screens(committed):
    tablet = await browser(committed, "tablet", "dealer")
    sockets = value("pitside_sockets", station="dealer")
    shown = value("pitside_tap_to_screen_seconds_count", station="dealer")
    socket = Socket(TABLE + "dealer", tablet)
    await socket.opened()
    assert value("pitside_sockets", station="dealer") == sockets + 1
    assert 0 < metrics.heartbeats.seconds() < 60
    await database_sync_to_async(committed.place)((1, "small", 2_500))
    state = await push.publish(committed.table.pk)
    await socket.heard()
    assert value("pitside_tap_to_screen_seconds_count", station="dealer") == shown, "nobody has tapped this"
    push._send(state, time.monotonic() - 2)
    push.sockets_of_loop().note_shown("dealer", {**state.snapshot, "version": state.version - 1})
    assert value("pitside_tap_to_screen_seconds_count", station="dealer") == shown, "an older state"
    push.sockets_of_loop().note_shown("dealer", state.snapshot)
    assert value("pitside_tap_to_screen_seconds_count", station="dealer") == shown + 1
    await push.delivery().flush()
    await socket.leave()
    assert value("pitside_sockets", station="dealer") == sockets


def test_heartbeats_have_an_age_only_while_a_socket_is_open():
    now = 100.0
    age = metrics.HeartbeatAge(lambda: now)
    assert age.seconds() == 0
    with age.socket("dealer"):
        now = 107.0
        assert age.seconds() == 7
        age.worked()
        assert age.seconds() == 0
        with age.socket("dealer"):
            now = 110.0
            assert age.seconds() == 3, "another socket makes it no younger"
    assert age.seconds() == 0


async def test_it_counts_the_pushes_that_redis_did_not_take(monkeypatch):
    async def refuse(*_):
        raise ConnectionError("away")

    monkeypatch.setattr(push, "_send_in_order", refuse)
    before = value("pitside_lost_pushes_total")
    for number in range(3):
        push.delivery().add([("group", {"type": "screen", "version": number})])
    await push.delivery().flush()
    push.delivery().add([("group", {"type": "screen", "version": 4})])
    assert value("pitside_lost_pushes_total") == before + 4
    push.delivery().worked()


# What is read of the installation


def read(name, now=None):
    (declared,) = [declared for declared in FIGURES if declared.name == name]
    return dict(declared.read(Source("default", now or clock.now())))


def test_the_oldest_unsealed_entry_is_the_first_one_after_the_last_seal_of_its_stream(scene, tmp_path):
    name = "pitside_oldest_unsealed_entry_seconds"
    oldest = Entry.objects.filter(seq=1).order_by("at").first().at
    assert read(name, oldest + 90 * SECOND) == {(): 90.0}
    (tmp_path / keys.KEY_FOLDER).mkdir()
    keys.create(tmp_path)
    Sealer(tmp_path).seal()
    Sealer(tmp_path).seal()
    assert read(name) == {(): 0.0}
    scene.place((1, "small", 2_500))
    unsealed = Entry.objects.get(stream=scene.table.stream, seq=scene.version)
    scene.place((2, "small", 2_500))
    assert read(name, unsealed.at + 8 * SECOND) == {(): 8.0}


def test_a_witness_lags_by_the_oldest_checkpoint_that_it_has_not_cosigned(scene, tmp_path):
    (tmp_path / keys.KEY_FOLDER).mkdir()
    keys.create(tmp_path)
    first = Sealer(tmp_path).seal()
    assert first is not None
    now, newest = clock.now(), Checkpoint.objects.filter(facility="").latest("size")
    seen = {"url": "", "size": 0, "at": None, "said": "", "since": ""}
    cosigned = {**seen, "size": newest.size, "at": clock.format_moment(now - 5 * SECOND)}
    SealerStatus.objects.update_or_create(
        pk=1, defaults={"beat_at": now - 2 * SECOND, "problem": "", "witnesses": {"w1": seen, "w2": cosigned}}
    )
    oldest = Checkpoint.objects.filter(facility="").order_by("size").first()
    lag = read("pitside_cosignature_lag_seconds", oldest.at + 30 * SECOND)
    assert lag == {("first", "w1"): 30.0, ("first", "w2"): 0.0}
    assert read("pitside_cosignature_age_seconds", now) == {("first", "w2"): 5.0}
    assert read("pitside_sealer_age_seconds", now) == {(): 2.0}
    assert read("pitside_log_not_sealed") == {}
    SealerStatus.objects.update(problem="key-missing")
    assert read("pitside_log_not_sealed") == {("first", "key-missing"): 1.0}


def test_it_reads_the_ticker_the_jobs_and_the_alerts_of_real_play(scene):
    now = clock.now()
    assert read("pitside_ticker_age_seconds") == {}, "before the first ticker"
    TickerStatus.objects.create(pk=1, beat_at=now - 4 * SECOND, failing=["write_rollups"])
    assert read("pitside_ticker_age_seconds", now) == {(): 4.0}
    assert read("pitside_ticker_failing") == {("write_rollups",): 1.0}
    assert read("pitside_oldest_waiting_job_seconds") == {(): 0.0}
    Job.objects.create(facility="larkfield", kind="csv", asked_at=now - 9 * SECOND)
    assert read("pitside_jobs") == {("waiting",): 1.0, ("running",): 0.0}
    assert read("pitside_oldest_waiting_job_seconds", now) == {(): 9.0}
    scene.act("call_floor", {"to": "floor"})
    alert = Alert.objects.get(kind="floor-call")
    assert read("pitside_alerts") == {("floor-call", "warn"): 1.0}
    assert read("pitside_oldest_alert_seconds", alert.raised_at + 20 * SECOND) == {
        ("floor-call", "warn"): 20.0
    }
    type(scene.table).objects.update(kind="training")
    assert read("pitside_alerts") == {}, "training calls nobody"


def test_it_reads_what_waits_to_be_delivered_and_what_was_given_up(scene):
    now = clock.now()
    nothing = dict.fromkeys(
        [(kind, status) for kind in ("report", "webhook") for status in ("due", "failed", "unsure")], 0
    )
    assert read("pitside_deliveries") == nothing
    schedule = FiguresSchedule.objects.create(
        facility=scene.table.facility,
        name="daily",
        every="day",
        declared_at=now,
        declared_by=scene.people["compliance"],
        declared_with=scene.people["surveillance"],
    )
    day = {"first_day": now.date(), "last_day": now.date(), "next_try_at": now - 70 * SECOND}
    schedule.reports.create(period="a", **day)
    schedule.reports.create(period="b", status="unsure", **day)
    assert read("pitside_deliveries") == {**nothing, ("report", "due"): 1, ("report", "unsure"): 1}
    assert read("pitside_late_delivery_seconds", now) == {("report",): 70.0, ("webhook",): 0.0}


@pytest.mark.postgres
def test_it_compares_the_clock_of_the_machine_with_that_of_the_database(db, monkeypatch):
    assert abs(read("pitside_clock_offset_seconds")[()]) < 1
    monkeypatch.setattr(monitoring.time, "time", lambda now=time.time: now() + 30)
    assert read("pitside_clock_offset_seconds")[()] == pytest.approx(30, abs=1)
    assert read("pitside_standbys") == {(): 0.0}


@pytest.mark.django_db
def test_what_cannot_be_read_is_missing_and_the_rest_is_there(monkeypatch):
    def fail(_source):
        raise DatabaseError("permission denied")
        yield

    failing = monitoring.Figure("pitside_failing", "", (), fail)
    monkeypatch.setattr(monitoring, "FIGURES", [failing, *FIGURES])
    monkeypatch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.close", lambda _self: None)
    families = {family.name: family for family in Installation("default").collect()}
    assert families["pitside_figures_missing"].samples[0].value == 1
    assert "pitside_failing" not in families and "pitside_jobs" in families


@pytest.mark.django_db
def test_reading_ends_after_three_seconds_and_what_was_read_is_kept_for_five(monkeypatch):
    now, reads = 0.0, []

    def slow(_source):
        nonlocal now
        now += 2.0
        reads.append(now)
        yield (), 1.0

    monkeypatch.setattr(
        monitoring, "FIGURES", [monitoring.Figure(f"slow_{n}", "", (), slow) for n in range(4)]
    )
    monkeypatch.setattr("django.db.backends.base.base.BaseDatabaseWrapper.close", lambda _self: None)
    installation = Installation("default", lambda: now)
    names = {family.name: family.samples for family in installation.collect()}
    assert len(reads) == 2 and names["pitside_figures_missing"][0].value == 2
    now += 4.9
    installation.collect()
    assert len(reads) == 2
    now += 0.2
    installation.collect()
    assert len(reads) == 4


@pytest.mark.postgres
def test_it_reads_on_a_connection_of_its_own_that_may_not_write_and_waits_a_second_at_most(db):
    own = monitoring._settings_of_own()
    assert "pool" not in own["OPTIONS"]
    line = DatabaseWrapper(own, "default")
    with line.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("1s",)
        with pytest.raises(DatabaseError, match="read-only"):
            cursor.execute("UPDATE audit_stream SET lockable = true")
    line.close()


# Where it is served


@pytest.fixture
def registry(monkeypatch):
    from prometheus_client import CollectorRegistry

    registry = CollectorRegistry()
    monkeypatch.setattr(metrics, "REGISTRY", registry)
    return registry


def test_the_public_address_never_serves_metrics(db, settings):
    for listen in ("", "127.0.0.1:9"):
        settings.METRICS_LISTEN = listen
        assert Client().get("/metrics").status_code == 404


def test_without_the_setting_nothing_listens_and_nothing_is_read(settings, registry, monkeypatch):
    settings.METRICS_LISTEN = ""
    monkeypatch.setattr(metrics, "start_http_server", lambda *_: pytest.fail("it listens"))
    monitoring.watch_installation()
    assert list(registry.collect()) == []


def test_a_listener_of_its_own_serves_them_and_a_taken_address_stops_no_process(settings, caplog):
    settings.METRICS_LISTEN = f"127.0.0.1:{free_port()}"
    metrics.listen()
    with urlopen(f"http://{settings.METRICS_LISTEN}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    names = {family.name for family in text_string_to_metric_families(text)}
    assert {
        "pitside_acts",
        "pitside_sockets",
        "pitside_heartbeat_age_seconds",
        "process_cpu_seconds",
    } <= names
    metrics.listen()
    (line,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert settings.METRICS_LISTEN in line and "address of its own" in line


LABELS = {
    "version", "place", "outcome", "code", "station", "log", "reason", "witness", "check", "status", "kind", "level",
    "standby", "state", "le", "machine", "folder", "certificate", "implementation", "major", "minor", "patchlevel",
}  # fmt: skip


def test_no_label_has_a_person_an_amount_or_words_that_somebody_typed(scene):
    tablet = scene.browser("tablet", "dealer")
    secret = f"secret {uuid.uuid4()}"
    send(tablet, scene)
    scene.act("report_dispute", {"seat": 1, "about": secret})
    send(tablet, scene, secret)
    samples = [sample for family in metrics.REGISTRY.collect() for sample in family.samples]
    with_figures = [
        labels for declared in FIGURES for labels in declared.read(Source("default", clock.now()))
    ]
    assert {name for sample in samples for name in sample.labels} <= LABELS
    assert {name for declared in FIGURES for name in declared.labels} <= LABELS
    text = f"{samples} {with_figures}"
    people = [scene.people[role] for role in ("dealer", "floorperson")]
    for word in (secret, "2500", *(person.code for person in people), *(person.name for person in people)):
        assert not re.search(rf"'{re.escape(word)}'", text), word
