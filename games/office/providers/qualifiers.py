"""Who must be found qualified with a provider, and why (58 Pa. Code § 528.3). Shares are in basis points."""

import datetime as dt
from dataclasses import dataclass

from games.jurisdictions import Jurisdiction
from games.models import Qualifier
from games.office.providers.entry_types import DutyName

OWNER_BP = 1_000  # 10 % of ownership or beneficial interest, direct and indirect together
VOTER_BP = 2_000  # 20 % of the voting securities, held directly
OFFICERS = (
    "president",
    "chief executive officer",
    "chief financial officer",
    "chief operating officer",
)
ABBREVIATED = {"ceo", "cfo", "coo"}


@dataclass(frozen=True)
class Duty:
    """A reason why somebody must be found qualified.

    `words` is a key of the page's labels, `rule` a duty of the jurisdiction.
    """

    words: DutyName
    rule: str

    def section(self, law: Jurisdiction) -> str:
        """Return the paragraph that asks it."""
        return law.section(self.rule)


def is_officer(title: str) -> bool:
    """Return whether § 528.3(a)(1) names this title. An equivalent job is a separate flag on the file."""
    words = " ".join(title.lower().replace(".", "").replace("-", " ").split())
    if "vice president" in words:
        words = words.replace("vice president", "")
    return any(name in words for name in OFFICERS) or bool(ABBREVIATED & set(words.replace(",", " ").split()))


def duties(person: Qualifier) -> tuple[Duty, ...]:
    """Return every reason why this person or entity must be found qualified.

    Individuals: officers by title or work, directors, owners of 10 % or more, salespeople. Entities: 20 % or more of
    the voting securities, held directly. Both: those whom the Board named.
    """
    duties_found = _entity_duties(person) if person.kind == "entity" else _individual_duties(person)
    if person.named_by_board:
        duties_found.append(Duty("named", "providers.named"))
    return tuple(duties_found)


def _individual_duties(person: Qualifier) -> list[Duty]:
    candidates = (
        (person.officer or is_officer(person.title), Duty("officer", "providers.officers")),
        (person.director, Duty("director", "providers.officers")),
        (person.owns_bp >= OWNER_BP, Duty("owner", "providers.owners")),
        (person.salesperson, Duty("salesperson", "providers.salespeople")),
    )
    return [duty for holds, duty in candidates if holds]


def _entity_duties(person: Qualifier) -> list[Duty]:
    return [Duty("votes", "providers.entities")] if person.votes_bp >= VOTER_BP else []


def is_with_provider(person: Qualifier, day: dt.date) -> bool:
    """Return whether the person is still with the provider on a day."""
    return person.left_on is None or day < person.left_on


def qualification_state(person: Qualifier) -> str:
    """Return `not-asked`, `no-form`, `waiting`, `qualified` or `unqualified`."""
    if person.unqualified_on and (
        person.qualified_on is None or person.unqualified_on >= person.qualified_on
    ):
        return "unqualified"
    if person.qualified_on:
        return "qualified"
    if not duties(person):
        return "not-asked"
    return "waiting" if person.form_filed_on else "no-form"


def is_outstanding(person: Qualifier, day: dt.date) -> bool:
    """Return whether somebody with the provider must be found qualified and is not yet."""
    return (
        is_with_provider(person, day) and bool(duties(person)) and qualification_state(person) != "qualified"
    )
