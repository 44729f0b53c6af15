"""What each jurisdiction requires: sections cited, bodies that approve, languages, documents, notice times.

A jurisdiction is one TOML file, in this folder or in a folder of the setting `JURISDICTION_DIRS`. A duty without a
section is a practice of the casino: the same steps are taken, and no law is cited. The file may contain editions of
games too. `Facility.law` is the jurisdiction of a facility. A malformed file is left out, and the system check says
why (`games/checks.py`).
"""

import dataclasses
import datetime as dt
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, get_type_hints

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from audit.models import Department, Role
from games.engine import Refusal, editions
from games.engine.editions import Document
from games.registry import GAMES

FOLDER = Path(__file__).parent
CODE = re.compile(r"[A-Z0-9-]{1,8}", re.ASCII)
PRACTICE_NOTICE_MINUTES = 30  # of a change of limits
PRACTICE_SUM_MINUTES = 60  # within which the sums of a signer or a seat count together
# How a second person controls what a row of the policy covers.
CHANGE = "change"  # prepared by one person, and done when another approves it later
SIGNATURE = "signature"  # both sign the same act
ALONE = "alone"  # one person of these roles does it, and nobody else
REVIEW = "review"  # done, and reviewed within a time
CONTROLS = (CHANGE, SIGNATURE, ALONE, REVIEW)
AT_ONCE = (SIGNATURE, ALONE)  # nothing waits for a second person
# The controls that the acts of a subject support; those of every other subject are changes.
CONTROLS_OF_SUBJECT = {
    "dice": (SIGNATURE,),
    "credits": (SIGNATURE,),
    "pars": (SIGNATURE,),
    "limits": AT_ONCE,
    "chips": (SIGNATURE,),
    "duties": (SIGNATURE,),
    "ratings": (SIGNATURE,),
    "no-rolls": (SIGNATURE,),
    "rethrows": (SIGNATURE,),
    "hand-settled-rounds": (SIGNATURE,),
    "unlocks": (SIGNATURE,),
    "revocations": (SIGNATURE,),
    "exclusions": AT_ONCE,
    "admissions": AT_ONCE,
    "erasures": AT_ONCE,
    "corrections": (REVIEW,),
}
# The subjects that one person prepares and another approves later: further people sign such a change before.
CHANGES = (
    *("rules", "guides", "signs", "permissions", "requests", "equipment"),
    *("people", "leaves", "devices", "clients", "webhooks", "review-sum"),
)
APPROVAL = "approval"  # the step of a change
# The steps of each paper that people sign: by these acts, in this order. Further signers sign by themselves.
STEPS_OF_PAPER: Mapping[str, tuple[str, ...]] = {
    "fill": ("hand-over", "receipt"),
    "credit": ("carry", "hand-over", "receipt"),
    "inventory": ("opener", "count", "closer"),
    "drop-box": ("put-on", "take-off", "count"),
    "handover": ("signature",),
    "outcome": ("signature",),  # of a case, and the letter that tells it
    **dict.fromkeys(CHANGES, (APPROVAL,)),
}
# Papers that are made by their first step, so that nobody signs them before it.
MADE_BY_FIRST_STEP = frozenset({"inventory", "drop-box", "handover", "outcome"})
MOST_POST = 40  # characters of the name of a place
SIGNERS = FOLDER.parent / "separation" / "signers.toml"
SUBJECTS = ("submissions", "guides", "signs", "requests")  # what a body approves
# Hours until a case of each kind is due, and the daily report is to be accepted: practice of the casinos. An `approval`
# is opened so many hours before it ends.
PRACTICE_CASE_HOURS = {
    "dispute": 24, "slip": 24, "lockout": 12, "approval": 240, "limits": 24, "band": 72, "integrity": 4, "other": 72,
    "chips": 24, "dice": 24, "report": 9,
}  # fmt: skip
# What is kept for a time: the entries, what was filed about rules, slips, dice, people, cases, and exported files.
KEPT_KINDS = ("record", "rules", "slips", "dice", "people", "cases", "players", "exports")
PRACTICE_YEARS = 5  # that the casinos keep what no text names
# Every duty that a file may cite a section for.
DUTIES = frozenset({
    "limits", "limits.change", "limits.nobody-plays", "limits.notice", "limits.sign", "limits.announcement",
    "limits.outside",
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
    "custody.count",
    "corrections.review",
    "readings.automatic",
    "results.approved",
    "inventory", "inventory.opener", "inventory.transfer", "inventory.count", "inventory.drop", "inventory.closer",
    "inventory.discrepancy",
    "providers", "providers.class", "providers.innovation", "providers.patent", "providers.license", "package",
    "package.form", "package.copy", "package.fee", "package.release", "package.statement", "package.general",
    "providers.costs", "providers.individuals", "providers.officers", "providers.owners", "providers.salespeople",
    "providers.entities", "providers.named", "providers.temporary", "providers.temporary-need",
    "providers.temporary-company", "providers.permanent", "providers.term", "providers.renewal",
    "providers.continued", "providers.cooperation", "providers.changes", "providers.list", "services",
    "services.laboratory", "services.costs", "services.approval", "services.certified", "interim.application",
    "interim.diligence", "interim.acknowledgement", "interim.steps", "interim.rescission", "interim.notice",
    "providers.investigation", "providers.finding", "providers.violation",
    *(f"retention.{kind}" for kind in KEPT_KINDS),
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
    review_ends: bool = True  # whether the end of the review of a request can be counted


@dataclass(frozen=True)
class CustodyRules:
    """By when dice are counted and destroyed. Who signs for them is the row `dice` of the policy.

    `count_days`: days between two physical counts. `destruction_hours`: hours from the end of play, or from the
    rejection, until a lot is canceled or destroyed. 0: no deadline.
    """

    count_days: int = 0
    destruction_hours: int = 0


@dataclass(frozen=True)
class MoneyRules:
    """What bounds the chips of a table: practice of the casinos, which the file of a jurisdiction may set otherwise.

    `fill_percent`: chips of a denomination that fills under way may have together, in percent of the par's.
    `tray_percent`: what the tray may be worth with them, in percent of the par. `refused_counts`: from so many refused
    counts of a slip on the floor and surveillance are alerted.
    """

    fill_percent: int = 100
    tray_percent: int = 200
    refused_counts: int = 2


@dataclass(frozen=True)
class ReadingRules:
    """Whether what a dice reader read is the call, without the dealer: only where a text approves automatic results.

    `least_confidence`: in percent; what the reader is less sure of waits for the dealer.
    """

    automatic: bool = False
    least_confidence: int = 100


@dataclass(frozen=True)
class ResultRules:
    """Whether signs may show patrons the results of ended rounds.

    `approved`: a text lets every casino show them. Otherwise only a casino with a recorded permission does
    (`record_board_permission`).
    """

    approved: bool = False


@dataclass(frozen=True)
class SeparationRow:
    """Who prepares one subject, who approves it, and who is told: roles, each in the department where it counts.

    `covers`: what is prepared, in words. `control`: how the second person controls it. `hours`: until when it is to be
    approved or reviewed; 0 for a signature. `section`: "" for a practice. `alone`: who does it without a second person,
    for people of their own department. `signed_by_own_department`: anybody of the department that it is about signs
    too. `first_from_cents`: from this sum on it is reviewed before any money moves; 0: never. `free_count`: so many in
    `free_minutes` by one person (`unlocks`: of one person or device) need no signature; 0: each needs one.
    `alert_count`: from so many in `alert_minutes` by one person on, there is an alert; 0: never. `within_hours`: how
    old what is corrected may be; 0: of any age. `at_any_time`: with the signature of one of these it may be older, and
    of tables that the other person does not supervise. `sum_minutes`: what the same person signed, or the same seat
    got, within so many minutes counts together for `first_from_cents`.
    """

    title: str
    covers: str
    prepare: Mapping[str, str]
    approve: Mapping[str, str]
    told: tuple[str, ...]
    hours: int
    section: str = ""
    control: str = CHANGE
    alone: Mapping[str, str] = field(default_factory=dict)
    signed_by_own_department: bool = False
    first_from_cents: int = 0
    free_count: int = 0
    free_minutes: int = 0
    alert_count: int = 0
    alert_minutes: int = 0
    within_hours: int = 0
    at_any_time: Mapping[str, str] = field(default_factory=dict)
    sum_minutes: int = PRACTICE_SUM_MINUTES

    @property
    def time(self) -> dt.timedelta:
        """The time until it is to be approved or reviewed."""
        return dt.timedelta(hours=self.hours)

    @property
    def sum_time(self) -> dt.timedelta:
        """The time within which sums count together."""
        return dt.timedelta(minutes=self.sum_minutes)


@dataclass(frozen=True)
class SignerRow:
    """A place on a paper that somebody signs: who does, with which act, and how the paper says it.

    `paper` is one of `STEPS_OF_PAPER`, `post` the name of the place, such as Floorperson. Somebody of `roles` signs, or
    whom the row `row` of the policy names as its second person; with `at_post` only who works at a post of the table.

    `step`: the act of the paper by which they sign, with who else signs that step. Without one they sign by themselves
    (`sign_paper`): after the last step, or before that of `before`, which then waits for them. Only papers of gaming
    days from `since` on need such a signature. `note`: how they sign, in words on the paper. `section`: "" for a
    practice.
    """

    paper: str
    post: str
    roles: tuple[str, ...] = ()
    row: str = ""
    step: str = ""
    before: str = ""
    at_post: bool = False
    since: dt.date | None = None
    note: str = "by their own PIN"
    section: str = ""


@dataclass(frozen=True)
class Jurisdiction:
    """One jurisdiction, as its file says. `citation_prefixes` are cut from citations on screens."""

    code: str
    name: str
    citation_prefixes: tuple[str, ...]
    languages: tuple[str, ...]
    gaming_day_start: dt.time
    notice_minutes: int  # of a change of limits, as the guide states it; 0: the guide says nothing
    review_days: int  # calendar days of a review; where the text sets none, those the casinos count with
    certifies_providers: bool
    # Whether the office reads the editions of other jurisdictions too, in odds sheets and requests.
    reads_other_editions: bool = field(default=False, kw_only=True)
    # Whether games/regulations/clauses.yaml has its clauses.
    clauses_in_catalog: bool = field(default=False, kw_only=True)
    # Hours until a case is due, by its kind, where they differ from the practice.
    cases: Mapping[str, int] | None = field(default=None, kw_only=True)
    bodies: Mapping[str, str]
    sections: Mapping[str, str]
    guide: GuideRules
    requests: RequestRules
    retention_years: Mapping[str, int] = field(default_factory=dict)  # by kind; others are kept by practice
    custody: CustodyRules = CustodyRules()
    money: MoneyRules = MoneyRules()
    readings: ReadingRules = ReadingRules()
    results: ResultRules = ResultRules()
    editions: tuple[Document, ...] = ()
    # Rows that replace those of games/separation/practice.toml.
    separation: Mapping[str, SeparationRow] = field(default_factory=dict, kw_only=True)
    # Who signs papers beside those of games/separation/signers.toml, or instead of one of them.
    signatures: tuple[SignerRow, ...] = field(default=(), kw_only=True)

    def signers(self, paper: str) -> tuple[SignerRow, ...]:
        """Who signs a paper here, in order. KeyError for a paper that nobody knows."""
        own = {(row.step, row.post): row for row in self.signatures if row.paper == paper}
        signers = [own.pop((row.step, row.post), row) for row in practice_signers(paper)]
        for row in own.values():
            steps = [signer.step for signer in signers]
            signers.insert(steps.index(row.before) if row.before else len(signers), row)
        return tuple(signers)

    def further_signers(self, paper: str) -> tuple[SignerRow, ...]:
        """Who signs a paper by themselves, beside its steps, in order."""
        return tuple(row for row in self.signers(paper) if not row.step) if self.signatures else ()

    def section(self, duty: str) -> str:
        """The citation of a duty, "" where it is a practice of the casino. KeyError for a duty that nobody knows."""
        if duty not in DUTIES:
            raise KeyError(duty)
        return self.sections.get(duty, "")

    @property
    def limits_notice(self) -> dt.timedelta:
        """The notice of a change of limits; the practice of the casinos where the text sets none (reading A45)."""
        return dt.timedelta(minutes=self.notice_minutes or PRACTICE_NOTICE_MINUTES)

    def case_time(self, kind: str) -> dt.timedelta:
        """The time until a case of this kind is due. KeyError for an unknown kind."""
        return dt.timedelta(hours=(self.cases or {}).get(kind) or PRACTICE_CASE_HOURS[kind])

    def years_kept(self, kind: str) -> int:
        """How many years a kind of record is kept at least; by the practice of the casinos where the file is silent."""
        return self.retention_years.get(kind, PRACTICE_YEARS)

    def body(self, subject: str) -> str:
        """The body that approves a subject: `submissions`, `guides`, `signs` or `requests`."""
        return self.bodies[subject]


# The tables of a file that are classes of their own.
PARTS = (GuideRules, RequestRules, CustodyRules, MoneyRules, ReadingRules, ResultRules)


@dataclass(frozen=True)
class Problem:
    """A file or folder that cannot be read, and why."""

    path: Path
    reason: str


def jurisdiction(code: str) -> Jurisdiction:
    """The jurisdiction with this code. Raises ImproperlyConfigured for a code without a file."""
    law = all_jurisdictions().get(code)
    if law is None:
        raise ImproperlyConfigured(
            f"There is no jurisdiction {code}. Known are {', '.join(all_jurisdictions())}. Add its file to a folder of "
            "JURISDICTION_DIRS; `manage.py check` tells of a file that cannot be read."
        )
    return law


def all_jurisdictions() -> dict[str, Jurisdiction]:
    """Every jurisdiction by its code."""
    return _load()[0]


def problems() -> list[Problem]:
    """The files and folders that cannot be read."""
    return _load()[1]


@lru_cache(maxsize=1)
def _load() -> tuple[dict[str, Jurisdiction], list[Problem]]:
    laws: dict[str, Jurisdiction] = {}
    problems: list[Problem] = []
    for folder in (FOLDER, *map(Path, settings.JURISDICTION_DIRS)):
        if not folder.is_dir():
            problems.append(Problem(folder, "is no folder"))
        for path in sorted(folder.glob("*.toml")):
            try:
                law = read(path)
            except (OSError, ValueError) as error:
                problems.append(Problem(path, str(error)))
                continue
            keys = {document["key"] for law in laws.values() for document in law.editions}
            if law.code in laws:
                problems.append(Problem(path, f"there is another file of {law.code}"))
            elif twice := sorted(keys & {document["key"] for document in law.editions}):
                problems.append(Problem(path, f"another file has editions {', '.join(twice)}"))
            else:
                laws[law.code] = law
    return laws, problems


def roles_added_to(paper: str) -> frozenset[str]:
    """Every role that the file of any jurisdiction lets sign a paper, beside the trade's."""
    rows = (row for law in all_jurisdictions().values() for row in law.signatures)
    return frozenset(role for row in rows if row.paper == paper for role in row.roles)


def forget() -> None:
    """Read all files again."""
    _load.cache_clear()
    editions.forget()


def is_body(entered: str, body: str) -> bool:
    """Whether a person entered this body, with or without its article."""
    return entered.removeprefix("The ") == body


def edition_documents() -> Iterator[Document]:
    """The editions that the files hold, for `games.engine.editions`."""
    for law in all_jurisdictions().values():
        yield from law.editions


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
    """A jurisdiction from its file. Raises ValueError with everything that is wrong with the file."""
    values = tomllib.loads(path.read_text("utf-8"))
    law: Jurisdiction = _build(Jurisdiction, values)
    wrong = [*_wrong_values(law)]
    documents = []
    for document in law.editions:
        try:
            documents.append(_edition(law.code, document))
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError("; ".join(wrong))
    return dataclasses.replace(law, editions=tuple(documents))


def read_separation(tables: Any) -> dict[str, SeparationRow]:
    """The rows of a policy table by subject. Raises ValueError for what is missing, unknown or of the wrong type."""
    if not isinstance(tables, Mapping):
        raise ValueError("separation is no table")
    rows = {subject: _build(SeparationRow, row, f"separation.{subject}.") for subject, row in tables.items()}
    if wrong := [reason for subject, row in rows.items() for reason in _wrong_row(subject, row)]:
        raise ValueError("; ".join(wrong))
    return rows


@lru_cache(maxsize=1)
def _practice_signers() -> tuple[SignerRow, ...]:
    """Who signs papers in the trade. Raises ValueError for a malformed file."""
    rows = _signer_rows(tomllib.loads(SIGNERS.read_text("utf-8"))["signatures"])
    if wrong := [reason for row in rows for reason in _wrong_signer(row)]:
        raise ValueError("; ".join(wrong))
    return rows


def practice_signers(paper: str) -> tuple[SignerRow, ...]:
    """Who signs a paper where the file of a jurisdiction says nothing else, in order.

    KeyError for a paper that nobody knows.
    """
    if STEPS_OF_PAPER[paper] == (APPROVAL,):
        return (SignerRow(paper, "Approval", row=paper, step=APPROVAL),)
    return tuple(row for row in _practice_signers() if row.paper == paper)


def _signer_rows(tables: Any) -> tuple[SignerRow, ...]:
    if not isinstance(tables, list):
        raise ValueError("signatures is no list of tables")
    return tuple(_build(SignerRow, row, "signatures.") for row in tables)


def _wrong_signer(row: SignerRow) -> Iterator[str]:
    where, steps = f"signatures: {row.paper}, {row.post}", STEPS_OF_PAPER.get(row.paper)
    if steps is None:
        yield f"{where} is no paper that is signed; known are {', '.join(STEPS_OF_PAPER)}"
        return
    if unknown := sorted({row.step, row.before} - {"", *steps}):
        yield f"{where} has no step {', '.join(unknown)}; known are {', '.join(steps)}"
    if APPROVAL in steps and not row.step and row.before != APPROVAL:
        yield f"{where} signs a change, so it is before its {APPROVAL}"
    if row.before == steps[0] and row.paper in MADE_BY_FIRST_STEP:
        yield f"{where} is before {row.before}, which makes the paper"
    if not 1 <= len(row.post) <= MOST_POST:
        yield f"{where} has no name of a place of at most {MOST_POST} characters"
    if bool(row.roles) == bool(row.row) or {*row.roles} - {*Role.values}:
        yield f"{where} names neither known roles nor a row, or both"
    if row.step and (row.before or row.since):
        yield f"{where} is signed by an act, so it is neither before another nor since a day"
    if not row.step and row.since is None:
        yield f"{where} names no day since which it is signed"


def _wrong_signers(law: Jurisdiction) -> Iterator[str]:
    """What is wrong with the signers of a file: a place of an act may be another's, and none is added to an act."""
    seen: set[tuple[str, str, str]] = set()
    for row in law.signatures:
        wrong = list(_wrong_signer(row))
        yield from wrong
        place = (row.paper, row.step, row.post)
        if place in seen:
            yield f"signatures: {row.paper}, {row.post} is there twice"
        seen.add(place)
        if wrong:
            continue
        known = {(signer.step, signer.post) for signer in practice_signers(row.paper)}
        if row.step and (row.step, row.post) not in known:
            yield f"signatures: nobody signs {row.paper} by its step {row.step} as {row.post}; leave the step out"


def _wrong_row(subject: str, row: SeparationRow) -> Iterator[str]:
    where, controls = f"separation.{subject}", CONTROLS_OF_SUBJECT.get(subject, (CHANGE,))
    if row.control not in controls:
        yield f"{where} is controlled by a {' or '.join(controls)}, not by a {row.control}"
    if not row.prepare or (not row.approve) != (row.control == ALONE):
        yield f"{where} names nobody who prepares, or nobody who approves, or a second person for what one does alone"
    if (row.hours == 0) != (row.control in AT_ONCE) or row.hours < 0 or row.first_from_cents < 0:
        yield f"{where} has no time, or time for a signature"
    for count, minutes in ((row.free_count, row.free_minutes), (row.alert_count, row.alert_minutes)):
        if min(count, minutes) < 0 or (count == 0) != (minutes == 0):
            yield f"{where} has a count without its minutes, or minutes without a count"
    if row.sum_minutes < 1:
        yield f"{where} counts sums within less than a minute"
    if row.within_hours < 0:
        yield f"{where} is to be corrected within a negative time"
    for roles in (row.prepare, row.approve, row.alone, row.at_any_time):
        if unknown := sorted({*roles} - {*Role.values}) + sorted({*roles.values()} - {*Department.values}):
            yield f"{where} names unknown roles or departments: {', '.join(unknown)}"
    if unknown := sorted({*row.told} - {*Role.values}):
        yield f"{where} tells unknown roles: {', '.join(unknown)}"


def _wrong_values(law: Jurisdiction) -> Iterator[str]:
    yield from _wrong_signers(law)
    if not CODE.fullmatch(law.code):
        yield f"the code {law.code} is not 1 to 8 capital letters, digits or hyphens"
    if law.money.fill_percent < 1 or law.money.tray_percent < 100 or law.money.refused_counts < 1:
        yield "money bounds a tray below its par, or fills and refused counts below one"
    if law.readings.automatic and not law.sections.get("readings.automatic"):
        yield "automatic results without the section that approves them (readings.automatic)"
    if law.results.approved and not law.sections.get("results.approved"):
        yield "results on signs without the section that approves them (results.approved)"
    if not 1 <= law.readings.least_confidence <= 100:
        yield "readings.least_confidence is no percentage from 1 to 100"
    if unknown := sorted(law.sections.keys() - DUTIES):
        yield f"sections of unknown duties: {', '.join(unknown)}"
    if missing := [subject for subject in SUBJECTS if not law.bodies.get(subject)]:
        yield f"no body for {', '.join(missing)}"
    if unknown := sorted(part for part in law.requests.parts_always if f"requests.{part}" not in DUTIES):
        yield f"unknown parts of a request: {', '.join(unknown)}"
    if unknown := sorted(law.retention_years.keys() - set(KEPT_KINDS)):
        yield f"retention of unknown kinds: {', '.join(unknown)}"
    if any(years < 1 for years in law.retention_years.values()):
        yield "retention of less than a year"
    if not law.languages:
        yield "no language"
    if unknown := sorted((law.cases or {}).keys() - PRACTICE_CASE_HOURS.keys()):
        yield f"unknown kinds of cases: {', '.join(unknown)}"
    if any(hours <= 0 for hours in (law.cases or {}).values()):
        yield "a case that is due at once"
    for name in ("notice_minutes", "review_days"):
        if getattr(law, name) < 0:
            yield f"{name} is negative"
    if law.custody.count_days < 0 or law.custody.destruction_hours < 0:
        yield "a deadline of the dice is negative"


def _edition(code: str, document: Document) -> Document:
    """A complete document of an edition, tried out. Raises ValueError."""
    if "jurisdiction" in document:
        raise ValueError("an edition in the file of a jurisdiction names none")
    completed = {**editions.complete(document), "jurisdiction": code}
    try:
        tuple(editions.read(completed))
    except (Refusal, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"the edition {completed.get('key')} is malformed: {error!r}") from error
    if completed["game"] not in GAMES:
        raise ValueError(f"the edition {completed['key']} is of an unknown game, {completed['game']}")
    return completed


def _build(kind: Any, values: Any, where: str = "") -> Any:
    """A frozen class from a table. Raises ValueError for keys that are missing, unknown or of the wrong type."""
    if not isinstance(values, Mapping):
        raise ValueError(f"{where} is no table")
    hints, wrong = get_type_hints(kind), []
    built: dict[str, Any] = {}
    declared = {declaration.name: declaration for declaration in fields(kind)}
    wrong += [f"unknown key {where}{name}" for name in sorted(values.keys() - declared.keys())]
    for name, declaration in declared.items():
        if name not in values:
            if declaration.default is MISSING and declaration.default_factory is MISSING:
                wrong.append(f"missing key {where}{name}")
        elif hints[name] == Mapping[str, SeparationRow]:
            built[name] = read_separation(values[name])
        elif hints[name] == tuple[SignerRow, ...]:
            built[name] = _signer_rows(values[name])
        elif hints[name] in PARTS:
            built[name] = _build(hints[name], values[name], f"{name}.")
        elif (value := _typed(hints[name], values[name])) is None:
            wrong.append(f"{where}{name} is of the wrong type")
        else:
            built[name] = value
    if wrong:
        raise ValueError("; ".join(wrong))
    return kind(**built)


def _typed(hint: Any, value: Any) -> Any:
    """The value as its field holds it: a list as a tuple, so that what is frozen stays so. None for another type."""
    if hint == tuple[str, ...]:
        is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return tuple(value) if is_list else None
    if hint == tuple[Document, ...]:
        is_list = isinstance(value, list) and all(isinstance(item, dict) for item in value)
        return tuple(value) if is_list else None
    if hint == Mapping[str, str]:
        is_table = isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
        return value if is_table else None
    if hint == (dt.date | None):
        return value if type(value) is dt.date else None
    if hint in (Mapping[str, int], Mapping[str, int] | None):
        is_table = isinstance(value, dict) and all(type(item) is int for item in value.values())
        return value if is_table else None
    return value if type(value) is hint else None
