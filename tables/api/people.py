"""People: who is on duty, rated players and their ratings. Reads of these addresses are on record (`note_read`).

A person of the staff has a name; a player has a random code alone, and a card is looked up without being kept.
"""

import datetime as dt
import json
from typing import Annotated

from django.db import transaction
from ninja import Query, Router
from pydantic import Field

from audit import clock, record
from audit.entry_types import EntryBody, entry_type
from audit.models import Entry
from games.models import Facility
from tables.api.access import ApiRequest, Caller, needs
from tables.api.app import Page, Shape, not_found
from tables.api.paging import ANY_TABLE, USUAL, After, Limit, TableCode, page_of
from tables.figures.round_figures import figures_of_rating
from tables.models import Assignment, Player, PlayerDetails, Rating
from tables.players.register import PLAYER_FOUND
from tables.runner.facility import PLAYERS

router = Router(tags=["People"])
MOST_RATINGS = 100  # whose figures are computed for one answer
NOTED_EVERY = dt.timedelta(minutes=1)
FewRows = Annotated[int, Query(ge=1, le=MOST_RATINGS, description="how many rows at most")]


@entry_type("personal_data.read")
def PERSONAL_DATA_READ(
    *,
    what: Annotated[str, "what was read, by the name of its operation in the API"],
    rows: Annotated[int, "how many rows the first answer had"],
    table: Annotated[str | None, "code of the only table that was asked for; null for all"],
) -> str:
    """A machine read data of people through the API: once, or several times within a minute from then on."""
    return f"{rows} rows of people read ({what.replace('_', ' ')}{f', {table}' if table else ''})"


def note_read(caller: Caller, what: str, rows: int, table: str = "") -> None:
    """State on the stream of players that a client reads data of people. The answer is sent after the commit.

    An entry stands for the same reads of the client within a minute: one for each would fill the record.
    """
    now = clock.now()
    newest = Entry.objects.filter(
        actor=caller.person.code, type=PERSONAL_DATA_READ.name, at__gt=now - NOTED_EVERY, at__lte=now
    )
    noted = [json.loads(bytes(body))["data"] for body in newest.values_list("body", flat=True)]
    if not any((data["what"], data["table"]) == (what, table or None) for data in noted):
        _append(caller, PERSONAL_DATA_READ(what=what, rows=rows, table=table or None))


def _append(caller: Caller, entry: EntryBody) -> None:
    with transaction.atomic():
        stream = record.lock_stream(f"{caller.facility.code}/{PLAYERS}")
        moment = clock.never_before(stream, clock.now())
        record.append(
            stream,
            entry=entry,
            moment=moment,
            gaming_day=caller.facility.gaming_day(moment),
            actor=caller.person,
            device=caller.device,
        )


# Who is on duty


class DutyShape(Shape):
    """A person's duty at a table, at the tables of a pit, or at the whole facility."""

    person: str = Field(description="code of the person, as on the record")
    name: str
    role: str
    pit: str | None
    table: str | None
    since: dt.datetime


@router.get("/facilities/{slug:facility}/duties", auth=needs("people"), response=Page[DutyShape])
def list_people_on_duty(request: ApiRequest, facility: str, after: After = 0, limit: Limit = USUAL) -> object:
    """Who is on duty now, and where. The read is on record."""
    here = request.caller.whole(facility)
    rows = Assignment.objects.at_facility(here).select_related("person", "pit", "table")
    page = page_of(rows, _duty_shape, after, limit)
    note_read(request.caller, "list_people_on_duty", len(page.items))
    return page


def _duty_shape(row: Assignment) -> DutyShape:
    return DutyShape(
        person=row.person.code,
        name=row.person.name,
        role=row.person.role,
        pit=row.pit.code if row.pit else None,
        table=row.table.code if row.table else None,
        since=row.started_at,
    )


# Players and ratings


