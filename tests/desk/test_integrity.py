"""The integrity page: what is well, what waits, and what is wrong, in words."""

import datetime as dt
import hashlib
from pathlib import Path

import pytest
from django.db import transaction

from audit import clock, notes, record
from audit.entries import RECORD_VERIFIED
from audit.models import Cosignature, Job, Seal, SealerStatus
from audit.sealing import keys, state
from audit.sealing.declarations import declare_incarnation, write_on_system
from audit.sealing.log import Log
from audit.sealing.sealer import Sealer
from games.models import Facility
from tables.desk import integrity
from tables.models import Alert, Table
from tests.services.entries import any_entry

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
SECOND = dt.timedelta(seconds=1)


@pytest.fixture
def sealer(hands, scene, tmp_path, settings):
    """A sealer that has sealed what stands, and was heard just now."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    folder = keys.folder()
    keys.create(folder)
    sealer = Sealer(folder)
    sealer.seal()
    heard(hands)
    return sealer


def heard(hands, **values):
    SealerStatus.objects.update_or_create(pk=1, defaults={"beat_at": hands.now, **values})


def stand(scene, hands):
    return integrity.read_integrity(scene.table.facility, hands.now)


def told(scene, hands):
    return {check.text: check.state for check in stand(scene, hands).checks}


def page(scene, by="compliance"):
    answer = scene.browser("podium", by).get("/record/larkfield/integrity/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_before_the_first_seal_nothing_is_sealed(hands, scene):
    assert told(scene, hands) == {
        "Nothing is sealed yet": "waits", "No witness": "waits", "Never fully verified": "waits",
        "Every screen agrees with the record": "ok",
    }  # fmt: skip
    assert "No key is on the record yet." in page(scene)


def test_an_old_seal_is_good_if_it_covers_every_entry(hands, scene, sealer):
    hands.now += dt.timedelta(hours=3)
    heard(hands)
    assert told(scene, hands)["Everything is sealed"] == "ok"
    assert stand(scene, hands).checks[0].detail == "last seal 3 h ago"


def test_an_unsealed_entry_is_reported_after_ten_seconds(hands, scene, sealer):
    hands.now += SECOND
    scene.place((1, "small", 2_500))
    hands.now += 10 * SECOND
    heard(hands)
    assert told(scene, hands)["Everything is sealed"] == "ok"
    hands.now += SECOND
    heard(hands)
    assert told(scene, hands)["Entries are waiting to be sealed"] == "waits"
    assert stand(scene, hands).checks[0].detail == "for 11 s; check that the sealer is running"
    sealer.seal()
    assert told(scene, hands)["Everything is sealed"] == "ok"


def test_a_sealer_that_stopped_reporting_is_shown_as_silent(hands, scene, sealer):
    hands.now += 21 * SECOND
    assert told(scene, hands)["The sealer is silent"] == "waits"


def test_a_rolled_back_record_is_reported_at_the_top(hands, scene, sealer):
    heard(hands, problem="record-went-back", params={"signed": 9, "found": 3}, since=hands.now)
    assert told(scene, hands)["The sealer has stopped"] == "bad" and stand(scene, hands).verdict == "bad"
    text = page(scene)
    assert "The sealer has stopped since 21 Nov 2026 10:00:00" in text
    assert "9 seals were signed, and the database has 3 of them" in text


def test_each_casino_is_shown_its_own_log_alone(hands, scene, sealer):
    """Seabright plays beside Larkfield, and its log has stopped: Larkfield sees neither name, nor wait, nor problem."""
    seabright = Facility.objects.create(code="seabright", name="Seabright", jurisdiction="NJ")
    with transaction.atomic():
        day = hands.now.date()
        record.append(
            record.lock_stream("seabright/T-09"), entry=any_entry("x.y"), moment=hands.now, gaming_day=day
        )
    waiting = integrity.read_integrity(seabright, hands.now + 11 * SECOND)
    assert waiting.checks[0].text == "Nothing is sealed yet"
    sealer.seal()
    problem = {"code": "head-went-back", "params": {"stream": "seabright/T-09", "seq": 7}}
    theirs = {
        "problem": problem["code"],
        "params": problem["params"],
        "since": clock.format_moment(hands.now),
    }
    heard(hands, logs={"seabright": theirs})
    own, foreign = stand(scene, hands), integrity.read_integrity(seabright, hands.now)
    assert (own.log.origin, foreign.log.origin) == (
        "pitside.local/record/1",
        "pitside.local/record/seabright/1",
    )
    assert (own.seal.facility, foreign.seal.facility) == ("", "seabright")
    assert (own.verdict, foreign.verdict) == ("waits", "bad") and own.problem == ""
    assert foreign.checks[0].detail.startswith("The record of seabright/T-09 was rolled back: entry 7")
    text = page(scene)
    assert "pitside.local/record/1" in text and "seabright" not in text
    assert integrity.incarnations(seabright)[0]["origin"] == "pitside.local/record/seabright/1"


def test_the_page_shows_how_far_behind_a_witness_is(hands, scene, sealer):
    checkpoint = Seal.objects.get().incarnation.checkpoints.get()
    signer = notes.Signer("witness.example/w1", bytes(range(32)), notes.COSIGNATURE)
    note = notes.Note.read(checkpoint.note)
    Cosignature.objects.create(
        checkpoint=checkpoint, name=signer.name, line=signer.signature(note.text, 7).line, at=hands.now
    )
    scene.place((1, "small", 2_500))
    sealer.seal()
    heard(hands, witnesses={signer.name: {"url": "http://w", "size": 1, "at": None, "said": ""}})
    (witness,) = stand(scene, hands).witnesses
    assert (witness.size, witness.behind, witness.problem) == (1, 1, "")
    assert told(scene, hands)["Cosigned by witness.example/w1"] == "ok"
    heard(hands, witnesses={signer.name: {"url": "http://w", "size": 1, "at": None, "said": "unreachable"}})
    assert told(scene, hands)["witness.example/w1"] == "waits"
    assert "cannot be reached" in page(scene)


def verified(hands, **changes):
    figures = {
        "bad": 0, "checkpoints": 4, "entries": 1_234, "first_bad": None, "outcome": "good", "seals": 4, "streams": 7,
        "unsealed": 0, "unknown_witnesses": 0, "witnessed": 4, "asked_by": "", "facility": "", "job": None,
        "kind": "verification",
    }  # fmt: skip
    return write_on_system(RECORD_VERIFIED.of({**figures, **changes}), hands.now)


def test_the_last_full_verification_is_good_for_a_week(hands, scene, sealer):
    verified(hands, outcome="bad", bad=1, first_bad={"what": "never-heard-of"})
    appended = verified(hands)
    assert told(scene, hands)["Fully verified 0 s ago"] == "ok"
    text = page(scene)
    assert "1,234 entries of 7 streams" in text
    assert f"/record/larkfield/entries/installation/system/{appended.seq}/" in text
    hands.now += dt.timedelta(days=8)
    assert told(scene, hands)["Fully verified 8 days ago"] == "waits"


def test_a_verification_with_a_finding_names_it(hands, scene, sealer):
    bad = {"what": "sealed-entry-missing", "stream": "larkfield/T-01", "seq": 7, "number": 3}
    verified(hands, outcome="bad", bad=2, first_bad=bad)
    assert told(scene, hands)["The last full verification found a fault"] == "bad"
    assert "larkfield/T-01 has no entry 7, but seal 3 lists it" in page(scene)


def test_a_running_verification_shows_its_progress_and_is_not_requested_twice(hands, scene, sealer):
    assert 'data-open="ask-verification">' in page(scene)
    Job.objects.create(
        facility="larkfield",
        kind="verification",
        asked_at=hands.now,
        status="running",
        entries_done=400,
        total=1_000,
    )
    text = page(scene)
    assert "Verifying: 400 of 1,000" in text and 'data-open="ask-verification" disabled' in text


def test_people_who_may_not_export_cannot_request_a_verification(hands, scene, sealer):
    assert "ask-verification" not in page(scene, by="surveillance")


def test_a_halted_table_and_the_alerts_of_the_record_are_shown(hands, scene, sealer):
    Alert.objects.create(
        table=scene.table, kind="head-not-ours", key="head-not-ours", level="warn", raised_at=hands.now,
        params={"device": "Tablet 9"},
    )  # fmt: skip
    assert told(scene, hands)["A screen showed a forged head"] == "waits"
    assert "Tablet 9 sent a state of this table" in page(scene)
    Table.objects.update(halted_at=hands.now)
    assert told(scene, hands)["Halted: T-01"] == "bad"
    assert "T-01 is halted since 21 Nov 2026 10:00:00" in page(scene)
    seabright = Facility.objects.create(code="seabright", name="Seabright", jurisdiction="NJ")
    foreign = integrity.read_integrity(seabright, hands.now)
    assert (foreign.halted, foreign.alerts) == ((), ())


def test_keys_and_incarnations_are_shown_with_their_times(hands, scene, sealer):
    people = scene.people
    folder_state = state.read(sealer.folder)
    declare_incarnation(people["compliance"], people["gaming-agent"], "disk lost", {"": folder_state})
    text = page(scene)
    key = integrity.signing_keys(scene.table.facility)[0]["vkey"]
    assert key.startswith("pitside.local/record/1+") and key.replace("+", "&#x2B;") in text.replace(
        "+", "&#x2B;"
    )
    assert "signs no current log" in text
    assert "declared by Compliance with Gaming Agent: disk lost" in text
    assert "checkpoint 1 found, 1 signed" in " ".join(text.split())


def test_the_page_lists_the_keys_of_the_logs_of_its_facility_alone(hands, scene, sealer):
    """Also to those who read along, another casino's key would name it."""
    seabright = Facility.objects.create(code="seabright", name="Seabright", jurisdiction="NJ")
    with transaction.atomic():
        stream = record.lock_stream("seabright/T-1")
        entry = any_entry("round.opened", {"round": 1})
        record.append(stream, entry=entry, moment=hands.now, gaming_day=hands.now.date())
    sealer.seal()
    origins = {"larkfield": "pitside.local/record/1", "seabright": "pitside.local/record/seabright/1"}
    for facility in (scene.table.facility, seabright):
        rows = integrity.signing_keys(facility)
        assert [(row["key"].name, row["signs"]) for row in rows] == [(origins[facility.code], True)]
    assert "seabright" not in page(scene)


def test_the_sha256_of_the_checker_is_published(hands, scene, sealer):
    assert hashlib.sha256(Path("audit/verify.py").read_bytes()).hexdigest() in page(scene)


def test_the_plot_counts_seals_by_the_minute(hands, scene, sealer):
    for _ in range(3):
        hands.now += SECOND
        scene.place((1, "small", 2_500))
        sealer.seal()
    hands.now += dt.timedelta(minutes=2)
    scene.place((1, "big", 2_500))
    sealer.seal()
    columns, most = integrity.seals_per_minute(Log(Seal.objects.first().incarnation), hands.now)
    assert [(place, bar.seals) for place, bar in enumerate(columns) if bar.seals] == [(57, 4), (59, 1)]
    assert (most, columns[57].height, columns[57].y) == (6, 66, 34)
