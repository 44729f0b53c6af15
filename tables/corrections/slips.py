"""Error Notification Slip: a mistake found after money moved is a new entry that names the old one.

1. Two people file it about a round that has ended (`tables.corrections.filing`), after a preview of what it would
   change. It settles the whole round again under the terms that the round pinned (`tables.corrections.settlements`),
   and says what each seat is owed. No earlier entry is changed.
2. Somebody outside the table reviews one that moves money in real play, before any of it moves where it is much
   (`tables.corrections.reviews`).
3. The two hand over what is due, or less with a reason, and sign again: the slip is settled.

What was held back of a round, because a correction raised it once the dice might be known
(`tables.corrections.raises`), becomes a slip at the end of the round. Mistakes that are found before the first payment
need none: `tables.corrections.before_money`.

This file has what the record says of a slip, the slip that an act names, its alerts, and the chips that by a slip are
not where the settlement says. A full verification checks that what slips changed in the tray follows from the entries.
Drawn by `tables.corrections.slip_page`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from audit.columns import declare
from audit.entry_types import entry_type
from audit.findings import Finding, declare_finding, record_check
from audit.models import Department, Entry
from games.engine import Refusal, RefusalCode
from games.engine.odds import in_dollars
from games.game_acts import ThrowNumber
from tables.core.alerts import ALERT_ACKNOWLEDGED, AlertKind, Level, acknowledge, end_alert
from tables.core.context import TableContext
from tables.core.entries import entry_bodies
from tables.models import Alert, Round, Slip, Table, TableInventory
from tables.money.inventories import CLOSER_COUNTED, OPENER_COUNTED
from tables.rounds.settlement import SettledWager, Totals

NO_SUCH_ROUND = RefusalCode(
    "no-such-round",
    "%(table)s has no round %(round)s. Check the number in its list of rounds.",
)
NO_SUCH_SLIP = RefusalCode(
    "no-such-slip",
    "%(table)s has no slip %(slip)s. Check the code on the page of its round.",
)


# What the record says of a slip


BeforeCents = Annotated[int, "the stake that was recorded; 0 for none"]
AfterCents = Annotated[int, "the stake that was on the layout; 0 for none"]
Chips = Literal["recorded", "player", "house"]  # who has a wager's chips
SlipKind = Literal["dice", "wager", "payment", "void"]
Reason = Annotated[str, "why, in a person's words"]


class CorrectedEntry(TypedDict):
    hash: Annotated[str, "hash of the entry, in hex"]
    seq: Annotated[int, "number of the entry"]


class SeatAmount(TypedDict):
    cents: Annotated[int, "to the seat; negative: from the seat"]
    seat: int


class SlipWager(TypedDict):
    after_cents: AfterCents
    before_cents: BeforeCents
    chips: Annotated[Chips, "where its chips are: as recorded, with the player, or with the house"]
    seat: int
    wager: str
    play: NotRequired[int]


class SlipPayment(TypedDict):
    handed_paid_cents: Annotated[int, "what the seat was in fact paid"]
    handed_taken_cents: Annotated[int, "what was in fact taken from the seat"]
    seat: int
    settled_paid_cents: Annotated[int, "what the seat should have been paid"]
    settled_taken_cents: Annotated[int, "what should have been taken from the seat"]


class SlipMistake(TypedDict):
    """By kind: of dice `throw`, `before` and `after`; of wagers `wagers`; of payments `payments`; of a void nothing."""

    after: NotRequired[Annotated[list[int], "the faces that were there"]]
    before: NotRequired[Annotated[list[int], "the faces that were recorded"]]
    throw: NotRequired[ThrowNumber]
    wagers: NotRequired[Annotated[list[SlipWager], "each wager that was wrong"]]
    payments: NotRequired[Annotated[list[SlipPayment], "each payment that was wrong"]]


class SlipThrow(TypedDict):
    dice: Annotated[list[int], "the faces of the dice"]
    throw: ThrowNumber


class SlipReviewDue(TypedDict):
    due_at: Annotated[str, "by when somebody outside the table reviews the slip"]
    before_money: Annotated[bool, "whether no money may move before that"]
    sum_cents: NotRequired[
        Annotated[int, "the sum that decided it: this slip, and others that count with it"]
    ]


class HeldBack(CorrectedEntry):
    actor: Annotated[str, "code of the person who did what raised the payout"]
    witness: Annotated[str, "code of the second person who signed that"]


class SlipFiled(Totals):
    """The whole settlement of the round as corrected: `settled` and the sums are those of all throws."""

    before: Annotated[Totals, "the sums before this slip"]
    corrects: CorrectedEntry
    due: Annotated[list[SeatAmount], "what each seat is owed; empty where no money is due"]
    ending: Annotated[str, "how the round ended, as a code: settled, touchdown, void, …"]
    kind: Annotated[SlipKind, "what the slip corrects"]
    mended: Annotated[SlipMistake, "the mistake; empty for a void"]
    played_on: Annotated[str, "gaming day of the round"]
    reason: Reason
    round: int
    settled: Annotated[list[SettledWager], "every wager of the round in the order of settlement"]
    slip: str
    throws: Annotated[list[SlipThrow], "the valid throws"]
    review: NotRequired[Annotated[SlipReviewDue, "present only if the slip needs a review"]]
    elsewhere_cents: NotRequired[
        Annotated[
            int,
            "how much more the tray holds than the record says until this slip, negative for less; with "
            "`review.before_money`, less only from the review that agrees on. Absent if 0, and in older entries, which "
            "change the tray at once",
        ]
    ]
    held: NotRequired[
        Annotated[
            HeldBack,
            "present only if the slip followed from the end of its round, for what was held back of it",
        ]
    ]


def _listed(amounts: Iterable[SeatAmount]) -> str:
    return ", ".join(
        ("%(sum)s to seat %(seat)s" if amount["cents"] > 0 else "%(sum)s from seat %(seat)s")
        % {"sum": in_dollars(abs(amount["cents"])), "seat": amount["seat"]}
        for amount in amounts
    )


def owed_in_words(due: Iterable[SeatAmount]) -> str:
    """`$30 to seat 3, $10 from seat 5`: the amounts still due."""
    return _listed(due) or "no money is owed"


def moved_in_words(amounts: Iterable[SeatAmount]) -> str:
    """`$30 to seat 3, $10 from seat 5`: the amounts that moved."""
    return _listed([amount for amount in amounts if amount["cents"]]) or "no money moved"


SLIP_FILED = entry_type(
    "slip.filed",
    SlipFiled,
    "An Error Notification Slip was filed: a settled round was corrected or voided after money had moved.",
    lambda data: "Slip %(slip)s, round %(round)s: %(owed)s" % {**data, "owed": owed_in_words(data["due"])},
)


@entry_type("slip.settled")
def SLIP_SETTLED(
    *,
    corrects: CorrectedEntry,
    due: Annotated[list[SeatAmount], "what each seat was owed"],
    moved: Annotated[list[SeatAmount], "what in fact moved, for the same seats"],
    reason: Annotated[str, "why less than was due, in a person's words; may be empty"],
    round: int,
    slip: str,
) -> str:
    """What an Error Notification Slip left due was paid or collected."""
    return f"Slip {slip} settled: {moved_in_words(moved)}"


VERDICTS = {
    "agrees": "agrees",
    "differs": "differs",
}
DEPARTMENTS = {code: label.lower() for code, label in Department.choices}


@entry_type("slip.reviewed")
def SLIP_REVIEWED(
    *,
    department: Annotated[str, "department of the person who reviewed the slip"],
    due_at: Annotated[str, "by when the review was due"],
    filed: Annotated[CorrectedEntry, "the entry that filed the slip: its number and hash"],
    reason: Annotated[str, "why the person differs, or a note, in their words; may be empty if they agree"],
    round: int,
    slip: str,
    verdict: Annotated[Literal["agrees", "differs"], "what the person found"],
) -> str:
    """Somebody outside the table reviewed an Error Notification Slip: they agree, or differ and say why."""
    return "Slip %s reviewed by %s: %s" % (
        slip,
        DEPARTMENTS.get(department, department),
        VERDICTS[verdict],
    )


declare(
    Slip,
    "slip",
    derived=dict.fromkeys(
        (
            *("table", "number", "round", "gaming_day", "kind", "status", "reason", "corrects_seq", "before"),
            *("after", "due", "elsewhere_cents", "handed_over"),
            *("filed_seq", "filed_at", "filed_by", "filed_with"),
            *("settled_seq", "settled_at", "settled_by", "settled_with"),
            *("review_due_at", "review_comes_first", "review_verdict", "review_reason"),
            *("reviewed_seq", "reviewed_at", "reviewed_by"),
        ),
        "tables.replay.play_tables.check_play_tables",
    ),
)


# The slip that an act names, and its alerts


def find_slip(ctx: TableContext, code: str) -> Slip:
    """Return the slip of this table with its round and who reviewed it. Raises `no-such-slip`."""
    number = code.removeprefix("ENS-")
    slip = None
    if number.isascii() and number.isdigit() and len(number) < 10:
        slips = Slip.objects.filter(table=ctx.table, number=int(number))
        slip = slips.select_related("round__submission", "reviewed_by").first()
    if slip is None or slip.code != code:
        raise Refusal(NO_SUCH_SLIP, slip=code, table=ctx.table.code)
    return slip


UNSETTLED_SLIP = AlertKind(
    "slip",
    "slip:{slip}",
    Level.INFO,
    "Slip to settle",
    "Slip %(slip)s to settle",
    "Round %(round)s was corrected. Move the money that is due, then both of you sign.",
)
AWAITED_REVIEW = AlertKind(
    "slip-review",
    "slip-review:{slip}",
    Level.INFO,
    "Slip to review",
    "Slip %(slip)s waits for its review",
    "Round %(round)s was corrected. Somebody outside the table reviews the slip first: no money moves before.",
)
DIFFERING_REVIEW = AlertKind(
    "slip-differs",
    "slip-differs:{slip}",
    Level.WARN,
    "Slip: its review differs",
    "Slip %(slip)s: the review differs",
    "Read on the page of round %(round)s what differs. File another slip if one is needed.",
    ends_when_acknowledged=True,
)


def end_alert_of(ctx: TableContext, kind: AlertKind, slip: Slip) -> None:
    """End and acknowledge the slip's alert of this kind, if it is open: the act deals with its cause."""
    assert ctx.actor is not None
    key = kind.key.format(slip=slip.code)
    for alert in Alert.objects.filter(table=ctx.table, key=key, ended_at=None, acknowledged_at=None):
        acknowledge(ctx, alert, ctx.actor, "")
        ctx.extra_entries.append(ALERT_ACKNOWLEDGED({"kind": alert.kind, "key": alert.key, "note": ""}))
    end_alert(ctx, key)


