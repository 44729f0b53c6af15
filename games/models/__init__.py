"""Facilities and what the rules office keeps: submissions, guides, signs, requests, providers, documents, reminders."""

from .calendar import CalendarFeed, Reminder
from .changes import ChangeNotice, PreparedChange
from .documents import Document
from .facility import Facility
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
from .requests import FurtherRequest, GameRequest, GameTest, TestRules, TestRun
from .submissions import RulesSubmission

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
