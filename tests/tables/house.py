"""A house of several tables with one cast: for what only shows where tables share their people."""

from dataclasses import replace

from audit.models import Person
from games.engine import Rules
from games.models import Facility
from tables.demo.seeding import approve_equipment, make_lot
from tables.models import Assignment, Pit, Shaker
from tables.opening.opening import make_table
from tests.services.restore import restored_later
from tests.tables import cast
from tests.tables.cast import SEATS, Scene


@restored_later
def make_house(*tables: tuple[str, str, str | None]) -> dict[str, Scene]:
    """Closed tables as (code, rules, shaker or None), each with dice in its shaker; everybody is on duty everywhere.

    The first is made by `make_scene`; the others stand beside it, with their own submissions of the same facility.
    """
    (code, rules, shaker), *others = tables
    first = cast.make_scene(rules, shaker, opened=False)
    Assignment.objects.exclude(person__code__in=("stranger", "other-floorperson")).update(
        pit=None, table=None
    )
    scenes = {first.table.code: first}
    assert code == first.table.code
    for number, (code, rules, shaker) in enumerate(others, start=2):
        scenes[code] = _beside(first, code, rules, shaker, number)
    return scenes


def _beside(first: Scene, code: str, rules: str, shaker: str | None, number: int) -> Scene:
    facility = first.table.facility
    submission = _approve(facility, rules, f"RS-{number:04d}")
    edition = Rules.of(rules).edition
    table = make_table(
        facility,
        code=code,
        pit=Pit.objects.get(facility=facility),
        submission=submission,
        kind="live",
        seats=SEATS.get(rules, 8),
        min_cents=1_000,
        max_cents=100_000,
    )
    Shaker.objects.create(
        facility=facility, table=table, code=f"S-{number:02d}", kind=shaker or edition.default_shaker
    )
    for lot in range(3):
        make_lot(table, f"L-{number:02d}{lot:02d}")
    approve_equipment(table)
    scene = replace(first, table=table, tablet=first.podium)
    lot = {"lot": f"L-{number:02d}00", "seal": "SEAL-1"}
    scene.act("change_dice_lot", lot, by="floorperson", device=first.podium)
    return scene


def _approve(facility: Facility, rules: str, code: str) -> str:
    cast.approve(facility, rules, {}, None, code)
    return code


def hire(scene: Scene, *people: tuple[str, str]) -> None:
    """More people, as (code, role): on duty at the whole facility and trained for every game."""
    facility = scene.table.facility
    for code, role in people:
        scene.people[code] = Person.objects.create_person(
            code,
            cast.PIN,
            name=code.replace("-", " ").title(),
            role=role,
            department="table-games",
            facility=facility.code,
        )
        Assignment.objects.create(
            person=scene.people[code], facility=facility, started_at=scene.fresh.stream.last_at
        )
        cast.train(scene.people[code], facility)