# Chips that are not where the settlement on record says


@dataclass(frozen=True)
class SettledSlip:
    """An earlier slip whose money has moved: its kind, what it owed each seat, and what was handed over."""

    kind: str
    due: Sequence[SeatAmount]
    moved: Sequence[SeatAmount]


def chips_elsewhere_cents(
    before: Totals,
    after: Totals,
    due: Iterable[SeatAmount],
    payment_seats: set[int],
    settled: Iterable[SettledSlip],
) -> int:
    """How much more the tray holds than the record says until this slip; negative for less.

    A slip that only settles again says nothing of it: what is due is then the difference of the two settlements. Where
    the chips went elsewhere, more or less is due. A payment slip states what its seats were paid in all, so that what
    earlier slips owed them and nobody handed over is in that sum. `settled` are these slips, in the order of their
    numbers.
    """
    win_before = before["taken_cents"] - before["paid_cents"]
    win_after = after["taken_cents"] - after["paid_cents"]
    due_cents = sum(amount["cents"] for amount in due)
    return due_cents - (win_before - win_after) - _not_handed_cents(settled, payment_seats)


def settled_slips(round_: Round) -> list[SettledSlip]:
    """The slips of a round whose money has moved, in the order of their numbers."""
    slips = Slip.objects.filter(round=round_, status=Slip.Status.SETTLED).order_by("number")
    return [SettledSlip(slip.kind, slip.due, slip.handed_over) for slip in slips]


