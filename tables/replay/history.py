"""A round as people read it: its steps in order, every wager with its end and why, what was mended on the way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

from audit.models import Person
from games.engine.settlement import Settled
from games.wording import why
from tables.core.entries import MISSHAPEN, RecordedEntry
from tables.corrections.outcomes import settled_line
from tables.corrections.slips import key_of
from tables.replay.difference import Difference
from tables.replay.readjudication import begun, settle
from tables.replay.replayed_round import FOLLOWS, SETTLES, Course, Key
from tables.replay.replayed_slips import FILED
from tables.replay.rules_finder import Terms
from tables.words.entries import words_of
from tables.words.forms import listed
from tables.words.sentences import dollars, short

MENDS = frozenset({"dice.corrected", "wager.missed", "wager.struck", "round.recorded_by_hand"})
MENDED = {
    "dice.corrected": "Dice, before money moved",
    "wager.missed": "Missed wager, before money moved",
    "wager.struck": "Wager struck, before money moved",
    "round.recorded_by_hand": "Recorded by hand after play",
}
DISPUTE = "dispute.reported"
Found = TypeVar("Found")


class Who(NamedTuple):
    """A person as the page names them: the role is today's, for the record says codes alone."""

    name: str
    role: str


class Step(NamedTuple):
    """One entry as a step of the replay, by its place among them. `plays`: it is one of the round's own acts."""

    place: int
    told: RecordedEntry
    text: str
    detail: str
    plays: bool
    differs: bool


class Ended(NamedTuple):
    """How a wager was settled: the line of the record, its entry and throw, and the same by the engine."""

    line: Mapping[str, Any]
    seq: int
    throw: int
    again: Settled | None


class Line(NamedTuple):
    """A row of the table of wagers. `outcome`: win, lose, return, fee, struck, or "" while it lies there."""

    seat: int
    label: str
    play: int | None
    stake_cents: int
    outcome: str
    why: str
    pays: str
    paid_cents: int
    returned_cents: int
    cut_cents: int
    section: str
    seq: int | None
    flag: str
    missed: bool
    disputed: int | None
    slips: list[str]
    differences: list[Difference]


class Fix(NamedTuple):
    """A correction before money moved, with both values: dice (lists of faces) or amounts in words."""

    title: str
    seq: int
    before_seq: int | None
    dice: tuple[list[int], list[int]] | None
    before: str
    after: str
    reason: str
    signed: str


