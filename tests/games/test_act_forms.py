"""An act's signature is its form: what it reads, what it refuses, and the JSON Schema that it says."""

import datetime as dt
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from django.core.exceptions import ImproperlyConfigured

from games.act_forms import (
    ActForm,
    Cents,
    Chips,
    Code,
    Day,
    Dice,
    OptionalDay,
    Seat,
    Seats,
    Text,
    Words,
    form_of,
    found,
    integers,
    objects,
    one_of,
    prose,
    several,
    text,
    whole,
    words,
)
from games.engine import Refusal
from games.params import Params

TABLE = SimpleNamespace(seats=8, facility=SimpleNamespace(chip_values=(2_500, 500)))
CTX = SimpleNamespace(table=TABLE)


def every_kind(
    ctx: Any,
    *,
    cents: Cents,
    why: Text,
    note: Annotated[str, text(5)] = "",
    about: Annotated[str, prose(20)] = "",
    lot_code: Code,
    alert_id: Annotated[int, whole(1, 9)] = 1,
    kind: Annotated[str, one_of(("fill", "credit"))] = "fill",
    how: Literal["destroyed", "cancelled"],
    on: Day,
    until: OptionalDay = None,
    from_: Seat,
    sure: bool = False,
    seats: Seats = (),
    ids: Annotated[tuple[int, ...], integers(2)] = (),
    names: Words = (),
    two: Annotated[tuple[str, ...], words(2)] = (),
    dice: Dice,
    chips: Chips,
    items: Annotated[tuple[int, ...], objects(lambda item: item.integer("n", 1, 3), 2)] = (),
) -> Any:
    return {name: value for name, value in locals().items() if name != "ctx"}


SENT: dict[str, Any] = {
    "cents": 500,
    "why": " a word ",
    "lot": "L-1",
    "how": "destroyed",
    "on": "2026-11-28",
    "from": 8,
    "dice": [1, 2, 3],
    "chips": {"500": 2, "2500": 0},
}


def read(**sent: Any) -> dict[str, Any]:
    params = Params({**SENT, **sent})
    taken: Any = ActForm(every_kind)(CTX, params)
    params.reject_unknown()
    return taken


def test_an_act_is_given_what_was_sent_under_the_name_of_what_it_stands_for():
    assert read() == {
        **dict.fromkeys(("seats", "ids", "names", "two", "items"), ()),
        "cents": 500,
        "why": "a word",
        "note": "",
        "about": "",
        "lot_code": "L-1",
        "alert_id": 1,
        "kind": "fill",
        "how": "destroyed",
        "on": dt.date(2026, 11, 28),
        "until": None,
        "from_": 8,
        "sure": False,
        "dice": (1, 2, 3),
        "chips": {"500": 2},
    }
    assert read(alert=9)["alert_id"] == 9 and read(until="2026-12-01")["until"] == dt.date(2026, 12, 1)
    assert read(items=[{"n": 1}, {"n": 3}])["items"] == (1, 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("cents", value) for value in (0, True, 1.0, "1", 10**13)),
        *(("why", value) for value in ("", " ", "a\nb", "x" * 201, 1)),
        *[("note", "abcdef"), ("about", "x" * 21), ("lot", "a b"), ("alert", 0), ("kind", "loan")],
        *[("how", "sold"), ("on", "28.11.2026"), ("until", "2026-02-30"), ("from", 0), ("from", 9)],
        *[("sure", 1), ("seats", ["1"]), ("ids", [1, 2, 3]), ("names", "a"), ("two", ["a", "b", "c"])],
        *[("dice", []), ("chips", {"100": 1}), ("items", [{"n": 4}]), ("items", [{"m": 1}])],
        *[("lot_code", "L-1"), ("from_", 1), ("more", 1)],
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(name, value):
    with pytest.raises(Refusal) as refused:
        read(**{name: value})
    assert refused.value.code == "malformed"
    assert refused.value.params["name"] in (name, "n", "m")


@pytest.mark.parametrize("name", ["cents", "why", "lot", "how", "on", "from", "dice", "chips"])
def test_what_has_no_default_must_be_sent(name):
    with pytest.raises(Refusal) as refused:
        ActForm(every_kind)(CTX, Params({key: value for key, value in SENT.items() if key != name}))
    assert refused.value.params["name"] == name


def test_its_schema_says_what_it_reads():
    schema = ActForm(every_kind).schema()
    assert schema["required"] == ["cents", "why", "lot", "how", "on", "from", "dice", "chips"]
    assert schema["additionalProperties"] is False
    said = schema["properties"]
    assert said["cents"] == {"type": "integer", "minimum": 1, "maximum": 10**12}
    assert said["note"] == {"type": "string", "maxLength": 5}
    assert said["how"] == {"enum": ["destroyed", "cancelled"]}
    assert said["sure"] == {"type": "boolean"}
    assert " ".join(list(said)[:10]) == "cents why note about lot alert kind how on until"
    assert " ".join(list(said)[10:]) == "from sure seats ids names two dice chips items"


def test_a_room_declares_what_its_acts_are_about():
    rows = {"L-1": "the row"}
    Lot = Annotated[str, found(Code, lambda ctx, code: rows[code])]
    MaybeLot = Annotated[str | None, found(Annotated[str, text(9)], lambda ctx, code: rows[code])]
    Past = Annotated[dt.date | None, found(Day, lambda ctx, day: day)]

    def return_dice(ctx: Any, *, lot: Lot, other: MaybeLot = None, on: Past = None) -> Any:
        return lot, other, on

    def call(**sent: Any) -> Any:
        return ActForm(return_dice)(CTX, Params(sent))

    assert call(lot="L-1") == call(lot="L-1", other="") == ("the row", None, None)
    assert call(lot="L-1", other="L-1", on="2026-11-28") == ("the row", "the row", dt.date(2026, 11, 28))
    assert ActForm(return_dice).schema()["properties"]["lot"] == {"type": "string", "maxLength": 20}


def test_a_parameter_of_the_act_may_be_sent_as_several():
    def version_of(ctx: Any, code: str, version: int, by: str) -> str:
        return f"{code} v{version} {by}"

    Version = Annotated[str, several(version_of, code=Code, version=whole(1, 9), by=(Text, "nobody"))]

    def file_it(ctx: Any, *, submission: Version, sure: bool = False) -> Any:
        return submission, sure

    form: ActForm[Any] = ActForm(file_it)
    answer: Any = form(CTX, Params({"code": "RS-1", "version": 2, "sure": True}))
    assert answer == ("RS-1 v2 nobody", True)
    assert list(form.schema()["properties"]) == ["code", "version", "by", "sure"]
    assert form.schema()["required"] == ["code", "version"]
    with pytest.raises(Refusal):
        form(CTX, Params({"submission": "RS-1"}))


def test_an_act_that_takes_params_reads_them_itself():
    def sell_chips(ctx: Any, params: Params) -> Any: ...
    def shake(ctx: Any) -> Any:
        return ctx

    assert form_of(sell_chips) is sell_chips
    answer: Any = form_of(shake)(CTX, Params({}))
    assert answer is CTX


def test_a_parameter_without_a_kind_is_an_error_of_the_programmer():
    def by_place(ctx: Any, cents: Cents) -> Any: ...
    def without_kind(ctx: Any, *, cents: int) -> Any: ...

    for do in (by_place, without_kind):
        with pytest.raises(ImproperlyConfigured, match="the parameter cents"):
            form_of(do)
