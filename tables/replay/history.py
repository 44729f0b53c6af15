"""A round for people to read: its steps on a timeline, each wager with its outcome and reason, and its corrections.

`RoundHistory` reads the entries of a round and settles it again beside them (`readjudication.py`), so that a page shows
where the record differs from the rules. The round after any step is drawn by the floor's own templates
(`layout_snapshot`). Steps lie on the timeline half by time and half by order, so that no two overlap (`timeline_of`).

Drawn by templates/tables/replay, as the page of a round, in a case (tables.cases.case_page) and on paper
(tables.desk.round_paper). The evidence beside it is `evidence.py`.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, cast

from audit.models import Person
from games.drawing import listed
from games.engine import RoundState
from games.engine.wagers import LOSE, WIN, Settled, WagerOutcome
from games.snapshot_types import LayoutWager
from games.wording import reason_text
from tables.alerts.calls import DISPUTE_REPORTED
from tables.core.context import TableContext
from tables.core.entries import RecordedEntry, read_or_none
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.corrections.settlements import key_of, settled_line
from tables.corrections.slips import SLIP_FILED
from tables.failures import ROUND_RECORDED_BY_HAND
from tables.replay.readjudication import FILED, Difference, readjudicate_round, start_round
from tables.replay.replayed_round import (
    HANDLERS,
    SETTLING_TYPES,
    EnteredWager,
    ReplayedRound,
    RulesFinder,
    WagerKey,
)
from tables.rounds import live_round
from tables.rounds.no_rolls import ROUND_NO_ROLL, ROUND_VOIDED, THROW_NO_ROLL
from tables.rounds.play import (
    BETS_CLOSED,
    LAYOUT_CLEARED,
    LOSERS_TAKEN,
    ROUND_SETTLED,
    SEATS_SETTLED,
    THROW_SETTLED,
    WINNERS_PAID,
)
from tables.rounds.settlement import ROUND_SETTLED_BY_HAND
from tables.rounds.wagers import WAGERS_PLACED
from tables.words.entries import words_of
from tables.words.sentences import dollars, short

# What the record says of a round

CORRECTION_TYPES = frozenset(
    {DICE_CORRECTED.name, WAGER_MISSED.name, WAGER_STRUCK.name, ROUND_RECORDED_BY_HAND.name}
)
CORRECTION_TITLES = {
    DICE_CORRECTED.name: "Dice, before money moved",
    WAGER_MISSED.name: "Missed wager, before money moved",
    WAGER_STRUCK.name: "Wager struck, before money moved",
    ROUND_RECORDED_BY_HAND.name: "Recorded by hand after play",
}
DISPUTE = DISPUTE_REPORTED.name


class NamedPerson(NamedTuple):
    """A person as the page names them. The role is today's, because the record holds only codes."""

    name: str
    role: str


class ReplayStep(NamedTuple):
    """One entry as a step of the replay. `is_round_act` says whether it is one of the round's own acts."""

    place: int
    entry: RecordedEntry
    text: str
    detail: str
    is_round_act: bool
    has_differences: bool


class WagerSettlement(NamedTuple):
    """How a wager was settled: the recorded line, its entry and throw, and the engine's own settlement."""

    line: Mapping[str, Any]
    seq: int
    throw: int
    again: Settled | None


class WagerRow(NamedTuple):
    """A row of the table of wagers. `outcome` is win, lose, return, fee, struck, or "" while the wager is open.

    `section` is short, `cite` as the record cites it.
    """

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
    code: str
    cite: str


