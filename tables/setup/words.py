"""Lines of the record about a facility, its pits and its tables."""

from tables.runner.entry_types import TABLE_CHANGED
from tables.setup.entry_types import FACILITY_MADE, PIT_MADE, TABLE_ADDED, TABLE_MOVED, TableMoved
from tables.words.registry import line, register


def _moved(data: TableMoved) -> str:
    parts = []
    if data["pit"] != data["pit_before"]:
        parts.append("from pit %(pit_before)s to %(pit)s" % data)
    if data["submission"] != data["submission_before"]:
        parts.append("from %(submission_before)s to %(submission)s" % data)
    return f"{data['table']} moved {' and '.join(parts)}"


ACT_LINES = [
    line(FACILITY_MADE, lambda data: "%(name)s created, jurisdiction %(jurisdiction)s" % data),
    line(PIT_MADE, lambda data: "Pit %(pit)s added: %(name)s" % data),
    line(TABLE_ADDED, lambda data: "%(table)s added to pit %(pit)s, under %(submission)s" % data),
    line(TABLE_MOVED, _moved),
    line(TABLE_CHANGED, lambda data: "Moved to another pit or submission"),
]

register(act_lines=ACT_LINES)
