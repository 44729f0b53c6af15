"""What the landing of the demo shows, and the guided shift that begins there.

The landing has the demo's floor as it is now, what just happened there, and a forgery that fails (`check_record`).

The guided shift is three minutes as a dealer, at the pit and at the compliance desk. It begins with *Deal a round*. The
steps are data; `static/js/guided-shift.js` shows the next one and notices when it is done, by what the visitor has done
and in whatever order. A step may be skipped, or all of them.
"""

import datetime as dt
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from audit import clock, export, verify
from audit.models import Person
from games.models import Facility
from games.snapshot_types import PastRound, Snapshot
from tables.demo import floor as demo
from tables.demo.evening import FACILITY, has_visitor
from tables.models import Round, Table
from tables.runner.table import DEALT_IN_THE_PAST
from tables.screens import snapshot
from tables.screens.screen_data import round_rows

# The guided shift


@dataclass(frozen=True)
class GuideStep:
    """What the visitor does next, and how the page shows that it is done.

    `go` is the name of the address to which the step's own button leads. A step is done when the page's path matches
    the regular expression `path`, when the round that the visitor found at the table has reached this `phase` or is
    over, or when the table of the page has no dispute any more (`decides`). A step with a button may be ended by it.
    """

    part: str
    text: str
    button: str = ""
    go: str = ""
    path: str = ""
    phase: str = ""
    decides: bool = False


STEPS = (
    GuideStep(
        "Dealer",
        "You are the dealer, and every player has bet. Shake the dice or start the shaker, as the next step says, then "
        "tap it.",
        phase="shaken",
    ),
    GuideStep("Dealer", "Betting ends: tap the next step again.", phase="ready"),
    GuideStep("Dealer", "Now the dice are seen. Enter any three faces, then hold the next step.", phase="lit"),
    GuideStep("Dealer", "Winning areas are lit. Take the losing chips, if any lost, by the next step.", phase="taken"),
    GuideStep("Dealer", "Pay what won, seat by seat: the dock shows the chips to cut.", phase="paid"),
    GuideStep("Dealer", "Clear the layout. Then the round is on the record.", phase="cleared"),
    GuideStep(
        "Pit boss",
        "Now see it from the pit: as its manager, at a podium.",
        "Go to the podium",
        "demo-watch",
        "^/floor/[^\\/]+/$",
    ),
    GuideStep(
        "Pit boss",
        "A player disputes a wager at T-05. Say that you are coming, then decide.",
        "It is decided",
        decides=True,
    ),
    GuideStep(
        "Compliance",
        "And as compliance, who reads what was recorded.",
        "Hand over",
        "demo-comply",
        "^/(record|inbox)/",
    ),
    GuideStep("Compliance", "Open Record in the bar. Every act of the evening is there.", path="^/record/"),
    GuideStep("Compliance", "Search for a round and open it: it says why each wager won or lost.", "I have read it"),
    GuideStep("Compliance", "Could somebody change it? Try.", "Forge one byte", "demo-record", "^/demo/record$"),
    GuideStep("Compliance", "You have seen a round from the first chip to its proof. The floor is yours.", "End"),
)  # fmt: skip


def guided_shift_context(_request: HttpRequest) -> dict[str, Any]:
    """The steps for the page, where the demo's evening is played; nothing elsewhere."""
    if not settings.EVENING:
        return {}
    return {"guided_shift": [{**asdict(step), "go": reverse(step.go) if step.go else ""} for step in STEPS]}


# The landing


READY = ("T-01", "T-02", "T-03")  # tables that a visitor may deal, the first that no other visitor has
BOSS, OFFICER = "marta", "carla"
LIT_FOR = dt.timedelta(seconds=90)
MOST_LIT, MOST_LINES = 2, 3
SECONDS_SHARED = 1.0  # so that many visitors cost one reading of the floor
SCORES = {"touchdown": "Touchdown", "trips-td": "Trips touchdown"}


class Moment(TypedDict):
    """Something that is lit on the floor. `dice`: those of a triple."""

    word: str
    dice: list[int]


class Line(TypedDict):
    """A round that just ended, in words: its dice, then what stands out (`hot`), then the rest."""

    at: str
    table: str
    dice: str
    hot: str
    text: str


@dataclass(frozen=True)
class FloorNow:
    """The demo floor at a moment. `moments` are by table; `ready` is the table that a visitor deals next.

    `catches_up`: the last hour of some tables is still dealt.
    """

    facility: Facility
    states: list[Snapshot]
    moments: dict[str, Moment]
    lines: list[Line]
    ready: str
    catches_up: bool = False

    @property
    def live(self) -> list[Snapshot]:
        """The tables that the floor's pages count as well: a training table's chips are nobody's."""
        return [state for state in self.states if state["table"]["kind"] == "live"]

    @property
    def live_open(self) -> list[Snapshot]:
        return [state for state in self.live if state["table"]["status"] == "open"]

    @property
    def seats(self) -> int:
        return sum(state["table"]["seats"] for state in self.live_open)

    @property
    def taken(self) -> int:
        """The live seats that are drawn as taken: between two rounds a player has no wager, and sits there."""
        seats = (seat for state in self.live_open for seat in state["round"]["seats"])
        return sum(seat["taken"] or seat["count"] > 0 for seat in seats)

    @property
    def games(self) -> int:
        return len({state["table"]["game"] for state in self.states})


_shared: tuple[float, FloorNow] | None = None
_lock = threading.Lock()


