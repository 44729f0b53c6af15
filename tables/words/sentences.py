"""The floor's sentences: refusals that are not the engine's, lines of the record, the steps of a round.

A refusal is a code with figures; here it becomes what a dealer reads. Sections are shown short: § 625a.2(b).
"""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from audit import wording as audit_wording
from audit.errors import AuditRefusal
from games import wording as games_wording
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.office import wording as office_wording
from tables.alerts import words as wording_alerts
from tables.corrections import words as wording_slips
from tables.desk import export_words
from tables.desk import words as wording_desk
from tables.dice import words as wording_custody
from tables.limits import words as wording_limits
from tables.rounds import training_words
from tables.staffing import words as wording_staff

PARTS = (
    wording_custody,
    wording_staff,
    wording_alerts,
    training_words,
    wording_limits,
    wording_desk,
    export_words,
    wording_slips,
)
NUMBERS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six")

TITLES = {
    "bets-closed": lazy("Bets are closed"),
    "dice-past-their-time": lazy("Not shaken"),
    "gaming-ceased": lazy("Gaming has ceased"),
    "table-closed": lazy("The table is closed"),
    "floorperson-must-sign": lazy("Floorperson needed"),
    "witness-must-sign": lazy("Witness needed"),
    "stale": lazy("The table has moved on"),
    "wrong-pin": lazy("Wrong PIN"),
    "locked-out": lazy("Locked out"),
    "shaker-left-unattended": lazy("Relief needed"),
}

