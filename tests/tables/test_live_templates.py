"""The templates of live screens compile, read only names that exist, and show every state that a table may have."""

import copy
import json
import re
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from minijinja import TemplateError

from games.snapshot_types import Snapshot
from tables.screens import fragments, templates
from tables.screens.templates import in_lines
from tests.tables.cast import make_scene

# What every template reads, and what one finds that another includes, by its name.
NAMES = {"s", "screen", "own", "range", "meanings"}
OF_INCLUDED = {
    "acknowledge_button.jinja": {"act", "alert"},
    "ahead_view.jinja": {"view"},
    "alert.jinja": {"alert"},
    "glyph.jinja": {"line"},
    "line.jinja": {"line"},
    "position.jinja": {"areas"},
    "break.jinja": {"person"},
    "practice_strip.jinja": {"kind"},
    "owners.jinja": {"spot"},
    "print.jinja": {"wager", "label", "family", "value", "odds"},
    "result.jinja": {"round"},
    "result_row.jinja": {"round"},
    "round.jinja": {"round"},
    "seat.jinja": {"seat", "is_called"},
    "spot.jinja": {"spot", "class"},
    "sums.jinja": {"take", "pay"},
    "tile.jinja": {"change"},
}


def test_every_template_compiles_and_reads_only_names_that_a_screen_has():
    environment = templates.environment()
    unknown: dict[str, set[str]] = {}
    count = 0
    for folder in templates.folders():
        for path in sorted(folder.rglob(f"*{templates.SUFFIX}")):
            known = NAMES | OF_INCLUDED.get(path.name, set())
            names = environment.undeclared_variables_in_str(path.read_text("utf-8"))
            unknown |= {str(path): names - known} if names - known else {}
            count += 1
    assert unknown == {}
    assert count > 70


def test_a_name_that_is_missing_is_an_error_and_no_blank():
    with pytest.raises(TemplateError, match="undefined"):
        templates.render("tables/parts/practice_strip.jinja")


WAGERS = {
    "pa-625a/A": ((1, "small", 2_500), (2, "big", 2_500)),
    "pa-675a": ((1, "pip:1", 500), (1, "like-kind:5", 500), (2, "pip:6", 500)),
    "pa-577": ((5, "touchdown", 500), (8, "defense", 500)),
}


def states(rules: str) -> Iterator[Snapshot]:
    """A table from one opening to the next, through a round with a change of the limits and dice without time."""
    scene = make_scene(rules)
    floor = {"by": "floorperson", "device": scene.podium}
    scene.act("change_limits", {"min_cents": 2_000, "max_cents": 100_000}, **floor)
    scene.act("announce_limits")
    scene.place(*WAGERS[rules])
    yield scene.snapshot
    while scene.round is not None:
        following = scene.snapshot["next"]
        params = following["params"]
        if following["act"] == "call_dice":
            params = {"dice": [1, 2, 5, 6, 6, 6, 6, 6, 3, 4][: following["dice"]]}
        scene.act(following["act"], params)
        yield scene.snapshot
    scene.close()
    yield scene.snapshot
    scene.act("change_dice_lot", {"lot": "L-0002", "seal": "SEAL-2"}, **floor)
    scene.inspect()
    yield scene.snapshot


def nullable(declared: Any, value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a snapshot has something and may have null, by its declaration; in a list in the first and last item."""
    while get_origin(declared) is Annotated:
        declared = get_args(declared)[0]
    if get_origin(declared) in (Union, UnionType):
        if value is None:
            return
        yield path
        declared = next(kind for kind in get_args(declared) if kind is not type(None))
    if is_typeddict(declared):
        hints = get_type_hints(declared, include_extras=True)
        for key in value.keys() & hints.keys():
            yield from nullable(hints[key], value[key], (*path, key))
    elif get_origin(declared) is list:
        for place in {0, len(value) - 1} if value else ():
            yield from nullable(get_args(declared)[0], value[place], (*path, place))


def without(s: Snapshot, path: tuple[Any, ...]) -> Snapshot:
    changed: Any = copy.deepcopy(s)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = None
    return changed


@pytest.mark.django_db
@pytest.mark.parametrize("rules", WAGERS)
def test_every_station_shows_a_table_of_which_anything_nullable_is_null(rules):
    failed, paths = {}, set()
    for s in states(rules):
        for path in {(), *nullable(Snapshot, s)}:
            paths.add(path)
            for station in fragments.STATIONS:
                try:
                    html = str(fragments.render(station, without(s, path) if path else s))
                    # The scripts compare with "true": an attribute never has Python's word for it.
                    assert not re.search(r'="(?:True|False)"', html), station
                except TemplateError as error:
                    failed[station, *path] = str(error)
    assert failed == {}
    assert {("lot",), ("shaker",), ("next",), ("limits", "pending"), ("inspection",)} <= paths


WRITTEN = {
    "facility_name",
    "game_name",
    "title",
    "text",
    "name",
    "short",
    "label",
    "say",
    "who",
    "by",
    "words",
    "summary",
    "location",
    "pit",
    "reference",
    "why",
}


def marked_up(value: Any, key: str = "") -> Any:
    """A snapshot with markup in every text that a person or a rule may have written."""
    if isinstance(value, dict):
        return {inner: marked_up(value[inner], inner) for inner in value}
    if isinstance(value, list):
        return [marked_up(item, key) for item in value]
    return f"<u>{value}" if isinstance(value, str) and key in WRITTEN else value


@pytest.mark.django_db
@pytest.mark.parametrize("rules", WAGERS)
def test_every_station_escapes_what_somebody_has_written(rules):
    for s in states(rules):
        for station in fragments.STATIONS:
            html = fragments.render(station, marked_up(s))
            assert "<u>" not in html and "&lt;u&gt;" in html, (station, s["round"]["phase"])


def test_what_scripts_read_is_json_whose_values_are_lines_so_that_a_push_carries_those_that_changed():
    value = {"version": 3, "round": {"phase": "open", "wagers": [{"seat": 1}, {"seat": 2}]}, "say": "<b>&"}
    text = in_lines(value)
    assert json.loads(text) == value
    assert text.split("\n") == [
        "{",
        '"version":3,',
        '"round":{',
        '"phase":"open",',
        '"wagers":[',
        '{"seat":1},',
        '{"seat":2}',
        "]",
        "},",
        '"say":"\\u003cb\\u003e\\u0026"',
        "}",
    ]
    assert json.loads(in_lines("<p>\n \n</p>\n")) == ["<p>", "</p>"]
