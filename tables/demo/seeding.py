"""Create the demo floor and its rules office in an empty database. Running it again changes nothing.

Tables, dice, people and past decisions are written directly; what people do now (dice into shakers, inspections,
openings, acts of the office) is executed as acts. Of the rules dealt the office changes only the payout odds of
RS-0003, whose version 2 is in force.
"""

import datetime as dt
import hashlib
import json
import uuid
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import transaction

from audit import clients, clock, record
from audit.devices import enroll
from audit.models import ApiClient, Device, Person
from audit.runner import one_transaction
from games.chips import KNOWN_CHIPS_CENTS
from games.engine import Rules
from games.engine.editions import ApprovalRule
from games.jurisdictions import jurisdiction
from games.kit import paper
from games.models import (
    Application,
    Document,
    Facility,
    GameRequest,
    Provider,
    ProviderNote,
    Qualifier,
    Review,
    RulesSubmission,
    Service,
    SignForm,
)
from games.models.patrons import SignKind
from games.office import core
from games.office.submissions.gate import RULES_APPROVED, RulesApproved
from games.separation.changes import CHANGE_PREPARED
from games.submissions import draft
from tables.core.context import TableContext
from tables.core.duty import DEALERS, covers, has_work_for
from tables.demo import floor as demo
from tables.equipment.approvals import SHAKER_SUBJECTS, TOSSES, Equipment
from tables.models import Approval, Assignment, DiceLot, Instrument, Pit, Qualification, Shaker, Table
from tables.money.chips import change_chips
from tables.opening.opening import make_table
from tables.runner import table as table_runner

# The rules office


TERM_YEARS = 4
BUREAU = "Bureau of Gaming Operations"
ENDS_IN = 90  # days, so that its renewal is due in a month
DAY = dt.timedelta(days=1)
AMENDED, FILED = "RS-0003", "RS-0021"
PAYOUTS = {"three-of-a-kind": "180 to 1", "total:4": "62 to 1", "total:17": "62 to 1"}


QUICK_STRIKE = {
    "play": {
        "text": "Three Dice Football is played as before. Each play of a score is counted from the first."
    },
    "wagering": {
        "text": "Made before the first throw of a game. It wins when the score comes in plays 1 to 4."
    },
    "reasons": {"text": "Players ask for a wager on how soon the score comes."},
    "elsewhere": {"none": True},
    "property": {"none": True},
}


class Office:
    """The games administrator of a facility at a podium, and the shift manager who approves what needs two people."""

    def __init__(self, house: Facility, person: Person, approver: Person, podium: Device) -> None:
        self.house, self.person, self.approver, self.podium = house, person, approver, podium
        self.today = house.local(clock.now()).date()

    def do(self, act: str, params: dict[str, Any], attachment: bytes = b"") -> dict[str, Any]:
        """Execute one act and return its answer. What a second person approves is approved at once."""
        answer = self._execute(act, params, self.person, attachment)
        if answer["type"] == CHANGE_PREPARED.name:
            answer = self._execute("approve_change", {"change": answer["change"]}, self.approver)
        return answer

    def _execute(
        self, act: str, params: dict[str, Any], person: Person, attachment: bytes = b""
    ) -> dict[str, Any]:
        call = core.ActRequest(
            self.house.code, core.STREAM, act, uuid.uuid4(), 0, params, person, self.podium,
            attachment=attachment,
        )  # fmt: skip
        return core.execute(call).body

    def letter(self, title: str, *lines: str) -> str:
        """File a letter of one page and return its code."""
        styles = paper.styles()
        story = [paper.text(line, styles["body"]) for line in lines]
        content = paper.render(
            story, title=title, facility_name=self.house.name, approved="A letter of the demo"
        )
        params = {
            "title": title,
            "filename": f"{title}.pdf",
            "sha256": hashlib.sha256(content).hexdigest(),
        }
        return str(self.do("file_document", params, content)["document"])

    def paper(self, title: str, line: str) -> Document:
        """File a letter of one page and return its row."""
        return Document.objects.get(facility=self.house, code=self.letter(title, line))