def floor_now() -> FloorNow:
    """Read the demo floor; visitors who ask within a second get the same answer."""
    global _shared
    with _lock:
        if _shared is None or time.monotonic() - _shared[0] > SECONDS_SHARED:
            _shared = time.monotonic(), read_floor()
        return _shared[1]


def read_floor() -> FloorNow:
    facility = Facility.objects.get(code=FACILITY)
    tables = Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED).order_by("code")
    states = [snapshot.of_table(pk) for pk in tables.values_list("pk", flat=True)]
    ended = sorted(
        ((past, state) for state in states for past in state["history"][:2]),
        key=lambda row: row[0]["at"],
        reverse=True,
    )
    now = clock.format_moment(clock.now() - LIT_FOR)
    moments: dict[str, Moment] = {}
    for past, state in ended:
        moment = moment_of(past)
        if moment is not None and past["at"] >= now and len(moments) < MOST_LIT:
            moments.setdefault(state["table"]["code"], moment)
    lines = [_line(facility, past, state) for past, state in ended[:MOST_LINES]]
    return FloorNow(facility, states, moments, lines, ready_table(), bool(DEALT_IN_THE_PAST))


def moment_of(past: PastRound) -> Moment | None:
    """What a round is remembered for: a triple, or a score."""
    if past["result"] in SCORES:
        return {"word": SCORES[past["result"]], "dice": []}
    dice = past["dice"]
    if past["total"] is not None and len(dice) == 3 and len(set(dice)) == 1:
        return {"word": f"Triple {dice[0]}", "dice": dice}
    return None


def _line(facility: Facility, past: PastRound, state: Snapshot) -> Line:
    at = facility.local(dt.datetime.fromisoformat(past["at"]))
    moment = moment_of(past)
    own = round_rows(state["table"]["game"], [past])[0]["own"]
    ending = (
        str(own.get("ending", "")) if isinstance(own, dict) else ""
    )  # in words, where dice alone say nothing
    words = f"{ending}. " if ending else f"{moment['word']}. " if moment else ""
    if own is None and moment is None and past["dice"]:
        words = f"total {past['total']}. "
    dice = "" if ending or not past["dice"] else ", ".join(map(str, past["dice"])) + (": " if words else ". ")
    return {
        "at": at.strftime("%H:%M:%S"),
        "table": state["table"]["code"],
        "dice": dice,
        "hot": words if moment else "",
        "text": f"{'' if moment else words}{past['wagers']} wagers settled, ${past['handle_cents'] // 100:,}.",
    }


def ready_table() -> str:
    """The table that the next visitor deals; the first of them where visitors have all."""
    tables = Table.objects.select_related("stream").filter(facility__code=FACILITY, code__in=READY)
    free = [
        row.code
        for row in tables.order_by("code")
        if row.status == Table.Status.OPEN and not has_visitor(row)
    ]
    return free[0] if free else READY[0]


def dealer_of(code: str) -> demo.DemoPerson:
    """The dealer as whom a visitor deals a table."""
    dealer = next(table.dealers[0] for table in demo.LARKFIELD.tables if table.code == code)
    return demo_person(dealer)


def demo_person(code: str) -> demo.DemoPerson:
    return next(person for person in demo.PEOPLE if person.code == code)


def name_of(code: str) -> str:
    return Person.objects.values_list("name", flat=True).get(code=code)


@dataclass(frozen=True)
class Check:
    """What the verifier said of an export. `entry`: the words of the byte that was changed, before and after."""

    table: str
    entries: int
    size: int
    is_good: bool
    said: str
    before: str = ""
    after: str = ""
    number: int = 0


def newest_table() -> str:
    """The table whose round was settled last."""
    rounds = Round.objects.filter(table__facility__code=FACILITY, phase="cleared", ended_at__isnull=False)
    newest = rounds.order_by("-ended_at").values_list("table__code", flat=True).first()
    return newest or READY[0]


def check_record(table: str, *, forged: bool) -> Check:
    """Export the record of a table and run the verifier on it as an outsider does.

    `forged`: after one byte of the money paid in the newest settled round was changed. Raises `export.UnknownStream`.
    """
    lines = list(export.lines(export.select([f"{FACILITY}/{table}"])))
    before = after = ""
    number = 0
    if forged:
        number, before, after = _forge(lines)
    content = b"".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record")
        path.write_bytes(content)
        ran = subprocess.run(
            [sys.executable, "-I", verify.__file__, str(path)], capture_output=True, text=True, check=False
        )
    output = (ran.stdout or ran.stderr).strip()
    return Check(table, len(lines) - 2, len(content), ran.returncode == 0, output, before, after, number)


PAID = b'"paid_cents":'


def _forge(lines: list[bytes]) -> tuple[int, str, str]:
    """Change the first digit that a settled round says was paid. Return the number of its line, and its words."""
    for number in range(len(lines) - 1, 0, -1):
        at = lines[number].find(PAID)
        if at < 0 or b"round.settled" not in lines[number]:
            continue
        at += len(PAID)
        old = lines[number][at : at + 1]
        new = b"9" if old != b"9" else b"8"
        changed = lines[number][:at] + new + lines[number][at + 1 :]
        words = [line[at - len(PAID) : at + 12].split(b",")[0].decode() for line in (lines[number], changed)]
        lines[number] = changed
        return number + 1, words[0], words[1]
    raise LookupError("no settled round is on the record yet")
