"""Entries about rated players. None has personal data: a player is a random code."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entry_types import entry_type

EndedBy = Literal["floor", "seat", "close", "exclusion"]
Exclusion = Literal["self", "list", "house", "age"]
RefusedFor = Literal["excluded", "conduct", "intoxicated", "age", "other"]


class RatingStarted(TypedDict):
    rating: Annotated[int, "number of the rating"]
    player: Annotated[str, "random code of the player"]
    seat: int
    first_round: Annotated[int, "number of the first round that counts"]


class RatingEnded(RatingStarted):
    last_round: Annotated[int, "number of the last round that counts; before the first: none"]
    by: Annotated[
        EndedBy, "the floor ended it, the seat was freed, the table closed, or the player was excluded"
    ]


class RatingMoved(TypedDict):
    player: Annotated[str, "random code of the player"]
    rating: Annotated[int, "number of the rating that ended"]
    seat: int
    last_round: Annotated[int, "number of its last round that counts"]
    to_rating: Annotated[int, "number of the rating that began"]
    to_seat: int
    first_round: Annotated[int, "number of its first round that counts"]


class RatingSplit(TypedDict):
    rating: Annotated[int, "number of the rating"]
    player: Annotated[str, "random code of its player"]
    table: str
    first_round: Annotated[int, "number of the first round that another player has"]
    last_round: Annotated[int, "number of the last round of the rating before it was split"]
    to_player: Annotated[str, "random code of the player who has these rounds now"]
    to_rating: Annotated[int, "number of the rating that has these rounds now"]


class SeatRefused(TypedDict):
    seat: int
    reason: RefusedFor


class SeatAllowed(TypedDict):
    seat: int


class PlayerNamed(TypedDict):
    player: Annotated[str, "random code of the player"]


class PlayerRegistered(PlayerNamed):
    hmac_sha256: Annotated[
        str, "hash of the personal data, keyed by the facility's key and a salt that is erased with them"
    ]


class PlayerFound(TypedDict):
    player: Annotated[str | None, "random code of the player whose card it is; null for an unknown card"]


class PlayerExcluded(PlayerNamed):
    reason: Exclusion


class PlayersMerged(PlayerNamed):
    into: Annotated[str, "the code by which the person is known from now on"]


class PlayersUnmerged(PlayerNamed):
    out_of: Annotated[str, "the code with which it was merged"]
    exclusions: NotRequired[
        Annotated[dict[str, Exclusion], "why a code that was not excluded is now, because the other one is"]
    ]


class PlayerErased(PlayerNamed):
    merged: NotRequired[Annotated[list[str], "further codes of the same person"]]


RATING_STARTED = entry_type("rating.started", RatingStarted, "A player is rated at a seat.")
RATING_ENDED = entry_type("rating.ended", RatingEnded, "A player is no longer rated at a seat.")
RATING_MOVED = entry_type("rating.moved", RatingMoved, "A rated player changed the seat at the table.")
RATING_SPLIT = entry_type("rating.split", RatingSplit, "Rounds of a rating were another player's.")
SEAT_REFUSED = entry_type("seat.refused", SeatRefused, "Wagers at a seat are refused until this is lifted.")
SEAT_ALLOWED = entry_type("seat.allowed", SeatAllowed, "Wagers at a seat are accepted again.")
PLAYER_REGISTERED = entry_type(
    "player.registered", PlayerRegistered, "Personal data of a player were filed under a random code."
)
PLAYER_FOUND = entry_type("player.found", PlayerFound, "Somebody looked up the player of a club card.")
PLAYER_READ = entry_type("player.read", PlayerNamed, "Somebody read the personal data of a player.")
PLAYER_EXCLUDED = entry_type(
    "player.excluded", PlayerExcluded, "A player was excluded: nobody may seat them."
)
PLAYER_ADMITTED = entry_type("player.admitted", PlayerNamed, "The exclusion of a player was lifted.")
PLAYERS_MERGED = entry_type("players.merged", PlayersMerged, "Two codes are of one person.")
PLAYERS_UNMERGED = entry_type(
    "players.unmerged", PlayersUnmerged, "Two codes that were merged are not of one person."
)
PLAYER_ERASED = entry_type("player.erased", PlayerErased, "The personal data of a player were erased.")