@dataclass
class Story:
    """What the record tells of one round. `told` are its entries in order, never none."""

    facility: str
    told: Sequence[RecordedEntry]
    terms: Terms = field(default_factory=Terms)

    def __post_init__(self) -> None:
        self.ended: dict[Key, Ended] = {}
        self.settling = begun(self.told, self.facility, self.terms)
        for one in self.told:
            self.settling.take(one)
            if one.type in SETTLES and isinstance(one.data.get("settled"), list):
                self._keep(one)

    @property
    def course(self) -> Course | None:
        """The round as it stands after its newest entry; None where its rules are found nowhere."""
        return self.settling.course

    @property
    def differences(self) -> list[Difference]:
        """How the record differs from what the rules make of it; none in a sound record."""
        return self.settling.differences

    @property
    def terms_sha256(self) -> str:
        """The terms that the round pinned, by their SHA-256 in hex; "" where none of its entries names any."""
        return next((one.terms for one in self.told if one.type in FOLLOWS), "")

    def course_at(self, place: int) -> Course | None:
        """The round as it stood after the step at this place."""
        return settle(self.told[: place + 1], self.facility, self.terms).course

    @cached_property
    def people(self) -> dict[str, Who]:
        """Everybody whom these entries name, by code."""
        codes = {code for one in self.told for code in (one.actor, one.witness) if code}
        rows = Person.objects.filter(code__in=codes)
        found = {row.code: Who(row.short_name, row.get_role_display().lower()) for row in rows}
        return {code: found.get(code, Who(code, "")) for code in codes}

    @cached_property
    def steps(self) -> list[Step]:
        """Every entry of the round as a step."""
        wrong = {one.seq for one in self.differences}
        return [
            Step(
                place,
                one,
                words_of(one.type, one.data) if one.type else "An entry that cannot be read",
                self._detail(one),
                one.type in FOLLOWS,
                one.seq in wrong,
            )
            for place, one in enumerate(self.told)
        ]

    @cached_property
    def names(self) -> dict[str, str]:
        """Wager codes to the names that people say, in the order of the layout."""
        course = self.course
        return {one.code: str(one.label) for one in course.game.wager_types(course.rules)} if course else {}

    @cached_property
    def lines(self) -> list[Line]:
        """Every wager of the round by seat, then in the order of the layout; struck ones too."""
        course = self.course
        if course is None:
            return []
        places = {code: place for place, code in enumerate(self.names)}
        keys = sorted(course.laid, key=lambda key: (key[0], key[2] or 99, places.get(key[1], 0)))
        return [self._line(key, course) for key in keys]

    @cached_property
    def fixes(self) -> list[Fix]:
        """What was mended before money moved, in order; one whose entry has lost its shape stands as a step alone."""
        found = (
            _read(partial(self._fix, place, one)) for place, one in enumerate(self.told) if _is_mended(one)
        )
        return [fix for fix in found if fix is not None]

    @cached_property
    def dealers(self) -> list[Who]:
        """Who worked the round: those who did its own acts, in the order in which they came."""
        return [self.people[code] for code in dict.fromkeys(one.actor for one in self.plays if one.actor)]

    @property
    def plays(self) -> list[RecordedEntry]:
        """The round's own acts."""
        return [one for one in self.told if one.type in FOLLOWS]

    @property
    def thrown_with(self) -> list[tuple[str, str]]:
        """Lots and shakers that its dice were thrown from, each pair once, in order."""
        found: dict[str, str] = {}
        for one in self.plays:
            lot, shaker = one.data.get("lot"), one.data.get("shaker")
            if lot:
                found[str(lot)] = str(shaker or found.get(str(lot), ""))
        return list(found.items())

    def _keep(self, told: RecordedEntry) -> None:
        """What an entry says of each wager's end, beside the same by the engine."""
        throw = told.data.get("throw") or 0
        if "mended" in told.data:  # settled anew: what this throw had settled before stands no more
            self.ended = {key: one for key, one in self.ended.items() if one.throw != throw}
        again: dict[Key, Settled] = {}
        if self.course is not None:
            again = {one.wager.key: one for one in self.course.settled}
        for said in told.data["settled"]:
            if line := _read(partial(settled_line, said)):
                self.ended[key_of(line)] = Ended(line, told.seq, throw, again.get(key_of(line)))

    def _detail(self, told: RecordedEntry) -> str:
        """Who did it, before whom, and what else its line leaves unsaid."""
        who = self.people[told.actor].name if told.actor else "the clock"
        words = [who, *_more(told)]
        if told.witness:
            signs = self.people[told.witness]
            words.append("signed by %s" % ", ".join(filter(None, signs)))
        return "; ".join(words)

    def _line(self, key: Key, course: Course) -> Line:
        laid, ended, label = course.laid[key], self.ended.get(key), self.names.get(key[1], key[1])
        said: Mapping[str, Any] = ended.line if ended and not laid.struck else {}
        again = ended.again if ended and not laid.struck else None
        sure = again is not None and again.outcome == said.get("outcome")
        return Line(
            seat=key[0],
            label=label,
            play=key[2],
            stake_cents=said.get("cents", laid.wager.cents),
            outcome="struck" if laid.struck else str(said.get("outcome", "")),
            why=why(again.why) if again is not None and sure else "",
            pays=str(said.get("pays") or ""),
            paid_cents=said.get("paid_cents", 0),
            returned_cents=said.get("returned_cents", 0),
            cut_cents=said.get("cut_cents", 0),
            section=short(str(said.get("cite", ""))),
            seq=ended.seq if ended else None,
            flag=laid.flag,
            missed=laid.missed,
            disputed=self._disputed(key[0], label),
            slips=[str(one.data.get("slip")) for one in self.told if _is_about(one, key)],
            differences=[one for one in self.differences if (one.seat, one.wager, one.play) == key],
        )

    def _disputed(self, seat: int, label: str) -> int | None:
        """The entry of a dispute about this wager: one of its seat that names it, or that names none of the seat's."""
        for one in self.told:
            if one.type == DISPUTE and one.data.get("seat") == seat:
                about, labels = str(one.data.get("about", "")).lower(), self._labels_at(seat)
                if label.lower() in about or not any(other.lower() in about for other in labels):
                    return one.seq
        return None

    def _labels_at(self, seat: int) -> list[str]:
        return [
            self.names.get(key[1], key[1])
            for key in (self.course.laid if self.course else ())
            if key[0] == seat
        ]

    def _fix(self, place: int, told: RecordedEntry) -> Fix:
        mended = told.data["mended"]
        before = next((one.seq for one in reversed(self.told[:place]) if one.type in SETTLES), None)
        dice = (mended["before"], mended["after"]) if told.type == "dice.corrected" else None
        amounts = ("", "") if dice else self._amounts(told.type, mended)
        signed = [self.people[code].name for code in (told.actor, told.witness) if code]
        title = str(MENDED[told.type])
        return Fix(title, told.seq, before, dice, *amounts, str(mended.get("reason", "")), listed(signed))

    def _amounts(self, type_: str, mended: Mapping[str, Any]) -> tuple[str, str]:
        if type_ == "round.recorded_by_hand":
            return "%s on the tablet" % len(mended.get("before", ())), "as it was played"
        named = [self.names.get(mended["wager"], mended["wager"]), f"{'seat'} {mended['seat']}"]
        named += [f"{'play'} {mended['play']}"] if mended.get("play") else []
        return f"{', '.join(named)}: {dollars(mended['before_cents'])}", dollars(mended["after_cents"])


