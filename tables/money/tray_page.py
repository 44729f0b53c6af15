"""Page of a tray: its value with its parts, the tubes, the slip under way, and the count.

`draw_tubes` lays out the tubes by denomination, as last counted, with the par and what is still to come. Drawn by
templates/tables/money; read under no lock.
"""

import datetime as dt
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from audit.models import Person
from games.registry import game_by_code
from games.separation import policy
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE, DEALERS, FLOOR, STAFFERS
from tables.models import Assignment, ChipDiscrepancy, ChipTransfer, DropBox, Table, TableInventory, TrayPar
from tables.money.chips import (
    DEFAULT_DENOMINATIONS,
    KNOWN_DENOMINATIONS,
    ChipLine,
    Chips,
    chips_of,
    count_of,
    denominations_of,
    value_cents,
)
from tables.money.drops import drop_box_on
from tables.money.inventories import PARS, OrderProposal, tray_facts
from tables.money.transfers import CARRIERS, CREDITS, Kind, Status, is_at_table, waits_for_carrier
from tables.money.tray import SECURITY, MovedChips, keeps_inventory, moved_in_play

# The drawing of the tubes


TUBE_SIZES = (50, 100, 200, 500, 1_000)
MOST_TUBES = 26  # so many fit beside each other on a tablet
MOST_TUBES_OF_ONE = 16  # so many widths the style sheet has
PITCH, GAP, LEAST_WIDTH = 30, 4, 84  # units of the drawing
TOP, HEIGHT = 20, 225
CHIPS_OF_A_MARK = 20
CHIP_WIDTH, CHIP_HEIGHT = 26.0, 4.5
SPOT_WIDTH, SPOT_PITCH = 3.5, 12.0
TURNS = (1.6, 10.2, 9.2, 3.1, 5.9, 5.4, 7.8, 9.5, 1.1, 0.3)  # no two chips of a stack lie the same way


@dataclass(frozen=True)
class Tube:
    """One tube: where it stands, how high its chips are, and what comes into it or leaves it."""

    x: int
    filled_y: float
    filled: float
    change_y: float
    change: float
    marks: tuple[float, ...]
    par_y: float | None


@dataclass(frozen=True)
class DenominationTubes:
    """The tubes of one denomination."""

    line: ChipLine  # as last counted
    par: int
    to_come: int  # negative: chips of a credit that leave
    width: int
    tubes: tuple[Tube, ...]

    @property
    def style(self) -> str:
        """The class of its width."""
        return f"w{len(self.tubes)}"

    @property
    def is_leaving(self) -> bool:
        return self.to_come < 0

    @property
    def to_go(self) -> int:
        return -self.to_come


@dataclass(frozen=True)
class TubesDrawing:
    """All tubes of a tray. `size`: so many chips fit into a tube."""

    size: int
    denominations: tuple[DenominationTubes, ...]


def draw_tubes(
    counted: Mapping[str, int],
    par: Mapping[str, int],
    to_come: Mapping[str, int],
    values: Sequence[int] = DEFAULT_DENOMINATIONS,
) -> TubesDrawing:
    """Draw stored counts. `to_come` adds what a fill brings, negative what a credit takes out.

    `values`: the denominations of the tray in cents, smallest first.
    """
    highest = {
        chip: max(
            count_of(counted, chip), count_of(counted, chip) + count_of(to_come, chip), count_of(par, chip), 1
        )
        for chip in values
    }
    size = next((size for size in TUBE_SIZES if _fits(highest.values(), size)), TUBE_SIZES[-1])
    return TubesDrawing(
        size,
        tuple(
            _denomination(
                ChipLine(chip, count_of(counted, chip)),
                count_of(par, chip),
                count_of(to_come, chip),
                highest[chip],
                size,
            )
            for chip in values
        ),
    )


