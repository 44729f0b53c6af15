"""What a facility is authorized to deal, and to show to patrons.

It may deal every submission's version in force, dealt at a table or not (A06). A page or display for patrons may show
earlier rolls only by a permission of the Board (§ 521.6, A03).
"""

import datetime as dt
from typing import Literal

from django.db.models import Q

from games.engine import Rules
from games.engine.editions import all_editions, edition
from games.models import BoardPermission, Facility, RulesSubmission
from games.registry import game_by_code
from games.submissions import all_in_force

OF_FORCE = ("approved", "superseded")


def authorized(facility: Facility, moment: dt.datetime) -> list[RulesSubmission]:
    """Return the version in force of each submission at a moment, by code; a withdrawn submission has none."""
    return sorted(all_in_force([facility.pk], moment).values(), key=lambda submission: submission.code)


def all_in_force_by(facility: Facility, now: dt.datetime) -> dt.datetime:
    """Return the moment from which every approved version is in force: now, if none is still to come."""
    return max([now, *_begins_after(facility, now)])


def _begins_after(facility: Facility, now: dt.datetime) -> list[dt.datetime]:
    """Return when each approved version that is still to come begins."""
    rows = RulesSubmission.objects.filter(facility=facility, status__in=OF_FORCE, in_force_from__gt=now)
    return [submission.in_force_from for submission in rows if submission.in_force_from]


def chapters(facility: Facility, moment: dt.datetime) -> dict[str, str]:
    """Return the editions that a complete rules book must contain, by key without date and paytable: "Sic Bo, 58
    Pa. …".
    """
    titles = {}
    for submission in authorized(facility, moment):
        filed = edition(submission.edition)
        code = filed.short_key.split("/")[0]
        titles[code] = title_of(code)
    return dict(sorted(titles.items()))


def chapters_to_come(facility: Facility, now: dt.datetime) -> dict[str, str]:
    """Return the chapters of now and of every approved version that is still to come, in any order (A06)."""
    titles = chapters(facility, now)
    for moment in _begins_after(facility, now):
        titles |= chapters(facility, moment)
    return dict(sorted(titles.items()))


def title_of(code: str) -> str:
    """Return a code of `chapters` as people read it; the code itself if no edition has it any more."""
    for filed in reversed(list(all_editions().values())):
        if filed.short_key.split("/")[0] == code:
            return f"{_named(filed.game, filed.dice)}, {filed.title}"
    return code


def named_rules(rules: Rules) -> str:
    """Return the name of the game of these rules, with their paytable."""
    filed = rules.edition
    return f"{_named(filed.game, filed.dice)} ({filed.short_key})"


def _named(code: str, dice: int) -> str:
    return game_by_code(code).full_name(dice)


# Earlier rolls


ROLL_HISTORY: Literal["roll-history"] = "roll-history"


def permissions_on(facility: Facility, day: dt.date) -> list[BoardPermission]:
    """Return the permissions that apply on a day of the facility's calendar, the newest first."""
    permissions = BoardPermission.objects.filter(
        Q(ends_on=None) | Q(ends_on__gt=day),
        facility=facility,
        subject=ROLL_HISTORY,
        granted_on__lte=day,
        withdrawn_at=None,
    )
    return list(permissions)


def may_show_history(facility: Facility, table: str, day: dt.date) -> bool:
    """Return whether patrons at this table (its code) may be shown earlier rolls on this day."""
    return any(
        not permission.tables or table in permission.tables for permission in permissions_on(facility, day)
    )
