"""The pages of rated players: those at the tables now, and one player's figures."""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Entry, Person
from games.access import opened_by
from games.formats import whole_dollars
from games.jurisdictions import SIGNATURE
from games.models import Facility
from games.registry import game_by_code
from games.separation import policy
from games.submissions import newest, rules_of
from tables.core.duty import FLOOR
from tables.figures.round_figures import RatedFigures, figures_of_rating, sum_of_ratings
from tables.players.register import (
    ADMISSIONS,
    ERASURES,
    EXCLUSIONS_ROW,
    PLAYER_ADMITTED,
    PLAYER_ERASED,
    PLAYER_EXCLUDED,
    PLAYER_READ,
    PLAYERS_MERGED,
    PLAYERS_UNMERGED,
    RATING_SPLIT,
    RATINGS,
    READERS,
)
from tables.rounds.live_round import labels
from tables.runner.access import FACILITY_PAGES
from tables.runner.facility import PLAYERS
from tables.runner.signatures import signers_of
from tables.views.facility import page_context
from tables.words.entries import data_of, names_of, words_of
from tables.words.sentences import span

from ..models import Player, PlayerDetails, Rating, Table

READABLE_FOR = dt.timedelta(minutes=10)
MOST_PLAYERS = 200
MOST_CHANGES = 20
LISTED_CHANGES = (
    PLAYERS_MERGED,
    PLAYERS_UNMERGED,
    RATING_SPLIT,
    PLAYER_EXCLUDED,
    PLAYER_ADMITTED,
    PLAYER_ERASED,
)


