"""The sealer's work of one second. Only the sealer signs, and it never signs two different logs of one name.

Each facility's streams are sealed in a log of its own, with those of the installation (log.py). A log that begins gets
a key of its own (keys.py). A log that must not be sealed does not stop the others.

The order makes this safe. A leaf is signed, then saved in the log's state file, then written to the database. A sealer
that was killed at any point finds the leaf in the file and writes it as it was signed. If the database lacks what the
file says was signed, the record was rolled back: it is not sealed until two people declare a new incarnation
(incarnations.py). The caller holds the leader lock (leader_lock.py): one sealer at a time.
"""

import contextlib
import datetime as dt
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from audit import chain, clock, merkle, notes
from audit.models import Checkpoint, Incarnation, Seal, SigningKey
from audit.sealing import incarnations, keys, leaves, state
from audit.sealing.changed_streams import Head, LastSealed, StreamHead, current_heads
from audit.sealing.commits import confirmed_commit
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.log import INSTALLATION_FACILITY, Log, current_incarnation, first_facility
from audit.sealing.problems import SealingProblem
from audit.sealing.state import Pending, State

logger = logging.getLogger(__name__)
FORMAT = 1
FACILITY_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")  # as in record.STREAM_NAME
STEPS = ("signed", "kept", "written", "done")  # at which tests kill it


@dataclass
class SealedLogs:
    """The result of one second, by the logs' facilities ("": the first log): new checkpoints, and what failed."""

    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    errors: dict[str, Exception] = field(default_factory=dict)


