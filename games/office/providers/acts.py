"""Acts that register a provider and keep its file: investigation, listing and notes."""

from typing import Annotated

from games.act_forms import OptionalDay, Text, text, whole
from games.engine import Refusal
from games.models import Provider, ProviderNote
from games.models.providers import NoteKind
from games.office.core.next_code import next_code
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents.filing import FiledDocument, OptionalDocument, document_reference
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
from games.office.providers.files import FileOfProvider, OptionalPastDay, PastDay, iso_date
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
def record_investigation(
    ctx: OfficeContext, *, provider_: FileOfProvider, on: PastDay, document: FiledDocument, adverse: Text = ""
) -> ActOutcome:
    """Record the certificate holder's own investigation. An adverse finding blocks every link to a game (§ 528.9)."""
    provider = provider_.provider
    provider.investigated_on, provider.investigation, provider.adverse = on, document, adverse
    provider.save(update_fields=["investigated_on", "investigation", "adverse"])
    data: ProviderInvestigated = {
        "provider": provider.code,
        "on": iso_date(on),
        "report": document_reference(document),
        "adverse": adverse or None,
    }
    return ActOutcome(PROVIDER_INVESTIGATED(data), {"provider": provider.code})


@office_act()
def record_listing(
    ctx: OfficeContext, *, provider_file: FileOfProvider, on: OptionalPastDay = None
) -> ActOutcome:
    """Record since when the provider is on the Board's list; without a date it is no longer listed (§ 528.6)."""
    provider_file.provider.listed_on = on
    provider_file.provider.save(update_fields=["listed_on"])
    return ActOutcome(PROVIDER_LISTED({"provider": provider_file.provider.code, "on": iso_date(on)}))


@office_act()
def note_on_provider(
    ctx: OfficeContext,
    *,
    provider_file: FileOfProvider,
    kind: NoteKind,
    on: PastDay,
    text: Text,
    due_on: OptionalDay = None,
    done_on: OptionalPastDay = None,
    document: OptionalDocument = None,
) -> ActOutcome:
    """Add a note to the file.

    A note is a request for information, ownership papers, cooperation, a condition of the Board, changed
    circumstances, or a suspected violation that was reported to the Board.
    """
    if kind == "ownership" and document is None:
        raise Refusal(
            OWNERSHIP_WITHOUT_PAPERS,
            ctx.facility.law.section("providers.owners"),
            name=provider_file.provider.name,
        )
    if done_on and done_on < on:
        raise Refusal(DONE_BEFORE_ASKED, on=iso_date(on))
    note = ProviderNote.objects.create(
        provider=provider_file.provider,
        kind=kind,
        on=on,
        text=text,
        due_on=due_on,
        done_on=done_on,
        document=document,
    )
    data: ProviderNoted = {
        "provider": provider_file.provider.code,
        "note": note.pk,
        "kind": kind,
        "on": iso_date(on),
        "text": text,
        "due_on": iso_date(due_on),
        "done_on": iso_date(done_on),
        "document": document_reference(document),
    }
    return ActOutcome(PROVIDER_NOTED(data), {"note": note.pk})


@office_act()
def close_note(
    ctx: OfficeContext,
    *,
    note_id: Annotated[int, whole(1, 2**62)],
    done_on: PastDay,
    document: OptionalDocument = None,
) -> ActOutcome:
    """Close a note: it was answered, met, or reported to the Board."""
    note = ProviderNote.objects.filter(provider__facility=ctx.facility, pk=note_id).first()
    if note is None:
        raise Refusal(NO_SUCH_NOTE, note=note_id)
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
