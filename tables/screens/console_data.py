"""What a dealer's console shows: the next step, the ribbon, the dock, what it shows while acts wait without a line, and
the state that its scripts read.

A function of the snapshot alone, as all of `screen_data`.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Literal, TypedDict

from django.utils.safestring import SafeString

from games import registry
from games.drawing import is_dice_corrected
from games.engine.game import PostCode
from games.engine.rules import Rules
from games.formats import money
from games.snapshot_types import (
    Addressee,
    AheadStep,
    Call,
    DiceToCall,
    EquipmentKind,
    HeldSeat,
    ReturnSeat,
    RibbonStep,
    SeatFacts,
    Snapshot,
    WagerFacts,
)
from tables.alerts.calls import ADDRESSEES, REASONS
from tables.screens import failures, layout, templates
from tables.screens.layout import RunArea, RunSeat, SeatOfRun
from tables.screens.parts import Content, slot, watched
from tables.screens.screen_data import (
    AlertRow,
    ScreenData,
    _with_wagers_of,
    alert_row,
    dice_count,
    editions_of,
    faces,
    label,
    number_word,
    post_holders,
    round_rows,
    scripts,
    taken_seats,
)
from tables.screens.templates import SUFFIX, members, value_in_line, value_in_lines

# Next steps after which corrections close, or the round has ended: they are pressed and held (static/js/hold.js).
HELD_ACTS = frozenset({"pay_seats", "settle_seats", "clear_layout"})
FAILED: dict[EquipmentKind, str] = {
    "device": "Device failed",
    "layout": "Lights failed",
    "shaker": "Shaker failed",
}
OWN_CALLS = ("floor-call", "security-call")
CALL_BUTTONS: dict[Addressee, tuple[str, str]] = {
    "floor": ("Floor", "i-floor"),
    "security": ("Security", "i-shield"),
}
STATE = ("version", "as_of", "next", "ahead", "offers", "taken", "seat_states")
AHEAD = ("act", "label", "say", "bets_open", "unless")  # of a step ahead
ENDS = ("Camera, right end", "Camera, left end")


class ReasonButton(TypedDict):
    """A reason for a call that a dealer may tap."""

    code: str
    label: str
    icon: str


class FloorCallButton(TypedDict):
    """The button that calls the floor or Security, and the open call. `panel`: the call takes a reason and a seat."""

    to: Addressee
    label: str
    icon: str
    alert: AlertRow | None
    panel: bool
    reasons: list[ReasonButton]


class DrawnDie(TypedDict):
    """A die that the computer threw, with its color, "" where any die is like another."""

    face: int
    color: str


class ComparedDie(TypedDict):
    """A die of two readings of the same throw."""

    face: int
    differs: bool


class DifferingSide(TypedDict):
    """One of two readings of the same dice. `faces`: `2 5 6`; `called`: the dice as JSON, to call them."""

    title: str
    icon: str
    read_at: str | None
    call: Call
    dice: list[ComparedDie]
    faces: str
    called: str
    take_cents: int
    pay_cents: int


class RailSeat(SeatFacts):
    """A seat as the rail beside the felt shows it. `flag` is by how much its first wager is outside the limits."""

    flag: str


class CameraField(TypedDict):
    """A field for the name of a camera, with its name at the last inspection."""

    name: str
    last: str


AheadMark = Literal["done", "waits", "now", "todo"]


class StepAhead(TypedDict):
    """A step of the ribbon of a tablet without a line. `mark`: `waits` for the line, or as `RibbonMark`."""

    label: str
    mark: AheadMark


class ViewAhead(TypedDict):
    """What a tablet without a line shows while this many acts wait; without a `step`, the next one needs the line."""

    step: AheadStep | None
    ribbon: list[StepAhead]
    waiting: int


class Labels(TypedDict):
    """How a game calls what happens to its dice when they leave a table."""

    removed: str
    removed_detail: str


def held_words(held: HeldSeat) -> str:
    """What is held back of a seat, and what becomes of it."""
    stake = f" Put {money(held['stake_cents'])} of its stakes into the tray." if held["stake_cents"] else ""
    return f"Held back of seat {held['seat']}: {money(held['cents'])}.{stake} Its slip is reviewed, then it is paid."


def mode(s: Snapshot) -> str:
    """Return the mode of the console."""
    status = s["table"]["status"]
    if s["halted"]:
        return "ceased"
    if s["returning"]:
        return "return"
    if status == "closed" or (status == "ceased" and "record_repair" in s["offers"]):
        return status
    if s["round"]["bets_open"]:
        return "betting"
    return {"ready": "dice", "lit": "lit", "taken": "paying", "paid": "paying"}.get(
        s["round"]["phase"], "say"
    )


def on_layout(s: Snapshot) -> Snapshot:
    """Return the snapshot with chips that still have to go back after a round without a result on the layout."""
    back = s["returning"]
    return s if back is None else _with_wagers_of(s, back["seats"])


def at_rest(s: Snapshot) -> Snapshot:
    """Return the snapshot as if the newest throw had not been called: its wagers on the layout, and nothing lit."""
    take, pay = s["round"]["take"], s["round"]["pay"]
    newest = {(seat["seat"], line["wager"]) for seat in take["seats"] for line in seat["lines"]}
    newest |= {(seat["seat"], line["wager"]) for seat in pay["seats"] for line in seat["lines"]}
    wagers = [
        wager
        for wager in s["round"]["wagers"]
        if not wager["outcome"] or (wager["seat"], wager["wager"]) in newest
    ]
    return s | {"round": s["round"] | {"phase": "closed", "wagers": wagers, "lit": [], "dice": None}}


def rail(s: Snapshot) -> list[RailSeat]:
    """Return every seat, with its first flag."""
    limits, flags = s["limits"], dict[int, list[str]]()
    for wager in s["round"]["wagers"]:
        if wager["flag"] and not wager["struck"]:
            under = wager["flag"] == "under-min"
            gap = limits["min_cents"] - wager["cents"] if under else wager["cents"] - limits["max_cents"]
            flags.setdefault(wager["seat"], []).append(f"{money(gap)} {'under' if under else 'over'}")
    return [
        {
            **seat,
            "flag": next(iter(flags.get(seat["seat"], [])), ""),
        }
        for seat in s["round"]["seats"]
    ]


def _differing_side(
    title: str, icon: str, read_at: str | None, dice: DiceToCall, other: DiceToCall
) -> DifferingSide:
    pairs = zip(dice["dice"], other["dice"], strict=True)
    return {
        "title": title,
        "icon": icon,
        "read_at": read_at,
        "call": dice["call"],
        "dice": [{"face": face, "differs": face != other_face} for face, other_face in pairs],
        "faces": " ".join(map(str, dice["dice"])),
        "called": json.dumps(dice["dice"]),
        "take_cents": dice["take_cents"],
        "pay_cents": dice["pay_cents"],
    }


def _floor_call_button(to: Addressee, open_calls: list[AlertRow]) -> FloorCallButton:
    alert = next((alert for alert in open_calls if alert["to"] == to), None)
    label, icon = CALL_BUTTONS[to]
    return {
        "to": to,
        "label": label,
        "icon": icon,
        "alert": alert,
        "panel": alert is not None and alert["kind"] in OWN_CALLS,
        "reasons": [
            {"code": code, "label": reason.label, "icon": reason.icon} for code, reason in REASONS[to].items()
        ],
    }


def _seat_row(seat: RailSeat, is_called: bool) -> str:
    return templates.render("tables/console/seat.jinja", seat=seat, is_called=is_called)


def _handed_back(seats: list[tuple[int, int]]) -> str:
    """Which seats get how many cents back, as HTML."""
    back = ", ".join(f"seat {seat} <em>{money(cents)}</em>" for seat, cents in seats)
    return back or "nobody: no wagers are on the layout"


def _counted(wagers: int) -> str:
    return f"{wagers} wager{'' if wagers == 1 else 's'}"


LAST_RESULTS = 20


@lru_cache(maxsize=64)
def _results(game: str, history: str) -> list[SafeString]:
    rows = round_rows(game, json.loads(history))
    return [templates.render("tables/console/result_row.jinja", round=row) for row in rows]


class ConsoleData(ScreenData):
    """What the dealer's console shows in addition to the snapshot."""

    @watched
    def mode(self) -> str:
        return mode(self.s)

    @watched
    def runs_ahead(self) -> bool:
        """Whether acts up to the call of the dice may wait on a tablet without a line while the round goes on."""
        return bool(self.s["ahead"]) and self.s["missing"] is None

    @watched
    def has_no_wager(self) -> bool:
        """Whether no wager was placed in this round."""
        return not self.s["round"]["wagers"]

    @cached_property
    def has_shared_keys(self) -> bool:
        """Whether the dice are entered by the keys that games share: then the column beside the felt is free."""
        return self.parts["ahead_dice"] == f"tables/console/ahead_dice{SUFFIX}"

    @watched
    def steps_ahead(self) -> list[AheadStep]:
        """The steps `ahead` without what their taps do, which changes with each wager: the state has it for them."""
        return [step | {"say": ""} for step in self.s["ahead"]]

    @cached_property
    def views_ahead(self) -> list[ViewAhead]:
        """What a tablet without a line shows, by how many of the steps `ahead` wait on it."""
        steps = self.steps_ahead
        views = [self._view_ahead(waiting, step) for waiting, step in enumerate(steps)]
        if steps[-1]["act"] != "call_dice":
            views.append(self._view_ahead(len(steps), None))
        return views

    @cached_property
    def stops_ahead(self) -> list[ViewAhead | None]:
        """The same where a wager that waits may bring another step: that the next step needs the line."""
        return [
            self._view_ahead(waiting, None) if waiting and step["unless"] else None
            for waiting, step in enumerate(self.steps_ahead)
        ]

    def _view_ahead(self, waiting: int, step: AheadStep | None) -> ViewAhead:
        acts, recorded = self.steps_ahead[:waiting], self.s["round"]["steps"]
        return {"step": step, "ribbon": _ribbon_ahead(recorded, acts, step), "waiting": waiting}

    @cached_property
    def next_is_held(self) -> bool:
        """Whether the next step is done by press and hold: corrections close with it, or the round ends.

        Bets on an empty layout close by a hold as well: the wagers that a dealer meant to repeat may not be there.
        """
        if self.s["next"] is None:
            return False
        act, round_ = self.s["next"]["act"], self.s["round"]
        if act == "no_more_bets":
            return not round_["wagers"]
        if act == "pay_seats":  # the first payment closes corrections
            return round_["mendable"]
        return act in HELD_ACTS

    @cached_property
    def alerts(self) -> list[AlertRow]:
        """The alerts behind the flag: the table's own calls are on their buttons."""
        return [alert for alert in super().alerts if alert["kind"] not in OWN_CALLS]

    @cached_property
    def floor_calls(self) -> list[FloorCallButton]:
        """The buttons that call the floor and Security; none at a closed or halted table."""
        if self.s["table"]["status"] == "closed" or self.s["halted"]:
            return []
        open_calls = [
            alert_row(alert, self.s) for alert in self.s["alerts"] if alert["standing"] and alert["to"]
        ]
        open_calls.sort(key=lambda alert: alert["kind"] not in OWN_CALLS)
        return [_floor_call_button(to, open_calls) for to in ADDRESSEES]

    @watched
    def called_seats(self) -> list[int]:
        """The seats that an undecided dispute or call is about: they stay marked."""
        return [
            alert["seat"] for alert in self.s["alerts"] if alert["standing"] and alert["to"] and alert["seat"]
        ]

    @cached_property
    def payout_limit_cents(self) -> int | None:
        """The payout limit of the round, in a game that has one."""
        return self.s["round"]["game"].get("payout_limit_cents")

    @cached_property
    def scripts(self) -> list[str]:
        """The addresses of the game's own scripts."""
        return scripts(self.s["table"]["game"])

    @cached_property
    def areas(self) -> Mapping[str, list[SafeString]]:
        """The slots of the felt by family, in the layout's order; none of a family that the layout does not have."""
        return defaultdict(list, layout.printed_layout(self.s).slots)

    @cached_property
    def areas_at_rest(self) -> Mapping[str, list[SafeString]]:
        """The same for the chips that the newest throw decides or leaves, with nothing lit."""
        return defaultdict(list, layout.printed_layout(self.s).slots_at_rest)

    def felt_contents(self, names: Sequence[str]) -> dict[str, Content]:
        """What is in the slots of the felt."""
        contents = layout.areas(on_layout(self.s))
        if any(name.startswith(layout.AT_REST) for name in names):
            at_rest_now = layout.areas(at_rest(self.s))
            contents |= {f"{layout.AT_REST}{wager}": content for wager, content in at_rest_now.items()}
        return contents

    @cached_property
    def seat_slots(self) -> list[SafeString]:
        """The slots of the seats beside the felt."""
        return [slot(str(seat)) for seat in range(1, self.s["table"]["seats"] + 1)]

    def side_contents(self, _names: Sequence[str]) -> dict[str, Content]:
        """What is in the slots of the column beside the felt: each seat, how many play, and their wagers in all."""
        round_ = self.s["round"]
        seats: dict[str, Content] = {
            str(seat["seat"]): (_seat_row, seat, seat["seat"] in self.called_seats) for seat in self.rail
        }
        return {**seats, "playing": (str, round_["playing"]), "wagered": (money, round_["wagered_cents"])}

    def paper_contents(self, _names: Sequence[str]) -> dict[str, Content]:
        """What is in the slots of the paper: how many wagers there are, and how much they are."""
        round_ = self.s["round"]
        return {"count": (_counted, len(round_["wagers"])), "wagered": (money, round_["wagered_cents"])}

    def failure_contents(self, _names: Sequence[str]) -> dict[str, Content]:
        """What is in the slots of the last part of `#fresh`: the wagers in all, and what goes back to each seat."""
        seats = [(seat["seat"], seat["cents"]) for seat in self.s["round"]["seats"] if seat["count"]]
        return {"wagered": (money, self.s["round"]["wagered_cents"]), "back": (_handed_back, seats)}

    @cached_property
    def rail(self) -> list[RailSeat]:
        """Every seat with its state, and by how much a wager of it is outside the limits."""
        return rail(self.s)

    @cached_property
    def results(self) -> list[SafeString]:
        """The last twenty results, newest first, as rows: for staff."""
        return _results(self.s["table"]["game"], json.dumps(self.s["history"][:LAST_RESULTS]))

    @cached_property
    def dice_count(self) -> int:
        """How many dice the next throw has."""
        return dice_count(self.s)

    @cached_property
    def dice_number(self) -> str:
        """`three`, as many as the next throw has dice."""
        return number_word(self.dice_count)

    @cached_property
    def dice_faces(self) -> str:
        """`three faces`, as many as the next throw has dice."""
        return faces(self.dice_count)

    @cached_property
    def drawn(self) -> list[DrawnDie]:
        """The dice that the computer threw and nobody has called yet."""
        dice = self.s["round"]["drawn"]
        colors = registry.game_by_code(self.s["table"]["game"]).die_colors or ("",) * len(dice)
        return [{"face": face, "color": color} for face, color in zip(dice, colors, strict=False)]

    @cached_property
    def differing_sides(self) -> list[DifferingSide]:
        """What a reader read, and what was entered instead, side by side; empty unless they differ."""
        reading = self.s["round"]["reading"]
        if reading is None or reading["entered"] is None:
            return []
        read, entered = reading["read"], reading["entered"]
        return [
            _differing_side(f"Reader {reading['device']}", "i-sensor", reading["read_at"], read, entered),
            _differing_side("Entered here", "i-person", None, entered, read),
        ]

    @cached_property
    def is_dice_corrected(self) -> bool:
        """Whether the faces of the newest throw were corrected at the table."""
        return is_dice_corrected(self.s)

    @cached_property
    def corrected(self) -> list[str]:
        """What was corrected in this round, in words."""
        round_ = self.s["round"]
        dice = [
            f"Dice corrected to {', '.join(map(str, throw['dice']))}"
            for throw in round_["throws"]
            if throw["corrected"]
        ]
        wagers = [
            f"{'Struck' if wager['struck'] else 'Missed wager'}: seat {wager['seat']}, {wager['label']},"
            f" {money(wager['cents'])}"
            for wager in round_["wagers"]
            if wager["struck"] or wager["missed"]
        ]
        return dice + wagers + list(map(held_words, round_["held"]))

    @cached_property
    def staying(self) -> tuple[int, int] | None:
        """How many wagers stay on the felt while the losers are taken, and their stakes in cents; None if none does."""
        stakes = [line["stake_cents"] for seat in self.s["round"]["pay"]["seats"] for line in seat["lines"]]
        return (len(stakes), sum(stakes)) if stakes else None

    @cached_property
    def pay_run(self) -> list[RunArea]:
        """What is paid, area by area."""
        return layout.pay_run(self.s)

    @cached_property
    def unpaid(self) -> list[tuple[RunArea, RunSeat]]:
        """What is still to be paid, in its order: the first line is the current one."""
        return layout.unpaid_lines(self.pay_run)

    @cached_property
    def is_held_now(self) -> bool:
        """Whether all that the current line would pay is held back."""
        line = self.unpaid[0][1]
        return bool(line["held_cents"]) and not line["cents"]

    @cached_property
    def seats_of_run(self) -> list[SeatOfRun]:
        """The seats while winners are paid, with what each still gets."""
        return layout.seats_of_run(self.s, self.pay_run)

    @cached_property
    def due_cents(self) -> int:
        """What is still to be paid."""
        return self.s["round"]["pay"]["cents"] - self.s["round"]["pay"]["paid_cents"]

    @cached_property
    def to_return(self) -> list[ReturnSeat]:
        """The seats whose chips still go back."""
        back = self.s["returning"]
        return [seat for seat in back["seats"] if not seat["done"]] if back else []

    @cached_property
    def next_return(self) -> ReturnSeat:
        """The seat whose chips go back now."""
        return self.to_return[0]

    @cached_property
    def to_return_cents(self) -> int:
        return sum(seat["cents"] for seat in self.to_return)

    @cached_property
    def has_glyphs(self) -> bool:
        """Whether the game draws a wager in a list."""
        return self.s["table"]["game"] in registry.with_asset("templates", f"console/glyph{SUFFIX}")

    @cached_property
    def failed_words(self) -> str:
        """What failed, in two words."""
        ceased = self.s["ceased"]
        return FAILED[ceased["what"]] if ceased else ""

    @cached_property
    def failures(self) -> failures.Failures | None:
        """What may have failed at the table, and what follows; None where nothing can be reported now."""
        if "report_device_failure" not in self.s["offers"]:
            return None
        return failures.failures(self.s, Rules(editions_of(self.s)[-1]))

    @cached_property
    def labels(self) -> Labels:
        game = self.s["table"]["game"]
        return {"removed": label(game, "removed"), "removed_detail": label(game, "removed detail")}

    @cached_property
    def inspected(self) -> list[str]:
        """The combinations that the floorperson saw lit."""
        if self.s["inspection"] is None:
            return []
        labels = {wager["wager"]: wager["label"] for wager in self.s["layout"]}
        return [labels.get(code, code) for code in self.s["inspection"]["lit"]]

    @cached_property
    def camera_fields(self) -> list[CameraField]:
        """A field for each required camera."""
        asks = self.s["inspection_asks"]
        if asks is None:
            return []
        last, cameras = asks["last_cameras"], asks["cameras"]
        names = ENDS if cameras == len(ENDS) else [f"Camera {number}" for number in range(1, cameras + 1)]
        return [{"name": name, "last": last[i] if i < len(last) else ""} for i, name in enumerate(names)]

    @cached_property
    def inspection_key(self) -> str:
        """A key of the inspection's content. With other equipment, earlier confirmations no longer count."""
        asks = self.s["inspection_asks"]
        if asks is None:
            return ""
        equipment = [item["code"] if item else "-" for item in (self.s["shaker"], self.s["lot"])]
        lines = (line["code"] for line in asks["lines"])
        return " ".join([asks["why"], *equipment, *lines, str(asks["cameras"])])

    def state(self) -> str:
        """What most acts change of what the console's scripts read: the beginning of a JSON object, with slots."""
        members_in_slots = ",\n".join(f'"{name}":{slot(name)}' for name in STATE)
        return f'<script type="application/json" id="state">{{\n{members_in_slots},'

    def state_contents(self, _names: Sequence[str]) -> dict[str, Content]:
        """What is in these slots."""
        s = self.s
        values = {
            "version": s["version"],
            "as_of": s["as_of"],
            "next": s["next"],
            "ahead": [{name: step[name] for name in AHEAD} for step in s["ahead"]],  # type: ignore[literal-required]
            "offers": s["offers"],
            "taken": taken_seats(s),
            "seat_states": {seat["seat"]: seat["state"] for seat in s["round"]["seats"]},
        }
        return {name: (value_in_lines, value) for name, value in values.items()}

    @cached_property
    def state_of_table(self) -> SafeString:
        """What few acts change of it."""
        s = self.s
        return members(
            {
                "chips": s["chips"],
                "limits": s["limits"],
                "increments": {
                    area["wager"]: area["increment_cents"]
                    for area in s["layout"]
                    if "increment_cents" in area
                },
                "last_wagers": s["last_wagers"],
                "shaker": s["shaker"],
                "table": s["table"]["code"],
                "status": s["table"]["status"],
                "floorperson": s["people"]["floorperson"],
                "dealer": s["people"]["dealer"],
                "posts": post_holders(s),
                "post_acts": s["post_acts"],
                "seat_posts": self.seat_posts,
                "lot": s["lot"]["code"] if s["lot"] else None,
                "stopped": [wager["wager"] for wager in s["layout"] if wager["stopped"]],
            }
        )

    @watched
    def seat_posts(self) -> dict[int, PostCode]:
        """The posts that settle the seats, where posts have their own seats."""
        return {seat["seat"]: seat["post"] for seat in self.s["round"]["seats"] if seat["post"]}

    def state_of_round(self) -> str:
        """The round, which ends the state and the console, with a slot for the wagers of each seat."""
        round_ = self.s["round"]
        facts = members(
            {
                "number": round_["number"],
                "phase": round_["phase"],
                "bets_open": round_["bets_open"],
                "dice": round_["dice"],
                "game": round_.get("game", {}),
                "settle": round_.get("settle"),
            }
        )
        wagers = ",\n".join(self.seat_slots)
        return f'"round":{{\n{facts},\n"wagers":[\n{wagers}\n]\n}}}}</script>\n</main>'

    def round_contents(self, _names: Sequence[str]) -> dict[str, Content]:
        """The wagers of each seat."""
        by_seat: dict[int, list[WagerFacts]] = {seat: [] for seat in range(1, self.s["table"]["seats"] + 1)}
        for wager in self.s["round"]["wagers"]:
            if not wager["struck"]:
                by_seat[wager["seat"]].append(wager)
        return {str(seat): (value_in_line, wagers) for seat, wagers in by_seat.items()}