def _fits(counts: Iterable[int], size: int) -> bool:
    tubes = [-(-count // size) for count in counts]
    return sum(tubes) <= MOST_TUBES and max(tubes) <= MOST_TUBES_OF_ONE


def _denomination(line: ChipLine, par: int, to_come: int, highest: int, size: int) -> DenominationTubes:
    number = min(-(-highest // size), MOST_TUBES_OF_ONE)
    width = max(LEAST_WIDTH, PITCH * number + 12)
    margin = (width - (PITCH * number - GAP)) // 2
    tubes = tuple(_tube(index, margin, line.count, par, to_come, size) for index in range(number))
    return DenominationTubes(line, par, to_come, width, tubes)


def _tube(index: int, margin: int, count: int, par: int, to_come: int, size: int) -> Tube:
    """Draw the tube with this index: the chips of the count that lie in it, and its part of the change."""
    chip_height, bottom, begins = HEIGHT / size, TOP + HEIGHT, index * size

    def part(low: int, high: int) -> tuple[float, float]:
        """Return where the chips from `low` to `high` of the denomination begin in this tube, and how high they are."""
        inside_low, inside_high = max(low - begins, 0), min(high - begins, size)
        chips = max(0, inside_high - inside_low)
        return round(bottom - (inside_low + chips) * chip_height, 2), round(chips * chip_height, 2)

    filled_y, filled = part(0, count)
    change_y, change = part(*sorted((count, max(0, count + to_come))))
    marks = tuple(
        round(bottom - mark * chip_height, 2)
        for mark in range(CHIPS_OF_A_MARK, size, CHIPS_OF_A_MARK)
        if size == TUBE_SIZES[0] and begins + mark < count
    )
    has_par = par > 0 and begins < par <= begins + size
    par_y = round(bottom - (par - begins) * chip_height, 2) if has_par else None
    return Tube(margin + PITCH * index, filled_y, filled, change_y, change, marks, par_y)


def stacked_chips() -> tuple[tuple[float, float, tuple[tuple[float, float], ...]], ...]:
    """Return the chips of a stack from their side, top first: where each lies, its seam, and its edge spots."""
    return tuple(
        (index * CHIP_HEIGHT, round(index * CHIP_HEIGHT + 3.7, 2), _edge_spots(turn))
        for index, turn in enumerate(TURNS)
    )


def _edge_spots(turn: float) -> tuple[tuple[float, float], ...]:
    """Return where the edge spots of a chip begin, and how wide they are, cut at its sides."""
    begins = (turn - SPOT_PITCH, turn, turn + SPOT_PITCH, turn + 2 * SPOT_PITCH)
    cut = ((max(0.0, begin), min(CHIP_WIDTH, begin + SPOT_WIDTH)) for begin in begins)
    return tuple((round(low, 2), round(high - low, 2)) for low, high in cut if high > low)


# What the page shows


# What can be counted here, in the order of the links. `slip` is the fill or credit that is at the table.
SLIP, TRAY, SELL, OPENER, CLOSER = "slip", "tray", "sell", "opener", "closer"
LABELS = {TRAY: "The whole tray", SELL: "Sell chips", OPENER: "The opener", CLOSER: "The closer"}


@dataclass(frozen=True)
class TransferStep:
    """One step of a transfer. `mark` is `done`, `now` or empty."""

    label: str
    mark: str
    who: str = ""
    moment: dt.datetime | None = None


@dataclass(frozen=True)
class CountSigner:
    """Somebody who signs a transfer or a count."""

    post: str
    name: str
    note: str
    is_first: bool = False


@dataclass(frozen=True)
class TransferPanel:
    """A fill or a credit as the tray shows it."""

    transfer: ChipTransfer
    title: str
    chips: Chips
    steps: tuple[TransferStep, ...]
    after_cents: int | None
    waits: str  # what has to happen before the table counts; empty where it counts now

    @property
    def is_fill(self) -> bool:
        return self.transfer.kind == Kind.FILL

    @property
    def is_counted_here(self) -> bool:
        """Whether the table counts and signs it now: a fill that has come, a credit with its slip."""
        return not self.waits

    @property
    def is_voided_here(self) -> bool:
        """Whether the table voids it: a credit whose chips are back in the tray."""
        return not self.is_fill and self.transfer.status == Status.ON_THE_WAY

    @property
    def waits_for_carrier(self) -> bool:
        """Whether the security officer who carries it signs next."""
        return waits_for_carrier(self.transfer)

    @property
    def act(self) -> str:
        """The act by which the table signs for it."""
        return "receive_transfer" if self.is_fill else "hand_over_transfer"


@dataclass(frozen=True)
class CountCell:
    """One denomination of the count. `expected` is None where nothing is compared, chip by chip."""

    line: ChipLine
    expected: int | None
    is_asked: bool = True


@dataclass(frozen=True)
class CountForm:
    """What is counted now, and the act that records it."""

    code: str
    label: str
    act: str
    cells: tuple[CountCell, ...]
    expected_cents: int | None
    of: str  # what the numbers are compared with, in words: "slip", "closer"
    verb: str  # what the brass button says before the amount


@dataclass(frozen=True)
class CountLink:
    """A link to another count."""

    code: str
    label: str
    is_current: bool


@dataclass(frozen=True)
class SumPart:
    """A part of the tray's value: `sign` is empty for the opener."""

    label: str
    sign: str
    cents: int


@dataclass(frozen=True)
class ParRow:
    """One denomination against its par. `order_cents`: what the proposed fill brings; negative, what a credit takes."""

    line: ChipLine  # as last counted
    par_cents: int
    order_cents: int

    @property
    def percent(self) -> int:
        """The share of the par that was counted, for the length of its bar."""
        return min(100, 100 * self.line.cents // self.par_cents) if self.par_cents else 100


@dataclass(frozen=True)
class TrayPage:
    """The page of one tray."""

    table: Table
    person: Person
    inventory: TableInventory | None
    last_closer: TableInventory | None
    round_in_play: int
    value_cents: int
    parts: tuple[SumPart, ...]
    drawing: TubesDrawing | None
    par: TrayPar | None
    par_rows: tuple[ParRow, ...]
    moved_since: tuple[str, ...]
    difference: ChipDiscrepancy | None
    panel: TransferPanel | None
    under_way: tuple[ChipTransfer, ...]
    others: tuple[ChipTransfer, ...]
    form: CountForm | None
    links: tuple[CountLink, ...]
    drop_box: DropBox | None
    signatures: tuple[CountSigner, ...]
    signers: tuple[Person, ...]
    security: tuple[Person, ...]
    carriers: tuple[Person, ...]
    par_signers: tuple[Person, ...]
    proposal: OrderProposal | None

    @property
    def game(self) -> str:
        return game_by_code(self.table.game).name

    @property
    def count_key(self) -> str:
        """What the count on the screen is about. The screen forgets the numbers of a count with another key."""
        assert self.form is not None
        if self.form.code == SLIP:
            return f"{SLIP} {self.panel.transfer.number if self.panel else ''}"
        counted_at = self.inventory.counted_at.isoformat() if self.inventory else ""
        sold = self.inventory.sold_cents if self.inventory and self.form.code == SELL else ""
        return f"{self.form.code} {counted_at} {sold}"

    @property
    def is_kept(self) -> bool:
        """Whether the casino keeps the inventory of this table."""
        return self.inventory is not None or keeps_inventory(self.table)

    @property
    def is_open(self) -> bool:
        """Whether chips may move: the opener is signed, and no closer since."""
        return self.inventory is not None

    @property
    def waits_for_closing(self) -> bool:
        """Whether the closer is signed and the table still to be closed."""
        is_signed = self.inventory is None and self.table.closer_signed_at is not None
        return is_signed and self.table.status != Table.Status.CLOSED

    @property
    def may_act(self) -> bool:
        """Whether this person works at the table. Others only look."""
        return self.person.role in AT_THE_TABLE

    @property
    def may_request(self) -> bool:
        """Whether this person may ask the cage for a fill or a credit."""
        return self.person.role in FLOOR

    @property
    def par_cents(self) -> int:
        """The value of the par; 0 where none is set."""
        return value_cents(self.par.chips) if self.par else 0

    @property
    def may_set_par(self) -> bool:
        """Whether this person may set what the tray should hold."""
        return self.is_kept and self.person.role in STAFFERS

    @property
    def par_json(self) -> str:
        """The par, for the fields of its dialog; where none is set, the last count."""
        if self.par is None and self.inventory is not None:
            return json.dumps(self.inventory.counted_chips)
        return json.dumps(self.par.chips if self.par else {})

    @property
    def fill_json(self) -> str:
        """The fill that restores the par, for the fields of its request."""
        return json.dumps(self.proposal.fill if self.proposal else {})

    @property
    def credit_json(self) -> str:
        """The credit that restores the par, for the fields of its request."""
        return json.dumps(self.proposal.credit if self.proposal else {})

    @property
    def signer_names(self) -> str:
        return ", then ".join(signature.name for signature in self.signatures if signature.name)


def tray_page(ctx: TableContext, person: Person, count: str, slip: str) -> TrayPage:
    """Read the page of a tray. `count` and `slip` are what the address asks for, as text."""
    table = ctx.table
    facts = tray_facts(table)
    inventory = facts.inventory if facts else None
    par = TrayPar.objects.filter(table=table).select_related("set_by").first()
    transfers = list(facts.under_way) if facts else []
    closers = (
        TableInventory.objects.filter(table=table)
        .exclude(closed_at=None)
        .select_related("closed_by", "closed_with")
    )
    last_closer = closers.order_by("-number").first() if inventory is None else None
    in_play = moved_in_play(ctx)
    value = (table.tray_cents or 0) + in_play.cents
    selected = _select(transfers, slip)
    panel = _panel(selected, table, value) if selected else None
    form = _form(count, inventory, last_closer, panel, table, value)
    return TrayPage(
        table=table,
        person=person,
        inventory=inventory,
        last_closer=last_closer,
        round_in_play=ctx.round.number if ctx.round is not None else 0,
        value_cents=value,
        parts=_parts(inventory, table, in_play) if inventory else (),
        drawing=_drawing(table, inventory, par.chips if par else {}, transfers) if inventory else None,
        par=par,
        par_rows=_par_rows(inventory, par.chips, facts.proposal) if facts and inventory and par else (),
        moved_since=_moved_since(inventory) if inventory else (),
        difference=_newest_difference(inventory) if inventory else None,
        panel=panel,
        under_way=tuple(transfers),
        others=tuple(transfer for transfer in transfers if transfer is not selected),
        form=form,
        links=_links(form, inventory, panel, table),
        drop_box=drop_box_on(table) if inventory else None,
        signatures=_signatures(person, table),
        signers=signers_beside(person, table),
        security=on_duty_as(table, *SECURITY),
        carriers=_carriers(table),
        par_signers=_par_signers(table, person),
        proposal=facts.proposal if facts else None,
    )


def on_duty_as(table: Table, *roles: str) -> tuple[Person, ...]:
    """Return the people of these roles who are on duty at this table."""
    on_duty = Assignment.objects.at(table).filter(person__role__in=roles, person__is_active=True)
    people = {assignment.person_id: assignment.person for assignment in on_duty.select_related("person")}
    return tuple(sorted(people.values(), key=lambda person: person.name))


def _carriers(table: Table) -> tuple[Person, ...]:
    """Return who may sign to carry a credit from this table, by the policy."""
    row = policy.row_of(table.facility.law, CREDITS)
    return tuple(person for person in on_duty_as(table, *CARRIERS) if policy.may_approve(row, person))


def _par_signers(table: Table, person: Person) -> tuple[Person, ...]:
    """Return who may sign a par beside this person, by the policy."""
    row = policy.row_of(table.facility.law, PARS)
    signers = on_duty_as(table, *policy.roles_of(PARS, "approve"))
    return tuple(signer for signer in signers if signer.pk != person.pk and policy.may_approve(row, signer))


def signers_beside(person: Person, table: Table) -> tuple[Person, ...]:
    """Return who may sign a count beside this person: the floor beside a dealer, dealers at a post beside the floor."""
    if person.role in DEALERS:
        floor = on_duty_as(table, *FLOOR)
        return tuple(sorted(floor, key=lambda signer: signer.pk != table.floorperson_id))
    at_posts = (posts.holder(table, post) for post in posts.posts_of(table))
    return tuple(holder for holder in at_posts if holder is not None and holder.role in DEALERS)


def _select(transfers: list[ChipTransfer], slip: str) -> ChipTransfer | None:
    """Return the transfer with this number, else the first that the table can count now, else the oldest."""
    for transfer in transfers:
        if str(transfer.number) == slip:
            return transfer
    countable = [transfer for transfer in transfers if is_at_table(transfer)]
    return next(iter([*countable, *transfers]), None)


def _parts(inventory: TableInventory, table: Table, in_play: MovedChips) -> tuple[SumPart, ...]:
    """Return the parts of the exact value, which add up to it; with what the round in play has moved."""
    corrected = table.tray_corrected_cents
    return (
        SumPart("Opener", "", inventory.opener_cents),
        SumPart("Fills", "+", inventory.fills_cents),
        SumPart("Credits", "−", inventory.credits_cents),
        SumPart("Taken", "+", table.tray_taken_cents + in_play.taken_cents),
        SumPart("Paid", "−", table.tray_paid_cents + in_play.paid_cents),
        SumPart("Sold", "−", inventory.sold_cents),
        *((SumPart("Slips", "−" if corrected < 0 else "+", abs(corrected)),) if corrected else ()),
    )


def _drawing(
    table: Table, inventory: TableInventory, par: Mapping[str, int], transfers: list[ChipTransfer]
) -> TubesDrawing:
    """Draw the newest count, with the fills that have not come and the credits that have not left."""
    change: Counter[str] = Counter()
    for transfer in transfers:
        if transfer.kind == Kind.FILL:
            change.update(transfer.chips)
        elif transfer.status != Status.ON_THE_WAY:
            change.subtract(transfer.chips)
    values = denominations_of(table.facility, inventory.counted_chips, par, change)
    return draw_tubes(inventory.counted_chips, par, change, values)


def _par_rows(
    inventory: TableInventory, par: Mapping[str, int], proposal: OrderProposal | None
) -> tuple[ParRow, ...]:
    """Return each denomination that was counted or has a par, the highest first."""
    fill, credit = (proposal.fill, proposal.credit) if proposal else ({}, {})
    rows = (
        ParRow(
            ChipLine(chip, count_of(inventory.counted_chips, chip)),
            chip * count_of(par, chip),
            chip * (count_of(fill, chip) - count_of(credit, chip)),
        )
        for chip in reversed(KNOWN_DENOMINATIONS)
    )
    return tuple(row for row in rows if row.line.count or row.par_cents)


def _moved_since(inventory: TableInventory) -> tuple[str, ...]:
    """Return what came and left after the newest count, which its tubes do not show."""
    since = inventory.counted_at
    transfers = ChipTransfer.objects.filter(inventory=inventory).filter(
        Q(kind=Kind.FILL, received_at__gt=since) | Q(kind=Kind.CREDIT, handed_at__gt=since)
    )
    return tuple(
        f"{transfer.slip} {'came' if transfer.kind == Kind.FILL else 'left'}"
        for transfer in transfers.order_by("pk")
    )


def _newest_difference(inventory: TableInventory) -> ChipDiscrepancy | None:
    """Return the discrepancy of the newest count, if it differed."""
    return ChipDiscrepancy.objects.filter(inventory=inventory, recorded_at=inventory.counted_at).first()


def _panel(transfer: ChipTransfer, table: Table, value: int) -> TransferPanel:
    is_fill = transfer.kind == Kind.FILL
    title = f"Fill, cage to {table.code}" if is_fill else f"Credit, {table.code} to cage"
    change = transfer.cents if is_fill else -transfer.cents
    has_left = not is_fill and transfer.status == Status.ON_THE_WAY
    after = None if has_left else value + change
    return TransferPanel(transfer, title, chips_of(transfer.chips), _steps(transfer), after, _waits(transfer))


def _waits(transfer: ChipTransfer) -> str:
    if waits_for_carrier(transfer):
        return (
            "Who carries it signs first, with their own PIN. Then the dealer and the floor count it and sign."
        )
    if is_at_table(transfer):
        return ""
    if transfer.status == Status.REQUESTED:
        return "The cage has not started it yet."
    if transfer.kind == Kind.FILL:
        return "The cage counts it. Security then carries it here."
    return "Security carries it to the cage, which counts it."


def _name(person: Person | None, of: str = "") -> str:
    if person is None:
        return ""
    return f"{person.short_name}, {of}" if of else person.short_name


def _steps(transfer: ChipTransfer) -> tuple[TransferStep, ...]:
    """Return the steps of a transfer in order. The first that is not done is what happens now."""
    is_fill = transfer.kind == Kind.FILL
    last = "In the tray" if is_fill else "In the cage"
    carried = f"{_name(transfer.carrier, 'security')}" or _name(transfer.handed_by)
    signed_by_carrier = ("Carrier signed", _name(transfer.carrier, "security"), transfer.carrier_signed_at)
    passed = (
        ("Requested", _name(transfer.requested_by), transfer.requested_at),
        ("Prepared" if is_fill else "Slip made", _name(transfer.prepared_by, "cage"), transfer.prepared_at),
        *((signed_by_carrier,) if waits_for_carrier(transfer) or transfer.carrier_signed_at else ()),
        ("Carried", carried, transfer.handed_at),
        (last, _name(transfer.received_by), transfer.received_at),
    )
    steps: list[TransferStep] = []
    for label, who, moment in passed:
        if moment is not None:
            steps.append(TransferStep(label, "done", who, moment))
        elif not any(step.mark == "now" for step in steps):
            note = "two signatures to come" if is_at_table(transfer) else ""
            if waits_for_carrier(transfer):
                note = "by their own PIN"
            steps.append(TransferStep(label, "now", note))
        else:
            steps.append(TransferStep(label, ""))
    return tuple(steps)


def _form(
    count: str,
    inventory: TableInventory | None,
    last_closer: TableInventory | None,
    panel: TransferPanel | None,
    table: Table,
    exact: int,
) -> CountForm | None:
    """Return the count that the address asks for, if it is possible now; else the one that comes next."""
    possible = _possible_counts(inventory, panel, table)
    if not possible:
        return None
    code = count if count in possible else possible[0]
    if code == SLIP and panel is not None:
        chips, label = panel.transfer.chips, "The fill" if panel.is_fill else "The credit"
        return CountForm(
            SLIP,
            label,
            panel.act,
            _cells(table, chips, only_these=True),
            panel.transfer.cents,
            "slip",
            "Sign for",
        )
    if code == OPENER:
        chips = last_closer.closer_chips if last_closer else None
        expected = last_closer.closer_cents if last_closer else None
        return CountForm(
            OPENER, LABELS[OPENER], "count_opener", _cells(table, chips), expected, "closer", "Sign for"
        )
    if code == SELL:
        return CountForm(SELL, LABELS[SELL], "sell_chips", _cells(table, None), None, "", "Sell")
    if code == CLOSER:
        return CountForm(
            CLOSER, LABELS[CLOSER], "count_closer", _cells(table, None), exact, "record", "Sign for"
        )
    return CountForm(TRAY, LABELS[TRAY], "count_tray", _cells(table, None), exact, "record", "Sign for")


def _possible_counts(
    inventory: TableInventory | None, panel: TransferPanel | None, table: Table
) -> list[str]:
    """Return what can be counted now, what comes next first."""
    if inventory is None:
        begins = table.status == Table.Status.CLOSED or table.closer_signed_at is None
        return [OPENER] if begins and keeps_inventory(table) else []
    slip = [SLIP] if panel is not None and panel.is_counted_here else []
    return [*slip, TRAY, SELL, CLOSER]


def _links(
    form: CountForm | None, inventory: TableInventory | None, panel: TransferPanel | None, table: Table
) -> tuple[CountLink, ...]:
    labels = {**LABELS, SLIP: "The fill" if panel is None or panel.is_fill else "The credit"}
    current = form.code if form else ""
    return tuple(
        CountLink(code, labels[code], code == current) for code in _possible_counts(inventory, panel, table)
    )


def _cells(
    table: Table, chips: Mapping[str, int] | None, *, only_these: bool = False
) -> tuple[CountCell, ...]:
    """Return a cell for each denomination; `chips` is what they are compared with."""
    return tuple(
        CountCell(
            ChipLine(chip, 0),
            None if chips is None else count_of(chips, chip),
            not only_these or bool(chips and count_of(chips, chip)),
        )
        for chip in denominations_of(table.facility, chips or {})
    )


def _signatures(person: Person, table: Table) -> tuple[CountSigner, ...]:
    """Return who signs at the table: the dealer, and a floorperson. The first one is signed in at this device."""
    dealer = person.short_name if person.role in DEALERS else _name(table.dealer)
    floor = person.short_name if person.role in FLOOR else _name(table.floorperson)
    signed_in, with_pin = "signed in here", "by their own PIN"
    is_dealer = person.role in DEALERS
    return (
        CountSigner("Dealer", dealer, signed_in if is_dealer else with_pin, is_dealer),
        CountSigner("Floorperson", floor, with_pin if is_dealer else signed_in, not is_dealer),
    )
