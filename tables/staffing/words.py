"""Games elsewhere and lines of the record about staff."""

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


register(act_lines=ACT_LINES, params=words_for_codes)
