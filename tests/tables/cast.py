"""A fixed cast and a small floor, made through the same code as the demo, so that a test reads as a scene."""

import contextlib
import datetime as dt
import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from audit import clock
from audit.devices import enroll
from audit.models import Device, Entry, Person
from audit.record import lock_stream
from games.engine import Refusal, Rules
from games.facility_runner import StreamRunner
from games.models import Facility, PreparedChange
from games.office import core as office
from games.registry import GAMES, game_by_code, seats_of
from games.separation.changes import CHANGE_APPROVED, CHANGE_PREPARED
from games.snapshot_types import RoundPart, Snapshot
from games.submissions import draft
from tables.core import posts
from tables.core.context import TableContext, read_table
from tables.demo.seeding import (
    APPROVED,
    approve_equipment,
    approve_signs,
    inspection_of,
    make_lot,
    open_table,
    record_approval,
)
from tables.models import (
    Alert,
    Assignment,
    Instrument,
    Pit,
    Qualification,
    Round,
    Settlement,
    Shaker,
    Table,
)  # fmt: skip
from tables.opening.opening import make_table
from tables.opening.steps import Opening
from tables.runner import facility as facility_runner
from tables.runner import table as table_runner
from tables.runner.table import RecordedRefusal
from tables.screens import fragments, snapshot, table_history
from tables.screens.snapshot import DisplayContext, of_table
from tables.ticker import tick
from tests.services.device_cookie import set_newest_cookie
from tests.services.json_types import not_of_json
from tests.services.restore import restored_later

PIN = "123456"


def verify_pushed_as_read(response: table_runner.ActResponse) -> None:
    """What an act passes on to the screens is, to the letter, what reading its table again shows.

    This worker renders the snapshots themselves, others their JSON, so both are the same to the type.
    """
    ctx = response.context
    if isinstance(ctx, TableContext):
        pushed = fragments.state_after(ctx).snapshot
        table_history.forget_lines()
        with clock.override(ctx.play.now):
            read = fragments.read_state(response.key).snapshot
        assert pushed == read, response.body
        for state in (pushed, read):
            assert json.loads(json.dumps(state)) == state
            assert list(not_of_json(state)) == [], response.body


def newest_of_an_act(stream: str) -> Entry:
    """The newest entry that an act wrote on this stream; that it was approved by a second person follows it."""
    return Entry.objects.filter(stream__name=stream).exclude(type=CHANGE_APPROVED.name).latest("seq")


def approved_by_another(
    scene: "Scene", runner: StreamRunner, call: table_runner.ActRequest
) -> table_runner.ActResponse:
    """Executes an act. If it is prepared only, the shift manager approves it, and this is the answer."""
    response = runner.execute(call)
    if response.is_repeat or response.body["type"] != CHANGE_PREPARED.name:
        return response
    params = {"change": response.body["change"]}
    return runner.execute(
        replace(
            call,
            act="approve_change",
            command=uuid.uuid4(),
            params=params,
            actor=scene.people["shift-manager"],
            attachment=b"",
        )
    )


