"""Rounds with their throws, wagers and settlements, and the slips that correct them. Money is integer cents.

An Error Notification Slip tells an error that was found in a round after money had moved, and its correction. A foreign
key that is the first column of a unique constraint has no index of its own, which every act would have to update.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

from django.db import connection, models
from django.db.models import Q

from audit.rows import CompiledRead, in_list, make_instance, new_ids, write
from games.engine.rounds import Phase
from games.engine.wagers import WagerOutcome
from games.snapshot_types import WagerFlag
from tables.models.dice import PendingReading

FlagOrNone = WagerFlag | Literal[""]


class Round(models.Model):
    """One round of play. It pins the rules submission that was in force when it opened."""

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="rounds", db_index=False)
    submission = models.ForeignKey("games.RulesSubmission", models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    gaming_day = models.DateField()
    shaker_kind = models.CharField(max_length=20)
    phase: "models.CharField[Phase, Phase]" = models.CharField(max_length=20)
    ending = models.CharField(
        max_length=12, blank=True, help_text="how it ended: settled, touchdown, void, …"
    )
    by_hand = models.BooleanField(default=False, help_text="settled manually after the device failed")
    last_throw = models.PositiveSmallIntegerField(
        default=0, help_text="number of the newest throw, void throws included"
    )
    step = models.PositiveSmallIntegerField(default=0, help_text="the last completed settlement step")
    paid_seats = models.JSONField(default=list, help_text="seats already settled in the current step")
    paid_areas = models.JSONField(
        default=list, help_text="[seat, wager code] paid at seats that are not paid in full"
    )
    returned_seats: "models.JSONField[list[int] | None, list[int] | None]" = models.JSONField(
        null=True,
        blank=True,
        help_text="seats whose wagers went back, after a round without a result; else null",
    )
    quarterback = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="the seat that throws the dice, where a player does"
    )
    offered = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="the seat last offered the dice"
    )
    late_wagers = models.JSONField(
        default=list,
        help_text="[seat, code, play or 0, cents until then, throw] of wagers changed after dice were known",
    )
    raises = models.JSONField(
        default=dict,
        help_text="by throw: what corrections raised, what may be held back of it by seat, whether it is",
    )
    drawn = models.JSONField(
        default=list, help_text="at a training table: dice drawn by the machine for the next call"
    )
    reading: "models.JSONField[PendingReading | None, PendingReading | None]" = models.JSONField(
        null=True,
        blank=True,
        help_text="what a reader read of the dice of the next call; null without a reading",
    )
    # Acts declare what they depend on; these are the sequence numbers at which it last changed.
    phase_seq = models.BigIntegerField(default=0, help_text="last change of phase or throw")
    seat_seqs = models.JSONField(default=dict, help_text="last change of each seat's wagers, by seat")
    opened_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    wagered_cents = models.BigIntegerField(default=0)
    taken_cents = models.BigIntegerField(default=0)
    paid_cents = models.BigIntegerField(default=0)

    class Meta:
        ordering = ["table", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="round_number_is_unique"),
            models.UniqueConstraint(
                fields=["table"], condition=Q(ended_at=None), name="one_live_round_a_table"
            ),
        ]
        indexes = [models.Index(fields=["table", "gaming_day"], name="round_by_gaming_day")]

    def __str__(self) -> str:
        return f"{self.table_id} round {self.number}"


WAGER_COLUMNS = ("seat", "code", "play", "cents", "made_in", "flag")


class WagerManager(models.Manager["Wager"]):
    """Read and write the wagers of a round."""

    def of_round(self, round_id: int) -> "list[Wager]":
        """Return every wager of a round, struck wagers included, in the order in which they were first made."""
        return WAGERS_OF_ROUND(round_id)

    def upsert_many(
        self,
        round_: Round,
        rows: Sequence[tuple[int, str, int, int, str, FlagOrNone]],
        known: "Iterable[Wager]",
    ) -> "list[Wager]":
        """Write rows of (seat, code, play or 0, cents, made_in, flag) in one statement, and return the wagers.

        `known`: every wager of the round so far, read under the lock of its table. One of them gets the new total, and
        is no longer struck. Of several rows for one wager the last counts.
        """
        newest = {row[:3]: row for row in rows}
        if not newest:
            return []
        before = {(wager.seat, wager.code, wager.play): wager for wager in known}
        new = [key for key in newest if key not in before]
        ids = dict(zip(new, new_ids(self.model, len(new)), strict=True))
        columns = ("id", "round_id", "struck", "missed", *WAGER_COLUMNS)
        wagers = []
        for key, row in newest.items():
            known_wager = before.get(key)
            pk = ids[key] if known_wager is None else known_wager.pk
            missed = known_wager is not None and known_wager.missed
            wagers.append(make_instance(self.model, columns, (pk, round_.pk, False, missed, *row)))
        values = ", ".join(["(%s, %s, false, false, %s, %s, %s, %s, %s, %s)"] * len(newest))
        write(
            f"""INSERT INTO {self.model._meta.db_table}
                    (id, round_id, struck, missed, {", ".join(WAGER_COLUMNS)})
                VALUES {values}
                ON CONFLICT (id) DO UPDATE SET cents = excluded.cents,
                    made_in = excluded.made_in, flag = excluded.flag, struck = excluded.struck""",
            [
                value
                for wager, row in zip(wagers, newest.values(), strict=True)
                for value in (wager.pk, round_.pk, *row)
            ],
        )
        return wagers

    def remove_many(self, ids: "Iterable[int]") -> None:
        """Delete wagers that were taken off before the dice: no other row is about them."""
        is_among, params = in_list("id", sorted(ids))
        write(f"DELETE FROM {self.model._meta.db_table} WHERE {is_among}", params)


class Wager(models.Model):
    """The total that a seat has on one wager code (and play) in a round."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="wagers", db_index=False)
    cents = models.BigIntegerField()
    seat = models.PositiveSmallIntegerField()
    play = models.PositiveSmallIntegerField(default=0, help_text="from 1 for single play wagers; else 0")
    struck = models.BooleanField(default=False)
    missed = models.BooleanField(default=False)
    code = models.CharField(max_length=30)
    made_in = models.CharField(max_length=10, default="chips")
    flag: "models.CharField[FlagOrNone, FlagOrNone]" = models.CharField(
        max_length=12, blank=True, help_text="under-min or over-max: settled in full, § 521.7(c)"
    )

    objects: ClassVar[WagerManager] = WagerManager()

    class Meta:
        ordering = ["seat", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "seat", "code", "play"], name="one_wager_a_seat_and_code"
            ),
            models.CheckConstraint(condition=Q(cents__gt=0), name="wager_is_positive"),
            models.CheckConstraint(
                condition=Q(made_in__in=["chips", "plaques"]), name="wager_is_chips_or_plaques"
            ),
            models.CheckConstraint(
                condition=Q(flag__in=["", "under-min", "over-max"]), name="wager_flag_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} {self.code} {self.cents}"

    @property
    def key(self) -> tuple[int, str, int | None]:
        """Seat, code and play, as in the key of the engine's wagers."""
        return self.seat, self.code, self.play or None


WAGERS_OF_ROUND = CompiledRead(lambda round_: Wager.objects.filter(round=round_).order_by("pk"))


class ThrowManager(models.Manager["Throw"]):
    """Read the throws of a round."""

    def of_round(self, round_id: int) -> "list[Throw]":
        """Return every throw of a round in every revision, in the order of play."""
        return THROWS_OF_ROUND(round_id)


class Throw(models.Model):
    """Dice as called. A correction is a new revision; the old one stays."""

    round = models.ForeignKey(Round, models.PROTECT, related_name="throws", db_index=False)
    number = models.PositiveSmallIntegerField()
    revision = models.PositiveSmallIntegerField(default=1)
    dice = models.JSONField(default=list)
    void_reason = models.CharField(max_length=200, blank=True)
    lot = models.ForeignKey("tables.DiceLot", models.PROTECT, null=True, related_name="throws")
    shaker = models.ForeignKey("tables.Shaker", models.PROTECT, null=True, related_name="throws")
    called_at = models.DateTimeField()

    objects: ClassVar[ThrowManager] = ThrowManager()

    class Meta:
        ordering = ["round", "number", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["round", "number", "revision"], name="throw_is_called_once")
        ]

    def __str__(self) -> str:
        return f"throw {self.number}.{self.revision} {self.dice}"


