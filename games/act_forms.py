"""An act's signature is its form: what a screen may send with the act, by name and kind, and the JSON Schema of it.

An act declares its parameters as arguments that are given by name, each annotated with a kind of this module:

    @act(roles=FLOOR, depends_on="nothing")
    def cancel_limits_change(ctx: TableContext, *, why: Text) -> ActOutcome:

A code, a number or a file is sent under the name of what it stands for, `lot_code` as `lot`, `alert_id` as `alert`, so
that the act may call the row `lot`. A name that Python has for itself ends with an underscore, which is not sent:
`from_`.

The runner makes an `ActForm` of it. `ActForm` reads the request before the act begins, and refuses what does not fit as
`malformed`; the runner refuses parameters that the act does not have. A default makes a parameter optional.

A room declares kinds of its own for what its acts are about: `Annotated[DiceLot, found(Code, find_lot)]` is given as a
code and is a row in the act. An act whose parameters depend on one another takes `params` and reads them itself.
"""

import datetime as dt
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from django.core.exceptions import ImproperlyConfigured

from audit.runner import ActOutcome
from games.params import MOST_CENTS, MOST_DICE, MOST_TEXT, MOST_WAGERS, Params

ContextT = TypeVar("ContextT")
Schema = dict[str, Any]
MISSING = inspect.Parameter.empty
MOST_ITEMS = 64
NOT_SENT = re.compile(r"(_code|_id|_file|_)$")


@dataclass(frozen=True)
class Kind:
    """How a parameter is read, and the JSON Schema of what is sent.

    `read` takes the parameters, the name, the context of the act, and `default=` if the parameter has one. It raises
    Refusal(`malformed`). `parts`: the parameters that are sent instead of one (`several`).
    """

    read: Callable[..., Any]
    schema: Schema | Callable[[], Schema]
    parts: Mapping[str, "Parameter"] = field(default_factory=dict)


def whole(low: int, high: int) -> Kind:
    """An integer from `low` to `high`."""

    def read(params: Params, name: str, ctx: Any, **default: Any) -> int:
        return params.integer(name, low, high, **default)

    return Kind(read, {"type": "integer", "minimum": low, "maximum": high})


def text(max_length: int = MOST_TEXT) -> Kind:
    """One line of text, trimmed. It may be empty only where it has a default."""

    def read(params: Params, name: str, ctx: Any, **default: Any) -> str:
        return params.text(name, max_length=max_length, **default)

    return Kind(read, {"type": "string", "maxLength": max_length})


def prose(max_length: int) -> Kind:
    """Text of several lines, trimmed; empty if it was not sent."""

    def read(params: Params, name: str, ctx: Any, **default: Any) -> str:
        return params.prose(name, max_length=max_length)

    return Kind(read, {"type": "string", "maxLength": max_length})


def one_of(words: Sequence[str] | Callable[[], Iterable[str]]) -> Kind:
    """One of these words, or of what a function returns when the act is done, such as the editions that are there."""

    def known() -> tuple[str, ...]:
        return tuple(words() if callable(words) else words)

    def read(params: Params, name: str, ctx: Any, **default: Any) -> str:
        word: str = params.choice(name, known(), **default)
        return word

    return Kind(read, lambda: {"enum": list(known())})


def words(max_items: int = MOST_ITEMS) -> Kind:
    """A list of words; empty if it was not sent."""

    def read(params: Params, name: str, ctx: Any, **default: Any) -> tuple[str, ...]:
        return params.texts(name, max_items=max_items)

    items = {"type": "string", "maxLength": MOST_TEXT}
    return Kind(read, {"type": "array", "items": items, "maxItems": max_items})


def integers(max_items: int = MOST_ITEMS) -> Kind:
    """A list of integers; empty if it was not sent."""

    def read(params: Params, name: str, ctx: Any, **default: Any) -> tuple[int, ...]:
        return params.integers(name, max_items=max_items)

    return Kind(read, {"type": "array", "items": {"type": "integer"}, "maxItems": max_items})


def objects(read_item: Callable[[Params], Any], max_items: int = MOST_WAGERS) -> Kind:
    """A list of objects, each read by `read_item`. It may be empty only where it has a default."""

    def read(params: Params, name: str, ctx: Any, **default: Any) -> tuple[Any, ...]:
        return params.objects(name, read_item, max_items=max_items, optional=bool(default))

    return Kind(read, {"type": "array", "items": {"type": "object"}, "maxItems": max_items})


def found(hint: Any, find: Callable[[Any, Any], Any]) -> Kind:
    """What `find` returns for the context and a value of the kind of `hint`; it raises a refusal if there is none.

    Where the parameter may be None, nothing is searched for what was not sent, or is empty.
    """
    by = kind_of(hint)

    def read(params: Params, name: str, ctx: Any, **default: Any) -> Any:
        optional = {"default": ""} if default and by.read is not _read_date else default
        value = by.read(params, name, ctx, **optional)
        return None if default and not value else find(ctx, value)

    return Kind(read, by.schema)


def several(make: Callable[..., Any], **hints: Any) -> Kind:
    """What `make` returns for the context and several parameters, which are sent side by side under these names.

    A pair of a kind and a default makes one of them optional.
    """
    parts = {}
    for name, hint in hints.items():
        kind, default = (hint[0], {"default": hint[1]}) if isinstance(hint, tuple) else (hint, {})
        parts[name] = Parameter(name, NOT_SENT.sub("", name), kind_of(kind), default)

    def read(params: Params, name: str, ctx: Any) -> Any:
        return make(ctx, **_values(params, ctx, parts.values()))

    return Kind(read, {}, parts)


