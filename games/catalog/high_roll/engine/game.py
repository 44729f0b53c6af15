"""High Roll Dice: ten dice in a shaker and an Extra Roll of the loose ones; or its variation with six dice.

Source: 58 Pa. Code Chapter 675a (text of 2016-08-27).

* The winning die is the one that shows most often; ties go by rank: ace, 6, 5, 4, 3, 2 (§ 675a.2(d), A25, A32).
* Like Kind is the exact count, and so is Millionaire Row, a fixed sum for one dollar (A26, A29, A48).
* An Extra Roll is a fee, taken before the throw (A27). The extra throw is made whenever one was bought and a die is
  loose; only dice that match the held ones count, and a number paid on the first roll is not paid again (A28).
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from games.catalog.high_roll.engine.course import (
    DUTIES,
    EXTRA_ROLLS_LOCKED_OUT,
    EXTRA_THROW,
    FIRST_ROLL,
    NO_LIKE_KIND,
    NOT_ONE_DOLLAR,
    PIP_STREET_FIRST,
    REFUSALS_OUT_OF_TURN,
    UNEQUAL_WAGERS,
    Cut,
    DiceMoved,
    ExtraRollsLockedOut,
    FeesCollected,
    HighRollView,
    LooseDiceGathered,
    Sensors,
    duty_of,
    is_extra,
    procedure_of,
)
from games.catalog.high_roll.engine.expectation import round_expectation, wins_by_way
from games.catalog.high_roll.engine.wagers import (
    BETS,
    DOLLAR,
    EXTRA_ROLL,
    Held,
    Verdict,
    extra_verdict,
    first_verdict,
    held,
    is_exempt_from_limit,
    outcomes_of,
    why_held,
    why_with_extra,
)
from games.engine.expectations import RoundExpectation
from games.engine.game import Game, Step
from games.engine.odds import Outcome, Pays
from games.engine.refusals import Refusal
from games.engine.rounds import Phase, Procedure, Result, RoundState
from games.engine.rules import Rules
from games.engine.wagers import (
    STEPS_A_THROW,
    Fee,
    Reason,
    Settled,
    Wager,
    WagerType,
    cut_to_limit,
    fee,
    lose,
    win,
)

TEN = 10

FAMILIES = {"pip": "Pip Street", "like-kind": "Like Kind", "millionaire": "Millionaire Row"}


class HighRoll(Game):
    """What differs: wagers of one unit at each seat, an Extra Roll of the loose dice, settling seat by seat."""

    code = "high-roll"
    name = "High Roll Dice"
    keeps_seats = True  # § 675a.2(c)
    seats = 6
    fee = Fee(  # § 675a.4(a)
        EXTRA_ROLL,
        affects="like-kind:",
        pays_by="like-kind/extra:",
        note="with circles 3 to 8, of seven units staked",
    )
    # collecting the fees moves money
    hand_acts = Game.hand_acts | {"lock_out_extra_rolls", "gather_loose_dice"}
    round_keys = frozenset({"payout_limit_cents"})
    duties = DUTIES
    out_of_turn = REFUSALS_OUT_OF_TURN

    # What a game says of itself

    def wager_types(self, rules: Rules) -> tuple[WagerType, ...]:
        return tuple(
            WagerType(
                bet.code,
                bet.label,
                bet.family,
                rules.edition.wagers[bet.family],
                bet.place,
                FAMILIES.get(bet.family, ""),
            )
            for bet in BETS[rules.edition.dice].values()
        )

    def possible_odds(self, rules: Rules, code: str) -> tuple[Pays, ...]:
        rows = (code, code.replace("like-kind:", "like-kind/extra:"))
        return tuple(rules.payouts[row].odds for row in dict.fromkeys(rows) if row in rules.payouts)

    def full_name(self, dice: int) -> str:
        return self.name if dice == TEN else f"{self.name}, six dice"

    def is_limited(self, code: str) -> bool:
        """Millionaire Row is one dollar whatever the table's minimum (reading A29)."""
        return not code.startswith("millionaire")

    def verify_layout(self, rules: Rules, wagers: Sequence[Wager]) -> None:
        """Raises `pip-street-first`, `no-like-kind`, and what `verify_amounts` raises."""
        families = _families(rules, wagers)
        for wager in wagers:
            if "pip" not in families[wager.seat]:
                raise Refusal(PIP_STREET_FIRST, rules.edition.wagers["pip"], seat=wager.seat)
        self.verify_amounts(rules, wagers)
        for seat, placed in families.items():
            if EXTRA_ROLL in placed and "like-kind" not in placed:
                raise Refusal(NO_LIKE_KIND, rules.edition.wagers[EXTRA_ROLL], seat=seat)

    def verify_amounts(self, rules: Rules, wagers: Sequence[Wager]) -> None:
        """Raises `unequal-wagers`, `not-one-dollar`."""
        bets, units = BETS[rules.edition.dice], _units(wagers)
        for wager in wagers:
            family, section = bets[wager.code].family, rules.edition.wagers[bets[wager.code].family]
            if family == "millionaire":
                if wager.cents != DOLLAR:
                    raise Refusal(NOT_ONE_DOLLAR, section, cents=wager.cents)
            elif wager.cents != units[wager.seat]:
                section = rules.section("equal-value") if family == "pip" else section
                raise Refusal(UNEQUAL_WAGERS, section, seat=wager.seat, code=wager.code)

    def result(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Result:
        """The first roll decides all but the circles that an Extra Roll may still win; the extra throw decides
        those.
        """
        dice = rules.edition.dice
        if not throws:
            return Result(dice=dice)
        buyers = {wager.seat for wager in wagers if wager.code == EXTRA_ROLL}
        first = held(throws[0])
        added = throws[1].count(first.face) if len(throws) > 1 else None
        lines = (_settle(rules, wager, throws[0], first, wager.seat in buyers, added) for wager in wagers)
        settled = tuple(line for line in lines if line is not None)
        if rules.payout_limit_cents is not None:
            settled = cut_to_limit(settled, rules.payout_limit_cents, self._is_exempt)
        if buyers and first.count < dice and added is None:
            return Result(settled, "", dice - first.count)
        return Result(settled, "settled")

    def winning_codes(
        self, rules: Rules, throws: Sequence[Sequence[int]], ending: str = ""
    ) -> tuple[str, ...]:
        bets, first = BETS[rules.edition.dice], held(throws[0])
        if len(throws) > 1:
            total = first.count + throws[1].count(first.face)
            paid = total > first.count and f"like-kind/extra:{total}" in rules.payouts
            return (f"like-kind:{total}",) if paid else ()
        return tuple(
            bet.code
            for bet in bets.values()
            if bet.number == (first.face if bet.family == "pip" else first.count)
        )

    def announcement(self, throws: Sequence[Sequence[int]]) -> Reason:
        first = held(throws[0])
        if len(throws) == 1:
            return why_held(first.face, first.count)
        return why_with_extra(first.face, first.count, throws[1].count(first.face))

    def procedure(self, state: RoundState) -> Procedure:
        return procedure_of(state.rules.edition.dice, _has_extra(state), *_course(state))

    def steps(self, state: RoundState) -> tuple[Step, ...]:
        """The extra throw is settled under a paragraph of its own."""
        steps = list(super().steps(state))
        if [step.code for step in steps].count("settle") == 2:
            steps[-2] = steps[-2]._replace(section=state.rules.section("settle-extra"))
        return tuple(steps)

    def outcomes(self, rules: Rules) -> dict[str, tuple[Outcome, ...]]:
        """Return them by number in each family; the dice and circles of the layout have another order."""
        bets = BETS[rules.edition.dice].values()
        in_list = sorted(bets, key=lambda bet: (bet.kind, bet.code.endswith("none"), bet.number))
        return {bet.code: outcomes_of(rules, bet) for bet in in_list}

    def throw_section(self, rules: Rules, thrown: Sequence[Sequence[int]]) -> str:
        return rules.section("extra-roll" if thrown and rules.edition.dice == TEN else "call-dice")

    def advantage(self, rules: Rules, code: str, outcomes: Sequence[Outcome]) -> Fraction:
        """An Extra Roll alone is no wager: its figure is that of the fee and circles three to eight together."""
        if code != EXTRA_ROLL:
            return super().advantage(rules, code, outcomes)
        circles = [bet for bet in BETS[rules.edition.dice].values() if bet.number >= 3 and bet.kind == 1]
        first = [outcome for bet in circles for outcome in outcomes_of(rules, bet)]
        back = sum(
            (outcome.probability * (outcome.pays.ratio() + 1) for outcome in (*first, *outcomes)), Fraction(0)
        )
        return 1 - back / (len(circles) + 1)

    def round_expectation(
        self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
    ) -> RoundExpectation | None:
        """Return it with the Extra Rolls and what the payout limit would cut."""
        return round_expectation(rules, wagers, self.result)

    def wins_by_way(
        self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
    ) -> list[tuple[int, int]] | None:
        """Return it before the first roll, with Extra Rolls and what the payout limit would cut."""
        return None if throws else wins_by_way(rules, wagers, self.result)

    def view(self, state: RoundState) -> HighRollView:
        """Return the units, the held dice, the Extra Rolls, and what the payout limit cuts (`docs/architecture.md`)."""
        first = held(state.throws[0]) if state.throws else None
        dice = state.rules.edition.dice
        bought = [wager for wager in state.wagers if wager.code == EXTRA_ROLL]
        return {
            "dice": dice,
            "unit_cents": {str(seat): cents for seat, cents in sorted(_units(state.wagers).items())},
            "held": {"face": first.face, "count": first.count} if first else None,
            "loose": dice - first.count if first else 0,
            "extra": {
                "seats": sorted(wager.seat for wager in bought),
                "cents": sum(wager.cents for wager in bought),
                "state": _sensors(state),
            },
            "payout_limit_cents": state.rules.payout_limit_cents,
            "cuts": self._cuts(state),
        }

    def _cuts(self, state: RoundState) -> list[Cut]:
        won: dict[int, tuple[int, int]] = {}
        for line in state.settled:
            if not self._is_exempt(line.wager):
                paid, cut = won.get(line.wager.seat, (0, 0))
                won[line.wager.seat] = (paid + line.paid_cents, cut + line.cut_cents)
        return [
            {"seat": seat, "before_cents": paid + cut, "after_cents": paid}
            for seat, (paid, cut) in sorted(won.items())
            if cut
        ]

    def _is_exempt(self, wager: Wager) -> bool:
        return is_exempt_from_limit(wager.code)

    # Settling

    def step_code(self, state: RoundState, step: int) -> str:
        return "first-roll" if step < 2 * STEPS_A_THROW else "extra-roll"

    def step_section(self, state: RoundState, step: int) -> str:
        return state.rules.section("settlement" if step < 2 * STEPS_A_THROW else "settle-extra")

    def undecided(self, state: RoundState) -> tuple[Wager, ...]:
        """Return circles that the first roll leaves to the extra throw: § 675a.4(f)(2)(ii)."""
        if len(state.throws) != 1:
            return ()
        decided = {settled.wager.key for settled in state.result.settled}
        return tuple(wager for wager in state.wagers if wager.key not in decided)

    def after_settling(self, state: RoundState) -> Phase:
        return "paid" if state.result.ending else "loose"

    def _skip_empty_phases(self, state: RoundState) -> RoundState:
        """Skip the lock-out and the fees if nobody bought an Extra Roll."""
        if state.phase in ("unlocked", "locked") and not _has_extra(state):
            return replace(state, phase="closed")
        return super()._skip_empty_phases(state)

    def _section(self, state: RoundState, act: str) -> str:
        return state.rules.section(duty_of(act, is_extra(*_course(state))), state.shaker)

    # The throw box

    def verify_move_dice(self, state: RoundState) -> None:
        """Raise `nothing-to-move` unless the first roll is called and its dice were not moved yet."""
        self._phase_after(state, "move_dice")

    def move_dice(self, state: RoundState) -> tuple[RoundState, DiceMoved]:
        """Move the matching dice into their box, exposed all the time; settling follows: §§ 675a.4(e), 6(h)."""
        phase, matching = self._phase_after(state, "move_dice"), held(state.throws[0])
        record = DiceMoved(matching.face, matching.count, self._section(state, "move_dice"))
        return self._skip_empty_phases(replace(state, phase=phase)), record

    # The Extra Roll

    def verify_lock_out_extra_rolls(self, state: RoundState) -> None:
        """Raise `bets-still-open` or `nothing-to-lock-out`."""
        self._phase_after(state, "lock_out_extra_rolls")

    def lock_out_extra_rolls(self, state: RoundState) -> tuple[RoundState, ExtraRollsLockedOut]:
        """Lock the sensors: they take no further Extra Roll: § 675a.4(a), § 675a.1(c)(2)."""
        phase = self._phase_after(state, "lock_out_extra_rolls")
        record = ExtraRollsLockedOut(_buyers(state), self._section(state, "lock_out_extra_rolls"))
        return replace(state, phase=phase), record

    def verify_collect_fees(self, state: RoundState) -> None:
        """Raise `not-locked-out` or `no-fees`."""
        self._phase_after(state, "collect_fees")

    def collect_fees(self, state: RoundState) -> tuple[RoundState, FeesCollected]:
        """Put every Extra Roll into the table inventory, before the shake: § 675a.4(a)."""
        phase = self._phase_after(state, "collect_fees")
        cents = sum(wager.cents for wager in state.wagers if wager.code == EXTRA_ROLL)
        record = FeesCollected(_buyers(state), cents, self._section(state, "collect_fees"))
        return replace(state, phase=phase), record

    def verify_gather_loose_dice(self, state: RoundState) -> None:
        """Raise `not-now` unless the first roll is settled and an extra throw is to come."""
        self._phase_after(state, "gather_loose_dice")

    def gather_loose_dice(self, state: RoundState) -> tuple[RoundState, LooseDiceGathered]:
        """Put all dice but the held ones back into the shaker: § 675a.4(g)."""
        phase = self._phase_after(state, "gather_loose_dice")
        record = LooseDiceGathered(state.result.dice, self._section(state, "gather_loose_dice"))
        return replace(state, phase=phase), record

    # Corrections

    def _reopen(self, state: RoundState, added: Collection[Wager]) -> RoundState:
        """Lock out and collect an Extra Roll that is found on its sensor."""
        if not state.throws and any(wager.code == EXTRA_ROLL for wager in added):
            return replace(state, phase="unlocked")
        return super()._reopen(state, added)

    def _verify_undecided(
        self, state: RoundState, wagers: tuple[Wager, ...], key: tuple[int, str, int | None]
    ) -> None:
        """Raise `extra-rolls-locked-out` too: an Extra Roll is recorded until the lock-out of § 675a.1(c)(2).

        It is struck until its fee is collected.
        """
        super()._verify_undecided(state, wagers, key)
        if key[1] != EXTRA_ROLL:
            return
        if any(wager.key == key for wager in state.wagers):
            in_time = state.phase in ("unlocked", "locked")
        else:
            nobody_bought = state.phase == "closed" and not state.void_throws and not _has_extra(state)
            in_time = state.phase == "unlocked" or nobody_bought
        if not in_time:
            raise Refusal(EXTRA_ROLLS_LOCKED_OUT, state.rules.section("extra-roll-sensor"))


def _settle(
    rules: Rules, wager: Wager, dice: Sequence[int], first: Held, bought: bool, added: int | None
) -> Settled | None:
    """One wager, None while it waits for the extra throw; `bought` says that its seat has an Extra Roll."""
    bet = BETS[rules.edition.dice][wager.code]
    if bet.family == EXTRA_ROLL:
        return fee(wager, rules.edition.wagers[EXTRA_ROLL], Reason("extra-roll-bought"))
    if bet.kind == 1 and bought and bet.number > first.count:
        if added is None:
            return None
        verdict = extra_verdict(rules, bet, first.face, first.count, added)
        return _settled(wager, verdict, EXTRA_THROW, (wager.seat,))
    own = dice.count(bet.number) if bet.kind == 0 else 0
    verdict = first_verdict(rules, bet, first.face, first.count, own)
    # If an Extra Roll was bought, the paid number comes before those collected: § 675a.4(f)(2)(ii).
    rank = (
        (wager.seat, bet.kind, verdict.pays is None) if bet.kind == 1 and bought else (wager.seat, bet.kind)
    )
    return _settled(wager, verdict, FIRST_ROLL, rank)


def _settled(wager: Wager, verdict: Verdict, step: int, rank: tuple[int, ...]) -> Settled:
    if verdict.pays is None:
        return lose(wager, verdict.cite, verdict.why, step, rank)
    return win(wager, verdict.pays, verdict.cite, verdict.why, step, rank)


def _units(wagers: Sequence[Wager]) -> dict[int, int]:
    """What each seat has on its first Pip Street die, or, before it has one, on its first circle or sensor. All but
    Millionaire Row must equal it.
    """
    units: dict[int, int] = {}
    for family in ("pip:", ""):
        for wager in wagers:
            if wager.code.startswith(family) and not wager.code.startswith("millionaire"):
                units.setdefault(wager.seat, wager.cents)
    return units


def _families(rules: Rules, wagers: Iterable[Wager]) -> dict[int, set[str]]:
    """The families of each seat's wagers."""
    bets, families = BETS[rules.edition.dice], dict[int, set[str]]()
    for wager in wagers:
        families.setdefault(wager.seat, set()).add(bets[wager.code].family)
    return families


def _has_extra(state: RoundState) -> bool:
    return any(wager.code == EXTRA_ROLL for wager in state.wagers)


def _buyers(state: RoundState) -> tuple[int, ...]:
    return tuple(sorted(wager.seat for wager in state.wagers if wager.code == EXTRA_ROLL))


def _course(state: RoundState) -> tuple[Phase, int, bool]:
    """The phase, how many throws were made, and whether no further one is to come."""
    return state.phase, len(state.throws), bool(state.result.ending)


def _sensors(state: RoundState) -> Sensors:
    """How the Extra Roll sensors stand: none, open, unlocked, locked, or collected."""
    if state.rules.edition.dice == 6:
        return "none"
    if state.phase == "open":
        return "open"
    if state.phase == "unlocked":
        return "unlocked"
    if state.phase == "locked":
        return "locked"
    unknown = state.phase == "void" and not state.throws
    return "collected" if _has_extra(state) and not unknown else "none"
