"""Acts on players, whose entries are on `facility/players`: personal data, exclusions, and mistaken records.

No entry, answer or stored command has personal data. Reading them is an act of its own.
"""

from games.engine import Refusal
from games.params import Params
from tables.core.permissions import FLOOR
from tables.models import Player, PlayerDetails, Rating
from tables.players.entry_types import (
    PLAYER_ADMITTED,
    PLAYER_ERASED,
    PLAYER_EXCLUDED,
    PLAYER_FOUND,
    PLAYER_READ,
    PLAYER_REGISTERED,
    PLAYERS_MERGED,
    RATING_SPLIT,
    Exclusion,
    PlayerErased,
)
from tables.players.identity import keyed_hash, new_code, new_salt
from tables.players.ratings import end_at_all_tables, player_of
from tables.players.refusals import (
    CARD_IS_ON_FILE,
    EXCLUSION_STANDS,
    NO_SUCH_CARD,
    NO_SUCH_RATING,
    NO_SUCH_SPLIT,
    NOT_ANOTHER_PLAYER,
    PLAYER_IS_NOT_EXCLUDED,
    PLAYER_IS_RATED,
)
from tables.runner.facility import PLAYERS, ActOutcome, FacilityContext, facility_act

GUARDIANS = frozenset({"compliance", "security"})
READERS = FLOOR | GUARDIANS | {"surveillance"}
MAX_ID = 2**53 - 1
EXCLUSIONS: tuple[Exclusion, ...] = ("self", "list", "house", "age")


@facility_act(PLAYERS, roles=FLOOR, is_personal=True)
def register_player(ctx: FacilityContext, params: Params) -> ActOutcome:
    """File a player's name and club card under a new random code. Raises `card-is-on-file`."""
    name, card = params.text("name", max_length=80), params.text("card", default="", max_length=30)
    if card and (holder := _details(ctx, card)) is not None:
        raise Refusal(CARD_IS_ON_FILE, player=holder.player.code)
    player = Player.objects.create(facility=ctx.facility, code=new_code(ctx.facility.pk), added_at=ctx.now)
    details = PlayerDetails.objects.create(player=player, name=name, card=card, salt=new_salt())
    entry = PLAYER_REGISTERED({"player": player.code, "hmac_sha256": keyed_hash(ctx.facility.code, details)})
    return ActOutcome(entry, {"player": player.code})


