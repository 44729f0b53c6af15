"""Puts the demo floor of `tables.demo` into an empty database. Doing it again changes nothing.

The furniture is written directly; whatever people do (dice into shakers, inspections, openings) takes the road.
"""

import datetime as dt
import json
import uuid
from typing import Any

from django.conf import settings
from django.db import transaction

from audit import clock, record
from audit.devices import enroll
from audit.models import Device, Person
from games.engine import Rules
from games.engine.editions import ApprovalRule, edition
from games.models import Facility, RulesSubmission
from games.office.signs.forms import recorded_sign_keys
from games.submissions import draft
from tables.core.context import TableContext
from tables.core.duty import covers
from tables.core.permissions import DEALERS, has_work_for
from tables.demo import floor as demo
from tables.demo.office import seed_office
from tables.demo.signs import approve_signs
from tables.equipment.checks import SHAKER_SUBJECTS, Equipment
from tables.equipment.tosses import TOSSES
from tables.models import Approval, Assignment, DiceLot, Pit, Qualification, Shaker, Table
from tables.runner import table as road
from tables.runner.facility import STREAMS

APPROVED = dt.timedelta(days=30)
PODIUM = "Demo podium"
# Streams of a house and addresses beside its tables
NO_TABLE = frozenset({*STREAMS, "acts", "exports", "rules", "sign-in", "system", "tiles"})


def seed() -> bool:
    """Makes the demo floor. False when it is there already."""
    if Facility.objects.filter(code=demo.LARKFIELD.code).exists():
        return False
    for facility in demo.FACILITIES:
        _seed_facility(facility)
    for facility in demo.FACILITIES:
        _open_tables(facility)
    _fill_the_office()
    return True


def _fill_the_office() -> None:
    """The rules office of the first house, by its games administrator at the podium."""
    house = Facility.objects.get(code=demo.LARKFIELD.code)
    person = Person.objects.get(facility=house.code, role="games-administrator")
    seed_office(house, person, Device.objects.get(facility=house.code, name=PODIUM))


@transaction.atomic
def _seed_facility(wanted: demo.DemoFacility) -> None:
    facility = Facility.objects.create(
        code=wanted.code, name=wanted.name, jurisdiction=wanted.jurisdiction, time_zone=wanted.time_zone
    )
    for code, name in wanted.pits:
        Pit.objects.create(facility=facility, code=code, name=name)
    for submission in wanted.submissions:
        _approve(facility, submission)
    for number, table in enumerate(wanted.tables, start=1):
        _make_table(facility, table, number)
    approve_signs(facility)
    for number, (dice, size_um, colours) in enumerate(demo.FRESH_LOTS, start=len(wanted.tables) + 1):
        DiceLot.objects.create(
            facility=facility,
            code=f"L-{number:04d}",
            dice=dice,
            size_um=size_um,
            colors=colours,
            attested=dice != 3 or number % 2 == 0,
            status=DiceLot.Status.STORED,
            compartment="A",
        )
    for training in Table.objects.filter(facility=facility, kind=Table.Kind.TRAINING):
        for number in range(1, 4):
            make_lot(training, f"TR-{number:04d}", attested=False)
    first = Table.objects.filter(facility=facility).order_by("code")[0]
    for code, kind in demo.SPARE_SHAKERS:
        approve_shaker(first, Shaker.objects.create(facility=facility, code=code, kind=kind))
    for person in demo.PEOPLE:
        if person.facility in (wanted.code, "") and not Person.objects.filter(code=person.code).exists():
            _make_person(facility, person)


def _approve(facility: Facility, wanted: demo.DemoSubmission) -> RulesSubmission:
    now = clock.now()
    submission = draft(
        facility=facility,
        code=wanted.code,
        key=wanted.edition,
        payouts=wanted.payouts or None,
        payout_limit_cents=wanted.payout_limit_cents,
    )
    submission.status = "approved"
    submission.filed_at = now - 2 * APPROVED
    submission.decided_at = submission.in_force_from = now - APPROVED
    submission.decided_by = facility.law.body("submissions")
    submission.save()
    stream = record.lock_stream(f"{facility.code}/rules")
    data = {
        "code": submission.code,
        "version": submission.version,
        "edition": submission.edition,
        "terms": json.loads(submission.terms),
    }
    record.append(
        stream,
        type="rules.approved",
        data=data,
        moment=now,
        gaming_day=facility.gaming_day(now),
        terms=submission.terms_sha256,
    )
    return submission


