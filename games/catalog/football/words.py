"""The words of Three Dice Football."""

from games.catalog.football.engine.game import CLOSED_BY_THE_THROW

# Refusals of acts that come too late, each with the entries that left nothing to do for them
OVERTAKEN_BY: dict[str, tuple[str, ...]] = {CLOSED_BY_THE_THROW: ("dice.thrown",)}

REASONS = {
    "gain": "Gain of %(yards)s",
    "no-gain": "No gain",
    "penalty": "Penalty",
    "turnover": "Turnover",
    "trips-td": "Trips TD",
    "touchdown": "Touchdown",
    "out-of-downs": "Out of downs",
    "scored-on-play": "Scored on play %(play)s",
    "lasted": "The game ended on play %(play)s",
    "point-on-one": "One 1",
    "point-on-two": "Two 1s",
    "point-on-three-aces": "Three 1s",
    "point-on-triple": "Triple",
    "no-point": "No point",
}

# Why a throw is void, by the code that the edition lists
NO_ROLLS = {
    "not-simultaneous": "The dice did not leave the hand together",
    "short-of-the-end": "A die did not strike the far end",
    "on-the-bank": "A die rests on the bank of chips",
    "in-cup-or-rail": "A die rests in the cup or on a rail",
    "cheating-device": "A cheating device or technique",
    "improper": "The throw was improper",
    "disputed": "The uppermost face was disputed",
}

# Labels of the ribbon and of the steps of a settlement
STEP_LABELS = {
    "offer-dice": "Quarterback",
    "placement:": "Wagers, play %s",
    "throw:": "Throw %s",
    "play:": "Play %s",
    "settlement:": "Settle play %s",
    "settle-score": "Settle the score",
    "settle-no-score": "Settle the game",
    "extra-point-roll": "Extra point",
    "finish-score": "Pay Touchdown",
    "collect-defense": "Collect Defense",
    "collect-touchdown": "Touchdown, Extra Point, Defense",
    "single-play": "Single play",
    "full-game": "Full game",
    "touchdown": "Touchdown",
    "extra-point": "Extra Point",
}
NEXT_LABELS = {
    "offer_dice": "Offer the dice",
    "throw_dice": "Dice out",
}
# What to do now, by act and kind of shaker
INSTRUCTIONS = {
    ("offer_dice", ""): "Offer the dice clockwise until a player takes them.",
    ("throw_dice", ""): "Pass the dice to the Quarterback.",
    ("call_dice", "dice-cup"): "Call the three faces and enter them.",
    ("clear_layout", "dice-cup"): "Marker to the 20, pucks to 1st Down and Play 1.",
}

# Lines of its inspections and of the approval of its layout, as a floorperson confirms them
INSPECTION_LINES = {
    "dice-in-cup": "Four green and two red dice are in the dice cup.",
    "football-field": "The field has both end zones, its 10 and 20 yard lines, and yards 1 to 23 in the middle.",
    "boxes-attached": "Drop box and tip box are where approved.",
    "cameras": "A fixed camera covers each end of the table.",
    "cup-in-front": "The dice cup is in front of the stickperson.",
    "stick": "The stickperson's stick is at the table.",
    "place-extra-point": "There is a place for the Extra Point.",
    "place-first-down": "There is a place for 1st Down.",
    "place-first-goal": "There is a place for 1st & Goal.",
    "place-game-length": "There are places for the game length, 1 to 6.",
    "place-second-down": "There is a place for 2nd Down.",
    "place-second-goal": "There is a place for 2nd & Goal.",
    "place-third-down": "There is a place for 3rd Down.",
    "place-third-goal": "There is a place for 3rd & Goal.",
    "table-shape": "The table is oblong, with round corners and high walls.",
}

# Names of its equipment, and what is said about an act
LABELS = {
    "lot": "set",
    "shaker": "dice cup",
    "shaken": "thrown",
    "dice order": "two green, then the red one",
    "new lot": "A new set: four green, two red",
    "removed": "The set leaves the table",
    "removed detail": "for good; the table reopens with a new set",
    "dice corrected": "The throw is settled again.",
    "round voided": "What an earlier throw decided stays; every other wager goes back to its seat.",
}
