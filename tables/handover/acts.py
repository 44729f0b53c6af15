"""Acts of the handover: somebody of the next shift takes over what is open, and both sides sign."""

from typing import Annotated

from audit.clock import format_moment
from audit.models import Person
from games.act_forms import prose, text, words
from games.engine import Refusal
from games.params import malformed
from tables.core.permissions import FLOOR, STAFFERS
from tables.handover.draft import HandoverDraft, HandoverItem, handover_draft
from tables.handover.entry_types import (
    HANDOVER_SIGNED,
    ITEMS_ACCEPTED,
    HandedItem,
    HandoverSigned,
    ItemsAccepted,
    OpenItemData,
    PitFigures,
)
from tables.handover.figures import ShiftFigures, shift_figures
from tables.handover.open_items import OpenItem
from tables.handover.refusals import (
    HANDOVER_ITEM_NOT_OPEN,
    HANDOVER_ITEM_WITHOUT_OWNER,
    HANDOVER_OF_ANOTHER_SHIFT,
    HANDOVER_OWNER_MAY_NOT,
    HANDOVER_SUCCESSOR_MUST_SIGN,
)
from tables.models import Handover, ItemAcceptance
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act

MAX_ITEMS = 500
MAX_NOTE = 1000
MAX_SHIFT = 40


def _draft_of(ctx: FacilityContext, shift: str) -> HandoverDraft:
    """What is open now. Raises `handover-of-another-shift` where the page showed another shift."""
    draft = handover_draft(ctx.facility, ctx.now)
    if draft.shift.key != shift:
        raise Refusal(HANDOVER_OF_ANOTHER_SHIFT)
    return draft


@facility_act(STAFF, roles=STAFFERS, witness=True)
def accept_open_items(
    ctx: FacilityContext,
    *,
    items: Annotated[tuple[str, ...], words(MAX_ITEMS)] = (),
    shift: Annotated[str, text(MAX_SHIFT)],
) -> ActOutcome:
    """Take over open items: the second person does who signs with their PIN, or the actor where nobody signs.

    Raises `handover-item-not-open` for an item that has ended meanwhile, and `handover-owner-may-not`.
    """
    draft = _draft_of(ctx, shift)
    if not items:
        raise malformed("items")
    owner = ctx.witness or ctx.actor
    if owner.role not in FLOOR:
        raise Refusal(HANDOVER_OWNER_MAY_NOT, person=owner.name)
    found = {row.item.key: row.item for row in draft.items}
    for key in items:
        if key not in found:
            raise Refusal(HANDOVER_ITEM_NOT_OPEN, item=key)
    ItemAcceptance.objects.bulk_create(
        ItemAcceptance(
            facility=ctx.facility,
            shift=draft.shift.key,
            item=key,
            person=owner,
            accepted_at=ctx.now,
            seq=ctx.stream.seq + 1,
        )
        for key in dict.fromkeys(items)
    )
    data: ItemsAccepted = {
        "shift": draft.shift.key,
        "owner": owner.code,
        "items": [item_data(found[key]) for key in dict.fromkeys(items)],
    }
    return ActOutcome(ITEMS_ACCEPTED(data), {"owner": owner.code}, changes="nothing")


@facility_act(STAFF, roles=STAFFERS, witness=True)
def sign_handover(
    ctx: FacilityContext,
    *,
    note: Annotated[str, prose(MAX_NOTE)] = "",
    shift: Annotated[str, text(MAX_SHIFT)],
) -> ActOutcome:
    """Hand the shift over to the second person, who signs with their own PIN.

    Raises `handover-successor-must-sign`, or `handover-item-without-owner` for what nobody has taken over.
    """
    draft = _draft_of(ctx, shift)
    successor = ctx.witness
    if successor is None or successor.role not in STAFFERS:
        raise Refusal(HANDOVER_SUCCESSOR_MUST_SIGN)
    missing = draft.without_owner
    if missing:
        raise Refusal(
            HANDOVER_ITEM_WITHOUT_OWNER,
            count=len(missing),
            total=len(draft.items),
            item=in_words(missing[0]),
        )
    handover = Handover.objects.create(
        facility=ctx.facility,
        number=Handover.objects.filter(facility=ctx.facility).count() + 1,
        shift=draft.shift.key,
        gaming_day=draft.shift.gaming_day,
        handed_over_by=ctx.actor,
        taken_over_by=successor,
        signed_at=ctx.now,
        stream=ctx.stream,
        seq=ctx.stream.seq + 1,
    )
    data = _signed_data(ctx, handover, draft, successor, note)
    return ActOutcome(HANDOVER_SIGNED(data), {"handover": handover.number}, changes="nothing")


def _signed_data(
    ctx: FacilityContext, handover: Handover, draft: HandoverDraft, successor: Person, note: str
) -> HandoverSigned:
    by_pit, total = shift_figures(ctx.facility, draft.shift)
    return {
        "handover": handover.number,
        "shift": draft.shift.key,
        "shift_name": draft.shift.name,
        "next_shift_name": draft.shift.next_name,
        "begins_at": format_moment(draft.shift.begins),
        "ends_at": format_moment(draft.shift.ends),
        "handed_over_by": ctx.actor.code,
        "taken_over_by": successor.code,
        "items": [_handed_item(row) for row in draft.items],
        "pits": [_figures_data(figures) for figures in by_pit],
        "total": _figures_data(total),
        "note": note,
    }


def item_data(item: OpenItem) -> OpenItemData:
    """An open item as entries name it."""
    return {"item": item.key, "kind": item.label, "table": item.table or None, "title": item.title}


def _handed_item(row: HandoverItem) -> HandedItem:
    item = row.item
    assert row.owner is not None
    return {
        **item_data(item),
        "due_at": format_moment(item.due_at) if item.due_at else None,
        "holder": item.holder.code if item.holder else None,
        "owner": row.owner.code,
    }


def _figures_data(figures: ShiftFigures) -> PitFigures:
    return {
        "pit": figures.code,
        "rounds": figures.rounds,
        "handle_cents": figures.handle_cents,
        "win_cents": figures.win_cents,
        "expected_cents": figures.expected_cents,
        "band_cents": figures.band_cents,
    }


def in_words(item: OpenItem) -> str:
    """`T-20, Dispute at seat 5`."""
    return f"{item.table}, {item.title}" if item.table else item.title