def seed_office(house: Facility, person: Person, approver: Person, podium: Device) -> None:
    """Fill the office of a facility that the demo has just created."""
    office = Office(house, person, approver, podium)
    _amend(office)
    _file_amendment(office)
    _guide(office)
    _providers(office)
    _request(office)


def _decision(office: Office, reference: str, letter: str) -> dict[str, Any]:
    return {"granted": True, "body": BUREAU, "reference": reference, "letter": letter}


def _draft(office: Office, code: str, edition: str, why: str, **options: Any) -> dict[str, Any]:
    office.do("draft_submission", {"code": code, "edition": edition, "why": why})
    which = {"code": code, "version": 2}
    office.do("change_draft", {**which, "edition": edition, "why": why, **options})
    office.do("file_submission", which)
    return which


def _amend(office: Office) -> None:
    """Add a second version that is approved and in force; the first is superseded."""
    payouts = [{"family": family, "odds": odds} for family, odds in PAYOUTS.items()]
    which = _draft(office, AMENDED, _edition(office, AMENDED), "Totals of 4 and 17 pay more", payouts=payouts,
        lapsed_why="The demo deals an edition that has lapsed"
    )  # fmt: skip
    letter = office.letter(
        "Approval of RS-0003 version 2", "Rules submission RS-0003, version 2, is approved as it was filed."
    )
    office.do("record_decision", {**which, **_decision(office, "BGO-2291", letter)})


def _file_amendment(office: Office) -> None:
    """Add a second version that awaits its decision."""
    _draft(
        office, FILED, _edition(office, FILED), "A higher payout limit for the new pit",
        payout_limit_cents=10_000_000,
    )  # fmt: skip


def _edition(office: Office, code: str) -> str:
    return str(office.house.submissions.get(code=code, version=1).edition)


def _guide(office: Office) -> None:
    """Add an approved and published gaming guide."""
    office.do("generate_guide", {"formats": ["print", "web"], "reference": "BGO-2303"})
    office.do("file_guide_sample", {"guide": 1})
    letter = office.letter("Approval of the gaming guide", "The sample of the gaming guide is approved.")
    office.do("decide_guide", {"guide": 1, **_decision(office, "BGO-2304", letter)})
    office.do("publish_guide", {"guide": 1})
    office.do("record_guide_display", {"guide": 1, "place": "Security podium"})


def _providers(office: Office) -> None:
    """Add a provider whose certification ends soon and renewal is overdue, and one with a service that is dealt."""
    first = _provider(office, "SP-0001", "Millrace Table Games LLC", "Sic Bo", "An automated count of seats")
    ProviderNote.objects.create(
        provider=first, kind=ProviderNote.Kind.INFORMATION, on=office.today - 4 * DAY,
        text="The Board asks for the ownership chart of the parent company", due_on=office.today + 5 * DAY,
    )  # fmt: skip
    _certify(office, first, office.today + ENDS_IN * DAY)
    second = _provider(
        office, "SP-0002", "Overbrook Dice Works Inc.", "Three Dice Football", "The Quick Strike wager"
    )
    _certify(office, second, office.today + 3 * 365 * DAY)
    request = GameRequest.objects.create(
        facility=office.house, code="NG-0001", title="Quick Strike", kind=GameRequest.Kind.WAGER,
        game="football", rules="pa-577", wagers=["quick-strike"], status=Review.APPROVED,
        parts=QUICK_STRIKE, decided_by="Executive Director",
        reference="PGCB-1187", decision=office.paper("Approval of Quick Strike", "The wager is approved."),
        **_past(30),
    )  # fmt: skip
    Service.objects.create(
        provider=second, code="SV-0001", name="Quick Strike", game="football", wagers=["quick-strike"],
        lab_submitted_on=office.today - 90 * DAY, lab_approved_on=office.today - 45 * DAY,
        lab_reference="LAB-0417", costs_cents=1_250_000, costs_paid_on=office.today - 40 * DAY, request=request,
    )  # fmt: skip


