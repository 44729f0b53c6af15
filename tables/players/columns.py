"""What is known of the columns of players and ratings: their own check folds the entries."""

from audit.columns import declare
from tables.models import Player, PlayerDetails, Rating

PLAYERS = "tables.players.record_checks.check_players"


def of(names: str) -> dict[str, str]:
    """These columns, which the check of players compares."""
    return dict.fromkeys(names.split(), PLAYERS)


declare(Player, "player", derived=of("facility code added_at exclusion merged_into erased_at"))
declare(PlayerDetails, "personal data", derived=of("player name card salt"))
declare(
    Rating,
    "rating",
    derived=of("player table seat started_at ended_at first_round last_round moved_from"),
)
