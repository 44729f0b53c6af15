"""The declaration of a table's snapshot: every key, in the order in which it is sent.

Builders return these types and readers take them, so that mypy checks both. `manage.py reference snapshot`
prints its page. Money is integer cents, faces are 1 to 6. Nothing absent is left out: it is null.
"""

from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, TypedDict

from audit.record import Head
from games.engine.game import PostCode
from games.engine.rounds import EndedPhase, GameView, Phase
from games.engine.wagers import WagerOutcome
from games.models.patrons import SignKind


@dataclass(frozen=True)
class Format:
    """What a text looks like, for the documents."""

    name: str


Moment = Annotated[str, Format("moment")]
Day = Annotated[str, Format("day")]
Citation = Annotated[str, Format("section")]

ShakerKind = Literal["manual", "automated-covered", "automated-uncovered", "player-activated", "dice-cup"]
EquipmentKind = Literal["device", "layout", "shaker"]  # what may fail at a table
WagerFlag = Literal["under-min", "over-max"]
AlertLevel = Literal["stop", "warn", "info"]
Addressee = Literal["floor", "security"]
TableKind = Literal["live", "training", "simulated"]
TableStatus = Literal["closed", "open", "ceased"]
StepState = Literal["done", "now", "todo"]
SeatMark = Literal["here", "away", "left"]
SeatState = Literal["playing", "seated", "away", "left", "open"]
LineOutcome = Literal["win", "lose", "return", "fee", "stay"]
ALERT_LEVELS: tuple[AlertLevel, ...] = ("stop", "warn", "info")  # the most urgent first
DiceAtClosing = Literal["stay", "removed"]
InspectionReason = Literal["opening", "repair"]
TransferKind = Literal["fill", "credit"]
TransferStatus = Literal["requested", "preparing", "on-the-way"]


# The table, its rules and limits


class TableFacts(TypedDict):
    """The table itself."""

    facility: Annotated[str, "code of the facility"]
    facility_name: str
    code: Annotated[str, "code of the table"]
    pit: Annotated[str, "name of the pit"]
    kind: TableKind
    game: Annotated[str, "code of the game"]
    game_name: str
    seats: Annotated[int, "how many seats the table has"]
    status: TableStatus
    target_pace: Annotated[int | None, "rounds an hour that the house aims at; null where it declares none"]


class Ceased(TypedDict):
    """Why gaming has ceased."""

    what: Annotated[EquipmentKind, "what failed"]
    since: Moment | None
    repaired_at: Annotated[Moment | None, "set once the repair is recorded; the inspection is still due"]
    text: str
    section: Citation


class Halted(TypedDict):
    """The record was rolled back, and no act is taken until two people declare it."""

    since: Moment
    text: str


class RulesFacts(TypedDict):
    """The rules submission of the live round, else the one in force."""

    submission: Annotated[str, "code of the rules submission"]
    version: int
    key: Annotated[str, "the regulation edition, with its date"]
    title: Annotated[str, "the edition and its paytable, in words"]
    chapter: Annotated[str, "the chapter of the regulation"]
    overrides: Annotated[dict[str, str], "odds that the submission raised, by row of the paytable"]
    in_force: Annotated[bool, "false: the table cannot deal"]
    approved_on: Day | None
    chapter_from: Annotated[
        Day | None, "since when the chapter is in effect; set where its text was amended later"
    ]
    text_from: Annotated[Day, "since when this text is in effect"]
    lapses_on: Annotated[Day | None, "the day on which a temporary regulation lapses"]
    lapsed: bool
    lapsed_why: Annotated[str | None, "why it is dealt nevertheless, as the casino filed it"]


# "from" is a keyword, so that this type has to be written as a call.
PendingLimits = TypedDict(
    "PendingLimits",
    {
        "number": Annotated[int, "number of the change at this table"],
        "min_cents": int,
        "max_cents": int,
        "asked_at": Moment,
        "posted_at": Annotated[Moment | None, "when the sign was posted"],
        "announced_at": Annotated[Moment | None, "when the change was announced"],
        "announced_by": Annotated[str | None, "short name"],
        "effective_at": Annotated[
            Moment | None, "30 minutes after the later of the two; rounds from then on use it"
        ],
        "from": Annotated[str | None, "the same moment as patrons read it: `2:32 PM`"],
        "due": Annotated[bool, "the moment has come, and the round in play ends under the old limits"],
        "say": Annotated[str, "the words of the announcement"],
    },
)
PendingLimits.__doc__ = "A change of the limits under way, § 521.8(c)(2)."