SENTENCES = {
    "malformed": lazy("The tablet sent something this act does not know (%(name)s). Nothing was changed."),
    "no-rules-in-force": lazy("No approved rules submission %(code)s is in force. The table cannot deal."),
    "no-shaker": lazy("No working shaker stands at %(table)s. Place one first."),
    "no-dice": lazy("Shaker %(shaker)s has no dice in it. Put a dice lot in first."),
    "dice-past-their-time": lazy("Dice lot %(lot)s reached its time at %(at)s. Put a new lot in the shaker."),
    "gaming-ceased": lazy(
        "Gaming at this table has ceased: the %(what)s failed. Record the repair, then inspect it."
    ),
    "table-closed": lazy("%(table)s is not open. The floorperson inspects and opens it."),
    "table-not-closed": lazy("%(table)s is open already."),
    "no-such-seat": lazy("This table has seats 1 to %(seats)s; there is no seat %(seat)s."),
    "no-round": lazy("No round is in play. It begins with the first wager or shake."),
    "round-in-play": lazy("Round %(round)s is in play. Finish it first."),
    "money-has-moved": lazy("A winner of round %(round)s has been paid. It can no longer be mended here."),
    "floorperson-must-sign": lazy("A floorperson signs this with an own PIN."),
    "witness-must-sign": lazy("The wagers are settled by hand before a %(role)s, who signs with an own PIN."),
    "dice-entered-already": lazy("The dice of round %(round)s are entered. Finish it here, or correct them."),
    "inspect-before-opening": lazy("The inspection is made while the table is closed."),
    "lights-do-not-agree": lazy(
        "What was seen lit is not what these dice light: %(wrong)s. Do not open the table."
    ),
    "not-inspected": lazy("The table has not been inspected since it closed. Inspect it first."),
    "edition-lapsed": lazy("This edition lapsed on %(on)s. Acknowledge that to open the table under it."),
    "too-few-tosses": lazy(
        "The automated shaker was run %(tosses)s times; the inspection runs it three times at least."
    ),
    "nothing-failed": lazy("Nothing at %(table)s is recorded as failed."),
    "dice-in-play": lazy("Round %(round)s is shaken. Its dice stay in the shaker until it ends."),
    "automated-shaker-still-here": lazy(
        "The automated shaker leaves the table before a manual one is used here."
    ),
    "automated-shaker-not-covered": lazy(
        "The automated shaker is covered or signed out of order before a manual one is used here."
    ),
    "no-such-lot": lazy("There is no dice lot %(lot)s in this facility."),
    "lot-was-used": lazy(
        "Dice lot %(lot)s has been in a shaker before; its clock cannot begin again. Take a fresh lot."
    ),
    "new-dice-at-opening": lazy(
        "Dice lot %(lot)s was at this table before it closed. Put a new set in first."
    ),
    "payout-limit-too-low": lazy(
        "The filed payout limit of %(limit)s is under %(least)s, the least at this table's minimum. Do not open it."
    ),
    "quarterback-sits-out": lazy(
        "The Quarterback at seat %(seat)s has no wager in this game. Take one, or offer the dice on."
    ),
    "no-such-post": lazy("%(table)s has no such post."),
    "post-of-another": lazy("That post is for a stickperson; a stickperson takes no other."),
    "dice-not-attested": lazy(
        "Dice lot %(lot)s is not attested to the standard of this game. Take one that is."
    ),
    "seat-is-open": lazy("Nobody sits at seat %(seat)s. Seat the player first, then take the wager."),
    "seat-is-taken": lazy("A player sits at seat %(seat)s already."),
    "seat-has-a-wager": lazy("Seat %(seat)s has a wager in this round. The player stays until it ends."),
    "lot-of-other-dice": lazy(
        "Dice lot %(lot)s holds %(dice)s dice, not the number this game is played with."
    ),
    "shaker-not-free": lazy("Shaker %(shaker)s is not free: it is unknown, at a table, or out of order."),
    "already-dealing": lazy("%(dealer)s deals here already."),
    "not-dealing": lazy("You are not the dealer of %(table)s."),
    "shaker-left-unattended": lazy(
        "Shaker %(shaker)s is never left unattended. A relief takes it over by PIN."
    ),
    "role-may-not": lazy("Your role does not include this."),
    "not-assigned": lazy("You are not assigned to %(table)s."),
    "witness-not-assigned": lazy("%(witness)s is not assigned to %(table)s and does not sign here."),
    "device-not-enrolled": lazy("This tablet is not enrolled. Ask the system administrator."),
    "device-of-another-table": lazy("This tablet (%(device)s) belongs to another table."),
    "simulate-at-live-table": lazy("%(table)s is not a simulated table: nothing invents play there."),
    "act-of-another-game": lazy("That act belongs to another game than the one at %(table)s."),
    "stale": lazy("Somebody else acted first. The screen now shows the table as it is; act again."),
    "unknown-act": lazy("There is no such act."),
    "locked": lazy("This tablet is locked. Sign in with your PIN."),
    "signed-out": lazy("You are signed out. Sign in with your PIN."),
}