@dataclass
class Scene:
    """One table with its people, its tablet and its podium."""

    table: Table
    people: dict[str, Person]
    tablet: Device
    podium: Device
    tokens: dict[str, str] = field(default_factory=dict)

    def act(
        self,
        name: str,
        params: dict[str, Any] | None = None,
        *,
        by: str | None = None,
        witness: str | None = None,
        seen: int | None = None,
        command: uuid.UUID | None = None,
        device: Device | None = None,
        after: Iterable[uuid.UUID] = (),
    ) -> table_runner.ActResponse:
        """One act at the table, of the person at its post. `seen` is the current version, unless a test says it."""
        by = by or self.at_the_post_of(name, params or {})
        call = table_runner.ActRequest(
            facility=self.table.facility.code,
            place=self.table.code,
            act=name,
            command=command or uuid.uuid4(),
            seen_version=self.version if seen is None else seen,
            params=params or {},
            actor=self.people[by],
            device=device or self.tablet,
            witness=self.people[witness] if witness else None,
            after=frozenset(after),
        )
        return table_runner.execute(call)

    def at_the_post_of(self, act: str, params: dict[str, Any]) -> str:
        """Who does this act: the dealer, and at Three Dice Football the person at its post."""
        needed = game_by_code(self.table.game).post_acts.get(act)
        if needed is None:
            return "dealer"
        seats = params.get("seats") or [
            seat["seat"]
            for step in (self.round_part["round"]["settle"] or {"steps": []})["steps"]
            for seat in step["seats"]
            if step["state"] == "now" and not seat["done"]
        ]
        halves = [game_by_code(self.table.game).settling_post(seat) for seat in seats]
        post = halves[0] if len(needed.posts) > 1 and halves else needed.posts[0]
        holder = posts.holder(self.fresh, post)
        return holder.code if holder and holder.code in self.people else "dealer"

    def in_room(
        self,
        name: str,
        params: dict[str, Any] | None = None,
        *,
        by: str = "shift-manager",
        witness: str | None = None,
        command: uuid.UUID | None = None,
        device: Device | None = None,
        attachment: bytes = b"",
        approve: bool = True,
    ) -> table_runner.ActResponse:
        """One act of the facility, from the podium unless the test says otherwise.

        What a second person approves is approved at once, unless the test says otherwise.
        """
        call = table_runner.ActRequest(
            facility=self.table.facility.code,
            place="",
            act=name,
            command=command or uuid.uuid4(),
            seen_version=0,
            params=params or {},
            actor=self.people[by],
            device=device or self.podium,
            witness=self.people[witness] if witness else None,
            attachment=attachment,
        )
        return (
            approved_by_another(self, facility_runner.RUNNER, call)
            if approve
            else facility_runner.execute(call)
        )

    def in_office(
        self,
        name: str,
        params: dict[str, Any] | None = None,
        *,
        by: str = "games-administrator",
        command: uuid.UUID | None = None,
        device: Device | None = None,
        attachment: bytes = b"",
        approve: bool = True,
    ) -> table_runner.ActResponse:
        """One act of the rules office, from the podium unless the test says otherwise.

        What a second person approves is approved at once, unless the test says otherwise.
        """
        call = table_runner.ActRequest(
            facility=self.table.facility.code,
            place=office.STREAM,
            act=name,
            command=command or uuid.uuid4(),
            seen_version=0,
            params=params or {},
            actor=self.people[by],
            device=device or self.podium,
            attachment=attachment,
        )
        return approved_by_another(self, office.RUNNER, call) if approve else office.execute(call)

    def acknowledge_rules(self) -> None:
        """The clock records the rules that are in force by now, and the floorperson acknowledges them."""
        tick()
        for alert in Alert.objects.filter(table=self.table, kind="new-rules", acknowledged_at=None):
            self.act("acknowledge_alert", {"alert": alert.pk}, by="floorperson", device=self.podium)

    def approve_changes(self, by: str = "shift-manager") -> None:
        """A second person approves every change that waits, each where its act is executed."""
        for change in PreparedChange.objects.filter(status="waiting").order_by("pk"):
            run = self.in_office if change.act in office.ACTS else self.in_room
            run("approve_change", {"change": change.code}, by=by)

    def on_file(self, title: str = "A letter", content: bytes = b"", **more: Any) -> str:
        """The code of a document that the office files now; a letter of its own unless the test gives its bytes."""
        content = content or f"Letter {uuid.uuid4()}: the body has decided as the act says.".encode()
        params = {"title": title, "filename": "it.txt", **more, "sha256": hashlib.sha256(content).hexdigest()}
        answer = self.in_office("file_document", params, attachment=content)
        return str(answer.body["document"])

    def place(self, *wagers: tuple[Any, ...], made_in: str = "chips", **how: Any) -> table_runner.ActResponse:
        """Wagers as (seat, code, cents), and with a play (seat, code, cents, play)."""
        lying = [
            {
                "seat": seat,
                "wager": code,
                "cents": cents,
                "made_in": made_in,
                **({"play": play[0]} if play else {}),
            }
            for seat, code, cents, *play in wagers
        ]
        return self.act("place_wagers", {"wagers": lying}, **how)

    def to_the_dice(self) -> None:
        """The acts between the wagers and the dice, in the order of this edition and shaker."""
        self.until("call_dice")

    def until(self, act: str) -> None:
        """The next steps one by one, up to the one that is named, which is left."""
        while (following := self.round_part["next"])["act"] != act:
            self.act(following["act"], following["params"])

    def to_closed_bets(self) -> None:
        """The next steps, up to and with no more bets."""
        while (shown := self.round_part)["round"]["bets_open"]:
            self.act(shown["next"]["act"], shown["next"]["params"])

    def play(self, *wagers: tuple[int, str, int], dice: list[int]) -> None:
        """From the wagers to the lit layout."""
        self.place(*wagers)
        self.to_the_dice()
        self.act("call_dice", {"dice": dice})

    def finish(self, by: str | None = None) -> None:
        """Whatever is left of the round, to its end."""
        while self.round is not None:
            following = self.round_part["next"]
            self.act(following["act"], following["params"], by=by)

    def staff(self) -> None:
        """Somebody at every post: the dealer, and at Three Dice Football the left dealer and the stickperson."""
        self.act("take_over_table")
        for post, by in (("dealer-left", "relief"), ("stick", "stickperson")):
            if post in posts.posts_of(self.table):
                self.act("take_over_table", {"post": post}, by=by)

    def inspect(self, by: str = "floorperson", **changed: Any) -> table_runner.ActResponse:
        """The inspection at the podium, where all is well unless the test says otherwise."""
        params = {**self.inspection(), **changed}
        return self.act("inspect_table", params, by=by, device=self.podium)

    def open(self, by: str = "floorperson", **params: Any) -> table_runner.ActResponse:
        """Opens the table; a lapsed edition is acknowledged unless the test says otherwise."""
        return self.act("open_table", {"acknowledge_lapsed": True, **params}, by=by, device=self.podium)

    def close(self, **params: Any) -> table_runner.ActResponse:
        """Closes the table with its shaker locked away."""
        params = {"secured": True, **params}
        return self.act("close_table", params, by="floorperson", device=self.podium)

    def repair(self, how: str = "fuse replaced") -> None:
        """What failed is repaired and inspected."""
        self.act("record_repair", {"what": how}, by="floorperson", device=self.podium)
        self.inspect()

    def inspection(self, dice: tuple[int, ...] = (1, 2, 5)) -> dict[str, Any]:
        """What a floorperson confirms at this table when all is well."""
        return inspection_of(self.fresh, dice)

    def settle_by_hand(
        self, *, by: str = "dealer", witness: str | None = "floorperson", **said: Any
    ) -> table_runner.ActResponse:
        """What failed is reported, and the round that was dealt meanwhile is recorded, signed by dealer and floor."""
        if not self.fresh.ceased_what:
            self.act("report_device_failure", {"what": "device"}, by="floorperson", device=self.podium)
        return self.act(
            "record_hand_settled_round", {"reason": "tablet dead", **said}, by=by, witness=witness
        )

    @contextlib.contextmanager
    def refused(self, code: str, section: str | None = None) -> Iterator[pytest.ExceptionInfo]:
        """What happens inside is refused with this code and section, and changes nothing."""
        before = self.version
        with pytest.raises(Refusal) as refusal:
            yield refusal
        assert refusal.value.code == code
        assert section is None or refusal.value.section == section
        assert self.version == before

    @contextlib.contextmanager
    def refused_on_record(self, code: str) -> Iterator[pytest.ExceptionInfo]:
        """What happens inside is refused with this code, and an entry of the table says that it was tried."""
        before = self.version
        with pytest.raises(RecordedRefusal) as refusal:
            yield refusal
        assert refusal.value.code == code
        assert self.version == refusal.value.response.version > before

    @contextlib.contextmanager
    def tried(self) -> Iterator[None]:
        """What happens inside is taken back; the runner sees no transaction around it."""
        back = transaction.savepoint()
        try:
            yield
        finally:
            transaction.savepoint_rollback(back)

    def browser(self, device: str = "tablet", signed_in: str | None = None) -> Client:
        """A browser that is this device (`tablet`, `podium`, or another token), with somebody signed in at it."""
        client, response = Client(), HttpResponse()
        set_newest_cookie(response, self.tokens.get(device, device))
        client.cookies.update(response.cookies)
        if signed_in:
            assert client.post("/sign-in", {"person": signed_in, "pin": PIN}).status_code == 302
        return client

    @property
    def snapshot(self) -> Snapshot:
        return of_table(self.table.pk)

    @property
    def round_part(self) -> RoundPart:
        """The part of the snapshot that leads through a round; the lists of acts and rounds take most of its time."""
        ctx = DisplayContext(read_table(self.table.pk))
        return snapshot.round_part(ctx, Opening(ctx))

    @property
    def entry(self) -> dict[str, Any]:
        """The newest entry of the table's stream that an act wrote for itself; alerts that it caused follow it."""
        own = Entry.objects.filter(stream=self.table.stream).exclude(type__in=("alert.raised", "alert.ended"))
        return json.loads(bytes(own.latest("seq").body))

    @property
    def settled(self) -> list[tuple[int, str, str, int, int]]:
        """Of the last round's newest throw, in order: seat, wager, outcome, paid and returned cents."""
        newest = self.last_round.throws.order_by("-number", "-revision")[0]
        return [
            (one.wager.seat, one.wager.code, one.outcome, one.paid_cents, one.returned_cents)
            for one in Settlement.objects.filter(throw=newest).order_by("place").select_related("wager")
        ]

    @property
    def version(self) -> int:
        return Table.objects.values_list("stream__seq", flat=True).get(pk=self.table.pk)

    @property
    def round(self) -> Round | None:
        """The round in play."""
        return Round.objects.filter(table=self.table, ended_at=None).first()

    @property
    def last_round(self) -> Round:
        return Round.objects.filter(table=self.table).order_by("-number")[0]

    @property
    def fresh(self) -> Table:
        return Table.objects.select_related("stream", "facility").get(pk=self.table.pk)


