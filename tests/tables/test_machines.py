"""What each ticker finds on its machine, and the alerts about it."""

import datetime as dt
import shutil
import socket
import ssl
import threading
from collections import namedtuple
from dataclasses import asdict

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from audit import clock
from audit.entries import RESTORE_DRILLED
from audit.sealing.declarations import write_on_system
from tables import machines
from tables.machines import Certificate, MachineReport, machine_reports, report_machine
from tables.models import Alert, TickerStatus
from tables.ticker import tick

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
DAY = dt.timedelta(days=1)
KINDS = {"certificate-ends", "clock-offset", "disk-low", "restore-due"}


@pytest.fixture
def ticking(scene):
    return TickerStatus.objects.create(pk=1, beat_at=clock.now())


def reported(machine="floor-1", after=dt.timedelta(), **changes):
    """A ticker reported this of its machine, so long ago."""
    row = TickerStatus.objects.get(pk=1)
    row.machines[machine] = asdict(MachineReport(clock.format_moment(clock.now() - after), **changes))
    row.save()


def standing():
    """The alerts of this topic whose cause stands: kind and level."""
    tick()
    rows = Alert.objects.filter(ended_at=None, kind__in=KINDS).order_by("kind")
    return [(alert.kind, alert.level) for alert in rows]


def certificate(left, life):
    end = clock.now() + left
    return Certificate(clock.format_moment(end - life), clock.format_moment(end))


@pytest.mark.parametrize(
    ("percent", "level"), [(20, None), (19, "info"), (10, "info"), (9, "warn"), (0, "warn")]
)
def test_a_disk_is_noticed_under_a_fifth_and_warned_of_under_a_tenth(ticking, percent, level):
    reported(disks={"/srv": percent, "/": 80})
    assert standing() == ([("disk-low", level)] if level else [])


def test_a_disk_that_goes_on_filling_up_is_warned_of_and_one_with_room_again_is_not(ticking, scene):
    reported(disks={"/srv": 15})
    assert standing() == [("disk-low", "info")]
    reported(disks={"/srv": 4})
    assert standing() == [("disk-low", "warn")]
    (shown,) = [alert for alert in scene.snapshot["alerts"] if alert["standing"]]
    assert shown["text"].startswith("4% of a disk of floor-1 were free (/srv).")
    assert "Delete nothing of the record" in shown["text"]
    reported(disks={"/srv": 40})
    assert standing() == []


@pytest.mark.parametrize(
    ("offset_ms", "stands"), [(2_000, False), (-2_000, False), (2_400, True), (-90_000, True)]
)
def test_clocks_may_differ_by_two_seconds(ticking, offset_ms, stands):
    reported(offset_ms=offset_ms)
    assert standing() == ([("clock-offset", "warn")] if stands else [])


@pytest.mark.parametrize(
    ("left", "life", "stands"),
    [
        (13 * DAY, 90 * DAY, True),
        (15 * DAY, 90 * DAY, False),
        (DAY / 8, DAY / 2, False),
        (DAY / 12, DAY / 2, True),
        (-DAY, 90 * DAY, True),
    ],
)
def test_a_certificate_ends_two_weeks_or_a_fifth_of_its_life_before(ticking, left, life, stands):
    reported(certificates={"pitside.casino": certificate(left, life), "away": Certificate()})
    assert standing() == ([("certificate-ends", "warn")] if stands else [])


def test_two_tickers_do_not_contradict_each_other_and_one_that_is_gone_says_nothing(ticking, monkeypatch):
    reported("floor-1", disks={"/": 5})
    monkeypatch.setattr(machines.socket, "gethostname", lambda: "floor-2")
    monkeypatch.setattr(machines, "free_percents", lambda: {"/": 70})
    report_machine()
    assert set(machine_reports(clock.now())) == {"floor-1", "floor-2"}
    assert standing() == [("disk-low", "warn")]
    reported("floor-1", after=machines.FRESH + dt.timedelta(seconds=1), disks={"/": 5})
    assert standing() == []
    report_machine()
    assert set(TickerStatus.objects.get().machines) == {"floor-2"}


def test_a_restore_is_due_after_eight_days_where_the_log_is_archived(ticking, monkeypatch):
    def drilled(outcome):
        result = {
            "why": "", "backup": "", "entries": 1, "streams": 1, "bad": 0, "compared": 1, "behind_seconds": 0,
            "seconds": 9,
        }  # fmt: skip
        write_on_system(RESTORE_DRILLED(outcome=outcome, **result), clock.now())

    start = clock.now()
    with clock.override(start + 9 * DAY):
        assert standing() == [], "nothing is archived here"
        monkeypatch.setattr(machines, "archives_its_log", lambda: True)
        assert standing() == [("restore-due", "info")], "never drilled"
        drilled("could-not-run")
        assert standing() == [("restore-due", "info")], "what could not run has not passed"
        drilled("passed")
        assert standing() == []
    with clock.override(start + 16 * DAY):
        drilled("failed")
        assert standing() == []
    with clock.override(start + 18 * DAY):
        assert standing() == [("restore-due", "info")]


def test_it_measures_each_disk_once_and_passes_over_a_folder_that_is_not_there(
    settings, monkeypatch, tmp_path
):
    Usage = namedtuple("Usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage(1_000, 871, 129))
    settings.WATCHED_FOLDERS = [str(settings.BASE_DIR / "docs"), str(tmp_path / "none")]
    assert machines.free_percents() == {str(settings.BASE_DIR): 12}


def test_a_process_that_is_not_watched_by_a_time_server_says_so_or_nothing(monkeypatch):
    assert machines.is_synchronized() in (True, False, None)
    monkeypatch.setattr(machines.sys, "platform", "darwin")
    assert machines.is_synchronized() is None


# A server with a certificate of its own


@pytest.fixture
def server(tmp_path):
    """The port of a TLS server whose certificate counts for ten days, of which one is over."""
    began = clock.now().replace(microsecond=0) - DAY
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "pitside.casino")])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 7, began, began + 10 * DAY)
    made = builder.sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    (tmp_path / "cert.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(pem)
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert.pem")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            line, _ = listening.accept()
            with line, context.wrap_socket(line, server_side=True) as secure:
                secure.recv(1)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listening.getsockname()[1], began
        thread.join(5)


def test_it_reads_the_certificate_that_a_server_shows_whoever_signed_it(server, settings, ticking):
    port, began = server
    settings.WATCHED_CERTIFICATES = [f"pitside.casino@127.0.0.1:{port}", "nobody@127.0.0.1:1"]
    read = machines.measure().certificates
    assert read["pitside.casino"] == Certificate(
        clock.format_moment(began), clock.format_moment(began + 10 * DAY)
    )
    assert read["nobody"] == Certificate()
    assert not read["pitside.casino"].is_ending(clock.now())
    assert read["pitside.casino"].is_ending(clock.now() + 8 * DAY)