NEXT_LABELS = {
    "no_more_bets": lazy("No more bets"),
    "shake": lazy("Shaken"),
    "call_dice": lazy("Enter dice"),
    "take_losers": lazy("Losing wagers taken"),
    "pay_seats": lazy("Paid all"),
    "clear_layout": lazy("Layout cleared"),
    "settle_seats": lazy("Settled"),
    "lock_out_extra_rolls": lazy("Sensors locked"),
    "collect_fees": lazy("Fees in the tray"),
    "move_dice": lazy("Dice in their box"),
    "gather_loose_dice": lazy("Loose dice gathered"),
    "offer_dice": lazy("Offer the dice"),
    "throw_dice": lazy("Dice out"),
}
SHAKE_LABELS = {
    "automated-covered": lazy("Shaker activated"),
    "automated-uncovered": lazy("Shaker activated"),
    "player-activated": lazy("Shaker activated"),
}
STEP_LABELS = {
    "placement": lazy("Bets open"),
    "no-more-bets": lazy("No more bets"),
    "shake": lazy("Shaken"),
    "call-dice": lazy("Dice"),
    "take": lazy("Take"),
    "pay": lazy("Pay"),
    "clear": lazy("Clear"),
    "settle": lazy("Settle"),
    # High Roll Dice
    "lock-out": lazy("Lock-out, fees"),
    "first-roll": lazy("First roll"),
    "extra-roll": lazy("Extra roll"),
    # Three Dice Football; the steps of its settlement too
    "offer-dice": lazy("Quarterback"),
    "placement:": lazy("Wagers, play %s"),
    "throw:": lazy("Throw %s"),
    "play:": lazy("Play %s"),
    "settlement:": lazy("Settle play %s"),
    "settle-score": lazy("Settle the score"),
    "settle-no-score": lazy("Settle the game"),
    "extra-point-roll": lazy("Extra point"),
    "finish-score": lazy("Pay Touchdown"),
    "collect-defense": lazy("Collect Defense"),
    "collect-touchdown": lazy("Touchdown, Extra Point, Defense"),
    "single-play": lazy("Single play"),
    "full-game": lazy("Full game"),
    "touchdown": lazy("Touchdown"),
    "extra-point": lazy("Extra Point"),
}
# What to do now, by act and shaker, or by act alone.
INSTRUCTIONS = {
    ("shake", "manual"): lazy("Cover the shaker and shake it at least three times."),
    ("shake", "player-activated"): lazy("Choose a player with a wager to activate the shaker."),
    ("shake", ""): lazy("Activate the shaker."),
    ("no_more_bets", ""): lazy("Announce no more bets."),
    ("call_dice", ""): lazy("Uncover, announce each die, and enter it."),
    ("take_losers", ""): lazy("Shaker stays uncovered until all are paid."),
    ("pay_seats", ""): lazy("Shaker stays uncovered until all are paid."),
    ("clear_layout", ""): lazy("Clear the lit combinations."),
    ("settle_seats", ""): lazy("Take what lost and pay what won, seat by seat."),
    ("lock_out_extra_rolls", ""): lazy("Press the lock-out: no Extra Roll is bought from here on."),
    ("collect_fees", ""): lazy("Put the Extra Roll fees into the tray before the shake."),
    ("move_dice", ""): lazy("Move the matching dice into their box, uncovered and in view."),
    ("gather_loose_dice", ""): lazy("Leave the matching dice in their box; the rest go into the shaker."),
    ("offer_dice", ""): lazy("Offer the dice clockwise until a player takes them."),
    ("throw_dice", ""): lazy("Pass the dice to the Quarterback."),
    ("call_dice", "dice-cup"): lazy("Call the three faces and enter them."),
    ("clear_layout", "dice-cup"): lazy("Marker to the 20, pucks to 1st Down and Play 1."),
}


def step_label(code: str) -> str:
    """A step of the ribbon, or of a settlement, for people; "throw:2" is the step `throw` of the second play."""
    base, colon, number = code.partition(":")
    label = STEP_LABELS.get(base + colon)
    if label is None:
        return code
    return str(label) % number if colon else str(label)


def say(refusal: Refusal | AuditRefusal) -> str:
    """The refusal as a sentence."""
    if isinstance(refusal, AuditRefusal):
        return str(audit_wording.say(refusal))
    sentence = SENTENCES.get(refusal.code)
    if sentence is None:
        return str(games_wording.say(refusal))
    params = wording_staff.worded(wording_custody.worded(dict(refusal.params)))
    return str(sentence) % {name: _plain(value) for name, value in params.items()}


def title(refusal: Refusal | AuditRefusal) -> str:
    """Two or three words over the sentence."""
    return str(TITLES.get(refusal.code, _("Not done")))


def short(cite: str) -> str:
    """`§ 625a.2(b)` of `58 Pa. Code § 625a.2(b)`; New Jersey's `N.J.A.C. 19:47-9.5(b)` becomes `19:47-9.5(b)`."""
    return cite.replace("58 Pa. Code ", "").replace("N.J.A.C. ", "")


