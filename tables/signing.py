"""Signing a paper as the next one of its list: one act at a table, one for papers of the facility.

The list, who is next, and who may not sign are in `games.separation.signatures`. Who signs is the second person of the
act, with their own PIN, or who is signed in where nobody else signs. A page lists what lacks a signature
(`waiting_at`), and its dialog is templates/tables/parts/dialog_sign_paper.html.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

from django.db.models import QuerySet
from django.urls import reverse

from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry, Person
from games.act_forms import one_of, whole
from games.engine import Refusal
from games.models import Facility
from games.separation.signatures import (
    NO_SUCH_PAPER,
    PAPER_SIGNED,
    PAPERS,
    HasRight,
    UnsignedPaper,
    nobody_at_post,
    sign,
    unsigned_papers,
)
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE, CAGE, FLOOR
from tables.core.entries import entry_bodies
from tables.models import Assignment, Table
from tables.runner.facility import STAFF, FacilityContext, facility_act
from tables.runner.signatures import is_at_post
from tables.runner.table import ActOutcome, act, act_without_post

MAX_NUMBER = 2**31 - 1
# Who is signed in where a paper is signed. The list of the paper says who signs: they themselves, or the second person.
AT_TABLES = AT_THE_TABLE | CAGE | {"security", "surveillance", "compliance"}
AT_FACILITY = FLOOR | CAGE | {"security", "surveillance", "compliance"}


_Number = Annotated[int, whole(1, MAX_NUMBER)]


def _codes(*, at_tables: bool) -> list[str]:
    return [code for code, paper in PAPERS.items() if paper.is_listed and (not paper.place) is at_tables]


# A number is of a paper at its table, or of one of the facility
_PaperAtTable = Annotated[str, one_of(lambda: _codes(at_tables=True))]
_PaperOfFacility = Annotated[str, one_of(lambda: _codes(at_tables=False))]


@act(roles=AT_TABLES, witness=True, depends_on="nothing")
@act_without_post
def sign_paper(ctx: TableContext, *, paper: _PaperAtTable, number: _Number) -> ActOutcome:
    """Sign a paper of this table as the next one of its list. The second person signs, or the actor alone.

    Raises what `games.separation.signatures.sign` does, and `no-such-paper`.
    """
    facility, signer = ctx.table.facility, ctx.witness or ctx.actor
    assert signer is not None
    return _sign(ctx, facility, ctx.table.code, paper, number, signer, table=ctx.table)


@facility_act(STAFF, roles=AT_FACILITY, witness=True)
def sign_facility_paper(ctx: FacilityContext, *, paper: _PaperOfFacility, number: _Number) -> ActOutcome:
    """Sign a paper of the facility, such as a handover, as the next one of its list. Raises as `sign_paper`."""
    return _sign(ctx, ctx.facility, PAPERS[paper].place, paper, number, ctx.witness or ctx.actor)


def _sign(
    ctx: TableContext | FacilityContext,
    facility: Facility,
    place: str,
    code: str,
    number: int,
    signer: Person,
    *,
    table: Table | None = None,
) -> ActOutcome:
    paper = PAPERS[code]
    row = paper.numbered(facility, place, number)
    if row is None:
        raise Refusal(NO_SUCH_PAPER, paper=paper.title.lower(), number=number)
    entry = sign(ctx, paper, row, signer, is_at_post(table) if table else nobody_at_post)
    return ActOutcome(entry, {"signature": entry.data["signature"]}, changes="nothing")


# What a page lists


@dataclass(frozen=True)
class WaitingPaper:
    """A paper that somebody signs next by themselves, as a page shows it to a person.

    `signs_alone`: whether the person who looks signs it. `signers`: who else on duty may sign it, at this device.
    `may_be_signed`: whether the person who looks is on duty there, so that an act of theirs counts.
    """

    unsigned: UnsignedPaper
    signs_alone: bool
    signers: tuple[Person, ...]
    may_be_signed: bool = True

    @property
    def id(self) -> str:
        """Of its element on a page."""
        return f"{self.unsigned.paper.code}-{self.unsigned.number}"

    @property
    def address(self) -> str:
        """The address of the act that signs it."""
        facility, place, _number = self.unsigned.paper.key(self.unsigned.row)
        if self.unsigned.paper.place:
            return reverse("facility-act", args=[facility.code, sign_facility_paper.__name__])
        return reverse("act", args=[facility.code, place, sign_paper.__name__])


def waiting_at(table: Table, person: Person) -> list[WaitingPaper]:
    """Return the papers of a table that somebody signs next by themselves, as this person sees them."""
    papers = list(unsigned_papers(table.facility, table.code))
    on_duty = _on_duty(Assignment.objects.at(table)) if papers else []
    return [_waiting(paper, person, on_duty, is_at_post(table)) for paper in papers]


def waiting_for(paper: UnsignedPaper, facility: Facility, person: Person) -> WaitingPaper:
    """Return one paper that somebody on duty at a facility signs next, as this person sees it."""
    table = Table.objects.filter(facility=facility, code=paper.place).first()
    if table is None:
        return _waiting(paper, person, _on_duty(Assignment.objects.at_facility(facility)), nobody_at_post)
    return _waiting(paper, person, _on_duty(Assignment.objects.at(table)), is_at_post(table))


def _on_duty(duty: QuerySet[Assignment]) -> list[Person]:
    people = Person.objects.filter(assignments__in=duty, is_active=True)
    return list(people.distinct().order_by("name", "pk"))


def _waiting(paper: UnsignedPaper, person: Person, on_duty: list[Person], at_post: HasRight) -> WaitingPaper:
    others = (other for other in on_duty if other.pk != person.pk and paper.may_sign(other, at_post))
    is_here = person in on_duty
    return WaitingPaper(paper, is_here and paper.may_sign(person, at_post), tuple(others), is_here)


# What a full verification finds


SIGNED_TWICE = declare_finding(
    "paper-signed-twice", "%(stream)s: %(signer)s signed %(name)s more than once, last with entry %(seq)s."
)
SIGNED_OUT_OF_ORDER = declare_finding(
    "paper-signed-out-of-order", "%(stream)s: %(name)s was signed out of order, with entry %(seq)s."
)
SIGNED_BY_NOBODY = declare_finding(
    "paper-signed-by-nobody", "%(stream)s: %(signer)s neither acted nor entered a PIN in entry %(seq)s."
)


@record_check
def check_signatures(tick: Callable[[], None]) -> Iterator[Finding]:
    """Check each further signature: by somebody of its entry, in the order of the list, by nobody twice.

    The people of a paper's steps count too.
    """
    newest: dict[tuple[str, str, int], int] = {}
    signers: dict[tuple[str, str, int], set[str]] = {}
    for body in entry_bodies(Entry.objects.filter(type=PAPER_SIGNED.name)):
        tick()
        data, stream = body["data"], body["stream"]
        paper = (stream, data["paper"], data["number"])
        where = {"stream": stream, "name": data["name"], "seq": body["seq"], "signer": data["signer"]}
        if data["signer"] not in (body["actor"], body["witness"]):
            yield Finding(SIGNED_BY_NOBODY, where)
        if data["signature"] <= newest.get(paper, 0):
            yield Finding(SIGNED_OUT_OF_ORDER, where)
        if data["signer"] in signers.setdefault(paper, _signers_of_steps(*paper)):
            yield Finding(SIGNED_TWICE, where)
        newest[paper] = data["signature"]
        signers[paper].add(data["signer"])


def _signers_of_steps(stream: str, code: str, number: int) -> set[str]:
    """The codes of who signed the steps of a paper, by its row; the columns of the row have a check of their own."""
    facility_code, _slash, place = stream.partition("/")
    facility, paper = Facility.objects.filter(code=facility_code).first(), PAPERS.get(code)
    row = paper.numbered(facility, place, number) if facility and paper else None
    if paper is None or row is None:
        return set()
    people = (person for step in paper.steps(row).values() for person in step.people)
    return {person.code for person in people if person is not None}
