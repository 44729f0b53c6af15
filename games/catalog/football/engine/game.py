"""Three Dice Football: a game of up to six plays, thrown by a player, with wagers on each play and on the game.

Source: 58 Pa. Code §§ 577.3 to 577.7 (text of 2012-07-28). The field is `field.py`, the wagers are `wagers.py`.

* The dice are offered around the table; who accepts them is the Quarterback and throws. Seats are numbered clockwise
  from the stickperson's left: §§ 577.4(b), (c), 577.7. Nobody of the house ever throws: while all decline, the offers
  go on (reading A41).
* Single play wagers settle with each throw; full game wagers wait for the end of the game, Game Length included
  (reading A46). Nothing is thrown before all that the last throw decided is settled: § 577.5(h).
* Full game wagers are locked from the first throw on, even a void one (A38). A void throw is thrown again, and the
  wagers, the down and the play stand (A33).
* The extra point roll is made only if somebody bet on it; it takes no wagers (A37).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, cast

from games.catalog.football.engine import expectation
from games.catalog.football.engine.field import SCORES, Course, Spot, course_of
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
from games.engine.expectations import RoundExpectation
from games.engine.game import CORRECTIONS, Game, PostAct, PostCode, Step, step_status
from games.engine.odds import Outcome, Pays
from games.engine.refusals import BAD_SEAT, NO_SUCH_PLAY, NOT_NOW, Refusal, RefusalCode
from games.engine.rounds import (
    DUTY_OF,
    OUT_OF_TURN,
    GameView,
    Moves,
    OutOfTurn,
    Phase,
    Procedure,
    Result,
    RoundState,
)
from games.engine.rules import Rules
from games.engine.wagers import STEPS_A_THROW, Placing, Reason, Wager, WagerType

SETTLE_FIRST = RefusalCode(
    "settle-first",
    "The newest throw is still to be settled. Take and pay, then go on.",
    "Settle first",
)
EXTRA_POINT_ROLLED = RefusalCode(
    "extra-point-rolled",
    "The extra point roll was made on this wager. It can no longer be struck; call the floorperson.",
    "The point was rolled",
)
THROWN_ALREADY = RefusalCode(
    "thrown-already",
    "The dice are thrown. Call them, or call no roll.",
    "Thrown already",
)
PLAY_MISSING = RefusalCode(
    "play-missing",
    "%(code)s is made on a single play. Enter its play with it.",
    "Which play?",
)
NOT_THE_NEXT_PLAY = RefusalCode(
    "not-the-next-play",
    "Wagers are on play %(next)s now and this one is on play %(play)s. Enter it on play %(next)s.",
    "Another play",
)
FULL_GAME_LOCKED = RefusalCode(
    "full-game-locked",
    "The first throw locked %(code)s until the game ends. Leave it as it lies.",
    "Locked for the game",
)
CLOSED_BY_THE_THROW = RefusalCode(
    "closed-by-the-throw",
    "The dice have left the hand, which closed the wagers. Give the wager back.",
    "The dice are thrown",
)
EXTRA_POINT_NEXT = RefusalCode(
    "extra-point-next",
    "A score is made and no wager or offer comes before its extra point roll. Have it thrown.",
    "Extra point roll",
)
GAME_OVER = RefusalCode(
    "game-over",
    "This game has ended. Clear the field and begin the next one.",
    "Game over",
)
NOT_THROWN = RefusalCode(
    "not-thrown",
    "The dice have not been thrown for this play. Pass them to the Quarterback.",
    "Not thrown yet",
)
NO_QUARTERBACK = RefusalCode(
    "no-quarterback",
    "Nobody has accepted the dice. Offer them clockwise until a player does.",
    "No Quarterback",
)
QUARTERBACK_CHOSEN = RefusalCode(
    "quarterback-chosen",
    "Seat %(seat)s holds the dice. Pass them there for the throw.",
    "Quarterback is chosen",
)
OFFER_IN_TURN = RefusalCode(
    "offer-in-turn",
    "Seat %(next)s is asked before seat %(seat)s. Offer the dice there first.",
    "Offer in turn",
)
NEXT_PLAY_WAGERED = RefusalCode(
    "next-play-wagered",
    "Wagers for play %(play)s lie there already. Take them off before the dice are corrected.",
    "Wagers lie there",
)
QUARTERBACK_SITS_OUT = RefusalCode(
    "quarterback-sits-out",
    "The Quarterback at seat %(seat)s has no wager in this game. Take one, or pass the dice on.",
    "Quarterback without wager",
)


# The player who throws


SEATS = 16  # § 577.2(a)


@dataclass(frozen=True, slots=True)
class DiceOffered:
    """The dice offered to a seat. Accepting makes it the Quarterback; a Quarterback may decline them later."""

    seat: int
    accepted: bool
    section: str


@dataclass(frozen=True, slots=True)
class DiceThrown:
    """The dice have left the Quarterback's hand."""

    quarterback: int
    section: str


