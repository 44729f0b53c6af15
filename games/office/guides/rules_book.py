"""The complete rules, their inspection by the public, and permissions of the Board under § 521.6."""

from typing import Annotated, Literal

from audit.columns import ACTOR, AT, FACILITY, NONE, Body, Reading, Rows, declare, document_code, plain, same
from audit.entry_types import entry_type
from games.act_forms import Day, OptionalDay, Text, Words, text, words
from games.engine import Refusal, RefusalCode
from games.guide.content import ROLL_HISTORY, chapters_to_come, section
from games.models import BoardPermission, RulesBook, RulesInspection
from games.office import documents
from games.office.core import ActOutcome, OfficeContext, floor, office_act
from games.office.documents import PDF, TEXT, DocumentReference, FiledDocument, Letter


@entry_type("rules_book.filed")
def RULES_BOOK_FILED(
    *,
    version: Annotated[int, "version of the rules book"],
    games: Annotated[list[str], "codes of the games whose rules it holds"],
    place: Annotated[str, "where the printed copy is kept"],
    place_reference: Annotated[str, "reference of the approval of that place; empty if there is none"],
    document: Annotated[DocumentReference, "the rules: code of the document and SHA-256 of its bytes"],
    section: str,
) -> None:
    """The complete rules were filed for the public."""


@entry_type("rules_book.inspected")
def RULES_BOOK_INSPECTED(
    *,
    book: Annotated[int, "version of the rules book"],
    place: Annotated[str, "where the printed copy is kept"],
    note: Annotated[str, "a note, in a person's words; empty if there is none"],
    section: str,
) -> None:
    """A member of the public asked to see the complete rules."""


@entry_type("board_permission.recorded")
def BOARD_PERMISSION_RECORDED(
    *,
    subject: Annotated[Literal["roll-history"], "what is permitted: to show patrons the earlier rolls"],
    tables: Annotated[list[str], "codes of the tables; empty: every table"],
    reference: Annotated[str, "reference of the permission"],
    granted_on: Annotated[str, "the day on which it was granted"],
    ends_on: Annotated[str | None, "the first day on which it no longer applies; null: no end"],
    letter: Annotated[DocumentReference, "the letter: code of the document and SHA-256 of its bytes"],
    section: str,
) -> None:
    """A permission of the regulator's board was recorded."""


@entry_type("board_permission.withdrawn")
def BOARD_PERMISSION_WITHDRAWN(
    *,
    reference: Annotated[str, "reference of the permission"],
    why: Annotated[str, "the reason, in a person's words"],
    section: str,
) -> None:
    """A permission of the regulator's board was ended."""


# Refusals


ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "ends-before-it-begins",
    "The permission would end on %(ends)s but begins on %(granted)s. Correct the dates.",
    "Ends too early",
)


NO_RULES_BOOK = RefusalCode("no-rules-book", "No rules book is on file. File it first.", "No rules book")


NO_SUCH_PERMISSION = RefusalCode(
    "no-such-permission",
    "No permission %(reference)s is in force here.",
    "No such permission",
)


NO_SUCH_TABLE_HERE = RefusalCode(
    "no-such-table-here",
    "There is no table %(table)s in this facility. Correct the code, or leave the list empty for all tables.",
    "No such table",
)


PERMISSION_ON_FILE = RefusalCode(
    "permission-on-file",
    "Permission %(reference)s is already on file. Withdraw it before you change it.",
    "Already on file",
)


PLACE_IS_THE_PODIUM = RefusalCode(
    "place-is-the-podium",
    "Here the complete rules are kept only at the security podium, not at %(place)s. Leave the other "
    "place out.",
    "Another place",
)


PLACE_NEEDS_APPROVAL = RefusalCode(
    "place-needs-approval",
    "The complete rules are kept at the security podium unless another place is approved. Enter the "
    "reference of the approval of %(place)s.",
    "Place not approved",
)


RULES_BOOK_LEAVES_OUT = RefusalCode(
    "rules-book-leaves-out",
    "The rules book is missing %(games)s. It must contain every game that this facility may deal.",
    "A game is missing",
)


RULES_BOOK_NOT_PRINTABLE = RefusalCode(
    "rules-book-not-printable",
    "%(document)s is an image. File the rules as a PDF or as plain text.",
    "Not printable",
)


# Acts


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
    return ActOutcome(
        RULES_BOOK_FILED(
            version=book.version,
            games=games,
            place=book.place,
            place_reference=place_reference,
            document=documents.document_reference(document),
            section=section(ctx.facility, "book"),
        ),
        {"version": book.version},
    )


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
    return ActOutcome(
        RULES_BOOK_INSPECTED(
            book=book.version, place=book.place, note=note, section=section(ctx.facility, "book")
        )
    )


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
    return ActOutcome(
        BOARD_PERMISSION_RECORDED(
            subject=ROLL_HISTORY,
            tables=tables,
            reference=reference,
            granted_on=granted_on.isoformat(),
            ends_on=ends_on.isoformat() if ends_on else None,
            letter=documents.document_reference(letter),
            section=cite,
        )
    )


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
    return ActOutcome(
        BOARD_PERMISSION_WITHDRAWN(reference=reference, why=why, section=section(ctx.facility, "device"))
    )


def replaced(rows: Rows, body: Body) -> None:
    version = body["data"]["version"] - 1
    if rows.get(FACILITY(body), version) is not None:
        rows.put(body, FACILITY(body), version, replaced_at=body["at"])


declare(
    RulesBook,
    "complete rules",
    key={"facility": FACILITY, "version": "version"},
    created={
        RULES_BOOK_FILED: {
            **same("games", "place", "place_reference"),
            "document": document_code("document"),
            "filed_at": AT,
            "replaced_at": NONE,
        }
    },
    folded={RULES_BOOK_FILED: replaced},
)


declare(
    RulesInspection,
    "inspection of complete rules",
    key={"facility": FACILITY, "book": "book", "at": AT},
    created={RULES_BOOK_INSPECTED: {**same("place", "note"), "by": ACTOR}},
    readings={
        "facility": Reading(("book__facility__code",), plain, ("book",)),
        "book": Reading(("book__version",), plain, ("book",)),
    },
)


def recorded(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    key = facility, data["reference"], data["granted_on"]
    rows.memory[facility, data["reference"]] = key
    values = {name: data[name] for name in ("subject", "tables", "ends_on")}
    rows.put(body, *key, **values, letter=document_code("letter")(body), withdrawn_at=None)


def permission_withdrawn(rows: Rows, body: Body) -> None:
    key = rows.memory.pop((FACILITY(body), body["data"]["reference"]), None)
    if key is not None:
        rows.put(body, *key, withdrawn_at=body["at"])


declare(
    BoardPermission,
    "permission of the Board",
    key={"facility": FACILITY, "reference": "reference", "granted_on": "granted_on"},
    folded={BOARD_PERMISSION_RECORDED: recorded, BOARD_PERMISSION_WITHDRAWN: permission_withdrawn},
    folded_columns=("subject", "tables", "ends_on", "letter", "withdrawn_at"),
)
