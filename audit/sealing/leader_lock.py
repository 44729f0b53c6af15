"""One sealer at a time, by a lease: a row that only the sealer's role may lock or change (docs/postgresql-roles.md).

- The leader renews the lease while it seals. Another sealer takes it when it has not seen it renewed for ten seconds of
  its own clock: no clock of a database that jumps decides who leads.
- Every seal is written in a transaction that locks the lease and checks who holds it. So a leader that was frozen while
  another took over writes nothing more.
- Before a seal is signed, the lease is renewed by a commit that the synchronous standbys have confirmed
  (`confirmed_commit`). All that the seal lists is older, so none of it is lost when a standby becomes the primary. A
  standby cannot be written, so no sealer leads there.
- The lease names the folder from which the record is sealed. Another folder seals nothing until two people have
  declared a new incarnation.

The lease uses Django's connection, with every option of the database's address. The sealer's folder is locked too, as
long as this process lives: two processes of one machine never share it.
"""

import contextlib
import fcntl
import os
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from django.db import DatabaseError, OperationalError, connection, transaction

from audit.models import SealerLease
from audit.sealing import state
from audit.sealing.log import current_incarnation
from audit.sealing.state import SealingProblem
from config.postgresql.base import NotConfirmed

CONFIRMED_WITHIN_SECONDS = 5.0


@contextlib.contextmanager
def confirmed_commit() -> Iterator[None]:
    """A transaction whose commit waits for the synchronous standbys of PostgreSQL, for five seconds at most.

    Raises SealingProblem("not-confirmed") after the commit if that wait was cut short: PostgreSQL then commits on the
    primary alone. No timeout of PostgreSQL ends the wait, so it is canceled from here.
    """
    canceling: threading.Timer | None = None
    try:
        with transaction.atomic():
            _set_synchronous_commit("on", instead_of=("off", "local"))
            yield
            if connection.vendor == "postgresql":
                canceling = threading.Timer(CONFIRMED_WITHIN_SECONDS, connection.connection.cancel)
                canceling.daemon = True
                canceling.start()
    except OperationalError as error:
        if isinstance(error.__cause__, NotConfirmed):
            raise SealingProblem("not-confirmed", warning=str(error.__cause__)) from error
        raise
    finally:
        if canceling is not None:
            canceling.cancel()


@contextlib.contextmanager
def local_commit() -> Iterator[None]:
    """A transaction whose commit waits for no standby: of what is not evidence, and may be lost."""
    with transaction.atomic():
        _set_synchronous_commit("local", instead_of=("on", "remote_write", "remote_apply"))
        yield


