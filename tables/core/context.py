"""What an act at a table works with: read once, under the table's lock, and only when used."""

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from audit import record
from audit.entry_types import EntryBody
from audit.models import Device, Person, Stream
from audit.rows import update
from audit.runner import Changes, ClaimedTap
from games import submissions
from games.engine import Refusal, RoundState, Rules
from games.engine.game import Game, PostCode
from games.engine.wagers import Wager as Staked
from games.models import RulesSubmission
from games.office.providers import services
from games.office.providers.services import ServiceStatus
from games.registry import game_of
from tables.core.lot_steps import write_lot_steps
from tables.core.reads import Play, read_play
from tables.core.refusals import (
    ACT_OF_ANOTHER_GAME,
    DICE_PAST_THEIR_TIME,
    DRAW_FIRST,
    GAMING_CEASED,
    NO_DICE,
    NO_RULES_IN_FORCE,
    NO_SHAKER,
    NOT_THESE_DICE,
    TABLE_IS_CLOSED,
)
from tables.models import DiceLot, Round, Shaker, Table, Throw, Wager

DICE_AT_REST = frozenset({"open", "unlocked", "locked", "closed", "point"})
G = TypeVar("G", bound=Game)


class TableContext:
    """The table of one act with its people, its moment, its dice and its live round.

    The caller holds the table's lock while this object is used. Changes go through here, so that each row is saved
    once, with named fields only.
    """

    def __init__(
        self,
        table: Table,
        actor: Person | None,
        device: Device | None,
        witness: Person | None,
        now: dt.datetime,
        play: Play | None = None,
    ) -> None:
        self.table = table
        self.stream: Stream = table.stream
        self.actor = actor
        self.device = device
        self.witness = witness
        self.now = now
        self._play = play
        self.tap: ClaimedTap | None = None  # what the device says about an act that waited there
        self.post: PostCode | None = None  # to which the act belongs, at a game whose posts share the acts
        self.lots: list[DiceLot] = []  # lots whose chain of custody gets this act's entry
        self.extra_entries: list[EntryBody] = []  # type and data of entries that follow the act's own
        # What follows from the act's own entry once it is on the stream, and may add to `extra_entries`.
        self.follow_ups: list[Callable[[], None]] = []
        self.appended: list[record.Appended] = []  # entries of this act on the table's stream, oldest first
        # Since `all_wagers` and `throws` were read: all wagers of the round, if any was written, and new throws.
        self.written_wagers: list[Wager] | None = None
        self.written_throws: list[Throw] = []
        self._table_fields: set[str] = set()
        self._round_fields: set[str] = set()

    @property
    def key(self) -> int:
        """The id under which the screens of this table are published."""
        return self.table.pk

    @property
    def affected_table_ids(self) -> tuple[int, ...]:
        """No other table: an act at a table shows only there."""
        return ()

    @cached_property
    def gaming_day(self) -> dt.date:
        """The gaming day of this moment at this facility (from 06:00 local time)."""
        return self.table.facility.gaming_day(self.now)

    @cached_property
    def play(self) -> Play:
        """The play at this table when the act began."""
        return self._play or read_play(self.table)[0]

    @cached_property
    def round(self) -> Round | None:
        """The round in play; None before the first act of the next one."""
        return self.play.round

    @cached_property
    def in_force(self) -> RulesSubmission | None:
        """The version of this table's rules submission that is in force now, if any."""
        table = self.table
        return submissions.in_force(table.facility, table.game, self.now, code=table.submission_code)

    @property
    def deals(self) -> bool:
        """Whether this table has rules to play under: those of the live round, or those in force."""
        return self.round is not None or self.in_force is not None

    @cached_property
    def submission(self) -> RulesSubmission:
        """The submission that the live round pinned, otherwise the one in force. Raises `no-rules-in-force`."""
        submission = self.round.submission if self.round is not None else self.in_force
        if submission is None:
            raise Refusal(NO_RULES_IN_FORCE, code=self.table.submission_code)
        return submission

    @cached_property
    def rules(self) -> Rules:
        """The rules of that submission, after its hash was checked."""
        return submissions.rules_of(self.submission)

    @property
    def game(self) -> Game:
        """The game that the rules are for."""
        return game_of(self.rules)

    @property
    def terms_sha256(self) -> str:
        """The hash of the terms that this act used; empty if it did not ask for rules."""
        return self.submission.terms_sha256 if "submission" in self.__dict__ else ""

    @cached_property
    def lot(self) -> DiceLot | None:
        """The dice in the working shaker at this table, if any; read together with the shaker."""
        return DiceLot.objects.in_use_at(self.table.pk)

    @cached_property
    def shaker(self) -> Shaker | None:
        """The working shaker at this table, if any."""
        if self.lot is not None:
            return self.lot.shaker
        return Shaker.objects.filter(table=self.table, out_of_order=False).first()

    @cached_property
    def all_wagers(self) -> list[Wager]:
        """Every wager of the live round, including struck ones, in the order in which they were first made."""
        return Wager.objects.of_round(self.round.pk) if self.round else []

    @cached_property
    def wagers(self) -> list[Wager]:
        """The wagers of the live round that were not struck, in the order in which they were first made."""
        return [wager for wager in self.all_wagers if not wager.struck]

    @cached_property
    def throws(self) -> list[Throw]:
        """The throws of the live round in the order of play, each in its newest revision."""
        if self.round is None or not self.round.last_throw:
            return []
        return newest_revisions(Throw.objects.of_round(self.round.pk))

    @cached_property
    def state(self) -> RoundState:
        """The engine's state of the live round, or of a fresh round."""
        if self.round is None:
            table = self.table
            return self.game.open_round(
                self.rules,
                self.shaker_kind,
                table.quarterback,
                table.offered,
                table.seated,
                self.absent_seats,
            )
        return self.game.restore(
            self.rules,
            self.round.shaker_kind,
            phase=self.round.phase,
            wagers=[Staked(wager.seat, wager.code, wager.cents, wager.play or None) for wager in self.wagers],
            throws=[throw.dice for throw in self.throws if throw.dice],
            paid_seats=self.round.paid_seats,
            paid_areas=frozenset((seat, code) for seat, code in self.round.paid_areas),
            manual_settlement=self.round.by_hand,
            step=self.round.step,
            void_throws=sum(not throw.dice for throw in self.throws),
            quarterback=self.round.quarterback,
            offered=self.round.offered,
            seated=frozenset(self.table.seated),
            absent=self.absent_seats,
        )

    @property
    def absent_seats(self) -> frozenset[int]:
        """The taken seats whose player is away or has left (`tables.core.seats`)."""
        return frozenset(map(int, self.table.seat_marks))

    @cached_property
    def stops(self) -> dict[str, ServiceStatus]:
        """Suspended wagers of providers, by wager code; `*` is the whole game. A simulated table suspends none."""
        table = self.table
        if table.kind == Table.Kind.SIMULATED or not self.play.services:
            return {}
        return services.suspensions(table.facility, table.game, self.now)

    @property
    def shaker_kind(self) -> str:
        """The kind of shaker for a new round. Raises `no-shaker`."""
        if self.shaker is None:
            raise Refusal(NO_SHAKER, table=self.table.code)
        return self.shaker.kind

    def change_table(self, **values: Any) -> None:
        """Change fields of the table's row, which is saved once, at the end of the act."""
        for name, value in values.items():
            setattr(self.table, name, value)
        self._table_fields.update(values)

    def change_round(self, **values: Any) -> None:
        """Change fields of the live round's row, which is saved once, at the end of the act."""
        assert self.round is not None
        for name, value in values.items():
            setattr(self.round, name, value)
        self._round_fields.update(values)

    def save_changes(self, changes: Changes, seats: tuple[int, ...]) -> None:
        """Save what the act changed, with the number that its entry will have, so that stale acts are detected."""
        seq = self.stream.seq + 1
        if changes == "table":
            self.change_table(status_seq=seq)
        if changes == "phase":
            self.change_round(phase_seq=seq)
        if seats and self.round is not None:
            self.change_round(seat_seqs={**self.round.seat_seqs, **{str(seat): seq for seat in seats}})
        self._save_fields()

    def _save_fields(self) -> None:
        """Save the fields that changed since they were saved last."""
        if self._table_fields:
            update(self.table, sorted(self._table_fields))
        if self._round_fields and self.round is not None:
            update(self.round, sorted(self._round_fields))
        self._table_fields.clear()
        self._round_fields.clear()

    @property
    def appends_more(self) -> bool:
        """Whether extra entries follow the act's own."""
        return bool(self.extra_entries or self.follow_ups)

    def after_append(self, appended: record.Appended) -> None:
        """Link the act's entry to the lots that it moved, and append the extra entries.

        No later act depends on an extra entry.
        """
        self.appended.append(appended)
        if self.lots:
            write_lot_steps(self.lots, self.stream, appended.seq)
        for follow_up in self.follow_ups:
            follow_up()
        self._save_fields()
        self.append_extra_entries()

    def append_extra_entries(self) -> None:
        """Append `extra_entries` in order, with this context's moment and people, and clear the list."""
        for entry in self.extra_entries:
            appended = record.append(
                self.stream,
                entry=entry,
                moment=self.now,
                gaming_day=self.gaming_day,
                actor=self.actor,
                witness=self.witness,
                device=self.device,
                terms=self.terms_sha256,
            )
            self.appended.append(appended)
        self.extra_entries.clear()

    def verify_open(self) -> None:
        """Refuse unless the table is open. Raises `gaming-ceased` or `table-closed`."""
        if self.table.status == Table.Status.CEASED:
            raise Refusal(GAMING_CEASED, self.table.ceased_section, what=self.table.ceased_what)
        if self.table.status != Table.Status.OPEN:
            raise Refusal(TABLE_IS_CLOSED, table=self.table.code)

    def verify_dice_for_a_round(self) -> tuple[DiceLot, Shaker]:
        """Return the dice and their shaker. Raises `no-shaker` or `no-dice` where either is missing."""
        if self.shaker is None:
            raise Refusal(NO_SHAKER, table=self.table.code)
        if self.lot is None:
            raise Refusal(NO_DICE, self.rules.section("dice-number"), shaker=self.shaker.code)
        return self.lot, self.shaker

    def verify_shaker_filed(self) -> None:
        """Raises `shaker-not-filed` where the submission names kinds of shakers, and not the one in use."""
        if self.shaker is not None:
            self.rules.verify_shaker_filed(self.shaker.kind)

    def verify_dice_in_time(self) -> tuple[DiceLot, Shaker]:
        """Return the dice and their shaker.

        Raises `dice-past-their-time` once the dice have expired (A16: no new shake at the limit).
        """
        lot, shaker = self.verify_dice_for_a_round()
        assert lot.expires_at is not None
        if self.now >= lot.expires_at:
            raise Refusal(
                DICE_PAST_THEIR_TIME, lot.clock_section, lot=lot.code, at=self.local(lot.expires_at)
            )
        return lot, shaker

    def verify_as_they_lie(self, dice: Sequence[int]) -> None:
        """At a training table, refuse dice that differ from those drawn by the machine.

        Raises `draw-first` or `not-these-dice`.
        """
        round_ = self.round
        if self.table.kind != Table.Kind.TRAINING or round_ is None:
            return
        if not round_.drawn:
            raise Refusal(DRAW_FIRST, round=round_.number)
        if self.game.arranged(dice) != self.game.arranged(round_.drawn):
            raise Refusal(NOT_THESE_DICE)

    @property
    def dice_at_rest(self) -> bool:
        """Whether all dice are in the shaker or the cup: none in the air, none on the layout."""
        if self.round is None:
            return True
        return self.round.phase in DICE_AT_REST and self.state.result.dice == self.rules.edition.dice

    def game_as(self, kind: type[G]) -> G:
        """The game, which must be of this class. Raises `act-of-another-game`."""
        if not isinstance(self.game, kind):
            raise Refusal(ACT_OF_ANOTHER_GAME, table=self.table.code)
        return self.game

    def local(self, moment: dt.datetime) -> str:
        """Format a moment in this facility's local time."""
        return self.table.facility.local(moment).strftime("%H:%M on %d %b")


def newest_revisions(throws: Iterable[Throw]) -> list[Throw]:
    """Each throw in its newest revision. The throws are in the order of play, earlier revisions first."""
    return list({throw.number: throw for throw in throws}.values())
