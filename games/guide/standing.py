"""The state of a guide: whether its odds are still dealt, what a new guide would change, and its approval."""

import datetime as dt
from dataclasses import dataclass
from typing import get_args

from games.engine import Rules
from games.models import Facility, Guide, Review
from games.models.patrons import GuideFormat
from games.office.core.floor import floor
from games.office.submissions.compare import changes

from .authorized import authorized, named_rules
from .content import facts_at
from .content_types import GameFacts, GuideFacts

FORMATS: tuple[GuideFormat, ...] = get_args(GuideFormat)


@dataclass(frozen=True)
class Difference:
    """A material difference between two guides: the game, the topic, the old and the new value."""

    game: str
    topic: str
    old: str = ""
    new: str = ""
    section: str = ""

    def __str__(self) -> str:
        return f"{self.game}: {self.topic}, {self.old or 'none'} → {self.new or 'none'}"


def differences(old: GuideFacts, new: GuideFacts) -> list[Difference]:
    """Return every material difference between the facts of two guides (A06), game by game."""
    rows: list[Difference] = []
    for before, after in _paired(old["games"], new["games"]):
        if before == after:
            continue
        if before and after:
            rows += _game_differences(before, after)
        elif game := before or after:
            presence = ["in the guide" if facts else "" for facts in (before, after)]
            rows.append(Difference(named_rules(Rules.from_terms(game["terms"])), "game", *presence))
    return rows


def _paired(old: list[GameFacts], new: list[GameFacts]) -> list[tuple[GameFacts | None, GameFacts | None]]:
    """Return each game of the old guide with the same game of the new one, None if a guide does not have it.

    A game that is now dealt by another paytable or edition is still the same game.
    """
    old_slugs, new_by_slug = {game["slug"] for game in old}, {game["slug"]: game for game in new}
    added = [game for game in new if game["slug"] not in old_slugs]
    pairs: list[tuple[GameFacts | None, GameFacts | None]] = []
    for game in old:
        kind = _kind(game)
        after = new_by_slug.get(game["slug"]) or next((new for new in added if _kind(new) == kind), None)
        added = [new for new in added if new is not after]
        pairs.append((game, after))
    return [*pairs, *((None, game) for game in added)]


def _kind(game: GameFacts) -> tuple[str, int]:
    """Return the game and its number of dice."""
    edition = Rules.from_terms(game["terms"]).edition
    return edition.game, edition.dice


def _game_differences(before: GameFacts, after: GameFacts) -> list[Difference]:
    old, new = Rules.from_terms(before["terms"]), Rules.from_terms(after["terms"])
    name = named_rules(new)
    rows = [
        Difference(
            name,
            f"{change.kind} {change.wager or change.row}".strip(),
            change.old,
            change.new,
            change.section,
        )
        for change in changes(old, new)
    ]
    if before["notice_minutes"] != after["notice_minutes"]:
        minutes = (f"{facts['notice_minutes']} minutes" for facts in (before, after))
        rows.append(Difference(name, "notice of new limits", *minutes))
    if before["stopped"] != after["stopped"]:
        codes = (", ".join(facts["stopped"]) for facts in (before, after))
        rows.append(Difference(name, "wagers that are stopped", *codes))
    if before["procedure"] != after["procedure"]:
        steps = (", ".join(facts["procedure"]) for facts in (before, after))
        rows.append(Difference(name, "procedure", *steps))
    return rows or [Difference(name, "terms", "as they were filed", "as they are filed now")]


def still_true(guide: Guide, moment: dt.datetime) -> dict[str, bool]:
    """Return, for each game of a guide by the name of its page, whether the page may be read at a moment.

    It may while a submission in force states what the page states. A page whose submission has a newer version in
    force may be read until a table deals that version: what no table deals leaves the guide alone. The name of a page
    does not count, since another submission under the same edition changes it.
    """
    current = [_without_slug(game) for game in facts_at(guide.facility, moment)["games"]]
    dealt = {table.submission for table in floor().tables(guide.facility)}
    not_dealt = {
        submission.code: str(submission)
        for submission in authorized(guide.facility, moment)
        if submission.code not in dealt
    }
    submissions = {game["slug"]: game["submissions"] for game in guide.content["games"]}
    return {
        game["slug"]: _without_slug(game) in current
        or any(not_dealt.get(name.partition(" ")[0], name) != name for name in submissions[game["slug"]])
        for game in guide.facts["games"]
    }


def _without_slug(game: GameFacts) -> dict[str, object]:
    return {name: value for name, value in game.items() if name != "slug"}


def published(facility: Facility) -> Guide | None:
    """Return the guide that patrons read now, if any."""
    guides = Guide.objects.filter(facility=facility, published_at__isnull=False, ended_at=None)
    return guides.select_related("facility", "same_as").first()


def approval_of(guide: Guide) -> Guide:
    """Return the guide whose sample was approved for this one: itself, or the one with the same facts."""
    return guide.same_as or guide


def is_approved(guide: Guide) -> bool:
    """Return whether this guide may be given out: its own sample is approved, or that of a guide with the same
    facts.
    """
    return guide.status == Review.APPROVED and approval_of(guide).status == Review.APPROVED


def comes_as(guide: Guide, format_: str) -> bool:
    """Return whether the guide is given out in a format."""
    return any(entry["format"] == format_ for entry in guide.formats)