def _ribbon_ahead(
    round_steps: list[RibbonStep], acts: list[AheadStep], step: AheadStep | None
) -> list[StepAhead]:
    """Return the ribbon while these acts of `ahead` wait for the line. `round_steps`: the ribbon as it is recorded.

    The steps that these acts are wait, and the one after them is current, if it is known. A ribbon that has none of
    them shows the steps that they complete as waiting.
    """
    steps = step["steps"] if step else acts[-1]["steps"]
    recorded = {key for key, ribbon_step in _numbered(round_steps) if ribbon_step["state"] == "done"}
    duties = {act["duty"] for act in acts}
    waits = {key for key, ribbon_step in _numbered(steps) if _is_of(ribbon_step, duties)} - recorded
    if not waits:
        waits = {key for key, ribbon_step in _numbered(steps) if ribbon_step["state"] == "done"} - recorded
    last = max((place for place, (key, _) in enumerate(_numbered(steps)) if key in waits), default=-1)

    def mark(place: int, key: tuple[str, int], ribbon_step: RibbonStep) -> AheadMark:
        if key in waits:
            return "waits"
        if place < last or key in recorded:
            return "done"
        return "now" if step is not None and ribbon_step["state"] == "now" else "todo"

    return [
        {"label": ribbon_step["label"], "mark": mark(place, key, ribbon_step)}
        for place, (key, ribbon_step) in enumerate(_numbered(steps))
    ]


def _numbered(steps: list[RibbonStep]) -> list[tuple[tuple[str, int], RibbonStep]]:
    """Return the steps with a key that is unique: in some games a step comes twice."""
    seen: Counter[str] = Counter()
    numbered = []
    for step in steps:
        seen[step["key"]] += 1
        numbered.append(((step["key"], seen[step["key"]]), step))
    return numbered


def _is_of(step: RibbonStep, duties: set[str]) -> bool:
    """Return whether a step is one of these duties; the steps of later plays are not."""
    base, of_play, _ = step["key"].partition(":")
    return base in duties and (not of_play or step["state"] in ("done", "now"))
