"""What throws of rounds that were then voided had moved: it is in the tray, and in no figure of settled rounds.

A round of several throws may be voided between two of them. What the first ones decided was taken and paid, and stays
so; the round as a whole has no result, so that the figures leave it out. This is the difference between both.
"""

from collections.abc import Iterable
from typing import Any

from django.db.models import F, Q, Sum

from tables.models import Round


def moved_in_void_rounds(inventories: Iterable[Any]) -> dict[int, int]:
    """Return the cents that void rounds brought into these trays, by inventory; negative where they paid more.

    `inventories` are their rows or ids, or a query of ids. Only those in which such a round moved money are returned.
    One statement.
    """
    of_inventory = "table__inventories"
    rounds = Round.objects.filter(
        Q(**{f"{of_inventory}__last_round": None}) | Q(number__lte=F(f"{of_inventory}__last_round")),
        Q(**{f"{of_inventory}__in": inventories}),
        number__gt=F(f"{of_inventory}__rounds_before"),
        phase="void",
        ended_at__isnull=False,
    ).exclude(taken_cents=0, paid_cents=0)
    sums = rounds.order_by().values_list(of_inventory).annotate(cents=Sum(F("taken_cents") - F("paid_cents")))
    return {pk: cents for pk, cents in sums if cents}