THROWS_OF_ROUND = CompiledRead(
    lambda round_: Throw.objects.filter(round=round_).order_by("number", "revision")
)


class SettlementManager(models.Manager["Settlement"]):
    """Write the settlements of a throw."""

    # Each column with the type of its array in PostgreSQL
    COLUMNS: ClassVar = {
        "throw_id": "bigint",
        "wager_id": "bigint",
        "place": "smallint",
        "cents": "bigint",
        "outcome": "text",
        "pays": "text",
        "paid_cents": "bigint",
        "returned_cents": "bigint",
        "cite": "text",
        "why": "jsonb",
    }

    def write(self, rows: list[tuple[Any, ...]]) -> None:
        """Insert rows of COLUMNS in one statement.

        A round settles dozens of wagers under its table's lock, and preparing an ORM bulk insert takes longer than
        the database needs to run it. PostgreSQL gets an array for each column, so it prepares one statement for any
        number of wagers.
        """
        if not rows:
            return
        written = [(*row[:-1], json.dumps(row[-1])) for row in rows]
        insert = f"INSERT INTO {self.model._meta.db_table} ({', '.join(self.COLUMNS)})"
        if connection.vendor == "postgresql":
            arrays = ", ".join(f"%s::{kind}[]" for kind in self.COLUMNS.values())
            write(f"{insert} SELECT * FROM unnest({arrays})", [*map(list, zip(*written, strict=True))])
        else:
            places = ", ".join(["%s"] * len(self.COLUMNS))
            values = ", ".join([f"({places})"] * len(written))
            write(f"{insert} VALUES {values}", [value for row in written for value in row])