class Limits(TypedDict):
    """The minimum and maximum wager."""

    min_cents: int
    max_cents: int
    pending: PendingLimits | None


class Sign(TypedDict):
    """An approved sign form that the record holds for this table."""

    kind: SignKind
    version: int
    approved_on: Day | None
    reference: Annotated[str, "reference of the approval"]
    location: Annotated[str, "where the sign is posted"]
    width_mm: int
    height_mm: int
    wording: Annotated[
        dict[str, str], "the text by language (`en`, `es`, `zh`), with placeholders such as `{min}`"
    ]


# Who is there


class PersonName(TypedDict):
    """A person as screens name them."""

    code: str
    name: str
    short: Annotated[str, "`M. Tran`"]


class PostHolder(PersonName):
    """A person at a post of the table."""

    since: Annotated[Moment | None, "when the person took the post"]
    break_due: Annotated[Moment | None, "when a break is due by the house figure; null without one"]


class People(TypedDict):
    """Who works at the table now; null where nobody does."""

    dealer: PostHolder | None
    dealer_left: Annotated[PostHolder | None, "second dealer of a football table"]
    stickperson: Annotated[PostHolder | None, "stickperson of a football table"]
    floorperson: Annotated[PersonName | None, "who supervises the table"]


# Dice, chips on their way, and the inspection


class ShakerFacts(TypedDict):
    """The working shaker at the table."""

    code: str
    kind: ShakerKind
    name: Annotated[str, "the kind, in words"]
    out_of_order: bool
    sealed: Annotated[bool, "the edition requires the seal to be named when dice are put in"]
    takes_seal: Annotated[bool, "the edition seals the dice in the shaker"]


class LotFacts(TypedDict):
    """The dice in the shaker."""

    code: str
    placed_at: Moment | None
    expires_at: Annotated[Moment, "no new shake from this moment on"]
    expired: bool
    section: Citation
    seal_broken: Annotated[bool, "an entry says that the seal of its box was broken on receipt"]


class TransferFacts(TypedDict):
    """A fill or a credit under way."""

    kind: TransferKind
    slip: Annotated[str, "its slip number; empty before the cage has given it"]
    status: TransferStatus
    cents: int
    requested_at: Moment


class InspectionFacts(TypedDict):
    """The last inspection since the table closed."""

    at: Moment
    by: Annotated[str, "short name"]
    dice: Annotated[list[int], "the values that were entered"]
    lit: Annotated[list[str], "wager codes that were seen lit"]
    tosses: Annotated[int, "test runs of an automated shaker"]
    lines: Annotated[list[str], "what else was confirmed, in words"]
    cameras: list[str]


class InspectionLine(TypedDict):
    """One line of the inspection, confirmed by a tap."""

    code: str
    text: str
    section: Citation


class InspectionAsks(TypedDict):
    """What the inspection requires now."""

    lines: list[InspectionLine]
    cameras: Annotated[int, "how many cameras to name"]
    last_cameras: Annotated[list[str], "the cameras of the table's last inspection"]
    dice: Annotated[bool, "whether three values and the lights are checked"]
    tosses: Annotated[int, "test runs: 3 at an automated shaker, otherwise 0"]
    why: InspectionReason


# What an act asks for


class Reason(TypedDict):
    """A reason in words."""

    text: str
    section: Citation


class Missing(TypedDict):
    """A refusal that blocks the next step."""

    code: str
    text: str
    section: Citation


class SecureShaker(TypedDict):
    """A shaker that must be locked away before the table closes."""

    shaker: str
    section: Citation


class ClosingAsks(TypedDict):
    """What closing the table requires."""

    dice: Annotated[list[DiceAtClosing], "what may happen to the dice; empty without dice"]
    secure: SecureShaker | None
    open: Annotated[list[Missing], "what refuses the closing now, in the order of its steps"]
    counts_chips: Annotated[bool, "whether an inventory is open here, or its closer was signed since"]


# The round: its steps, seats and wagers


