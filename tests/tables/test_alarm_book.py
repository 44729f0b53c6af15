"""The alarm book (docs/alarms.md) says of every kind of alert its cause, its consequence, who acts, and how soon."""

import re
from collections import defaultdict
from pathlib import Path

from django.conf import settings

from tables.core.alerts import ALERT_KINDS

BOOK = Path(settings.BASE_DIR) / "docs" / "alarms.md"
CLASSES = {"stop": "stop", "warn": "warning", "info": "notice"}


def rows() -> list[list[str]]:
    table = BOOK.read_text("utf-8").partition("## Each kind")[2]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_kind_of_alert_has_one_line_of_the_book_and_no_line_is_of_another():
    declared = {kind.code for kind in ALERT_KINDS}
    listed = [row[0].strip("`") for row in rows()]
    assert sorted(listed) == sorted(declared)


def test_each_line_says_what_who_and_within_what_time():
    incomplete = [row[0] for row in rows() if len(row) != 6 or not all(row)]
    assert incomplete == []
    without_time = [row[0] for row in rows() if not re.search(r"\d min|before|shift|due time", row[5])]
    assert without_time == []


def test_each_line_has_the_class_of_its_declaration_and_there_are_three():
    levels = defaultdict(set)
    for kind in ALERT_KINDS:
        levels[f"`{kind.code}`"].add(CLASSES[kind.level])
    assert {row[0]: set(row[1].split(" or ")) for row in rows()} == dict(levels)
    assert set().union(*levels.values()) == set(CLASSES.values())


def test_who_acts_within_minutes_is_asked_no_later_than_the_next_role():
    for row in rows():
        minutes = re.fullmatch(r"(\d+) min", row[5])
        if minutes:
            level = {name: level for level, name in CLASSES.items()}[row[1].split(" or ")[0]]
            assert int(minutes[1]) * 60 <= settings.ALERT_PASSES_ON_SECONDS[level], row[0]
