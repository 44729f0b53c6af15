"""Pay along the felt: area by area in the order of the layout, and by seat within each area.

A function of the snapshot alone. The first winning line that is not paid is the current one: its seat is marked, and
its chips to cut are shown.
"""

from typing import TypedDict

from games.chips import breakdown
from games.snapshot_types import Snapshot


class RunSeat(TypedDict):
    """A seat's wager on an area: the stake, what is paid, and that in chips. `now` marks the current line.

    `held_cents`: what is held back of its winnings beside that.
    """

    seat: int
    stake_cents: int
    cents: int
    held_cents: int
    chips: list[list[int]]
    paid: bool
    now: bool


class RunArea(TypedDict):
    """An area of the felt with the seats that won on it; `done` once all are paid, `now` while it runs."""

    wager: str
    label: str
    pays: str
    why: str
    cite: str
    cents: int
    left_cents: int
    paid_count: int
    now: bool
    done: bool
    seats: list[RunSeat]


class SeatOfRun(TypedDict):
    """A seat of the rail: what it still gets, and whether it runs."""

    seat: int
    cents: int
    done: bool
    now: bool


def pay_run(s: Snapshot) -> list[RunArea]:
    """Return the areas with winning wagers, in the order of the layout, and mark what runs."""
    areas: dict[str, RunArea] = {}
    for seat in s["round"]["pay"]["seats"]:
        for line in seat["lines"]:
            area = areas.setdefault(
                line["wager"],
                _area(line["wager"], line["label"], line["pays"] or "", line["why"], line["cite"]),
            )
            area["seats"].append(
                {
                    "seat": seat["seat"],
                    "stake_cents": line["stake_cents"],
                    "cents": line["cents"],
                    "held_cents": line["held_cents"],
                    "chips": breakdown(line["cents"]),
                    "paid": line["paid"],
                    "now": False,
                }
            )
    run = _in_order(s, areas)
    for area in run:
        following = next((line for line in area["seats"] if not line["paid"]), None)
        if following is not None:
            area["now"] = following["now"] = True
            break
    return run


def _area(wager: str, label: str, pays: str, why: str, cite: str) -> RunArea:
    return {
        "wager": wager,
        "label": label,
        "pays": pays,
        "why": why,
        "cite": cite,
        "cents": 0,
        "left_cents": 0,
        "paid_count": 0,
        "now": False,
        "done": False,
        "seats": [],
    }


def _in_order(s: Snapshot, areas: dict[str, RunArea]) -> list[RunArea]:
    for area in areas.values():
        area["cents"] = sum(line["cents"] for line in area["seats"])
        area["left_cents"] = sum(line["cents"] for line in area["seats"] if not line["paid"])
        area["paid_count"] = sum(line["paid"] for line in area["seats"])
        area["done"] = all(line["paid"] for line in area["seats"])
    places = {wager["wager"]: place for place, wager in enumerate(s["layout"])}
    return sorted(areas.values(), key=lambda area: places.get(area["wager"], len(places)))


def unpaid_lines(run: list[RunArea]) -> list[tuple[RunArea, RunSeat]]:
    """Return what is still to be paid, each with its area, in the order of the run."""
    return [(area, line) for area in run for line in area["seats"] if not line["paid"]]


def seats_of_run(s: Snapshot, run: list[RunArea]) -> list[SeatOfRun]:
    """Return every seat of the table with what it still gets in the run."""
    left: dict[int, int] = {}
    running = 0
    for area in run:
        for line in area["seats"]:
            left[line["seat"]] = left.get(line["seat"], 0) + (0 if line["paid"] else line["cents"])
            running = line["seat"] if line["now"] else running
    return [
        {
            "seat": seat["seat"],
            "cents": left.get(seat["seat"], 0),
            "done": left.get(seat["seat"]) == 0,
            "now": seat["seat"] == running,
        }
        for seat in s["round"]["seats"]
    ]
