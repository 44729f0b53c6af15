"""What leads a closed or ceased table to gaming, as the snapshot shows it: the inspection as a list, what opening still
needs, the one next step; and what closing asks.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from games.engine import Refusal
from tables.core.context import TableContext
from tables.equipment.checks import Equipment
from tables.equipment.table_signs import form_note
from tables.equipment.tosses import TOSSES
from tables.equipment.words import LINES
from tables.models import Inspection, Table
from tables.opening.checks import last_inspection, verify_dice_new_enough, verify_payout_limit, verify_secured
from tables.opening.words import OPENING_LABELS, OPENING_SENTENCES, empty_posts_sentence
from tables.rules.suspensions import verify_game_not_suspended
from tables.snapshot_types import (
    ClosingAsks,
    DiceAtClosing,
    InspectionAsks,
    InspectionFacts,
    InspectionLine,
    Missing,
    NextStep,
    OpeningPart,
    SecureShaker,
)
from tables.staffing import posts
from tables.words.sentences import dollars, moment, say, short


class Opening:
    """The way of one table to its opening, or back to gaming after a failure; read once for a snapshot."""

    def __init__(self, ctx: TableContext) -> None:
        self.at = ctx

    @cached_property
    def equipment(self) -> Equipment:
        """What the edition asks of the equipment here."""
        return Equipment(self.at)

    @cached_property
    def inspection(self) -> Inspection | None:
        """The newest inspection since the table last closed."""
        return last_inspection(self.at)

    @property
    def ceased(self) -> bool:
        """Whether something failed here and its repair has not been inspected."""
        return bool(self.at.table.ceased_what)

    @property
    def may_inspect(self) -> bool:
        """Whether the inspection is due now: at a closed table, or after a repair, with dice to inspect."""
        due = not self.ceased or self.at.table.repaired_at is not None
        return due and self.at.table.status != Table.Status.OPEN and self.without_dice is None

    @property
    def may_open(self) -> bool:
        """Whether nothing but the inspection is missing to open."""
        return self.at.table.status == Table.Status.CLOSED and not self.ceased and not self.needed

    @cached_property
    def without_dice(self) -> Missing | None:
        """Why nothing can be inspected: no shaker stands here, or it is empty."""
        return refusal_data(self.at.verify_dice_for_a_round)

    @cached_property
    def needed(self) -> list[Missing]:
        """What opening would still refuse besides a missing inspection, in the order in which people see to it."""
        ctx = self.at
        checks: tuple[Callable[[], None], ...] = (
            ctx.verify_dice_in_time,
            lambda: verify_dice_new_enough(ctx),
            lambda: verify_payout_limit(ctx),
            ctx.verify_shaker_filed,
            lambda: verify_game_not_suspended(ctx),
            lambda: self.equipment.verify_approved(),
        )
        missing = [refusal for check in checks if (refusal := refusal_data(check)) is not None]
        return list({refusal["code"]: refusal for refusal in [*missing, *self._empty_posts()]}.values())

    def _empty_posts(self) -> list[Missing]:
        """The posts where nobody stands, said together: each person signs in alone."""
        refusal = refusal_data(lambda: posts.verify_staffed(self.at))
        return (
            [{**refusal, "text": empty_posts_sentence(posts.empty_posts(self.at.table))}] if refusal else []
        )

    def next_step(self, round_number: int) -> tuple[NextStep | None, Missing | None]:
        """The one next step towards gaming, or with it what is missing for it."""
        if self.ceased and self.at.table.repaired_at is None:
            return self._step("record_repair"), None
        if self.inspection is None or self.ceased:
            return self._step("inspect_table"), self.without_dice
        limits = {"min": dollars(self.at.table.min_cents), "max": dollars(self.at.table.max_cents)}
        return self._step("open_table", **limits, round=round_number), next(iter(self.needed), None)

    def _step(self, act: str, **figures: Any) -> NextStep:
        says = OPENING_SENTENCES[act, "repair" if self.ceased else "opening"]
        return {
            "act": act,
            "label": str(OPENING_LABELS[act]),
            "say": str(says) % figures,
            "params": {},
            "dice": None,
        }

    def offers(self) -> list[str]:
        """The acts that lead on from here."""
        inspect = ["inspect_table"] if self.may_inspect else []
        if self.at.table.status == Table.Status.CEASED:
            return [*inspect, "record_repair", "close_table", "report_device_failure"]
        return [*inspect, *(["record_repair"] if self.ceased else ["open_table"] if self.may_open else [])]

    def snapshot_part(self) -> OpeningPart:
        """The keys of the snapshot that tell of the opening."""
        return {
            "inspection": self._inspection(),
            "inspection_asks": self._asks(),
            "to_open": self.needed if self._may_tell and not self.ceased else [],
        }

    @property
    def _may_tell(self) -> bool:
        return self.at.deals and self.at.table.status == Table.Status.CLOSED

    def _inspection(self) -> InspectionFacts | None:
        """The last inspection since the table closed."""
        if self.at.table.status != Table.Status.CLOSED or self.inspection is None:
            return None
        inspection = self.inspection
        return {
            "at": moment(inspection.inspected_at),
            "by": inspection.by.short_name,
            "dice": inspection.dice,
            "lit": inspection.lit,
            "tosses": inspection.tosses,
            "lines": [str(LINES.get(code, code)) for code in inspection.lines],
            "cameras": inspection.cameras,
        }

    def _asks(self) -> InspectionAsks | None:
        """What the inspection asks of this table as it stands; None while it is open, or without rules or a shaker."""
        ctx = self.at
        if ctx.table.status == Table.Status.OPEN or not ctx.deals or ctx.shaker is None:
            return None
        lines: list[InspectionLine] = [
            {
                "code": line.code,
                "text": str(LINES[line.code]) + form_note(ctx.table, line.code),
                "section": short(line.section),
            }
            for line in self.equipment.lines
        ]
        cameras = ctx.rules.edition.cameras
        return {
            "lines": lines,
            "cameras": cameras,
            "last_cameras": _last_cameras(ctx.table) if cameras else [],
            "dice": bool(ctx.rules.section("inspection-device")),
            "tosses": TOSSES if ctx.rules.shaker(ctx.shaker_kind).automated else 0,
            "why": "repair" if self.ceased else "opening",
        }


def closing_data(ctx: TableContext) -> ClosingAsks | None:
    """What closing asks: what becomes of the dice, and a shaker that must be locked away. None at a closed table."""
    if ctx.table.status == Table.Status.CLOSED:
        return None
    away = ctx.deals and bool(ctx.rules.section("new-dice-at-opening"))
    dice: list[DiceAtClosing] = [] if ctx.lot is None else ["removed"] if away else ["stay", "removed"]
    secure = refusal_data(lambda: verify_secured(ctx, False))
    shaker: SecureShaker | None = (
        {"shaker": ctx.shaker.code, "section": secure["section"]} if ctx.shaker and secure else None
    )
    return {"dice": dice, "secure": shaker}


def refusal_data(check: Callable[[], None]) -> Missing | None:
    """What a check refuses, worded; None when it passes."""
    try:
        check()
    except Refusal as refusal:
        return {"code": refusal.code, "text": say(refusal), "section": short(refusal.section)}
    return None


def _last_cameras(table: Table) -> list[str]:
    cameras: list[str] | None = (
        table.inspections.order_by("-inspected_at").values_list("cameras", flat=True).first()
    )
    return cameras or []
