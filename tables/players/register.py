"""The register of players: personal data, exclusions, and mistaken records, on `facility/players`.

A player is registered under a random code (`register_player`). No entry, answer or stored command has personal data;
the record names them by a keyed hash (`keyed_hash`). Reading them is an act of its own (`find_player`,
`read_player`). An excluded player is seated nowhere, and their ratings end (`exclude_player`, `admit_player`). Two
codes of one person are merged, and that may be undone; rounds of a rating that were another player's are split off.
Personal data are erased on request, unless a legal hold or an exclusion needs them (`erase_player`).

The rows `exclusions`, `admissions`, `erasures` and `ratings` of the policy say who does what, and which two people
correct whose rounds were whose.
"""

import datetime as dt
import secrets
from collections.abc import Iterable
from typing import Annotated, Literal, TypedDict, Unpack, get_args

from django.conf import settings
from django.db.models import QuerySet
from django.utils.crypto import constant_time_compare, salted_hmac

from audit.columns import AT, NONE, STREAM, Body, Reading, RowFindings, Rows, constant, declare
from audit.entry_types import ABSENT, entry_type
from audit.models import LegalHold
from games.act_forms import Code, text, whole
from games.engine import Refusal, RefusalCode
from games.jurisdictions import SeparationRow
from games.separation import policy
from tables.core.duty import FLOOR, is_on_duty
from tables.models import Player, PlayerDetails, Rating
from tables.players.ratings import (
    EXCLUDED_BY,
    PLAYER_IS_ERASED,
    PLAYER_IS_RATED,
    end_at_all_tables,
    player_of,
)
from tables.runner.facility import PLAYERS, ActOutcome, FacilityContext, facility_act
from tables.runner.signatures import verify_signed_by_policy

