"""The demo's two casinos: Larkfield with an object of every sort, Seabright with somebody of every role.

A person who works at Seabright may neither read nor change any object of Larkfield (tests/test_rights.py).
"""

import datetime as dt
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from unittest import mock

from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from audit import clock, record
from audit.devices import enroll, revoke
from audit.entries import KEY_CREATED, SealerKey
from audit.models import Device, Job, Lockout, Person, SavedFilter
from audit.people import SESSION_DEVICE
from games.models import (
    CalendarFeed,
    Document,
    Facility,
    GameRequest,
    GameTest,
    Guide,
    PreparedChange,
    Provider,
    ProviderNote,
    Qualifier,
    RulesBook,
    Service,
)
from games.office.calendar import sha256_of
from tables.cases.case import open_found_cases
from tables.demo import floor as demo
from tables.demo.seeding import PODIUM, assign, seed
from tables.models import (
    Case,
    CaseDocument,
    CaseLetter,
    DiceLot,
    Handover,
    Instrument,
    Player,
    Rating,
    Shaker,
    Table,
)
from tests.services.device_cookie import set_newest_cookie
from tests.services.restore import restored_later
from tests.tables import slip_scene
from tests.tables.cast import PIN, Scene, train

FEED_SECRET = "larkfield-deadlines"
JOB = "5e3c8f0e-9f5b-4a55-8d0b-0d6e9e7b1c11"
FILTER = "Large payouts of Mei"


@dataclass(frozen=True)
class SignIn:
    """Who signs in at which device. Without a station the browser is no device, without a person nobody signs in."""

    person: str = ""
    station: str = ""
    place: str = ""
    facility: str = "larkfield"
    afterwards: str = ""  # "lock" or "revoke": what happens to the device


TABLET, FOOTBALL_TABLET = ("dealer", "larkfield/T-01"), ("dealer", "larkfield/T-42")
AT_LARKFIELD = {
    "no device": SignIn(),
    "locked": SignIn("kate", "podium", afterwards="lock"),
    "nobody": SignIn("", "podium"),
    "display": SignIn("", "sign", "larkfield/T-01"),
    "wall": SignIn("", "wall"),
    "locked phone": SignIn("kate", "pit", afterwards="lock"),
    "locked tablet": SignIn("kate", *TABLET, afterwards="lock"),
    "locked podium of a dealer": SignIn("mei", "podium", afterwards="lock"),
    "revoked": SignIn("kate", "podium", afterwards="revoke"),
    "dealer": SignIn("mei", *TABLET),
    "dealer at a podium": SignIn("mei", "podium"),
    "dealer at another table's tablet": SignIn("mei", *FOOTBALL_TABLET),
    "dealer at no post": SignIn("zara", *TABLET),
    "dealer of another table": SignIn("sam", "podium"),
    "football dealer": SignIn("dana", *FOOTBALL_TABLET),
    "stickperson": SignIn("stan", *FOOTBALL_TABLET),
    "floorperson": SignIn("kate", "podium"),
    "floorperson at the tablet": SignIn("kate", *TABLET),
    "floorperson of the football pit": SignIn("otto", "podium"),
    "floorperson at no table": SignIn("spare-floorperson", "podium"),
    "casino supervisor": SignIn("chief", "podium"),
    "pit manager": SignIn("marta", "podium"),
    "shift manager": SignIn("viktor", "podium"),
    "shift manager at the tablet": SignIn("viktor", *TABLET),
    "security": SignIn("rita", "podium"),
    "cage cashier": SignIn("cleo", "podium"),
    "surveillance": SignIn("hugo", "pit"),
    "compliance": SignIn("carla", "podium"),
    "compliance at the tablet": SignIn("carla", *TABLET),
    "games administrator": SignIn("noah", "office"),
    "gaming agent": SignIn("agnes", "office"),
    "system administrator": SignIn("teo", "podium"),
}
SEABRIGHT_ROLES = (
    ("casino-supervisor", "table-games"),
    ("pit-manager", "table-games"),
    ("shift-manager", "table-games"),
    ("security", "security"),
    ("cage", "cage"),
    ("surveillance", "surveillance"),
    ("compliance", "compliance"),
    ("games-administrator", "compliance"),
    ("gaming-agent", "regulator"),
    ("system-administrator", "information-technology"),
)
AT_SEABRIGHT = {
    "dealer": SignIn("ana", "dealer", "seabright/T-01", "seabright"),
    "floorperson": SignIn("fred", "podium", "", "seabright"),
    "display": SignIn("", "sign", "seabright/T-01", "seabright"),
    "wall": SignIn("", "wall", "", "seabright"),
    "locked": SignIn("fred", "podium", "", "seabright", afterwards="lock"),
    "agent of every casino": SignIn("agnes", "podium", "", "seabright"),
    "system administrator of every casino": SignIn("teo", "podium", "", "seabright"),
} | {role: SignIn(f"their-{role}", "podium", "", "seabright") for role, _ in SEABRIGHT_ROLES}


