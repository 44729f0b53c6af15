"""Lines of the record about planned moves."""

from tables.rotation.entry_types import MOVE_CANCELED, MOVE_PLANNED, MovePlanned
from tables.words.registry import line, register


def _planned(data: MovePlanned) -> str:
    relieves = f", for {data['relieves']}" if data["relieves"] else ""
    return f"{data['person']} planned for {data['table']}{relieves}"


register(
    act_lines=[
        line(MOVE_PLANNED, _planned),
        line(MOVE_CANCELED, lambda data: "Planned move of %(person)s to %(table)s canceled" % data),
    ]
)