class RibbonStep(TypedDict):
    """A step of the round's ribbon."""

    key: str
    label: str
    state: StepState


class SeatFacts(TypedDict):
    """One seat of the table."""

    seat: int
    count: Annotated[int, "how many wagers"]
    cents: int
    flags: Annotated[list[str], "wagers outside the limits, in words"]
    taken: Annotated[bool, "a player has the seat, with a wager or without"]
    state: Annotated[
        SeatState,
        "`playing` with a wager, `seated` without; `away`: the player keeps the seat; `left`: free after the round",
    ]
    post: Annotated[PostCode | None, "the post that settles the seat; null where no post has its own seats"]
    player: Annotated[str | None, "random code of the player who is rated here; null at an anonymous seat"]
    refused: Annotated[bool, "no wager is accepted here until the floor lifts it"]


class WagerFacts(TypedDict):
    """One wager of the round, struck wagers included."""

    seat: int
    wager: Annotated[str, "wager code"]
    play: Annotated[int | None, "the play of a single play wager"]
    outcome: Annotated[WagerOutcome | None, "set once a throw decided the wager"]
    label: str
    cents: int
    flag: WagerFlag | None
    struck: bool
    missed: Annotated[bool, "recorded afterward as a missed wager"]


class Call(TypedDict):
    """A throw as it is called."""

    total: int
    words: Annotated[str, "the faces: `Two, five, five`"]
    summary: Annotated[str, "what they come to: `Total 12, big`"]


class ThrowFacts(TypedDict):
    """One throw of the round."""

    number: int
    dice: list[int]
    corrected: Annotated[bool, "the faces were corrected at the table"]
    void: Annotated[str | None, "why the throw is void, in words"]
    call: Annotated[Call | None, "null for a void throw"]


# Settling seat by seat


class SettleLine(TypedDict):
    """One wager of a settlement step."""

    wager: str
    label: str
    play: int | None
    outcome: Annotated[LineOutcome, "`stay`: this throw leaves the wager open"]
    stake_cents: int
    pays: Annotated[str | None, "`6 to 1`"]
    cents: Annotated[int, "what is paid or taken"]
    cut_cents: Annotated[int, "what the payout limit cut off"]
    why: str
    cite: Citation


class SettleSeat(TypedDict):
    """One seat of a settlement step."""

    seat: int
    done: bool
    take_cents: int
    pay_cents: int
    stay_cents: int
    lines: list[SettleLine]


class SettleStep(TypedDict):
    """One step of the settlement."""

    step: Annotated[int, "10 to 19 belong to the first throw, 20 to 29 to the second"]
    code: str
    label: str
    section: Citation
    state: StepState
    take_cents: int
    pay_cents: int
    seats: list[SettleSeat]


class Settle(TypedDict):
    """What the newest throw settles, step by step."""

    take_cents: int
    pay_cents: int
    stay_cents: int
    steps: list[SettleStep]


# Take, pay and return


class TakeLine(TypedDict):
    """A losing wager."""

    wager: str
    label: str
    why: str
    cite: Citation
    cents: int


class TakeSeat(TypedDict):
    """The losing wagers of a seat."""

    seat: int
    cents: int
    lines: list[TakeLine]


class Take(TypedDict):
    """The losing wagers."""

    count: int
    cents: int
    seats: list[TakeSeat]


class HeldSeat(TypedDict):
    """What is held back of a seat until its slip is reviewed."""

    seat: int
    cents: Annotated[int, "winnings and stakes"]
    stake_cents: Annotated[int, "how much of it are stakes of the newest throw, which go into the tray"]


class PayLine(TypedDict):
    """A winning wager."""

    wager: str
    label: str
    why: str
    cite: Citation
    stake_cents: int
    pays: Annotated[str | None, "`6 to 1`"]
    cents: Annotated[int, "what is paid, without the stake and without what is held back"]
    held_cents: Annotated[int, "what is held back of it"]
    paid: bool


class PaySeat(TypedDict):
    """The winning wagers of a seat."""

    seat: int
    paid: bool
    cents: int
    returned_cents: Annotated[int, "stakes that go back"]
    chips: Annotated[list[list[int]], "`[[chip cents, count], …]`, the fewest chips"]
    lines: list[PayLine]