def withheld_of_round(round_: Round) -> int:
    """The chips, as a negative sum, that slips of a round say are gone and no review has agreed to.

    They are of its newest slip, because each takes over those of the slip before.
    """
    newest = Slip.objects.filter(round=round_).order_by("-number").first()
    return newest.withheld_cents if newest else 0


def withheld_of_slip(slip: Slip) -> int:
    """The chips, as a negative sum, that the slip itself withholds; 0 once a later slip of its round has taken over."""
    is_newest = not Slip.objects.filter(round=slip.round, number__gt=slip.number).exists()
    return slip.withheld_cents if is_newest else 0


def _not_handed_cents(settled: Iterable[SettledSlip], seats: set[int]) -> int:
    """What settled slips owed to these seats, less what was handed over."""
    owed_cents: dict[int, int] = defaultdict(int)
    for slip in settled if seats else ():
        handed = {amount["seat"]: amount["cents"] for amount in slip.moved}
        for amount in slip.due:
            seat = amount["seat"]
            earlier = 0 if slip.kind == Slip.Kind.PAYMENT else owed_cents[seat]
            owed_cents[seat] = earlier + amount["cents"] - handed.get(seat, 0)
    return sum(cents for seat, cents in owed_cents.items() if seat in seats)


# What a full verification checks


