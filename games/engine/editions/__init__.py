"""The regulation editions: one dated TOML file each, with its citation beside every value.

The files lie in the folders of the games (`games.registry` adds them). An amendment is a new file with the same key
and a later date; the short key always means the newest one.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from importlib.resources.abc import Traversable
from typing import Any

from games.engine.editions.equipment import ApprovalRule, InspectionLine, Staffing, equipment_of
from games.engine.odds import Odds, Pays, Prize
from games.engine.refusals import Refusal

__all__ = [
    "ApprovalRule", "Edition", "InspectionLine", "Payout", "ShakerKind", "Staffing", "all_editions", "edition",
]  # fmt: skip

KEY = re.compile(r"(?P<key>[a-z0-9.-]+)(@(?P<date>\d{4}-\d\d-\d\d))?(/(?P<paytable>[A-Z]))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Payout:
    """One row of a paytable: what it pays, odds or a fixed sum, and the paragraph that sets it."""

    odds: Pays
    cite: str


@dataclass(frozen=True, slots=True)
class ShakerKind:
    """What an edition allows of one kind of shaker, and which order of steps goes with it."""

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

    Its text is in force from `in_force_from`; `chapter_from` is the earlier day on which its chapter began, where
    sections of it were amended since. `dice_size_um` is the side of a die in micrometres, 0 where the text names no
    size; `cameras` is the least number of fixed cameras at a table, under the section "cameras". `places` is the most
    players that a table has places for, 0 where the text names no number.
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
    no_rolls: Mapping[str, str]  # why a throw may be void where it is thrown again, each with its section
    limit_floors: Mapping[str, int]  # of an aggregate payout limit: "cents", and "times" the table minimum
    inspection: tuple[InspectionLine, ...]  # in the order in which a floorperson walks the table
    approvals: tuple[ApprovalRule, ...]
    staffing: Staffing
    dice_size_um: int
    cameras: int
    places: int


_folders: list[Traversable] = []


def add_folder(folder: Traversable) -> None:
    """Add the editions of a folder."""
    _folders.append(folder)
    _forget_editions()


def remove_folder(folder: Traversable) -> None:
    """Take the editions of a folder out again, for tests."""
    _folders.remove(folder)
    _forget_editions()


def _forget_editions() -> None:
    for cached in (all_editions, edition, duties):
        cached.cache_clear()


@lru_cache(maxsize=1)
def duties() -> frozenset[str]:
    """Every duty that any edition names."""
    return frozenset(duty for edition in all_editions().values() for duty in edition.sections)


@lru_cache(maxsize=1)
def all_editions() -> Mapping[str, Edition]:
    """Every edition by its dated key, oldest first."""
    files = [
        tomllib.loads(file.read_text("utf-8"))
        for folder in _folders
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    ]
    files.sort(key=lambda data: (data["key"], data["in_force_from"]))
    return {edition.key: edition for data in files for edition in _editions(data)}


@lru_cache(maxsize=256)
def edition(key: str) -> Edition:
    """The edition of a rules key, dated or short.

    Raises `no-such-rules`, or `which-paytable` where the key leaves the paytable open.
    """
    match = KEY.fullmatch(key)
    if match is None:
        raise Refusal("no-such-rules", rules=key[:60])
    matching = [edition for edition in all_editions().values() if _matches(edition, match)]
    if not matching:
        raise Refusal("no-such-rules", rules=key[:60])
    newest = [edition for edition in matching if edition.in_force_from == matching[-1].in_force_from]
    if len(newest) > 1:
        raise Refusal("which-paytable", newest[0].sections["odds"], rules=key[:60])
    return newest[0]


def _matches(edition: Edition, match: re.Match[str]) -> bool:
    return (
        edition.short_key.split("/")[0] == match["key"]
        and match["date"] in (None, edition.in_force_from.isoformat())
        and match["paytable"] in (None, edition.paytable)
    )


def _editions(data: dict[str, Any]) -> Iterator[Edition]:
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
    """The full citation; one that begins with a digit stands in the edition's own chapter."""
    return (
        f"{prefix}{section}"
        if section[0].isascii() and section[0].isdigit() and " " not in section
        else section
    )


def _cited(prefix: str, sections: Mapping[str, str]) -> dict[str, str]:
    return {name: _cite(prefix, section) for name, section in sections.items()}


def _payout(prefix: str, row: Mapping[str, str]) -> Payout:
    pays = Prize.parse(row["pays"]) if "pays" in row else Odds.parse(row["odds"])
    return Payout(pays, _cite(prefix, row["cite"]))


def _shaker(prefix: str, code: str, row: Mapping[str, Any]) -> ShakerKind:
    duties = {duty: row[duty] for duty in ("no-more-bets", "shake")}
    fields = {name: value for name, value in row.items() if name not in duties}
    return ShakerKind(code=code, sections=_cited(prefix, duties), **fields)