class CorrectionRow(NamedTuple):
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
class RoundHistory:
    """What the record says of one round. `entries` are in order and never empty."""

    facility: str
    entries: Sequence[RecordedEntry]
    rules_finder: RulesFinder = field(default_factory=RulesFinder)
    submission: str = ""  # for which the record says that the table was made

    def __post_init__(self) -> None:
        self.settlements: dict[WagerKey, WagerSettlement] = {}
        self.readjudication = start_round(self.entries, self.facility, self.rules_finder, self.submission)
        for entry in self.entries:
            self.readjudication.apply(entry)
            if entry.type in SETTLING_TYPES and isinstance(entry.data.get("settled"), list):
                self._add_settlements(entry)

    @property
    def current_round(self) -> ReplayedRound | None:
        """The round after its newest entry; None where its rules cannot be found."""
        return self.readjudication.replayed

    @property
    def differences(self) -> list[Difference]:
        """Where the record differs from the rules; empty for a sound record."""
        return self.readjudication.differences

    @property
    def terms_sha256(self) -> str:
        """SHA-256 in hex of the terms that the round pinned; "" where no entry names any."""
        return next((entry.terms for entry in self.entries if entry.type in HANDLERS), "")

    def round_after(self, place: int) -> ReplayedRound | None:
        """Replay the round up to and including the step at this place."""
        return readjudicate_round(self.entries[: place + 1], self.facility, self.rules_finder).replayed

    @cached_property
    def people(self) -> dict[str, NamedPerson]:
        """Everyone named in these entries, by code."""
        codes = {code for entry in self.entries for code in (entry.actor, entry.witness) if code}
        rows = Person.objects.filter(code__in=codes)
        people = {row.code: NamedPerson(row.short_name, row.get_role_display().lower()) for row in rows}
        return {code: people.get(code, NamedPerson(code, "")) for code in codes}

    @cached_property
    def steps(self) -> list[ReplayStep]:
        """Every entry of the round as a step."""
        different_seqs = {difference.seq for difference in self.differences}
        return [
            ReplayStep(
                place,
                entry,
                words_of(entry.type, entry.data) if entry.type else "An entry that cannot be read",
                self._detail(entry),
                entry.type in HANDLERS,
                entry.seq in different_seqs,
            )
            for place, entry in enumerate(self.entries)
        ]

    @cached_property
    def names(self) -> dict[str, str]:
        """The spoken name of each wager code, in the order of the layout."""
        replayed = self.current_round
        return (
            {
                wager_type.code: str(wager_type.label)
                for wager_type in replayed.game.wager_types(replayed.rules)
            }
            if replayed
            else {}
        )

    @cached_property
    def wager_rows(self) -> list[WagerRow]:
        """Every wager of the round by seat, then in the order of the layout, struck ones included."""
        replayed = self.current_round
        if replayed is None:
            return []
        places = {code: place for place, code in enumerate(self.names)}
        keys = sorted(replayed.entered, key=lambda key: (key[0], key[2] or 99, places.get(key[1], 0)))
        return [self._wager_row(key, replayed) for key in keys]

    @cached_property
    def corrections(self) -> list[CorrectionRow]:
        """The corrections before money moved, in order. An entry with malformed data is left out; its step remains."""
        rows = (
            read_or_none(partial(self._correction_row, place, entry))
            for place, entry in enumerate(self.entries)
            if _is_correction(entry)
        )
        return [row for row in rows if row is not None]

    @cached_property
    def dealers(self) -> list[NamedPerson]:
        """Who worked the round: the actors of its own acts, in order of appearance."""
        return [
            self.people[code] for code in dict.fromkeys(entry.actor for entry in self.acts if entry.actor)
        ]

    @property
    def acts(self) -> list[RecordedEntry]:
        """The round's own acts."""
        return [entry for entry in self.entries if entry.type in HANDLERS]

    @property
    def thrown_with(self) -> list[tuple[str, str]]:
        """The dice lots and shakers used, each pair once, in order."""
        shaker_by_lot: dict[str, str] = {}
        for entry in self.acts:
            lot, shaker = entry.data.get("lot"), entry.data.get("shaker")
            if lot:
                shaker_by_lot[str(lot)] = str(shaker or shaker_by_lot.get(str(lot), ""))
        return list(shaker_by_lot.items())

    def _add_settlements(self, entry: RecordedEntry) -> None:
        """Record how an entry settled each wager, beside the engine's own settlement."""
        throw = entry.data.get("throw") or 0
        if "mended" in entry.data:  # the throw is settled again: its earlier settlement no longer counts
            self.settlements = {
                key: settlement for key, settlement in self.settlements.items() if settlement.throw != throw
            }
        readjudicated: dict[WagerKey, Settled] = {}
        if self.current_round is not None:
            readjudicated = {
                settled_wager.wager.key: settled_wager for settled_wager in self.current_round.settled
            }
        for recorded in entry.data["settled"]:
            if line := read_or_none(partial(settled_line, recorded)):
                self.settlements[key_of(line)] = WagerSettlement(
                    line, entry.seq, throw, readjudicated.get(key_of(line))
                )

    def _detail(self, entry: RecordedEntry) -> str:
        """Who did it, who signed, and what the step's text leaves out."""
        actor = self.people[entry.actor].name if entry.actor else "the clock"
        words = [actor, *_extra_words(entry)]
        if entry.witness:
            signer = self.people[entry.witness]
            words.append("signed by %s" % ", ".join(filter(None, signer)))
        return "; ".join(words)

    def _wager_row(self, key: WagerKey, replayed: ReplayedRound) -> WagerRow:
        entered, settlement, label = (
            replayed.entered[key],
            self.settlements.get(key),
            self.names.get(key[1], key[1]),
        )
        recorded: Mapping[str, Any] = settlement.line if settlement and not entered.struck else {}
        readjudicated = settlement.again if settlement and not entered.struck else None
        has_same_outcome = readjudicated is not None and readjudicated.outcome == recorded.get("outcome")
        return WagerRow(
            seat=key[0],
            label=label,
            play=key[2],
            stake_cents=recorded.get("cents", entered.wager.cents),
            outcome="struck" if entered.struck else str(recorded.get("outcome", "")),
            why=reason_text(readjudicated.why) if readjudicated is not None and has_same_outcome else "",
            pays=str(recorded.get("pays") or ""),
            paid_cents=recorded.get("paid_cents", 0),
            returned_cents=recorded.get("returned_cents", 0),
            cut_cents=recorded.get("cut_cents", 0),
            section=short(str(recorded.get("cite", ""))),
            seq=settlement.seq if settlement else None,
            flag=entered.flag,
            missed=entered.missed,
            disputed=self._disputed(key[0], label),
            slips=[str(entry.data.get("slip")) for entry in self.entries if _slip_names_wager(entry, key)],
            differences=[
                difference
                for difference in self.differences
                if (difference.seat, difference.wager, difference.play) == key
            ],
            code=key[1],
            cite=str(recorded.get("cite", "")),
        )

    def _disputed(self, seat: int, label: str) -> int | None:
        """The entry of a dispute about this wager: it names the wager, or names none of its seat's wagers."""
        for entry in self.entries:
            if entry.type == DISPUTE and entry.data.get("seat") == seat:
                about, labels = str(entry.data.get("about", "")).lower(), self._labels_at(seat)
                if label.lower() in about or not any(label_.lower() in about for label_ in labels):
                    return entry.seq
        return None

    def _labels_at(self, seat: int) -> list[str]:
        return [
            self.names.get(key[1], key[1])
            for key in (self.current_round.entered if self.current_round else ())
            if key[0] == seat
        ]

    def _correction_row(self, place: int, entry: RecordedEntry) -> CorrectionRow:
        correction = entry.data["mended"]
        before = next(
            (previous.seq for previous in reversed(self.entries[:place]) if previous.type in SETTLING_TYPES),
            None,
        )
        dice = (correction["before"], correction["after"]) if entry.type == DICE_CORRECTED.name else None
        amounts = ("", "") if dice else self._amounts(entry.type, correction)
        signed = [self.people[code].name for code in (entry.actor, entry.witness) if code]
        title = str(CORRECTION_TITLES[entry.type])
        return CorrectionRow(
            title, entry.seq, before, dice, *amounts, str(correction.get("reason", "")), listed(signed)
        )

    def _amounts(self, type_: str, correction: Mapping[str, Any]) -> tuple[str, str]:
        if type_ == ROUND_RECORDED_BY_HAND.name:
            return "%s on the tablet" % len(correction.get("before", ())), "as it was played"
        label_parts = [
            self.names.get(correction["wager"], correction["wager"]),
            f"{'seat'} {correction['seat']}",
        ]
        label_parts += [f"{'play'} {correction['play']}"] if correction.get("play") else []
        return f"{', '.join(label_parts)}: {dollars(correction['before_cents'])}", dollars(
            correction["after_cents"]
        )


