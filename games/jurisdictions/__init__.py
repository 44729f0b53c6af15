"""What each jurisdiction asks: sections cited, bodies that approve, languages, documents, notice times.

A jurisdiction is one TOML file in this folder. A duty without a section is a practice of the casino: the same steps are
taken, and no law is cited. `Facility.law` is the jurisdiction of a facility.
"""

import datetime as dt
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
# Every duty that a file may cite a section for.
DUTIES = frozenset({
    "limits", "limits.change", "limits.nobody-plays", "limits.notice", "limits.sign", "limits.announcement",
    "signs.form",
    "submissions.start", "submissions.in-force", "submissions.review",
    "requests", "requests.play", "requests.wagering", "requests.class", "requests.odds", "requests.layout",
    "requests.equipment", "requests.reasons", "requests.elsewhere", "requests.property", "requests.application",
    "requests.fee", "requests.waiver",
    "tests", "tests.casinos", "tests.dates", "tests.times", "tests.tables", "tests.sign", "tests.criteria",
    "tests.documenting", "tests.forms", "tests.further",
    "conditions", "conditions.suitability", "conditions.amendment", "conditions.licensing", "conditions.costs",
    "guide.device", "guide.book", "guide.guide", "guide.format", "guide.sample", "guide.different",
    "guide.display", "guide.web",
    "custody.receipt", "custody.storage", "custody.issue", "custody.examination", "custody.destruction",
})  # fmt: skip


@dataclass(frozen=True)
class GuideRules:
    """What a gaming guide needs: formats that need no approval of their own, and those that are always given."""

    formats_without_approval: tuple[str, ...]
    print_always: bool = False
    web_always: bool = False
    rules_book_elsewhere: bool = False  # another place than the security podium may be approved


@dataclass(frozen=True)
class RequestRules:
    """What a request for a new game or feature needs.

    `parts_always`: parts that every request holds; empty: all of them for a game. `asks_petitioner`: somebody other
    than the casino may petition, with an application, a fee and a waiver. `tests`: tests and conditions come before the
    final approval.
    """

    parts_always: tuple[str, ...] = ()
    asks_petitioner: bool = False
    tests: bool = False
    review_days: bool = True  # whether the end of the review can be counted


@dataclass(frozen=True)
class Jurisdiction:
    """One jurisdiction, as its file says. `citation_prefixes` are cut from citations on screens."""

    code: str
    name: str
    citation_prefixes: tuple[str, ...]
    languages: tuple[str, ...]
    gaming_day_start: dt.time
    notice_minutes: (
        int  # of a change of limits, as the gaming guide states it; 0: the guide says nothing of it
    )
    certifies_providers: bool
    bodies: Mapping[str, str]
    sections: Mapping[str, str]
    guide: GuideRules
    requests: RequestRules

    def section(self, duty: str) -> str:
        """The citation of a duty, "" where it is a practice of the casino. KeyError for a duty that nobody knows."""
        if duty not in DUTIES:
            raise KeyError(duty)
        return self.sections.get(duty, "")

    def body(self, subject: str) -> str:
        """The body that approves a subject: `submissions`, `guides` or `signs`."""
        return self.bodies[subject]


def jurisdiction(code: str) -> Jurisdiction:
    """The jurisdiction with this code. Raises KeyError."""
    return all_jurisdictions()[code]


@lru_cache(maxsize=1)
def all_jurisdictions() -> dict[str, Jurisdiction]:
    """Every jurisdiction by its code."""
    return {law.code: law for law in map(read, sorted(FOLDER.glob("*.toml")))}


def choices() -> list[tuple[str, str]]:
    """Codes and names, for the model's field."""
    return [(law.code, law.name) for law in all_jurisdictions().values()]


def short(cite: str) -> str:
    """`§ 625a.2(b)` of `58 Pa. Code § 625a.2(b)`: a citation without the prefix of its jurisdiction."""
    for law in all_jurisdictions().values():
        for prefix in law.citation_prefixes:
            cite = cite.replace(prefix, "")
    return cite


def read(path: Path) -> Jurisdiction:
    """A jurisdiction from its file.

    Raises TypeError for a key that is missing or unknown, ValueError for a section of a duty that nobody knows.
    """
    values = tomllib.loads(path.read_text("utf-8"))
    if unknown := values["sections"].keys() - DUTIES:
        raise ValueError(f"{path.name} cites sections of unknown duties: {', '.join(sorted(unknown))}")
    values["guide"] = GuideRules(**_tuples(values["guide"]))
    values["requests"] = RequestRules(**_tuples(values["requests"]))
    return Jurisdiction(**_tuples(values))


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same values, with lists as tuples, so that what is frozen stays so."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
