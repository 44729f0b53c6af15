"""Which games a house is authorized to deal: every submission's version in force, dealt at a table or not (A06)."""

import datetime as dt

from games.engine import Rules
from games.engine.editions import all_editions, edition
from games.models import Facility, RulesSubmission
from games.registry import game_by_code
from games.submissions import all_in_force

OF_FORCE = ("approved", "superseded")


def authorized(house: Facility, at: dt.datetime) -> list[RulesSubmission]:
    """Of each submission the version in force at a moment, by code; none of one that was withdrawn."""
    return sorted(all_in_force([house.pk], at).values(), key=lambda one: one.code)


def all_in_force_by(house: Facility, now: dt.datetime) -> dt.datetime:
    """The moment from which every approved version is in force: now, where none is still to come."""
    return max([now, *_begins_after(house, now)])


def _begins_after(house: Facility, now: dt.datetime) -> list[dt.datetime]:
    """When each approved version begins that is still to come."""
    rows = RulesSubmission.objects.filter(facility=house, status__in=OF_FORCE, in_force_from__gt=now)
    return [one.in_force_from for one in rows if one.in_force_from]


def chapters(house: Facility, at: dt.datetime) -> dict[str, str]:
    """The editions that a complete rules book has to hold, by key without date and paytable: "Sic Bo, 58 Pa. …"."""
    found = {}
    for one in authorized(house, at):
        filed = edition(one.edition)
        code = filed.short_key.split("/")[0]
        found[code] = title_of(code)
    return dict(sorted(found.items()))


def chapters_to_come(house: Facility, now: dt.datetime) -> dict[str, str]:
    """Those of now and of every approved version that is still to come, whichever follows it (A06)."""
    found = chapters(house, now)
    for moment in _begins_after(house, now):
        found |= chapters(house, moment)
    return dict(sorted(found.items()))


def title_of(code: str) -> str:
    """A code of `chapters` as people read it; the code itself where no edition has it any more."""
    for filed in reversed(list(all_editions().values())):
        if filed.short_key.split("/")[0] == code:
            return f"{_named(filed.game, filed.dice)}, {filed.title}"
    return code


def named(submission: RulesSubmission) -> str:
    """The name of a submission's game as people say it, with the number of dice where that tells two apart."""
    return _named(submission.game, edition(submission.edition).dice)


def named_rules(rules: Rules) -> str:
    """The same of rules, with their paytable."""
    filed = rules.edition
    return f"{_named(filed.game, filed.dice)} ({filed.short_key})"


def _named(code: str, dice: int) -> str:
    return game_by_code(code).full_name(dice)
