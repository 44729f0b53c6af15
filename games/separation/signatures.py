"""Signatures on papers: one list of places a paper, from the rows of the jurisdiction, and who signs each.

A paper is a fill or a credit, an inventory, a drop box, a handover, the outcome of a case, a prepared change.
`signers.toml` has its places in order, and a row of `[[signatures]]` in the file of a jurisdiction adds one, without a
line of code:

    [[signatures]]
    paper = "fill"
    post = "Pit manager"
    roles = ["pit-manager", "shift-manager"]
    since = 2026-12-01

1. The acts of a paper are its steps, such as the receipt of a fill. The people of a step sign together: one is signed
   in, the other enters their own PIN (`fitting`).
2. Whom a row without a step names signs by themselves, as the next one of the list (`next_signature`), with one act for
   all papers (`sign`, which writes `paper.signed`): after the last step, or before the step that waits for them.
3. A paper is complete once each place is signed, each by somebody else. What lacks a signature is `unsigned_papers`.

A paper is declared where its acts are, as a `Paper` in `PAPERS`. This module reads and writes rows of any paper, and
its caller holds the lock of the paper's stream.
"""

import datetime as dt
import itertools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Protocol, TypeVar

from django.db.models import Exists, Model, OuterRef, QuerySet, Value

from audit.columns import AT, FACILITY, PLACE, SEQ, declare
from audit.entry_types import EntryBody, entry_type
from audit.models import Person, Stream
from games.engine import Refusal, RefusalCode
from games.facility_runner import Forbidden
from games.jurisdictions import Jurisdiction, SignerRow
from games.models import Facility, PaperSignature
from games.separation import policy

R = TypeVar("R", bound=Model)
HasRight = Callable[[Person], bool]

NO_SUCH_PAPER = RefusalCode("no-such-paper", "There is no %(paper)s number %(number)s here.", "No such paper")
PAPER_IS_COMPLETE = RefusalCode(
    "paper-is-complete", "%(paper)s has every signature. Nobody else signs it.", "Complete"
)
PAPER_NOT_READY = RefusalCode(
    "paper-not-ready",
    "%(paper)s is not yet signed by the %(post)s. It is signed in the order of its list.",
    "Not ready",
)
PAPER_ENDED = RefusalCode("paper-ended", "%(paper)s was voided or canceled. Nobody signs it.", "Void")
PAPER_SIGNED_BY_YOU = RefusalCode(
    "paper-signed-by-you",
    "%(person)s has signed %(paper)s. Somebody else signs it as %(post)s: %(who)s.",
    "Signed already",
)
PAPER_SIGNED_NEXT_BY = RefusalCode(
    "paper-signed-next-by",
    "%(paper)s is signed next as %(post)s, by one of these: %(who)s. %(person)s is none of them.",
    "Not yours to sign",
)
SIGNATURE_MISSING = RefusalCode(
    "signature-missing",
    "%(paper)s lacks the signature of the %(post)s: %(who)s. Ask one of them to sign it first.",
    "Signature missing",
)


# What the record says of a signature


@entry_type("paper.signed")
def PAPER_SIGNED(
    *,
    paper: Annotated[str, "the paper, as the rows of the jurisdiction name it, such as fill"],
    number: Annotated[int, "number of the paper, such as of a fill at its table"],
    name: Annotated[str, "what people call it: `Fill F-0131`"],
    post: Annotated[str, "the place on the paper: `Pit manager`"],
    signer: Annotated[str, "code of the person who signed, signed in or with their own PIN"],
    signature: Annotated[int, "which signature of the paper it is, from 1"],
    complete: Annotated[bool, "whether the paper has every signature with this one"],
) -> str:
    """A further person signed a paper, as the next one of the list of its jurisdiction."""
    return f"{name}: signed as {post} by {signer}{', complete' if complete else ''}"


declare(
    PaperSignature,
    "signature",
    key={"facility": FACILITY, "place": PLACE, "paper": "paper", "number": "number", "post": "post"},
    created={
        PAPER_SIGNED: {"person": "signer", "signature": "signature", "signed_at": AT, "seq": SEQ},
    },
)


# Papers