def _past(days: int) -> dict[str, dt.datetime]:
    """Return the moments of drafting, filing and decision, the decision `days` ago."""
    now = clock.now()
    return {
        "drafted_at": now - (days + 20) * DAY,
        "filed_at": now - (days + 12) * DAY,
        "decided_at": now - days * DAY,
    }


def _provider(office: Office, code: str, name: str, game: str, innovation: str) -> Provider:
    provider = Provider.objects.create(
        facility=office.house, code=code, name=name, innovation=innovation, game=game,
        patent="US 11,204,117",
        no_other_license=True, investigated_on=office.today - 120 * DAY, listed_on=office.today - 100 * DAY,
        investigation=office.paper(f"Investigation of {code}", f"Nothing adverse was found about {name}."),
        created_at=clock.now(),
    )  # fmt: skip
    Qualifier.objects.create(
        provider=provider, kind=Qualifier.Kind.INDIVIDUAL, name="R. Alvarado", title="President", officer=True,
        owns_bp=2_500, form_filed_on=office.today - 120 * DAY, qualified_on=office.today - 60 * DAY,
    )  # fmt: skip
    return provider


def _certify(office: Office, provider: Provider, ends_on: dt.date) -> None:
    """Add a certification of four years that ends on this day, or on the 28th where February 29 did not exist."""
    day = min(ends_on.day, 28) if ends_on.month == 2 else ends_on.day
    decided = ends_on.replace(year=ends_on.year - TERM_YEARS, day=day)
    ago = (provider.created_at.date() - decided).days
    Application.objects.create(
        provider=provider, kind=Application.Kind.FIRST, completed_by="R. Alvarado", fee_cents=500_000,
        fee_paid_on=decided - 30 * DAY, filed_at=provider.created_at - (ago + 30) * DAY,
        decided_on=decided, granted=True, ends_on=ends_on, created_at=provider.created_at,
        decision=office.paper(f"Certification of {provider.code}", f"{provider.name} is certified."),
    )  # fmt: skip


def _request(office: Office) -> None:
    """Add a request for a new wager, barely begun."""
    made = office.do(
        "draft_request",
        {
            "title": "Lucky Pair",
            "kind": "wager",
            "rules": "pa-625a/A",
            "wagers": [],
            "named": "Lucky Pair",
        },
    )
    part = {"part": "reasons", "text": "Players ask for a wager on a pair of their own choice."}
    office.do("change_request", {"request": made["request"], **part})


# The floor


APPROVED = dt.timedelta(days=30)
A_YEAR = dt.timedelta(days=365)
PODIUM = "Demo podium"


def seed(
    *,
    is_evening: bool = False,
    facilities: Sequence[demo.DemoFacility] | None = None,
    has_office: bool = True,
) -> bool:
    """Create the demo floor, all of it or nothing. Return False if it exists already.

    `is_evening`: the tables deal what programs deal there in an evening. `facilities`: others than the demo's.
    `has_office`: the rules office of the first has its documents. One transaction, so that the row of the first
    facility is also the sign that the rest is there.
    """
    if Facility.objects.filter(code=demo.LARKFIELD.code).exists():
        return False
    facilities = demo.FACILITIES if facilities is None else facilities
    with one_transaction():
        for facility in facilities:
            _seed_facility(facility, is_evening)
        for facility in facilities:
            enroll(PODIUM, facility.code, "podium")
        if has_office:
            _fill_the_office()  # before the tables open: the floor acknowledges new rules of an open table
        for facility in facilities:
            _open_tables(facility)
    return True


def let_a_client_in() -> None:
    """A client of the API with every scope of a whole facility, whose secret `script/run` prints.

    Does nothing if it is there.
    """
    if ApiClient.objects.filter(pk=uuid.UUID(demo.CLIENT_ID)).exists():
        return
    scopes = clients.SCOPES.keys() - clients.OF_ONE_TABLE
    client = clients.make(demo.CLIENT_NAME, demo.LARKFIELD.code, scopes, new_id=uuid.UUID(demo.CLIENT_ID))
    clients.make_secret(client, text=demo.CLIENT_SECRET)


