"""Entries about requests for new games and features, and tests of them."""

from typing import Annotated, Literal, NotRequired, Required, TypedDict

from audit.entry_types import entry_type
from games.models.requests import Petitioner, RequestKind
from games.office.documents.entry_types import DocumentReference, LetterDecision

ApplicationsState = Literal["filed", "not-needed"]
WaiversState = Literal["issued", "not-needed"]
GameClass = Literal["variation", "composite", "new"]
RightKind = Literal["copyright", "trademark", "patent"]
RightState = Literal["granted", "pending"]
RightSubject = Literal["the game", "its name", "its equipment"]
PartKey = Literal[
    "play",
    "wagering",
    "class",
    "odds",
    "layout",
    "equipment",
    "reasons",
    "elsewhere",
    "property",
    "application",
    "fee",
    "waiver",
]
ChangedPart = Literal["about", PartKey]
TestPartKey = Literal["casinos", "dates", "times", "tables", "sign", "criteria", "documenting", "forms"]


class RequestEntry(TypedDict):
    """The request that an entry is about."""

    request: str


# The parts of a request


class TextOrDocuments(TypedDict, total=False):
    """A part in words, in documents or both."""

    text: Annotated[str, "the part, in words"]
    documents: Annotated[list[str], "codes of the documents"]


class PartText(TypedDict):
    text: Annotated[str, "the part, in words"]


class PartDocuments(TypedDict):
    documents: Annotated[list[str], "codes of the documents"]


class NoSuchPart(TypedDict):
    none: Annotated[Literal[True], "that the request declares: there is none"]


class OtherPlaces(TypedDict):
    places: Annotated[list[str], "where it is offered already"]


class PropertyRight(TypedDict):
    right: Annotated[RightKind, "kind of right"]
    state: Annotated[RightState, "whether it is granted"]
    about: Annotated[RightSubject, "what it protects"]
    name: Annotated[str, "name of the right"]
    number: Annotated[str, "number of the right; empty if there is none"]
    holder: Annotated[str, "name of the holder; empty if unknown"]
    provider: Annotated[str, "code of the holder, if it is a provider on file; otherwise empty"]


class PropertyRights(TypedDict):
    items: Annotated[list[PropertyRight], "the rights"]


class LicenseApplication(TypedDict):
    license: Annotated[str, "type of license; empty if nothing was said"]
    documents: Annotated[list[str], "codes of the documents"]


class FeePaid(TypedDict):
    cents: Annotated[int, "the fee"]
    on: Annotated[str, "the day on which it was paid"]


# "class" and "from" are words of Python
ClassOfGame = TypedDict(
    "ClassOfGame",
    {
        "class": Annotated[GameClass, "whether it is a variation, a composite or a new game"],
        "of": Annotated[str, "the game or games on which it is based; empty for a new game"],
    },
)


class NoContents(TypedDict):
    pass


# what a reader of a part returns
PartContents = (
    TextOrDocuments
    | NoSuchPart
    | OtherPlaces
    | PropertyRights
    | LicenseApplication
    | FeePaid
    | ClassOfGame
    | NoContents
)

RequestParts = TypedDict(
    "RequestParts",
    {
        "play": Annotated[TextOrDocuments, "how it is played"],
        "wagering": Annotated[PartText, "how it is wagered on"],
        "class": Annotated[ClassOfGame, "variation, composite or new"],
        "layout": Annotated[PartDocuments | NoSuchPart, "drawings or photos of the layout"],
        "equipment": Annotated[PartDocuments, "drawings or photos of the equipment"],
        "reasons": Annotated[PartText, "why the casino proposes it"],
        "elsewhere": Annotated[OtherPlaces | NoSuchPart, "other jurisdictions that offer it"],
        "property": Annotated[PropertyRights | NoSuchPart, "copyrights, trademarks and patents"],
        "application": Annotated[LicenseApplication, "the license application"],
        "fee": Annotated[FeePaid, "the application fee"],
        "waiver": Annotated[PartDocuments | NoSuchPart, "the transactional waiver"],
    },
    total=False,
)


# Requests


class RequestSubject(TypedDict):
    """What a request is about."""

    title: Annotated[str, "title of the request"]
    kind: Annotated[RequestKind, "a new game, wager or feature"]
    rules: Annotated[str, "key of the edition whose rules it has; empty if it has rules of its own"]
    wagers: Annotated[list[str], "wager families that it is about, and names of wagers without a code"]
    petitioner: NotRequired[Annotated[Petitioner, "who asks; only where the law names petitioners"]]


