"""`manage.py declare_floor`: target paces, shifts, and places on the floor plan, from a file."""

import tomllib
from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from audit import clock, record
from audit.models import Person
from audit.staff import add_pins_argument, verify_pins
from games import registry
from games.engine import Refusal
from games.models import Facility
from games.models.facility import wrong_shifts
from tables.models import Pit, Table
from tables.models.floor import FLOOR_ROWS, LANDMARK_LENGTH, PLAN_COLUMNS, PLAN_ROWS
from tables.money.chips import change_chips, change_keeping, who_may_not_declare, wrong_chips
from tables.runner.facility import SETUP
from tables.setup.floor_plan import FLOOR_DECLARED, FloorItem, unsaved_items
from tables.words.sentences import say

SECTIONS = ("target_paces", "floor", "places", "shifts")
WRONG_ROWS = (
    f"The rows of [floor] must be at most {FLOOR_ROWS} lists of pit codes and landmark names, each pit once and each "
    f"name of at most {LANDMARK_LENGTH} characters."
)


class Command(BaseCommand):
    help = (
        "Read a TOML file with the target paces of a facility (rounds an hour, by game), the places of its tables "
        "on the floor plan (row 1 or 2 and column in the pit), the rows of its pits (by code) and landmarks there, and "
        "when its shifts begin (local time, by code). They are figures of the house, and only screens show them. "
        "What the file leaves out is no longer declared. With keeps_inventory = true tables open and close "
        "by counts of their chips, as docs/pit.md says; chips_cents lists the values of the chips that the house has, "
        "such as 50 for half dollars. Without these lines nothing changes. Such a change is on the record, and needs "
        "--by and --witness."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("facility", help="the code of the facility, such as larkfield")
        parser.add_argument(
            "file", type=Path, help="a TOML file with [target_paces], [floor], [places] and [shifts]"
        )
        parser.add_argument(
            "--by",
            default="",
            help="the code of the person who answers for changes of keeps_inventory or chips_cents, with their PIN",
        )
        parser.add_argument(
            "--witness", default="", help="the code of the second person who answers for it, with their PIN"
        )
        add_pins_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Declare the floor. Raises CommandError with everything that is wrong."""
        people = verify_pins(list(filter(None, (options["by"], options["witness"]))), options)
        by = people[0] if options["by"] else None
        with transaction.atomic():
            self._declare(options, by, people[-1] if options["witness"] else None)

    def _declare(self, options: dict[str, Any], by: Person | None, witness: Person | None) -> None:
        facility = Facility.objects.filter(code=options["facility"]).first()
        if facility is None:
            raise CommandError(f"There is no facility {options['facility']}.")
        try:
            declared = tomllib.loads(options["file"].read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise CommandError(f"{options['file']} cannot be read: {error}") from None
        paces, floor, places, shifts = (declared.get(name, {}) for name in SECTIONS)
        if no_sections := [name for name in SECTIONS if not isinstance(declared.get(name, {}), dict)]:
            raise CommandError("\n".join(f"{name} must be a section: [{name}]." for name in no_sections))
        pits = Pit.objects.filter(facility=facility)
        items = _floor_items(floor.get("rows", []), {pit.code for pit in pits})
        chips_cents = declared.get("chips_cents", list(facility.chip_values))
        keeps_inventory = declared.get("keeps_inventory", facility.keeps_inventory)
        pit_by_table = dict(Table.objects.filter(facility=facility).values_list("code", "pit"))
        wrong = [
            *_wrong_paces(paces),
            *_wrong_places(places, pit_by_table.keys()),
            *([WRONG_ROWS] if items is None else []),
            *wrong_shifts(shifts, facility.gaming_day_start),
            *([] if isinstance(keeps_inventory, bool) else ["keeps_inventory must be true or false."]),
            *filter(None, [wrong_chips(chips_cents)]),
        ]
        changed = [
            *(["keeps_inventory"] if keeps_inventory != facility.keeps_inventory else []),
            *(
                ["chips_cents"]
                if not wrong_chips(chips_cents) and {*chips_cents} != {*facility.chip_values}
                else []
            ),
        ]
        if changed and (who := who_may_not_declare(facility, by, witness)):
            wrong += [
                f"{name} changes: name who answers for it, --by and --witness: {who}." for name in changed
            ]
        if wrong:
            raise CommandError("\n".join(wrong))
        try:
            change_chips(facility, chips_cents, by, witness)
        except Refusal as refusal:
            raise CommandError(say(refusal)) from None
        facility.target_paces = paces
        facility.shifts = {code: f"{start:%H:%M}" for code, start in shifts.items()}
        facility.floor_items = items
        facility.save(update_fields=["target_paces", "shifts", "floor_items"])
        change_keeping(facility, keeps_inventory, by, witness)
        for pit in pits:
            pit.places = {code: place for code, place in places.items() if pit_by_table[code] == pit.pk}
            pit.save(update_fields=["places"])
        _record(facility, list(pits), by)
        self.stdout.write(
            f"{facility.code}: {len(paces)} target paces, {len(places)} places, {len(shifts)} shifts, "
            f"landmarks: {', '.join(item['landmark'] for item in items or () if item['landmark']) or 'none'}."
        )


def _record(facility: Facility, pits: list[Pit], by: Person | None) -> None:
    """Append what was declared, on the stream of the setup."""
    stream = record.lock_stream(f"{facility.code}/{SETUP}")
    moment = clock.never_before(stream, clock.now())
    record.append(
        stream,
        entry=FLOOR_DECLARED(
            floor_items=facility.floor_items,
            places={pit.code: pit.places for pit in pits},
            shifts=facility.shifts,
            target_paces=facility.target_paces,
        ),
        moment=moment,
        gaming_day=facility.gaming_day(moment),
        actor=by,
    )


def _wrong_paces(paces: Mapping[str, Any]) -> list[str]:
    unknown = [
        f"There is no game {game}. The games are {', '.join(registry.GAMES)}."
        for game in paces
        if game not in registry.GAMES
    ]
    return unknown + [
        f"The target pace of {game} must be a whole number of rounds an hour, at least 1."
        for game, pace in paces.items()
        if game in registry.GAMES and (type(pace) is not int or pace < 1)
    ]


def _floor_items(rows: Any, pits: Collection[str]) -> list[FloorItem] | None:
    """Return rows of pits (codes) and landmarks (names) as items; None for what the act would refuse."""
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return None
    return unsaved_items(
        [
            {"row": number, "pit" if name in pits else "landmark": name}
            for number, row in enumerate(rows, 1)
            for name in row
        ],
        pits,
    )


def _wrong_places(places: Mapping[str, Any], tables: Any) -> list[str]:
    return [
        f"The place of {code} must be [row, column] of a table here: row 1 or 2, column 1 to {PLAN_COLUMNS}."
        for code, place in places.items()
        if code not in tables or not _is_place(place)
    ]


def _is_place(place: Any) -> bool:
    return (
        isinstance(place, list)
        and [type(number) for number in place] == [int, int]
        and 1 <= place[0] <= PLAN_ROWS
        and 1 <= place[1] <= PLAN_COLUMNS
    )
