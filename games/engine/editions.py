"""The regulation editions: one dated TOML file each, with its citation beside every value.

The files are in the folders of the games (`games.registry` adds them). An amendment is a new file with the same key
and a later date; the short key always means the newest one. An edition says what each wager pays, which shakers it
allows, and what it requires of the equipment, the opening inspection and the staff of a table.

A jurisdiction that adopts the terms of another one writes no paytable again (`derive`): it names the edition under
`like`, and its own prefix. Every citation outside the chapter, and every body that approves, needs its own under
`in_place_of`, so that no section of the other jurisdiction is ever cited.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache, partial
from importlib.resources.abc import Traversable
from itertools import chain
from typing import Any

from games.engine.odds import Odds, Pays, Prize
from games.engine.refusals import NO_SUCH_RULES, WHICH_PAYTABLE, Refusal

__all__ = [
    "ApprovalRule", "Edition", "InspectionLine", "Payout", "ShakerKind", "Staffing", "all_editions", "edition",
]  # fmt: skip
KEY = re.compile(r"(?P<key>[a-z0-9.-]+)(@(?P<date>\d{4}-\d\d-\d\d))?(/(?P<paytable>[A-Z]))?", re.ASCII)
# When a line or an approval is required; "" is always.
CONDITIONS = frozenset(
    {
        "",
        "automated",  # the table has an automated or player-activated shaker
        "manual",
        "covered",  # an automated shaker with a cover of its own
        "odds-not-on-layout",
        "payout-limit",  # a payout limit is filed
        "limit-not-on-layout",
    }
)
Cite = Callable[[str], str]


# What an edition has


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


@dataclass(frozen=True, slots=True)
class InspectionLine:
    """One line that the floorperson confirms before a table opens; `when` is one of CONDITIONS."""

    code: str
    section: str
    when: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalRule:
    """An approval that must be on file and in effect before a table opens.

    `body` approves it, "" if the text requires it to be recorded and names nobody. `lines` are what the recording
    person confirms, each with its full citation. `when` is one of CONDITIONS; rules of one subject never apply
    together.
    """

    subject: str
    section: str
    body: str
    when: str = ""
    lines: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Staffing:
    """Who must be at the table.

    `span` is the most tables that one floorperson may supervise while one of them is of this edition, 0 if it names
    none; the games of `never_with` (codes) may not be among them. "" means that the text says nothing.
    """

    span: int
    never_with: frozenset[str]


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


# Where editions come from


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


# Looking one up


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


# Reading a file


def read(data: Document) -> Iterator[Edition]:
    """Return the editions in one file: one for each paytable, or a single one with floors and fixed odds.

    Raises ValueError for an unknown condition.
    """
    tables = data.get("paytables") or {None: {**data.get("floors", {}), **data["fixed"]}}
    cite = partial(_cite, data["prefix"])
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
            inspection=tuple(_line(row, cite) for row in data.get("inspection", ())),
            approvals=tuple(_approval(row, cite) for row in data.get("approvals", ())),
            staffing=_staffing(data.get("staffing", {})),
            dice_size_um=data.get("dice_size_um", 0),
            cameras=data.get("cameras", 0),
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


def _line(row: Mapping[str, str], cite: Cite) -> InspectionLine:
    return InspectionLine(row["code"], cite(row["section"]), _when(row))


def _approval(row: Mapping[str, Any], cite: Cite) -> ApprovalRule:
    lines = {code: cite(section) for code, section in row.get("lines", {}).items()}
    return ApprovalRule(row["subject"], cite(row["section"]), row["body"], _when(row), lines)


def _staffing(row: Mapping[str, Any]) -> Staffing:
    never_with: Iterable[str] = row.get("never_with", ())
    return Staffing(row.get("span", 0), frozenset(never_with))


def _when(row: Mapping[str, Any]) -> str:
    when: str = row.get("when", "")
    if when not in CONDITIONS:
        raise ValueError(f"unknown condition: {when}")
    return when


# The terms of another edition under sections of its own


# What each document says of itself; nothing of it is taken over.
OWN = ("key", "title", "source", "in_force_from", "prefix")
OWN_OR_ABSENT = ("jurisdiction", "chapter_from", "lapses_on")
# Where a document has citations and bodies: in these tables, and under these names.
CITED = frozenset(
    {"sections", "wagers", "no_rolls", "lines", "section", "cite", "body", "no-more-bets", "shake"}
)


def complete(document: Document) -> Document:
    """Return a document with the terms of the edition that it names under `like`, by its dated key.

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


def derive(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The terms of `base` with the sections of `own`, whose other keys replace those of `base`.

    Raises ValueError for a citation or body of `base` that is missing in the table `in_place_of`.
    """
    replacements: Mapping[str, str] = own.get("in_place_of", {})
    absent = [name for name in OWN if name not in own]
    if absent:
        raise ValueError(f"an edition lacks {', '.join(absent)}")
    missing: list[str] = []

    def replace(text: str) -> str:
        if text in replacements:
            return replacements[text]
        if text and not is_in_chapter(text):
            missing.append(text)
        return text

    terms = {
        name: value for name, value in base.items() if name not in {*OWN, *OWN_OR_ABSENT} and name not in own
    }
    document: dict[str, Any] = _replaced(terms, replace) | {
        name: value for name, value in own.items() if name not in ("like", "in_place_of")
    }
    if missing:
        listed = "; ".join(dict.fromkeys(missing))
        raise ValueError(f"the edition {own['key']} has nothing in place of: {listed}")
    return document


def is_in_chapter(section: str) -> bool:
    """Whether a citation belongs to the edition's own chapter: it begins with a digit."""
    return section[:1].isascii() and section[:1].isdigit() and " " not in section


def _replaced(value: Any, replace: Callable[[str], str], is_cited: bool = False) -> Any:
    if isinstance(value, str):
        return replace(value) if is_cited else value
    if isinstance(value, list):
        return [_replaced(item, replace, is_cited) for item in value]
    if isinstance(value, dict):
        return {name: _replaced(item, replace, is_cited or name in CITED) for name, item in value.items()}
    return value