@dataclass(frozen=True)
class Step:
    """A step of a paper: when it was taken (None: not yet), and by whom, in the order of its places.

    `expected`: the names of who is to sign it. `is_next`: whether it can be taken now.
    """

    moment: dt.datetime | None
    people: tuple[Person | None, ...]
    expected: tuple[str, ...] = ()
    is_next: bool = False


class Paper(ABC, Generic[R]):
    """A paper that people sign. `code` is that of its rows, `title` what people call it.

    Each paper has a number in its place: a table, by its code (`place_path`), or a stream of the facility (`place`).
    """

    code: str
    title: str
    place = ""
    is_listed = True  # among what lacks a signature; else another list has it
    place_path = "table__code"
    day_path = "gaming_day"

    @abstractmethod
    def rows(self, facility: Facility) -> QuerySet[R]:
        """The papers of a facility, with what `key`, `name` and `steps` read."""

    def of_place(self, facility: Facility, place: str) -> QuerySet[R]:
        """The papers of a place, or of all places of the facility for ""."""
        rows = self.rows(facility)
        return rows if self.place or not place else rows.filter(**{self.place_path: place})

    def numbered(self, facility: Facility, place: str, number: int) -> R | None:
        """The paper of a place with this number."""
        return self.of_place(facility, place).filter(number=number).first()

    @abstractmethod
    def key(self, row: R) -> tuple[Facility, str, int]:
        """Facility, place and number."""

    @abstractmethod
    def name(self, row: R) -> str:
        """What people call it: `Fill F-0131`."""

    @abstractmethod
    def day(self, row: R) -> dt.date:
        """Its gaming day."""

    @abstractmethod
    def steps(self, row: R) -> Mapping[str, Step]:
        """Its steps in order. A step that it does not have is absent, and so are its places."""

    def is_ended(self, row: R) -> bool:
        """Whether it was voided or canceled, so that nobody signs it."""
        return False


PAPERS: dict[str, Paper[Any]] = {}


def declare_paper(paper: Paper[R]) -> Paper[R]:
    """Add a paper to `PAPERS`. Raises ValueError for a code that is declared already."""
    if paper.code in PAPERS:
        raise ValueError(f"declared twice: {paper.code}")
    PAPERS[paper.code] = paper
    return paper


# The list of a paper


@dataclass(frozen=True)
class Signature:
    """A place on a paper. `mark` is `done`, `next` or empty, `name` who signed or is expected to."""

    row: SignerRow
    name: str
    mark: str
    person: Person | None = None
    moment: dt.datetime | None = None
    note: str = ""

    @property
    def post(self) -> str:
        return self.row.post


def further_signers(paper: Paper[R], row: R) -> tuple[SignerRow, ...]:
    """Who signs this paper by themselves, by the rows of its jurisdiction and its gaming day."""
    facility, _place, _number = paper.key(row)
    return tuple(
        signer
        for signer in facility.law.further_signers(paper.code)
        if signer.since is not None and signer.since <= paper.day(row)
    )


def signatures_on(paper: Paper[R], row: R) -> tuple[Signature, ...]:
    """Every place of a paper in order. Reads further signatures only where the jurisdiction asks for some."""
    facility, place, number = paper.key(row)
    further, steps = further_signers(paper, row), paper.steps(row)
    signed = _signed(facility, place, paper.code, [number])[number] if further else {}
    is_ended, signatures, index_of_step = paper.is_ended(row), [], Counter[str]()
    are_all_signed = is_further_signed = True  # so far
    for signer in facility.law.signers(paper.code):
        expected, is_next = "", are_all_signed
        if signer in further:
            given = signed.get(signer.post)
            person, moment = (given.person, given.signed_at) if given else (None, None)
            is_further_signed = is_further_signed and given is not None
        elif signer.step in steps:
            step, index = steps[signer.step], index_of_step[signer.step]
            index_of_step[signer.step] += 1
            person, moment = (step.people[index], step.moment) if step.moment else (None, None)
            expected = step.expected[index] if step.expected else ""
            is_next = step.is_next and is_further_signed
        else:
            continue
        are_all_signed = are_all_signed and moment is not None
        if moment is not None:
            name = person.short_name if person else ""
            signatures.append(Signature(signer, name, "done", person, moment))
        else:
            mark = "next" if is_next and not is_ended else ""
            note = "" if is_ended else signer.note
            signatures.append(Signature(signer, expected, mark, note=note))
    return tuple(signatures)


