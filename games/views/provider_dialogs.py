"""The dialogs of the providers' pages, as data: which act, which fields, and what each says."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

from games.models import ProviderNote
from games.office.providers import services
from games.registry import GAMES

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
CREDENTIALS = (("temporary", "temporary"), ("permanent", "permanent"))
KINDS = (("individual", "an individual"), ("entity", "an entity"))
PEOPLE = (
    Field("choice", "kind", "Is", put="kind", options=KINDS),
    text("name", "Name", "Name", put="called", most=100),
    text("title", "Title or work", put="title", most=100),
    Field("yes", "officer", "Does the job of a president, CEO, CFO or COO", put="officer"),
    Field("yes", "director", "Director", put="director"),
    Field("yes", "salesperson", "Sells to the house, or deals with it regularly", put="salesperson"),
    Field("percent", "owns_bp", "Owns, directly and indirectly (%)", put="owns"),
    Field("percent", "votes_bp", "Votes held directly, of an entity (%)", put="votes"),
    text("named_by_board", "Named by the Board, because", put="named"),
    day("form_filed_on", "Disclosure form filed on", put="form"),
)
GAME_NAMES = tuple((code, game.name) for code, game in GAMES.items())

REGISTER = Slip(
    "register_provider",
    "Register a provider",
    "Register it",
    (
        text("name", "Name", "Name of the provider", most=100),
        text("game", "Table game", "Which table game", most=60),
        text("innovation", "What it brings to the game", hint="a new wager, variation, side bet"),
        text("patent", "Patent", most=100, hint="number, or the pending application"),
        Field("yes", "no_other_license", "It needs no manufacturer's or supplier's license"),
    ),
    say="All three belong together: innovation, patent, and no other license.",
)

SLIPS = (
    Slip(
        "record_investigation",
        "Record an investigation",
        "Record it",
        (
            day("on", "Concluded on", "Day of the investigation"),
            paper("document", "Report", "Attach the report"),
            text("adverse", "Finding against it", hint="leave empty if there is none"),
        ),
        PROVIDER,
    ),
    Slip(
        "record_listing",
        "The Board's list",
        "Record it",
        (day("on", "On the list as of", hint="empty: it is not on the list"),),
        PROVIDER,
    ),
    Slip(
        "complete_application",
        "Complete the package",
        "Keep it",
        (
            Field(
                "choice",
                "kind",
                "For",
                put="kind",
                options=(
                    ("certification", "a first certification"),
                    ("renewal", "a renewal"),
                ),
            ),
            text(
                "completed_by",
                "Completed by, of the provider",
                "Who completed it",
                put="by",
                most=100,
            ),
            paper("form", "Application and disclosure form"),
            Field(
                "choice",
                "copy",
                "Copy of the form",
                put="copy",
                options=(
                    ("", "not yet"),
                    ("one", "one copy"),
                    ("waived", "the Board wants none"),
                ),
            ),
            paper("statement", "The house's signed statement"),
            Field("money", "fee_cents", "Fee ($)", put="fee"),
            day("fee_paid_on", "Fee paid on", put="paid"),
            Field("yes", "general", "The general application requirements are met", put="general"),
        ),
        PROVIDER,
        "A file that is on the package already stays unless another is chosen.",
    ),
    Slip(
        "attach_release",
        "Application and release",
        "Attach it",
        (paper("document", "Signed application and release", "Attach the file"),),
        PERSON,
    ),
    Slip(
        "file_application",
        "File the package",
        "File it now",
        (),
        PROVIDER,
        "The house files what the provider completed. It cannot be changed afterwards.",
    ),
    Slip(
        "record_application_costs",
        "Costs of the review",
        "Record them",
        (
            Field("money", "costs_cents", "Charged so far ($)", "What was charged"),
            Field("money", "paid_cents", "Of it paid ($)", "What was paid"),
        ),
        PROVIDER,
    ),
    Slip(
        "decide_application",
        "The Board's decision",
        "Record it",
        (
            either("granted", "Certified", "Denied", "Certified or denied"),
            day("on", "Date of the approval or denial", "Day of the decision"),
            paper("letter", "Letter", "Attach the letter"),
        ),
        PROVIDER,
    ),
    Slip(
        "record_permission",
        "Permission to trade before certification",
        "Record it",
        (
            day("on", "Granted on", "Day of the permission"),
            text("reference", "Reference", "Reference", most=60),
            paper("diligence", "The house's certification of due diligence"),
            paper("acknowledgement", "The applicant's signed acknowledgement"),
        ),
        PROVIDER,
    ),
    Slip(
        "rescind_permission",
        "Permission rescinded",
        "Record it",
        (
            day("on", "Date of the notice", "Date of the notice"),
            day("cease_on", "Cease by", "The day to cease by", future=True),
            paper("notice", "Notice", "Attach the notice"),
            day("received_on", "Received by registered mail on"),
        ),
        PROVIDER,
        "The last gaming day is the one before the day to cease by.",
    ),
    Slip(
        "record_receipt",
        "Notice received",
        "Record it",
        (day("on", "Received by registered mail on", "Day of the receipt"),),
        PROVIDER,
    ),
    Slip("name_person", "Name a person or an entity", "Name them", PEOPLE, PROVIDER),
    Slip("change_person", "Change what the file says", "Change it", PEOPLE, PERSON),
    Slip(
        "record_qualification",
        "What the Board found",
        "Record it",
        (
            either("qualified", "Qualified", "Not qualified", "What the Board found"),
            day("on", "Found on", "Day of the finding"),
        ),
        PERSON,
    ),
    Slip(
        "end_person",
        "No longer with the provider",
        "Record it",
        (day("on", "Since", "Since which day"),),
        PERSON,
        "Credentials end with it.",
    ),
    Slip(
        "issue_credential",
        "A credential",
        "Record it",
        (
            Field("choice", "kind", "Sort", put="kind", options=CREDENTIALS),
            text("number", "Number", "Number", most=60),
            text("need", "Why the person is needed here", hint="for a temporary one"),
            day("on", "Issued on", "Day of issue"),
        ),
        PERSON,
    ),
    Slip(
        "end_credential",
        "End a credential",
        "End it",
        (day("on", "Ended on", "Since which day"),),
        (*PERSON, ("number", "text")),
    ),
    Slip(
        "register_service",
        "Link a service to a game",
        "Link it",
        (
            text("name", "Name of the service", "Name of the service", most=100),
            Field("choice", "game", "Game", options=GAME_NAMES),
            Field("wagers", "wagers", "Its wagers; none is the whole game"),
        ),
        PROVIDER,
        "From now on it is dealt only while its four steps are done.",
    ),
    Slip(
        "record_laboratory",
        "The laboratory",
        "Record it",
        (
            day("submitted_on", "Submitted on", "Day of the submission", put="sent"),
            day("approved_on", "Approved on", put="approved"),
            text("reference", "Reference", put="reference", most=60),
        ),
        SERVICE,
    ),
    Slip(
        "record_laboratory_costs",
        "Costs of the laboratory",
        "Record them",
        (
            Field("money", "costs_cents", "Costs of the review ($)", "What it cost", put="costs"),
            day("paid_on", "All of it paid on", hint="empty: not paid", put="paid"),
        ),
        SERVICE,
    ),
    Slip(
        "end_service",
        "End the use of a service",
        "End it",
        (
            day("on", "First gaming day without it", "From which gaming day", future=True),
            text("why", "Why", "Why"),
        ),
        SERVICE,
        "Its wagers are not dealt from that gaming day on.",
    ),
    Slip(
        "note_on_provider",
        "A note on the file",
        "Note it",
        (
            Field("choice", "kind", "About", put="kind", options=tuple(ProviderNote.Kind.choices)),
            day("on", "On", "Which day"),
            text("text", "What", "What"),
            day("due_on", "Due on", future=True),
            day("done_on", "Answered, met, or told to the Board on"),
            paper("document", "Document"),
        ),
        PROVIDER,
    ),
    Slip(
        "close_note",
        "Done",
        "Record it",
        (
            day("done_on", "Answered, met, or told to the Board on", "Which day"),
            paper("document", "Document"),
        ),
        NOTE,
    ),
)


def link_request(requests: tuple[tuple[str, str], ...]) -> Slip:
    """The dialog that links one of these requests (code and title) to a service."""
    choice = Field("choice", "request", "Request under § 521.4", put="request", options=requests)
    return Slip("link_request", "Link the request", "Link it", (choice,), SERVICE)


def wager_choices() -> list[dict[str, Any]]:
    """For each game its families, a family of one wager by that wager's name."""
    choices = []
    for game in GAMES:
        families: dict[str, list[str]] = {}
        for label, family in services.wagers_of(game).values():
            families.setdefault(family, []).append(label)
        names = [(family, _family_name(family, labels)) for family, labels in families.items()]
        choices.append({"game": game, "families": names})
    return choices


def _family_name(family: str, labels: list[str]) -> str:
    name = labels[0] if len(labels) == 1 else family.replace("-", " ").capitalize()
    return name if len(labels) == 1 else f"{name} ({len(labels)})"