@require_GET
@opened_by(FACILITY_PAGES[PLAYERS])
def players(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Every rated player by code, those at a table first; names are not shown."""
    now = clock.now()
    open_ratings = Rating.objects.filter(table__facility=facility, ended_at=None)
    rated = open_ratings.select_related("player", "table").order_by("table__code", "seat")
    others = Player.objects.filter(facility=facility, merged_into=None, erased_at=None)
    others = others.exclude(pk__in=open_ratings.values("player")).order_by("-added_at")
    context = page_context(person, facility, PLAYERS, now) | {
        "now_here": facility.local(now),
        "rated": [
            {"rating": rating, "time": span((now - rating.started_at).total_seconds())} for rating in rated
        ],
        "others": others[:MOST_PLAYERS],
        "more": max(0, others.count() - MOST_PLAYERS),
        "excluded": others.exclude(exclusion="").count(),
        "changes": _newest_changes(facility),
        **_rights(person, facility),
    }
    return render(request, "tables/facility/players.html", context)


@require_GET
@opened_by(FACILITY_PAGES[PLAYERS])
def player(request: HttpRequest, person: Person, facility: Facility, code: str) -> HttpResponse:
    """One player's exact figures by rating, and their personal data for who has just recorded reading them."""
    now = clock.now()
    row = Player.objects.filter(facility=facility, code=code).select_related("merged_into").first()
    if row is None:
        raise Http404
    codes = [row.code, *row.merged.values_list("code", flat=True)]
    ratings = list(
        Rating.objects.filter(player__facility=facility, player__code__in=codes)
        .select_related("table__facility", "player")
        .order_by("-started_at", "-pk")
    )
    figures = {rating.pk: figures_of_rating(rating, now) for rating in ratings}
    context = page_context(person, facility, PLAYERS, now) | {
        "now_here": facility.local(now),
        "player": row,
        "codes": codes[1:],
        "figures": _shown(sum_of_ratings(figures.values())),
        "ratings": [{"rating": rating, **_shown(figures[rating.pk])} for rating in ratings],
        "codes_of_wagers": _by_code(ratings, figures, facility),
        "details": _details(row, person, facility, now),
        "exclusions": Player.Exclusion.choices,
        "signatures": {
            subject: _signature(facility, subject, person)
            for subject in (RATINGS, EXCLUSIONS_ROW, ADMISSIONS, ERASURES)
        },
        **_rights(person, facility),
    }
    return render(request, "tables/facility/player.html", context)


def _rights(person: Person, facility: Facility) -> dict[str, bool]:
    """What this person may do about players, as the policy of the jurisdiction says."""
    subjects = {
        "corrects": RATINGS,
        "excludes": EXCLUSIONS_ROW,
        "admits": ADMISSIONS,
        "erases": ERASURES,
    }
    return {
        "registers": person.role in FLOOR,
        "finds": person.role in READERS,
        **{
            right: policy.may_prepare(policy.row_of(facility.law, subject), person)
            for right, subject in subjects.items()
        },
    }


def _signature(facility: Facility, subject: str, person: Person) -> dict[str, Any] | None:
    """What a dialog shows of the second person who signs an act of this subject; None where nobody signs."""
    row = policy.row_of(facility.law, subject)
    if row.control != SIGNATURE:
        return None
    return {
        "signers": signers_of(facility, subject, person),
        "departments": policy.departments_in_words(row.approve.values()),
        "limits": policy.limits_in_words(row),
    }


def _newest_changes(facility: Facility) -> list[dict[str, Any]]:
    """The newest entries about who is a player, whose rounds were whose, and who is excluded, with their signers."""
    entries = Entry.objects.filter(
        stream__name=f"{facility.code}/{PLAYERS}", type__in=[type_.name for type_ in LISTED_CHANGES]
    ).order_by("-seq")[:MOST_CHANGES]
    names = names_of({code for entry in entries for code in (entry.actor, entry.witness) if code})
    return [
        {
            "at": entry.at,
            "words": words_of(entry.type, data_of(entry)),
            "people": [names.get(code, code) for code in (entry.actor, entry.witness) if code],
        }
        for entry in entries
    ]


def _shown(figures: RatedFigures) -> dict[str, Any]:
    """The figures as the page shows them. What is expected is rounded here alone, to whole dollars."""
    speed = figures.rounds_an_hour
    return {
        "rounds": figures.rounds,
        "handle_cents": figures.sums.handle_cents,
        "theoretical_cents": whole_dollars(figures.theoretical_cents),
        "unknown_cents": figures.unknown_cents,
        "fees_cents": figures.sums.fees_cents,
        "win_cents": figures.sums.win_cents,
        "time": span(figures.time.total_seconds()),
        "speed": f"{float(speed):.1f}" if speed is not None else "–",
    }


def _by_code(
    ratings: Sequence[Rating], figures: Mapping[int, RatedFigures], facility: Facility
) -> list[dict[str, Any]]:
    """The wagers of these ratings by game and name, the largest theoretical loss first."""
    rows = []
    for game in sorted({rating.table.game for rating in ratings}):
        ratings_of_game = [rating for rating in ratings if rating.table.game == game]
        of_game = sum_of_ratings(figures[rating.pk] for rating in ratings_of_game)
        names = _names_of_wagers({rating.table for rating in ratings_of_game}, facility)
        rows += [
            {
                "game": game_by_code(game).name,
                "wager": names.get(code, code),
                "count": code_figures.count,
                "cents": code_figures.cents,
                "theoretical_cents": whole_dollars(code_figures.theoretical_cents),
            }
            for code, code_figures in of_game.by_code.items()
        ]
    return sorted(rows, key=lambda row: (-row["theoretical_cents"], row["game"], row["wager"]))


def _names_of_wagers(tables: Collection[Table], facility: Facility) -> dict[str, str]:
    """The names of the wagers by their codes, as the newest rules of these tables have them."""
    names: dict[str, str] = {}
    for code in sorted({table.submission_code for table in tables}):
        submission = newest(facility, code)
        if submission is not None:
            names |= labels(rules_of(submission))
    return names


def _details(player: Player, person: Person, facility: Facility, now: dt.datetime) -> PlayerDetails | None:
    """The personal data, if this person has recorded reading them in the last ten minutes."""
    read = Entry.objects.filter(
        stream__name=f"{facility.code}/{PLAYERS}",
        type=PLAYER_READ.name,
        actor=person.code,
        at__gte=now - READABLE_FOR,
    )
    if not any(data_of(entry).get("player") == player.code for entry in read):
        return None
    return PlayerDetails.objects.filter(player=player).first()