def moment(at: dt.datetime | None) -> str | None:
    """A moment as the snapshot writes it: UTC, ISO 8601, with a Z."""
    return at.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z") if at else None


dollars = in_dollars  # as every screen of the floor says an amount


def number_words(dice: list[int]) -> str:
    """`Two, five, five`."""
    words = [NUMBERS[face] for face in dice]
    return ", ".join([words[0], *(word.lower() for word in words[1:])])


def next_says(name: str, round_: dict[str, Any], shaker: str) -> str:
    """The line beneath the one next step: exactly what the tap does."""
    seats, sum_ = round_["playing"], dollars(round_["wagered_cents"])
    take, pay = round_["take"], round_["pay"]
    left = [str(seat["seat"]) for seat in pay["seats"] if not seat["paid"]]
    owed = dollars(pay["cents"] - pay["paid_cents"])
    says: dict[str, Callable[[], str]] = {
        "no_more_bets": lambda: (
            _("Closes round %(n)s: %(seats)s, %(sum)s")
            % {"n": round_["number"], "seats": _seats(seats), "sum": sum_}
        ),
        "shake": lambda: _shake_says(shaker, bets_open=round_["bets_open"]),
        "call_dice": lambda: _("Uncovered, announced, entered"),
        "take_losers": lambda: (
            _("%(wagers)s, %(sum)s in the rack; then pay")
            % {"wagers": _wagers(take["count"]), "sum": dollars(take["cents"])}
        ),
        "pay_seats": lambda: (
            _("%(seats)s, %(sum)s")
            % {"seats": (_("Seat %s") if len(left) == 1 else _("Seats %s")) % _and(left), "sum": owed}
        ),
        "clear_layout": lambda: _("Ends round %(n)s") % {"n": round_["number"]},
        "move_dice": lambda: _("%s, uncovered and in view") % round_["call"]["summary"],
        "settle_seats": lambda: _settle_says(round_["settle"]),
        "throw_dice": lambda: _("Closes the wagers on this throw: %s") % sum_,
    }
    return says[name]() if name in says else ""


def act_line(type_: str, data: dict[str, Any]) -> str:
    """One entry of the record as a line to read; an unknown type shows its own name."""
    line = ACT_LINES.get(type_)
    return line(data) if line else re.sub(r"[._]", " ", type_).capitalize()


def _placed(data: dict[str, Any]) -> str:
    seats = sorted({one["seat"] for one in data["placed"]})
    return _("Wagers, %s") % _seats_named(seats)