CHAPTER = {
    "pa-539": "58 Pa. Code § 539.",
    "pa-625a/A": "58 Pa. Code § 625a.",
    "pa-625a/B": "58 Pa. Code § 625a.",
    "nj-19-47-9": "N.J.A.C. 19:47-9.",
    "pa-675a": "58 Pa. Code § 675a.",
    "pa-675a.6": "58 Pa. Code § 675a.",
    "pa-577": "58 Pa. Code § 577.",
}
SEATS = {"pa-675a": 6, "pa-675a.6": 6, "pa-577": 16}


@restored_later
def make_scene(
    rules: str = "pa-625a/A",
    shaker: str | None = None,
    *,
    opened: bool = True,
    kind: str = "live",
    payout_limit_cents: int | None = None,
    code: str = "T-01",
    **payouts: str,
) -> Scene:
    """A table under these rules with this shaker, dice in it, and a full cast; open unless the test says otherwise."""
    facility = Facility.objects.create(
        code="larkfield",
        name="Larkfield Casino",
        jurisdiction=Rules.of(rules).edition.jurisdiction,
        time_zone="America/New_York",
    )
    pit = Pit.objects.create(facility=facility, code="p1", name="Pit 1")
    approve(facility, rules, payouts, payout_limit_cents)
    edition = Rules.of(rules).edition
    table = make_table(
        facility,
        code=code,
        pit=pit,
        submission="RS-0009",
        kind=kind,
        seats=seats_of(edition),
        min_cents=1_000,
        max_cents=100_000,
    )
    Shaker.objects.create(facility=facility, table=table, code="S-01", kind=shaker or edition.default_shaker)
    for number in range(1, 6):
        make_lot(table, f"L-{number:04d}")
    approve_equipment(table)
    register_instruments(facility)
    approve_signs(facility)
    scene = Scene(table, _people(facility, table), *_devices(facility, table))
    scene.act("change_dice_lot", {"lot": "L-0001", "seal": "SEAL-1"}, by="floorperson", device=scene.podium)
    if opened:
        scene.staff()
        open_table(scene.people["floorperson"], scene.podium, "larkfield", code)
        for seat in range(1, 7) if "seated" in edition.sections else ():
            scene.act("seat_player", {"seat": seat})
    return scene