def _fill_the_office() -> None:
    """Fill the rules office of the first facility, by its games administrator and its shift manager at the podium."""
    facility = Facility.objects.get(code=demo.LARKFIELD.code)
    person = Person.objects.get(facility=facility.code, role="games-administrator")
    approver = Person.objects.get(facility=facility.code, role="shift-manager")
    seed_office(facility, person, approver, Device.objects.get(facility=facility.code, name=PODIUM))


@transaction.atomic
def _seed_facility(demo_facility: demo.DemoFacility, is_evening: bool) -> None:
    facility = Facility.objects.create(
        code=demo_facility.code,
        name=demo_facility.name,
        jurisdiction=demo_facility.jurisdiction,
        gaming_day_start=jurisdiction(demo_facility.jurisdiction).gaming_day_start,
        time_zone=demo_facility.time_zone,
        work_minutes=demo.WORK_MINUTES,
        break_minutes=demo.BREAK_MINUTES,
        target_paces=demo_facility.target_paces,
    )
    change_chips(facility, KNOWN_CHIPS_CENTS)  # with half dollars, which High Roll Dice pays
    for code, name in demo_facility.pits:
        Pit.objects.create(facility=facility, code=code, name=name, places=demo_facility.places.get(code, {}))
    for demo_submission in demo_facility.submissions:
        _approve(facility, demo_submission, demo_submission.lapsed_why if is_evening else "")
    for number, demo_table in enumerate(demo_facility.tables, start=1):
        submission = (demo_table.in_the_evening if is_evening else "") or demo_table.submission
        _make_table(facility, demo_table, submission, number)
    approve_signs(facility)
    for number, (dice, size_um, colors) in enumerate(demo.FRESH_LOTS, start=len(demo_facility.tables) + 1):
        DiceLot.objects.create(
            facility=facility,
            code=f"L-{number:04d}",
            dice=dice,
            size_um=size_um,
            colors=colors,
            attested=dice != 3 or number % 2 == 0,
            status=DiceLot.Status.STORED,
            compartment="A",
        )
    for kind, code in demo.INSTRUMENTS:
        calibrated_on = facility.local(clock.now() - APPROVED).date()
        Instrument.objects.create(
            facility=facility,
            code=code,
            kind=kind,
            calibrated_on=calibrated_on,
            calibration_ends_on=calibrated_on + A_YEAR,
            certificate=f"CAL-{code}",
        )
    for training in Table.objects.filter(facility=facility, kind=Table.Kind.TRAINING):
        for number in range(1, 4):
            make_lot(training, f"TR-{number:04d}", attested=False)
    first = Table.objects.filter(facility=facility).order_by("code")[0]
    for code, kind in demo.SPARE_SHAKERS:
        approve_shaker(first, Shaker.objects.create(facility=facility, code=code, kind=kind))
    for demo_person in demo.PEOPLE:
        places = demo_facility.where(demo_person)
        if places and (person := Person.objects.filter(code=demo_person.code).first()):
            for where in places:
                assign(person, facility, where)
        elif places:
            _make_person(facility, demo_person, places)


def _approve(facility: Facility, demo_submission: demo.DemoSubmission, lapsed_why: str) -> RulesSubmission:
    now = clock.now()
    submission = draft(
        facility=facility,
        code=demo_submission.code,
        key=demo_submission.edition,
        payouts=demo_submission.payouts or None,
        payout_limit_cents=demo_submission.payout_limit_cents,
    )
    submission.status, submission.lapsed_why = "approved", lapsed_why
    submission.filed_at = now - 2 * APPROVED
    submission.decided_at = submission.in_force_from = now - APPROVED
    submission.decided_by = facility.law.body("submissions")
    submission.save()
    record_approval(
        submission, submission.decided_at
    )  # so that play of the last month is under recorded terms
    return submission