@dataclass
class Casinos:
    """The cookies of each sign-in at Larkfield and at Seabright."""

    larkfield: dict[str, dict[str, str]]
    seabright: dict[str, dict[str, str]]


def small_demo() -> tuple[tuple[demo.DemoFacility, ...], tuple[demo.DemoPerson, ...]]:
    """The demo with two tables at Larkfield, so that its pages are quickly read, and the people whom this takes."""
    tables = tuple(row for row in demo.LARKFIELD.tables if row.code in ("T-01", "T-42"))
    submissions = ("RS-0003", "RS-0009", "RS-0021", "RS-0031")
    larkfield = replace(
        demo.LARKFIELD,
        tables=tables,
        submissions=tuple(row for row in demo.LARKFIELD.submissions if row.code in submissions),
    )
    duty = {"mei": ("T-01",), "zara": ("T-01",), "sam": ("T-42",)}
    absent = {"linh", "rosa", "omar", "abel", "nora"}
    people = tuple(
        replace(person, where=duty.get(person.code, person.where))
        for person in demo.PEOPLE
        if person.code not in absent
    )
    return (larkfield, demo.SEABRIGHT), people


@restored_later
def make_casinos() -> Casinos:
    """Both casinos, with everybody signed in, each at a device of their own."""
    facilities, people = small_demo()
    with mock.patch.multiple(demo, FACILITIES=facilities, PEOPLE=people):
        seed()
    larkfield, seabright = Facility.objects.get(code="larkfield"), Facility.objects.get(code="seabright")
    for code, role, where in (
        ("spare-floorperson", "floorperson", None),
        ("chief", "casino-supervisor", "p1"),
    ):
        person = _hire(code, role, "table-games", larkfield)
        if where is not None:
            assign(person, larkfield, where)
    for role, department in SEABRIGHT_ROLES:
        assign(_hire(f"their-{role}", role, department, seabright), seabright, "")
    train(Person.objects.get(code="mei"), larkfield)
    _fill(larkfield)
    _fill_another(seabright)
    return Casinos(
        {name: _signed_in(name, sign_in) for name, sign_in in AT_LARKFIELD.items()},
        {name: _signed_in(name, sign_in) for name, sign_in in AT_SEABRIGHT.items()},
    )


def browser(cookies: dict[str, str]) -> Client:
    """A browser with these cookies."""
    client = Client()
    client.cookies = SimpleCookie(cookies)
    return client


def _hire(code: str, role: str, department: str, facility: Facility) -> Person:
    name = code.replace("-", " ").title()
    return Person.objects.create_person(
        code, PIN, name=name, role=role, department=department, facility=facility.code
    )


def _signed_in(name: str, sign_in: SignIn) -> dict[str, str]:
    client = Client()
    if not sign_in.station:
        return {}
    device, token = enroll(f"Device: {name}", sign_in.facility, sign_in.station, sign_in.place)
    response = HttpResponse()
    set_newest_cookie(response, token)
    client.cookies.update(response.cookies)
    if sign_in.person:  # not by the page: a dealer's sign-in would take over the table
        client.force_login(Person.objects.get(code=sign_in.person), "audit.people.PinBackend")
        session = client.session
        session[SESSION_DEVICE] = str(device.pk)
        session.save()
        Device.objects.filter(pk=device.pk).update(
            person=client.session["_auth_user_id"], signed_on_at=clock.now(), last_seen_at=clock.now()
        )
    if sign_in.afterwards == "lock":
        client.post("/lock")
    if sign_in.afterwards == "revoke":
        revoke(device)
    return {cookie: morsel.value for cookie, morsel in client.cookies.items()}