class Settlement(models.Model):
    """How one wager was settled by one throw. Never edited: a correction settles again with its own throw.

    A round has dozens of these rows, so they have no key beside what is unique anyway, and like wagers they begin with
    their numbers: PostgreSQL fills up to eight bytes before each. What a round settled is found by its wagers.
    """

    pk = models.CompositePrimaryKey("wager", "throw")
    throw = models.ForeignKey(Throw, models.PROTECT, related_name="settlements", db_index=False)
    wager = models.ForeignKey(Wager, models.PROTECT, related_name="settlements", db_index=False)
    cents = models.BigIntegerField(help_text="the stake that was settled")
    paid_cents = models.BigIntegerField()
    returned_cents = models.BigIntegerField()
    place = models.PositiveSmallIntegerField(help_text="position in the order of settlement, from 0")
    outcome: "models.CharField[WagerOutcome, WagerOutcome]" = models.CharField(max_length=6)
    pays = models.CharField(max_length=16, blank=True)
    cite = models.CharField(max_length=60)
    why = models.JSONField(default=dict)

    objects: ClassVar[SettlementManager] = SettlementManager()

    class Meta:
        ordering = ["throw", "place"]
        constraints = [
            models.CheckConstraint(
                condition=Q(outcome__in=["win", "lose", "return", "fee"]), name="settlement_outcome_is_known"
            ),
            models.CheckConstraint(
                condition=Q(paid_cents__gte=0, returned_cents__gte=0), name="settlement_is_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.paid_cents}"


# Error Notification Slips


class Slip(models.Model):
    """One slip, filed and signed by two people, and settled once its money has been handed over.

    The corrected round is never edited. `corrects_seq` is the sequence number of the entry it corrects. `before` and
    `after` are totals (`taken_cents`, `paid_cents`, `returned_cents`). `due` is what each seat is owed:
    [{"seat": 3, "cents": 3000}], negative where the player owes the casino. `handed_over`, in the same form, is what
    was in fact handed over; it is set when the slip is settled.

    A slip that moves money has `review_due_at`: by then somebody outside the table reviews it. With
    `review_comes_first` no money moves before that. `elsewhere_cents`: how much more the tray holds by the slip than
    the record said until then, negative for less. Less is taken off the tray only once a review that comes first
    agrees.
    """

    class Kind(models.TextChoices):
        DICE = "dice", "dice were entered wrongly"
        WAGER = "wager", "a wager was entered wrongly, or not at all"
        PAYMENT = "payment", "another sum was handed over than was recorded"
        VOID = "void", "the settled round is void"

    class Status(models.TextChoices):
        FILED = "filed", "filed"
        SETTLED = "settled", "settled"

    class Verdict(models.TextChoices):
        AGREES = "agrees", "agrees"
        DIFFERS = "differs", "differs"

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="slips", db_index=False)
    number = models.PositiveIntegerField(help_text="from 1 at each table")
    round = models.ForeignKey(Round, models.PROTECT, related_name="slips")
    gaming_day = models.DateField(help_text="gaming day of its filing")
    kind = models.CharField(max_length=8, choices=Kind)
    status = models.CharField(max_length=8, choices=Status, default=Status.FILED)
    reason = models.CharField(max_length=500)
    corrects_seq = models.BigIntegerField()
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    due = models.JSONField(default=list)
    elsewhere_cents = models.BigIntegerField(
        default=0, db_default=0, help_text="more in the tray than the record said until then"
    )
    filed_seq = models.BigIntegerField()
    filed_at = models.DateTimeField()
    filed_by = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    filed_with = models.ForeignKey("audit.Person", models.PROTECT, related_name="+")
    handed_over = models.JSONField(default=list)
    settled_seq = models.BigIntegerField(null=True, blank=True)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    settled_with = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    review_due_at = models.DateTimeField(null=True, blank=True, help_text="null: it needs no review")
    review_comes_first = models.BooleanField(default=False, help_text="no money moves before its review")
    reviewed_seq = models.BigIntegerField(null=True, blank=True)
    reviewed_at = models.DateTimeField(null=True, blank=True)
    reviewed_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    review_verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    review_reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["table", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="slip_number_is_unique"),
            models.CheckConstraint(
                condition=Q(kind__in=["dice", "wager", "payment", "void"]), name="slip_kind_is_known"
            ),
            models.CheckConstraint(condition=Q(status__in=["filed", "settled"]), name="slip_status_is_known"),
            models.CheckConstraint(
                condition=Q(review_verdict__in=["", "agrees", "differs"]), name="slip_verdict_is_known"
            ),
        ]
        indexes = [
            models.Index(fields=["gaming_day"], name="slip_by_gaming_day"),
            models.Index(
                fields=["review_due_at"],
                condition=Q(review_due_at__isnull=False, reviewed_at__isnull=True),
                name="slip_waiting_for_review",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """Return the slip's code, such as `ENS-0003`; unique at its table."""
        return f"ENS-{self.number:04}"

    @property
    def waits_for_review(self) -> bool:
        return self.review_due_at is not None and self.reviewed_at is None

    @property
    def due_cents(self) -> int:
        """The money that the slip moves: what is paid and what is collected, added up."""
        return sum(abs(amount["cents"]) for amount in self.due)

    @property
    def moving(self) -> list[dict[str, int]]:
        """What each seat got or gave back by this slip, or still may: nothing more once a review differs."""
        if self.status == self.Status.SETTLED:
            return list(self.handed_over)
        return [] if self.review_verdict == self.Verdict.DIFFERS else list(self.due)

    @property
    def agreed_first(self) -> bool:
        """Whether a review that comes before money agreed with the slip."""
        return self.review_comes_first and self.review_verdict == self.Verdict.AGREES

    @property
    def withheld_cents(self) -> int:
        """The chips, as a negative sum, that the slip says are gone, and no review has agreed to."""
        waits = self.review_comes_first and not self.agreed_first
        return min(0, self.elsewhere_cents) if waits else 0

    @property
    def apart_cents(self) -> int:
        """The chips that by the slip are not where the record says, beside the money that moves.

        Where money is due, chips that the tray holds beyond the record are that money; a payment slip wants the chips
        back that it says are gone. Nothing counts once a review that came first differs.
        """
        if self.review_comes_first and self.review_verdict == self.Verdict.DIFFERS:
            return 0
        gone_cents = -self.elsewhere_cents
        if gone_cents < 0:
            return 0 if self.due else -gone_cents
        is_payment = self.kind == self.Kind.PAYMENT
        return max(0, gone_cents - self.moving_cents) if is_payment else gone_cents

    @property
    def moving_cents(self) -> int:
        """What the slip moved or may still move, toward players and back."""
        return sum(abs(amount["cents"]) for amount in self.moving)

    @property
    def signer_ids(self) -> set[int]:
        """The people who have signed the slip so far, by primary key."""
        signers = (self.filed_by_id, self.filed_with_id, self.settled_by_id, self.settled_with_id)
        return {pk for pk in signers if pk is not None}
