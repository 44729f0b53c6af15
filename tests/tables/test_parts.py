"""The parts of screens: pushes bring a screen to what a fresh rendering shows, and no read of a part is missed."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from script.tablet import text_of, with_changes
from tables.screens import fragments
from tables.screens.edits import Text, edits
from tables.screens.parts import Reads, Recorded, Shown, Told, is_newer
from tests.tables.test_live_templates import WAGERS, states

LINES = st.lists(st.sampled_from(["<p>", "</p>", "$25", "$50 § – 9", "Big", "<b>🎲</b>"]), max_size=30).map(
    "\n".join
)


STEPS = (
    ("shake", {"shakes": 3}),
    ("no_more_bets",),
    ("call_dice", {"dice": [1, 3, 5]}),
    ("take_losers",),
    ("pay_seats",),
    ("clear_layout",),
)


def received(message: str) -> dict[str, Any]:
    return json.loads(message)["parts"]


def by_lines(text: str) -> Text:
    return Text(text.splitlines(keepends=True))


@given(LINES, LINES)
def test_the_change_of_a_part_turns_its_old_text_into_the_new_one(old, new):
    change = json.loads(json.dumps({"part": edits(by_lines(old), by_lines(new))}))
    assert with_changes({"part": old}, change) == {"part": new}


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("<p>Small</p>\n<b>$25</b>", "<p>Small</p>\n<b>$50</b>", [17, 2, "50"]),
        ("one\ntwo\nthree, long", "one\nthree, long", [4, 4, ""]),
        ("one\nthree, long", "one\ntwo\nthree, long", [4, 0, "two\n"]),
        # few characters that stay between two edits go with them, more of them stay
        ("<b>1</b><i>\n2</i>", "<b>3</b><i>\n4</i>", [3, 1, "3", 8, 1, "4"]),
        ("$1\n$2 in all", "$3\n$4 in all", [1, 4, "3\n$4"]),
        ("a\nb\nc, of six lines", "d\ne\nc, of six lines", [0, 3, "d\ne"]),
        # JavaScript counts a die as two characters
        ("<b>🎲</b> 1, and more", "<b>🎲</b> 2, and more", "<b>🎲</b> 2, and more"),
        ("", "new", "new"),
    ],
)
def test_characters_that_stay_are_not_in_the_change_of_a_part(old, new, change):
    assert edits(by_lines(old), by_lines(new)) == change


@pytest.mark.django_db
@pytest.mark.parametrize("rules", WAGERS)
def test_what_is_pushed_is_at_every_step_what_a_fresh_rendering_shows(rules):
    every_state = list(states(rules))
    for name, station in fragments.STATIONS.items():
        shown = Shown(station)
        sockets = [Socket(every=1), Socket(every=3)]  # a dashboard is told less often than a tablet
        for number, state in enumerate(every_state):
            shown.show(state)
            assert shown.screen["html"] == fragments.render(name, state), (name, number)
            for socket in sockets:
                if number % socket.every == 0:
                    socket.hear(shown)
                    assert text_of(socket.parts) == shown.screen["html"], (name, number)


class Socket:
    """A page that is told every so many states what a station shows."""

    def __init__(self, every: int) -> None:
        self.every = every
        self.parts: dict[str, str] = {}
        self.told: Told | None = None

    def hear(self, shown: Shown) -> None:
        message, self.told = shown.message(self.told)
        self.parts = with_changes(self.parts, received(message))


def with_other_keys(state: Any, reads: Reads, other: Any) -> Any:
    """A snapshot with the keys that were read, and all others from another one."""
    round_ = {key: (state if key in reads.round_keys else other)["round"][key] for key in state["round"]}
    keys: dict[str, Any] = {key: (state if key in reads.keys else other)[key] for key in state}
    return {**keys, "round": round_}


@pytest.mark.django_db
@pytest.mark.parametrize("rules", WAGERS)
def test_a_part_shows_the_same_whatever_else_changes_than_what_it_was_noted_to_read(rules):
    """What is watched is held: it may be computed from anything."""
    every_state = list(states(rules))
    checked = 0
    for name, station in fragments.STATIONS.items():
        for state in every_state:
            plain = station.data(state)
            for part, render in station.parts.items():
                reads = Reads(plain)
                text = render(station.data(Recorded(state, reads)))
                for other in (every_state[0], every_state[-1]):
                    data = station.data(with_other_keys(state, reads, other))
                    for watched, value in reads.values.items():
                        data.__dict__[watched] = value
                    assert render(data) == text, (name, part)
                    checked += 1
    assert checked > 100


@pytest.mark.django_db
def test_a_wager_renders_the_parts_that_it_changes_and_no_others(scene):
    shown = Shown(fragments.STATIONS["dealer"])
    scene.place((1, "small", 2_500))
    shown.show(scene.snapshot)
    before = dict(shown.parts)
    scene.place((2, "big", 500))
    shown.show(scene.snapshot)
    kept = {name for name, part in shown.parts.items() if part is before[name]}
    assert {"header", "ribbon", "called", "thrown", "dock", "fresh", "table"} <= kept
    assert not kept & {"frame", "felt", "side", "state", "round"}


@pytest.mark.django_db
@pytest.mark.parametrize(("station", "most"), [("dealer", 4_000), ("table", 4_000), ("tile", 1_000)])
def test_the_pushes_of_a_round_of_ten_wagers_are_short(scene, station, most):
    """Bytes on the mean, over all acts of the second round."""
    shown, told = Shown(fragments.STATIONS[station]), None
    sizes: list[int] = []
    for _ in range(2):
        sizes.clear()
        for act in (
            *(("place", seat, code) for seat in range(1, 6) for code in ("small", "total:12")),
            *STEPS,
        ):
            scene.place((*act[1:], 2_500)) if act[0] == "place" else scene.act(*act)
            shown.show(scene.snapshot)
            message, told = shown.message(told)
            sizes.append(len(message.encode()))
    assert len(sizes) == 16
    assert sum(sizes) / 16 < most


# What a part reads


def recorded() -> tuple[Any, Reads]:
    reads = Reads(None)
    return Recorded({"version": 1, "lot": None, "round": {"dice": [1], "lit": []}}, reads), reads


@pytest.mark.parametrize(
    ("read", "keys", "round_keys"),
    [
        (lambda s: s["version"], {"version"}, set()),
        (lambda s: s["round"]["dice"], {"round"}, {"dice"}),
        (lambda s: s.get("lot"), {"lot"}, set()),
        (lambda s: "returning" in s, {"returning"}, set()),
        (lambda s: {**s["round"]}, {"round"}, {"dice", "lit"}),
        (lambda s: json.dumps(s["round"]), {"round"}, {"dice", "lit"}),
        (lambda s: list(s.items()), {"version", "lot", "round"}, set()),
        (lambda s: (s | {"version": 2})["version"], set(), set()),
        (lambda s: (s | {"version": 2})["lot"], {"lot"}, set()),
        (lambda s: (s | {"round": s["round"] | {"lit": [3]}})["round"]["lit"], {"round"}, set()),
        (lambda s: (s | {"round": s["round"] | {"lit": [3]}})["round"]["dice"], {"round"}, {"dice"}),
    ],
)
def test_each_way_of_reading_is_noted(read, keys, round_keys):
    s, reads = recorded()
    read(s)
    assert (reads.keys, reads.round_keys) == (keys, round_keys)


# States that are not newer


def state_of(version: int, incarnation: int = 1, *, halted: bool = False) -> Any:
    return {
        "version": version,
        "halted": {} if halted else None,
        "head": {"incarnation": incarnation},
        "table": {"code": "T-01"},
        "round": {},
    }


def shown_of(*parts: Any) -> Shown:
    class Data:
        def __init__(self, s: Any) -> None:
            self.s = s

    def version(data: Any) -> str:
        return str(data.s["version"])

    return Shown(fragments.Station(Data, {"version": version, **dict(parts)}))


def test_a_restored_record_is_newer_only_once_it_is_halted_or_of_a_later_incarnation():
    assert is_newer(state_of(11), state_of(10)) and not is_newer(state_of(10), state_of(10))
    assert not is_newer(state_of(9), state_of(10))
    assert is_newer(state_of(9, halted=True), state_of(10))
    assert is_newer(state_of(9, 2), state_of(10, halted=True)) and not is_newer(state_of(12), state_of(9, 2))


def test_a_state_that_comes_late_changes_nothing():
    shown = shown_of()
    shown.show(state_of(12))
    _, told = shown.message(None)
    shown.show(state_of(11))
    assert shown.screen == {"version": 12, "html": "12"}
    assert shown.message(told)[1] == told
    shown.show(state_of(11), is_truth=True)
    assert shown.screen == {"version": 11, "html": "11"}


def test_a_part_that_raises_costs_the_next_state_nothing():
    broken = [True]

    def breaks(data: Any) -> str:
        data.s["version"]
        if broken and data.s["version"] == 2:
            raise ValueError(broken.pop())
        return f"part {data.s['version']}"

    shown = shown_of(("breaks", breaks))
    shown.show(state_of(1))
    message, told = shown.message(None)
    parts = received(message)
    with pytest.raises(ValueError, match="True"):
        shown.show(state_of(2))
    shown.show(state_of(3))
    message, _ = shown.message(told)
    assert text_of(with_changes(parts, received(message))) == shown.screen["html"] == "3\npart 3"


@pytest.mark.django_db
def test_threads_that_show_states_at_once_leave_what_a_fresh_rendering_shows():
    every_state = list(states("pa-625a/A"))
    for name in ("dealer", "table"):
        shown = Shown(fragments.STATIONS[name])
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(shown.show, [*every_state, *every_state]))
        assert shown.screen["html"] == fragments.render(name, every_state[-1])
