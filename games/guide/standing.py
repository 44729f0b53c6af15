"""Where a guide stands: whether what it says is still dealt, what a new one would change, and under which approval."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from games.engine import Rules
from games.models import Facility, Guide, Review
from games.office.submissions.compare import changes

from .authorized import named_rules
from .content import facts_at

FORMATS = ("print", "web", "video", "other")


@dataclass(frozen=True)
class Difference:
    """One material difference between two guides: of which game, of what, and what it was and is."""

    game: str
    what: str
    old: str = ""
    new: str = ""
    section: str = ""

    def __str__(self) -> str:
        return f"{self.game}: {self.what}, {self.old or 'none'} → {self.new or 'none'}"


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    """Every material difference between the facts of two guides (A06), game by game."""
    found = []
    for was, is_ in _paired(old["games"], new["games"]):
        if was == is_:
            continue
        if was is None or is_ is None:
            name = named_rules(Rules.from_terms((was or is_ or {})["terms"]))
            held = ["in the guide" if one else "" for one in (was, is_)]
            found.append(Difference(name, "game", *held))
        else:
            found += _of_game(was, is_)
    return found


Facts = dict[str, Any]


def _paired(old: list[Facts], new: list[Facts]) -> list[tuple[Facts | None, Facts | None]]:
    """Each game of two guides beside itself. One that is dealt by another paytable or edition now is still itself."""
    before, after = {one["slug"] for one in old}, {one["slug"]: one for one in new}
    come = [one for one in new if one["slug"] not in before]
    pairs: list[tuple[Facts | None, Facts | None]] = []
    for one in old:
        is_ = after.get(one["slug"]) or next((other for other in come if _kind(other) == _kind(one)), None)
        come = [other for other in come if other is not is_]
        pairs.append((one, is_))
    return [*pairs, *((None, one) for one in come)]


def _kind(one: Facts) -> tuple[str, int]:
    """The game, and with how many dice."""
    filed = Rules.from_terms(one["terms"]).edition
    return filed.game, filed.dice


def _of_game(was: dict[str, Any], is_: dict[str, Any]) -> list[Difference]:
    old, new = Rules.from_terms(was["terms"]), Rules.from_terms(is_["terms"])
    name = named_rules(new)
    found = [
        Difference(name, f"{one.kind} {one.wager or one.row}".strip(), one.old, one.new, one.section)
        for one in changes(old, new)
    ]
    if was["notice_minutes"] != is_["notice_minutes"]:
        minutes = (f"{one['notice_minutes']} minutes" for one in (was, is_))
        found.append(Difference(name, "notice of new limits", *minutes))
    if was["stopped"] != is_["stopped"]:
        codes = (", ".join(one["stopped"]) for one in (was, is_))
        found.append(Difference(name, "wagers that are stopped", *codes))
    if was["procedure"] != is_["procedure"]:
        found.append(Difference(name, "procedure", ", ".join(was["procedure"]), ", ".join(is_["procedure"])))
    return found or [Difference(name, "terms", "as they were filed", "as they are filed now")]


def still_true(guide: Guide, at: dt.datetime) -> dict[str, bool]:
    """Each game of a guide by the name of its page, and whether what the guide says of it is dealt at a moment."""
    now = {one["slug"]: one for one in facts_at(guide.facility, at)["games"]}
    return {one["slug"]: now.get(one["slug"]) == one for one in guide.facts["games"]}


def published(house: Facility) -> Guide | None:
    """The guide that patrons read now, if any."""
    found = Guide.objects.filter(facility=house, published_at__isnull=False, ended_at=None)
    return found.select_related("facility", "same_as").first()


def approval_of(guide: Guide) -> Guide:
    """The guide whose sample was approved for this one: itself, or the one that it is the same as."""
    return guide.same_as or guide


def is_approved(guide: Guide) -> bool:
    """Whether this guide may be given out: its own sample is approved, or that of the one it is the same as."""
    return guide.status == Review.APPROVED and approval_of(guide).status == Review.APPROVED


def comes_as(guide: Guide, format_: str) -> bool:
    """Whether the guide is given out in a format."""
    return any(one["format"] == format_ for one in guide.formats)
