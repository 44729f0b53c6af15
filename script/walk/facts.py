"""What the database's rows and entries say about a table, and whether a screen says the same."""

from collections.abc import Iterator
from typing import TypedDict

from django.db.models import Sum

from audit.models import Entry
from script.walk.screens import Kind, Screen
from tables.models import Round, Settlement, Table

Placed = list[tuple[int, str, int, int]]  # seat, wager code, play or 0, cents


class Facts(TypedDict):
    """A table by its rows: the live round, or the next one, and the figures of the gaming day.

    `number` is that of the round that screens are about: while wagers go back, the round that ended without a result.
    `returning`: the cents that no seat has back yet. `seats`: the undecided cents of each seat. `dice`: the newest
    throw that counts.
    """

    version: int
    entry: str
    number: int
    phase: str
    wagers: Placed
    playing: int
    seats: dict[str, int]
    returning: int
    dice: list[int]
    handle_cents: int
    win_cents: int
    dealer: str


class ShownTablet(TypedDict):
    """What a dealer's tablet shows. `seats` and `step` are null where the screen has no such part in this phase."""

    version: int
    number: int
    phase: str
    wagers: Placed
    seats: dict[str, int] | None
    dice: list[int]
    step: int | None
    next: str | None


class ShownTable(TypedDict):
    """What the page of a table shows. `areas`: the cents on each area, by its label."""

    version: int
    number: int
    areas: dict[str, int]
    dice: list[int]
    step: int | None
    win: str
    handle: str
    entries: list[int]


class ShownTile(TypedDict):
    """What a tile of the floor or the table of a wall shows. The tile of a closed table has neither round nor money."""

    version: int
    is_closed: bool
    number: int | None
    playing: int
    handle_cents: int
    win_cents: int
    wagered: str
    win: str
    handle: str
    step: int | None
    dealer: str


CENTS = "(text) => Math.round(100 * Number((text ?? '').replace(/[^0-9.]/g, '') || 0))"
PLACE_OF = """(steps) => {
        const place = [...steps].findIndex((step) => step.matches("[aria-current]"));
        return place < 0 ? null : place + 1;
    }"""
TABLET = f"""() => {{
    const cents = {CENTS}, placeOf = {PLACE_OF}, find = (name) => document.querySelector(name);
    const {{ round }} = JSON.parse(find("#state").textContent);
    const seats = [...document.querySelectorAll("button[data-seat]:has(.seat-sum)")];
    return {{
        version: Number(find("#screen").dataset.version), phase: find("#screen").dataset.phase,
        number: parseInt(find(".fact--round dd").textContent), dice: round.dice ?? [],
        wagers: round.wagers.map(({{ seat, wager, play, cents }}) => [seat, wager, play ?? 0, cents]),
        seats: find("#screen").dataset.mode === "betting" ? Object.fromEntries(seats
            .map((seat) => [seat.dataset.seat, cents(seat.querySelector(".seat-sum").textContent)])
            .filter(([, sum]) => sum)) : null,
        step: placeOf(document.querySelectorAll("#ribbon .step")), next: find("#next")?.dataset.act ?? null,
    }};
}}"""
TABLE = f"""() => {{
    const cents = {CENTS}, placeOf = {PLACE_OF}, find = (name) => document.querySelector(name);
    const money = Object.fromEntries([...document.querySelectorAll(".money dl.figures > div")]
        .map((figure) => ["dt", "dd"].map((part) => figure.querySelector(part).textContent.trim())));
    return {{
        version: Number(find("#screen").dataset.version), number: parseInt(find("header .figures dd").textContent),
        areas: Object.fromEntries([...document.querySelectorAll(".owned > li")]
            .map((area) => [area.querySelector("b").textContent, cents(area.querySelector("strong").textContent)])),
        dice: [...document.querySelectorAll(".called .dice use")]
            .map((die) => Number(die.getAttribute("href").slice(2))),
        step: placeOf(document.querySelectorAll(".steps > li")), win: money["Win"], handle: money["Handle"],
        entries: [...document.querySelectorAll(".acts .entry")].map((entry) => Number(entry.textContent)),
    }};
}}"""
TILE = f"""(code) => {{
    const placeOf = {PLACE_OF}, tile = document.querySelector(`[data-version][data-table="${{code}}"]`);
    const text = (name) => tile.querySelector(name)?.textContent.replace(/\\s+/g, " ").trim() ?? "";
    return {{
        version: Number(tile.dataset.version), is_closed: tile.dataset.status === "closed",
        number: parseInt(text(".no").replace(/\\D/g, "")) || null,
        playing: Number(tile.dataset.playing), handle_cents: Number(tile.dataset.handle),
        win_cents: Number(tile.dataset.win), wagered: text(".wagered").split(" ")[0],
        win: text("p.win").replace("Win ", ""), handle: text("p.handle").replace("of ", ""),
        step: placeOf(tile.querySelectorAll(".ribbon > li")), dealer: text("p.dealer"),
    }};
}}"""
READERS: dict[Kind, str] = {"tablet": TABLET, "table": TABLE, "floor": TILE, "wall": TILE}


