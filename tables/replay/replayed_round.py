"""A round as its entries go on: what lies on the layout, what was thrown, how far it is settled.

It asks of an entry only what it says, and follows it: whether that was right is asked by `again.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.engine import RoundState, Rules
from games.engine.settlement import FEE, LOSE, RETURN, Settled, in_order
from games.engine.wagers import Wager
from games.registry import game_of
from tables.core.entries import ENDS, RecordedEntry
from tables.rounds.progress import newly_settled
from tables.rounds.settlement import taken_cents

Key = tuple[int, str, int | None]
Dice = tuple[int, ...]
SETTLES = frozenset(
    {"round.settled", "throw.settled", "round.settled_by_hand", "round.recorded_by_hand", "round.no_roll"}
    | {"round.voided", "dice.corrected", "wager.missed", "wager.struck"}
)
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Laid:
    """A wager that was entered: what it now comes to, and whether it was struck as a mistake or found late."""

    wager: Wager
    struck: bool = False
    missed: bool = False
    flag: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """Money that an entry says was moved, as the rules have it; None for what its type does not say."""

    taken_cents: int | None = None
    paid_cents: int | None = None


class Course:
    """One round under the rules that it pinned. `take` each of its entries in order; what it says then stands here.

    `state` is the engine's. `settled` is what the newest throw decided (with the first one the fees before it),
    `everything` all that was decided so far, both in the order of settlement; `moved` the money of the newest entry
    that moves some.
    """

    def __init__(self, rules: Rules, terms: str) -> None:
        self.rules, self.terms, self.game = rules, terms, game_of(rules)
        self.laid: dict[Key, Laid] = {}
        self.state = self.game.restore(rules, rules.edition.default_shaker, OPEN)
        self.begun = False
        self.ending = ""
        self.settled: tuple[Settled, ...] = ()
        self.everything: tuple[Settled, ...] = ()
        self.gone: set[Key] = set()  # taken, or paid and handed back
        self.moved = Moved()
        self.ended = False

    @property
    def wagers(self) -> tuple[Wager, ...]:
        """What stands, in the order in which it was first entered."""
        return self.state.wagers

    @property
    def wagered_cents(self) -> int:
        """All that stands, in cents."""
        return sum(wager.cents for wager in self.wagers)

    @property
    def throws(self) -> tuple[Dice, ...]:
        """The valid throws so far, each its faces."""
        return self.state.throws

    def take(self, told: RecordedEntry) -> None:
        """Goes on by one entry. Entries of other types change nothing.

        Raises KeyError, TypeError, ValueError, AttributeError or IndexError for data that its type does not have, and
        what the engine raises for dice or a wager that the game does not know.
        """
        follow = FOLLOWS.get(told.type)
        if follow is None:
            return
        self.begun = True
        self.moved = Moved()
        follow(self, told.data)
        if told.type in ENDS:
            self.ended = True

    def _follow(self, act: str, **changed: Any) -> None:
        self.state = self.game.replay(self._in_turn(act), act, **changed)

    def _in_turn(self, act: str) -> RoundState:
        """The state under a kind of shaker that has this act now: entries do not name it."""
        for kind in (self.state.shaker, *self.rules.edition.shakers):
            state = replace(self.state, shaker=kind)
            if (state.phase, act) in state.procedure.moves:
                return state
        return self.state

    def _now(self, **changed: Any) -> None:
        self.state = replace(self.state, **changed)

    # Wagers

    def _placed(self, data: Mapping[str, Any]) -> None:
        for line in data["placed"]:
            key = _key(line)
            if line["cents"]:
                missed = key in self.laid and self.laid[key].missed
                self.laid[key] = Laid(self._wager(key, line["cents"]), missed=missed, flag=line["flag"])
            elif key in self.laid and not self.laid[key].struck:
                del self.laid[key]
        self._follow("place_wagers", wagers=_standing(self.laid))

    def _missed(self, data: Mapping[str, Any]) -> None:
        mended = data["mended"]
        key = _key(mended)
        found = Laid(self._wager(key, mended["after_cents"]), missed=True, flag=mended["flag"])
        before = self.laid.get(key)
        laid = {**self.laid, key: found}
        if before is not None and before.struck:
            # One that was struck keeps its row, and is settled this once as the newest.
            newest = {**{one: row for one, row in self.laid.items() if one != key}, key: found}
            self._mended("record_missed_wager", newest)
            self._now(wagers=_standing(laid))
        else:
            self._mended("record_missed_wager", laid)
        self.laid = laid

    def _struck(self, data: Mapping[str, Any]) -> None:
        key = _key(data["mended"])
        self.laid[key] = replace(self.laid[key], struck=True)
        self._mended("strike_mistaken_wager", self.laid)

    def _mended(self, act: str, laid: Mapping[Key, Laid]) -> None:
        self._follow(act, wagers=_standing(laid))
        if self.throws:
            self._settle()

    def _wager(self, key: Key, cents: int) -> Wager:
        """A wager that the game deals; what the layout does not have could not be shown."""
        seat, code, play = key
        self.game.wager_type(self.rules, code)
        if type(cents) is not int:
            raise TypeError("a wager is in whole cents")
        return Wager(seat, code, cents, play)

    # Dice

    def _called(self, data: Mapping[str, Any], act: str = "call_dice") -> None:
        self._follow(act, throws=(*self.throws, self._dice(data["dice"])))
        self._settle()

    def _corrected(self, data: Mapping[str, Any]) -> None:
        self._follow("correct_dice", throws=(*self.throws[:-1], self._dice(data["dice"])))
        self._settle()

    def _called_by_hand(self, data: Mapping[str, Any]) -> None:
        self._now(manual_settlement=True)
        self._called(data, "settle_manually")

    def _recorded_by_hand(self, data: Mapping[str, Any]) -> None:
        """What was played on paper: its wagers are those that it says were settled, its throws all of them."""
        keys = [(_key(line), line["cents"]) for line in data["settled"]]
        self.laid = {key: Laid(self._wager(key, cents)) for key, cents in keys}
        self._now(wagers=_standing(self.laid), manual_settlement=True, phase="cleared")
        found: tuple[Settled, ...] = ()
        for dice in data.get("throws") or [data["dice"]]:
            self._now(throws=(*self.throws, self._dice(dice)))
            found += newly_settled(self.state)
        self.settled, self.everything = found, found
        self.ending = self.state.result.ending
        self.gone = set(self.laid)

    def _no_roll(self, data: Mapping[str, Any]) -> None:
        self._follow("call_no_roll", void_throws=self.state.void_throws + 1)

    def _voided(self, data: Mapping[str, Any]) -> None:
        failed = data.get("failed")
        why = "shaker-failed" if failed == "shaker" else "device-failed" if failed else "void"
        self._returned("void", why)

    def _void_throw_ends(self, data: Mapping[str, Any]) -> None:
        self._returned("no-roll", "no-roll")

    def _returned(self, phase: str, why: str) -> None:
        """What is still open goes back, with a fee already paid; what was decided stands."""
        self._now(phase=phase, returned_for=why)
        settled, before = self.state.settled, [one.wager.key for one in self.everything]
        self.settled = tuple(one for one in settled if one.outcome == RETURN)
        # As the entries tell it, throw by throw: a slip goes on from that order.
        place = {key: number for number, key in enumerate(before)}
        self.everything = tuple(sorted(settled, key=lambda one: place.get(one.wager.key, len(place))))
        self.gone = set(self.laid)

    def _dice(self, dice: list[int]) -> Dice:
        if not dice:
            raise ValueError("a throw has faces")
        return self.game.verify_dice(self.rules, dice, len(dice))

    def _settle(self) -> None:
        standing = self.state.result
        self.ending = standing.ending
        self.everything = in_order(standing.settled)
        self.settled = newly_settled(self.state)
        self.gone -= {one.wager.key for one in self.settled if one.outcome != FEE}

    # The order of play

    def _closed(self, data: Mapping[str, Any]) -> None:
        self._follow("no_more_bets")

    def _shaken(self, data: Mapping[str, Any]) -> None:
        self._follow("shake")

    def _locked_out(self, data: Mapping[str, Any]) -> None:
        self._follow("lock_out_extra_rolls")

    def _at_rest(self, data: Mapping[str, Any]) -> None:
        self._follow("gather_loose_dice")

    def _fees_in(self, data: Mapping[str, Any]) -> None:
        self._follow("collect_fees")
        self.gone |= {wager.key for wager in self.wagers if self.game.is_fee(wager.code)}

    def _in_the_box(self, data: Mapping[str, Any]) -> None:
        self._follow("move_dice")

    def _offered(self, data: Mapping[str, Any]) -> None:
        seat = _seat(data["seat"])
        self._now(offered=seat, quarterback=seat if data["accepted"] else None)

    def _thrown(self, data: Mapping[str, Any]) -> None:
        self._now(quarterback=_seat(data["quarterback"]))
        self._follow("throw_dice")

    # Money

    def _taken(self, data: Mapping[str, Any]) -> None:
        self.gone |= {one.wager.key for one in self.settled if one.outcome == LOSE}
        self.moved = Moved(taken_cents=taken_cents(self.everything))
        self._follow("take_losers")

    def _paid(self, data: Mapping[str, Any]) -> None:
        seats, already = frozenset(data["seats"]), self.state.paid_seats
        paid = [one for one in self.game.winners(self.state) if one.wager.seat in seats - already]
        self.gone |= {one.wager.key for one in paid}
        self.moved = Moved(paid_cents=sum(one.paid_cents for one in paid))
        self._follow("pay_seats", paid_seats=already | seats)

    def _settled_seats(self, data: Mapping[str, Any]) -> None:
        step, already = self.game.current_step(self.state), self.state.paid_seats
        seats = frozenset(data["seats"])
        done = [one for one in step if one.wager.seat in seats - already]
        self.gone |= {one.wager.key for one in done}
        lost = sum(one.wager.cents for one in done if one.outcome == LOSE)
        self.moved = Moved(lost, sum(one.paid_cents for one in done))
        if step and {one.wager.seat for one in step} <= already | seats:
            self._follow("settle_seats", step=step[0].step, paid_seats=frozenset())
        else:
            self._follow("settle_seats", paid_seats=already | seats)

    def _cleared(self, data: Mapping[str, Any]) -> None:
        paid = sum(one.paid_cents for one in self.everything)
        self.moved = Moved(taken_cents(self.everything), paid)
        self._now(phase="cleared")
        self.gone = set(self.laid)

    def _same(self, data: Mapping[str, Any]) -> None:
        """An entry that the round knows and that moves nothing on."""

    def _failed(self, data: Mapping[str, Any]) -> None:
        self._now(manual_settlement=self.state.manual_settlement or bool(data.get("dice")))


FOLLOWS = {
    "wagers.placed": Course._placed,
    "wager.missed": Course._missed,
    "wager.struck": Course._struck,
    "bets.closed": Course._closed,
    "dice.shaken": Course._shaken,
    "extra_rolls.locked_out": Course._locked_out,
    "fees.collected": Course._fees_in,
    "dice.gathered": Course._at_rest,
    "dice.offered": Course._offered,
    "dice.thrown": Course._thrown,
    "dice.drawn": Course._same,
    "round.settled": Course._called,
    "throw.settled": Course._called,
    "round.settled_by_hand": Course._called_by_hand,
    "round.recorded_by_hand": Course._recorded_by_hand,
    "dice.corrected": Course._corrected,
    "throw.no_roll": Course._no_roll,
    "round.no_roll": Course._void_throw_ends,
    "round.voided": Course._voided,
    "dice.moved": Course._in_the_box,
    "losers.taken": Course._taken,
    "winners.paid": Course._paid,
    "seats.settled": Course._settled_seats,
    "layout.cleared": Course._cleared,
    "device.failed": Course._failed,
}


def _key(line: Mapping[str, Any]) -> Key:
    seat, code, play = _seat(line["seat"]), line["wager"], line.get("play") or None
    if not isinstance(code, str) or not (play is None or type(play) is int):
        raise TypeError("a wager has a code")
    return seat, code, play


def _seat(said: Any) -> int:
    if type(said) is not int:
        raise TypeError("a seat is a number")
    return said


def _standing(laid: Mapping[Key, Laid]) -> tuple[Wager, ...]:
    return tuple(one.wager for one in laid.values() if not one.struck)
