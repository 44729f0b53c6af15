"""What must hold after every fault, whatever it was: compared between the record, the play tables and the tablets.

Each invariant is one function of the facts. It returns a sentence for every violation. `tests/test_faults.py` shows
that each one notices what it is for.
"""

import json
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from script.tablet import Claim

# A round has one of these entries: what it settles is final.
ENDING_TYPES = ("round.settled", "round.settled_by_hand", "round.no_roll", "round.voided")
SETTLING_TYPES = (
    "throw.settled",
    "dice.corrected",
    *ENDING_TYPES,
)  # a game of several throws settles after each
ONCE_TYPES = (*ENDING_TYPES, "losers.taken", "layout.cleared")


@dataclass(frozen=True)
class RecordedAct:
    """One entry of a table's stream."""

    stream: str
    seq: int
    type: str
    command: str
    data: dict[str, Any]

    @property
    def round(self) -> int | None:
        return self.data.get("round")


@dataclass(frozen=True)
class PlayedRound:
    """One row of the table of rounds."""

    stream: str
    number: int
    has_ended: bool
    wagered_cents: int
    taken_cents: int
    paid_cents: int


@dataclass(frozen=True)
class Facts:
    """What the database says, and what the tablets were told."""

    entries: tuple[RecordedAct, ...] = ()
    # The accepted commands: the stream and the version of each answer, by id.
    commands: dict[str, tuple[str, int]] = field(default_factory=dict)
    rounds: tuple[PlayedRound, ...] = ()
    claims: tuple[Claim, ...] = ()
    # What `verify_record` and `readjudicate` find.
    findings: tuple[str, ...] = ()

    @property
    def entries_by_round(self) -> dict[tuple[str, int], list[RecordedAct]]:
        rounds = defaultdict(list)
        for entry in self.entries:
            if entry.round is not None:
                rounds[entry.stream, entry.round].append(entry)
        return rounds


def rounds_are_settled_once(facts: Facts) -> Iterator[str]:
    """No round is settled twice, and no seat of it is paid twice."""
    for (stream, number), entries in facts.entries_by_round.items():
        counts = Counter(entry.type for entry in entries)
        endings = sum(counts[name] for name in ENDING_TYPES)
        repeated = [name for name in ONCE_TYPES if counts[name] > 1]
        if repeated or endings > 1:
            yield f"{stream} round {number} was settled {endings} times ({', '.join(repeated)})"
        seats = Counter(
            (seat, entry.data.get("wager"))
            for entry in entries
            if entry.type == "winners.paid"
            for seat in entry.data["seats"]
        )
        if paid := [seat for (seat, _), count in seats.items() if count > 1]:
            yield f"{stream} round {number} paid the seats {paid} twice"


def money_balances(facts: Facts) -> Iterator[str]:
    """Every stake of a settled round is taken or goes back, and its entries and its row say the same sums."""
    rows = {(row.stream, row.number): row for row in facts.rounds}
    for key, entries in facts.entries_by_round.items():
        lines: dict[tuple[Any, ...], dict[str, Any]] = {}  # as the newest entry settled each wager
        for entry in entries:
            if entry.type in SETTLING_TYPES and "settled" in entry.data:
                wagers = entry.data["settled"]
                lines |= {_line_key(wager): wager for wager in wagers}
                wrong = [name for name, cents in _sums(wagers).items() if cents != entry.data[name]]
                if wrong:
                    yield f"{key[0]} round {key[1]}: the sums of {', '.join(wrong)} are not those of its wagers"
        if not any(entry.type in ENDING_TYPES for entry in entries):
            continue
        sums, row = _sums(lines.values()), rows.get(key)
        if row is None:
            yield f"{key[0]} round {key[1]} is on the record and not in the table of rounds"
        elif row.has_ended and (row.taken_cents, row.paid_cents) != (sums["taken_cents"], sums["paid_cents"]):
            yield f"{key[0]} round {key[1]}: its row and its entry say different sums"
        elif row.wagered_cents != sums["taken_cents"] + sums["returned_cents"]:
            yield f"{key[0]} round {key[1]}: what was wagered was not all taken or returned"


def _line_key(wager: dict[str, Any]) -> tuple[Any, ...]:
    return wager["seat"], wager["wager"], wager.get("play"), wager.get("outcome") == "fee"


def _sums(wagers: Iterable[dict[str, Any]]) -> dict[str, int]:
    lines = list(wagers)
    return {
        "taken_cents": sum(line["cents"] - line["returned_cents"] for line in lines),
        "paid_cents": sum(line["paid_cents"] for line in lines),
        "returned_cents": sum(line["returned_cents"] for line in lines),
    }


def fills_move_once(facts: Facts) -> Iterator[str]:
    """No step of a fill or credit is done twice, and none is received and void, or received before it was handed over.

    That the trays balance and that no slip number is missing is among the findings of `verify_record`.
    """
    steps = defaultdict(list)
    for entry in facts.entries:
        if entry.type.startswith("transfer."):
            steps[entry.stream, entry.data["transfer"]].append(entry.type.partition(".")[2])
    for (stream, number), names in steps.items():
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{stream} {name} transfer {number} {count} times"
        if "received" in names and ("voided" in names or "handed_over" not in names):
            yield f"{stream}: transfer {number} went through {', '.join(names)}"


