"""Lines of the record about a facility, its pits and its tables."""

from tables.runner.entry_types import TABLE_CHANGED
from tables.setup.entry_types import (
    DEVICE_ADDED,
    DEVICE_ENDED,
    DEVICE_MOVED,
    DEVICE_RENAMED,
    FACILITY_MADE,
    FLOOR_ARRANGED,
    FLOOR_DECLARED,
    PIT_ARRANGED,
    PIT_MADE,
    TABLE_ADDED,
    TABLE_MOVED,
    TOKEN_MADE,
    DeviceAdded,
    DeviceMoved,
    TableMoved,
)
from tables.words.registry import line, register


def _moved(data: TableMoved) -> str:
    parts = []
    if data["pit"] != data["pit_before"]:
        parts.append("from pit %(pit_before)s to %(pit)s" % data)
    if data["submission"] != data["submission_before"]:
        parts.append("from %(submission_before)s to %(submission)s" % data)
    return f"{data['table']} moved {' and '.join(parts)}"


def _added(data: DeviceAdded) -> str:
    return f"{data['device']} added as {data['station']} device, for {data['table'] or 'the whole facility'}"


def _device_moved(data: DeviceMoved) -> str:
    table, before = (data[name] or "the whole facility" for name in ("table", "table_before"))
    return f"{data['device']} serves {table} instead of {before}"


ACT_LINES = [
    line(DEVICE_ADDED, _added),
    line(DEVICE_MOVED, _device_moved),
    line(DEVICE_RENAMED, lambda data: "%(before)s is called %(device)s now" % data),
    line(
        DEVICE_ENDED,
        lambda data: (
            ("%(device)s was lost, and revoked" if data["why"] == "lost" else "%(device)s revoked") % data
        ),
    ),
    line(TOKEN_MADE, lambda data: "Enrollment token of %(device)s made" % data),
    line(FACILITY_MADE, lambda data: "%(name)s created, jurisdiction %(jurisdiction)s" % data),
    line(PIT_MADE, lambda data: "Pit %(pit)s added: %(name)s" % data),
    line(PIT_ARRANGED, lambda data: "Tables of pit %(pit)s arranged on the floor plan" % data),
    line(FLOOR_ARRANGED, lambda data: "Pits and landmarks arranged on the floor plan"),
    line(FLOOR_DECLARED, lambda data: "Floor, shifts and target paces declared from a file"),
    line(TABLE_ADDED, lambda data: "%(table)s added to pit %(pit)s, under %(submission)s" % data),
    line(TABLE_MOVED, _moved),
    line(TABLE_CHANGED, lambda data: "Moved to another pit or submission"),
]

register(act_lines=ACT_LINES)