def _make_table(facility: Facility, wanted: demo.DemoTable, number: int) -> Table:
    table = make_table(
        facility,
        code=wanted.code,
        pit=Pit.objects.get(facility=facility, code=wanted.pit),
        submission=wanted.submission,
        kind=wanted.kind,
        seats=wanted.seats,
        min_cents=wanted.min_cents,
        max_cents=wanted.max_cents,
    )
    Shaker.objects.create(facility=facility, table=table, code=f"S-{number:02d}", kind=wanted.shaker)
    edition = rules_at(table).edition
    attested = edition.shakers[wanted.shaker].automated or "dice-standard" in edition.sections
    make_lot(table, f"L-{number:04d}", attested=attested)
    approve_equipment(table)
    return table


def make_lot(table: Table, code: str, *, attested: bool = True) -> DiceLot:
    """A lot that suits this table and has been issued to it."""
    edition = rules_at(table).edition
    return DiceLot.objects.create(
        facility=table.facility,
        code=code,
        attested=attested,
        dice=edition.dice_in_lot,
        size_um=edition.dice_size_um or DiceLot._meta.get_field("size_um").default,
        colors="green-red" if edition.dice_in_lot > edition.dice else "alike",
        training=table.kind == Table.Kind.TRAINING,
        status=DiceLot.Status.ISSUED,
        table=table,
        compartment="A",
    )


def approve_equipment(table: Table) -> None:
    """Every approval that the edition asks of this table as it stands, of this version of the console."""
    at = TableContext(table, None, None, None, clock.now())
    for number, rule in enumerate(Equipment(at).required_approvals, start=1):
        _file(table, at.shaker, rule, f"AP-{table.code}-{number:02d}")


def _file(table: Table, shaker: Shaker | None, rule: ApprovalRule, reference: str) -> None:
    of_shaker = rule.subject in SHAKER_SUBJECTS
    Approval.objects.create(
        facility=table.facility,
        table=None if of_shaker else table,
        shaker=shaker if of_shaker else None,
        subject=rule.subject,
        body=rule.body,
        reference=reference,
        approved_on=table.facility.local(clock.now() - APPROVED).date(),
        lines=sorted(rule.lines),
        prints=["odds", "payout-limit"] if rule.subject == "layout" else [],
        version=settings.BUILD if rule.subject == "device" else "",
    )


def approve_shaker(table: Table, shaker: Shaker) -> None:
    """Every approval that the edition dealt at this table asks of this shaker, and of using its kind here."""
    at = TableContext(table, None, None, None, clock.now())
    for rule in Equipment(at, shaker).required_approvals:
        if rule.subject.startswith("shaker"):
            _file(table, shaker, rule, f"AP-{shaker.code}")


def make_table(
    facility: Facility, *, code: str, pit: Pit, submission: str, kind: str, **limits: Any
) -> Table:
    """A table with its own stream, whose first entry says what it is. Its kind is fixed from here on, and with it
    whether the stream is of real play. Raises ValueError for a code that is a room's or another stream's, and for
    more seats than its edition has places for.
    """
    if code.lower() in NO_TABLE:
        raise ValueError(f"{code} is no code of a table.")
    filed = newest_submission(facility, submission)
    most = edition(filed.edition).places
    if most and limits["seats"] > most:
        raise ValueError(f"{filed.edition} has places for {most} players.")
    stream = record.open_stream(f"{facility.code}/{code}", real_play=kind == Table.Kind.LIVE)
    table = Table.objects.create(
        facility=facility,
        pit=pit,
        stream=stream,
        code=code,
        game=filed.game,
        kind=kind,
        submission_code=submission,
        recorded_sign_ids=recorded_sign_keys([(facility.pk, filed.game)])[facility.pk, filed.game],
        **limits,
    )
    now = clock.now()
    data = {"kind": kind, "game": table.game, "seats": table.seats, "submission": submission, "pit": pit.code}
    data |= {"min_cents": table.min_cents, "max_cents": table.max_cents}
    record.append(stream, type="table.made", data=data, moment=now, gaming_day=facility.gaming_day(now))
    return table


def submission_game(facility: Facility, code: str) -> str:
    """The game that a rules submission is for, whichever its version. Raises `RulesSubmission.DoesNotExist`."""
    return newest_submission(facility, code).game