TRAY_CORRECTION_DIFFERS = declare_finding(
    "tray-correction-differs",
    "%(stream)s: by the slips on record the tray of inventory %(inventory)s was corrected by %(expected_cents)s cents, "
    "not by %(stored_cents)s.",
)
TYPES = (OPENER_COUNTED.name, CLOSER_COUNTED.name, SLIP_FILED.name, SLIP_REVIEWED.name, SLIP_SETTLED.name)


@dataclass
class CorrectedTrays:
    """What slips changed in the tray of a table, by the number of its inventory.

    `rounds_before` is the last round before each opener; the entries are applied in their order. `settled` are the
    slips whose money has moved, by round. `withheld` are the chips, as negative sums, that the newest slip of a round
    says are gone and no review has agreed to; a later slip of the round takes them over.
    """

    rounds_before: dict[int, int]
    cents: dict[int, int] = field(default_factory=dict)
    open_inventory: int | None = None
    filed: dict[str, dict[str, Any]] = field(default_factory=dict)
    settled: dict[int, dict[str, SettledSlip]] = field(default_factory=lambda: defaultdict(dict))
    withheld: dict[int, tuple[str, int]] = field(default_factory=dict)

    def apply(self, type_: str, data: Any) -> None:
        """Apply one entry. Raises KeyError or TypeError for one that is not as it was written."""
        if type_ == OPENER_COUNTED.name:
            self.open_inventory = data["inventory"]
            self.cents[data["inventory"]] = 0
        elif type_ == CLOSER_COUNTED.name:
            self.open_inventory = None
        elif type_ == SLIP_FILED.name:
            self._file(data)
        elif type_ == SLIP_REVIEWED.name:
            self._review(data)
        else:
            self._settle(data)

    def _file(self, data: Any) -> None:
        number = data["round"]
        self.filed[data["slip"]] = data
        slips = [
            slip
            for _code, slip in sorted(self.settled[number].items(), key=lambda item: (len(item[0]), item[0]))
        ]
        _slip, withheld_cents = self.withheld.pop(number, ("", 0))
        cents = withheld_cents + chips_elsewhere_cents(
            data["before"],
            data,
            data["due"],
            {payment["seat"] for payment in data["mended"].get("payments", ())},
            slips,
        )
        is_first = "review" in data and data["review"]["before_money"]
        if cents < 0 and is_first and "elsewhere_cents" in data:
            self.withheld[number] = data["slip"], cents
        else:
            self._add(number, cents)

    def _review(self, data: Any) -> None:
        slip, cents = self.withheld.get(data["round"], ("", 0))
        if data["verdict"] == "agrees" and slip == data["slip"]:
            del self.withheld[data["round"]]
            self._add(data["round"], cents)

    def _add(self, round_number: int, cents: int) -> None:
        """Add chips of a round since the opener; those of an earlier one were counted since."""
        inventory = self.open_inventory
        if inventory is not None and round_number > self.rounds_before.get(inventory, 0):
            self.cents[inventory] += cents

    def _settle(self, data: Any) -> None:
        slip = SettledSlip(self.filed[data["slip"]]["kind"], data["due"], data["moved"])
        self.settled[data["round"]][data["slip"]] = slip
        if self.open_inventory is not None:
            self.cents[self.open_inventory] -= sum(amount["cents"] for amount in data["moved"])


@record_check
def check_tray_corrections(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare what slips changed in each tray with their entries."""
    for table in Table.objects.select_related("stream").order_by("pk"):
        tick()
        inventories = list(TableInventory.objects.filter(table=table).order_by("number"))
        if not inventories:
            continue
        trays = CorrectedTrays({inventory.number: inventory.rounds_before for inventory in inventories})
        for body in entry_bodies(Entry.objects.filter(stream=table.stream_id, type__in=TYPES)):
            try:
                trays.apply(body["_type"], body["data"])
            except (KeyError, TypeError):
                continue  # the verification of the chain names it
        for inventory in inventories:
            is_open = inventory.closed_at is None
            stored_cents = table.tray_corrected_cents if is_open else inventory.corrected_cents
            expected_cents = trays.cents.get(inventory.number, 0)
            if stored_cents != expected_cents:
                where = {"stream": table.stream.name, "inventory": inventory.number}
                amounts = {"expected_cents": expected_cents, "stored_cents": stored_cents}
                yield Finding(TRAY_CORRECTION_DIFFERS, {**where, **amounts})
