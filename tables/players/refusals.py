"""Refusals about rated players and refused seats, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_SUCH_PLAYER = RefusalCode(
    "no-such-player",
    "No player %(player)s is on file here. Check the code, or register the player.",
    "No such player",
)
PLAYER_IS_ERASED = RefusalCode(
    "player-is-erased",
    "Player %(player)s was erased. Register the person under a new code.",
    "Player erased",
)
PLAYER_IS_MERGED = RefusalCode(
    "player-is-merged",
    "Player %(player)s is the same person as %(into)s. Use %(into)s.",
    "Recorded twice",
)
PLAYER_IS_BUSY = RefusalCode(
    "player-is-busy",
    "Somebody else is changing player %(player)s right now. Look at their page, then try again.",
    "Player busy",
)
PLAYER_IS_EXCLUDED = RefusalCode(
    "player-is-excluded",
    "Player %(player)s is excluded: %(reason)s. Do not seat them, and call Security.",
    "Excluded player",
)
PLAYER_IS_NOT_EXCLUDED = RefusalCode(
    "player-is-not-excluded", "Player %(player)s is not excluded. Nothing was changed.", "Not excluded"
)
EXCLUDED_CODE = RefusalCode(
    "excluded-code",
    "Player %(player)s is excluded, and the other code would be too. %(who)s must do this or sign it. Call Security if "
    "the person is here.",
    "Excluded player",
)
PLAYER_IS_HELD = RefusalCode(
    "player-is-held",
    "Legal hold %(hold)s covers player %(player)s, so their record must stay on file. Erase them when the hold is "
    "released.",
    "Legal hold",
)
PLAYER_NOT_MERGED = RefusalCode(
    "player-not-merged",
    "Player %(player)s is not merged with another code. Nothing was changed.",
    "Not merged",
)
RATING_OF_ANOTHER_TABLE = RefusalCode(
    "rating-of-another-table",
    "%(table)s, where %(player)s was rated, is not one of your tables. Its floorperson corrects it, or %(who)s signs.",
    "Not your table",
)
RATING_TOO_OLD = RefusalCode(
    "rating-too-old",
    "A rating of %(player)s ended more than %(hours)s hours ago. Ask %(who)s to sign.",
    "Too old",
)
EXCLUSION_STANDS = RefusalCode(
    "exclusion-stands",
    "Player %(player)s is excluded, so their record must stay on file. Lift the exclusion before you erase them.",
    "Exclusion stands",
)
CARD_IS_ON_FILE = RefusalCode(
    "card-is-on-file", "This card is on file as player %(player)s. Use that code.", "Card on file"
)
NO_SUCH_CARD = RefusalCode(
    "no-such-card",
    "No player with this card is on file. Check the number, or register the player.",
    "No such card",
)
PLAYER_IS_RATED = RefusalCode(
    "player-is-rated", "Player %(player)s is rated at %(table)s now. End that rating first.", "Rating runs"
)
RATED_SEAT_IS_OPEN = RefusalCode(
    "rated-seat-is-open", "Nobody is at seat %(seat)s. Seat the player first, then rate them.", "Seat open"
)
SEAT_IS_RATED = RefusalCode(
    "seat-is-rated", "Seat %(seat)s is rated as %(player)s. End that rating first.", "Seat rated"
)
SEAT_NOT_RATED = RefusalCode("seat-not-rated", "Nobody is rated at seat %(seat)s.", "Not rated")
RATED_IN_THIS_ROUND = RefusalCode(
    "rated-in-this-round",
    "The wagers at seat %(seat)s in round %(round)s are rated as another player's. Start with the next round.",
    "Round is rated",
)
RATED_SEAT_HAS_WAGERS = RefusalCode(
    "rated-seat-has-wagers",
    "Seat %(seat)s has wagers in this round. Change the seat when the round has ended.",
    "Wagers at the seat",
)
NO_SUCH_RATING = RefusalCode("no-such-rating", "There is no such rating that has ended.", "No such rating")
NO_SUCH_SPLIT = RefusalCode(
    "no-such-split",
    "The rating goes from round %(first)s to %(last)s. Name one of these rounds.",
    "No such round",
)
NOT_ANOTHER_PLAYER = RefusalCode(
    "not-another-player", "These are the same player. Name two players.", "One player"
)
SEAT_REFUSED_ALREADY = RefusalCode(
    "seat-refused-already", "Seat %(seat)s is refused already.", "Refused already"
)
SEAT_NOT_REFUSED = RefusalCode("seat-not-refused", "Seat %(seat)s is not refused.", "Not refused")