class PlayerShape(Shape):
    """A rated player, by a random code."""

    code: str
    added_at: dt.datetime
    exclusion: str = Field(description="why nobody may seat the player: self, list, house or age; else empty")
    merged_into: str | None = Field(description="the code by which the same person is known from now on")
    is_erased: bool = Field(description="whether the personal data were erased")


class CardShape(Shape):
    """A card of the casino's club."""

    card: str = Field(min_length=1, max_length=30)


class CardHolderShape(Shape):
    """Whose card it is."""

    player: str = Field(description="code of the player")


class RatingShape(Shape):
    """A player at a seat from one round to another, with the exact figures of these rounds."""

    rating: int = Field(description="number of the rating")
    player: str
    table: str
    seat: int
    started_at: dt.datetime
    ended_at: dt.datetime | None = Field(description="null while it runs")
    first_round: int
    last_round: int | None
    rounds: int = Field(description="rounds in which the player wagered")
    rated_seconds: int
    handle_cents: int = Field(description="the sum of the wagers that were won or lost")
    win_cents: int = Field(description="what the casino won of them; negative where the player won")
    theoretical_win: str = Field(description="the casino's expected win in cents, as an exact fraction")


@router.get("/facilities/{slug:facility}/players", auth=needs("people"), response=Page[PlayerShape])
def list_players(request: ApiRequest, facility: str, after: After = 0, limit: Limit = USUAL) -> object:
    """The players on file, without their names. The read is on record."""
    rows = Player.objects.filter(facility=request.caller.whole(facility)).select_related("merged_into")
    page = page_of(rows, _player_shape, after, limit)
    note_read(request.caller, "list_players", len(page.items))
    return page


@router.post("/facilities/{slug:facility}/players/lookup", auth=needs("people"), response=CardHolderShape)
def find_player_by_card(request: ApiRequest, facility: str, body: CardShape) -> object:
    """Whose card it is. The lookup is on record, the number of the card is not."""
    here = request.caller.whole(facility)
    player = _holder(here, body.card)
    _append(request.caller, PLAYER_FOUND(player=player.code if player else None))
    if player is None:
        raise not_found("card")
    return CardHolderShape(player=player.code)


def _holder(facility: Facility, card: str) -> Player | None:
    if "\0" in card:
        return None
    rows = PlayerDetails.objects.filter(player__facility=facility, card=card.strip())
    details = rows.select_related("player__merged_into").first()
    return (details.player.merged_into or details.player) if details is not None else None


@router.get("/facilities/{slug:facility}/ratings", auth=needs("people"), response=Page[RatingShape])
def list_ratings(
    request: ApiRequest,
    facility: str,
    table: TableCode = ANY_TABLE,
    after: After = 0,
    limit: FewRows = MOST_RATINGS,
) -> object:
    """Ratings with their figures, from the entries of the rounds. The read is on record."""
    rows = request.caller.of_tables(
        Rating.objects.select_related("player", "table__facility"), facility, table
    )
    now = clock.now()
    page = page_of(rows, lambda row: _rating_shape(row, now), after, limit)
    note_read(request.caller, "list_ratings", len(page.items), table)
    return page


def _player_shape(row: Player) -> PlayerShape:
    return PlayerShape(
        code=row.code,
        added_at=row.added_at,
        exclusion=row.exclusion,
        merged_into=row.merged_into.code if row.merged_into else None,
        is_erased=row.erased_at is not None,
    )


def _rating_shape(row: Rating, now: dt.datetime) -> RatingShape:
    figures = figures_of_rating(row, now)
    return RatingShape(
        rating=row.pk,
        player=row.player.code,
        table=row.table.code,
        seat=row.seat,
        started_at=row.started_at,
        ended_at=row.ended_at,
        first_round=row.first_round,
        last_round=row.last_round,
        rounds=figures.rounds,
        rated_seconds=int(figures.time.total_seconds()),
        handle_cents=figures.sums.handle_cents,
        win_cents=figures.sums.win_cents,
        theoretical_win=str(figures.theoretical_cents),
    )
