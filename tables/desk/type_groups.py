"""Groups of entry types that are searched for together: by what an auditor asks, not by who writes them."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class TypeGroup:
    """A group by its code. `types`: entry types, or all types of a topic (`limits.`)."""

    code: str
    label: str
    types: tuple[str, ...]

    def has(self, type_: str) -> bool:
        """Whether an entry type belongs to the group."""
        return any(type_.startswith(name) if name.endswith(".") else type_ == name for name in self.types)


GROUPS = (
    TypeGroup(
        "overrides",
        "Overrides: what a person put in place of the dice or the round",
        (
            *(
                "round.no_roll",
                "throw.no_roll",
                "round.voided",
                "round.settled_by_hand",
                "round.recorded_by_hand",
            ),
            *("dice.corrected", "wager.missed", "wager.struck", "wagers.returned", "slip."),
            *("alert.muted", "alert.decided", "pins.unlocked", "table.resumed"),
        ),
    ),
    TypeGroup("limits", "Limits and their notices", ("limits.", "signs.took_effect", "board_permission.")),
    TypeGroup(
        "chips",
        "Chips and cash",
        ("transfer.", "chips.", "inventory.", "drop_box.", "par.set", "review_sum.set"),
    ),
    TypeGroup("dice", "Dice, lots and shakers", ("dice.", "dice_lot.", "shaker.", "instrument.")),
    TypeGroup("approvals", "Changes prepared and approved", ("change.", "approval.", "approvals.", "rules.")),
    TypeGroup(
        "access",
        "People, devices and sign-ins",
        (
            *(
                "person.",
                "people.",
                "device.",
                "pin.",
                "pins.",
                "password.",
                "factor.",
                "factors.",
                "sign_in.",
            ),
            *("access.", "assignment.", "duty.changed", "leave.", "qualification."),
        ),
    ),
    TypeGroup(
        "copies",
        "Copies that left the casino",
        ("export.", "proof.taken", "search.taken", "round.printed", "letter.printed"),
    ),
)


def types_of(codes: Iterable[str], on_record: Iterable[str]) -> tuple[str, ...]:
    """The entry types that were chosen, groups among them replaced by those of their types that are on record."""
    chosen, known = set(codes), sorted(on_record)
    groups = [group for group in GROUPS if group.code in chosen]
    single = chosen - {group.code for group in groups}
    return tuple(sorted(single | {type_ for type_ in known for group in groups if group.has(type_)}))