def record_approval(submission: RulesSubmission, now: dt.datetime) -> None:
    """State on the record that a submission is approved, without an act. Call it in a transaction.

    `now` is not before the newest entry of the facility's rules.
    """
    facility = submission.facility
    stream = record.lock_stream(f"{facility.code}/rules")
    data: RulesApproved = {
        "code": submission.code,
        "version": submission.version,
        "edition": submission.edition,
        "terms": json.loads(submission.terms),
    }
    if submission.lapsed_why:
        data["lapsed_why"] = submission.lapsed_why
    record.append(
        stream,
        entry=RULES_APPROVED(data),
        moment=now,
        gaming_day=facility.gaming_day(now),
        terms=submission.terms_sha256,
    )


def _make_table(facility: Facility, demo_table: demo.DemoTable, submission: str, number: int) -> Table:
    table = make_table(
        facility,
        code=demo_table.code,
        pit=Pit.objects.get(facility=facility, code=demo_table.pit),
        submission=submission,
        kind=demo_table.kind,
        seats=demo_table.seats,
        min_cents=demo_table.min_cents,
        max_cents=demo_table.max_cents,
    )
    Shaker.objects.create(facility=facility, table=table, code=f"S-{number:02d}", kind=demo_table.shaker)
    edition = rules_at(table).edition
    attested = edition.shakers[demo_table.shaker].automated or "dice-standard" in edition.sections
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
    """File every approval that the edition requires of this table, for this version of the console."""
    ctx = TableContext(table, None, None, None, clock.now())
    for number, rule in enumerate(Equipment(ctx).required_approvals, start=1):
        _file(table, ctx.shaker, rule, f"AP-{table.code}-{number:02d}")


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
    """File every approval that the edition of this table requires of this shaker."""
    ctx = TableContext(table, None, None, None, clock.now())
    for rule in Equipment(ctx, shaker).required_approvals:
        if rule.subject.startswith("shaker"):
            _file(table, shaker, rule, f"AP-{shaker.code}")


def _make_person(facility: Facility, demo_person: demo.DemoPerson, places: Sequence[str]) -> Person:
    number = demo.PEOPLE.index(demo_person)
    license_ends_on = facility.local(clock.now()).date() + dt.timedelta(days=400 + 31 * number)
    person = Person.objects.create_person(
        demo_person.code,
        demo_person.pin,
        name=demo_person.name,
        role=demo_person.role,
        department=demo_person.department,
        facility=demo_person.facility,
        licence=f"{facility.jurisdiction}-{demo_person.pin[:4]}",
        licence_ends_on=license_ends_on,
        badge=str(1001 + 37 * number),
    )
    duty = [assign(person, facility, where) for where in places]
    if person.role in DEALERS:
        _train(person, facility, duty)
    return person


def _train(person: Person, facility: Facility, duty: list[Assignment]) -> None:
    """File a dealer's training for every game at the tables of these assignments."""
    tables = [table for table in facility.tables.all() if covers(duty, table) and has_work_for(person, table)]
    since = facility.local(clock.now() - APPROVED).date()
    for game in sorted({table.game for table in tables}):
        reference = f"TR-{person.licence}"
        Qualification.objects.create(person=person, game=game, reference=reference, since=since)


def assign(person: Person, facility: Facility, where: str) -> Assignment:
    """Put a person on duty at the whole facility (`""`), at a pit or at a table, by its code."""
    return Assignment.objects.create(
        person=person,
        facility=facility,
        pit=Pit.objects.filter(facility=facility, code=where).first() if where else None,
        table=Table.objects.filter(facility=facility, code=where).first() if where else None,
        started_at=clock.now(),
    )


def _open_tables(demo_facility: demo.DemoFacility) -> None:
    """Put dice in every shaker; inspect and open the tables that have dealers."""
    podium = Device.objects.get(facility=demo_facility.code, name=PODIUM)
    for number, demo_table in enumerate(demo_facility.tables, start=1):
        floor = floorperson(demo_facility.code, demo_table)
        lot = {"lot": f"L-{number:04d}", "seal": f"SL-{number:05d}"}
        do(floor, podium, demo_facility.code, demo_table.code, "change_dice_lot", lot)
        for dealer in demo_table.dealers:
            do(
                Person.objects.get(code=dealer),
                podium,
                demo_facility.code,
                demo_table.code,
                "take_over_table",
                {},
            )
        if demo_table.dealers:
            open_table(floor, podium, demo_facility.code, demo_table.code)