class Pay(TypedDict):
    """The winning wagers."""

    count: int
    cents: int
    paid_cents: int
    seats: list[PaySeat]


class ReturnLine(TypedDict):
    """A wager that goes back."""

    wager: str
    label: str
    play: int | None
    cents: int


class ReturnSeat(TypedDict):
    """The wagers that go back to a seat."""

    seat: int
    done: Annotated[bool, "recorded as handed back"]
    cents: int
    lines: Annotated[list[ReturnLine], "in the order of the layout"]


class Returning(TypedDict):
    """The chips of a round that ended without a result, until all are recorded as handed back."""

    round: int
    ending: EndedPhase
    why: Annotated[str, "why the round ended, in words"]
    section: Citation
    at: Annotated[Moment, "when it ended"]
    count: Annotated[int, "wagers"]
    cents: int
    returned_cents: int
    seats: list[ReturnSeat]


# The round as a whole, and what comes next


class DiceToCall(TypedDict):
    """Dice that nobody has called yet, and what they would settle."""

    dice: Annotated[list[int], "as in `round.dice`"]
    call: Call
    wins: Annotated[int, "wagers that they pay"]
    losses: Annotated[int, "wagers that they take"]
    take_cents: int
    pay_cents: int


class DifferingWager(TypedDict):
    """Wagers on one area that two readings of the dice pay otherwise; 0 where it loses."""

    label: str
    seats: list[int]
    read_cents: int
    entered_cents: int


class OtherReadingFacts(TypedDict):
    """An earlier reading of the same throw, with other faces."""

    device: Annotated[str, "name of the reader"]
    dice: list[int]


class ReadingFacts(TypedDict):
    """What a reader read of the dice that are to be called. Nothing of it counts before the call."""

    device: Annotated[str, "name of the reader"]
    number: Annotated[int, "the reader's own number of the reading"]
    read_at: Moment
    confidence: Annotated[int, "in percent"]
    read: DiceToCall
    other: Annotated[
        OtherReadingFacts | None, "a reading before with other faces: neither is offered for the call"
    ]
    entered: Annotated[DiceToCall | None, "other dice that were entered: the floor decides; otherwise null"]
    differing: Annotated[list[DifferingWager], "what hangs on it; empty unless other dice were entered"]


class RoundFacts(TypedDict):
    """The round in play, or the next one before its first act."""

    number: int
    phase: Phase
    bets_open: bool
    mendable: Annotated[bool, "wagers can still be corrected at the table"]
    by_hand: Annotated[bool, "settled manually after a failure"]
    opened_at: Annotated[Moment | None, "null before the first act"]
    steps: list[RibbonStep]
    seats: Annotated[list[SeatFacts], "every seat"]
    wagers: list[WagerFacts]
    wagered_cents: int
    playing: Annotated[int, "seats with a wager"]
    dice: Annotated[list[int] | None, "the newest throw, low to high"]
    drawn: Annotated[list[int], "training tables: dice thrown by the machine and not yet called"]
    reading: Annotated[ReadingFacts | None, "what a reader read of the dice that are to be called"]
    call: Call | None
    lit: Annotated[list[str], "winning wager codes"]
    throws: list[ThrowFacts]
    settle: Annotated[Settle | None, "in games that settle in steps"]
    game: Annotated[GameView, "what only this game shows (docs/architecture.md)"]
    take: Take
    pay: Pay
    held: Annotated[
        list[HeldSeat], "what corrections after the dice added, held back until its slip is reviewed"
    ]
    ending: EndedPhase | None


class NextParams(TypedDict):
    """What the next step is sent with."""

    shakes: NotRequired[int]
    seat: NotRequired[int]
    round: NotRequired[int]
    accepted: NotRequired[bool]


class NextStep(TypedDict):
    """The next step of the table."""

    act: str
    label: str
    say: Annotated[str, "what the tap does"]
    params: NextParams
    dice: Annotated[int | None, "how many dice `call_dice` asks for"]


class AheadStep(TypedDict):
    """A step before the dice, or their call, as it comes if nothing else happens.

    A tablet without a line goes on by it.
    """

    act: str
    label: str
    say: Annotated[str, "what the tap does"]
    params: NextParams
    dice: Annotated[int | None, "how many dice `call_dice` asks for"]
    instruction: Annotated[str, "what the dealer does; empty where nothing is said"]
    duty: Annotated[str, "the step of the ribbon that the act is, without the number of a play"]
    bets_open: Annotated[bool, "wagers are taken until this act"]
    unless: Annotated[list[str], "wagers after which another act may come first, if one of them waits too"]
    steps: Annotated[list[RibbonStep], "the ribbon when the act comes"]


