"""The demo floor: two facilities, tables in every edition, people for every role.

The PINs are public on purpose; `seed_demo` refuses to run where `settings.DEMO` is off. No model is imported here:
`script/run` prints the sign-ins before the product is loaded.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from django.contrib.auth.hashers import PBKDF2PasswordHasher


@dataclass(frozen=True)
class DemoPerson:
    """`where`: "" the whole facility, a pit's code, or a table's code; several of them in a tuple."""

    code: str
    name: str
    role: str
    department: str
    pin: str
    facility: str
    where: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class DemoTable:
    code: str
    pit: str
    submission: str
    shaker: str
    min_cents: int
    max_cents: int
    seats: int = 8
    kind: str = "live"
    dealers: tuple[str, ...] = ()
    floor: str = ""  # its supervisor; empty: the first floorperson of its pit
    in_the_evening: str = ""  # the submission that programs deal there, if it is another


@dataclass(frozen=True)
class DemoSubmission:
    code: str
    edition: str
    payouts: dict[str, str] = field(default_factory=dict)
    payout_limit_cents: int | None = None
    lapsed_why: str = ""  # why programs deal it in the evening, although its edition has lapsed


@dataclass(frozen=True)
class DemoFacility:
    code: str
    name: str
    jurisdiction: str
    time_zone: str
    pits: tuple[tuple[str, str], ...]
    submissions: tuple[DemoSubmission, ...]
    tables: tuple[DemoTable, ...]
    target_paces: dict[str, int] = field(default_factory=dict)  # rounds an hour, by the game's code
    places: dict[str, dict[str, list[int]]] = field(default_factory=dict)  # row and column, by pit and table

    def with_tables(self, *codes: str) -> "DemoFacility":
        """The same facility with these tables alone, their pits and their rules."""
        tables = tuple(table for table in self.tables if table.code in codes)
        pits, submissions = {table.pit for table in tables}, {table.submission for table in tables}
        return replace(
            self,
            tables=tables,
            pits=tuple(pit for pit in self.pits if pit[0] in pits),
            submissions=tuple(rules for rules in self.submissions if rules.code in submissions),
            places={},
        )

    def where(self, person: "DemoPerson") -> tuple[str, ...]:
        """Where a person of the demo is on duty here: those of their places that the facility has."""
        if person.facility not in (self.code, ""):
            return ()
        places = {"", *(table.code for table in self.tables), *(code for code, _ in self.pits)}
        return tuple(where for where in person.where if where in places)


LARKFIELD = DemoFacility(
    "larkfield",
    "Larkfield Casino",
    "PA",
    "America/New_York",
    (("p1", "Pit 1"), ("p2", "Pit 2"), ("p3", "Pit 3")),
    (
        DemoSubmission("RS-0009", "pa-625a/A"),
        DemoSubmission("RS-0012", "pa-625a/B"),
        DemoSubmission(
            "RS-0003", "pa-539", {"three-of-a-kind": "180 to 1", "total:4": "60 to 1", "total:17": "60 to 1"}
        ),
        DemoSubmission("RS-0021", "pa-675a", payout_limit_cents=7_500_000),
        DemoSubmission("RS-0022", "pa-675a.6"),
        DemoSubmission("RS-0031", "pa-577", lapsed_why="No later edition has the rules of this game"),
    ),
    (
        DemoTable("T-01", "p1", "RS-0009", "manual", 1_000, 100_000, dealers=("mei",)),
        DemoTable("T-02", "p1", "RS-0009", "automated-covered", 1_000, 50_000, dealers=("sam",)),
        DemoTable("T-03", "p1", "RS-0012", "manual", 2_500, 200_000, dealers=("linh",)),
        DemoTable("T-04", "p2", "RS-0012", "automated-uncovered", 500, 30_000, dealers=("rosa",)),
        # The edition of RS-0003 has lapsed, and the casino has newer rules of this game. A floor at its best hour deals
        # them; one without an evening has a table for every edition.
        DemoTable(
            "T-05", "p2", "RS-0003", "manual", 1_000, 50_000, dealers=("omar",), in_the_evening="RS-0009"
        ),
        DemoTable("T-06", "p2", "RS-0012", "player-activated", 1_000, 50_000),
        DemoTable("T-24", "p2", "RS-0009", "manual", 500, 50_000, kind="training"),
        DemoTable("T-31", "p3", "RS-0021", "manual", 500, 50_000, seats=6, dealers=("abel",), floor="lena"),
        DemoTable("T-32", "p3", "RS-0022", "manual", 500, 50_000, seats=6, dealers=("nora",), floor="lena"),
        DemoTable(
            "T-42", "p3", "RS-0031", "dice-cup", 500, 50_000, seats=16, dealers=("dana", "emil", "stan")
        ),
    ),
    {"sic-bo": 40, "high-roll": 25, "football": 8},
    {"p3": {"T-31": [1, 1], "T-32": [1, 2], "T-42": [1, 3]}},
)
SEABRIGHT = DemoFacility(
    "seabright",
    "Seabright Hotel Casino",
    "NJ",
    "America/New_York",
    (("p1", "Pit 1"),),
    (
        DemoSubmission("RS-0001", "nj-19-47-9"),
        DemoSubmission("RS-0002", "nj-19-47-9", {"two-dice": "6 to 1"}),
    ),
    (
        DemoTable("T-01", "p1", "RS-0001", "manual", 1_000, 50_000, dealers=("ana",)),
        DemoTable("T-02", "p1", "RS-0002", "manual", 2_500, 100_000),
    ),
)
FACILITIES = (LARKFIELD, SEABRIGHT)

WORK_MINUTES, BREAK_MINUTES = 80, 20  # house figures
GAMES, COMPLIANCE = "table-games", "compliance"
PEOPLE = (
    DemoPerson("mei", "Mei Tran", "dealer", GAMES, "110011", "larkfield", ("T-01", "T-06", "T-24")),
    DemoPerson(
        "zara",
        "Zara Malik",
        "dealer",
        GAMES,
        "220022",
        "larkfield",
        ("T-01", "T-02", "T-03", "T-04", "T-05", "T-06", "T-24"),
    ),
    DemoPerson("sam", "Sam Whitaker", "dealer", GAMES, "330033", "larkfield", ("T-02",)),
    DemoPerson("linh", "Linh Nguyen", "dealer", GAMES, "440044", "larkfield", ("T-03",)),
    DemoPerson("rosa", "Rosa Alvarez", "dealer", GAMES, "550055", "larkfield", ("T-04",)),
    DemoPerson("omar", "Omar Hadid", "dealer", GAMES, "660066", "larkfield", ("T-05",)),
    DemoPerson("abel", "Abel Okafor", "dealer", GAMES, "310031", "larkfield", ("T-31", "T-32")),
    DemoPerson("nora", "Nora Lindt", "dealer", GAMES, "320032", "larkfield", ("T-31", "T-32")),
    DemoPerson("dana", "Dana Marsh", "dealer", GAMES, "420042", "larkfield", ("T-42",)),
    DemoPerson("emil", "Emil Iwu", "dealer", GAMES, "430043", "larkfield", ("T-42",)),
    DemoPerson("stan", "Stan Osei", "stickperson", GAMES, "770077", "larkfield", ("p3",)),
    DemoPerson("kate", "Kate Boyd", "floorperson", GAMES, "880088", "larkfield", ("p1",)),
    DemoPerson("ivan", "Ivan Sato", "floorperson", GAMES, "990099", "larkfield", ("p2",)),
    DemoPerson("otto", "Otto Brandt", "floorperson", GAMES, "440440", "larkfield", ("p3",)),
    DemoPerson("lena", "Lena Frost", "floorperson", GAMES, "450450", "larkfield", ("p3",)),
    DemoPerson("marta", "Marta Duarte", "pit-manager", GAMES, "121212", "larkfield", ("p1", "p2", "p3")),
    DemoPerson("viktor", "Viktor Lindqvist", "shift-manager", GAMES, "131313", "larkfield"),
    DemoPerson("rita", "Rita Ibarra", "security", "security", "141414", "larkfield"),
    DemoPerson("hugo", "Hugo Sol", "surveillance", "surveillance", "151515", "larkfield"),
    DemoPerson("carla", "Carla Reyes", "compliance", COMPLIANCE, "161616", "larkfield"),
    DemoPerson("noah", "Noah Berg", "games-administrator", COMPLIANCE, "171717", "larkfield"),
    DemoPerson("agnes", "Agnes Cole", "gaming-agent", "regulator", "181818", ""),
    DemoPerson("teo", "Teo Marsh", "system-administrator", "information-technology", "191919", ""),
    DemoPerson("ana", "Ana Costa", "dealer", GAMES, "210021", "seabright", ("T-01", "T-02")),
    DemoPerson("fred", "Fred Nolan", "floorperson", GAMES, "230023", "seabright", ("p1",)),
    DemoPerson("cora", "Cora Blake", "casino-supervisor", GAMES, "240024", "seabright", ("p1",)),
    DemoPerson("cleo", "Cleo Blake", "cage", "cage", "252525", "larkfield"),
    DemoPerson(
        "ines", "Ines Pardo", "dealer", GAMES, "260026", "larkfield", ("T-01", "T-02", "T-03", "T-04", "T-05")
    ),
    DemoPerson(
        "paul", "Paul Novak", "dealer", GAMES, "270027", "larkfield", ("T-01", "T-02", "T-03", "T-04", "T-05")
    ),
    DemoPerson("gwen", "Gwen Adair", "dealer", GAMES, "280028", "larkfield", ("T-31", "T-32")),
    DemoPerson("wes", "Wes Lowe", "dealer", GAMES, "290029", "larkfield", ("T-42",)),
    DemoPerson("ruth", "Ruth Kemp", "stickperson", GAMES, "320023", "larkfield", ("p3",)),
)
# Dice in each lot, their side in micrometers, and their colors
FRESH_LOTS = (
    ((3, 19_050, "alike"),) * 24
    + ((10, 19_000, "alike"),) * 4
    + ((6, 19_000, "alike"),) * 3
    + ((6, 19_050, "green-red"),) * 3
)
INSTRUMENTS = (("micrometer", "M-1"), ("caliper", "C-1"), ("square", "Q-1"))
SPARE_SHAKERS = (("S-91", "manual"), ("S-92", "manual"))


def sign_ins() -> Iterator[str]:
    """Everybody of the demo with their PIN, role and places, line by line."""
    for facility in FACILITIES:
        yield f"\n{facility.name}  (/floor/{facility.code}/)"
        for person in PEOPLE:
            if person.facility == facility.code:
                where = ", ".join(where or "the whole floor" for where in person.where)
                yield f"  {person.pin}  {person.name:<18} {person.role:<20} {where}"
    yield "\nEvery facility"
    for person in PEOPLE:
        if not person.facility:
            yield f"  {person.pin}  {person.name:<18} {person.role}"


# The client of a demo, which is printed before it exists


CLIENT_NAME = "Sandbox"
CLIENT_ID = "5a2d0b0e-0000-4000-8000-000000000001"
CLIENT_SECRET = "pitside_public-secret-of-the-demo"
GUEST_NAME, GUEST_CARD = "Guest of the demo", "4711-0815"  # rated at a table that programs deal


def first_request(address: str) -> Iterator[str]:
    """How a program reads the demo through the API, as lines for a shell."""
    yield "A program reads and acts at /api/v1/ (read /api/v1/docs), with a token that lasts ten minutes:"
    yield f"  TOKEN=$(curl -s {address}/api/v1/oauth/token -d grant_type=client_credentials \\"
    yield f"    -u {CLIENT_ID}:{CLIENT_SECRET} \\"
    yield '    | sed \'s/.*"access_token": *"\\([^"]*\\)".*/\\1/\')'
    yield f'  curl -H "Authorization: Bearer $TOKEN" {address}/api/v1/facilities/{LARKFIELD.code}/tables'


# How the PINs of a demo are hashed


class PublicPinHasher(PBKDF2PasswordHasher):
    """Django's own hash with little work: a demo prints its PINs, so that nobody has to guess them.

    With Django's own work the thirty people of the demo took six seconds, in which a visitor waited.
    """

    iterations = 1_000