class RequestDrafted(RequestEntry, RequestSubject):
    pass


REQUEST_DRAFTED = entry_type(
    "request.drafted", RequestDrafted, "A request for a new game or feature was drafted."
)


class RequestChanged(TypedDict, total=False):
    """A change of what the request is about has the fields of `RequestSubject`, any other `said` and `documents`."""

    request: Required[str]
    part: Required[
        Annotated[Literal["about"] | PartKey, "which part: about (title, kind, rules), or another"]
    ]
    said: Annotated[
        PartContents, "the new contents of the part; empty: removed; absent where `part` is about"
    ]
    documents: Annotated[list[DocumentReference], "the documents of the part; absent where `part` is about"]
    title: Annotated[str, "title of the request; this and the fields below only where `part` is about"]
    kind: Annotated[RequestKind, "a new game, wager or feature"]
    rules: Annotated[str, "key of the edition whose rules it has; empty if it has rules of its own"]
    wagers: Annotated[list[str], "wager families that it is about, and names of wagers without a code"]
    petitioner: Annotated[Petitioner, "who asks; only where the law names petitioners"]


REQUEST_CHANGED = entry_type(
    "request.changed", RequestChanged, "A part of a request for a new game or feature was changed."
)


class FiledOdds(TypedDict):
    rules: Annotated[str, "key of the edition of the figures"]
    sha256: Annotated[str, "SHA-256 of the figures in canonical JSON, in hex"]


class RequestFiled(RequestEntry, RequestSubject):
    parts: Annotated[RequestParts, "the parts of the request, without the figures of its odds"]
    odds: Annotated[FiledOdds | None, "the computed figures; null if the rules are not known to the engine"]
    documents: Annotated[list[DocumentReference], "every document that the parts name"]


REQUEST_FILED = entry_type("request.filed", RequestFiled, "A request was filed with all its parts.")


class RequestDecided(RequestEntry, LetterDecision):
    pass


REQUEST_DECIDED = entry_type("request.decided", RequestDecided, "A request was decided by letter.")


class RequestWithdrawn(RequestEntry):
    why: Annotated[str, "the reason, in a person's words"]


REQUEST_WITHDRAWN = entry_type("request.withdrawn", RequestWithdrawn, "A request was withdrawn.")


class RequestAskedFurther(RequestEntry):
    item: Annotated[int, "number of the question"]
    body: Annotated[str, "the body that asked"]
    what: Annotated[str, "the question, in words"]
    on: Annotated[str, "the day on which it was asked"]


REQUEST_ASKED_FURTHER = entry_type(
    "request.asked_further", RequestAskedFurther, "The regulator asked a further question about a request."
)


class RequestAnsweredFurther(RequestEntry):
    item: Annotated[int, "number of the question"]
    on: Annotated[str, "the day on which it was answered"]
    document: DocumentReference | None


REQUEST_ANSWERED_FURTHER = entry_type(
    "request.answered_further", RequestAnsweredFurther, "A further question about a request was answered."
)


# The conditions of a final approval in New Jersey; each has its evidence, which the request stores too


class Evidence(TypedDict):
    """The evidence of a condition."""

    reference: Annotated[str, "reference of the letter or document; empty if there is none"]
    document: DocumentReference | None


class SuitabilityEvidence(Evidence):
    on: Annotated[str, "the day on which the game was found suitable"]


class RequestSuitability(RequestEntry, SuitabilityEvidence):
    pass


REQUEST_SUITABILITY = entry_type(
    "request.suitability", RequestSuitability, "The regulator found a new game suitable for casino use."
)


class AmendmentEvidence(Evidence):
    needed: Annotated[bool, "whether the regulations must be amended"]
    on: Annotated[str, "the day on which the amendment takes effect; empty if none is needed"]


class RequestAmendment(RequestEntry, AmendmentEvidence):
    pass


REQUEST_AMENDMENT = entry_type(
    "request.amendment", RequestAmendment, "Whether a new game needs an amendment of the regulations."
)


class LicensingEvidence(Evidence):
    on: Annotated[str, "the day since which licensing is complete"]
    applications: Annotated[ApplicationsState, "license applications"]
    waivers: Annotated[WaiversState, "transactional waivers"]


