"""The regulation editions: one dated TOML file each, with its citation beside every value.

The files are in the folders of the games (`games.registry` adds them). An amendment is a new file with the same key
and a later date; the short key always means the newest one.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from importlib.resources.abc import Traversable
from itertools import chain
from typing import Any

from games.engine.editions.derived import derive, is_in_chapter
from games.engine.editions.equipment import ApprovalRule, InspectionLine, Staffing, equipment_of
from games.engine.odds import Odds, Pays, Prize
from games.engine.refusals import NO_SUCH_RULES, WHICH_PAYTABLE, Refusal

__all__ = [
    "ApprovalRule", "Edition", "InspectionLine", "Payout", "ShakerKind", "Staffing", "all_editions", "edition",
]  # fmt: skip

KEY = re.compile(r"(?P<key>[a-z0-9.-]+)(@(?P<date>\d{4}-\d\d-\d\d))?(/(?P<paytable>[A-Z]))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Payout:
    """One row of a paytable: what it pays (odds or a fixed sum), and the paragraph that sets it."""

    odds: Pays
    cite: str


@dataclass(frozen=True, slots=True)
class ShakerKind:
    """What an edition allows for one kind of shaker, and which order of steps goes with it."""

    code: str
    procedure: str
    sections: Mapping[str, str]
    automated: bool = False
    in_view: bool = False
    by_player: bool = False
    shakes_least: int = 1
    months: int = 0
    may_stand_alone: bool = False


@dataclass(frozen=True, eq=False)
class Edition:
    """One edition (and paytable) as filed under its dated key. Compared by identity: each is read once.

    Its text is in force from `in_force_from`; `chapter_from` is the earlier day on which its chapter began, if
    sections of it were amended since. `dice_size_um` is the side of a die in micrometers, 0 if the text names no
    size; `cameras` is the least number of fixed cameras at a table, under the section "cameras". `places` is the
    most players that a table has places for, 0 if the text names no number.
    """

    key: str
    short_key: str
    game: str
    title: str
    jurisdiction: str
    source: str
    paytable: str | None
    in_force_from: date
    chapter_from: date | None
    lapses_on: date | None
    sets_floors: bool
    dice: int
    dice_in_lot: int
    odds_words: tuple[str, ...]
    default_shaker: str
    automated_shaker_must_leave: bool
    sections: Mapping[str, str]
    witnesses: Mapping[str, tuple[str, ...]]
    readings: Mapping[str, bool]
    shakers: Mapping[str, ShakerKind]
    wagers: Mapping[str, str]
    payouts: Mapping[str, Payout]
    fixed: frozenset[str]
    no_rolls: Mapping[str, str]  # why a throw may be void and thrown again, each with its section
    limit_floors: Mapping[str, int]  # of an aggregate payout limit: "cents", and "times" the table minimum
    inspection: tuple[InspectionLine, ...]  # in the order of the floorperson's inspection
    approvals: tuple[ApprovalRule, ...]
    staffing: Staffing
    dice_size_um: int
    cameras: int
    places: int


Document = Mapping[str, Any]  # an edition as its file writes it
_folders: list[Traversable] = []
_sources: list[Callable[[], Iterable[Document]]] = []
_forgotten_with: list[Callable[[], None]] = []


def add_folder(folder: Traversable) -> None:
    """Add the editions of a folder."""
    _folders.append(folder)
    forget()


def remove_folder(folder: Traversable) -> None:
    """Remove the editions of a folder, for tests."""
    _folders.remove(folder)
    forget()


def add_source(source: Callable[[], Iterable[Document]]) -> None:
    """Add editions that are not in the folder of a game. Call `forget` whenever the source gives others."""
    _sources.append(source)
    forget()


def forget_with(forget_cached: Callable[[], None]) -> None:
    """Call this whenever the editions are read again. For caches by key or text: editions compare by identity."""
    _forgotten_with.append(forget_cached)


def forget() -> None:
    """Read all editions again."""
    for cached in (_documents, all_editions, edition, duties):
        cached.cache_clear()
    for forget_cached in _forgotten_with:
        forget_cached()


@lru_cache(maxsize=1)
def duties() -> frozenset[str]:
    """Return every duty that any edition names."""
    return frozenset(duty for edition in all_editions().values() for duty in edition.sections)


@lru_cache(maxsize=1)
def all_editions() -> Mapping[str, Edition]:
    """Return every edition by its dated key, oldest first."""
    documents = [*_documents(), *chain.from_iterable(source() for source in _sources)]
    documents.sort(key=lambda data: (data["key"], data["in_force_from"]))
    return {edition.key: edition for data in documents for edition in read(data)}


@lru_cache(maxsize=1)
def _documents() -> tuple[Document, ...]:
    """The files in the folders of the games."""
    return tuple(
        tomllib.loads(file.read_text("utf-8"))
        for folder in _folders
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    )


def complete(document: Document) -> Document:
    """A document with the terms of the edition that it names under `like`, by its dated key.

    Raises ValueError for an edition that is in no game's folder, for the key of one that is, and what `derive` raises.
    """
    if document.get("key") in {base["key"] for base in _documents()}:
        raise ValueError(f"the key {document['key']} belongs to an edition of a game's folder")
    if "like" not in document:
        return document
    for base in _documents():
        if f"{base['key']}@{base['in_force_from'].isoformat()}" == document["like"]:
            return derive(base, document)
    raise ValueError(f"there is no edition {document['like']}; name it with its date")


@lru_cache(maxsize=256)
def edition(key: str) -> Edition:
    """Return the edition of a rules key, dated or short. Raises `no-such-rules`, or `which-paytable` if the key
    leaves the paytable open.
    """
    match = KEY.fullmatch(key)
    if match is None:
        raise Refusal(NO_SUCH_RULES, rules=key[:60])
    matching = [edition for edition in all_editions().values() if _matches(edition, match)]
    if not matching:
        raise Refusal(NO_SUCH_RULES, rules=key[:60])
    newest = [edition for edition in matching if edition.in_force_from == matching[-1].in_force_from]
    if len(newest) > 1:
        raise Refusal(WHICH_PAYTABLE, newest[0].sections["odds"], rules=key[:60])
    return newest[0]


def _matches(edition: Edition, match: re.Match[str]) -> bool:
    return (
        edition.short_key.split("/")[0] == match["key"]
        and match["date"] in (None, edition.in_force_from.isoformat())
        and match["paytable"] in (None, edition.paytable)
    )


def read(data: Document) -> Iterator[Edition]:
    """The editions in one file: one for each paytable, or a single one with floors and fixed odds."""
    tables = data.get("paytables") or {None: {**data.get("floors", {}), **data["fixed"]}}
    equipment = equipment_of(data, partial(_cite, data["prefix"]))
    for paytable, rows in tables.items():
        tail = f"/{paytable}" if paytable else ""
        yield Edition(
            key=f"{data['key']}@{data['in_force_from'].isoformat()}{tail}",
            short_key=f"{data['key']}{tail}",
            paytable=paytable,
            chapter_from=data.get("chapter_from"),
            lapses_on=data.get("lapses_on"),
            dice_in_lot=data.get("dice_in_lot", data["dice"]),
            odds_words=tuple(data["odds_words"]),
            sections=_cited(data["prefix"], data["sections"]),
            wagers=_cited(data["prefix"], data["wagers"]),
            shakers={code: _shaker(data["prefix"], code, rows) for code, rows in data["shakers"].items()},
            payouts={code: _payout(data["prefix"], row) for code, row in rows.items()},
            fixed=frozenset(data.get("fixed", rows)),
            no_rolls=_cited(data["prefix"], data.get("no_rolls", {})),
            limit_floors=data.get("payout_limit", {}),
            witnesses={duty: tuple(roles) for duty, roles in data.get("witnesses", {}).items()},
            inspection=equipment.inspection,
            approvals=equipment.approvals,
            staffing=equipment.staffing,
            dice_size_um=equipment.dice_size_um,
            cameras=equipment.cameras,
            places=data.get("places", 0),
            **{name: data[name] for name in AS_WRITTEN},
        )


AS_WRITTEN = ("game", "title", "jurisdiction", "source", "in_force_from", "sets_floors", "dice", "default_shaker",
              "automated_shaker_must_leave", "readings")  # fmt: skip


def _cite(prefix: str, section: str) -> str:
    """Return the full citation. One that begins with a digit is in the edition's own chapter."""
    return f"{prefix}{section}" if is_in_chapter(section) else section


def _cited(prefix: str, sections: Mapping[str, str]) -> dict[str, str]:
    return {name: _cite(prefix, section) for name, section in sections.items()}


def _payout(prefix: str, row: Mapping[str, str]) -> Payout:
    pays = Prize.parse(row["pays"]) if "pays" in row else Odds.parse(row["odds"])
    return Payout(pays, _cite(prefix, row["cite"]))


def _shaker(prefix: str, code: str, row: Mapping[str, Any]) -> ShakerKind:
    duties = {duty: row[duty] for duty in ("no-more-bets", "shake")}
    fields = {name: value for name, value in row.items() if name not in duties}
    return ShakerKind(code=code, sections=_cited(prefix, duties), **fields)