def _is_about(told: RecordedEntry, key: Key) -> bool:
    """Whether a slip names this wager, or what was handed to its seat."""
    return told.type == FILED and bool(_read(partial(_names, told.data, key)))


def _names(data: Mapping[str, Any], key: Key) -> bool:
    mended = data["mended"]
    return key in [key_of(one) for one in mended.get("wagers", ())] or key[0] in [
        one["seat"] for one in mended.get("payments", ())
    ]


def _is_mended(told: RecordedEntry) -> bool:
    return told.type in MENDS and isinstance(told.data.get("mended"), dict)


def _more(told: RecordedEntry) -> list[str]:
    """What an entry says besides its line: amounts, and the reason that was given."""
    mended = told.data.get("mended")
    reason = told.data.get("reason") or (mended.get("reason") if isinstance(mended, dict) else None)
    words = (_read(partial(_amounts_of, told)) or []) if told.type == "wagers.placed" else []
    return [*words, str(reason)] if reason else words


def _amounts_of(told: RecordedEntry) -> list[str]:
    """What was laid and taken off by one entry of wagers."""
    lying = [line["cents"] for line in told.data["placed"] if line["cents"]]
    off = len(told.data["placed"]) - len(lying)
    laid = ["%(sum)s in %(count)s" % {"sum": dollars(sum(lying)), "count": len(lying)}] if lying else []
    return laid + (["%s taken off" % off] if off else [])


def _read(words: Callable[[], Found]) -> Found | None:
    """What an entry says; None where somebody gave it another shape than its type has."""
    try:
        return words()
    except MISSHAPEN:
        return None
