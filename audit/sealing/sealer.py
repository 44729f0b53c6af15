"""The sealer's work of one second. Only the sealer signs, and it never signs two different logs.

The order makes this safe. A leaf is signed, then saved in the state file, then written to the database. A sealer that
was killed at any point finds the leaf in the file and writes it as it was signed. If the database lacks what the file
says was signed, the record was rolled back: it is not sealed until two people declare a new incarnation
(incarnations.py). The caller holds the leader lock (leader_lock.py): one sealer at a time.
"""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

from audit import chain, clock, merkle, notes
from audit.models import Checkpoint, Incarnation, Seal
from audit.sealing import incarnations, keys, leaves, state
from audit.sealing.changed_streams import LastSealed, StreamHead
from audit.sealing.log import Log, current_incarnation
from audit.sealing.problems import SealingProblem
from audit.sealing.state import Pending, State

FORMAT = 1
STEPS = ("signed", "kept", "written", "done")  # at which tests kill it


class Sealer:
    """Seals one record. `folder` has its keys and its state file. `on_step` is called with each of STEPS."""

    def __init__(self, folder: Path, on_step: Callable[[str], None] = lambda step: None) -> None:
        self.folder = folder
        self.on_step = on_step
        self.last: LastSealed | None = None

    def seal(self) -> Checkpoint | None:
        """Seal the heads that changed. Returns the new checkpoint, or None if nothing changed.

        Raises SealingProblem if it must not seal. After any error, the next call reads the file again, and the seals
        in the database if the file does not end where they were read last.
        """
        signers = self._signers()
        incarnation, saved = self._current_state()
        if saved.problem is not None:
            code, params = saved.problem
            raise SealingProblem(code, **params)
        log = Log(incarnation)
        saved = self._with_pending_written(log, saved)
        newest = _verify_matches(log, saved)
        if self.last is None or not self.last.is_of(saved):
            self.last = LastSealed(log, saved)
        all_heads, changed = self.last.compare()
        now = clock.now()
        moment = max(now, newest.at) if newest else now
        full = newest is None or _day(moment) > _day(newest.at) or self._is_behind(now, newest)
        heads = all_heads if full and changed else changed
        if not heads:
            return None
        body = body_of(incarnation.number, saved.size, moment, full, heads)
        leaf = leaves.make_leaf(log, saved.size, body, saved.root)
        signed = notes.Checkpoint(incarnation.origin, saved.size + 1, leaf.root)
        pending = Pending(saved.size, body.decode(), notes.sign(signed.text, signers))
        self.on_step("signed")
        checkpoint = self._write(log, saved, pending)
        self.last.mark_sealed(heads, leaf.root, _day(now) if full else None)
        return checkpoint

    def record_problem(self, problem: SealingProblem) -> None:
        """Stop sealing until a new incarnation, because a witness or a copy is ahead of this record.

        Does nothing unless the problem's `incarnation` is the current one.
        """
        saved = state.read(self.folder)
        incarnation = problem.params.get("incarnation")
        if saved is not None and saved.problem is None and saved.incarnation == incarnation:
            state.write(self.folder, saved.with_problem(problem))

    def _is_behind(self, now: dt.datetime, newest: Seal) -> bool:
        """Whether today needs a full seal although the newest seal has a later date, from a clock that was ahead.

        A seal's time is never before that of the seal before it, so the date alone would delay the next full seal.
        """
        assert self.last is not None
        return _day(now) < _day(newest.at) and self.last.full_on != _day(now)

    def _write(self, log: Log, saved: State, pending: Pending) -> Checkpoint:
        promised = saved.with_pending(pending)
        state.write(self.folder, promised)
        self.on_step("kept")
        checkpoint = leaves.write(log, pending, saved.root)
        self.on_step("written")
        state.write(self.folder, promised.with_written())
        self.on_step("done")
        return checkpoint

    def _signers(self) -> list[notes.Signer]:
        try:
            return keys.signers(self.folder)
        except SealingProblem:
            if state.read(self.folder) is not None:
                self._current_state()  # if a restored record has lost the key, report the rollback instead
            raise

    def _current_state(self) -> tuple[Incarnation, State]:
        """The incarnation to seal and its saved state, which is created for a new incarnation."""
        saved = state.read(self.folder)
        incarnation = current_incarnation()
        if incarnation is None and saved is None:
            incarnation = incarnations.open_first()
        if incarnation is None or (saved is not None and saved.incarnation > incarnation.number):
            raise SealingProblem("record-went-back", signed=_signed_size(saved), found=0)
        if saved is not None and saved.incarnation == incarnation.number:
            return incarnation, saved
        if incarnation.number > 1 and not incarnations.is_declared(incarnation):
            raise SealingProblem("undeclared", number=incarnation.number)
        if Log(incarnation).newest() is not None:
            raise SealingProblem("state-missing")
        saved = State(incarnation.number)
        state.write(self.folder, saved)
        return incarnation, saved

    def _with_pending_written(self, log: Log, saved: State) -> State:
        """Write a leaf that a crash left pending, as it was signed. Returns the state after that."""
        pending = saved.pending
        if pending is None:
            return saved
        if log.size == pending.number:
            _verify_matches(log, saved)
            leaves.write(log, pending, saved.root)
        else:
            _verify_written(log, pending)
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
    seal = Seal.objects.filter(incarnation=log.incarnation).order_by("-number").first()
    newest = log.newest()
    size = seal.number + 1 if seal else 0
    root = bytes(newest.root) if newest else None
    if size > saved.size and saved.pending is None:
        raise SealingProblem("folder-behind", signed=saved.size, found=size)
    if (size, newest.size if newest else 0, root) != (saved.size, saved.size, saved.root):
        raise SealingProblem("record-went-back", signed=_signed_size(saved), found=size)
    return seal


def _verify_written(log: Log, pending: Pending) -> None:
    """Check that a signed leaf is at the end of the log, unchanged. Raises SealingProblem."""
    seal = Seal.objects.filter(incarnation=log.incarnation, number=pending.number).first()
    newest = log.newest()
    leaf = merkle.leaf_hash(pending.body.encode())
    signed = newest is not None and (newest.size, newest.note) == (pending.number + 1, pending.note)
    if not signed or seal is None or bytes(seal.leaf) != leaf:
        raise SealingProblem("record-went-back", signed=pending.number + 1, found=log.size)


def _signed_size(saved: State | None) -> int:
    if saved is None:
        return 0
    return saved.pending.number + 1 if saved.pending else saved.size


def _day(moment: dt.datetime) -> dt.date:
    return moment.astimezone(dt.UTC).date()
