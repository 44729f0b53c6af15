"""Games elsewhere and lines of the record about staff."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from audit.entries import FACTORS_RESET, RESET_ASKED, RESET_WITHDRAWN, SIGN_IN_ENDED, SignInEnded
from audit.models import LeaveReason, Role
from audit.models.people import day_in_words
from games.registry import GAMES
from tables.runner.entry_types import DUTY_CHANGED
from tables.staffing.entry_types import (
    ACCESS_ENDED,
    ACCESS_REVIEWED,
    ASSIGNMENT_ENDED,
    ASSIGNMENT_STARTED,
    DEALER_BEGAN,
    DEALER_LEFT,
    DEALER_RELIEVED,
    LEAVE_BEGAN,
    LEAVE_ENDED,
    LEAVE_RECORDED,
    PEOPLE_ADDED,
    PERSON_ADDED,
    PERSON_CHANGED,
    PIN_ENDED,
    PIN_MADE,
    PINS_UNLOCKED,
    QUALIFICATION_ENDED,
    QUALIFICATION_RECORDED,
    SUPERVISION_ASSIGNED,
    SUPERVISION_TAKEN,
    Assignment,
    FieldChange,
    Leave,
    PeopleAdded,
    PersonAdded,
    PersonChanged,
    PinsUnlocked,
    PostTaken,
)
from tables.words.registry import line, register

# By the codes of `models.staffing.GAMES_ELSEWHERE`
ELSEWHERE = {
    "baccarat": "Baccarat",
    "midibaccarat": "Midibaccarat",
    "craps": "Craps",
    "mini-craps": "Mini-Craps",
    "pai-gow": "Pai Gow",
    "other-banking": "Another banking game",
}


ACT_LINES = [
    line(DUTY_CHANGED, lambda data: "A duty changed"),
    line(SUPERVISION_TAKEN, lambda data: "Supervises the table"),
    line(SUPERVISION_ASSIGNED, lambda data: "%(floorperson)s supervises the table" % data),
    line(ASSIGNMENT_STARTED, lambda data: "%(person)s on duty: %(place)s" % {**data, "place": _place(data)}),
    line(ASSIGNMENT_ENDED, lambda data: "%(person)s off duty: %(place)s" % {**data, "place": _place(data)}),
    line(
        QUALIFICATION_RECORDED,
        lambda data: "Training of %(person)s recorded: %(game)s" % words_for_codes(data),
    ),
    line(
        QUALIFICATION_ENDED,
        lambda data: "Training of %(person)s ends on %(ends_on)s: %(game)s" % words_for_codes(data),
    ),
    line(PINS_UNLOCKED, lambda data: "Unlocked: %s" % _lockout(data)),
    line(RESET_ASKED, lambda data: "Reset of the second factors of %(person)s asked for: %(reason)s" % data),
    line(RESET_WITHDRAWN, lambda data: "Reset of the second factors of %(person)s withdrawn" % data),
    line(
        FACTORS_RESET,
        lambda data: (
            "Second factors of %(code)s reset, as %(asked_by)s asked; one-time password given" % data
        ),
    ),
    line(PERSON_ADDED, lambda data: _person_added(data)),
    line(PEOPLE_ADDED, lambda data: _people_added(data)),
    line(PERSON_CHANGED, lambda data: _person_changed(data)),
    line(PIN_ENDED, lambda data: "PIN of %(person)s ends; a one-time PIN takes its place" % data),
    line(SIGN_IN_ENDED, lambda data: _sign_in_ended(data)),
    line(PIN_MADE, lambda data: "One-time PIN of %(person)s made" % data),
    line(ACCESS_ENDED, lambda data: "Access of %(person)s ends: %(why)s" % data),
    line(LEAVE_RECORDED, lambda data: _leave(data)),
    line(LEAVE_BEGAN, lambda data: "The leave of %(person)s begins" % data),
    line(LEAVE_ENDED, lambda data: _leave_ended(data)),
    line(ACCESS_REVIEWED, lambda data: "Access of %(people)s people reviewed" % data),
    line(DEALER_BEGAN, lambda data: _post_taken(data, "Takes the table and the shaker")),
    line(DEALER_RELIEVED, lambda data: _post_taken(data, "Relieves and takes the shaker")),
    line(DEALER_LEFT, lambda data: "Leaves the table"),
]


def _post_taken(data: PostTaken, by_dealer: str) -> str:
    """What a dealer did at the tablet; where the floor sent them, who acted is not who came."""
    return "Sends a dealer, who signs and takes the shaker" if "sent_by" in data else by_dealer


FIELDS = {"role": "role", "badge": "badge", "licence": "license", "licence_ends_on": "end of the license"}


def _person_added(data: PersonAdded) -> str:
    badge = f", badge {data['badge']}" if data["badge"] else ""
    return f"{data['name']} ({data['person']}) added as {_role(data['role'])}{badge}"


def _people_added(data: PeopleAdded) -> str:
    people = data["people"]
    return f"{len(people)} {'person' if len(people) == 1 else 'people'} added: {'; '.join(map(_person_added, people))}"


def _person_changed(data: PersonChanged) -> str:
    return f"{data['person']}: {', '.join(map(_change, data['changes']))}"


def _leave(data: Leave) -> str:
    return f"{data['person']} on leave {_days(data)}: {LeaveReason(data['reason']).label.lower()}"


def _leave_ended(data: Leave) -> str:
    return f"Return of {data['person']} recorded, who had a leave {_days(data)}"


def _days(data: Leave) -> str:
    """`from 1 Dec 2026 until 3 Dec 2026`, or `… until further notice`."""
    begins = day_in_words(dt.date.fromisoformat(data["begins_on"]))
    ends = day_in_words(dt.date.fromisoformat(data["last_day"])) if data["last_day"] else "further notice"
    return f"from {begins} until {ends}"


def _sign_in_ended(data: SignInEnded) -> str:
    what = "lost every second factor, which end" if data["factors"] else "forgot the password"
    return f"{data['person']} {what}; a one-time password may be made: {data['why']}"


def _change(change: FieldChange) -> str:
    before, after = change["before"], change["after"]
    if change["field"] == "role":
        before, after = _role(before), _role(after)
    return f"{FIELDS[change['field']]} {after}{f' instead of {before}' if before else ''}"


def _role(code: str) -> str:
    return str(Role(code).label).lower() if code in Role.values else code


def _lockout(data: PinsUnlocked) -> str:
    if data["device"] is None:
        return "%(person)s at every device" % data
    return ("%(person)s at %(device)s" if data["person"] else "%(device)s") % data


def words_for_codes(params: Mapping[str, Any]) -> dict[str, Any]:
    """Replace codes of tables and games among a refusal's parameters with names."""
    words = dict(params)
    if isinstance(words.get("tables"), list):
        words["tables"] = ", ".join(map(game_or_table_name, words["tables"]))
    if "game" in words:
        words["game"] = game_or_table_name(words["game"])
    return words


def game_or_table_name(code: str) -> str:
    """A game's name, dealt here or elsewhere; any other code unchanged."""
    return str(GAMES[code].name if code in GAMES else ELSEWHERE.get(code, code))


def _place(data: Assignment) -> str:
    """Where a duty is, for a line of the record."""
    if data["elsewhere"]:
        return game_or_table_name(data["elsewhere"])
    return str(data["table"] or data["pit"] or "the whole facility")


register(act_lines=ACT_LINES, params=words_for_codes)
