"""Check an entry's data against its declaration. The tests do this for every entry that the product writes."""

import types
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)


def faults(value: Any, hint: Any, where: str = "data") -> Iterator[str]:
    """Return one sentence for each part of a value that does not match its type."""
    if is_typeddict(hint):
        yield from _object_faults(value, hint, where)
        return
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (NotRequired, Required, Annotated):
        yield from faults(value, arguments[0], where)
    elif origin is Literal:
        if value not in arguments:
            yield f"{where} is {value!r}, not one of {arguments}"
    elif origin in (Union, types.UnionType):
        if all(any(True for _ in faults(value, argument, where)) for argument in arguments):
            yield f"{where} is {value!r}, which is none of {hint}"
    elif origin in (list, tuple):
        if not isinstance(value, list | tuple):
            yield f"{where} is no list"
        else:
            for place, item in enumerate(value):
                yield from faults(item, arguments[0], f"{where}[{place}]")
    elif origin in (dict, Mapping):
        if not isinstance(value, dict):
            yield f"{where} is no object"
        else:
            for name, item in value.items():
                yield from faults(item, arguments[1], f"{where}.{name}")
    elif hint is not Any and not _is_plain(value, hint):
        yield f"{where} is {value!r}, not {getattr(hint, '__name__', hint)}"


def _object_faults(value: Any, declaration: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where} is no object"
        return
    hints = _hints(declaration)
    for name in sorted(declaration.__required_keys__ - value.keys()):
        yield f"{where}.{name} is missing"
    for name in sorted(value.keys() - hints.keys()):
        yield f"{where}.{name} is not declared"
    for name in value.keys() & hints.keys():
        yield from faults(value[name], hints[name], f"{where}.{name}")


@lru_cache(maxsize=512)
def _hints(declaration: Any) -> dict[str, Any]:
    return get_type_hints(declaration, include_extras=True)


def _is_plain(value: Any, kind: Any) -> bool:
    """Whether a value is of a plain type. True is not an integer. A text choice, a subclass of `str`, is text."""
    if isinstance(value, bool):
        return kind is bool
    return value is None if kind is type(None) else isinstance(value, kind)