def approve(
    facility: Facility, rules: str, payouts: dict[str, str], limit_cents: int | None, code: str = "RS-0009"
) -> None:
    """An approved rules submission, in force for a month."""
    submission = draft(
        facility=facility,
        code=code,
        key=rules,
        payouts=payouts or None,
        payout_limit_cents=limit_cents,
    )
    now = clock.now()
    submission.status = "approved"
    submission.filed_at, submission.decided_at = now - 2 * APPROVED, now - APPROVED
    submission.in_force_from = now - APPROVED
    submission.decided_by = "the bureau"
    submission.save()
    # Before any moment at which a test sets its clock, and after what the rules office did before.
    with transaction.atomic():
        written = lock_stream(f"{facility.code}/rules").last_at
        record_approval(submission, max(submission.decided_at, written or submission.decided_at))


AT_THE_TABLE = "table"
ROLES = {
    "dealer": ("dealer", "table-games", AT_THE_TABLE),
    "relief": ("dealer", "table-games", AT_THE_TABLE),
    "stranger": ("dealer", "table-games", None),
    "other-floorperson": ("floorperson", "table-games", None),
    "stickperson": ("stickperson", "table-games", AT_THE_TABLE),
    "floorperson": ("floorperson", "table-games", "p1"),
    "casino-supervisor": ("casino-supervisor", "table-games", "p1"),
    "pit-manager": ("pit-manager", "table-games", "p1"),
    "shift-manager": ("shift-manager", "table-games", ""),
    "security": ("security", "security", ""),
    "surveillance": ("surveillance", "surveillance", ""),
    "compliance": ("compliance", "compliance", ""),
    "games-administrator": ("games-administrator", "compliance", ""),
    "gaming-agent": ("gaming-agent", "regulator", ""),
    "system-administrator": ("system-administrator", "information-technology", ""),
    "cage": ("cage", "cage", ""),
}