def _signed(
    facility: Facility, place: str, paper: str, numbers: Sequence[int]
) -> dict[int, dict[str, PaperSignature]]:
    """The further signatures of papers of a place, by number and post. One statement."""
    signed: dict[int, dict[str, PaperSignature]] = {number: {} for number in numbers}
    rows = PaperSignature.objects.filter(facility=facility, place=place, paper=paper, number__in=numbers)
    for row in rows.select_related("person"):
        signed[row.number][row.post] = row
    return signed


def next_signature(signatures: Iterable[Signature]) -> Signature | None:
    """The place that somebody signs next by themselves; None where a step comes first, or nothing is left."""
    return next((place for place in signatures if not place.row.step and place.mark == "next"), None)


def who_signs(law: Jurisdiction, signer: SignerRow) -> str:
    """Who signs a place, for people: `pit manager or shift manager`."""
    return policy.in_words(policy.row_of(law, signer.row).approve) if signer.row else _roles_in_words(signer)


def _roles_in_words(signer: SignerRow) -> str:
    words = policy.roles_in_words(signer.roles)
    return f"{words}, at a post of the table" if signer.at_post else words


def may_sign_as(law: Jurisdiction, signer: SignerRow, is_at_post: HasRight, person: Person) -> bool:
    """Whether a person may sign this place. `is_at_post`: whether they work at a post of the table."""
    if signer.row:
        return policy.may_approve(policy.row_of(law, signer.row), person)
    return person.role in signer.roles and (not signer.at_post or is_at_post(person))


def nobody_at_post(person: Person) -> bool:
    """No paper without a table has a post."""
    return False


def fitting(people: Iterable[Person | None], *rights: HasRight) -> tuple[Person, ...] | None:
    """Return different people of these, each with the right in the same place, in whichever order they came.

    None where no such people are there. The first of `people` is tried first.
    """
    present = {person.pk: person for person in people if person is not None}
    for chosen in itertools.permutations(present.values(), len(rights)):
        if all(has(person) for has, person in zip(rights, chosen, strict=True)):
            return chosen
    return None


# Signing


class SigningContext(Protocol):
    """What `sign` needs of the context of an act."""

    stream: Stream
    now: dt.datetime


def verify_signed_before(paper: Paper[R], row: R, step: str, *people: Person) -> None:
    """Verify that these people may take this step now.

    Raises `signature-missing` while a further signature is missing that the step waits for, and, as Forbidden,
    `paper-signed-by-you` for somebody who has signed the paper by themselves.
    """
    if not further_signers(paper, row):
        return
    law = paper.key(row)[0].law
    places = law.signers(paper.code)
    own = next(place for place in places if place.step == step)
    earlier = places[: places.index(own)]
    for signature in signatures_on(paper, row):
        if signature.row.step:
            continue
        if signature.person is not None and signature.person in people:
            raise _signed_by(signature.person, own, law, paper.name(row))
        if signature.moment is None and signature.row in earlier:
            raise _missing(paper, row, law, signature)


def _signed_by(person: Person, place: SignerRow, law: Jurisdiction, paper: str) -> Refusal:
    """The refusal of somebody who has signed a paper and would sign another place of it."""
    who = who_signs(law, place)
    return Forbidden(
        PAPER_SIGNED_BY_YOU, place.section, person=person.name, paper=paper, post=place.post, who=who
    )


def _missing(paper: Paper[R], row: R, law: Jurisdiction, signature: Signature) -> Refusal:
    return Refusal(
        SIGNATURE_MISSING,
        signature.row.section,
        paper=paper.name(row),
        post=signature.post,
        who=who_signs(law, signature.row),
    )


