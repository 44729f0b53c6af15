"""Lines of the record about rated players, and why somebody is excluded or a seat refused."""

from tables.models import Player
from tables.players.entry_types import (
    PLAYER_ADMITTED,
    PLAYER_ERASED,
    PLAYER_EXCLUDED,
    PLAYER_FOUND,
    PLAYER_READ,
    PLAYER_REGISTERED,
    PLAYERS_MERGED,
    PLAYERS_UNMERGED,
    RATING_ENDED,
    RATING_MOVED,
    RATING_SPLIT,
    RATING_STARTED,
    SEAT_ALLOWED,
    SEAT_REFUSED,
)
from tables.words.registry import line, register

EXCLUDED_BY: dict[str, str] = {str(value): str(label) for value, label in Player.Exclusion.choices}
REFUSED_FOR = {
    "excluded": "excluded person",
    "conduct": "conduct",
    "intoxicated": "intoxicated",
    "age": "under age",
    "other": "another reason",
}


ACT_LINES = [
    line(RATING_STARTED, lambda data: "Seat %(seat)s rated as %(player)s, from round %(first_round)s" % data),
    line(
        RATING_ENDED,
        lambda data: "Seat %(seat)s: rating of %(player)s ended after round %(last_round)s" % data,
    ),
    line(RATING_MOVED, lambda data: "%(player)s moved from seat %(seat)s to seat %(to_seat)s" % data),
    line(
        RATING_SPLIT,
        lambda data: "%(table)s from round %(first_round)s: %(to_player)s, not %(player)s" % data,
    ),
    line(
        SEAT_REFUSED,
        lambda data: "Seat %s refused: %s" % (data["seat"], REFUSED_FOR.get(data["reason"], data["reason"])),
    ),
    line(SEAT_ALLOWED, lambda data: "Seat %(seat)s no longer refused" % data),
    line(PLAYER_REGISTERED, lambda data: "Player %(player)s registered" % data),
    line(PLAYER_FOUND, lambda data: "Card looked up: %s" % (data["player"] or "not on file")),
    line(PLAYER_READ, lambda data: "Personal data of %(player)s read" % data),
    line(
        PLAYER_EXCLUDED,
        lambda data: (
            "Player %s excluded: %s" % (data["player"], EXCLUDED_BY.get(data["reason"], data["reason"]))
        ),
    ),
    line(PLAYER_ADMITTED, lambda data: "Exclusion of %(player)s lifted" % data),
    line(PLAYERS_MERGED, lambda data: "%(player)s is the same person as %(into)s" % data),
    line(PLAYERS_UNMERGED, lambda data: "%(player)s is not the same person as %(out_of)s" % data),
    line(PLAYER_ERASED, lambda data: "Personal data of %(player)s erased" % data),
]


register(act_lines=ACT_LINES)
