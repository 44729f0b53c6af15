"""A fixed cast and a small floor, made through the same code as the demo, so that a test reads as a scene."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from audit.devices import enrol
from audit.models import Device, Person
from games.models import Facility
from games.submissions import draft
from tables import acts, road
from tables.models import DiceLot, Pit, Round, Shaker, Table
from tables.seeding import APPROVED, assign, make_table, open_table

assert acts
PIN = "123456"


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
        by: str = "dealer",
        witness: str | None = None,
        seen: int | None = None,
        command: uuid.UUID | None = None,
        device: Device | None = None,
    ) -> road.Answer:
        """One act by the road. `seen` is the version as it stands unless the test says otherwise."""
        call = road.Call(
            facility=self.table.facility.code,
            table=self.table.code,
            act=name,
            command=command or uuid.uuid4(),
            seen=self.version if seen is None else seen,
            params=params or {},
            actor=self.people[by],
            device=device or self.tablet,
            witness=self.people[witness] if witness else None,
        )
        return road.travel(call)

    def place(self, *wagers: tuple[int, str, int], **how: Any) -> road.Answer:
        """Wagers as (seat, code, cents)."""
        lying = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in wagers]
        return self.act("place_wagers", {"wagers": lying}, **how)

    def to_the_dice(self) -> None:
        """The acts between the wagers and the dice, in the order of this edition and shaker."""
        from tables.snapshot import of_table

        while (following := of_table(self.table.pk)["next"])["act"] != "call_dice":
            self.act(following["act"], following["params"])

    def play(self, *wagers: tuple[int, str, int], dice: list[int]) -> None:
        """From the wagers to the lit layout."""
        self.place(*wagers)
        self.to_the_dice()
        self.act("call_dice", {"dice": dice})

    def finish(self) -> None:
        """Whatever is left of the round, to its end."""
        from tables.snapshot import of_table

        while self.round is not None:
            following = of_table(self.table.pk)["next"]
            self.act(following["act"], following["params"])

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


JURISDICTION = {"pa-539": "PA", "pa-625a/A": "PA", "pa-625a/B": "PA", "nj-19-47-9": "NJ"}


def make_scene(rules: str = "pa-625a/A", shaker: str = "manual", *, opened: bool = True, kind: str = "live", **payouts: str) -> Scene:
    """A table under these rules with this shaker, dice in it, and a full cast; open unless the test says otherwise."""
    facility = Facility.objects.create(code="larkfield", name="Larkfield Casino", jurisdiction=JURISDICTION[rules], time_zone="America/New_York")
    pit = Pit.objects.create(facility=facility, code="p1", name="Pit 1")
    _approve(facility, rules, payouts)
    table = make_table(facility, code="T-01", pit=pit, submission="RS-0009", kind=kind, seats=8, min_cents=1_000, max_cents=100_000)
    Shaker.objects.create(facility=facility, table=table, code="S-01", kind=shaker, approval="SH-001")
    for number in range(1, 6):
        DiceLot.objects.create(facility=facility, code=f"L-{number:04d}", attested=True)
    scene = Scene(table, _people(facility), *_devices(facility))
    scene.act("change_dice_lot", {"lot": "L-0001"}, by="floorperson", device=scene.podium)
    if opened:
        open_table(scene.people["floorperson"], scene.podium, "larkfield", "T-01")
        scene.act("take_over_table")
    return scene


def _approve(facility: Facility, rules: str, payouts: dict[str, str]) -> None:
    from audit import clock

    submission = draft(facility=facility, code="RS-0009", key=rules, payouts=payouts or None)
    now = clock.now()
    submission.status = "approved"
    submission.filed_at, submission.decided_at = now - 2 * APPROVED, now - APPROVED
    submission.in_force_from = now - APPROVED
    submission.decided_by = "the bureau"
    submission.save()


ROLES = {
    "dealer": ("dealer", "table-games", "T-01"),
    "relief": ("dealer", "table-games", "T-01"),
    "stranger": ("dealer", "table-games", None),
    "stickperson": ("stickperson", "table-games", "T-01"),
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
}


def _people(facility: Facility) -> dict[str, Person]:
    people = {}
    for code, (role, department, where) in ROLES.items():
        person = Person.objects.create_person(code, PIN, name=code.replace("-", " ").title(), role=role, department=department, facility=facility.code)
        if where is not None:
            assign(person, facility, where)
        people[code] = person
    return people


def _devices(facility: Facility) -> tuple[Device, Device, dict[str, str]]:
    tablet, tablet_token = enrol("Tablet of T-01", facility.code, "dealer", f"{facility.code}/T-01")
    podium, podium_token = enrol("Podium", facility.code, "podium")
    return tablet, podium, {"tablet": tablet_token, "podium": podium_token}