def table_of(facility: str, code: str) -> Table:
    return Table.objects.select_related("stream", "facility", "dealer").get(
        facility__code=facility, code=code
    )


def version_of(facility: str, code: str) -> int:
    """The number of the newest entry on the table's stream."""
    version: int = Table.objects.values_list("stream__seq", flat=True).get(facility__code=facility, code=code)
    return version


def read_facts(facility: str, code: str) -> Facts:
    """Read the rows of a table, without the code that screens are drawn from."""
    table = table_of(facility, code)
    entry = Entry.objects.filter(stream=table.stream).latest("seq")
    live = Round.objects.filter(table=table, ended_at=None).first()
    wagers = list(live.wagers.filter(struck=False).order_by("pk")) if live else []
    throws = {throw.number: throw for throw in live.throws.order_by("number", "revision")} if live else {}
    decided = set(Settlement.objects.filter(throw__in=throws.values()).values_list("wager", flat=True))
    seats: dict[str, int] = {}
    for wager in wagers:
        if wager.pk not in decided:
            seats[str(wager.seat)] = seats.get(str(wager.seat), 0) + wager.cents
    counted = [throw for throw in throws.values() if not throw.void_reason]
    ended = Round.objects.filter(table=table, gaming_day=entry.gaming_day).exclude(ended_at=None)
    cleared = ended.filter(phase="cleared")
    sums = cleared.aggregate(taken=Sum("taken_cents", default=0), paid=Sum("paid_cents", default=0))
    settled = Settlement.objects.filter(wager__round__in=cleared, wager__struck=False)
    newest = {row.wager_id: row for row in settled.order_by("throw__number", "throw__revision")}
    handle = sum(row.cents for row in newest.values() if row.outcome in ("win", "lose"))
    last = ended.order_by("-number").first()
    returning = 0
    if live is None and last and last.returned_seats is not None:
        held = last.wagers.filter(struck=False).exclude(seat__in=last.returned_seats)
        returning = held.aggregate(cents=Sum("cents", default=0))["cents"]
    return {
        "version": table.stream.seq,
        "entry": entry.type,
        "number": live.number if live else table.last_round + (0 if returning else 1),
        "phase": live.phase if live else "open",
        "wagers": [(wager.seat, wager.code, wager.play, wager.cents) for wager in wagers],
        "playing": len({wager.seat for wager in wagers}),
        "seats": seats,
        "returning": returning,
        "dice": sorted(counted[-1].dice) if counted else [],
        "handle_cents": handle,
        "win_cents": sums["taken"] - sums["paid"],
        "dealer": table.dealer.short_name if table.dealer else "",
    }


DICE_IN_SIGHT = ("called", "lit", "taken", "paid")
BEFORE_THE_FIRST_THROW = ("open", "shaken", "closed", "unlocked", "locked", "ready")


def wrong_sums(facility: str, code: str) -> Iterator[str]:
    """Where the sums of the last ended round differ from its own wagers and settlements."""
    ended = Round.objects.filter(table=table_of(facility, code)).exclude(ended_at=None).order_by("-number")
    for row in ended.filter(phase="cleared")[:1]:
        wagered = row.wagers.filter(struck=False).aggregate(cents=Sum("cents", default=0))["cents"]
        newest = {throw.number: throw for throw in row.throws.order_by("number", "revision")}
        paid = Settlement.objects.filter(throw__in=newest.values()).aggregate(
            cents=Sum("paid_cents", default=0)
        )
        if (wagered, paid["cents"]) != (row.wagered_cents, row.paid_cents):
            stored = f"{row.wagered_cents} wagered and {row.paid_cents} paid"
            yield f"round {row.number} has {stored}, its rows {wagered} and {paid['cents']}"


