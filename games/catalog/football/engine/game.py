"""Three Dice Football: a game of up to six plays, thrown by a player, with wagers on each play and on the game.

Source: 58 Pa. Code §§ 577.3, 577.5, 577.6 (text of 2012-07-28). The field is `field.py`, the wagers are
`wagers.py`, and the player who throws is `quarterback.py`.

* Single play wagers settle with each throw; full game wagers wait for the end of the game, Game Length included
  (reading A46). Nothing is thrown before all that the last throw decided is settled: § 577.5(h).
* Full game wagers are locked from the first throw on, even a void one (A38). A void throw is thrown again, and the
  wagers, the down and the play stand (A33).
* The extra point roll is made only if somebody bet on it; it takes no wagers (A37).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from games.catalog.football.engine import expectation, exposure
from games.catalog.football.engine.field import Course, Spot, course_of
from games.catalog.football.engine.quarterback import SEATS, Quarterbacks
from games.catalog.football.engine.refusals import (
    CLOSED_BY_THE_THROW,
    EXTRA_POINT_NEXT,
    EXTRA_POINT_ROLLED,
    FULL_GAME_LOCKED,
    GAME_OVER,
    NEXT_PLAY_WAGERED,
    NOT_THE_NEXT_PLAY,
    NOT_THROWN,
    PLAY_MISSING,
    SETTLE_FIRST,
    THROWN_ALREADY,
)
from games.catalog.football.engine.view import FootballView
from games.catalog.football.engine.wagers import (
    BETS,
    EXTRA_POINT,
    PLAYS_MOST,
    POINTS,
    by_dice,
    definition,
    outcomes,
    point,
    possible_odds,
    settle,
    winners,
)
from games.engine.analysis import Outcome
from games.engine.expectations import RoundExpectation
from games.engine.game import CORRECTIONS, PostAct, PostCode, Step
from games.engine.odds import Pays
from games.engine.procedures import DUTY_OF, OUT_OF_TURN, Moves, OutOfTurn, Phase, Procedure
from games.engine.refusals import NO_SUCH_PLAY, NOT_NOW, Refusal
from games.engine.rules import Rules
from games.engine.settlement import STEPS_A_THROW, Reason
from games.engine.state import Result, RoundState
from games.engine.wagers import Placing, Wager, WagerType

FROM_THE_DICE_ON: Moves = {
    ("lit", "settle_seats"): "lit",  # and onward automatically once all that this throw decides is settled
    ("lit", "correct_dice"): "lit",
    ("lit", "record_missed_wager"): "lit",
    ("lit", "strike_mistaken_wager"): "lit",
    # Only for a throw that left nothing to settle: once part of it is settled, it can no longer be corrected.
    ("paid", "correct_dice"): "lit",
    ("paid", "record_missed_wager"): "lit",
    ("paid", "clear_layout"): "cleared",
}

ON_A_PLAY: Moves = {
    ("open", "place_wagers"): "open",
    ("open", "offer_dice"): "open",
    ("open", "throw_dice"): "ready",
    ("open", "correct_dice"): "lit",  # of the previous play, which left nothing to settle
    ("open", "record_missed_wager"): "lit",
    ("open", "void_round"): "void",
    ("ready", "call_dice"): "lit",
    ("ready", "call_no_roll"): "open",
    ("ready", "void_round"): "void",
    **FROM_THE_DICE_ON,
}

ON_THE_EXTRA_POINT: Moves = {
    ("point", "offer_dice"): "point",
    ("point", "throw_dice"): "ready",
    ("point", "correct_dice"): "lit",
    ("point", "record_missed_wager"): "lit",
    ("point", "void_round"): "void",
    ("ready", "call_dice"): "lit",
    ("ready", "call_no_roll"): "point",
    ("ready", "void_round"): "void",
    **FROM_THE_DICE_ON,
}

NEXT_ACTS: Mapping[Phase, str] = {
    "open": "throw_dice",
    "point": "throw_dice",
    "ready": "call_dice",
    "lit": "settle_seats",
    "paid": "clear_layout",
}
FIRST_THE_OFFER: Mapping[Phase, str] = {**NEXT_ACTS, "open": "offer_dice", "point": "offer_dice"}

# The ribbon grows with the plays, so `Football.steps` makes it instead of a procedure.
PLAYING = Procedure(ON_A_PLAY, (), {}, NEXT_ACTS)
OFFERING = Procedure(ON_A_PLAY, (), {}, FIRST_THE_OFFER)
EXTRA_POINT_ROLL = Procedure(ON_THE_EXTRA_POINT, (), {}, NEXT_ACTS)
EXTRA_POINT_OFFER = Procedure(ON_THE_EXTRA_POINT, (), {}, FIRST_THE_OFFER)

PAST_PLAYS_SHOWN = 3  # on the ribbon
RIGHT_LAST = SEATS // 2  # the last place that the dealer on the right settles


FAMILIES = {"game-length": "Game Length"}


class Football(Quarterbacks):
    """What differs in Three Dice Football: its field, its wagers, and the order in which they settle."""

    code = "football"
    name = "Three Dice Football"
    posts = ("dealer", "dealer-left", "stick")  # § 577.9(b); the stickperson has the dice: § 577.4(a)
    post_acts = {
        "offer_dice": PostAct(("stick",), "shaker-responsible"),  # §§ 577.4(a), (b), 577.7(a)
        "throw_dice": PostAct(("stick",), "shaker-responsible"),  # the stick passes the dice: § 577.5(h)
        "draw_dice": PostAct(("stick",), "shaker-responsible"),
        "call_dice": PostAct(("stick",), "call-dice"),  # § 577.5(e), and a disputed face: § 577.5(g)
        "call_no_roll": PostAct(("stick",), "no-roll"),  # § 577.5(c)
        "settle_seats": PostAct(("dealer", "dealer-left"), "play"),  # § 577.6(d)
    }
    keeps_seats = True  # a player who sits a game out is offered the dice: §§ 577.4(b), 577.7(a)
    seats = SEATS
    has_plays = True
    hand_acts = frozenset({"throw_dice"})  # who accepts the dice is decided
    die_colors = ("green", "green", "red")  # § 577.4(a)
    wager_keys = frozenset({"play"})
    duties = {
        **DUTY_OF,
        "offer_dice": "offer-dice",
        "throw_dice": "throw",
    }
    out_of_turn: OutOfTurn = {
        **OUT_OF_TURN,
        ("throw_dice", "ready"): (THROWN_ALREADY, "throw"),
        ("throw_dice", "lit"): (SETTLE_FIRST, "settlement"),
    }

    def wager_types(self, rules: Rules) -> tuple[WagerType, ...]:
        return tuple(
            WagerType(
                bet.code,
                bet.label,
                bet.family,
                definition(rules, bet),
                bet.place,
                FAMILIES.get(bet.family, ""),
            )
            for bet in BETS.values()
        )

    def is_single_play(self, code: str) -> bool:
        return BETS[code].single

    def possible_odds(self, rules: Rules, code: str) -> tuple[Pays, ...]:
        return possible_odds(rules, code)

    def result(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Result:
        """Return the field after these throws. Each throw decides single play wagers, the end of the game the rest."""
        course = _course(throws)
        awaits = _awaits_extra(course, wagers)
        settled = settle(rules, wagers, course, awaits)
        if awaits or not course.ending:
            return Result(settled, dice=rules.edition.dice)
        return Result(settled, course.ending)

    def winning_codes(
        self, rules: Rules, throws: Sequence[Sequence[int]], ending: str = ""
    ) -> tuple[str, ...]:
        return winners(rules, _course(throws), bool(ending))

    def arranged(self, dice: Sequence[int]) -> tuple[int, ...]:
        """Return the green dice low to high, and the red one last."""
        return (*sorted(dice[:2]), *dice[2:])

    def announcement(self, throws: Sequence[Sequence[int]]) -> Reason:
        """Return the newest throw in the dealer's words; a gain that reaches the end zone is a touchdown."""
        course = _course(throws)
        if course.extra:
            return POINTS[point(course.extra)]
        played = course.plays[-1]
        return Reason("touchdown") if played.ending == "touchdown" else by_dice(played.meaning)

    def outcomes(self, rules: Rules) -> dict[str, tuple[Outcome, ...]]:
        return {code: outcomes(rules, code) for code in BETS}

    def round_expectation(
        self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
    ) -> RoundExpectation | None:
        return expectation.round_expectation(rules, wagers, throws)

    def wins_by_way(
        self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
    ) -> list[tuple[int, int]] | None:
        """Return it from the position after these throws, for the wagers on the game and on the next play."""
        return exposure.wins_by_way(rules, wagers, throws)

    def settling_post(self, seat: int) -> PostCode:
        """Return the dealer of a place: 1 to 8 are at the stickperson's left hand, on the right of the table."""
        return "dealer" if seat <= RIGHT_LAST else "dealer-left"

    # Which wagers may be made, and when

    def throw_section(self, rules: Rules, thrown: Sequence[Sequence[int]]) -> str:
        return rules.section("extra-point-roll" if _course(thrown).scored else "call-dice")

    def verify_play(self, rules: Rules, code: str, play: int | None) -> None:
        """Raise `play-missing`, `no-such-play`, or `play-not-asked` for a full game wager."""
        if not BETS[code].single:
            return super().verify_play(rules, code, play)
        if play is None:
            raise Refusal(PLAY_MISSING, rules.section("single-play"), code=code)
        if type(play) is not int or not 1 <= play <= PLAYS_MOST:
            raise Refusal(NO_SUCH_PLAY, rules.section("single-play"), play=str(play)[:40], code=code)
        return None

    def verify_open_for(self, state: RoundState, placing: Placing) -> None:
        """Raise `full-game-locked` from the first throw on, even a void one (A38), and `not-the-next-play`."""
        if placing.play is None:
            if state.throws or state.void_throws:
                raise Refusal(FULL_GAME_LOCKED, state.rules.section("full-game-lock"), code=placing.code)
            return
        self._verify_is_play(state, placing, _spot(_course(state.throws)).play)

    def verify_record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> None:
        """Check as for every game; a single play wager must be on the play of the newest throw."""
        if state.phase == "open" and not state.throws:
            raise Refusal(NOT_THROWN, state.rules.section("throw"))
        super().verify_record_missed_wager(state, placing, reason)
        self._verify_next_is_open(state, "record_missed_wager")
        course, line = _course(state.throws), Placing(*placing)
        if line.play is not None:
            self._verify_is_play(state, line, len(course.plays))

    def _verify_is_play(self, state: RoundState, placing: Placing, play: int) -> None:
        if placing.play != play:
            section = state.rules.section("single-play")
            raise Refusal(NOT_THE_NEXT_PLAY, section, play=placing.play, next=play)

    def verify_correct_dice(self, state: RoundState, dice: Sequence[int], reason: str = "") -> None:
        """Check as for every game; raise `next-play-wagered` once there are wagers on the next play."""
        super().verify_correct_dice(state, dice, reason)
        self._verify_next_is_open(state, "correct_dice")

    def verify_strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> None:
        """Check as for every game; raise `extra-point-rolled` for the last wager that the extra point roll was for."""
        super().verify_strike_mistaken_wager(state, seat, code, play, reason)
        bets = [wager for wager in state.wagers if wager.code == EXTRA_POINT]
        if code == EXTRA_POINT and _course(state.throws).extra and len(bets) == 1:
            raise Refusal(EXTRA_POINT_ROLLED, state.rules.section("extra-point-roll"))

    def _verify_next_is_open(self, state: RoundState, act: str) -> None:
        if _next_is_wagered(state):
            play = len(_course(state.throws).plays) + 1
            raise Refusal(NEXT_PLAY_WAGERED, self._section(state, act), play=play)

    # The order of play

    def procedure(self, state: RoundState) -> Procedure:
        if state.phase in ("ready", "point") and _course(state.throws).scored:
            return EXTRA_POINT_OFFER if state.quarterback is None else EXTRA_POINT_ROLL
        return OFFERING if state.quarterback is None else PLAYING

    def after_settling(self, state: RoundState) -> Phase:
        """Return the next play, the extra point roll, or the end of the game."""
        if state.result.ending:
            return "paid"
        return "point" if _course(state.throws).scored else "open"

    def _phase_after(self, state: RoundState, act: str) -> Phase:
        """Refuse with other words: no call closes the bets of this game, and no shaker has its dice."""
        if (state.phase, act) not in state.procedure.moves and not state.ended:
            self._verify_out_of_phase_after(state, act)
        return super()._phase_after(state, act)

    def _verify_out_of_phase_after(self, state: RoundState, act: str) -> None:
        phase, rules = state.phase, state.rules
        if act in ("no_more_bets", "shake", "take_losers", "pay_seats"):
            raise Refusal(NOT_NOW, self._section(state, act), act=act, phase=phase)
        if act in ("call_dice", "call_no_roll") and phase in ("open", "point"):
            raise Refusal(NOT_THROWN, rules.section("throw"))
        if act in CORRECTIONS and phase == "ready":
            raise Refusal(THROWN_ALREADY, rules.section("throw"))
        if phase == "paid" and act in ("place_wagers", "offer_dice", "throw_dice"):
            raise Refusal(GAME_OVER, rules.section("clear"))
        if phase == "lit" and act in ("place_wagers", "offer_dice", "clear_layout"):
            raise Refusal(SETTLE_FIRST, rules.section("settlement"))
        if phase == "point" and act == "place_wagers":
            raise Refusal(EXTRA_POINT_NEXT, rules.section("extra-point-roll"))
        if phase == "ready" and act == "place_wagers":
            raise Refusal(CLOSED_BY_THE_THROW, rules.section("single-play"))
        if act in CORRECTIONS and phase == "open":
            raise Refusal(NOT_THROWN, rules.section("throw"))

    def step_section(self, state: RoundState, step: int) -> str:
        course = _course(state.throws)
        if not course.ending:
            return state.rules.section("play")
        return state.rules.section("settle-score" if course.scored else "settle-no-score")

    def legal_acts(self, state: RoundState) -> set[str]:
        """Return offers while nobody has the dice, a throw while somebody does, and corrections of the throw."""
        gone = {"throw_dice"} if state.quarterback is None else {"offer_dice"}
        if state.phase != "lit" and (not state.throws or _next_is_wagered(state)):
            gone |= CORRECTIONS
        return super().legal_acts(state) - gone

    # What screens show

    def step_code(self, state: RoundState, step: int) -> str:
        """Return the steps of § 577.6(f), in the order of `wagers.step_at_the_end`."""
        course, place = _course(state.throws), step % STEPS_A_THROW
        if step // STEPS_A_THROW > len(course.plays):
            return ("touchdown", "extra-point")[place]
        if not course.ending:
            return "single-play"
        first = "collect-defense" if course.scored else "collect-touchdown"
        return (first, "single-play", "full-game", "touchdown")[place]

    def steps(self, state: RoundState) -> tuple[Step, ...]:
        """Return the ribbon of a game, which grows with its plays: "throw:2" is the duty `throw` for play 2."""
        codes, now = _ribbon(self, state)
        place = len(codes) if state.phase == "cleared" else codes.index(now) if now else None
        return tuple(
            Step(code, _status(position, place), state.rules.section(code.partition(":")[0]))
            for position, code in enumerate(codes)
        )

    def view(self, state: RoundState) -> FootballView:
        course = _course(state.throws)
        spot = _spot(course)
        return {
            "yard": spot.yard,
            "down": spot.down,
            "goal": spot.goal,
            "play": spot.play,
            "track": [
                {
                    "play": play.spot.play,
                    "from": play.spot.yard,
                    "to": play.to,
                    "what": play.meaning.kind,
                    "yards": play.meaning.yards,
                }
                for play in course.plays
            ],
            "score": course.ending if course.scored else None,
            "locked": bool(state.throws or state.void_throws or state.phase != "open"),
            "extra_point": course.scored and (bool(course.extra) or _awaits_extra(course, state.wagers)),
            "quarterback": state.quarterback,
            "offer": {"next": self.next_offer(state), "last": state.offered},
        }