class Quarterbacks(Game):
    """A game whose players throw the dice."""

    def next_quarterback(self, state: RoundState) -> tuple[int | None, int | None]:
        """Return who has the dice in the next game (None: they are offered), and the seat left of which the offers
        begin.

        The Quarterback keeps them after a touchdown or Trips TD, and in a round that the facility voided. After a
        win of the defense they go to the seat on the Quarterback's left: § 577.7(a).
        """
        if state.phase == "void" or state.result.ending in (*SCORES, ""):
            return state.quarterback, state.offered
        return None, state.quarterback or state.offered

    # Offering

    def next_offer(self, state: RoundState) -> int:
        """Return the seat that is offered the dice next: clockwise the first at which somebody plays, with a wager or
        without, and is not away, or else the next seat.
        """
        players = self._players(state)
        around = _clockwise_from(state.offered)
        return next((seat for seat in around if seat in players), around[0])

    def verify_offer_dice(self, state: RoundState, seat: int, accepted: bool) -> None:
        """Raise `not-now`, `quarterback-chosen`, `bad-seat`, or `offer-in-turn` if a player would be passed over.

        A seat that is not taken may be offered the dice and may be left out. A Quarterback may give up the dice
        between throws: this is recorded as a decline (reading A41).
        """
        self._phase_after(state, "offer_dice")
        section = state.rules.section("offer-dice" if state.offered is None else "pass-dice")
        if type(seat) is not int or not 1 <= seat <= SEATS:
            raise Refusal(BAD_SEAT, state.rules.section("places"), seat=str(seat)[:40])
        if state.quarterback is not None:
            if accepted or seat != state.quarterback:
                raise Refusal(QUARTERBACK_CHOSEN, section, seat=state.quarterback)
            return
        players = self._players(state)
        around = _clockwise_from(state.offered)
        for before in around[: around.index(seat)]:
            if before in players:
                raise Refusal(OFFER_IN_TURN, section, seat=seat, next=before)

    def offer_dice(self, state: RoundState, seat: int, accepted: bool) -> tuple[RoundState, DiceOffered]:
        """Record an offer: clockwise from seat 1 at the start of play, else from the last. Who accepts takes two
        green and one red.
        """
        self.verify_offer_dice(state, seat, accepted)
        duty = "accept-dice" if accepted else "offer-dice" if state.offered is None else "pass-dice"
        record = DiceOffered(seat, accepted, state.rules.section(duty))
        return replace(state, offered=seat, quarterback=seat if accepted else None), record

    def _players(self, state: RoundState) -> frozenset[int]:
        """Return the seats that are taken, and those with a live wager, without those whose player is absent (A49)."""
        decided = {settled.wager.key for settled in state.settled}
        live = (wager.seat for wager in state.wagers if wager.key not in decided)
        return state.seated.union(live) - state.absent

    # The throw

    def verify_throw_dice(self, state: RoundState) -> None:
        """Raise `thrown-already`, `settle-first`, `round-over`, or `no-quarterback`."""
        self._phase_after(state, "throw_dice")
        if state.quarterback is None:
            raise Refusal(NO_QUARTERBACK, state.rules.section("accept-dice"))

    def throw_dice(self, state: RoundState) -> tuple[RoundState, DiceThrown]:
        """Close the wagers on this play: the dice leave the Quarterback's hand: § 577.3(c), (e)."""
        self.verify_throw_dice(state)
        record = DiceThrown(cast(int, state.quarterback), self._section(state, "throw_dice"))
        return replace(state, phase=self._phase_after(state, "throw_dice")), record


def _clockwise_from(offered: int | None) -> tuple[int, ...]:
    """Return every seat once, clockwise, beginning left of the seat that was offered the dice last."""
    first = (offered or 0) % SEATS
    return tuple((first + step) % SEATS + 1 for step in range(SEATS))


# What only this game shows of a round


# "from" is a keyword, so this type is written as a call.
Advance = TypedDict("Advance", {"play": int, "from": int, "to": int, "what": str, "yards": int})
Advance.__doc__ = "One play on the field: the yards that the Yard Marker moved between, and why."


class FootballView(GameView):
    """Where the Yard Marker and the pucks are, the plays so far, and who throws."""

    yard: int
    down: int
    goal: bool
    play: int
    track: list[Advance]
    score: str | None  # touchdown or trips-td
    locked: bool
    extra_point: bool
    quarterback: int | None


# The game


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
        return expectation.wins_by_way(rules, wagers, throws)

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
            Step(code, step_status(position, place), state.rules.section(code.partition(":")[0]))
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
