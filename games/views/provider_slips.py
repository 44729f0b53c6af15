"""The dialogs of the providers' pages, as data: which act, which fields, and what each says."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as lazy

from games.engine.registry import GAMES
from games.models import ProviderNote
from games.office import services

Words = str | Promise


@dataclass(frozen=True)
class Field:
    """A field of a dialog. `kind`: text, date, file, yes, either, choice, money, percent or wagers.

    `must`: what is said while it is empty; `put`: the button's word that fills it; `options`: value and label.
    """

    kind: str
    name: str
    label: Words
    must: Words = ""
    put: str = ""
    most: int = 200
    hint: Words = ""
    options: tuple[tuple[str, Words], ...] = ()
    future: bool = False


@dataclass(frozen=True)
class Slip:
    """A dialog: its act, its heading, the line beneath it (with what the button says of its subject), its fields."""

    act: str
    title: Words
    go: Words
    fields: tuple[Field, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()  # name and kind
    say: Words = ""

    @property
    def id(self) -> str:
        """The dialog's name on the page."""
        return self.act.replace("_", "-")


def text(name: str, label: Words, must: Words = "", **more: Any) -> Field:
    """A line of text; it may stay empty where nothing is said of it."""
    return Field("text", name, label, must, **more)


def day(name: str, label: Words, must: Words = "", **more: Any) -> Field:
    """A day up to today."""
    return Field("date", name, label, must, **more)


def paper(name: str, label: Words, must: Words = "") -> Field:
    """A file, which becomes a document."""
    return Field("file", name, label, must)


def either(name: str, yes: Words, no: Words, must: Words) -> Field:
    """One of two, neither chosen beforehand."""
    return Field("either", name, "", must, options=(("1", yes), ("0", no)))


PROVIDER, PERSON = (("provider", "text"),), (("person", "whole"),)
SERVICE, NOTE = (("service", "text"),), (("note", "whole"),)
CREDENTIALS = (("temporary", lazy("temporary")), ("permanent", lazy("permanent")))
KINDS = (("individual", lazy("an individual")), ("entity", lazy("an entity")))
PEOPLE = (
    Field("choice", "kind", lazy("Is"), put="kind", options=KINDS),
    text("name", lazy("Name"), lazy("Name"), put="called", most=100),
    text("title", lazy("Title or work"), put="title", most=100),
    Field("yes", "officer", lazy("Does the job of a president, CEO, CFO or COO"), put="officer"),
    Field("yes", "director", lazy("Director"), put="director"),
    Field("yes", "salesperson", lazy("Sells to the house, or deals with it regularly"), put="salesperson"),
    Field("percent", "owns_bp", lazy("Owns, directly and indirectly (%)"), put="owns"),
    Field("percent", "votes_bp", lazy("Votes held directly, of an entity (%)"), put="votes"),
    text("named_by_board", lazy("Named by the Board, because"), put="named"),
    day("form_filed_on", lazy("Disclosure form filed on"), put="form"),
)
GAME_NAMES = tuple((code, game.name) for code, game in GAMES.items())

REGISTER = Slip(
    "register_provider",
    lazy("Register a provider"),
    lazy("Register it"),
    (
        text("name", lazy("Name"), lazy("Name of the provider"), most=100),
        text("game", lazy("Table game"), lazy("Which table game"), most=60),
        text("innovation", lazy("What it brings to the game"), hint=lazy("a new wager, variation, side bet")),
        text("patent", lazy("Patent"), most=100, hint=lazy("number, or the pending application")),
        Field("yes", "no_other_license", lazy("It needs no manufacturer's or supplier's license")),
    ),
    say=lazy("All three belong together: innovation, patent, and no other license."),
)