def acknowledged_acts_are_recorded(facts: Facts) -> Iterator[str]:
    """Every act whose tablet was answered 200 is in the record, with the version of that answer."""
    recorded = {entry.command: entry for entry in facts.entries if entry.command}
    for claim in facts.claims:
        if claim.fate != "taken":
            continue
        command = facts.commands.get(claim.command)
        if command is None or claim.command not in recorded:
            yield f"{claim.act} at {claim.place} was acknowledged and is not in the record"
        elif command[1] != claim.version:
            yield f"{claim.act} at {claim.place} was answered version {claim.version}, and has {command[1]}"


def refused_acts_are_not_recorded(facts: Facts) -> Iterator[str]:
    """No act of which its tablet says "not taken" was taken."""
    for claim in facts.claims:
        if claim.fate == "refused" and claim.command in facts.commands:
            yield f"{claim.act} at {claim.place} was called not taken ({claim.status} {claim.code}), and was taken"


def acts_are_recorded_once(facts: Facts) -> Iterator[str]:
    """No command has two entries, however often it was sent."""
    counts = Counter(entry.command for entry in facts.entries if entry.command)
    for command, count in counts.items():
        if count > 1:
            yield f"the command {command} has {count} entries"


def acts_are_in_the_order_of_time(facts: Facts) -> Iterator[str]:
    """Of two acts at a table, of which one was answered before the other was sent, the first has the smaller number.

    Nothing that an answer said may be overtaken: each stream is strictly serializable, whoever asked which worker.
    """
    taken = defaultdict(list)
    for claim in facts.claims:
        if claim.fate == "taken":
            taken[claim.place].append(claim)
    for place, claims in taken.items():
        numbers = Counter(claim.version for claim in claims)
        for number, count in numbers.items():
            if count > 1:
                yield f"{place} acknowledged number {number} to {count} acts"
        answers = deque(sorted(claims, key=lambda claim: claim.answered))
        newest: Claim | None = None
        for claim in sorted(claims, key=lambda claim: claim.started):
            while answers and answers[0].answered < claim.started:
                answer = answers.popleft()
                newest = max(answer, newest or answer, key=lambda earlier: earlier.version)
            if newest is not None and newest.version > claim.version:
                yield (
                    f"{newest.act} at {place} was answered number {newest.version} before {claim.act} was sent, "
                    f"which has {claim.version}"
                )


def the_record_is_whole(facts: Facts) -> Iterator[str]:
    """`verify_record` and `readjudicate` find nothing."""
    yield from facts.findings


INVARIANTS: tuple[Callable[[Facts], Iterator[str]], ...] = (
    rounds_are_settled_once,
    money_balances,
    fills_move_once,
    acknowledged_acts_are_recorded,
    refused_acts_are_not_recorded,
    acts_are_recorded_once,
    acts_are_in_the_order_of_time,
    the_record_is_whole,
)


def violations(facts: Facts) -> list[str]:
    """What every invariant says of these facts; empty if all hold."""
    return [sentence for sentences in violations_of_each(facts).values() for sentence in sentences]


def violations_of_each(facts: Facts) -> dict[str, list[str]]:
    """The same by the name of each invariant, also of those that hold."""
    return {invariant.__name__: list(invariant(facts)) for invariant in INVARIANTS}


def read_facts(claims: Sequence[Claim] = ()) -> Facts:
    """Read the facts from the database of this process."""
    from audit.models import Command, Entry
    from audit.runner import ENDED
    from tables.models import Round, Table

    streams = set(Table.objects.values_list("stream__name", flat=True))
    entries = []
    for name, seq, body in Entry.objects.filter(stream__name__in=streams).values_list(
        "stream__name", "seq", "body"
    ):
        content = json.loads(bytes(body))
        entries.append(
            RecordedAct(name, seq, content["_type"], content.get("command") or "", content["data"])
        )
    rounds = Round.objects.values_list(
        "table__stream__name", "number", "ended_at", "wagered_cents", "taken_cents", "paid_cents"
    )
    return Facts(
        tuple(entries),
        {
            str(key): (name, seq)
            for key, name, seq in Command.objects.exclude(answer=ENDED).values_list(
                "id", "stream__name", "seq"
            )
        },
        tuple(PlayedRound(name, number, ended is not None, *cents) for name, number, ended, *cents in rounds),
        tuple(claims),
        tuple(_findings()),
    )


def _findings() -> Iterator[str]:
    """What the product's own verifications find in this database."""
    from audit import export, verification
    from tables.replay.readjudication import Readjudication

    verified = verification.verify()
    yield from (f"verify_record: {finding}" for finding in verified.findings)
    again = Readjudication(export.select([], None, None, training=False))
    for stream, difference in again.differences(lambda count: None):
        yield f"readjudicate: {stream} {difference}"