def _slip_names_wager(entry: RecordedEntry, key: WagerKey) -> bool:
    """Whether a slip is about this wager, or about a payment to its seat."""
    return entry.type == FILED and bool(read_or_none(partial(_correction_names_wager, entry.data, key)))


def _correction_names_wager(data: Mapping[str, Any], key: WagerKey) -> bool:
    correction = data["mended"]
    return key in [key_of(wager) for wager in correction.get("wagers", ())] or key[0] in [
        payment["seat"] for payment in correction.get("payments", ())
    ]


def _is_correction(entry: RecordedEntry) -> bool:
    return entry.type in CORRECTION_TYPES and isinstance(entry.data.get("mended"), dict)


def _extra_words(entry: RecordedEntry) -> list[str]:
    """What an entry says beyond its line: amounts, and the reason."""
    correction = entry.data.get("mended")
    reason = entry.data.get("reason") or (correction.get("reason") if isinstance(correction, dict) else None)
    words = (read_or_none(partial(_placed_amounts, entry)) or []) if entry.type == WAGERS_PLACED.name else []
    return [*words, str(reason)] if reason else words


def _placed_amounts(entry: RecordedEntry) -> list[str]:
    """The amounts placed and taken off by one entry of wagers."""
    placed = [line["cents"] for line in entry.data["placed"] if line["cents"]]
    removed = len(entry.data["placed"]) - len(placed)
    amounts = ["%(sum)s in %(count)s" % {"sum": dollars(sum(placed)), "count": len(placed)}] if placed else []
    return amounts + (["%s taken off" % removed] if removed else [])