def _people(facility: Facility, table: Table) -> dict[str, Person]:
    """Everybody at once: what `create_person` and `assign` promise, their own tests show."""
    pin = make_password(PIN)
    people = Person.objects.bulk_create(
        Person(
            code=code,
            name=code.replace("-", " ").title(),
            role=role,
            department=department,
            facility=facility.code,
            password=pin,
        )
        for code, (role, department, _) in ROLES.items()
    )
    pits = {pit.code: pit for pit in Pit.objects.filter(facility=facility)}
    tables = {AT_THE_TABLE: table}
    now = clock.now()
    Assignment.objects.bulk_create(
        Assignment(
            person=person, facility=facility, pit=pits.get(where), table=tables.get(where), started_at=now
        )
        for person in people
        if (where := ROLES[person.code][2]) is not None
    )
    for person in people:
        if person.role in ("dealer", "stickperson") and person.code != "stranger":
            train(person, facility)
    return {person.code: person for person in people}


def register_instruments(facility: Facility) -> None:
    """The instruments of the tests' inspections, calibrated for a year."""
    today = facility.local(clock.now()).date()
    Instrument.objects.bulk_create(
        Instrument(
            facility=facility,
            code=code,
            kind=kind,
            calibrated_on=today,
            calibration_ends_on=today + dt.timedelta(days=365),
        )
        for kind, code in (("micrometer", "M-7"), ("caliper", "C-2"), ("square", "Q-1"))
    )


def train(person: Person, facility: Facility) -> None:
    """The person is qualified for every game, as of today."""
    today = facility.local(clock.now()).date()
    Qualification.objects.bulk_create(
        Qualification(person=person, game=game, reference="TR-1", since=today) for game in GAMES
    )


def _devices(facility: Facility, table: Table) -> tuple[Device, Device, dict[str, str]]:
    tablet, tablet_token = enroll(f"Tablet of {table.code}", facility.code, "dealer", table.stream.name)
    podium, podium_token = enroll("Podium", facility.code, "podium")
    return tablet, podium, {"tablet": tablet_token, "podium": podium_token}