def dollars(cents: int, *, signed: bool = False) -> str:
    """`$1,234.50`, with a sign on request."""
    text = f"${abs(cents) / 100:,.2f}".removesuffix(".00")
    return f"{'−' if cents < 0 else '+' if signed and cents else ''}{text}"


def differences(screen: Screen, code: str, facts: Facts) -> Iterator[str]:
    """Where a screen says something else than the rows."""
    for name, on_screen, stored in _compared(screen, code, facts):
        if on_screen != stored:
            yield f"{screen.name}: {name} is {on_screen}, in the database {stored}"


def _compared(screen: Screen, code: str, facts: Facts) -> Iterator[tuple[str, object, object]]:
    """The name of each fact on a screen, how it is shown there, and how it is stored."""
    reader = READERS[screen.kind]
    has_thrown = bool(facts["dice"]) or facts["phase"] not in BEFORE_THE_FIRST_THROW
    sees_dice = facts["phase"] in DICE_IN_SIGHT
    if screen.kind == "tablet":
        tablet: ShownTablet = screen.page.evaluate(reader)
        yield "version", tablet["version"], facts["version"]
        yield "phase", tablet["phase"], facts["phase"]
        yield "round", tablet["number"], facts["number"]
        yield "wagers", sorted(map(tuple, tablet["wagers"])), sorted(facts["wagers"])
        if tablet["dice"] or sees_dice:
            yield "dice", sorted(tablet["dice"]), facts["dice"]
        if tablet["seats"] is not None:
            yield "seats", tablet["seats"], facts["seats"]
    elif screen.kind == "table":
        table: ShownTable = screen.page.evaluate(reader)
        yield "version", table["version"], facts["version"]
        yield "round", table["number"], facts["number"]
        yield "win", table["win"], dollars(facts["win_cents"], signed=True)
        yield "handle", table["handle"], dollars(facts["handle_cents"])
        yield "order of entries", table["entries"], sorted(set(table["entries"]), reverse=True)
        if not has_thrown:
            wagered = sum(cents for *_, cents in facts["wagers"])
            yield "areas", sum(table["areas"].values()), facts["returning"] or wagered
        if table["dice"] or sees_dice:
            yield "dice", sorted(table["dice"]), facts["dice"]
    else:
        tile: ShownTile = screen.page.evaluate(reader, code)
        yield "version", tile["version"], facts["version"]
        yield "playing", tile["playing"], facts["playing"]
        yield "handle", tile["handle_cents"], facts["handle_cents"]
        yield "win", tile["win_cents"], facts["win_cents"]
        if screen.kind == "floor" and not tile["is_closed"]:
            wagered = sum(cents for *_, cents in facts["wagers"])
            yield "round", tile["number"], facts["number"]
            yield "layout", tile["wagered"], dollars(wagered) if wagered else ""
            yield "win in words", tile["win"], dollars(facts["win_cents"], signed=True)
            yield "handle in words", tile["handle"], dollars(facts["handle_cents"])
            yield "dealer", tile["dealer"], facts["dealer"]


def disagreements(screens: list[Screen], code: str) -> Iterator[str]:
    """Where screens disagree about the step of the round, or tablets about the next act."""
    steps: dict[str, int | None] = {}
    acts: dict[str, str | None] = {}
    for screen in screens:
        if screen.kind == "wall":
            continue
        values: ShownTablet | ShownTable | ShownTile = screen.page.evaluate(READERS[screen.kind], code)
        steps[screen.name] = values["step"]
        if screen.kind == "tablet":
            tablet: ShownTablet = screen.page.evaluate(TABLET)
            acts[screen.name] = tablet["next"]
    for name, by_screen in (("step", steps), ("next act", acts)):
        if len(set(by_screen.values())) > 1:
            yield f"the {name} differs: {by_screen}"
