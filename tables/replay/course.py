"""A round as its entries go on: what lies on the layout, what was thrown, how far it is settled.

It asks of an entry only what it says, and follows it: whether that was right is asked by `again.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.engine import RoundState, Rules
from games.engine.settlement import FEE, LOSE, RETURN, STEPS_A_THROW, WIN, Settled, in_order
from games.engine.wagers import Wager

from ..acts.rounds import decided_now, taken_cents
from .entries import ENDS, Told

Key = tuple[int, str, int | None]
Dice = tuple[int, ...]
SIC_BO, HIGH_ROLL, EXTRA_ROLL = "sic-bo", "high-roll", "extra-roll"
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

    `settled` is what the newest throw decided (with the first one the fees before it), `everything` all that was
    decided so far, both in the order of settlement; `moved` the money of the newest entry that moves some.
    """

    def __init__(self, rules: Rules, terms: str) -> None:
        self.rules, self.terms, self.game = rules, terms, rules.game
        self.laid: dict[Key, Laid] = {}
        self.throws: list[Dice] = []
        self.void_throws = 0
        self.phase, self.returned_for, self.by_hand = "", "", False
        self.step, self.seats_done = 0, frozenset[int]()
        self.ending = ""
        self.quarterback: int | None = None
        self.offered: int | None = None
        self.settled: tuple[Settled, ...] = ()
        self.everything: tuple[Settled, ...] = ()
        self.gone: set[Key] = set()  # taken, or paid and handed back
        self.moved = Moved()
        self.ended = False

    @property
    def wagers(self) -> tuple[Wager, ...]:
        """What stands, in the order in which it was first entered."""
        return tuple(one.wager for one in self.laid.values() if not one.struck)

    @property
    def wagered_cents(self) -> int:
        """All that stands, in cents."""
        return sum(wager.cents for wager in self.wagers)

    @property
    def state(self) -> RoundState:
        """The engine's state of the round as it now stands."""
        return self.game.restore(
            self.rules,
            self.rules.edition.default_shaker,
            self.phase or OPEN,
            self.wagers,
            self.throws,
            self.seats_done,
            by_hand=self.by_hand,
            returned_for=self.returned_for,
            step=self.step,
            void_throws=self.void_throws,
            quarterback=self.quarterback,
            offered=self.offered,
        )

    def take(self, told: Told) -> None:
        """Goes on by one entry. Entries of other types change nothing.

        Raises KeyError, TypeError, ValueError, AttributeError or IndexError for data that its type does not have, and
        what the engine raises for dice or a wager that the game does not know.
        """
        follow = FOLLOWS.get(told.type)
        if follow is None:
            return
        self.phase = self.phase or OPEN
        self.moved = Moved()
        follow(self, told.data)
        if told.type in ENDS:
            self.ended = True

    # Wagers

    def _placed(self, data: Mapping[str, Any]) -> None:
        for line in data["placed"]:
            key = _key(line)
            if line["cents"]:
                missed = key in self.laid and self.laid[key].missed
                self.laid[key] = Laid(_wager(key, line["cents"]), missed=missed, flag=line["flag"])
            elif key in self.laid and not self.laid[key].struck:
                del self.laid[key]

    def _missed(self, data: Mapping[str, Any]) -> None:
        mended = data["mended"]
        key = _key(mended)
        found = Laid(_wager(key, mended["after_cents"]), missed=True, flag=mended["flag"])
        before = self.laid.get(key)
        if before is None or not before.struck:
            self.laid[key] = found
            return self._mended()
        # One that was struck keeps its row, and is settled this once as the newest.
        rows = dict(self.laid)
        self.laid = {**{one: row for one, row in rows.items() if one != key}, key: found}
        self._mended()
        self.laid = {**rows, key: found}
        return None

    def _struck(self, data: Mapping[str, Any]) -> None:
        key = _key(data["mended"])
        self.laid[key] = replace(self.laid[key], struck=True)
        self._mended()

    def _mended(self) -> None:
        if self.throws:
            self._settle()

    # Dice

    def _called(self, data: Mapping[str, Any]) -> None:
        self.throws.append(self._dice(data["dice"]))
        self._settle()

    def _corrected(self, data: Mapping[str, Any]) -> None:
        self.throws[-1] = self._dice(data["dice"])
        self._settle()

    def _called_by_hand(self, data: Mapping[str, Any]) -> None:
        self.by_hand = True
        self._called(data)

    def _recorded_by_hand(self, data: Mapping[str, Any]) -> None:
        """What was played on paper: its wagers are those that it says were settled, its throws all of them."""
        keys = [(_key(line), line["cents"]) for line in data["settled"]]
        self.laid = {key: Laid(_wager(key, cents)) for key, cents in keys}
        self.by_hand, self.phase = True, "cleared"
        found: tuple[Settled, ...] = ()
        for dice in data.get("throws") or [data["dice"]]:
            self.throws.append(self._dice(dice))
            found += decided_now(self.state)
        self.settled, self.everything = found, found
        self.ending = self.state.standing.ending
        self.gone = set(self.laid)

    def _no_roll(self, data: Mapping[str, Any]) -> None:
        self.void_throws += 1
        self.phase = self._before_a_throw()

    def _voided(self, data: Mapping[str, Any]) -> None:
        failed = data.get("failed")
        why = "shaker-failed" if failed == "shaker" else "device-failed" if failed else "void"
        self._returned("void", why)

    def _void_throw_ends(self, data: Mapping[str, Any]) -> None:
        self._returned("no-roll", "no-roll")

    def _returned(self, phase: str, why: str) -> None:
        """What is still open goes back, with a fee already paid; what was decided stands."""
        self.phase, self.returned_for = phase, why
        settled, before = self.state.settled, [one.wager.key for one in self.everything]
        self.settled = tuple(one for one in settled if one.outcome == RETURN)
        # As the entries tell it, throw by throw: a slip goes on from that order.
        place = {key: number for number, key in enumerate(before)}
        self.everything = tuple(sorted(settled, key=lambda one: place.get(one.wager.key, len(place))))
        self.gone = set(self.laid)

    def _dice(self, dice: list[int]) -> Dice:
        return self.game.verify_dice(self.rules, dice, len(dice))

    def _settle(self) -> None:
        standing = self.state.standing
        self.ending = standing.ending
        self.everything = in_order(standing.settled)
        first = (
            STEPS_A_THROW * len(self.throws) if len(self.throws) > 1 else 0
        )  # with the first throw its fees
        self.settled = tuple(one for one in self.everything if one.step >= first)
        self.gone -= {one.wager.key for one in self.settled if one.outcome != FEE}
        self.phase = "called" if self.game.code == HIGH_ROLL and len(self.throws) == 1 else self._past("lit")

    def _past(self, phase: str) -> str:
        """The phase after this one, over those in which nothing is left to do."""
        if self.game.code != SIC_BO:
            return "lit" if self._step() else self.game.after_settling(self.state)
        if phase == "lit" and not any(one.outcome == LOSE for one in self.settled):
            phase = "taken"
        return "paid" if phase == "taken" and not self._winners() else phase

    def _winners(self) -> list[Settled]:
        """What the newest throw still pays."""
        return [one for one in self.settled if one.outcome == WIN and one.wager.seat not in self.seats_done]

    def _step(self) -> list[Settled]:
        """What the step under way settles, where the newest throw is settled in steps."""
        newest = STEPS_A_THROW * len(self.throws)
        due = [one for one in self.settled if one.step >= newest and one.step > self.step]
        return [one for one in due if one.step == due[0].step]

    # The order of play

    def _closed(self, data: Mapping[str, Any]) -> None:
        bought = self.game.code == HIGH_ROLL and any(wager.code == EXTRA_ROLL for wager in self.wagers)
        self.phase = "ready" if self.phase == "shaken" else "unlocked" if bought else "closed"

    def _shaken(self, data: Mapping[str, Any]) -> None:
        self.phase = "shaken" if self.phase == OPEN else "ready"

    def _locked_out(self, data: Mapping[str, Any]) -> None:
        self.phase = "locked"

    def _at_rest(self, data: Mapping[str, Any]) -> None:
        self.phase = "closed"

    def _fees_in(self, data: Mapping[str, Any]) -> None:
        self.phase = "closed"
        self.gone |= {wager.key for wager in self.wagers if wager.code == EXTRA_ROLL}

    def _in_the_box(self, data: Mapping[str, Any]) -> None:
        self.phase = self._past("lit")

    def _offered(self, data: Mapping[str, Any]) -> None:
        self.offered = data["seat"]
        self.quarterback = data["seat"] if data["accepted"] else None

    def _thrown(self, data: Mapping[str, Any]) -> None:
        self.quarterback, self.phase = data["quarterback"], "ready"

    def _before_a_throw(self) -> str:
        return "closed" if self.game.code == HIGH_ROLL else self.game.after_settling(self.state)

    # Money

    def _taken(self, data: Mapping[str, Any]) -> None:
        self.gone |= {one.wager.key for one in self.settled if one.outcome == LOSE}
        self.moved = Moved(taken_cents=taken_cents(self.everything))
        self.phase = self._past("taken")

    def _paid(self, data: Mapping[str, Any]) -> None:
        paid = [one for one in self._winners() if one.wager.seat in data["seats"]]
        self.gone |= {one.wager.key for one in paid}
        self.moved = Moved(paid_cents=sum(one.paid_cents for one in paid))
        self.seats_done |= frozenset(data["seats"])
        self.phase = self._past("taken")

    def _settled_seats(self, data: Mapping[str, Any]) -> None:
        step, seats = self._step(), frozenset(data["seats"]) - self.seats_done
        done = [one for one in step if one.wager.seat in seats]
        self.gone |= {one.wager.key for one in done}
        lost = sum(one.wager.cents for one in done if one.outcome == LOSE)
        self.moved = Moved(lost, sum(one.paid_cents for one in done))
        self.seats_done |= seats
        if step and {one.wager.seat for one in step} <= self.seats_done:
            self.step, self.seats_done = step[0].step, frozenset()
        self.phase = self._past("lit")

    def _cleared(self, data: Mapping[str, Any]) -> None:
        paid = sum(one.paid_cents for one in self.everything)
        self.moved = Moved(taken_cents(self.everything), paid)
        self.phase, self.gone = "cleared", set(self.laid)

    def _same(self, data: Mapping[str, Any]) -> None:
        """An entry that the round knows and that moves nothing on."""

    def _failed(self, data: Mapping[str, Any]) -> None:
        self.by_hand = self.by_hand or bool(data.get("dice"))


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
    return line["seat"], line["wager"], line.get("play") or None


def _wager(key: Key, cents: int) -> Wager:
    if type(cents) is not int:
        raise TypeError("a wager is in whole cents")
    seat, code, play = key
    return Wager(seat, code, cents, play)