@facility_act(PLAYERS, roles=READERS, is_personal=True)
def find_player(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Look up the code of the player who has a club card. Raises `no-such-card`."""
    details = _details(ctx, params.text("card", max_length=30))
    if details is None:
        raise Refusal(NO_SUCH_CARD)
    return ActOutcome(PLAYER_FOUND({"player": details.player.code}), {"player": details.player.code})


@facility_act(PLAYERS, roles=READERS)
def read_player(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Read a player's personal data: their page shows them to this person for ten minutes."""
    player = player_of(ctx.facility.pk, params.code("player"))
    return ActOutcome(PLAYER_READ({"player": player.code}), {"player": player.code})


@facility_act(PLAYERS, roles=GUARDIANS)
def exclude_player(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Exclude a player: nobody may rate them at a seat. Their ratings end at once, and the floor is alerted there."""
    player = player_of(ctx.facility.pk, params.code("player"), lock="wait")
    player.exclusion = params.choice("reason", EXCLUSIONS)
    player.save(update_fields=["exclusion"])
    end_at_all_tables(ctx, player)
    return ActOutcome(PLAYER_EXCLUDED({"player": player.code, "reason": player.exclusion}))


@facility_act(PLAYERS, roles=GUARDIANS)
def admit_player(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Lift the exclusion of a player. Raises `player-is-not-excluded`."""
    player = player_of(ctx.facility.pk, params.code("player"))
    if not player.exclusion:
        raise Refusal(PLAYER_IS_NOT_EXCLUDED, player=player.code)
    player.exclusion = ""
    player.save(update_fields=["exclusion"])
    return ActOutcome(PLAYER_ADMITTED({"player": player.code}))


@facility_act(PLAYERS, roles=FLOOR)
def merge_players(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record that two codes are of one person. Figures of `into` contain those of `player`, which no seat takes again.

    An exclusion of either holds for both, and ends the ratings of `into`. Raises `not-another-player`, or
    `player-is-rated` while `player` is.
    """
    player = player_of(ctx.facility.pk, params.code("player"), lock="wait")
    into = player_of(ctx.facility.pk, params.code("into"), lock="wait")
    if player == into:
        raise Refusal(NOT_ANOTHER_PLAYER)
    _verify_not_rated(player)
    player.merged_into = into
    player.save(update_fields=["merged_into"])
    player.merged.update(merged_into=into)
    if player.exclusion and not into.exclusion:
        into.exclusion = player.exclusion
        into.save(update_fields=["exclusion"])
        end_at_all_tables(ctx, into)
    return ActOutcome(PLAYERS_MERGED({"player": player.code, "into": into.code}), {"player": into.code})


@facility_act(PLAYERS, roles=FLOOR)
def split_rating(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record that the rounds of an ended rating from `round` on were another player's.

    Raises `no-such-rating`, `no-such-split` or `not-another-player`.
    """
    ended = Rating.objects.filter(pk=params.integer("rating", 1, MAX_ID), ended_at__isnull=False)
    rating = ended.filter(table__facility=ctx.facility).select_related("player", "table").first()
    if rating is None or rating.last_round is None:
        raise Refusal(NO_SUCH_RATING)
    player, number = player_of(ctx.facility.pk, params.code("player")), params.integer("round", 1, 2**31 - 1)
    if player == rating.player:
        raise Refusal(NOT_ANOTHER_PLAYER)
    if not rating.first_round <= number <= rating.last_round:
        raise Refusal(NO_SUCH_SPLIT, first=rating.first_round, last=rating.last_round)
    before, last_round, to_rating = rating.player, rating.last_round, rating
    if number == rating.first_round:
        Rating.objects.filter(pk=rating.pk).update(player=player)
    else:
        moment = rating.table.rounds.values_list("opened_at", flat=True).get(number=number)
        to_rating = Rating.objects.create(
            player=player,
            table=rating.table,
            seat=rating.seat,
            started_at=moment,
            ended_at=rating.ended_at,
            first_round=number,
            last_round=last_round,
        )
        rating.last_round, rating.ended_at = number - 1, moment
        rating.save(update_fields=["last_round", "ended_at"])
    return ActOutcome(
        RATING_SPLIT(
            {
                "rating": rating.pk,
                "player": before.code,
                "table": rating.table.code,
                "first_round": number,
                "last_round": last_round,
                "to_player": player.code,
                "to_rating": to_rating.pk,
            }
        ),
        {"rating": to_rating.pk},
    )


@facility_act(PLAYERS, roles={"compliance"}, step_up="always")
def erase_player(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Erase a player's personal data, also those under the codes that were merged into theirs. Ratings stay, nameless.

    Raises `exclusion-stands` for an excluded player, or `player-is-rated` while they are.
    """
    player = player_of(ctx.facility.pk, params.code("player"), lock="wait")
    if player.exclusion:
        raise Refusal(EXCLUSION_STANDS, player=player.code)
    _verify_not_rated(player)
    merged = list(player.merged.order_by("code").values_list("code", flat=True))
    codes = [player.code, *merged]
    PlayerDetails.objects.filter(player__facility=ctx.facility, player__code__in=codes).delete()
    Player.objects.filter(facility=ctx.facility, code__in=codes).update(erased_at=ctx.now)
    data: PlayerErased = {"player": player.code}
    if merged:
        data["merged"] = merged
    return ActOutcome(PLAYER_ERASED(data))


def _details(ctx: FacilityContext, card: str) -> PlayerDetails | None:
    """The data of the player with this card, under the code that counts."""
    rows = PlayerDetails.objects.filter(player__facility=ctx.facility, card=card)
    details = rows.select_related("player__merged_into").first()
    if details is not None and details.player.merged_into is not None:
        details.player = details.player.merged_into
    return details


def _verify_not_rated(player: Player) -> None:
    rating = Rating.objects.filter(player=player, ended_at=None).select_related("table").first()
    if rating is not None:
        raise Refusal(PLAYER_IS_RATED, player=player.code, table=rating.table.code)