# The timeline

LEFT, RIGHT, WIDTH = 8, 592, 600
LETTER = 6.6  # the approximate width of a letter in the labels
LABELS = {
    WAGERS_PLACED.name: "Wagers",
    BETS_CLOSED.name: "No more bets",
    ROUND_SETTLED.name: "Dice",
    THROW_SETTLED.name: "Dice",
    ROUND_SETTLED_BY_HAND.name: "By hand",
    ROUND_RECORDED_BY_HAND.name: "On paper",
    DICE_CORRECTED.name: "Corrected",
    WAGER_MISSED.name: "Missed",
    WAGER_STRUCK.name: "Struck",
    LOSERS_TAKEN.name: "Take",
    WINNERS_PAID.name: "Pay",
    SEATS_SETTLED.name: "Settle",
    LAYOUT_CLEARED.name: "Clear",
    THROW_NO_ROLL.name: "No roll",
    ROUND_NO_ROLL.name: "No roll",
    ROUND_VOIDED.name: "Void",
    DISPUTE_REPORTED.name: "Dispute",
    SLIP_FILED.name: "Slip",
}


class Tick(NamedTuple):
    """A step on the timeline: its position, and whether the replay has reached it."""

    x: str
    step: int
    state: str  # past, current, later


class Label(NamedTuple):
    """A word under the timeline."""

    x: str
    text: str


class Timeline(NamedTuple):
    """The timeline, in a box of 600 by 36."""

    ticks: list[Tick]
    labels: list[Label]
    here: str


def timeline_of(steps: Sequence[ReplayStep], place: int) -> Timeline:
    """Build the timeline of these steps, with the step at `place` selected."""
    positions = _positions(steps)
    states = [
        "past" if number < place else "current" if number == place else "later"
        for number in range(len(positions))
    ]
    ticks = [
        Tick(f"{x:.1f}", number + 1, state)
        for number, (x, state) in enumerate(zip(positions, states, strict=True))
    ]
    return Timeline(ticks, _labels(steps, positions), ticks[place].x)


def _positions(steps: Sequence[ReplayStep]) -> list[float]:
    """Time counts while the round is played; later entries follow at its end."""
    moments = [dt.datetime.fromisoformat(step.entry.at).timestamp() for step in steps]
    played = [moment for moment, step in zip(moments, steps, strict=True) if step.is_round_act] or moments
    first, span = played[0], max(played[-1] - played[0], 1e-6)
    last_place = max(len(steps) - 1, 1)
    shares = [min(max((moment - first) / span, 0.0), 1.0) for moment in moments]
    return [
        LEFT + (RIGHT - LEFT) * (share + place / last_place) / 2 if len(steps) > 1 else float(LEFT)
        for place, share in enumerate(shares)
    ]