SLIPS = (
    Slip(
        "record_investigation",
        lazy("Record an investigation"),
        lazy("Record it"),
        (
            day("on", lazy("Concluded on"), lazy("Day of the investigation")),
            paper("document", lazy("Report"), lazy("Attach the report")),
            text("adverse", lazy("Finding against it"), hint=lazy("leave empty if there is none")),
        ),
        PROVIDER,
    ),
    Slip(
        "record_listing",
        lazy("The Board's list"),
        lazy("Record it"),
        (day("on", lazy("On the list as of"), hint=lazy("empty: it is not on the list")),),
        PROVIDER,
    ),
    Slip(
        "complete_application",
        lazy("Complete the package"),
        lazy("Keep it"),
        (
            Field(
                "choice",
                "kind",
                lazy("For"),
                put="kind",
                options=(
                    ("certification", lazy("a first certification")),
                    ("renewal", lazy("a renewal")),
                ),
            ),
            text(
                "completed_by",
                lazy("Completed by, of the provider"),
                lazy("Who completed it"),
                put="by",
                most=100,
            ),
            paper("form", lazy("Application and disclosure form")),
            Field(
                "choice",
                "copy",
                lazy("Copy of the form"),
                put="copy",
                options=(
                    ("", lazy("not yet")),
                    ("one", lazy("one copy")),
                    ("waived", lazy("the Board wants none")),
                ),
            ),
            paper("statement", lazy("The house's signed statement")),
            Field("money", "fee_cents", lazy("Fee ($)"), put="fee"),
            day("fee_paid_on", lazy("Fee paid on"), put="paid"),
            Field("yes", "general", lazy("The general application requirements are met"), put="general"),
        ),
        PROVIDER,
        lazy("A file that is on the package already stays unless another is chosen."),
    ),
    Slip(
        "attach_release",
        lazy("Application and release"),
        lazy("Attach it"),
        (paper("document", lazy("Signed application and release"), lazy("Attach the file")),),
        PERSON,
    ),
    Slip(
        "file_application",
        lazy("File the package"),
        lazy("File it now"),
        (),
        PROVIDER,
        lazy("The house files what the provider completed. It cannot be changed afterwards."),
    ),
    Slip(
        "record_application_costs",
        lazy("Costs of the review"),
        lazy("Record them"),
        (
            Field("money", "costs_cents", lazy("Charged so far ($)"), lazy("What was charged")),
            Field("money", "paid_cents", lazy("Of it paid ($)"), lazy("What was paid")),
        ),
        PROVIDER,
    ),
    Slip(
        "decide_application",
        lazy("The Board's decision"),
        lazy("Record it"),
        (
            either("granted", lazy("Certified"), lazy("Denied"), lazy("Certified or denied")),
            day("on", lazy("Date of the approval or denial"), lazy("Day of the decision")),
            paper("letter", lazy("Letter"), lazy("Attach the letter")),
        ),
        PROVIDER,
    ),
    Slip(
        "record_permission",
        lazy("Permission to trade before certification"),
        lazy("Record it"),
        (
            day("on", lazy("Granted on"), lazy("Day of the permission")),
            text("reference", lazy("Reference"), lazy("Reference"), most=60),
            paper("diligence", lazy("The house's certification of due diligence")),
            paper("acknowledgement", lazy("The applicant's signed acknowledgement")),
        ),
        PROVIDER,
    ),
    Slip(
        "rescind_permission",
        lazy("Permission rescinded"),
        lazy("Record it"),
        (
            day("on", lazy("Date of the notice"), lazy("Date of the notice")),
            day("cease_on", lazy("Cease by"), lazy("The day to cease by"), future=True),
            paper("notice", lazy("Notice"), lazy("Attach the notice")),
            day("received_on", lazy("Received by registered mail on")),
        ),
        PROVIDER,
        lazy("The last gaming day is the one before the day to cease by."),
    ),
    Slip(
        "record_receipt",
        lazy("Notice received"),
        lazy("Record it"),
        (day("on", lazy("Received by registered mail on"), lazy("Day of the receipt")),),
        PROVIDER,
    ),
    Slip("name_person", lazy("Name a person or an entity"), lazy("Name them"), PEOPLE, PROVIDER),
    Slip("change_person", lazy("Change what the file says"), lazy("Change it"), PEOPLE, PERSON),
    Slip(
        "record_qualification",
        lazy("What the Board found"),
        lazy("Record it"),
        (
            either("qualified", lazy("Qualified"), lazy("Not qualified"), lazy("What the Board found")),
            day("on", lazy("Found on"), lazy("Day of the finding")),
        ),
        PERSON,
    ),
    Slip(
        "end_person",
        lazy("No longer with the provider"),
        lazy("Record it"),
        (day("on", lazy("Since"), lazy("Since which day")),),
        PERSON,
        lazy("Credentials end with it."),
    ),
    Slip(
        "issue_credential",
        lazy("A credential"),
        lazy("Record it"),
        (
            Field("choice", "kind", lazy("Sort"), put="kind", options=CREDENTIALS),
            text("number", lazy("Number"), lazy("Number"), most=60),
            text("need", lazy("Why the person is needed here"), hint=lazy("for a temporary one")),
            day("on", lazy("Issued on"), lazy("Day of issue")),
        ),
        PERSON,
    ),
    Slip(
        "end_credential",
        lazy("End a credential"),
        lazy("End it"),
        (day("on", lazy("Ended on"), lazy("Since which day")),),
        (*PERSON, ("number", "text")),
    ),
    Slip(
        "register_service",
        lazy("Link a service to a game"),
        lazy("Link it"),
        (
            text("name", lazy("Name of the service"), lazy("Name of the service"), most=100),
            Field("choice", "game", lazy("Game"), options=GAME_NAMES),
            Field("wagers", "wagers", lazy("Its wagers; none is the whole game")),
        ),
        PROVIDER,
        lazy("From now on it is dealt only while its four steps are done."),
    ),
    Slip(
        "record_laboratory",
        lazy("The laboratory"),
        lazy("Record it"),
        (
            day("submitted_on", lazy("Submitted on"), lazy("Day of the submission"), put="sent"),
            day("approved_on", lazy("Approved on"), put="approved"),
            text("reference", lazy("Reference"), put="reference", most=60),
        ),
        SERVICE,
    ),
    Slip(
        "record_laboratory_costs",
        lazy("Costs of the laboratory"),
        lazy("Record them"),
        (
            Field("money", "costs_cents", lazy("Costs of the review ($)"), lazy("What it cost"), put="costs"),
            day("paid_on", lazy("All of it paid on"), hint=lazy("empty: not paid"), put="paid"),
        ),
        SERVICE,
    ),
    Slip(
        "end_service",
        lazy("End the use of a service"),
        lazy("End it"),
        (
            day("on", lazy("First gaming day without it"), lazy("From which gaming day"), future=True),
            text("why", lazy("Why"), lazy("Why")),
        ),
        SERVICE,
        lazy("Its wagers are not dealt from that gaming day on."),
    ),
    Slip(
        "note_on_provider",
        lazy("A note on the file"),
        lazy("Note it"),
        (
            Field("choice", "kind", lazy("About"), put="kind", options=tuple(ProviderNote.Kind.choices)),
            day("on", lazy("On"), lazy("Which day")),
            text("text", lazy("What"), lazy("What")),
            day("due_on", lazy("Due on"), future=True),
            day("done_on", lazy("Answered, met, or told to the Board on")),
            paper("document", lazy("Document")),
        ),
        PROVIDER,
    ),
    Slip(
        "close_note",
        lazy("Done"),
        lazy("Record it"),
        (
            day("done_on", lazy("Answered, met, or told to the Board on"), lazy("Which day")),
            paper("document", lazy("Document")),
        ),
        NOTE,
    ),
)


def link_request(requests: tuple[tuple[str, str], ...]) -> Slip:
    """The dialog that links one of these requests (code and title) to a service."""
    choice = Field("choice", "request", lazy("Request under § 521.4"), put="request", options=requests)
    return Slip("link_request", lazy("Link the request"), lazy("Link it"), (choice,), SERVICE)


def wager_choices() -> list[dict[str, Any]]:
    """For each game its families, a family of one wager by that wager's name."""
    found = []
    for game in GAMES:
        families: dict[str, list[str]] = {}
        for label, family in services.wagers_of(game).values():
            families.setdefault(family, []).append(label)
        named = [(family, _family_name(family, labels)) for family, labels in families.items()]
        found.append({"game": game, "families": named})
    return found


def _family_name(family: str, labels: list[str]) -> str:
    name = labels[0] if len(labels) == 1 else family.replace("-", " ").capitalize()
    return name if len(labels) == 1 else f"{name} ({len(labels)})"
