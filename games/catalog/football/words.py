"""What people read of Three Dice Football alone."""

# code: (two or three words, the sentence)
REFUSALS = {
    "settle-first": (
        "Settle first",
        "The newest throw is still to be settled. Take and pay, then go on.",
    ),
    "extra-point-rolled": (
        "The point was rolled",
        "The extra point roll was made on this wager. It can no longer be struck; call the floorperson.",
    ),
    "thrown-already": (
        "Thrown already",
        "The dice are thrown. Call them, or call no roll.",
    ),
    "play-missing": (
        "Which play?",
        "%(code)s is made on a single play. Enter its play with it.",
    ),
    "not-the-next-play": (
        "Another play",
        "Wagers are on play %(next)s now and this one is on play %(play)s. Enter it on play %(next)s.",
    ),
    "full-game-locked": (
        "Locked for the game",
        "The first throw locked %(code)s until the game ends. Leave it as it lies.",
    ),
    "closed-by-the-throw": (
        "The dice are thrown",
        "The dice have left the hand, which closed the wagers. Give the wager back.",
    ),
    "extra-point-next": (
        "Extra point roll",
        "A score is made and no wager or offer comes before its extra point roll. Have it thrown.",
    ),
    "game-over": ("Game over", "This game has ended. Clear the field and begin the next one."),
    "not-thrown": (
        "Not thrown yet",
        "The dice have not been thrown for this play. Pass them to the Quarterback.",
    ),
    "no-quarterback": (
        "No Quarterback",
        "Nobody has accepted the dice. Offer them clockwise until a player does.",
    ),
    "quarterback-chosen": (
        "Quarterback is chosen",
        "Seat %(seat)s holds the dice. Pass them there for the throw.",
    ),
    "offer-in-turn": (
        "Offer in turn",
        "Seat %(next)s is asked before seat %(seat)s. Offer the dice there first.",
    ),
    "next-play-wagered": (
        "Wagers lie there",
        "Wagers for play %(play)s lie there already. Take them off before the dice are corrected.",
    ),
}

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

# What its things are called, and what is said of an act
LABELS = {
    "lot": "set",
    "shaker": "dice cup",
    "shaken": "thrown",
    "dice order": "two green, then the red one",
    "new lot": "A new set: four green, two red",
    "removed": "The set leaves the table",
    "removed detail": "goes for good; a new set opens it again",
    "dice corrected": "The throw is settled anew.",
    "round voided": "What an earlier throw decided stands; every other wager goes back to its seat.",
}
