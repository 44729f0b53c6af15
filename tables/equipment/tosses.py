"""The test runs of an automated shaker."""

from games.engine import Refusal
from tables.core.context import AtTable

TOSSES = 3  # test runs of an automated shaker before gaming


def verify_tosses(at: AtTable, kind: str, tosses: int) -> None:
    """Raises `Refusal` when an automated shaker was run fewer times than `TOSSES`."""
    if at.rules.shaker(kind).automated and tosses < TOSSES:
        raise Refusal("too-few-tosses", at.rules.section("inspection-shaker"), tosses=tosses)
