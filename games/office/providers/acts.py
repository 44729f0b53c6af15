"""Acts that register a provider and keep its file: investigation, listing and notes."""

from typing import Annotated, get_args

from games.act_forms import Text, text
from games.engine import Refusal
from games.models import Provider, ProviderNote
from games.models.providers import NoteKind
from games.office.core.next_code import next_code
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents.filing import document_reference, read_document, read_optional_document
from games.office.providers import files
from games.office.providers.entry_types import (
    PROVIDER_INVESTIGATED,
    PROVIDER_LISTED,
    PROVIDER_NOTE_CLOSED,
    PROVIDER_NOTED,
    PROVIDER_REGISTERED,
    ProviderInvestigated,
    ProviderNoteClosed,
    ProviderNoted,
    ProviderRegistered,
)
from games.office.providers.files import iso_date, read_optional_past_date, read_past_date
from games.office.providers.refusals import (
    CHAPTER_528_IS_NOT_HERE,
    DONE_BEFORE_ASKED,
    NO_SUCH_NOTE,
    NOTE_DONE_ALREADY,
    OWNERSHIP_WITHOUT_PAPERS,
    PROVIDER_LICENSED_OTHERWISE,
    PROVIDER_WITHOUT_INNOVATION,
    PROVIDER_WITHOUT_PATENT,
)
from games.params import Params

KINDS: tuple[NoteKind, ...] = get_args(NoteKind)


@office_act()
def register_provider(
    ctx: OfficeContext,
    *,
    name: Annotated[str, text(100)],
    game: Annotated[str, text(60)],
    innovation: Text = "",
    patent: Annotated[str, text(100)] = "",
    no_other_license: bool = False,
) -> ActOutcome:
    """Register a provider of the class that chapter 528 covers: § 528.1(1), (2) and (3) must all apply (A07)."""
    if not ctx.facility.law.certifies_providers:
        raise Refusal(CHAPTER_528_IS_NOT_HERE, facility=ctx.facility.name)
    if not innovation:
        raise Refusal(
            PROVIDER_WITHOUT_INNOVATION, ctx.facility.law.section("providers.innovation"), name=name
        )
    if not patent:
        raise Refusal(PROVIDER_WITHOUT_PATENT, ctx.facility.law.section("providers.patent"), name=name)
    if not no_other_license:
        raise Refusal(PROVIDER_LICENSED_OTHERWISE, ctx.facility.law.section("providers.license"), name=name)
    provider = Provider.objects.create(
        facility=ctx.facility,
        code=next_code(Provider.objects.filter(facility=ctx.facility), "SP"),
        name=name,
        game=game,
        innovation=innovation,
        patent=patent,
        no_other_license=no_other_license,
        created_at=ctx.now,
    )
    data: ProviderRegistered = {
        "provider": provider.code,
        "name": name,
        "game": game,
        "innovation": innovation,
        "patent": patent,
        "no_other_license": no_other_license,
    }
    return ActOutcome(PROVIDER_REGISTERED(data), {"provider": provider.code})


@office_act()
def record_investigation(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record the certificate holder's own investigation. An adverse finding blocks every link to a game (§ 528.9)."""
    file, concluded_on = files.read_provider(ctx, params), read_past_date(ctx, params, "on")
    document, adverse = read_document(ctx, params, "document"), params.text("adverse", default="")
    provider = file.provider
    provider.investigated_on, provider.investigation, provider.adverse = concluded_on, document, adverse
    provider.save(update_fields=["investigated_on", "investigation", "adverse"])
    data: ProviderInvestigated = {
        "provider": provider.code,
        "on": iso_date(concluded_on),
        "report": document_reference(document),
        "adverse": adverse or None,
    }
    return ActOutcome(PROVIDER_INVESTIGATED(data), {"provider": provider.code})


@office_act()
def record_listing(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Record since when the provider is on the Board's list; without a date it is no longer listed (§ 528.6)."""
    file, listed_on = files.read_provider(ctx, params), read_optional_past_date(ctx, params, "on")
    file.provider.listed_on = listed_on
    file.provider.save(update_fields=["listed_on"])
    return ActOutcome(PROVIDER_LISTED({"provider": file.provider.code, "on": iso_date(listed_on)}))


@office_act()
def note_on_provider(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Add a note to the file.

    A note is a request for information, ownership papers, cooperation, a condition of the Board, changed
    circumstances, or a suspected violation that was reported to the Board.
    """
    file, kind = files.read_provider(ctx, params), params.choice("kind", KINDS)
    noted_on, text = read_past_date(ctx, params, "on"), params.text("text")
    due_on, done_on = params.date("due_on", optional=True), read_optional_past_date(ctx, params, "done_on")
    document = read_optional_document(ctx, params, "document")
    if kind == "ownership" and document is None:
        raise Refusal(
            OWNERSHIP_WITHOUT_PAPERS, ctx.facility.law.section("providers.owners"), name=file.provider.name
        )
    if done_on and done_on < noted_on:
        raise Refusal(DONE_BEFORE_ASKED, on=iso_date(noted_on))
    note = ProviderNote.objects.create(
        provider=file.provider,
        kind=kind,
        on=noted_on,
        text=text,
        due_on=due_on,
        done_on=done_on,
        document=document,
    )
    data: ProviderNoted = {
        "provider": file.provider.code,
        "note": note.pk,
        "kind": kind,
        "on": iso_date(noted_on),
        "text": text,
        "due_on": iso_date(due_on),
        "done_on": iso_date(done_on),
        "document": document_reference(document),
    }
    return ActOutcome(PROVIDER_NOTED(data), {"note": note.pk})


@office_act()
def close_note(ctx: OfficeContext, params: Params) -> ActOutcome:
    """Close a note: it was answered, met, or reported to the Board."""
    number, done_on = params.integer("note", 1, 2**62), read_past_date(ctx, params, "done_on")
    document = read_optional_document(ctx, params, "document")
    note = ProviderNote.objects.filter(provider__facility=ctx.facility, pk=number).first()
    if note is None:
        raise Refusal(NO_SUCH_NOTE, note=number)
    if note.done_on is not None:
        raise Refusal(NOTE_DONE_ALREADY, on=iso_date(note.done_on))
    if done_on < note.on:
        raise Refusal(DONE_BEFORE_ASKED, on=iso_date(note.on))
    note.done_on, note.document = done_on, document or note.document
    note.save(update_fields=["done_on", "document"])
    data: ProviderNoteClosed = {
        "provider": note.provider.code,
        "note": note.pk,
        "kind": note.kind,
        "asked_on": iso_date(note.on),
        "done_on": iso_date(done_on),
        "document": document_reference(document),
    }
    return ActOutcome(PROVIDER_NOTE_CLOSED(data))
