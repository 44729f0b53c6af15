"""System checks of the data files: jurisdictions, their editions and languages, and the facilities that name them.

* `games.E001`: a file of a jurisdiction, or a folder of JURISDICTION_DIRS, cannot be read.
* `games.E002`: an edition names a jurisdiction that has no file.
* `games.E003`: a jurisdiction has a language in which no guide is written.
* `games.W001`: a jurisdiction has no edition, so that its casinos can deal no game.
* `games.E004`: a facility names a jurisdiction that has no file (with a database only, as `migrate` checks it).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections

from games.engine.editions import all_editions
from games.guide.words import LANGUAGES
from games.jurisdictions import all_jurisdictions, problems
from games.models import Facility

FILES = "Each jurisdiction is one TOML file in games/jurisdictions or in a folder of JURISDICTION_DIRS."


@register("jurisdictions")
def check_jurisdictions(**_: Any) -> list[CheckMessage]:
    """Check every file of a jurisdiction, and every edition."""
    return [*_unreadable_files(), *_unknown_jurisdictions(), *_unwritten_languages(), *_without_editions()]


def _unreadable_files() -> Iterator[Error]:
    for problem in problems():
        yield Error(f"{problem.path}: {problem.reason}.", hint=FILES, id="games.E001")


def _unknown_jurisdictions() -> Iterator[Error]:
    for edition in all_editions().values():
        if edition.jurisdiction not in all_jurisdictions():
            message = (
                f"The edition {edition.key} names the jurisdiction {edition.jurisdiction}, which has no file."
            )
            yield Error(message, hint=FILES, id="games.E002")


def _unwritten_languages() -> Iterator[Error]:
    for law in all_jurisdictions().values():
        for language in sorted({*law.languages} - {*LANGUAGES}):
            message = f"{law.name} has gaming guides in the language {language}, in which no text is written."
            yield Error(message, hint=f"Texts are written in {', '.join(LANGUAGES)}.", id="games.E003")


def _without_editions() -> Iterator[Warning]:
    dealt = {edition.jurisdiction for edition in all_editions().values()}
    for code in sorted({*all_jurisdictions()} - dealt):
        message = f"The jurisdiction {code} has no edition, so its casinos can deal no game."
        yield Warning(message, hint="Its file may hold editions (docs/architecture.md).", id="games.W001")


@register(Tags.database)
def check_facilities(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Check that every facility's jurisdiction has a file. An empty database has no facilities."""
    return [error for alias in databases or () for error in _facilities_without_law(alias)]


def _facilities_without_law(alias: str) -> Iterator[Error]:
    if Facility._meta.db_table not in connections[alias].introspection.table_names():
        return
    rows = Facility.objects.using(alias).exclude(jurisdiction__in=list(all_jurisdictions()))
    for code, jurisdiction in rows.values_list("code", "jurisdiction"):
        message = f"The facility {code} is in the jurisdiction {jurisdiction}, which has no file."
        yield Error(message, hint=FILES, id="games.E004")