class Sealer:
    """Seals one record. `folder` has its keys and its state files. `on_step` is called with each of STEPS.

    `lock` is the leader lock of a process that other sealers may replace (process.py).
    """

    def __init__(
        self,
        folder: Path,
        on_step: Callable[[str], None] = lambda step: None,
        lock: LeaderLock | None = None,
    ) -> None:
        self.folder = folder
        self.on_step = on_step
        self.lock = lock
        self.sealers: dict[tuple[int, str], LogSealer] = {}  # by incarnation and facility
        self.first: tuple[int, str] = (0, "")  # an incarnation, and the facility that has its first log

    def seal(self) -> Checkpoint | None:
        """Seal the heads that changed, in each log. Returns a new checkpoint, the first log's if it has one.

        None if nothing changed. Raises the first error once every log was tried.
        """
        sealed = self.seal_logs()
        for error in sealed.errors.values():
            raise error
        return next(iter(sealed.checkpoints.values()), None)

    def seal_logs(self) -> SealedLogs:
        """Seal the heads that changed, in each log, the first log first.

        Raises SealingProblem if no log can be sealed. After any error, the next call reads the log's file again, and
        the seals in the database if the file does not end where they were read last.
        """
        if clock.has_jumped(clock.now()):
            raise SealingProblem("clock-jumped")
        incarnation = self._current_incarnation()
        first = self._log_sealer(incarnation, "")
        heads = current_heads()
        owner = self._first_facility(first, heads)
        sealed = SealedLogs()
        self._seal(first, owner, heads, sealed)
        if first.shared:
            owner = ""
        begun = self._saved_facilities(incarnation)
        others = first.shared.keys() | {head.facility for head in heads} | begun
        for facility in sorted(others - ({owner} - begun) - {INSTALLATION_FACILITY}):
            if not FACILITY_CODE.fullmatch(facility):  # its state would be saved in another folder
                sealed.errors[facility] = SealingProblem("facility-malformed")
                continue
            # The first log may have listed what the new one must not lack.
            if "" in sealed.errors and facility not in begun:
                sealed.errors[facility] = SealingProblem("first-log-stopped")
                continue
            other = self._log_sealer(incarnation, facility)
            self._seal(other, facility, heads, sealed, first.shared.get(facility))
        return sealed

    def record_problem(self, problem: SealingProblem) -> None:
        """Stop sealing a log until a new incarnation, because a witness or a copy is ahead of this record.

        Does nothing unless the problem's `incarnation` is the current one.
        """
        folder = state.log_folder(self.folder, problem.facility)
        saved = state.read(folder)
        incarnation = problem.params.get("incarnation")
        if saved is not None and saved.problem is None and saved.incarnation == incarnation:
            state.write(folder, saved.with_problem(problem))

    def _seal(
        self,
        sealer: "LogSealer",
        facility: str,
        heads: Sequence[StreamHead],
        sealed: SealedLogs,
        taken_over: dict[str, Head] | None = None,
    ) -> None:
        """Seal the streams of a facility and of the installation in one log."""
        try:
            if sealer.create_key():  # its first seal lists the entry of the key
                heads = current_heads()
            own = [head for head in heads if head.facility in (facility, INSTALLATION_FACILITY)]
            checkpoint = sealer.seal(own, taken_over or {})
        except Exception as error:
            sealed.errors[sealer.log.facility] = error
        else:
            if checkpoint is not None:
                sealed.checkpoints[sealer.log.facility] = checkpoint

    def _log_sealer(self, incarnation: Incarnation, facility: str) -> "LogSealer":
        key = (incarnation.number, facility)
        if key not in self.sealers:
            folder = state.log_folder(self.folder, facility)
            log = Log(incarnation, facility)
            self.sealers[key] = LogSealer(log, folder, self.folder, self.on_step, self.lock)
        return self.sealers[key]

    def _first_facility(self, first: "LogSealer", heads: Sequence[StreamHead]) -> str:
        """The facility that has the first log: once it is sealed there, it has it for good; "" before any has entries.

        A new incarnation's first log belongs to the facility that had the one before.
        """
        incarnation = first.log.incarnation
        if self.first[0] != incarnation.number or not self.first[1]:
            self.first = (incarnation.number, self._chosen_facility(first, heads))
        return self.first[1]

    def _chosen_facility(self, first: "LogSealer", heads: Sequence[StreamHead]) -> str:
        with contextlib.suppress(SealingProblem):  # sealing the log raises it again
            first.write_pending()  # which may be the seal that gave the log to a facility
        incarnation = first.log.incarnation
        if facility := first_facility(incarnation):
            return facility
        present = [head.facility for head in heads if head.facility != INSTALLATION_FACILITY]
        before = Incarnation.objects.filter(number__lt=incarnation.number).order_by("-number")
        earlier = next((facility for row in before if (facility := first_facility(row))), "")
        if earlier in present:
            return earlier
        have_logs = state.saved_facilities(self.folder)
        return next((facility for facility in present if facility not in have_logs), "")

    def _saved_facilities(self, incarnation: Incarnation) -> set[str]:
        """The facilities of the other logs that began in this incarnation, or whose state cannot be read."""
        saved = set()
        for facility in state.saved_facilities(self.folder):
            try:
                log = state.read(state.log_folder(self.folder, facility))
            except SealingProblem:
                saved.add(facility)
            else:
                if log is not None and log.incarnation >= incarnation.number and (log.signed or log.problem):
                    saved.add(facility)
        return saved

    def _current_incarnation(self) -> Incarnation:
        """The incarnation to seal. Opens the first one if nothing was ever signed and somebody created a key."""
        incarnation = current_incarnation()
        if incarnation is None:
            saved = state.read(self.folder)
            if saved is not None or state.saved_facilities(self.folder):
                raise SealingProblem("record-went-back", signed=_signed_size(saved), found=0)
            if not SigningKey.objects.exists():
                raise SealingProblem("no-key")
            incarnation = incarnations.open_first()
        return incarnation


