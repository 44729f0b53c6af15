"""The alerts about a throw that was called no roll for cheating, many no rolls, and a wager over the maximum."""

from collections.abc import Mapping, Sequence
from typing import Any

from tables.core.alert_kinds import AlertKind, Level, alert_kind
from tables.words.sentences import dollars

CHEATING = alert_kind(
    AlertKind(
        "cheating",
        "cheating:{round}:{throw}",
        Level.WARN,
        "Cheating suspected",
        "Cheating suspected",
        "A throw of round %(round)s was called no roll because of a cheating device or technique. "
        "Check the dice, and the video of the throw.",
        ends_when_acknowledged=True,
    )
)


MANY_NO_ROLLS = alert_kind(
    AlertKind(
        "no-rolls",
        "no-rolls:{cause}",
        Level.WARN,
        "Many rounds without a result",
        "%(person)s: %(undone)s rounds without a result",
        "No rolls, voids and failures in %(within_minutes)s minutes, the newest in round %(round)s. Surveillance looks "
        "at the recording of each.",
        ends_when_acknowledged=True,
        at_the_pit=True,
    )
)
MANY_RETHROWS = alert_kind(
    AlertKind(
        "rethrows",
        "rethrows:{cause}",
        Level.WARN,
        "Many void throws",
        "%(person)s: %(undone)s void throws",
        "In %(within_minutes)s minutes, the newest in round %(round)s. Surveillance looks at the recording of each.",
        ends_when_acknowledged=True,
        at_the_pit=True,
    )
)


def describe_over_max(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a wager over the maximum."""
    title = "%s at seat %s is over the maximum" % (dollars(params["cents"]), params["seat"])
    return title, "It was accepted and is settled in full, unless the player lowers it before no more bets."


def describe_several_over_max(group: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the title and the text of several wagers over the maximum at a table."""
    seats = sorted({params["seat"] for params in group})
    cents = sum(params["cents"] for params in group)
    where = f"seat {seats[0]}" if len(seats) == 1 else f"seats {', '.join(map(str, seats))}"
    text = "They were accepted and are settled in full, unless the players lower them before no more bets."
    return f"{len(group)} wagers over the maximum, {where}: {dollars(cents)}", text


OVER_MAX = alert_kind(
    AlertKind(
        "over-max",
        "over-max:{round}:{seat}:{wager}",
        Level.WARN,
        "Wager over the maximum",
        "",
        describe=describe_over_max,
        describe_group=describe_several_over_max,
        ends_when_acknowledged=True,
    )
)