def floorperson(facility: str, table: demo.DemoTable) -> Person:
    """The floorperson who supervises this table of the demo."""
    of_the_pit = (
        person.code
        for person in demo.PEOPLE
        if person.facility == facility and person.role == "floorperson" and table.pit in person.where
    )
    return Person.objects.get(code=table.floor or next(of_the_pit))


def rules_at(table: Table) -> Rules:
    """Return the rules in force at this table. Raises Refusal(`no-rules-in-force`)."""
    return TableContext(table, None, None, None, clock.now()).rules


def inspection_of(table: Table, dice: tuple[int, ...] = (1, 2, 5)) -> dict[str, Any]:
    """Return the params of an inspection that finds nothing wrong."""
    ctx = TableContext(table, None, None, None, clock.now())
    equipment, edition = Equipment(ctx), ctx.rules.edition
    params: dict[str, Any] = {"lines": [line.code for line in equipment.lines]}
    if edition.cameras:
        params["cameras"] = [f"C-{number}" for number in range(1, edition.cameras + 1)]
    if ctx.rules.section("inspection-device"):
        dice = dice[: edition.dice]
        params |= {"dice": list(dice), "lit": list(ctx.game.winning_codes(ctx.rules, [dice]))}
    if "automated" in equipment.conditions:
        params["tosses"] = TOSSES
    return params


def open_table(floor: Person, device: Device, facility: str, code: str) -> None:
    """Inspect and open a table as a floorperson would."""
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
) -> table_runner.ActResponse:
    """Execute one act, from the table's current version."""
    seen_version = Table.objects.values_list("stream__seq", flat=True).get(facility__code=facility, code=code)
    return table_runner.execute(
        table_runner.ActRequest(
            facility, code, act, uuid.uuid4(), seen_version, params, actor, device, witness
        )
    )


# The approved forms of the signs


WORDINGS: dict[SignKind, dict[str, str]] = {
    "odds": {"en": "{game}\nPayout odds", "es": "Pagos", "zh": "赔率"},
    "limits": {
        "en": "Minimum wager {min}\nMaximum wager {max}",
        "es": "Apuesta mínima {min}\nApuesta máxima {max}",
        "zh": "最低投注 {min}\n最高投注 {max}",
    },
    "limits-change": {
        "en": "New limits from {from}\nMinimum {new_min}\nMaximum {new_max}",
        "es": "Nuevos límites desde {from}\nMínimo {new_min}\nMáximo {new_max}",
        "zh": "新限额生效时间：{from}\n最低 {new_min}\n最高 {new_max}",
    },
    "payout-limit": {
        "en": "Highest payout of each player in a round: {limit}",
        "es": "Pago máximo por jugador en cada ronda: {limit}",
        "zh": "每位玩家每局最高赔付：{limit}",
    },
    "rules": {
        "en": "Rules in effect\n{rules}\nApproved {approved}",
        "es": "Reglas vigentes\n{rules}\nAprobadas el {approved}",
        "zh": "现行规则\n{rules}\n批准日期 {approved}",
    },
}


def approve_signs(facility: Facility) -> None:
    """A form of each kind of sign, approved for every game, and every table of the house told of them."""
    now = clock.now()
    forms = [
        SignForm.objects.create(
            facility=facility,
            kind=kind,
            version=1,
            location="On the table, at the dealer's right",
            width_mm=216,
            height_mm=279,
            wording=wording,
            status="approved",
            drafted_at=now - 2 * APPROVED,
            filed_at=now - 2 * APPROVED,
            decided_at=now - APPROVED,
            decided_by="Bureau of Gaming Operations",
            reference=f"BGO-S-{number:02d}",
        )
        for number, (kind, wording) in enumerate(WORDINGS.items(), start=1)
    ]
    form_ids = " ".join(str(form.pk) for form in forms)
    Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED).update(
        recorded_sign_ids=form_ids
    )
