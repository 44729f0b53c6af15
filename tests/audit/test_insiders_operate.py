"""Stories of thieves at the edge of the installation: what they do, what stops them, and who is told."""

import io
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from audit import clock
from audit.management.commands import provision_roles
from audit.models import Checkpoint
from audit.sealing import keys
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.process import SealerSession
from audit.sealing.sealer import Sealer
from audit.sealing.status import health_problem

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]
OPERATE_LOGIN, OPERATE_PASSWORD = "operate_reading_tool", "of-this-test-alone"
OPERATE_FORMER_LOCK = 0x5EA1_0001  # the advisory lock of earlier releases


@pytest.fixture
def operate_folder(tmp_path, settings) -> Path:
    settings.SEALER_DIR = str(tmp_path / "sealer")
    return keys.folder()


@pytest.fixture
def operate_reader():
    """A connection of a login that may read everything, such as a tool of surveillance has."""
    call_command("provision_roles", stdout=io.StringIO())
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE ROLE {OPERATE_LOGIN} LOGIN PASSWORD '{OPERATE_PASSWORD}' IN ROLE {provision_roles.AUDITOR}"
        )
    given = connection.get_connection_params()
    address = {name: given[name] for name in ("host", "port", "dbname") if given.get(name)}
    try:
        with psycopg.connect(
            **address, user=OPERATE_LOGIN, password=OPERATE_PASSWORD, autocommit=True
        ) as reader:
            yield reader
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP ROLE {OPERATE_LOGIN}")


@pytest.mark.postgres
def test_who_only_reads_the_database_cannot_keep_the_sealer_from_sealing(
    operate_folder, operate_reader, write
):
    """He waits for a restart of the sealer and takes what it locks. Then nothing is sealed, and he can rewrite.

    What he can lock is no lock of the sealer, and what the sealer locks he may not lock. So nobody needs to be told.
    """
    keys.create(operate_folder)
    operate_reader.execute("SELECT pg_advisory_lock(%s)", [OPERATE_FORMER_LOCK])
    for statement in (
        "SELECT 1 FROM audit_sealerlease FOR UPDATE",
        "SELECT 1 FROM audit_sealerlease FOR KEY SHARE",
        "LOCK TABLE audit_sealerlease IN ROW EXCLUSIVE MODE",
        "UPDATE audit_sealerlease SET holder = 'me'",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), operate_reader.transaction():
            operate_reader.execute(statement.encode())
    with operate_reader.transaction():
        operate_reader.execute("SELECT * FROM audit_sealerlease")
        operate_reader.execute("LOCK TABLE audit_sealerlease IN ACCESS SHARE MODE")
        lock = LeaderLock(operate_folder)
        assert lock.acquire()
        write()
        assert Sealer(operate_folder, lock=lock).seal().size == 1
        lock.release()


def test_who_runs_a_sealer_of_his_own_cannot_replace_the_one_on_record(operate_folder, tmp_path, write):
    """He has the keys of a backup and starts a sealer with them, in a folder that lacks what was signed.

    The lease names the folder from which the record is sealed. His sealer seals nothing and says so in its log and
    check; the one on record goes on. To seal from another folder, two people declare a new incarnation.
    """
    keys.create(operate_folder)
    lock = LeaderLock(operate_folder)
    assert lock.acquire()
    SealerSession(operate_folder, lock).run_once()
    lock.release()
    stolen = tmp_path / "stolen"
    (stolen / "keys").mkdir(parents=True)
    for key in (operate_folder / "keys").iterdir():
        (stolen / "keys" / key.name).write_bytes(key.read_bytes())
        (stolen / "keys" / key.name).chmod(0o600)
    thief = LeaderLock(stolen)
    assert not thief.acquire()
    assert thief.problem is not None and "not the one from which the record is sealed" in str(thief.problem)
    assert lock.acquire()
    write()
    SealerSession(operate_folder, lock).run_once()
    assert Checkpoint.objects.count() == 2
    assert health_problem(clock.now()) == ""
    lock.release()