def _labels(steps: Sequence[ReplayStep], positions: Sequence[float]) -> list[Label]:
    """A word where each kind of step first occurs, as far as there is room."""
    labels: list[Label] = []
    last_text, last_end = "", -8.0
    for step, x in zip(steps, positions, strict=True):
        text = str(LABELS.get(step.entry.type, ""))
        width = LETTER * len(text)
        start = min(max(x - width / 2, 0), WIDTH - width)
        if not text or text == last_text or start < last_end + 8:
            continue
        labels.append(Label(f"{start:.1f}", text))
        last_text, last_end = text, start + width
    return labels


# The layout after a step

BETS_OPEN = frozenset({"", "open", "shaken"})


class LayoutContext:
    """What the floor's templates need of a table: the rules and their game."""

    def __init__(self, replayed: ReplayedRound) -> None:
        self.rules, self.game = replayed.rules, replayed.game


def layout_snapshot(replayed: ReplayedRound, seats: int) -> dict[str, Any]:
    """Return the snapshot's `table`, `layout` and `round` (`games.snapshot_types`), as far as the layouts read them."""
    state = replayed.state
    names = {
        wager_type.code: str(wager_type.label) for wager_type in replayed.game.wager_types(replayed.rules)
    }
    return {
        "table": {"game": replayed.game.code, "seats": seats},
        "layout": _layout_wagers(replayed),
        "round": _round_part(replayed, state, names),
    }


def _layout_wagers(replayed: ReplayedRound) -> list[LayoutWager]:
    game, rules = replayed.game, replayed.rules
    return [
        {
            "wager": wager_type.code,
            "label": str(wager_type.label),
            "family": wager_type.family,
            "odds": [rules.state_odds(odds) for odds in game.possible_odds(rules, wager_type.code)],
            "stopped": None,
        }
        for wager_type in game.wager_types(rules)
    ]


def _round_part(replayed: ReplayedRound, state: RoundState, names: dict[str, str]) -> dict[str, Any]:
    outcomes = {settled_wager.wager.key: settled_wager.outcome for settled_wager in replayed.all_settled}
    decided = [
        settled_wager
        for settled_wager in replayed.settled
        if settled_wager.wager.key not in replayed.off_layout
    ]
    is_lit = bool(replayed.throws) and not replayed.has_ended
    ctx = cast(TableContext, LayoutContext(replayed))
    return {
        "phase": state.phase,
        "bets_open": replayed.has_begun and state.phase in BETS_OPEN,
        "wagers": [
            _entered_wager(entered, outcomes, names, replayed) for entered in replayed.entered.values()
        ],
        "wagered_cents": replayed.wagered_cents,
        "dice": list(replayed.game.arranged(state.dice)) if is_lit else None,
        "call": live_round.call(replayed.game, state.throws) if replayed.throws else None,
        "lit": list(replayed.game.lit_codes(state)) if is_lit else [],
        "settle": live_round.steps(ctx, state, names, {}),
        "game": replayed.game.view(state),
        "take": {"seats": _wagers_by_seat(decided, LOSE)},
        "pay": {"seats": _wagers_by_seat(decided, WIN)},
    }


def _entered_wager(
    entered: EnteredWager,
    outcomes: dict[WagerKey, WagerOutcome],
    names: dict[str, str],
    replayed: ReplayedRound,
) -> dict[str, Any]:
    key = entered.wager.key
    return {
        "seat": entered.wager.seat,
        "wager": entered.wager.code,
        "play": entered.wager.play,
        "label": names.get(entered.wager.code, entered.wager.code),
        "cents": entered.wager.cents,
        "outcome": outcomes.get(key),
        "flag": None,
        "struck": entered.struck or key in replayed.off_layout,
    }


def _wagers_by_seat(settled: Iterable[Settled], outcome: WagerOutcome) -> list[dict[str, Any]]:
    seats: dict[int, list[dict[str, str]]] = defaultdict(list)
    for settled_wager in settled:
        if settled_wager.outcome == outcome:
            seats[settled_wager.wager.seat].append({"wager": settled_wager.wager.code})
    return [{"seat": seat, "paid": False, "lines": lines} for seat, lines in sorted(seats.items())]
