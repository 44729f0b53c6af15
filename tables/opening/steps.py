"""The steps of a closed or ceased table to gaming, as the snapshot shows them.

The inspection as a list, what an opening still needs, the next step; and what closing requires.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from games.engine import Refusal
from games.snapshot_types import (
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
from tables.core import posts
from tables.core.context import TableContext
from tables.equipment.approvals import POSTS, TOSSES, Equipment, inspection_lines
from tables.equipment.signs import form_note
from tables.models import Alert, Inspection, Table
from tables.opening.opening import (
    closing_refusals,
    last_inspection,
    verify_dice_new_enough,
    verify_payout_limit,
    verify_secured,
)
from tables.rules import verify_game_not_suspended
from tables.words.sentences import dollars, missing_by, moment, short

OPENING_LABELS = {
    "record_repair": "Record the repair",
    "inspect_table": "Inspected",
    "open_table": "Open the table",
}

# The line below the step: what the tap does, before an opening or after a repair.
OPENING_SENTENCES = {
    ("record_repair", "repair"): "Describe the repair; a floorperson signs",
    ("inspect_table", "repair"): "Everything is in order; gaming continues",
    ("inspect_table", "opening"): "Everything is in order; then open the table",
    ("open_table", "opening"): "Limits %(min)s–%(max)s; round %(round)s begins",
}


def empty_posts_sentence(posts: Sequence[str]) -> str:
    """Who must still sign in: `The left dealer and the stickperson are missing. …`"""
    names = [str(POSTS[post]) for post in posts]
    if len(names) == 1:
        sentence = "%s is still missing. Sign in at a tablet of this table." % names[0]
    else:
        sentence = "%(most)s and %(last)s are still missing. Each signs in at a tablet of this table." % {
            "most": ", ".join(names[:-1]),
            "last": names[-1],
        }
    return sentence[:1].upper() + sentence[1:]


class Opening:
    """The steps of one table to its opening, or back to gaming after a failure; read once for a snapshot."""

    def __init__(self, ctx: TableContext) -> None:
        self.ctx = ctx

    @cached_property
    def equipment(self) -> Equipment:
        """What the edition requires of the equipment here."""
        return Equipment(self.ctx)

    @cached_property
    def inspection(self) -> Inspection | None:
        """The newest inspection since the table last closed."""
        return last_inspection(self.ctx)

    @property
    def ceased(self) -> bool:
        """Whether equipment failed here and its repair has not been inspected."""
        return bool(self.ctx.table.ceased_what)

    @property
    def may_inspect(self) -> bool:
        """Whether the inspection is due now: at a closed table or after a repair, with dice to inspect."""
        due = not self.ceased or self.ctx.table.repaired_at is not None
        return due and self.ctx.table.status != Table.Status.OPEN and self.dice_refusal is None

    @property
    def may_open(self) -> bool:
        """Whether the table could open after its inspection."""
        return self.ctx.table.status == Table.Status.CLOSED and not self.ceased and not self.missing

    @cached_property
    def dice_refusal(self) -> Missing | None:
        """Why nothing can be inspected: there is no shaker, or it is empty."""
        return refusal_data(self.ctx.verify_dice_for_a_round)

    @cached_property
    def missing(self) -> list[Missing]:
        """What opening would still refuse apart from the inspection, in the order in which people solve it."""
        ctx = self.ctx
        checks: tuple[Callable[[], object], ...] = (
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
        """The empty posts in one sentence, because each person signs in alone."""
        refusal = refusal_data(lambda: posts.verify_staffed(self.ctx))
        return (
            [{**refusal, "text": empty_posts_sentence(posts.empty_posts(self.ctx.table))}] if refusal else []
        )

    def next_step(self, round_number: int) -> tuple[NextStep | None, Missing | None]:
        """The next step toward gaming, and what it still needs."""
        if self.ceased and self.ctx.table.repaired_at is None:
            return self._step("record_repair"), None
        if self.inspection is None or self.ceased:
            return self._step("inspect_table"), self.dice_refusal
        limits = {"min": dollars(self.ctx.table.min_cents), "max": dollars(self.ctx.table.max_cents)}
        return self._step("open_table", **limits, round=round_number), next(iter(self.missing), None)

    def _step(self, act: str, **figures: Any) -> NextStep:
        says = OPENING_SENTENCES[act, "repair" if self.ceased else "opening"]
        return {
            "act": act,
            "label": str(OPENING_LABELS[act]),
            "say": str(says) % figures,
            "params": {},
            "dice": None,
        }

    def available_acts(self) -> list[str]:
        """The acts that are possible next."""
        inspect = ["inspect_table"] if self.may_inspect else []
        if self.ctx.table.status == Table.Status.CEASED:
            return [*inspect, "record_repair", "close_table", "report_device_failure"]
        return [*inspect, *(["record_repair"] if self.ceased else ["open_table"] if self.may_open else [])]

    def snapshot_part(self) -> OpeningPart:
        """The keys of the snapshot about the opening."""
        return {
            "inspection": self._inspection(),
            "inspection_asks": self._form_data(),
            "to_open": self.missing if self._lists_missing and not self.ceased else [],
        }

    @property
    def _lists_missing(self) -> bool:
        return self.ctx.deals and self.ctx.table.status == Table.Status.CLOSED

    def _inspection(self) -> InspectionFacts | None:
        """The last inspection since the table closed."""
        if self.ctx.table.status != Table.Status.CLOSED or self.inspection is None:
            return None
        inspection = self.inspection
        return {
            "at": moment(inspection.inspected_at),
            "by": inspection.by.short_name,
            "dice": inspection.dice,
            "lit": inspection.lit,
            "tosses": inspection.tosses,
            "lines": [inspection_lines().get(code, code) for code in inspection.lines],
            "cameras": inspection.cameras,
        }

    def _form_data(self) -> InspectionAsks | None:
        """What the inspection requires of this table. None while it is open, or without rules or a shaker."""
        ctx = self.ctx
        if ctx.table.status == Table.Status.OPEN or not ctx.deals or ctx.shaker is None:
            return None
        lines: list[InspectionLine] = [
            {
                "code": line.code,
                "text": inspection_lines()[line.code] + form_note(ctx.table, line.code),
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


def closing_data(ctx: TableContext, alerts: Iterable[Alert]) -> ClosingAsks | None:
    """What closing requires: where the dice go, the shaker that must be locked away, and what is still to be done.

    `alerts`: those that the screens of the table show. None at a closed table.
    """
    if ctx.table.status == Table.Status.CLOSED:
        return None
    away = ctx.deals and bool(ctx.rules.section("new-dice-at-opening"))
    dice: list[DiceAtClosing] = [] if ctx.lot is None else ["removed"] if away else ["stay", "removed"]
    secure = refusal_data(lambda: verify_secured(ctx, False))
    shaker: SecureShaker | None = (
        {"shaker": ctx.shaker.code, "section": secure["section"]} if ctx.shaker and secure else None
    )
    still_open = [missing_by(refusal) for refusal in closing_refusals(ctx, alerts)]
    table = ctx.table
    counts_chips = table.tray_cents is not None or table.closer_signed_at is not None
    return {"dice": dice, "secure": shaker, "open": still_open, "counts_chips": counts_chips}


def refusal_data(check: Callable[[], object]) -> Missing | None:
    """The refusal of a check with its sentence; None if the check passes."""
    try:
        check()
    except Refusal as refusal:
        return missing_by(refusal)
    return None


def _last_cameras(table: Table) -> list[str]:
    cameras: list[str] | None = (
        table.inspections.order_by("-inspected_at").values_list("cameras", flat=True).first()
    )
    return cameras or []
