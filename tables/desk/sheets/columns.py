"""The sheets of a readable export: each column with its heading, its kind and its value.

Amounts are cents, which the files write in dollars. Moments are written in the facility's time zone, with its name.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from audit.models import Entry, Person
from games.kit.tables import DAY, MOMENT, MONEY, NUMBER, TEXT, Column
from games.registry import game_by_code
from games.regulations.clauses import Clause, all_clauses
from tables.corrections.slips import SLIP_FILED, moved_in_words, owed_in_words
from tables.desk.round_paper import OUTCOME_WORDS, disputed_seats
from tables.models import DiceLot, Slip, Table
from tables.replay.history import RoundHistory, WagerRow
from tables.replay.round_records import END_PHASES
from tables.words.entries import words_of

ENDINGS = {
    "cleared": "settled",
    "no-roll": "no roll, wagers returned",
    "void": "void, wagers returned",
    "": "in play",
}
REMARKS = {"under-min": "under the minimum", "over-max": "over the maximum"}
YES_NO = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Sheet:
    """A sheet: the name of its tab, of its CSV file, and its columns."""

    name: str
    file: str
    columns: Sequence[Column[Any]]


# Rounds


@dataclass(frozen=True)
class RoundLine:
    """A round of a gaming day, as its entries tell it."""

    table: Table
    number: int
    day: dt.date
    history: RoundHistory

    @cached_property
    def wagers(self) -> list[WagerRow]:
        """The wagers that were not struck."""
        return [wager for wager in self.history.wager_rows if wager.outcome != "struck"]

    @cached_property
    def acts(self) -> Sequence[Any]:
        return self.history.acts or list(self.history.entries[:1])

    @cached_property
    def ending(self) -> str:
        return next((END_PHASES[entry.type] for entry in self.acts if entry.type in END_PHASES), "")

    @property
    def ended_at(self) -> dt.datetime | None:
        return dt.datetime.fromisoformat(self.acts[-1].at) if self.ending else None

    @property
    def taken_cents(self) -> int:
        return sum(wager.stake_cents for wager in self.wagers if wager.outcome in ("lose", "fee"))

    @property
    def paid_cents(self) -> int:
        return sum(wager.paid_cents for wager in self.wagers)

    @property
    def rules(self) -> str:
        replayed = self.history.current_round
        if replayed is None:
            return "rules that cannot be found"
        edition = replayed.rules.edition
        return f"{edition.title}, paytable {edition.paytable}" if edition.paytable else edition.title

    @property
    def throws(self) -> str:
        replayed = self.history.current_round
        throws = [replayed.game.arranged(throw) for throw in replayed.throws] if replayed else []
        return "; ".join(" ".join(map(str, dice)) for dice in throws)

    def slips(self, *kinds: str) -> list[str]:
        """The codes of the slips about the round, of some kinds or of all."""
        return [
            str(entry.data.get("slip"))
            for entry in self.history.entries
            if entry.type == SLIP_FILED.name and (not kinds or entry.data.get("kind") in kinds)
        ]

    @property
    def settled_again(self) -> str:
        differences = len(self.history.differences)
        return f"{differences} differences" if differences else "no difference"


R = Column[RoundLine]
ROUNDS = Sheet(
    "Rounds",
    "rounds.csv",
    (
        R("Gaming day", DAY, lambda row: row.day),
        R("Table", TEXT, lambda row: row.table.code, width=9),
        R("Game", TEXT, lambda row: game_by_code(row.table.game).name, width=18),
        R("Round", NUMBER, lambda row: row.number),
        R("Rules", TEXT, lambda row: row.rules, width=40),
        R("Opened", MOMENT, lambda row: dt.datetime.fromisoformat(row.acts[0].at)),
        R("Ended", MOMENT, lambda row: row.ended_at),
        R("How it ended", TEXT, lambda row: ENDINGS[row.ending], width=26),
        R("Dice", TEXT, lambda row: row.throws, width=22),
        R("Dice lots", TEXT, lambda row: ", ".join(lot for lot, _shaker in row.history.thrown_with)),
        R("People", TEXT, lambda row: ", ".join(person.name for person in row.history.dealers), width=28),
        R("Wagers", NUMBER, lambda row: len(row.wagers)),
        R("Staked, $", MONEY, lambda row: sum(wager.stake_cents for wager in row.wagers)),
        R("Taken, $", MONEY, lambda row: row.taken_cents),
        R("Paid, $", MONEY, lambda row: row.paid_cents),
        R("Returned, $", MONEY, lambda row: sum(wager.returned_cents for wager in row.wagers)),
        R("Win, $", MONEY, lambda row: row.taken_cents - row.paid_cents),
        R("Corrections before money moved", NUMBER, lambda row: len(row.history.corrections), width=14),
        R("Disputed by seats", TEXT, lambda row: ", ".join(map(str, disputed_seats(row.history)))),
        R("Slips", TEXT, lambda row: ", ".join(dict.fromkeys(row.slips())), width=18),
        R("Settled again by the rules", TEXT, lambda row: row.settled_again, width=22),
        R("First entry", NUMBER, lambda row: row.history.entries[0].seq),
        R("Last entry", NUMBER, lambda row: row.history.entries[-1].seq),
        R("Hash of the last entry", TEXT, lambda row: row.history.entries[-1].digest, width=66),
    ),
)


# Wagers


@dataclass(frozen=True)
class WagerLine:
    """A wager of a round."""

    round: RoundLine
    wager: WagerRow

    @property
    def net_cents(self) -> int | None:
        """What the wager won for its player, negative where it lost; None while it is open."""
        wager = self.wager
        if wager.outcome in ("lose", "fee"):
            return -wager.stake_cents
        if wager.outcome in ("win", "return"):
            return wager.paid_cents
        return 0 if wager.outcome == "struck" else None

    @property
    def remarks(self) -> str:
        wager = self.wager
        remarks = [
            REMARKS.get(wager.flag, ""),
            "recorded after bets closed" if wager.missed else "",
            "entered by mistake, struck before money moved" if wager.outcome == "struck" else "",
            "disputed" if wager.disputed else "",
            f"payment cut by ${wager.cut_cents / 100:,.2f} by the limit" if wager.cut_cents else "",
            *(f"differs from the rules: {difference}" for difference in wager.differences),
        ]
        return "; ".join(filter(None, remarks))

    @property
    def slips(self) -> str:
        """The slips about the wager, and those about the whole round."""
        return ", ".join(dict.fromkeys([*self.wager.slips, *self.round.slips("dice", "void")]))


@cache
def _clauses_by_cite() -> dict[str, list[Clause]]:
    clauses: dict[str, list[Clause]] = {}
    for clause in all_clauses().values():
        clauses.setdefault(clause.cite, []).append(clause)
    return clauses


@cache
def section_in_words(cite: str, family: str) -> str:
    """What a section says, from the catalog of clauses: its clause about this wager family, else its first."""
    clauses = _clauses_by_cite().get(cite, [])
    named = [clause for clause in clauses if clause.id.endswith(f"-{family}")]
    return next((clause.rule for clause in (*named, *clauses)), "")


W = Column[WagerLine]
WAGERS = Sheet(
    "Wagers",
    "wagers.csv",
    (
        W("Gaming day", DAY, lambda row: row.round.day),
        W("Table", TEXT, lambda row: row.round.table.code, width=9),
        W("Game", TEXT, lambda row: game_by_code(row.round.table.game).name, width=18),
        W("Round", NUMBER, lambda row: row.round.number),
        W("Seat", NUMBER, lambda row: row.wager.seat),
        W("Wager", TEXT, lambda row: row.wager.label, width=22),
        W("Play", NUMBER, lambda row: row.wager.play),
        W("Stake, $", MONEY, lambda row: row.wager.stake_cents),
        W("Outcome", TEXT, lambda row: OUTCOME_WORDS[row.wager.outcome].lower(), width=10),
        W("Why", TEXT, lambda row: row.wager.why, width=34),
        W("Section", TEXT, lambda row: row.wager.cite, width=28),
        W(
            "What the section says", TEXT,
            lambda row: section_in_words(row.wager.cite, row.wager.code.partition(":")[0]), width=60,
        ),
        W("Pays", TEXT, lambda row: row.wager.pays, width=10),
        W("Paid, $", MONEY, lambda row: row.wager.paid_cents),
        W("Returned, $", MONEY, lambda row: row.wager.returned_cents),
        W("Won or lost by the player, $", MONEY, lambda row: row.net_cents),
        W("Remarks", TEXT, lambda row: row.remarks, width=34),
        W("Slips", TEXT, lambda row: row.slips),
        W("Entry", NUMBER, lambda row: row.wager.seq),
    ),
)  # fmt: skip


# Slips


def _win(totals: dict[str, int]) -> int:
    return totals.get("taken_cents", 0) - totals.get("paid_cents", 0)


def _sum(amounts: Iterable[dict[str, Any]]) -> int:
    return sum(int(amount["cents"]) for amount in amounts)


S = Column[Slip]
SLIPS = Sheet(
    "Slips",
    "slips.csv",
    (
        S("Slip", TEXT, lambda slip: slip.code, width=10),
        S("Table", TEXT, lambda slip: slip.table.code, width=9),
        S("Round", NUMBER, lambda slip: slip.round.number),
        S("Round's gaming day", DAY, lambda slip: slip.round.gaming_day),
        S("Gaming day of filing", DAY, lambda slip: slip.gaming_day),
        S("What was wrong", TEXT, lambda slip: slip.get_kind_display(), width=34),
        S("Reason", TEXT, lambda slip: slip.reason, width=40),
        S("Filed", MOMENT, lambda slip: slip.filed_at),
        S("Filed by", TEXT, lambda slip: slip.filed_by.name, width=20),
        S("Signed with", TEXT, lambda slip: slip.filed_with.name, width=20),
        S("Taken before, $", MONEY, lambda slip: slip.before.get("taken_cents", 0)),
        S("Paid before, $", MONEY, lambda slip: slip.before.get("paid_cents", 0)),
        S("Returned before, $", MONEY, lambda slip: slip.before.get("returned_cents", 0)),
        S("Taken after, $", MONEY, lambda slip: slip.after.get("taken_cents", 0)),
        S("Paid after, $", MONEY, lambda slip: slip.after.get("paid_cents", 0)),
        S("Returned after, $", MONEY, lambda slip: slip.after.get("returned_cents", 0)),
        S("Effect on the win, $", MONEY, lambda slip: _win(slip.after) - _win(slip.before)),
        S("Due to players, $", MONEY, lambda slip: _sum(slip.due)),
        S("Due by seat", TEXT, lambda slip: owed_in_words(slip.due), width=28),
        S("Status", TEXT, lambda slip: slip.get_status_display(), width=10),
        S("Handed to players, $", MONEY, lambda slip: _sum(slip.handed_over) if slip.settled_at else None),
        S(
            "Handed over by seat", TEXT,
            lambda slip: moved_in_words(slip.handed_over) if slip.settled_at else "", width=28,
        ),
        S("Settled", MOMENT, lambda slip: slip.settled_at),
        S("Settled by", TEXT, lambda slip: slip.settled_by.name if slip.settled_by else "", width=20),
        S("Settled with", TEXT, lambda slip: slip.settled_with.name if slip.settled_with else "", width=20),
        S("Corrects entry", NUMBER, lambda slip: slip.corrects_seq),
        S("Entry", NUMBER, lambda slip: slip.filed_seq),
    ),
)  # fmt: skip


# Sign-ins


@dataclass(frozen=True)
class SignInLine:
    """An entry about a sign-in, with what it states, and who it is about if they are known."""

    entry: Entry
    data: dict[str, Any]
    device: str
    code: str
    person: Person | None


E = Column[SignInLine]
SIGN_INS = Sheet(
    "Sign-ins",
    "sign-ins.csv",
    (
        E("Gaming day", DAY, lambda row: row.entry.gaming_day),
        E("Time", MOMENT, lambda row: row.entry.at),
        E("Person", TEXT, lambda row: row.person.name if row.person else "", width=22),
        E("Code", TEXT, lambda row: row.code),
        E("Role today", TEXT, lambda row: row.person.get_role_display() if row.person else "", width=20),
        E("What", TEXT, lambda row: words_of(row.entry.type, row.data), width=40),
        E("Device", TEXT, lambda row: row.device, width=20),
        E("Relieves", TEXT, lambda row: str(row.data.get("relieves") or ""), width=16),
        E("Entry", NUMBER, lambda row: row.entry.seq),
        E("Entry type", TEXT, lambda row: row.entry.type, width=20),
    ),
)


# Dice lots


@dataclass(frozen=True)
class LotLine:
    """A dice lot, with the number of rounds of the export that name it, and of the entries about it."""

    lot: DiceLot
    rounds: int
    entries: int


L = Column[LotLine]
LOTS = Sheet(
    "Dice lots",
    "dice-lots.csv",
    (
        L("Lot", TEXT, lambda row: row.lot.code, width=10),
        L("Status now", TEXT, lambda row: row.lot.get_status_display(), width=16),
        L("Dice", NUMBER, lambda row: row.lot.dice),
        L("Side, mm", TEXT, lambda row: f"{row.lot.size_um / 1000:.2f}", width=10),
        L("Colors", TEXT, lambda row: row.lot.get_colors_display(), width=20),
        L("Maker", TEXT, lambda row: row.lot.maker, width=18),
        L("Serial", TEXT, lambda row: row.lot.serial, width=16),
        L(
            "Seal intact on receipt", TEXT,
            lambda row: "" if row.lot.seal_intact is None else YES_NO[row.lot.seal_intact], width=12,
        ),
        L("For training", TEXT, lambda row: YES_NO[row.lot.training]),
        L("Issued to", TEXT, lambda row: row.lot.table.code if row.lot.table else "", width=10),
        L("Shaker", TEXT, lambda row: row.lot.shaker.code if row.lot.shaker else "", width=10),
        L("Placed", MOMENT, lambda row: row.lot.placed_at),
        L("Expires", MOMENT, lambda row: row.lot.expires_at),
        L("Section of the time limit", TEXT, lambda row: row.lot.clock_section, width=26),
        L("Removed", MOMENT, lambda row: row.lot.removed_at),
        L("Why removed", TEXT, lambda row: row.lot.removed_why, width=18),
        L("Examined", MOMENT, lambda row: row.lot.examined_at),
        L("Tampered with", TEXT, lambda row: YES_NO[row.lot.tampered]),
        L("Rounds in this export", NUMBER, lambda row: row.rounds, width=12),
        L("Entries about it", NUMBER, lambda row: row.entries, width=12),
    ),
)  # fmt: skip
SHEETS = (ROUNDS, WAGERS, SLIPS, SIGN_INS, LOTS)