def _read_boolean(params: Params, name: str, ctx: Any, **default: Any) -> bool:
    return params.boolean(name)


def _read_code(params: Params, name: str, ctx: Any) -> str:
    return params.code(name)


def _read_date(params: Params, name: str, ctx: Any, **default: Any) -> dt.date | None:
    return params.date(name, optional=bool(default))


def _read_moment(params: Params, name: str, ctx: Any, **default: Any) -> dt.datetime:
    return params.moment(name)


def _read_dice(params: Params, name: str, ctx: Any, **default: Any) -> tuple[int, ...] | None:
    return params.dice(name, optional=bool(default))


def _read_seat(params: Params, name: str, ctx: Any, **default: Any) -> int:
    return params.integer(name, 0 if default.get("default") == 0 else 1, ctx.table.seats, **default)


def _read_chips(params: Params, name: str, ctx: Any, **default: Any) -> dict[str, int]:
    return params.chips(name, values=ctx.table.facility.chip_values, optional=bool(default))


BOOLEAN = Kind(_read_boolean, {"type": "boolean"})
_DICE = {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": MOST_DICE}

Cents = Annotated[int, whole(1, MOST_CENTS)]
Text = Annotated[str, text()]
Code = Annotated[str, Kind(_read_code, {"type": "string", "maxLength": 20})]
Day = Annotated[dt.date, Kind(_read_date, {"type": "string", "format": "date"})]
Moment = Annotated[dt.datetime, Kind(_read_moment, {"type": "string", "format": "date-time"})]
OptionalDay = Annotated[dt.date | None, Kind(_read_date, {"type": ["string", "null"], "format": "date"})]
Words = Annotated[tuple[str, ...], words()]
Seats = Annotated[tuple[int, ...], integers()]
Seat = Annotated[int, Kind(_read_seat, {"type": "integer", "minimum": 0})]  # of the act's table
Dice = Annotated[tuple[int, ...], Kind(_read_dice, _DICE)]
OptionalDice = Annotated[tuple[int, ...] | None, Kind(_read_dice, _DICE)]
Chips = Annotated[  # numbers of chips of the facility by their value in cents
    dict[str, int], Kind(_read_chips, {"type": "object", "additionalProperties": {"type": "integer"}})
]
NO_CHIPS: dict[str, int] = {}  # the default of chips that may be left out; nobody changes it


class Parameter(NamedTuple):
    """A parameter of an act: its names in Python and in a request, its kind, and what it is if it was not sent."""

    argument: str
    name: str
    kind: Kind
    default: Mapping[str, Any]  # empty, or {"default": value}


class ActForm(Generic[ContextT]):
    """An act that declares its parameters, callable as one that reads them itself."""

    def __init__(self, do: Callable[..., ActOutcome]) -> None:
        hints = get_type_hints(do, include_extras=True)
        _context, *declared = inspect.signature(do).parameters.values()
        self.do = do
        self.parameters = tuple(_parameter(do, argument, hints) for argument in declared)

    def __call__(self, ctx: ContextT, params: Params) -> ActOutcome:
        return self.do(ctx, **_values(params, ctx, self.parameters))

    def schema(self) -> Schema:
        """The JSON Schema of the parameters, in the order of the signature."""
        sent = [
            part for parameter in self.parameters for part in parameter.kind.parts.values() or (parameter,)
        ]
        return {
            "type": "object",
            "properties": {
                part.name: part.kind.schema() if callable(part.kind.schema) else part.kind.schema
                for part in sent
            },
            "required": [part.name for part in sent if not part.default],
            "additionalProperties": False,
        }


def form_of(do: Callable[..., ActOutcome]) -> Callable[[Any, Params], ActOutcome]:
    """The function that a runner calls with the context and the parameters of a request."""
    return do if "params" in inspect.signature(do).parameters else ActForm(do)


def _values(params: Params, ctx: Any, parameters: Iterable[Parameter]) -> dict[str, Any]:
    return {
        parameter.argument: parameter.kind.read(params, parameter.name, ctx, **parameter.default)
        for parameter in parameters
    }


def _parameter(
    do: Callable[..., ActOutcome], declared: inspect.Parameter, hints: Mapping[str, Any]
) -> Parameter:
    kind = _kind(hints.get(declared.name))
    if kind is None or declared.kind is not declared.KEYWORD_ONLY:
        raise ImproperlyConfigured(
            f"{do.__name__}: the parameter {declared.name} is not given by name, or its kind is not one of act_forms."
        )
    default = {} if declared.default is MISSING else {"default": declared.default}
    return Parameter(declared.name, NOT_SENT.sub("", declared.name), kind, default)


def kind_of(hint: Any) -> Kind:
    """The kind of an annotation, or of a type such as `bool`. Raises ImproperlyConfigured without one."""
    kind = hint if isinstance(hint, Kind) else _kind(hint)
    if kind is None:
        raise ImproperlyConfigured(f"{hint} is no kind of act_forms.")
    return kind


def _kind(hint: Any) -> Kind | None:
    if get_origin(hint) is Literal:
        return one_of(get_args(hint))
    if hint is bool:
        return BOOLEAN
    return next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Kind)), None)