# The layout, the figures and what has been


class LayoutWager(TypedDict):
    """A wager of the edition."""

    wager: str
    label: str
    family: str
    odds: Annotated[list[str], "the odds in force: `1 to 1`"]
    stopped: Annotated[Reason | None, "why the wager is suspended"]
    increment_cents: NotRequired[
        Annotated[int, "stakes are multiples of it; absent where any amount is taken"]
    ]


class LastWager(TypedDict):
    """A wager of the last round in which its seat had any, for repeat."""

    seat: int
    round: int
    wager: str
    play: int | None
    cents: int


class Figures(TypedDict):
    """The gaming day so far: settled rounds with their slips (docs/figures.md)."""

    gaming_day: Day
    rounds: int
    handle_cents: Annotated[
        int, "the stakes of settled rounds that were won or lost, without fees (docs/figures.md)"
    ]
    win_cents: Annotated[int, "taken, fees included, less paid"]
    expected_cents: Annotated[
        int | None, "the win that the odds predict; null before the first round, and where not known"
    ]
    band_cents: Annotated[int | None, "two standard deviations of the win, exact; null where not known"]
    expected_win: Annotated[
        str | None,
        "the same win as an exact fraction (`123456/7`), so that those of several tables add up; null where not known",
    ]
    variance: Annotated[
        str | None, "the exact variance of the win in cents squared, as a fraction; null where not known"
    ]
    settled_at: Annotated[
        list[Moment], "when the rounds of the quarter of an hour before the newest settled one were settled"
    ]
    open_since: Annotated[
        Moment | None, "since when the table has been open and staffed without a break; null while it is not"
    ]
    win_line_cents: Annotated[list[int], "the win before and after each of the day's last 240 rounds"]
    expected_line_cents: Annotated[
        list[int], "what the odds predicted at each point of that line; empty where not known"
    ]
    band_line_cents: Annotated[
        list[int], "two standard deviations at each point of that line; empty where not known"
    ]


class PastRound(TypedDict):
    """An ended round."""

    number: int
    at: Annotated[Moment, "when it ended"]
    dice: list[int]
    throws: list[list[int]]
    total: int | None
    ending: EndedPhase
    result: Annotated[str | None, "how it ended: settled, touchdown, void, …"]
    wagers: int
    handle_cents: Annotated[int, "the stakes that were won or lost, without fees, with the newest slip"]
    win_cents: Annotated[int, "taken, fees included, less paid, with the newest slip; 0 without a result"]
    by_hand: bool
    slip: Annotated[Literal["slip", "void"] | None, "a slip was filed; `void`: it voided the round"]
    slip_open: Annotated[bool, "the money of a slip has not been handed over"]


class ActLine(TypedDict):
    """An entry of the table's stream, in words."""

    seq: int
    at: Moment
    who: Annotated[str, "short name"]
    signer: Annotated[
        str, "short name of who signed it with a PIN of their own; empty for an act that nobody signs"
    ]
    type: Annotated[str, "entry type"]
    text: str
    round: int | None


# Alerts


class Acknowledged(TypedDict):
    """Who acknowledged an alert."""

    by: Annotated[str, "short name"]
    at: Moment | None


class PassesOn(TypedDict):
    """When an alert that nobody answers is passed on, and to whom."""

    at: Moment
    role: Annotated[str, "label of the role"]


class Asked(TypedDict):
    """Whom an alert that nobody answered was passed on to."""

    at: Moment | None
    role: Annotated[str, "label of the role"]


class Muted(TypedDict):
    """Who turned off the sound of an alert."""

    by: Annotated[str, "short name"]
    until: Moment


class AlertWords(TypedDict):
    """What an alert says."""

    kind: str
    to: Annotated[Addressee | None, "whom the table calls to decide; null for an alert that is no call"]
    reason: Annotated[str | None, "code of the reason of a call"]
    seat: Annotated[int | None, "the seat concerned"]
    round: Annotated[int | None, "the round that it is about"]
    title: str
    text: str
    until: Annotated[Moment | None, "the moment that it counts down to"]