def newest_submission(facility: Facility, code: str) -> RulesSubmission:
    """The newest version of a rules submission. Raises `RulesSubmission.DoesNotExist`."""
    return RulesSubmission.objects.filter(facility=facility, code=code).order_by("-version")[:1].get()


def _make_person(facility: Facility, wanted: demo.DemoPerson) -> Person:
    person = Person.objects.create_person(
        wanted.code,
        wanted.pin,
        name=wanted.name,
        role=wanted.role,
        department=wanted.department,
        facility=wanted.facility,
        licence=f"{facility.jurisdiction}-{wanted.pin[:4]}",
    )
    duty = [assign(person, facility, where) for where in wanted.where]
    if person.role in DEALERS:
        _train(person, facility, duty)
    return person


def _train(person: Person, facility: Facility, duty: list[Assignment]) -> None:
    """The training of a dealer for every game at the tables of this duty."""
    works = [table for table in facility.tables.all() if covers(duty, table) and has_work_for(person, table)]
    since = facility.local(clock.now() - APPROVED).date()
    for game in sorted({table.game for table in works}):
        reference = f"TR-{person.licence}"
        Qualification.objects.create(person=person, game=game, reference=reference, since=since)


def assign(person: Person, facility: Facility, where: str) -> Assignment:
    """Puts a person on duty: `""` the whole facility, a pit's code, or a table's code."""
    return Assignment.objects.create(
        person=person,
        facility=facility,
        pit=Pit.objects.filter(facility=facility, code=where).first() if where else None,
        table=Table.objects.filter(facility=facility, code=where).first() if where else None,
        started_at=clock.now(),
    )


def _open_tables(wanted: demo.DemoFacility) -> None:
    """Dice into every shaker; the tables that have their dealers are inspected and opened."""
    podium, _ = enroll(PODIUM, wanted.code, "podium")
    for number, table in enumerate(wanted.tables, start=1):
        floor = _floorperson(wanted.code, table)
        lot = {"lot": f"L-{number:04d}", "seal": f"SL-{number:05d}"}
        do(floor, podium, wanted.code, table.code, "change_dice_lot", lot)
        for dealer in table.dealers:
            do(Person.objects.get(code=dealer), podium, wanted.code, table.code, "take_over_table", {})
        if table.dealers:
            open_table(floor, podium, wanted.code, table.code)


def _floorperson(facility: str, table: demo.DemoTable) -> Person:
    of_the_pit = (
        one.code
        for one in demo.PEOPLE
        if one.facility == facility and one.role == "floorperson" and table.pit in one.where
    )
    return Person.objects.get(code=table.floor or next(of_the_pit))


def rules_at(table: Table) -> Rules:
    """The rules that this table deals under now. Raises `no-rules-in-force`."""
    return TableContext(table, None, None, None, clock.now()).rules


def inspection_of(table: Table, dice: tuple[int, ...] = (1, 2, 5)) -> dict[str, Any]:
    """What a floorperson confirms at a table where all is well."""
    at = TableContext(table, None, None, None, clock.now())
    equipment, edition = Equipment(at), at.rules.edition
    seen: dict[str, Any] = {"lines": [line.code for line in equipment.lines]}
    if edition.cameras:
        seen["cameras"] = [f"C-{number}" for number in range(1, edition.cameras + 1)]
    if at.rules.section("inspection-device"):
        seen |= {"dice": list(dice), "lit": list(at.game.winning_codes(at.rules, [dice]))}
    if "automated" in equipment.conditions:
        seen["tosses"] = TOSSES
    return seen


def open_table(floor: Person, device: Device, facility: str, code: str) -> None:
    """Inspects (with three values where a device lights the layout) and opens, as a floorperson would."""
    table = Table.objects.select_related("stream", "facility").get(facility__code=facility, code=code)
    do(floor, device, facility, code, "inspect_table", inspection_of(table))
    lapsed = rules_at(table).edition.lapses_on is not None
    do(floor, device, facility, code, "open_table", {"acknowledge_lapsed": lapsed})


def do(
    actor: Person,
    device: Device,
    facility: str,
    code: str,
    act: str,
    params: dict[str, Any],
    witness: Person | None = None,
) -> road.ActResponse:
    """One act by the road, from the table as it now stands."""
    seen = Table.objects.values_list("stream__seq", flat=True).get(facility__code=facility, code=code)
    return road.execute(
        road.ActRequest(facility, code, act, uuid.uuid4(), seen, params, actor, device, witness)
    )
