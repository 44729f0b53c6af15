"""Each type of entry is declared once; the page and the schemas that auditors read are made from it."""

import json
from typing import Annotated, Any, Literal, NotRequired, TypedDict, Unpack, get_args, get_type_hints
from unittest.mock import patch

import pytest

from audit.entry_types import (
    ABSENT,
    ACT_LINES,
    ENTRY_TYPES,
    all_schemas,
    data_faults,
    entry_schema,
    entry_type,
    schema_of,
)
from audit.models import Job, Station
from audit.models.desk import JobKind
from audit.models.people import StationCode
from games.snapshot_types import ShakerKind, TableKind
from tables.core.alerts import Breach
from tables.core.entries import ENDS, OF_DISPUTES
from tables.corrections.slips import SlipKind
from tables.dice.custody import DiceColors
from tables.management.reference import entries as page_of_entries
from tables.models import DiceLot, Shaker, Slip, Table
from tables.staffing.supervision import BREACHES


class Line(TypedDict):
    seat: int
    outcome: Literal["win", "lose"]
    play: NotRequired[int | None]


class Page(TypedDict):
    lines: list[Line]
    payouts: dict[str, str]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"lines": [{"seat": 1, "outcome": "win"}], "payouts": {}}, []),
        ({"lines": [{"seat": 1, "outcome": "win", "play": None}], "payouts": {"big": "1 to 1"}}, []),
        ({"lines": [{"seat": True, "outcome": "win"}], "payouts": {}}, ["data.lines[0].seat is True, not int"]),
        (
            {"lines": [{"seat": 1, "outcome": "push"}], "payouts": {}},
            ["data.lines[0].outcome is 'push', not one of ('win', 'lose')"],
        ),
        ({"lines": [], "payouts": {"big": 1}}, ["data.payouts.big is 1, not str"]),
        ({"lines": []}, ["data.payouts is missing"]),
        ({"lines": [], "payouts": {}, "more": 1}, ["data.more is not declared"]),
        ({"lines": {}, "payouts": []}, ["data.lines is no list", "data.payouts is no object"]),
    ],
)  # fmt: skip
def test_a_check_names_each_place_that_is_not_as_declared(data, expected):
    assert sorted(data_faults(data, Page)) == sorted(expected)


def test_a_schema_matches_its_declaration():
    line = schema_of(Page)["properties"]["lines"]["items"]
    assert line["required"] == ["outcome", "seat"] and line["additionalProperties"] is False
    assert line["properties"]["outcome"]["enum"] == ["win", "lose"]
    assert line["properties"]["play"]["type"] == ["integer", "null"]


def test_a_function_declares_its_arguments_its_sentence_and_its_line():
    with patch.dict(ENTRY_TYPES), patch.dict(ACT_LINES):

        @entry_type("line.paid")
        def LINE_PAID(
            *, cents: Annotated[int, "what was paid"], why: str = ABSENT, **data: Unpack[Line]
        ) -> str:
            """A line was paid,
            and nothing more.

            Not for auditors.
            """
            return f"Seat {data['seat']}: {cents}{f', {why}' if why else ''}"

        schema = entry_schema(LINE_PAID)
        assert schema["description"] == "A line was paid, and nothing more."
        assert list(schema["properties"]) == ["seat", "outcome", "play", "cents", "why"]
        assert schema["properties"]["cents"] == {"type": "integer", "description": "what was paid"}
        assert schema["required"] == ["cents", "outcome", "seat"]
        written = LINE_PAID(seat=1, outcome="win", cents=500, why="late")
        assert written == ("line.paid", {"seat": 1, "outcome": "win", "cents": 500, "why": "late"})
        assert ACT_LINES["line.paid"](written.data) == "Seat 1: 500, late"
        assert LINE_PAID(seat=1, outcome="win", cents=500, why=ABSENT).data.keys() == {
            "seat",
            "outcome",
            "cents",
        }
        assert ACT_LINES["line.paid"]({"seat": 1, "outcome": "win", "cents": 500, "more": 1}) == "Seat 1: 500"
        with pytest.raises(ValueError, match="declared twice"):
            entry_type("line.paid", Line, "Again.")


def test_a_function_that_returns_nothing_declares_no_line():
    with patch.dict(ENTRY_TYPES), patch.dict(ACT_LINES):

        @entry_type("line.kept")
        def LINE_KEPT(*, seat: int) -> None:
            """A line was kept."""

        assert LINE_KEPT(seat=1) == ("line.kept", {"seat": 1}) and "line.kept" not in ACT_LINES


def test_every_type_has_a_schema_that_is_json_and_a_sentence():
    schemas = json.loads(json.dumps(all_schemas()))
    assert set(schemas) == set(ENTRY_TYPES)
    for name, schema in schemas.items():
        assert schema["title"] == name and schema["description"].endswith("."), name


def test_the_reference_has_each_type_with_its_sentence_and_its_fields():
    rows = page_of_entries.page().splitlines()
    missing = [
        name
        for name, kind in ENTRY_TYPES.items()
        if not kind.module.startswith("tests.")
        and not any(row.startswith(f"| `{name}` | {kind.about} |") for row in rows)
    ]
    assert missing == []
    (settled,) = [row for row in rows if row.startswith("| `round.settled` |")]
    fields = get_type_hints(ENTRY_TYPES["round.settled"].data)
    assert len(fields) > 10 and [name for name in fields if f"`{name}`" not in settled] == []


@pytest.mark.parametrize(
    ("codes", "declared"),
    [
        (Job.Kind.values, JobKind),
        (Station.values, StationCode),
        (Shaker.Kind.values, ShakerKind),
        (Table.Kind.values, TableKind),
        (Slip.Kind.values, SlipKind),
        (DiceLot.Colors.values, DiceColors),
        (BREACHES, Breach),
    ],
)  # fmt: skip
def test_the_codes_that_entries_declare_are_those_that_the_models_know(codes: Any, declared: Any) -> None:
    assert set(codes) == set(get_args(declared))


def test_types_that_core_compares_by_name_are_declared() -> None:
    assert ENDS | set(OF_DISPUTES) <= set(ENTRY_TYPES)