class AlertFacts(AlertWords):
    """An alert of the table."""

    id: Annotated[int | None, "what `acknowledge_alert` takes; null until it is recorded"]
    count: Annotated[int, "how many alerts of its kind the line stands for; they are acknowledged together"]
    level: AlertLevel
    section: Citation
    since: Moment | None
    standing: Annotated[bool, "false: it has ended, and nobody has acknowledged it"]
    acknowledged: Acknowledged | None
    coming: Annotated[Acknowledged | None, "who said that they are coming to the table"]
    asked: Asked | None
    passes_on: PassesOn | None
    muted: Annotated[Muted | None, "while its sound is off"]


class DecisionFacts(TypedDict):
    """A decision of the floor that the table has not read yet."""

    id: Annotated[int, "what `read_decision` takes"]
    title: str
    seat: int | None
    decision: Annotated[str, "in words"]
    by: Annotated[str, "short name"]
    at: Moment
    called_at: Moment
    coming_at: Moment | None


# The parts of a snapshot, and the whole


class OpeningPart(TypedDict):
    """The keys of the snapshot that lead to the opening."""

    inspection: InspectionFacts | None
    inspection_asks: InspectionAsks | None
    to_open: list[Missing]


class RoundPart(TypedDict):
    """The keys of the snapshot about the live round."""

    round: RoundFacts
    next: NextStep | None
    missing: Missing | None
    instruction: Reason | None
    offers: list[str]
    ahead: list[AheadStep]


class WinLines(TypedDict):
    """The keys of the figures with the win by round."""

    win_line_cents: list[int]
    expected_line_cents: list[int]
    band_line_cents: list[int]


class EndedRoundsPart(TypedDict):
    """The keys of the snapshot that only the end of a round or a slip changes."""

    last_wagers: list[LastWager]
    figures: Figures
    history: list[PastRound]


class Snapshot(TypedDict):
    """The state of a table: everything that a screen of this table shows."""

    version: Annotated[int, "sequence number of the table's audit stream"]
    head: Head
    table: TableFacts
    ceased: Ceased | None
    halted: Halted | None
    rules: RulesFacts
    limits: Limits
    signs: list[Sign]
    people: People
    shaker: ShakerFacts | None
    lot: LotFacts | None
    issued: Annotated[list[str], "lots issued to this table and not yet placed"]
    issued_broken: Annotated[list[str], "those of `issued` whose box had a broken seal on receipt"]
    transfers: Annotated[list[TransferFacts], "fills and credits under way, oldest first"]
    inspection: Annotated[InspectionFacts | None, "null while the table is open"]
    inspection_asks: Annotated[
        InspectionAsks | None, "null while the table is open, without rules or a shaker"
    ]
    to_open: Annotated[list[Missing], "what a closed table needs to open, apart from its inspection"]
    closing_asks: Annotated[ClosingAsks | None, "null at a closed table"]
    round: RoundFacts
    next: Annotated[NextStep | None, "null with `missing`"]
    missing: Annotated[Missing | None, "why there is no next step now"]
    instruction: Annotated[Reason | None, "what the dealer does now"]
    offers: Annotated[list[str], "the acts that are legal now, for everybody together"]
    ahead: Annotated[
        list[AheadStep],
        "from the next step to the call of the dice, as far as it is known (docs/tablets.md)",
    ]
    returning: Annotated[
        Returning | None, "chips that go back after a round without a result; until then no bets are open"
    ]
    post_acts: Annotated[
        dict[str, list[PostCode]], "the acts that belong to posts of the table, with these posts"
    ]
    layout: Annotated[list[LayoutWager], "every wager of the edition"]
    chips: Annotated[list[int], "the chips of the house in cents, the smallest first"]
    last_wagers: list[LastWager]
    figures: Figures
    history: Annotated[list[PastRound], "the last rounds, newest first"]
    acts: Annotated[list[ActLine], "the newest entries, newest first"]
    alerts: Annotated[list[AlertFacts], "see `tables/alerts/alert_list.py` for their order"]
    decisions: Annotated[
        list[DecisionFacts], "decisions of the floor that the table has not read, oldest first"
    ]
    as_of: Moment