CARD_IS_ON_FILE = RefusalCode(
    "card-is-on-file", "This card is on file as player %(player)s. Use that code.", "Card on file"
)
NO_SUCH_CARD = RefusalCode(
    "no-such-card",
    "No player with this card is on file. Check the number, or register the player.",
    "No such card",
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
EXCLUSION_STANDS = RefusalCode(
    "exclusion-stands",
    "Player %(player)s is excluded, so their record must stay on file. Lift the exclusion before you erase them.",
    "Exclusion stands",
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
NOT_ANOTHER_PLAYER = RefusalCode(
    "not-another-player", "These are the same player. Name two players.", "One player"
)
NO_SUCH_RATING = RefusalCode("no-such-rating", "There is no such rating that has ended.", "No such rating")
NO_SUCH_SPLIT = RefusalCode(
    "no-such-split",
    "The rating goes from round %(first)s to %(last)s. Name one of these rounds.",
    "No such round",
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


# Rows of the policy
RATINGS, EXCLUSIONS_ROW, ADMISSIONS, ERASURES = "ratings", "exclusions", "admissions", "erasures"
READERS = FLOOR | {"compliance", "security", "surveillance"}
MAX_ID = 2**53 - 1


# What the record says of players


Exclusion = Literal["self", "list", "house", "age"]


class PlayerNamed(TypedDict):
    player: Annotated[str, "random code of the player"]


@entry_type("player.registered")
def PLAYER_REGISTERED(
    *,
    hmac_sha256: Annotated[
        str, "hash of the personal data, keyed by the facility's key and a salt that is erased with them"
    ],
    **data: Unpack[PlayerNamed],
) -> str:
    """Personal data of a player were filed under a random code."""
    return f"Player {data['player']} registered"


@entry_type("player.found")
def PLAYER_FOUND(
    *, player: Annotated[str | None, "random code of the player whose card it is; null for an unknown card"]
) -> str:
    """Somebody looked up the player of a club card."""
    return "Card looked up: %s" % (player or "not on file")


PLAYER_READ = entry_type(
    "player.read",
    PlayerNamed,
    "Somebody read the personal data of a player.",
    lambda data: "Personal data of %(player)s read" % data,
)


@entry_type("player.excluded")
def PLAYER_EXCLUDED(*, reason: Exclusion, **data: Unpack[PlayerNamed]) -> str:
    """A player was excluded: nobody may seat them."""
    return "Player %s excluded: %s" % (data["player"], EXCLUDED_BY.get(reason, reason))


PLAYER_ADMITTED = entry_type(
    "player.admitted",
    PlayerNamed,
    "The exclusion of a player was lifted.",
    lambda data: "Exclusion of %(player)s lifted" % data,
)


@entry_type("players.merged")
def PLAYERS_MERGED(
    *, into: Annotated[str, "the code by which the person is known from now on"], **data: Unpack[PlayerNamed]
) -> str:
    """Two codes are of one person."""
    return f"{data['player']} is the same person as {into}"


@entry_type("players.unmerged")
def PLAYERS_UNMERGED(
    *,
    out_of: Annotated[str, "the code with which it was merged"],
    exclusions: Annotated[
        dict[str, Exclusion], "why a code that was not excluded is now, because the other one is"
    ] = ABSENT,
    **data: Unpack[PlayerNamed],
) -> str:
    """Two codes that were merged are not of one person."""
    return f"{data['player']} is not the same person as {out_of}"


@entry_type("rating.split")
def RATING_SPLIT(
    *,
    rating: Annotated[int, "number of the rating"],
    player: Annotated[str, "random code of its player"],
    table: str,
    first_round: Annotated[int, "number of the first round that another player has"],
    last_round: Annotated[int, "number of the last round of the rating before it was split"],
    to_player: Annotated[str, "random code of the player who has these rounds now"],
    to_rating: Annotated[int, "number of the rating that has these rounds now"],
) -> str:
    """Rounds of a rating were another player's."""
    return f"{table} from round {first_round}: {to_player}, not {player}"


@entry_type("player.erased")
def PLAYER_ERASED(
    *, merged: Annotated[list[str], "further codes of the same person"] = ABSENT, **data: Unpack[PlayerNamed]
) -> str:
    """The personal data of a player were erased."""
    return f"Personal data of {data['player']} erased"


# What they state of the row of a player


def _point_to(rows: Rows, body: Body, code: str, into: str | None) -> None:
    """The code counts for this other one, or for itself. `memory` has the codes that count for each."""
    stream, row = body["stream"], rows.get(body["stream"], code) or {}
    rows.memory.setdefault((stream, row["merged_into"]), set()).discard(code)
    rows.memory.setdefault((stream, into), set()).add(code)
    rows.put(body, stream, code, merged_into=into)


def _merged(rows: Rows, body: Body) -> None:
    """All codes of the person count for one, and an exclusion of either holds for it."""
    stream, code, into = body["stream"], body["data"]["player"], body["data"]["into"]
    for other in [*rows.memory.get((stream, code), ()), code]:
        _point_to(rows, body, other, into)
    row, row_into = rows.get(stream, code) or {}, rows.get(stream, into) or {}
    if row["exclusion"] and not row_into["exclusion"]:
        rows.put(body, stream, into, exclusion=row["exclusion"])


def _unmerged(rows: Rows, body: Body) -> None:
    _point_to(rows, body, body["data"]["player"], None)
    for code, reason in body["data"].get("exclusions", {}).items():
        rows.put(body, body["stream"], code, exclusion=reason)


def _erased(rows: Rows, body: Body) -> None:
    for code in (body["data"]["player"], *body["data"].get("merged", ())):
        rows.put(body, body["stream"], code, erased_at=body["at"], has_details=False)


declare(
    Player,
    "player",
    key={"stream": STREAM, "code": "player"},
    created={
        PLAYER_REGISTERED: {
            "added_at": AT,
            "exclusion": constant(""),
            "merged_into": NONE,
            "erased_at": NONE,
            "has_details": constant(True),
        }
    },
    changed={PLAYER_EXCLUDED: {"exclusion": "reason"}, PLAYER_ADMITTED: {"exclusion": constant("")}},
    folded={PLAYERS_MERGED: _merged, PLAYERS_UNMERGED: _unmerged, PLAYER_ERASED: _erased},
    readings={
        "stream": Reading(("facility__code",), lambda code: f"{code}/{PLAYERS}", ("facility",)),
        "has_details": Reading(("details__player",), lambda player: player is not None, ()),
    },
    findings=RowFindings.declare("player"),
)


# Registered and read


@facility_act(PLAYERS, roles=FLOOR, is_personal=True)
def register_player(
    ctx: FacilityContext, *, name: Annotated[str, text(80)], card: Annotated[str, text(30)] = ""
) -> ActOutcome:
    """File a player's name and club card under a new random code. Raises `card-is-on-file`."""
    if card and (holder := _details(ctx, card)) is not None:
        raise Refusal(CARD_IS_ON_FILE, player=holder.player.code)
    player = Player.objects.create(facility=ctx.facility, code=new_code(ctx.facility.pk), added_at=ctx.now)
    details = PlayerDetails.objects.create(player=player, name=name, card=card, salt=new_salt())
    entry = PLAYER_REGISTERED(player=player.code, hmac_sha256=keyed_hash(ctx.facility.code, details))
    return ActOutcome(entry, {"player": player.code})


def _details(ctx: FacilityContext, card: str) -> PlayerDetails | None:
    """The data of the player with this card, under the code that counts."""
    rows = PlayerDetails.objects.filter(player__facility=ctx.facility, card=card)
    details = rows.select_related("player__merged_into").first()
    if details is not None and details.player.merged_into is not None:
        details.player = details.player.merged_into
    return details


@facility_act(PLAYERS, roles=READERS, is_personal=True)
def find_player(ctx: FacilityContext, *, card: Annotated[str, text(30)]) -> ActOutcome:
    """Look up the code of the player who has a club card. Raises `no-such-card`."""
    details = _details(ctx, card)
    if details is None:
        raise Refusal(NO_SUCH_CARD)
    return ActOutcome(PLAYER_FOUND(player=details.player.code), {"player": details.player.code})


@facility_act(PLAYERS, roles=READERS)
def read_player(ctx: FacilityContext, *, player_code: Code) -> ActOutcome:
    """Read a player's personal data: their page shows them to this person for ten minutes."""
    player = player_of(ctx.facility.pk, player_code)
    return ActOutcome(PLAYER_READ({"player": player.code}), {"player": player.code})


# Excluded and admitted


@facility_act(PLAYERS, roles=policy.roles_of(EXCLUSIONS_ROW, "prepare"), witness=True)
def exclude_player(ctx: FacilityContext, *, player_code: Code, reason: Exclusion) -> ActOutcome:
    """Exclude a player: nobody may rate them at a seat. Their ratings end at once, and the floor is alerted there.

    Raises what `verify_signed_by_policy` does.
    """
    verify_signed_by_policy(ctx, EXCLUSIONS_ROW)
    player = player_of(ctx.facility.pk, player_code, lock="wait")
    player.exclusion = reason
    player.save(update_fields=["exclusion"])
    end_at_all_tables(ctx, player)
    return ActOutcome(PLAYER_EXCLUDED(player=player.code, reason=player.exclusion))


@facility_act(PLAYERS, roles=policy.roles_of(ADMISSIONS, "prepare"), witness=True)
def admit_player(ctx: FacilityContext, *, player_code: Code) -> ActOutcome:
    """Lift the exclusion of a player. Raises `player-is-not-excluded`, or what a second signature raises."""
    verify_signed_by_policy(ctx, ADMISSIONS)
    player = player_of(ctx.facility.pk, player_code)
    if not player.exclusion:
        raise Refusal(PLAYER_IS_NOT_EXCLUDED, player=player.code)
    player.exclusion = ""
    player.save(update_fields=["exclusion"])
    return ActOutcome(PLAYER_ADMITTED({"player": player.code}))


# Mistaken records


@facility_act(PLAYERS, roles=policy.roles_of(RATINGS, "prepare"), witness=True)
def merge_players(ctx: FacilityContext, *, player_code: Code, into_code: Code) -> ActOutcome:
    """Record that two codes are of one person. Figures of `into` contain those of `player`, which no seat takes again.

    An exclusion of either holds for both, and ends the ratings of `into`; somebody who excludes players signs then.
    Raises `not-another-player`, `excluded-code`, `player-is-rated` while `player` is, and what `_verify_may_correct`
    does.
    """
    row = verify_signed_by_policy(ctx, RATINGS)
    player = player_of(ctx.facility.pk, player_code, lock="wait")
    into = player_of(ctx.facility.pk, into_code, lock="wait")
    if player == into:
        raise Refusal(NOT_ANOTHER_PLAYER)
    _verify_not_rated(player)
    _verify_may_correct(ctx, row, Rating.objects.filter(player__in=[player, *player.merged.all()]))
    _verify_exclusion_may_spread(ctx, player, into)
    player.merged_into = into
    player.save(update_fields=["merged_into"])
    player.merged.update(merged_into=into)
    if player.exclusion and not into.exclusion:
        into.exclusion = player.exclusion
        into.save(update_fields=["exclusion"])
        end_at_all_tables(ctx, into)
    return ActOutcome(PLAYERS_MERGED(player=player.code, into=into.code), {"player": into.code})


@facility_act(PLAYERS, roles=policy.roles_of(RATINGS, "prepare"), witness=True)
def unmerge_players(ctx: FacilityContext, *, player_code: Code) -> ActOutcome:
    """Record that a merged code is of another person after all: the way back from `merge_players`.

    Its ratings count for it alone again. If one of both is excluded, the other one is from now on, because it was not
    known whom the exclusion meant; somebody who excludes players signs then. Raises `player-not-merged`,
    `player-is-erased`, `excluded-code`, and what `_verify_may_correct` does.
    """
    row = verify_signed_by_policy(ctx, RATINGS)
    into = _merged_into(ctx, player_code)
    player = Player.objects.get(facility=ctx.facility, code=player_code.upper())
    _verify_may_correct(ctx, row, Rating.objects.filter(player=player))
    _verify_exclusion_may_spread(ctx, player, into)
    exclusions: dict[str, Exclusion] = {}
    for excluded, other in ((player, into), (into, player)):
        if excluded.exclusion and not other.exclusion:
            other.exclusion = excluded.exclusion
            exclusions[other.code] = _exclusion(excluded)
    player.merged_into = None
    player.save(update_fields=["merged_into", "exclusion"])
    into.save(update_fields=["exclusion"])
    if into.code in exclusions:
        end_at_all_tables(ctx, into)
    return ActOutcome(
        PLAYERS_UNMERGED(player=player.code, out_of=into.code, exclusions=exclusions or ABSENT),
        {"player": player.code},
    )


def _merged_into(ctx: FacilityContext, code: str) -> Player:
    """The player, locked, with whom this code is merged. Raises `player-not-merged` and as `player_of`."""
    row = (
        Player.objects.filter(facility=ctx.facility, code=code.upper()).select_related("merged_into").first()
    )
    if row is None or row.merged_into is None:
        player = player_of(ctx.facility.pk, code)
        raise Refusal(PLAYER_NOT_MERGED, player=player.code)
    if row.erased_at is not None:
        raise Refusal(PLAYER_IS_ERASED, player=row.code)
    return player_of(ctx.facility.pk, row.merged_into.code, lock="wait")


def _exclusion(player: Player) -> Exclusion:
    return next(reason for reason in get_args(Exclusion) if reason == player.exclusion)


def _verify_may_correct(ctx: FacilityContext, row: SeparationRow, ratings: QuerySet[Rating]) -> None:
    """Refuse to correct ratings at tables that the actor does not supervise now, and ratings that ended long ago.

    The signature of somebody whom the row names for any time suffices for both. Raises `rating-of-another-table` or
    `rating-too-old`.
    """
    signers = [person for person in (ctx.actor, ctx.witness) if person is not None]
    if not row.within_hours or any(policy.may_at_any_time(row, person) for person in signers):
        return
    who = policy.in_words(row.at_any_time)
    earliest = ctx.now - dt.timedelta(hours=row.within_hours)
    for rating in ratings.select_related("player", "table").order_by("pk"):
        if not is_on_duty(ctx.actor, rating.table):
            code = rating.player.code
            raise Refusal(RATING_OF_ANOTHER_TABLE, table=rating.table.code, player=code, who=who)
        if rating.ended_at is not None and rating.ended_at < earliest:
            raise Refusal(RATING_TOO_OLD, player=rating.player.code, hours=row.within_hours, who=who)


def _verify_exclusion_may_spread(ctx: FacilityContext, player: Player, other: Player) -> None:
    """Raises `excluded-code` if one of both is excluded and nobody who excludes players acts or signs."""
    if bool(player.exclusion) == bool(other.exclusion):
        return
    row = policy.row_of(ctx.facility.law, EXCLUSIONS_ROW)
    if not any(policy.may_prepare(row, person) for person in (ctx.actor, ctx.witness) if person is not None):
        who = policy.in_words(row.prepare).capitalize()
        raise Refusal(EXCLUDED_CODE, player=(player if player.exclusion else other).code, who=who)


@facility_act(PLAYERS, roles=policy.roles_of(RATINGS, "prepare"), witness=True)
def split_rating(
    ctx: FacilityContext,
    *,
    rating_id: Annotated[int, whole(1, MAX_ID)],
    player_code: Code,
    round_: Annotated[int, whole(1, 2**31 - 1)],
) -> ActOutcome:
    """Record that the rounds of an ended rating from `round` on were another player's. The same act leads back.

    Raises `no-such-rating`, `no-such-split`, `not-another-player`, and what `_verify_may_correct` does.
    """
    row = verify_signed_by_policy(ctx, RATINGS)
    ended = Rating.objects.filter(pk=rating_id, ended_at__isnull=False)
    rating = ended.filter(table__facility=ctx.facility).select_related("player", "table").first()
    if rating is None or rating.last_round is None:
        raise Refusal(NO_SUCH_RATING)
    player = player_of(ctx.facility.pk, player_code)
    if player == rating.player:
        raise Refusal(NOT_ANOTHER_PLAYER)
    if not rating.first_round <= round_ <= rating.last_round:
        raise Refusal(NO_SUCH_SPLIT, first=rating.first_round, last=rating.last_round)
    _verify_may_correct(ctx, row, Rating.objects.filter(pk=rating.pk))
    before, last_round, to_rating = rating.player, rating.last_round, rating
    if round_ == rating.first_round:
        Rating.objects.filter(pk=rating.pk).update(player=player)
    else:
        moment = rating.table.rounds.values_list("opened_at", flat=True).get(number=round_)
        to_rating = Rating.objects.create(
            player=player,
            table=rating.table,
            seat=rating.seat,
            started_at=moment,
            ended_at=rating.ended_at,
            first_round=round_,
            last_round=last_round,
        )
        rating.last_round, rating.ended_at = round_ - 1, moment
        rating.save(update_fields=["last_round", "ended_at"])
    return ActOutcome(
        RATING_SPLIT(
            rating=rating.pk,
            player=before.code,
            table=rating.table.code,
            first_round=round_,
            last_round=last_round,
            to_player=player.code,
            to_rating=to_rating.pk,
        ),
        {"rating": to_rating.pk},
    )


# Erased


@facility_act(PLAYERS, roles=policy.roles_of(ERASURES, "prepare"), witness=True, step_up="always")
def erase_player(ctx: FacilityContext, *, player_code: Code) -> ActOutcome:
    """Erase a player's personal data, also those under the codes that were merged into theirs. Ratings stay, nameless.

    Raises `exclusion-stands` for an excluded player, `player-is-held` for one whom a legal hold covers, or
    `player-is-rated` while they are; and what `verify_signed_by_policy` does.
    """
    verify_signed_by_policy(ctx, ERASURES)
    player = player_of(ctx.facility.pk, player_code, lock="wait")
    if player.exclusion:
        raise Refusal(EXCLUSION_STANDS, player=player.code)
    _verify_not_rated(player)
    _verify_not_held(ctx, [player, *player.merged.order_by("code")])
    merged = list(player.merged.order_by("code").values_list("code", flat=True))
    codes = [player.code, *merged]
    PlayerDetails.objects.filter(player__facility=ctx.facility, player__code__in=codes).delete()
    Player.objects.filter(facility=ctx.facility, code__in=codes).update(erased_at=ctx.now)
    return ActOutcome(PLAYER_ERASED(player=player.code, merged=merged or ABSENT))


def _verify_not_held(ctx: FacilityContext, players: Iterable[Player]) -> None:
    """Raises `player-is-held` if a legal hold covers a day since one of these codes is on file."""
    holds = LegalHold.objects.standing(ctx.facility.code, ctx.gaming_day)
    for player in players:
        first = ctx.facility.gaming_day(player.added_at)
        for hold in holds:
            if "players" in hold.kinds and hold.covers(first, ctx.gaming_day):
                raise Refusal(PLAYER_IS_HELD, player=player.code, hold=hold.code)


def _verify_not_rated(player: Player) -> None:
    rating = Rating.objects.filter(player=player, ended_at=None).select_related("table").first()
    if rating is not None:
        raise Refusal(PLAYER_IS_RATED, player=player.code, table=rating.table.code)


# Codes and hashes


LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 6
SALT = "pitside.player.v1"


def new_code(facility_id: int) -> str:
    """A code that no player of the facility has or had, such as `P-7KQ2MX`."""
    while True:
        code = "P-" + "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        if not Player.objects.filter(facility_id=facility_id, code=code).exists():
            return code


def new_salt() -> str:
    return secrets.token_hex(32)


def keyed_hash(facility_code: str, details: PlayerDetails, key: str | bytes | None = None) -> str:
    """HMAC-SHA-256 of the personal data with the facility's key, which is derived from the server's.

    It shows that the data on file are those that were filed. The salt is erased with the data; the hash then leads to
    nobody, whatever keys and names somebody tries.
    """
    value = "\x1f".join((details.salt, details.name, details.card))
    return salted_hmac(
        f"{SALT}:{facility_code}", value, secret=key or settings.SECRET_KEY, algorithm="sha256"
    ).hexdigest()


def is_hash_of(hash_: str, facility_code: str, details: PlayerDetails) -> bool:
    """Whether these data have this hash, by the server's key or one that it had before."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(keyed_hash(facility_code, details, key), hash_) for key in keys)