def _dice(data: dict[str, Any]) -> str:
    return " ".join(map(str, sorted(data.get("dice") or [])))


ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "wagers.placed": _placed,
    "bets.closed": lambda data: _("No more bets, %s") % dollars(data["wagered_cents"]),
    "dice.shaken": lambda data: _("Shaken"),
    "round.settled": lambda data: _("Dice %s called and lit") % _dice(data),
    "throw.settled": lambda data: _("Dice %s called") % _dice(data),
    "throw.no_roll": lambda data: _("No roll; the dice are thrown again"),
    "seats.settled": lambda data: (
        _("Took %(take)s and paid %(pay)s, %(seats)s")
        % {
            "take": dollars(data["taken_cents"]),
            "pay": dollars(data["paid_cents"]),
            "seats": _seats_named(data["seats"]),
        }
    ),
    "extra_rolls.locked_out": lambda data: _("Extra Roll sensors locked"),
    "fees.collected": lambda data: _("Extra Roll fees %s collected") % dollars(data["fees_cents"]),
    "dice.moved": lambda data: _("%(count)s dice into the box of %(face)s") % data,
    "dice.gathered": lambda data: _("%(dice)s loose dice gathered") % data,
    "dice.offered": lambda data: (
        (_("Seat %s takes the dice") if data["accepted"] else _("Seat %s declines the dice")) % data["seat"]
    ),
    "dice.thrown": lambda data: _("Dice out, throw %(throw)s") % data,
    "round.settled_by_hand": lambda data: _("Dice %s, settled by hand") % _dice(data),
    "round.recorded_by_hand": lambda data: _("Dice %s, recorded after play by hand") % _dice(data),
    "round.no_roll": lambda data: _("No roll, wagers returned"),
    "round.voided": lambda data: _("Round void, wagers returned"),
    "losers.taken": lambda data: _("Taken %s") % dollars(data["taken_cents"]),
    "winners.paid": lambda data: (
        _("Paid %(sum)s to %(seats)s")
        % {"sum": dollars(data["paid_cents"]), "seats": _seats_named(data["seats"])}
    ),
    "layout.cleared": lambda data: _("Cleared"),
    "dice.corrected": lambda data: _("Dice corrected to %s") % _dice(data),
    "wager.missed": lambda data: _("Missed wager, seat %s") % data["mended"]["seat"],
    "wager.struck": lambda data: _("Wager struck, seat %s") % data["mended"]["seat"],
    "table.inspected": lambda data: _("Inspected with %s") % _dice(data),
    "table.opened": lambda data: _("Opened"),
    "table.closed": lambda data: _("Closed"),
    "dice_lot.placed": lambda data: _("Lot %(lot)s into %(shaker)s") % data,
    "seat.taken": lambda data: _("Seat %(seat)s taken") % data,
    "seat.freed": lambda data: _("Seat %(seat)s free") % data,
    "dice_lot.withdrawn": lambda data: _("Lot %(lot)s out of play: %(why)s") % data,
    "dice_lot.expired": lambda data: _("Lot %(lot)s reached its time") % data,
    "shaker.replaced": lambda data: _("Shaker %(shaker)s placed") % data,
    "dealer.began": lambda data: _("Takes the table and the shaker"),
    "dealer.relieved": lambda data: _("Relieves and takes the shaker"),
    "dealer.left": lambda data: _("Leaves the table"),
    "device.failed": lambda data: _("Device failed"),
    "repair.recorded": lambda data: _("Repair recorded"),
}

TITLES.update(office_wording.TITLES)
SENTENCES.update(office_wording.SENTENCES)
for part in PARTS:
    TITLES.update(part.TITLES)
    SENTENCES.update(part.SENTENCES)
    ACT_LINES.update(part.ACT_LINES)


def _shake_says(shaker: str, *, bets_open: bool) -> str:
    if shaker != "manual":
        return _("Bets stay open") if bets_open else _("Bets are closed; dice next")
    return _("At least three times; bets stay open") if bets_open else _("At least three times; dice next")


def _settle_says(settle: dict[str, Any]) -> str:
    """What the step under way still takes and pays, over the seats that are left."""
    left = [
        seat
        for step in settle["steps"]
        if step["state"] == "now"
        for seat in step["seats"]
        if not seat["done"]
    ]
    take, pay = sum(seat["take_cents"] for seat in left), sum(seat["pay_cents"] for seat in left)
    return _("Take %(take)s, pay %(pay)s") % {"take": dollars(take), "pay": dollars(pay)}


def _wagers(count: int) -> str:
    return _("1 wager") if count == 1 else _("%s wagers") % count


def _seats(count: int) -> str:
    return _("1 seat") if count == 1 else _("%s seats") % count


def _seats_named(seats: list[int]) -> str:
    return (_("seat %s") if len(seats) == 1 else _("seats %s")) % " ".join(map(str, seats))


def _and(words: list[str]) -> str:
    return (
        _("%(most)s and %(last)s") % {"most": ", ".join(words[:-1]), "last": words[-1]}
        if len(words) > 1
        else "".join(words)
    )


def _plain(value: Any) -> Any:
    return value.strftime("%H:%M UTC on %d %b") if isinstance(value, dt.datetime) else value
