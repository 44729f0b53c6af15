"""The state of a guide: whether its odds are still dealt, what a new one would change, its approval, and the next step.

`desk` puts it together for the office: what patrons read, whether it is dealt, and what is to be done.
"""

import datetime as dt
from dataclasses import dataclass, field
from typing import get_args

from games.engine import Rules
from games.guide.authorized import all_in_force_by, authorized, chapters_to_come, named_rules
from games.guide.content import facts_at
from games.models import Facility, Guide, Review
from games.models.patrons import GuideFormat
from games.office.core import floor
from games.office.reviews import review_due_on
from games.office.submissions.compare import changes

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


# What the office has to do


DRAFT, FILE, SAME, DECIDE, PUBLISH, NOTHING = "draft", "file", "same", "decide", "publish", "nothing"


@dataclass(frozen=True)
class Desk:
    """The state of the guide at a moment.

    `stale`: pages that patrons no longer see, because something else is dealt. `newest` is the version in
    preparation; `changes` are its differences from the guide whose approval `covers` it.
    """

    step: str
    published: Guide | None = None
    stale: list[Difference] = field(default_factory=list)
    newest: Guide | None = None
    covers: Guide | None = None
    changes: list[Difference] = field(default_factory=list)
    due: dt.date | None = None
    has_rules: bool = False
    coming: dt.datetime | None = None


def desk(facility: Facility, now: dt.datetime) -> Desk:
    """Return the state of the guide now."""
    now_facts, by = facts_at(facility, now), all_in_force_by(facility, now)
    read = published(facility)
    stale = differences(read.facts, now_facts) if read else []
    newest = _on_its_way(facility, read)
    covers = _approved(facility, newest)
    changes = differences(covers.facts, newest.facts) if covers and newest else []
    return Desk(
        step=_step(newest, covers, changes, now_facts, bool(read and not stale)),
        published=read,
        stale=stale,
        newest=newest,
        covers=covers,
        changes=changes,
        due=review_due_on(newest, facility) if newest else None,
        has_rules=bool(authorized(facility, now)),
        coming=by if by > now else None,
    )


def _on_its_way(facility: Facility, read: Guide | None) -> Guide | None:
    """Return the newest guide that could still be published, newer than the published one."""
    rows = Guide.objects.filter(facility=facility, published_at=None, ended_at=None)
    rows = rows.filter(status__in=[Review.DRAFT, Review.FILED, Review.APPROVED])
    return rows.filter(version__gt=read.version if read else 0).select_related("facility", "same_as").first()


def _approved(facility: Facility, newest: Guide | None) -> Guide | None:
    """Return the approved guide that the newest one is compared with."""
    rows = Guide.objects.filter(facility=facility, status=Review.APPROVED).select_related("same_as")
    return next((approval_of(guide) for guide in rows if guide != newest and is_approved(guide)), None)


def _step(
    newest: Guide | None,
    covers: Guide | None,
    changes: list[Difference],
    now_facts: GuideFacts,
    settled: bool,
) -> str:
    """Return the next step. An approved guide of rules that are still to come waits for its day."""
    if newest is None:
        return NOTHING if settled else DRAFT
    if newest.status == Review.FILED:
        return DECIDE
    if newest.status == Review.APPROVED:
        return PUBLISH if newest.facts == now_facts else NOTHING if settled else DRAFT
    return SAME if covers is not None and not changes else FILE


def missing_chapters(facility: Facility, codes: list[str], now: dt.datetime) -> list[str]:
    """Return the authorized games that a rules book of these codes leaves out, including those still to come (A06)."""
    return [name for code, name in chapters_to_come(facility, now).items() if code not in codes]