class LogSealer:
    """Seals one log. `folder` has its state file, and `key_folder` its key.

    `shared` are the heads that the log listed by facility, if it is from before each facility had its own: such a log
    has ended.
    """

    def __init__(
        self,
        log: Log,
        folder: Path,
        key_folder: Path,
        on_step: Callable[[str], None],
        lock: LeaderLock | None = None,
    ) -> None:
        self.log, self.folder, self.key_folder = log, folder, key_folder
        self.on_step, self.lock = on_step, lock
        self.last: LastSealed | None = None
        self.shared: dict[str, dict[str, Head]] = {}
        self.has_key = False

    def create_key(self) -> bool:
        """Create the key of a log that begins and has none. Returns whether it did. Raises SealingProblem.

        The first key of a record is created by hand (`sealer_key create`), so that somebody has its line from the
        beginning; those of later logs are created here, so that none waits for it.
        """
        if self.has_key:
            return False
        saved = self.write_pending()
        _verify_matches(self.log, saved)
        if saved.signed or keys.active_keys(self.log, ""):
            self.has_key = True
            return False
        if not SigningKey.objects.exists():
            raise SealingProblem("no-key")
        with confirmed_commit():
            if self.lock is not None:
                self.lock.verify_leads()
            key = keys.begin(self.key_folder, self.log)
        logger.warning(
            "Key %s signs %s from now on. Its line: %s", key.key_id, key.name, keys.verifier_of(key).vkey
        )
        self.has_key = True
        return True

    def seal(self, heads: Sequence[StreamHead], taken_over: dict[str, Head]) -> Checkpoint | None:
        """Seal the heads that changed, of those of the log. Returns the new checkpoint, or None if nothing changed.

        `taken_over` are heads that a shared log listed before this one began. Raises SealingProblem if it must not
        seal.
        """
        saved = self.write_pending()
        newest = _verify_matches(self.log, saved)
        if self.last is None or not self.last.is_of(saved):
            self.last = LastSealed(self.log, saved)
            self.shared = self.last.of_several_facilities()
            if not saved.size:
                self.last.take_over(taken_over)
        if self.shared:
            return None
        signers = keys.signers(self.key_folder, self.log, saved.signed)
        changed = self._compare(heads, saved)
        now = clock.now()
        moment = max([_not_before_entries(now, changed), *([newest.at] if newest else [])])
        full = newest is None or self._needs_full(now, moment, newest)
        listed = list(heads) if newest is None or (full and changed) else changed
        if not listed:
            return None
        if self.lock is not None:
            self.lock.confirm()  # everything listed was committed before, so it is confirmed with this
        body = body_of(self.log.incarnation.number, saved.size, moment, full, listed)
        leaf = leaves.make_leaf(self.log, saved.size, body, saved.root)
        signed = notes.Checkpoint(self.log.origin, saved.size + 1, leaf.root)
        pending = Pending(saved.size, body.decode(), notes.sign(signed.text, signers))
        self.on_step("signed")
        checkpoint = self._write(saved, pending)
        self.last.mark_sealed(listed, leaf.root, _day(now) if full else None)
        return checkpoint

    def _compare(self, heads: Sequence[StreamHead], saved: State) -> list[StreamHead]:
        assert self.last is not None
        try:
            return self.last.compare(heads)
        except SealingProblem as problem:
            if not saved.size:  # nothing of this log says so to a sealer that starts again
                state.write(self.folder, saved.with_problem(problem))
            raise

    def _needs_full(self, now: dt.datetime, moment: dt.datetime, newest: Seal) -> bool:
        """Whether the next seal lists every head: the first of a day.

        A seal's time is never before that of the seal before it. If the newest one has a later date, from a clock that
        was ahead, its date alone would delay the next full seal.
        """
        assert self.last is not None
        is_behind = _day(now) < _day(newest.at) and self.last.full_on != _day(now)
        return _day(moment) > _day(newest.at) or is_behind

    def _write(self, saved: State, pending: Pending) -> Checkpoint:
        promised = saved.with_pending(pending)
        with confirmed_commit():
            if self.lock is not None:
                self.lock.verify_leads()
            state.write(self.folder, promised)
            self.on_step("kept")
            checkpoint = leaves.write(self.log, pending, saved.root)
        self.on_step("written")
        state.write(self.folder, promised.with_written())
        self.on_step("done")
        return checkpoint

    def read_state(self) -> State:
        """The saved state of the log, which is created for a new incarnation. Raises SealingProblem."""
        saved, number = state.read(self.folder), self.log.incarnation.number
        if saved is not None and saved.incarnation > number:
            raise SealingProblem("record-went-back", signed=_signed_size(saved), found=0)
        if saved is not None and saved.incarnation == number:
            return saved
        if number > 1 and not incarnations.is_declared(self.log.incarnation):
            raise SealingProblem("undeclared", number=number)
        if self.log.newest() is not None:
            raise SealingProblem("state-missing")
        saved = State(number)
        state.write(self.folder, saved)
        return saved

    def write_pending(self) -> State:
        """Write a leaf that a crash left pending, as it was signed. Returns the saved state after that.

        Raises SealingProblem if the log must not be sealed.
        """
        saved = self.read_state()
        if saved.problem is not None:
            code, params = saved.problem
            raise SealingProblem(code, **params)
        pending = saved.pending
        if pending is None:
            return saved
        if self.log.size == pending.number:
            _verify_matches(self.log, saved)
            with confirmed_commit():
                if self.lock is not None:
                    self.lock.verify_leads()
                leaves.write(self.log, pending, saved.root)
        else:
            _verify_written(self.log, pending)
        state.write(self.folder, saved.with_written())
        return saved.with_written()


