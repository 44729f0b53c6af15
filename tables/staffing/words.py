"""Sentences about staff."""

from collections.abc import Callable
from typing import Any

from games.registry import GAMES
from tables.words.registry import register

# By the codes of `models.staffing.GAMES_ELSEWHERE`
ELSEWHERE: dict[str, Any] = {
    "baccarat": "Baccarat",
    "midibaccarat": "Midibaccarat",
    "craps": "Craps",
    "mini-craps": "Mini-Craps",
    "pai-gow": "Pai Gow",
    "other-banking": "Another banking game",
}

TITLES: dict[str, Any] = {
    "span-exceeded": "Too many tables",
    "unsupervised": "No floorperson",
    "supervisor-off-duty": "No floorperson",
    "not-qualified": "Not trained for this game",
    "post-left-empty": "Relief needed",
    "still-at-a-post": "Relief needed",
    "still-supervises": "Relief needed",
}

SENTENCES: dict[str, Any] = {
    "span-exceeded": "%(person)s may not supervise these %(count)s tables at once: %(tables)s. Another floorperson must take one.",
    "unsupervised": "Nobody supervises %(table)s. A floorperson must take it.",
    "supervisor-off-duty": "%(person)s, who supervises %(table)s, is not on duty there. Another floorperson must take it.",
    "already-supervising": "%(person)s already supervises %(table)s.",
    "role-does-not-supervise": "%(person)s is not a floorperson and cannot supervise a table.",
    "supervisor-not-on-duty": "%(person)s is not on duty at %(table)s and cannot supervise it. Assign them first.",
    "post-left-empty": "Every post must be staffed while %(table)s is open. A relief must take over from %(post)s with their PIN.",
    "at-another-table": "%(person)s is still at %(table)s. Sign off there first.",
    "not-qualified": "%(person)s has no training for %(game)s in effect today. Send a dealer who has.",
    "still-at-a-post": "%(person)s works at %(table)s as %(post)s. Send a relief first.",
    "still-supervises": "%(person)s supervises %(table)s. Another floorperson must take it first.",
    "no-such-person": "Nobody at this facility has the code %(person)s. Check the code.",
    "no-such-place": "There is no %(place)s at this facility.",
    "no-such-assignment": "This duty does not exist or has already ended. Reload the page.",
    "already-assigned": "%(person)s is already on duty at %(place)s.",
    "no-such-qualification": "There is no such training on file. Reload the page.",
    "qualification-filed-already": "A training of %(person)s for %(game)s from that day is already on file.",
    "qualification-has-ended": "This training already ends on %(on)s.",
    "qualification-ends-before-it-begins": "The training would end before it begins. Check both days.",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "duty.changed": lambda data: "A duty changed",
    "supervision.taken": lambda data: "Supervises the table",
    "supervision.assigned": lambda data: "%(floorperson)s supervises the table" % data,
    "assignment.started": lambda data: "%(person)s on duty: %(place)s" % {**data, "place": _place(data)},
    "assignment.ended": lambda data: "%(person)s off duty: %(place)s" % {**data, "place": _place(data)},
    "qualification.recorded": lambda data: (
        "Training of %(person)s recorded: %(game)s" % words_for_codes(data)
    ),
    "qualification.ended": lambda data: (
        "Training of %(person)s ends on %(ends_on)s: %(game)s" % words_for_codes(data)
    ),
}


def words_for_codes(params: dict[str, Any]) -> dict[str, Any]:
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


def _place(data: dict[str, Any]) -> str:
    """Where a duty is, for a line of the record."""
    if data["elsewhere"]:
        return game_or_table_name(data["elsewhere"])
    return str(data["table"] or data["pit"] or "the whole facility")


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES, params=words_for_codes)
