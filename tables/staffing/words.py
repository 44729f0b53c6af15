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
    "span-exceeded": "%(person)s may not supervise these %(count)s tables together: %(tables)s.",
    "unsupervised": "Nobody supervises %(table)s. A floorperson takes it over.",
    "supervisor-off-duty": "%(person)s, who supervises %(table)s, is not on duty there. A floorperson takes it over.",
    "already-supervising": "%(person)s supervises %(table)s already.",
    "role-does-not-supervise": "%(person)s is no floorperson and supervises no table.",
    "supervisor-not-on-duty": "%(person)s is not on duty at %(table)s and cannot supervise it.",
    "post-left-empty": "Every post of %(table)s is kept as long as it is open. A relief takes over from %(post)s by PIN.",
    "at-another-table": "%(person)s still stands at %(table)s. Sign off there first.",
    "not-qualified": "No training of %(person)s for %(game)s is on file and in effect today.",
    "still-at-a-post": "%(person)s stands at %(table)s as %(post)s. Somebody relieves there first.",
    "still-supervises": "%(person)s supervises %(table)s. Somebody takes it over first.",
    "no-such-person": "Nobody of this facility has the code %(person)s.",
    "no-such-place": "There is no %(place)s in this facility.",
    "no-such-assignment": "There is no such duty here that has not ended.",
    "already-assigned": "%(person)s is on duty at %(place)s already.",
    "no-such-qualification": "There is no such training on file here.",
    "qualification-filed-already": "A training of %(person)s for %(game)s from that day on is on file already.",
    "qualification-has-ended": "This training ends on %(on)s already.",
    "qualification-ends-before-it-begins": "The training ends before it begins.",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "duty.changed": lambda data: "Somebody's duty changed",
    "supervision.taken": lambda data: "Supervises the table",
    "supervision.assigned": lambda data: "%(floorperson)s supervises the table" % data,
    "assignment.started": lambda data: "%(person)s on duty: %(place)s" % {**data, "place": _place(data)},
    "assignment.ended": lambda data: "%(person)s off duty: %(place)s" % {**data, "place": _place(data)},
    "qualification.recorded": lambda data: "Training of %(person)s filed: %(game)s" % words_for_codes(data),
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