def _next_is_wagered(state: RoundState) -> bool:
    """Return whether there is a wager on the next play: then the previous play can no longer be corrected."""
    played = len(_course(state.throws).plays)
    return any(wager.play is not None and wager.play > played for wager in state.wagers)


def _course(throws: Sequence[Sequence[int]]) -> Course:
    return course_of(tuple(tuple(dice) for dice in throws))


def _awaits_extra(course: Course, wagers: Sequence[Wager]) -> bool:
    """Return whether the extra point roll is to come: after a score, if somebody bet on it (§ 577.6(f)(1))."""
    return course.scored and not course.extra and any(wager.code == EXTRA_POINT for wager in wagers)


def _spot(course: Course) -> Spot:
    """Return where the marker and the pucks are; once the game has ended, those of its last play."""
    if course.spot is not None:
        return course.spot
    last = course.plays[-1]
    return last.spot._replace(yard=last.to)


def _ribbon(game: Football, state: RoundState) -> tuple[list[str], str]:
    """Return the steps of a game as far as they are known, and the current one, "" in a void round."""
    course, phase = _course(state.throws), state.phase
    under_way = _spot(course).play - (phase == "lit" and not course.ending)
    played = len(course.plays) if course.ending else under_way - 1
    past = [f"play:{play}" for play in range(1, played + 1)][-PAST_PLAYS_SHOWN:]
    if course.ending:
        codes = ["offer-dice", "placement:1", *past, *_final_steps(course, state), "clear"]
        return codes, _final_step(game, course, state)
    first = ["offer-dice"] if under_way == 1 else ["offer-dice", "placement:1"]
    this = [f"placement:{under_way}", f"throw:{under_way}", f"settlement:{under_way}"]
    following = ["placement:2", "throw:2"] if under_way == 1 else []
    opening = "offer-dice" if state.quarterback is None else this[0]
    now = {"open": opening, "ready": this[1], "lit": this[2]}
    return [*first, *past, *this, *following, "clear"], now.get(phase, "")


def _final_steps(course: Course, state: RoundState) -> list[str]:
    if not course.scored:
        return ["settle-no-score"]
    rolls = bool(course.extra) or _awaits_extra(course, state.wagers)
    return ["settle-score", *(["extra-point-roll"] if rolls else []), "finish-score"]


def _final_step(game: Football, course: Course, state: RoundState) -> str:
    if state.phase == "lit":
        if not course.scored:
            return "settle-no-score"
        under_way = {settled.step % STEPS_A_THROW for settled in game.current_step(state)}
        return "finish-score" if course.extra or under_way == {3} else "settle-score"
    return {"point": "extra-point-roll", "ready": "extra-point-roll", "paid": "clear"}.get(state.phase, "")


def _status(position: int, place: int | None) -> str:
    if place is None:
        return "off"
    return "done" if position < place else "now" if position == place else "next"
