"""Whether a value is, to the type, what its JSON gives back."""

from collections.abc import Iterator
from typing import Any

JSON_TYPES = (dict, list, str, int, bool, type(None))


def not_of_json(value: Any, where: str = "snapshot") -> Iterator[str]:
    """Yield what JSON would give back as something else: a worker renders the snapshot that it made, others its text.

    A safe string would not be escaped, and a choice of Django's is printed by its own rules.
    """
    if type(value) not in JSON_TYPES:
        yield f"{where}: {type(value).__name__}"
    if isinstance(value, dict):
        for name, item in value.items():
            if type(name) is not str:
                yield f"{where}: key {name!r}"
            yield from not_of_json(item, f"{where}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from not_of_json(item, f"{where}[]")
