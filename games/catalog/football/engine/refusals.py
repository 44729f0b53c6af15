"""Why Football refuses an act: each code with its sentence and the words above it."""

from games.engine.refusals import RefusalCode

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