def sign(
    ctx: SigningContext,
    paper: Paper[R],
    row: R,
    person: Person,
    is_at_post: HasRight = nobody_at_post,
) -> EntryBody:
    """Sign a paper as the next one of its list, and return the entry, which the caller appends.

    Raises `paper-ended`, `paper-is-complete`, `paper-not-ready`, and, as Forbidden, `paper-signed-by-you` or
    `paper-signed-next-by`.
    """
    signatures = signatures_on(paper, row)
    facility, place, number = paper.key(row)
    missing = next_signature(signatures)
    if missing is None:
        raise _not_to_be_signed(paper, row, signatures)
    waiting = UnsignedPaper(paper, row, signatures)
    if not waiting.may_sign(person, is_at_post):
        raise waiting.refusal(person)
    signature = PaperSignature.objects.create(
        facility=facility,
        place=place,
        paper=paper.code,
        number=number,
        post=missing.post,
        signature=signatures.index(missing) + 1,
        person=person,
        signed_at=ctx.now,
        seq=ctx.stream.seq + 1,
    )
    return PAPER_SIGNED(
        paper=paper.code,
        number=number,
        name=paper.name(row),
        post=missing.post,
        signer=person.code,
        signature=signature.signature,
        complete=all(place.moment is not None or place is missing for place in signatures),
    )


def _not_to_be_signed(paper: Paper[R], row: R, signatures: Sequence[Signature]) -> Refusal:
    name = paper.name(row)
    if paper.is_ended(row):
        return Refusal(PAPER_ENDED, paper=name)
    open_place = next((place for place in signatures if place.moment is None), None)
    if open_place is None:
        return Refusal(PAPER_IS_COMPLETE, paper=name)
    return Refusal(PAPER_NOT_READY, open_place.row.section, paper=name, post=open_place.post)


# What lacks a signature


@dataclass(frozen=True)
class UnsignedPaper:
    """A paper that somebody signs next by themselves: what it is, and every place of it."""

    paper: Paper[Any]
    row: Any
    signatures: tuple[Signature, ...]

    @property
    def name(self) -> str:
        return self.paper.name(self.row)

    @property
    def place(self) -> str:
        return self.paper.key(self.row)[1]

    @property
    def number(self) -> int:
        return self.paper.key(self.row)[2]

    @property
    def next(self) -> Signature:
        """The place that is signed next."""
        signature = next_signature(self.signatures)
        assert signature is not None
        return signature

    @property
    def who(self) -> str:
        """Who signs it next, in words."""
        return who_signs(self.paper.key(self.row)[0].law, self.next.row)

    def may_sign(self, person: Person, is_at_post: HasRight = nobody_at_post) -> bool:
        """Whether this person may sign it next."""
        law = self.paper.key(self.row)[0].law
        return not self._has_signed(person) and may_sign_as(law, self.next.row, is_at_post, person)

    def refusal(self, person: Person) -> Refusal:
        """Why this person may not sign it next: `paper-signed-by-you`, else `paper-signed-next-by`."""
        place, law = self.next.row, self.paper.key(self.row)[0].law
        if self._has_signed(person):
            return _signed_by(person, place, law, self.name)
        names = {"person": person.name, "paper": self.name, "post": place.post, "who": self.who}
        return Forbidden(PAPER_SIGNED_NEXT_BY, place.section, **names)

    def _has_signed(self, person: Person) -> bool:
        return person in [signature.person for signature in self.signatures]


def unsigned(paper: Paper[R], row: R) -> UnsignedPaper | None:
    """This paper, if somebody signs it next by themselves."""
    signatures = signatures_on(paper, row) if further_signers(paper, row) else ()
    return UnsignedPaper(paper, row, signatures) if next_signature(signatures) else None


def unsigned_papers(facility: Facility, place: str = "") -> Iterator[UnsignedPaper]:
    """Every paper of a place, or of the facility, that somebody signs next by themselves, the oldest of a sort first.

    Reads nothing where the jurisdiction adds no signer, and none of the papers that have all of theirs.
    """
    for code, paper in PAPERS.items():
        further = facility.law.further_signers(code)
        if not further or not paper.is_listed or (paper.place and place not in ("", paper.place)):
            continue
        signed = PaperSignature.objects.filter(
            facility=facility,
            place=Value(paper.place) if paper.place else OuterRef(paper.place_path),
            paper=code,
            number=OuterRef("number"),
            post=further[-1].post,  # each before it is signed before
        )
        since = min(signer.since for signer in further if signer.since is not None)
        rows = paper.of_place(facility, place).filter(**{f"{paper.day_path}__gte": since})
        for row in rows.exclude(Exists(signed)).order_by("pk"):
            waiting = unsigned(paper, row)
            if waiting is not None:
                yield waiting
