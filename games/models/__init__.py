"""Facilities and what the rules office keeps: submissions, guides, signs, requests, providers, documents, reminders."""

from games.models.facility import (
    CalendarFeed,
    ChangeNotice,
    Document,
    Facility,
    PaperSignature,
    PreparedChange,
    Reminder,
)

from .patrons import (
    BoardPermission,
    DeviceIncident,
    Guide,
    GuideDisplay,
    Review,
    RulesBook,
    RulesInspection,
    SignForm,
)
from .providers import (
    Application,
    Credential,
    InterimPermission,
    Provider,
    ProviderNote,
    Qualifier,
    Service,
)
from .submissions import (
    FurtherRequest,
    GameRequest,
    GameTest,
    RulesSubmission,
    TestRules,
    TestRun,
)

__all__ = [
    "Application",
    "BoardPermission",
    "CalendarFeed",
    "ChangeNotice",
    "Credential",
    "DeviceIncident",
    "Document",
    "Facility",
    "FurtherRequest",
    "GameRequest",
    "GameTest",
    "Guide",
    "GuideDisplay",
    "InterimPermission",
    "PaperSignature",
    "PreparedChange",
    "Provider",
    "ProviderNote",
    "Qualifier",
    "Reminder",
    "Review",
    "RulesBook",
    "RulesInspection",
    "RulesSubmission",
    "Service",
    "SignForm",
    "TestRules",
    "TestRun",
]
