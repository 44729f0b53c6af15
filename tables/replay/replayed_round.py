"""A round replayed from its entries, under the rules that it pinned: wagers on the layout, throws, and settlement.

The rules are found by the SHA-256 of their terms, which the entries name (`RulesFinder`): in approvals on record, then
among filed submissions; either way hashed again. The engine then applies the entries in order (`ReplayedRound.apply`).
It follows what each entry says; whether the entry was right is checked by `readjudication.py`. What entries say without
any rules is in `round_records.py`.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import rfc8785

from audit import record
from audit.entry_types import EntryType
from audit.models import Entry
from games.engine import Refusal, RoundState, Rules
from games.engine.rounds import Phase
from games.engine.rules import Terms
from games.engine.wagers import FEE, LOSE, RETURN, Settled, Wager, in_order
from games.game_acts import GameAct, game_acts
from games.models import RulesSubmission
from games.office.submissions.gate import RULES_APPROVED, RecordedApproval, recorded_approvals
from games.registry import game_of
from tables.core.entries import ENDS, RecordedEntry
from tables.core.held_back import WagerKey as HeldKey
from tables.corrections.raises import (
    DICE_CORRECTED,
    WAGER_MISSED,
    WAGER_STRUCK,
    DiceCorrected,
    WagerMissed,
    WagerStruck,
)
from tables.failures import DEVICE_FAILED, ROUND_RECORDED_BY_HAND, DeviceFailed, RoundRecordedByHand
from tables.rounds.course import newly_settled
from tables.rounds.no_rolls import ROUND_NO_ROLL, ROUND_VOIDED, THROW_NO_ROLL, RoundVoided, ThrowNoRoll
from tables.rounds.play import (
    BETS_CLOSED,
    DICE_DRAWN,
    DICE_SHAKEN,
    LAYOUT_CLEARED,
    LOSERS_TAKEN,
    ROUND_SETTLED,
    SEATS_SETTLED,
    THROW_SETTLED,
    WINNERS_PAID,
    BetsClosed,
    DiceDrawn,
    DiceShaken,
    LayoutCleared,
    LosersTaken,
    SeatsSettled,
    ThrowSettled,
    WinnersPaid,
)
from tables.rounds.settlement import (
    ROUND_SETTLED_BY_HAND,
    Line,
    ManualSettlement,
    Raise,
    ThrowData,
    lines_of,
    net_payout,
    raise_of,
    taken_cents,
    without_late,
)
from tables.rounds.wagers import WAGERS_PLACED, WagersPlaced

# Its rules


class RulesFinder:
    """Finds rules by the hash of their terms: in `rules.approved` entries of the casino, then among filed submissions.

    The terms are hashed again here, so neither source has to be trusted.
    """

    def __init__(self) -> None:
        self._rules: dict[str, Rules | None] = {}
        self._approved: dict[str, dict[str, Terms]] = {}
        self._approvals: dict[str, list[RecordedApproval]] = {}

    def is_approved(self, facility: str, submission: str, digest: str, moment: str) -> bool:
        """Whether the record approved these terms for this submission by a moment, written as in the record."""
        if facility not in self._approvals:
            self._approvals[facility] = list(recorded_approvals(facility))
        return any(
            (approval.code, approval.terms_sha256) == (submission, digest) and approval.at <= moment
            for approval in self._approvals[facility]
        )

    def find(self, facility: str, digest: str) -> Rules | None:
        """Return the rules of these terms; None where they are missing or cannot be read."""
        if digest not in self._rules:
            self._rules[digest] = self._find_rules(facility, digest)
        return self._rules[digest]

    def _find_rules(self, facility: str, digest: str) -> Rules | None:
        terms = self._approved_terms(facility).get(digest) or _filed_terms(digest)
        if terms is None:
            return None
        try:
            return Rules.from_terms(terms)
        except (Refusal, KeyError, TypeError, ValueError):
            return None

    def _approved_terms(self, facility: str) -> dict[str, Terms]:
        """All approved terms of a casino, by the hash computed here."""
        if facility not in self._approved:
            names = record.names_with_continuations(f"{facility}/rules")
            rows = Entry.objects.filter(stream__name__in=names, type=RULES_APPROVED.name)
            approved = (
                json.loads(bytes(body))["data"].get("terms") for body in rows.values_list("body", flat=True)
            )
            self._approved[facility] = {
                hashlib.sha256(rfc8785.dumps(terms)).hexdigest(): terms for terms in approved if terms
            }
        return self._approved[facility]


def _filed_terms(digest: str) -> Terms | None:
    text = RulesSubmission.objects.filter(terms_sha256=digest).values_list("terms", flat=True).first()
    if text is None or hashlib.sha256(text.encode()).hexdigest() != digest:
        return None
    terms: Terms = json.loads(text)
    return terms


# The round

WagerKey = tuple[int, str, int | None]
Dice = tuple[int, ...]
SETTLING_TYPES = frozenset(
    entry_type.name
    for entry_type in (
        ROUND_SETTLED,
        THROW_SETTLED,
        ROUND_SETTLED_BY_HAND,
        ROUND_RECORDED_BY_HAND,
        ROUND_NO_ROLL,
        ROUND_VOIDED,
        DICE_CORRECTED,
        WAGER_MISSED,
        WAGER_STRUCK,
    )
)
OPEN_PHASE: Phase = "open"


@dataclass(frozen=True, slots=True)
class EnteredWager:
    """A wager that was entered: its current amount, and whether it was struck as a mistake or recorded late."""

    wager: Wager
    struck: bool = False
    missed: bool = False
    flag: str = ""


D = TypeVar("D", bound=Mapping[str, Any])
HANDLERS: dict[str, Callable[["ReplayedRound", Any], None]] = {}
Handler = Callable[["ReplayedRound", D], None]


def applies(entry_type: EntryType[D]) -> Callable[[Handler[D]], Handler[D]]:
    """Make a method of `ReplayedRound` the one that applies entries of this type."""

    def register(handler: Handler[D]) -> Handler[D]:
        HANDLERS[entry_type.name] = handler
        return handler

    return register


class ReplayedRound:
    """One round under the rules that it pinned. `apply` each of its entries in order.

    `state` is the engine's. `settled` is what the newest throw decided (with the first throw, the fees too), and
    `all_settled` everything decided so far, both in the order of settlement. `moved_money` belongs to the newest entry.
    """

    def __init__(self, rules: Rules, terms_sha256: str) -> None:
        self.rules, self.terms_sha256, self.game = rules, terms_sha256, game_of(rules)
        self.entered: dict[WagerKey, EnteredWager] = {}
        self.state = self.game.restore(rules, rules.edition.default_shaker, OPEN_PHASE)
        self.has_begun = False
        self.ending = ""
        self.settled: tuple[Settled, ...] = ()
        self.all_settled: tuple[Settled, ...] = ()
        self.off_layout: set[WagerKey] = set()  # taken, or paid and returned
        self.moved_money: dict[str, int] = {}
        self.has_ended = False
        # By the number of valid throws: the first settlement of each throw, and when a wager was recorded late.
        self.first_settled: dict[int, dict[HeldKey, Line]] = {}
        self.late: dict[HeldKey, tuple[int, int]] = {}

    @property
    def wagers(self) -> tuple[Wager, ...]:
        """The current wagers, in the order in which they were first entered."""
        return self.state.wagers

    @property
    def wagered_cents(self) -> int:
        """The sum of the current wagers, in cents."""
        return sum(wager.cents for wager in self.wagers)

    @property
    def raised(self) -> Raise:
        """What the newest throw pays beside its first settlement, or a round on paper beside nothing."""
        after = lines_of(self.settled)
        count = len(self.throws)
        if count not in self.first_settled:
            return net_payout(after)
        late = {key: cents for key, (cents, late_in) in self.late.items() if late_in < count}
        return raise_of(without_late(self.first_settled[count], late), after)

    @property
    def throws(self) -> tuple[Dice, ...]:
        """The faces of each valid throw so far."""
        return self.state.throws

    def apply(self, entry: RecordedEntry) -> None:
        """Apply one entry. Entries of other types change nothing.

        Raises KeyError, TypeError, ValueError, AttributeError or IndexError for malformed data, and what the engine
        raises for dice or a wager that the game does not have.
        """
        handler = HANDLERS.get(entry.type)
        if handler is None:
            return
        self.has_begun = True
        self.moved_money = {}
        handler(self, entry.data)
        if entry.type in ENDS:
            self.has_ended = True

    def _apply_act(self, act: str, **changes: Any) -> None:
        self.state = self.game.replay(self._state_for_act(act), act, **changes)

    def _state_for_act(self, act: str) -> RoundState:
        """The state with a kind of shaker that allows this act now, because entries do not name the shaker's kind."""
        for kind in (self.state.shaker, *self.rules.edition.shakers):
            state = replace(self.state, shaker=kind)
            if (state.phase, act) in state.procedure.moves:
                return state
        return self.state

    def _update_state(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)

    # Wagers

    @applies(WAGERS_PLACED)
    def _wagers_placed(self, data: WagersPlaced) -> None:
        for line in data["placed"]:
            key = _wager_key(line)
            if line["cents"]:
                missed = key in self.entered and self.entered[key].missed
                self.entered[key] = EnteredWager(
                    self._wager(key, line["cents"]), missed=missed, flag=line["flag"]
                )
            elif key in self.entered and not self.entered[key].struck:
                del self.entered[key]
        self._apply_act("place_wagers", wagers=_current_wagers(self.entered))

    @applies(WAGER_MISSED)
    def _wager_missed(self, data: WagerMissed) -> None:
        correction = data["mended"]
        key = _wager_key(correction)
        entered = EnteredWager(
            self._wager(key, correction["after_cents"]), missed=True, flag=correction["flag"]
        )
        previous = self.entered.get(key)
        entered_wagers = {**self.entered, key: entered}
        if self.throws or correction.get("uncalled"):
            late_key = (*key[:2], key[2] or 0)
            self.late.setdefault(late_key, (correction["before_cents"], len(self.throws)))
        if previous is not None and previous.struck:
            # A struck wager keeps its row; this once it is settled as the newest wager.
            newest = {
                **{other_key: row for other_key, row in self.entered.items() if other_key != key},
                key: entered,
            }
            self._apply_correction("record_missed_wager", newest)
            self._update_state(wagers=_current_wagers(entered_wagers))
        else:
            self._apply_correction("record_missed_wager", entered_wagers)
        self.entered = entered_wagers

    @applies(WAGER_STRUCK)
    def _wager_struck(self, data: WagerStruck) -> None:
        correction = data["mended"]
        key = _wager_key(correction)
        if correction.get("uncalled"):
            late_key = (*key[:2], key[2] or 0)
            self.late.setdefault(late_key, (correction["before_cents"], len(self.throws)))
        self.entered[key] = replace(self.entered[key], struck=True)
        self._apply_correction("strike_mistaken_wager", self.entered)

    def _apply_correction(self, act: str, entered: Mapping[WagerKey, EnteredWager]) -> None:
        self._apply_act(act, wagers=_current_wagers(entered))
        if self.throws:
            self._settle()

    def _wager(self, key: WagerKey, cents: int) -> Wager:
        """Return the wager of a key. Raises for a wager that the game does not deal: the layout could not show it."""
        seat, code, play = key
        self.game.wager_type(self.rules, code)
        if type(cents) is not int:
            raise TypeError("a wager is in whole cents")
        return Wager(seat, code, cents, play)

    # Dice

    @applies(ROUND_SETTLED)
    @applies(THROW_SETTLED)
    def _dice_called(self, data: ThrowSettled) -> None:
        self._throw(data["dice"], "call_dice")

    def _throw(self, dice: list[int], act: str) -> None:
        self._apply_act(act, throws=(*self.throws, self._dice(dice)))
        self._settle()

    @applies(DICE_CORRECTED)
    def _dice_corrected(self, data: DiceCorrected) -> None:
        self._apply_act("correct_dice", throws=(*self.throws[:-1], self._dice(data["dice"])))
        self._settle()

    @applies(ROUND_SETTLED_BY_HAND)
    def _settled_manually(self, data: ManualSettlement) -> None:
        self._update_state(manual_settlement=True)
        self._throw(data["dice"], "settle_manually")

    @applies(ROUND_RECORDED_BY_HAND)
    def _recorded_after_play(self, data: RoundRecordedByHand) -> None:
        """Apply a round that was played on paper: its wagers are those the entry settles, its throws all of them."""
        placed = [(_wager_key(line), line["cents"]) for line in data["settled"]]
        self.entered = {key: EnteredWager(self._wager(key, cents)) for key, cents in placed}
        self._update_state(wagers=_current_wagers(self.entered), manual_settlement=True, phase="cleared")
        settled: tuple[Settled, ...] = ()
        for dice in data.get("throws") or [data["dice"]]:
            self._update_state(throws=(*self.throws, self._dice(dice)))
            settled += newly_settled(self.state)
        self.settled, self.all_settled = settled, settled
        self.ending = self.state.result.ending
        self.off_layout = set(self.entered)

    @applies(THROW_NO_ROLL)
    def _no_roll(self, data: ThrowNoRoll) -> None:
        self._apply_act("call_no_roll", void_throws=self.state.void_throws + 1)

    @applies(ROUND_VOIDED)
    def _voided(self, data: RoundVoided) -> None:
        failed = data.get("failed")
        why = "shaker-failed" if failed == "shaker" else "device-failed" if failed else "void"
        self._return_wagers("void", why)

    @applies(ROUND_NO_ROLL)
    def _ended_by_no_roll(self, data: ThrowData) -> None:
        self._return_wagers("no-roll", "no-roll")

    def _return_wagers(self, phase: Phase, reason: str) -> None:
        """Return every open wager, and fees already paid. Wagers already decided keep their outcome."""
        self._update_state(phase=phase, returned_for=reason)
        settled, decided_keys = (
            self.state.settled,
            [settled_wager.wager.key for settled_wager in self.all_settled],
        )
        self.settled = tuple(wager for wager in settled if wager.outcome == RETURN)
        # In the order of the entries, throw by throw, because slips build on that order.
        position = {key: number for number, key in enumerate(decided_keys)}
        self.all_settled = tuple(
            sorted(settled, key=lambda settled_wager: position.get(settled_wager.wager.key, len(position)))
        )
        self.off_layout = set(self.entered)

    def _dice(self, dice: list[int]) -> Dice:
        if not dice:
            raise ValueError("a throw has faces")
        return self.game.verify_dice(self.rules, dice, len(dice))

    def _settle(self) -> None:
        outcome = self.state.result
        self.ending = outcome.ending
        self.all_settled = in_order(outcome.settled)
        self.settled = newly_settled(self.state)
        self.first_settled.setdefault(len(self.throws), lines_of(self.settled))
        self.off_layout -= {
            settled_wager.wager.key for settled_wager in self.settled if settled_wager.outcome != FEE
        }

    # The order of play

    @applies(BETS_CLOSED)
    def _bets_closed(self, data: BetsClosed) -> None:
        self._apply_act("no_more_bets")

    @applies(DICE_SHAKEN)
    def _dice_shaken(self, data: DiceShaken) -> None:
        self._apply_act("shake")

    def apply_game_act(self, act: GameAct[Any], data: Mapping[str, Any]) -> None:
        """Apply an entry of an act that this game alone has."""
        changes = dict(act.changes(data))
        if act.moves:
            self._apply_act(act.name, **changes)
        else:
            self._update_state(**changes)
        if act.takes_fees:
            self.off_layout |= {wager.key for wager in self.wagers if self.game.is_fee(wager.code)}

    # Money

    @applies(LOSERS_TAKEN)
    def _losers_taken(self, data: LosersTaken) -> None:
        self.off_layout |= {
            settled_wager.wager.key for settled_wager in self.settled if settled_wager.outcome == LOSE
        }
        self.moved_money = {"taken_cents": taken_cents(self.all_settled)}
        self._apply_act("take_losers")

    @applies(WINNERS_PAID)
    def _winners_paid(self, data: WinnersPaid) -> None:
        seats, code = frozenset(data["seats"]), data.get("wager", "")
        paid_wagers = [
            settled_wager
            for settled_wager in self.game.unpaid_winners(self.state)
            if settled_wager.wager.seat in seats and code in ("", settled_wager.wager.code)
        ]
        self.off_layout |= {settled_wager.wager.key for settled_wager in paid_wagers}
        self.moved_money = {"paid_cents": sum(wager.paid_cents for wager in paid_wagers)}
        paid = self.game.with_paid(self.state, paid_wagers)
        self._apply_act(
            "pay_seats",
            paid_seats=paid.paid_seats | (seats if not code else frozenset()),
            paid_areas=paid.paid_areas,
        )

    @applies(SEATS_SETTLED)
    def _seats_settled(self, data: SeatsSettled) -> None:
        step, paid_seats = self.game.current_step(self.state), self.state.paid_seats
        seats = frozenset(data["seats"])
        settled_wagers = [
            settled_wager for settled_wager in step if settled_wager.wager.seat in seats - paid_seats
        ]
        self.off_layout |= {settled_wager.wager.key for settled_wager in settled_wagers}
        lost = sum(
            settled_wager.wager.cents for settled_wager in settled_wagers if settled_wager.outcome == LOSE
        )
        self.moved_money = {
            "taken_cents": lost,
            "paid_cents": sum(wager.paid_cents for wager in settled_wagers),
        }
        if step and {settled_wager.wager.seat for settled_wager in step} <= paid_seats | seats:
            self._apply_act("settle_seats", step=step[0].step, paid_seats=frozenset())
        else:
            self._apply_act("settle_seats", paid_seats=paid_seats | seats)

    @applies(LAYOUT_CLEARED)
    def _layout_cleared(self, data: LayoutCleared) -> None:
        paid = sum(wager.paid_cents for wager in self.all_settled)
        self.moved_money = {"taken_cents": taken_cents(self.all_settled), "paid_cents": paid}
        self._update_state(phase="cleared")
        self.off_layout = set(self.entered)

    @applies(DICE_DRAWN)
    def _unchanged(self, data: DiceDrawn) -> None:
        """Accept an entry that belongs to the round and changes nothing."""

    @applies(DEVICE_FAILED)
    def _device_failed(self, data: DeviceFailed) -> None:
        self._update_state(manual_settlement=self.state.manual_settlement or bool(data.get("dice")))


def _handler(act: GameAct[Any]) -> Handler[Any]:
    return lambda replayed, data: replayed.apply_game_act(act, data)


HANDLERS.update({act.entry.name: _handler(act) for act in game_acts()})


def _wager_key(line: Mapping[str, Any]) -> WagerKey:
    seat, code, play = _seat(line["seat"]), line["wager"], line.get("play") or None
    if not isinstance(code, str) or not (play is None or type(play) is int):
        raise TypeError("a wager has a code")
    return seat, code, play


def _seat(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("a seat is a number")
    return value


def _current_wagers(entered: Mapping[WagerKey, EnteredWager]) -> tuple[Wager, ...]:
    return tuple(row.wager for row in entered.values() if not row.struck)
