"""Acts on the complete rules, their inspection by the public, and permissions of the Board under § 521.6."""

from typing import Annotated

from games.act_forms import Day, OptionalDay, Text, Words, text, words
from games.engine import Refusal
from games.guide.authorized import chapters_to_come
from games.guide.history import ROLL_HISTORY
from games.guide.sections import section
from games.models import BoardPermission, RulesBook, RulesInspection
from games.office.core.floor import floor
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents import filing
from games.office.documents.filing import PDF, TEXT, FiledDocument
from games.office.documents.letters import Letter
from games.office.guides.entry_types import (
    BOARD_PERMISSION_RECORDED,
    BOARD_PERMISSION_WITHDRAWN,
    RULES_BOOK_FILED,
    RULES_BOOK_INSPECTED,
    BoardPermissionRecorded,
    BoardPermissionWithdrawn,
    RulesBookFiled,
    RulesBookInspected,
)
from games.office.guides.refusals import (
    ENDS_BEFORE_IT_BEGINS,
    NO_RULES_BOOK,
    NO_SUCH_PERMISSION,
    NO_SUCH_TABLE_HERE,
    PERMISSION_ON_FILE,
    PLACE_IS_THE_PODIUM,
    PLACE_NEEDS_APPROVAL,
    RULES_BOOK_LEAVES_OUT,
    RULES_BOOK_NOT_PRINTABLE,
)

PODIUM = "Security podium"


@office_act()
def file_rules_book(
    ctx: OfficeContext,
    *,
    document: FiledDocument,
    games_: Annotated[tuple[str, ...], words(20)] = (),
    elsewhere: Annotated[str, text(80)] = "",
    place_reference: Annotated[str, text(60)] = "",
) -> ActOutcome:
    """File a version of the complete rules of every authorized game, and where its printed copy is kept.

    Raises Refusal(`rules-book-leaves-out`, `rules-book-not-printable`, `place-needs-approval` or
    `place-is-the-podium`).
    """
    games = sorted(set(games_))
    _verify_complete(ctx, games)
    if document.media_type not in (PDF, TEXT):
        raise Refusal(RULES_BOOK_NOT_PRINTABLE, section(ctx.facility, "book"), document=document.code)
    _verify_place(ctx, elsewhere, place_reference)
    before = RulesBook.objects.filter(facility=ctx.facility).first()
    RulesBook.objects.filter(facility=ctx.facility, replaced_at=None).update(replaced_at=ctx.now)
    book = RulesBook.objects.create(
        facility=ctx.facility,
        version=before.version + 1 if before else 1,
        document=document,
        games=games,
        place=elsewhere or PODIUM,
        place_reference=place_reference,
        filed_at=ctx.now,
    )
    data: RulesBookFiled = {
        "version": book.version,
        "games": games,
        "place": book.place,
        "place_reference": place_reference,
        "document": filing.document_reference(document),
        "section": section(ctx.facility, "book"),
    }
    return ActOutcome(RULES_BOOK_FILED(data), {"version": book.version})


def _verify_complete(ctx: OfficeContext, games: list[str]) -> None:
    """Refuse a book without every authorized game, including those not in force yet (A06)."""
    chapters = chapters_to_come(ctx.facility, ctx.now)
    missing = [name for code, name in chapters.items() if code not in games]
    if missing:
        raise Refusal(RULES_BOOK_LEAVES_OUT, section(ctx.facility, "book"), games="; ".join(missing))


def _verify_place(ctx: OfficeContext, elsewhere: str, reference: str) -> None:
    if not elsewhere:
        return
    cite = section(ctx.facility, "book")
    if not ctx.facility.law.guide.rules_book_elsewhere:
        raise Refusal(PLACE_IS_THE_PODIUM, cite, place=elsewhere)
    if not reference:
        raise Refusal(PLACE_NEEDS_APPROVAL, cite, place=elsewhere)


@office_act()
def record_rules_inspection(ctx: OfficeContext, *, note: Text = "") -> ActOutcome:
    """Record that a member of the public asked to see the complete rules."""
    book = RulesBook.objects.filter(facility=ctx.facility, replaced_at=None).first()
    if book is None:
        raise Refusal(NO_RULES_BOOK, section(ctx.facility, "book"))
    RulesInspection.objects.create(book=book, at=ctx.now, place=book.place, note=note, by=ctx.actor)
    data: RulesBookInspected = {
        "book": book.version,
        "place": book.place,
        "note": note,
        "section": section(ctx.facility, "book"),
    }
    return ActOutcome(RULES_BOOK_INSPECTED(data))


@office_act(step_up="always", subject="permissions")
def record_board_permission(
    ctx: OfficeContext,
    *,
    tables_: Words = (),
    reference: Annotated[str, text(60)],
    granted_on: Day,
    ends_on: OptionalDay = None,
    letter: Letter,
) -> ActOutcome:
    """Record a permission of the Board to show earlier rolls to patrons, which § 521.6 forbids otherwise.

    An empty list of tables means all of them. Raises Refusal(`no-such-table-here`, `ends-before-it-begins`,
    `permission-on-file`, `no-such-document` or `malformed`).
    """
    tables = sorted(set(tables_))
    cite = section(ctx.facility, "device")
    table_codes = _table_codes(ctx)
    for code in tables:
        if code not in table_codes:
            raise Refusal(NO_SUCH_TABLE_HERE, cite, table=code[:20])
    if ends_on is not None and ends_on <= granted_on:
        raise Refusal(ENDS_BEFORE_IT_BEGINS, cite, ends=ends_on.isoformat(), granted=granted_on.isoformat())
    if BoardPermission.objects.filter(facility=ctx.facility, reference=reference, withdrawn_at=None).exists():
        raise Refusal(PERMISSION_ON_FILE, cite, reference=reference)
    BoardPermission.objects.create(
        facility=ctx.facility,
        subject=ROLL_HISTORY,
        tables=tables,
        reference=reference,
        granted_on=granted_on,
        ends_on=ends_on,
        letter=letter,
    )
    data: BoardPermissionRecorded = {
        "subject": ROLL_HISTORY,
        "tables": tables,
        "reference": reference,
        "granted_on": granted_on.isoformat(),
        "ends_on": ends_on.isoformat() if ends_on else None,
        "letter": filing.document_reference(letter),
        "section": cite,
    }
    return ActOutcome(BOARD_PERMISSION_RECORDED(data))


def _table_codes(ctx: OfficeContext) -> set[str]:
    return {table.table for table in floor().tables(ctx.facility)}


@office_act()
def withdraw_board_permission(
    ctx: OfficeContext, *, reference: Annotated[str, text(60)], why: Text
) -> ActOutcome:
    """End a permission of the Board now. Raises Refusal(`no-such-permission`)."""
    permission = BoardPermission.objects.filter(
        facility=ctx.facility, reference=reference, withdrawn_at=None
    ).first()
    if permission is None:
        raise Refusal(NO_SUCH_PERMISSION, section(ctx.facility, "device"), reference=reference)
    permission.withdrawn_at = ctx.now
    permission.save(update_fields=["withdrawn_at"])
    data: BoardPermissionWithdrawn = {
        "reference": reference,
        "why": why,
        "section": section(ctx.facility, "device"),
    }
    return ActOutcome(BOARD_PERMISSION_WITHDRAWN(data))