class RequestLicensing(RequestEntry, LicensingEvidence):
    pass


REQUEST_LICENSING = entry_type(
    "request.licensing", RequestLicensing, "The license applications and waivers of a request are complete."
)


class AmountEvidence(Evidence):
    cents: Annotated[int, "the amount billed or paid"]
    on: Annotated[str, "the day of the bill or payment"]


class RequestAmount(RequestEntry, AmountEvidence):
    balance_cents: Annotated[int, "what is billed and unpaid after it"]


REQUEST_BILLED = entry_type(
    "request.billed", RequestAmount, "The regulator billed costs of a request; the bill may be zero."
)


REQUEST_PAID = entry_type("request.paid", RequestAmount, "A payment of the costs of a request was recorded.")


# Tests of a new game before its final approval


class TestEntry(RequestEntry):
    """The test that an entry is about."""

    test: Annotated[int, "number of the test of this request"]


TEST_DRAFTED = entry_type("test.drafted", TestEntry, "A test of a new game was drafted.")


TestDates = TypedDict(
    "TestDates",
    {
        "from": Annotated[str, "the first gaming day"],
        "to": Annotated[str, "the last gaming day"],
    },
)


class SignText(TypedDict):
    casino: Annotated[str, "name of the casino"]
    language: Annotated[str, "code of the language"]
    lines: Annotated[list[str], "the lines of the sign"]


class ProposedSign(TypedDict):
    form: Annotated[str, "version and reference of the approved form; empty if there is none"]
    texts: Annotated[list[SignText], "the sign at the entrances of each casino, in each language"]


class TestChanged(TestEntry):
    part: Annotated[TestPartKey, "which part"]
    said: Annotated[
        list[str] | TestDates | PartText | ProposedSign | NoContents,
        "the new contents of the part: a list of casinos, tables or documents, or an object; empty: removed",
    ]


TEST_CHANGED = entry_type("test.changed", TestChanged, "A part of a test of a new game was changed.")


class TestParts(TypedDict):
    casinos: Annotated[list[str], "names of the casinos where it runs"]
    dates: Annotated[TestDates, "the first and the last gaming day"]
    times: Annotated[PartText, "the hours on those days"]
    tables: Annotated[list[str], "which tables or equipment"]
    sign: Annotated[ProposedSign, "the sign at the entrances"]
    criteria: Annotated[PartText, "when the test is a success"]
    documenting: Annotated[PartText, "how success is documented"]
    forms: Annotated[list[str], "codes of the documents with the forms"]


class TestFiled(TestEntry):
    parts: Annotated[TestParts, "the parts of the test"]
    forms: Annotated[list[DocumentReference], "the forms on which success is documented"]


TEST_FILED = entry_type("test.filed", TestFiled, "A test of a new game was filed.")


class TestDecided(TestEntry, LetterDecision):
    conditions: Annotated[str, "the conditions of the decision, in words; empty if there are none"]


TEST_DECIDED = entry_type("test.decided", TestDecided, "A test of a new game was decided by letter.")


class TestWithdrawn(TestEntry):
    why: Annotated[str, "the reason, in a person's words"]


TEST_WITHDRAWN = entry_type("test.withdrawn", TestWithdrawn, "A test of a new game was withdrawn.")


TestRulesChanged = TypedDict(
    "TestRulesChanged",
    {
        "request": str,
        "test": Annotated[int, "number of the test of this request"],
        "version": Annotated[int, "version of the rules of this test"],
        "text": Annotated[str, "the rules, in words"],
        "why": Annotated[str, "the reason, in a person's words"],
        "from": Annotated[str, "the moment from which the version is in force"],
    },
)


TEST_RULES_CHANGED = entry_type(
    "test.rules_changed", TestRulesChanged, "The rules of a running test changed."
)


TestRunRecorded = TypedDict(
    "TestRunRecorded",
    {
        "request": str,
        "test": Annotated[int, "number of the test of this request"],
        "casino": Annotated[str, "name of the casino"],
        "table": Annotated[str, "the table, in a person's words"],
        "from": Annotated[str, "the moment at which the run began"],
        "to": Annotated[str, "the moment at which the run ended"],
        "note": Annotated[str, "a note, in a person's words; empty if there is none"],
        "rules": Annotated[list[int], "versions of the rules that were in force during the run"],
    },
)


TEST_RUN = entry_type("test.run", TestRunRecorded, "A new game was dealt on test at a casino.")