def _fill(facility: Facility) -> None:
    """Add to Larkfield what the demo lacks: a round with a slip, and one object of each further sort."""
    table = Table.objects.select_related("stream", "facility").get(facility=facility, code="T-01")
    podium = Device.objects.get(facility="larkfield", name=PODIUM)
    people = {
        "dealer": "mei",
        "floorperson": "kate",
        "games-administrator": "noah",
        "shift-manager": "viktor",
    }
    people_by_name = {name: Person.objects.get(code=code) for name, code in people.items()}
    scene = Scene(table, people_by_name, podium, podium)
    scene.play((1, "small", 1_000), dice=[1, 1, 2])
    scene.finish()
    slip_scene.file(scene, "dice", dice=[5, 5, 6])
    now, carla = clock.now(), Person.objects.get(code="carla")
    Job.objects.create(
        pk=JOB,
        facility="larkfield",
        kind="csv",
        asked_by=carla,
        asked_at=now,
        status="done",
        filename="a.csv",
    )
    SavedFilter.objects.create(facility="larkfield", person=carla, name=FILTER, query="who=mei", saved_at=now)
    noah = people_by_name["games-administrator"]
    CalendarFeed.objects.create(
        facility=facility,
        name="Phone of Noah",
        token_sha256=sha256_of(FEED_SECRET),
        person=noah,
        created_at=now,
    )
    GameTest.objects.create(request=GameRequest.objects.get(facility=facility, code="NG-0001"), number=1)
    RulesBook.objects.create(
        facility=facility,
        version=1,
        document=facility.documents.first(),
        place="security-podium",
        filed_at=now,
    )
    DiceLot.objects.create(
        facility=facility, code="L-0099", dice=3, size_um=19_050, colors="alike", status="stored"
    )
    Shaker.objects.create(facility=facility, code="S-99", kind="manual")
    for code, place in (("M-99", facility), ("M-98", Facility.objects.get(code="seabright"))):
        dates = {"calibrated_on": "2026-01-01", "calibration_ends_on": "2096-01-01"}
        Instrument.objects.create(facility=place, code=code, kind="micrometer", **dates)
    Lockout.objects.create(
        scope="device",
        facility="larkfield",
        device=podium,
        started_at=now,
        ends_at=now + dt.timedelta(minutes=6),
    )
    _add_player(facility, "P-LARK22", now)
    viktor = people_by_name["shift-manager"]
    Handover.objects.create(
        facility=facility, number=1, shift="2020-01-02/day", gaming_day=now.date(), handed_over_by=viktor,
        taken_over_by=viktor, signed_at=now, stream=table.stream, seq=1,
    )  # fmt: skip
    with transaction.atomic():
        key: SealerKey = {"key": "", "name": "", "public": "", "vkey": ""}
        record.append(
            record.lock_stream(record.INSTALLATION),
            entry=KEY_CREATED(key),
            moment=now,
            gaming_day=now.date(),
        )
    scene.act("report_dispute", {"seat": 1, "about": "the call"})
    open_found_cases()
    case = Case.objects.get(facility=facility, code="C-0001")
    CaseDocument.objects.create(
        case=case, number=1, title="A statement", filename="a.txt", media_type="text/plain", size=1,
        sha256="0" * 64, content=b"a", added_at=now, added_by=carla, seq=1,
    )  # fmt: skip
    CaseLetter.objects.create(
        case=case, number=1, addressee="A patron", findings="Nothing", outcome="stands", reason="As settled.",
        sha256="0" * 64, written_at=now, written_by=carla, seq=1,
    )  # fmt: skip


def _add_player(facility: Facility, code: str, now: dt.datetime) -> None:
    """Add a rated player and a rating that has ended."""
    Rating.objects.create(
        player=Player.objects.create(facility=facility, code=code, added_at=now),
        table=Table.objects.get(facility=facility, code="T-01"),
        seat=1, started_at=now, ended_at=now, first_round=1, last_round=1,
    )  # fmt: skip


def _fill_another(facility: Facility) -> None:
    """Give Seabright an object of each sort that an act may name together with one of Larkfield."""
    now, person = clock.now(), Person.objects.get(code="their-compliance")
    _add_player(facility, "P-SEAB22", now)
    document = Document.objects.create(
        facility=facility, code="D-9001", title="A letter of Seabright", filename="a.txt",
        media_type="text/plain", size=32, sha256="0" * 64, content=b"The body approves what is named.", filed_at=now,
    )  # fmt: skip
    provider = Provider.objects.create(
        facility=facility, code="SP-9001", name="Harbor Dice", innovation="A wager", no_other_license=True,
        created_at=now, investigation=document,
    )  # fmt: skip
    Qualifier.objects.create(provider=provider, kind="individual", name="H. Porter", title="President")
    ProviderNote.objects.create(provider=provider, kind="information", on=now.date(), text="A chart")
    Service.objects.create(provider=provider, code="SV-9001", name="A wager", game="sic-bo")
    request = GameRequest.objects.create(
        facility=facility, code="NG-9001", title="Harbor Pair", kind="wager", drafted_at=now
    )
    GameTest.objects.create(request=request, number=1)
    Case.objects.create(
        facility=facility, code="C-9001", kind="other", subject="by-hand:1", opened_at=now, opened_seq=1,
        params={"about": "A lamp of Seabright", "table": ""}, due_at=now,
    )  # fmt: skip
    Guide.objects.create(facility=facility, version=9, content={"games": []}, facts={}, drafted_at=now)
    PreparedChange.objects.create(
        facility=facility, code="CH-9001", subject="rules", stream="rules", act="record_decision",
        params={"code": "RS-0001", "version": 1}, entry_type="rules.approved", makers=["their-games-administrator"],
        prepared_by=Person.objects.get(code="their-games-administrator"), prepared_at=now, prepared_seq=1, due_at=now,
    )  # fmt: skip
    CalendarFeed.objects.create(
        facility=facility, name="Desk", token_sha256=sha256_of("seabright"), person=person, created_at=now
    )