def _set_synchronous_commit(value: str, instead_of: tuple[str, ...]) -> None:
    """Set it for this transaction, if it has one of these values."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('synchronous_commit', %s, true) "
                "WHERE current_setting('synchronous_commit') = ANY(%s)",
                [value, list(instead_of)],
            )


# The lease


ID_FILE = "id"
EXPIRES_SECONDS = 10.0
RENEWED_SECONDS = 2.0


class LeaderLock:
    """The right to seal. `acquire` does not wait; `is_held` renews it.

    `problem` is why the last `acquire` failed, if no other sealer has the lease.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process_id = secrets.token_hex(16)
        self.problem: SealingProblem | None = None
        self.descriptor: int | None = None
        self.seen: tuple[str, int] = ("", 0)  # holder and beat of the lease when it last changed
        self.seen_at = 0.0
        self.renewed_at = 0.0

    def acquire(self) -> bool:
        """Try to become the leader. Returns whether it succeeded."""
        self.problem = None
        try:
            acquired = self._lock_folder() and self._take_lease()
        except SealingProblem as problem:
            self.problem, acquired = problem, False
        except DatabaseError as error:
            self.problem, acquired = _database_problem(error), False
        if not acquired:
            self._unlock_folder()
        return acquired

    def is_held(self) -> bool:
        """Whether this process is still the leader. Renews the lease."""
        if self.descriptor is None:
            return False
        if time.monotonic() - self.renewed_at < RENEWED_SECONDS:
            return True
        try:
            with local_commit():
                self._renew()
        except (DatabaseError, SealingProblem):
            self.release()
            return False
        return True

    def confirm(self) -> None:
        """Renew the lease by a commit that every synchronous standby has confirmed.

        Raises SealingProblem("lease-lost") and SealingProblem("not-confirmed"), and DatabaseError.
        """
        with confirmed_commit():
            self._renew()

    def verify_leads(self) -> None:
        """Lock the lease until the caller's transaction ends. Raises SealingProblem("lease-lost") if another has it."""
        lease = SealerLease.objects.select_for_update().filter(pk=1).first()
        if lease is None or lease.holder != self.process_id:
            raise SealingProblem("lease-lost")
        self.seen = (lease.holder, lease.beat)

    def _renew(self) -> None:
        self.verify_leads()
        self.seen = (self.process_id, self.seen[1] + 1)
        SealerLease.objects.filter(pk=1).update(beat=self.seen[1])
        self.renewed_at = time.monotonic()

    def note_folder(self, incarnation: int) -> None:
        """Note on the lease that this folder seals the record, once it has proven that it matches the database."""
        with local_commit():
            self.verify_leads()
            SealerLease.objects.filter(pk=1, incarnation__lt=incarnation).update(
                folder=folder_id(self.folder), incarnation=incarnation
            )

    def release(self) -> None:
        """Let another process become the leader."""
        if self.descriptor is not None:
            with contextlib.suppress(DatabaseError), local_commit():
                SealerLease.objects.filter(pk=1, holder=self.process_id).update(holder="")
        self._unlock_folder()

    def _take_lease(self) -> bool:
        own_id = folder_id(self.folder)
        with local_commit():
            SealerLease.objects.get_or_create(pk=1)
            lease = SealerLease.objects.select_for_update().get(pk=1)
            if lease.folder not in ("", own_id) and not self._may_replace_folder(lease):
                raise SealingProblem("another-folder", own=own_id[:8], other=lease.folder[:8])
            if lease.holder not in ("", self.process_id) and not self._has_expired(lease):
                return False
            lease.holder, lease.beat = self.process_id, lease.beat + 1
            lease.save(update_fields=["holder", "beat"])
        self.seen, self.renewed_at = (lease.holder, lease.beat), time.monotonic()
        return True

    def _may_replace_folder(self, lease: SealerLease) -> bool:
        """Whether two people have declared an incarnation since the lease's folder was noted.

        A folder that has sealed a later incarnation than the database knows leads too, so that it reports the rollback.
        """
        incarnation = current_incarnation()
        if incarnation is not None and incarnation.number > lease.incarnation:
            return True
        with contextlib.suppress(SealingProblem):
            saved = state.read(self.folder)
            return saved is not None and saved.incarnation > lease.incarnation
        return False

    def _has_expired(self, lease: SealerLease) -> bool:
        """Whether this process has not seen the lease change for ten seconds."""
        if self.seen != (lease.holder, lease.beat):
            self.seen, self.seen_at = (lease.holder, lease.beat), time.monotonic()
        return time.monotonic() - self.seen_at > EXPIRES_SECONDS

    def _lock_folder(self) -> bool:
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self.descriptor = descriptor
        return True

    def _unlock_folder(self) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def other_folder_problem(folder: Path) -> SealingProblem | None:
    """Why a sealer with this folder will not lead, because the record is sealed from another one; otherwise None."""
    lease = SealerLease.objects.filter(pk=1).first()
    if lease is None or not lease.folder or not (folder / ID_FILE).is_file():
        return None
    own_id = folder_id(folder)
    incarnation = current_incarnation()
    if lease.folder == own_id or (incarnation is not None and incarnation.number > lease.incarnation):
        return None
    return SealingProblem("another-folder", own=own_id[:8], other=lease.folder[:8])


def folder_id(folder: Path) -> str:
    """The id of a sealer's folder, 32 hexadecimal digits, which is made with it."""
    path = folder / ID_FILE
    with contextlib.suppress(FileNotFoundError):
        return path.read_text(encoding="ascii").strip()
    own_id = secrets.token_hex(16)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(own_id + "\n")
        file.flush()
        os.fsync(file.fileno())
    return own_id


def _database_problem(error: DatabaseError) -> SealingProblem:
    """Why the lease could not be taken, as a person who operates the sealer can use it."""
    sqlstate = getattr(error.__cause__, "sqlstate", None)
    if sqlstate == "25006":  # read_only_sql_transaction
        return SealingProblem("database-read-only")
    if sqlstate in ("42501", "42P01"):  # insufficient_privilege, undefined_table
        return SealingProblem("lease-not-granted")
    return SealingProblem("no-database", error=type(error).__name__)
