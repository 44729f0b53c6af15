"""Entries about requests for new games and features, and tests of them."""

from typing import Any, NotRequired, TypedDict

from audit.entry_types import entry_type


class RequestAmendment(TypedDict):
    document: None
    needed: bool
    on: str
    reference: str
    request: str


REQUEST_AMENDMENT = entry_type(
    "request.amendment", RequestAmendment, "Whether a new game needs an amendment of the regulations."
)


class RequestAnsweredFurther(TypedDict):
    document: dict[str, str] | None
    item: int
    on: str
    request: str


REQUEST_ANSWERED_FURTHER = entry_type(
    "request.answered_further", RequestAnsweredFurther, "A further question about a request was answered."
)


class RequestAskedFurther(TypedDict):
    body: str
    item: int
    on: str
    request: str
    what: str


REQUEST_ASKED_FURTHER = entry_type(
    "request.asked_further", RequestAskedFurther, "The regulator asked a further question about a request."
)


class RequestBilled(TypedDict):
    balance_cents: int
    cents: int
    document: None
    on: str
    reference: str
    request: str


REQUEST_BILLED = entry_type("request.billed", RequestBilled, "The regulator billed costs of a request.")


class PropertyRight(TypedDict):
    about: str
    holder: str
    name: str
    number: str
    provider: str
    right: str
    state: str


RequestChangedSaid = TypedDict(
    "RequestChangedSaid",
    {
        "text": NotRequired[str],
        "documents": NotRequired[list[str]],
        "class": NotRequired[str],
        "of": NotRequired[str],
        "places": NotRequired[list[str]],
        "items": NotRequired[list[PropertyRight]],
        "none": NotRequired[bool],
        "license": NotRequired[str],
        "cents": NotRequired[int],
        "on": NotRequired[str],
    },
)


class RequestChanged(TypedDict):
    documents: list[dict[str, str]]
    part: str
    request: str
    said: RequestChangedSaid


REQUEST_CHANGED = entry_type(
    "request.changed", RequestChanged, "A part of a request for a new game or feature was changed."
)


class RequestDecided(TypedDict):
    body: str
    granted: bool
    letter: dict[str, str]
    reference: str
    request: str


REQUEST_DECIDED = entry_type("request.decided", RequestDecided, "A request was decided by letter.")


class RequestDrafted(TypedDict):
    kind: str
    request: str
    rules: str
    title: str
    wagers: list[str]
    petitioner: NotRequired[str]


REQUEST_DRAFTED = entry_type(
    "request.drafted", RequestDrafted, "A request for a new game or feature was drafted."
)


RequestFiledPartCla = TypedDict(
    "RequestFiledPartCla",
    {
        "class": str,
        "of": str,
    },
)


class RequestFiledPartElsewhere(TypedDict):
    places: NotRequired[list[str]]
    none: NotRequired[bool]


class PartDocuments(TypedDict):
    none: NotRequired[bool]
    documents: NotRequired[list[str]]


class RequestFiledPartPlay(TypedDict):
    documents: NotRequired[list[str]]
    text: str


class RequestFiledPartProperty(TypedDict):
    items: NotRequired[list[PropertyRight]]
    none: NotRequired[bool]


class PartText(TypedDict):
    text: str


class RequestFiledPartApplication(TypedDict):
    documents: list[str]
    license: str


class RequestFiledPartFee(TypedDict):
    cents: int
    on: str


RequestFiledPart = TypedDict(
    "RequestFiledPart",
    {
        "class": NotRequired[RequestFiledPartCla],
        "elsewhere": NotRequired[RequestFiledPartElsewhere],
        "layout": NotRequired[PartDocuments],
        "play": NotRequired[RequestFiledPartPlay],
        "property": NotRequired[RequestFiledPartProperty],
        "reasons": NotRequired[PartText],
        "wagering": NotRequired[PartText],
        "application": NotRequired[RequestFiledPartApplication],
        "fee": NotRequired[RequestFiledPartFee],
        "waiver": NotRequired[PartDocuments],
        "equipment": NotRequired[dict[str, Any]],
    },
)