def body_of(incarnation: int, number: int, moment: dt.datetime, full: bool, heads: list[StreamHead]) -> bytes:
    """A seal's body (audit/FORMAT.md)."""
    content = {
        "_format": FORMAT,
        "_type": "seal",
        "at": clock.format_moment(moment),
        "full": full,
        "heads": [head.as_data for head in heads],
        "incarnation": incarnation,
        "number": number,
    }
    return chain.canonical(content)


def _verify_matches(log: Log, saved: State) -> Seal | None:
    """Check that the database has exactly what the file says was signed. Returns the newest seal.

    Raises SealingProblem.
    """
    seal, newest = log.seals.order_by("-number").first(), log.newest()
    size = seal.number + 1 if seal else 0
    root = bytes(newest.root) if newest else None
    if size > saved.size and saved.pending is None and _has_checkpoint(log, saved.size, saved.note):
        raise SealingProblem("folder-behind", signed=saved.size, found=size)
    if (size, newest.size if newest else 0, root) != (saved.size, saved.size, saved.root):
        raise SealingProblem("record-went-back", signed=_signed_size(saved), found=size)
    return seal


def _verify_written(log: Log, pending: Pending) -> None:
    """Check that a signed leaf is at the end of the log, unchanged. Raises SealingProblem."""
    seal = log.seals.filter(number=pending.number).first()
    leaf = merkle.leaf_hash(pending.body.encode())
    size = pending.number + 1
    if not _has_checkpoint(log, size, pending.note) or seal is None or bytes(seal.leaf) != leaf:
        raise SealingProblem("record-went-back", signed=size, found=log.size)
    if log.size > size:
        raise SealingProblem("folder-behind", signed=size, found=log.size)


def _has_checkpoint(log: Log, size: int, note: str) -> bool:
    """Whether the database has this checkpoint, so that what follows was sealed from a newer copy of the folder."""
    return not size or log.checkpoints.filter(size=size, note=note).exists()


def _signed_size(saved: State | None) -> int:
    if saved is None:
        return 0
    return saved.pending.number + 1 if saved.pending else saved.size


def _not_before_entries(now: dt.datetime, changed: Sequence[StreamHead]) -> dt.datetime:
    """The time of a seal, where the clock went back after the entries that it covers were written.

    A seal before its entries would say that they were dated into the future. Only the time that this process knows to
    have passed is made up: entries beyond it are dated into the future.
    """
    trusted = clock.trusted()
    times = [head.last_at for head in changed if head.last_at is not None]
    return max(now, min(trusted, max(times))) if trusted and times else now


def _day(moment: dt.datetime) -> dt.date:
    return moment.astimezone(dt.UTC).date()