class RequestFiled(TypedDict):
    documents: list[dict[str, str]]
    kind: str
    odds: dict[str, str] | None
    parts: RequestFiledPart
    request: str
    rules: str
    title: str
    wagers: list[str]
    petitioner: NotRequired[str]


REQUEST_FILED = entry_type("request.filed", RequestFiled, "A request was filed with all its parts.")


class RequestLicensing(TypedDict):
    applications: str
    document: None
    on: str
    reference: str
    request: str
    waivers: str


REQUEST_LICENSING = entry_type(
    "request.licensing", RequestLicensing, "The state of the licensing of a petitioner."
)


class RequestPaid(TypedDict):
    balance_cents: int
    cents: int
    document: dict[str, str] | None
    on: str
    reference: str
    request: str


REQUEST_PAID = entry_type("request.paid", RequestPaid, "A bill of a request was paid.")


class RequestSuitability(TypedDict):
    document: dict[str, str] | None
    on: str
    reference: str
    request: str


REQUEST_SUITABILITY = entry_type(
    "request.suitability", RequestSuitability, "The suitability of a new game for the casino was decided."
)


class RequestWithdrawn(TypedDict):
    request: str
    why: str


REQUEST_WITHDRAWN = entry_type("request.withdrawn", RequestWithdrawn, "A request was withdrawn.")


TestChangedSaid = TypedDict(
    "TestChangedSaid",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
        "text": NotRequired[str],
        "form": NotRequired[str],
        "texts": NotRequired[list[dict[str, Any]]],
    },
)


class TestChanged(TypedDict):
    part: str
    request: str
    said: list[str] | TestChangedSaid
    test: int


TEST_CHANGED = entry_type("test.changed", TestChanged, "A part of a test of a new game was changed.")


class TestDecided(TypedDict):
    body: str
    conditions: str
    granted: bool
    letter: dict[str, str]
    reference: str
    request: str
    test: int


TEST_DECIDED = entry_type("test.decided", TestDecided, "A test of a new game was decided by letter.")


class TestDrafted(TypedDict):
    request: str
    test: int


TEST_DRAFTED = entry_type("test.drafted", TestDrafted, "A test of a new game was drafted.")


TestFiledPartDate = TypedDict(
    "TestFiledPartDate",
    {
        "from": str,
        "to": str,
    },
)


class TestFiledPartSign(TypedDict):
    form: str
    texts: list[dict[str, Any]]


class TestFiledPart(TypedDict):
    casinos: list[str]
    criteria: PartText
    dates: TestFiledPartDate
    documenting: PartText
    forms: list[str]
    sign: TestFiledPartSign
    tables: list[str]
    times: PartText


class TestFiled(TypedDict):
    forms: list[dict[str, str]]
    parts: TestFiledPart
    request: str
    test: int


TEST_FILED = entry_type("test.filed", TestFiled, "A test of a new game was filed.")


TestRulesChanged = TypedDict(
    "TestRulesChanged",
    {
        "from": str,
        "request": str,
        "test": int,
        "text": str,
        "version": int,
        "why": str,
    },
)


TEST_RULES_CHANGED = entry_type(
    "test.rules_changed", TestRulesChanged, "The rules of a running test changed."
)


TestRun = TypedDict(
    "TestRun",
    {
        "casino": str,
        "from": str,
        "note": str,
        "request": str,
        "rules": list[Any],
        "table": str,
        "test": int,
        "to": str,
    },
)


TEST_RUN = entry_type("test.run", TestRun, "A test of a new game began at a casino.")


class TestWithdrawn(TypedDict):
    request: str
    test: int
    why: str


TEST_WITHDRAWN = entry_type("test.withdrawn", TestWithdrawn, "A test of a new game was withdrawn.")
