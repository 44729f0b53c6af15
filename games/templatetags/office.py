"""Template filters of the office: dates, moments, money and refusals, and the words of the providers' pages."""

import datetime as dt
from typing import Any

from django import template

from audit.days import day_in_words
from games.engine import Refusal
from games.formats import money_if_any
from games.jurisdictions import short
from games.models import Facility
from games.office.providers import services
from games.office.providers.services import ServiceStep
from games.registry import game_by_code

register = template.Library()
register.filter("dollars", money_if_any)

# The words of providers' pages: states, steps, duties and parts
STATES = {
    "none": "not applied",
    "pending": "applied, undecided",
    "certified": "certified",
    "continued": "certified, renewal pending",
    "ended": "certification ended",
    "denied": "denied",
}
STEPS = {
    "laboratory": "Laboratory",
    "costs": "Costs",
    "approval": "Approval to use",
    "certified": "Provider",
}
STEP_STATES = {
    ("laboratory", "approved"): "approved",
    ("laboratory", "submitted"): "submitted, not approved",
    ("laboratory", "not-submitted"): "not submitted",
    ("costs", "paid"): "paid",
    ("costs", "none-charged"): "none charged",
    ("costs", "unpaid"): "not paid",
    ("costs", "not-told"): "not recorded",
    ("approval", "approved"): "approved",
    ("approval", "no-request"): "no request linked",
    ("approval", "not-approved"): "request not approved",
    ("certified", "certified"): "certified",
    ("certified", "continued"): "renewal pending",
    ("certified", "interim"): "permitted to trade",
    ("certified", "rescinded"): "permission rescinded",
    ("certified", "ended"): "certification ended",
    ("certified", "pending"): "not certified yet",
    ("certified", "denied"): "denied",
    ("certified", "none"): "not applied",
}
DUTIES = {
    "officer": "officer",
    "director": "director",
    "owner": "owns 10 % or more",
    "salesperson": "salesperson",
    "votes": "20 % or more of the votes",
    "named": "named by the Board",
}
STANDINGS = {
    "qualified": "qualified",
    "unqualified": "not qualified",
    "waiting": "outstanding, form filed",
    "no-form": "outstanding, no form",
    "not-asked": "need not qualify",
    "gone": "has left",
}
PARTS = {
    "form": "Application and disclosure form",
    "copy": "Copy of the form",
    "fee": "Fee, paid",
    "release": "Application and release of",
    "statement": "The certificate holder's signed statement",
    "general": "General requirements attested",
}


@register.filter
def sentence(refusal: Refusal) -> str:
    """Return a refusal as a sentence."""
    return refusal.sentence


@register.filter
def game_name(code: str) -> str:
    """Return the name of a game by its code."""
    return game_by_code(code).name


@register.filter
def headed(refusal: Refusal) -> str:
    """Return the two or three words above a refusal."""
    return refusal.heading


@register.filter
def cite(section: str) -> str:
    """Return a short citation."""
    return short(section)


@register.filter
def section(facility: Facility, duty: str) -> str:
    """Return the section of a duty in the facility's jurisdiction; "" for a practice of the facility."""
    return facility.law.section(duty)


@register.filter
def day(value: dt.date | None) -> str:
    """Return `21 Nov 2026`."""
    return day_in_words(value) if value else ""


@register.filter
def local(moment: dt.datetime | None, facility: Any) -> str:
    """Return a moment in the facility's time zone: `21 Nov 2026 10:00`."""
    return f"{day(there.date())} {there:%H:%M}" if moment and (there := facility.local(moment)) else ""


@register.filter
def plain_dollars(cents: int | str | None) -> str:
    """Return `1,250.50` or `5,000` for a form field; "" for None."""
    if not isinstance(cents, int):
        return ""
    return f"{cents // 100:,}" + (f".{cents % 100:02d}" if cents % 100 else "")


@register.filter
def hundredths(count: int) -> str:
    """Return `12.50` for 1250 basis points or cents."""
    return f"{count // 100}.{count % 100:02d}"


@register.filter
def kilobytes(size: int) -> str:
    """Return a file size: `340 kB`, `2.1 MB`."""
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{max(1, round(size / 1000))} kB"


@register.filter
def hour(moment: dt.datetime | None, facility: Any) -> str:
    """Return the local time of a moment: `10:00`."""
    return f"{facility.local(moment):%H:%M}" if moment else ""


@register.filter
def in_days(days: int) -> str:
    """Return `in 12 days`, `tomorrow`, `today` or `3 days overdue`."""
    if days < 0:
        return f"{-days} day{'s' if days < -1 else ''} overdue"
    return {0: "today", 1: "tomorrow"}.get(days, f"in {days:,} days")


# Providers


@register.filter
def state_word(state: str) -> str:
    """Return the label of a certification's state."""
    return str(STATES[state])


@register.filter
def step_title(step: ServiceStep) -> str:
    """Return the name of one of the four steps."""
    return str(STEPS[step.name])


@register.filter
def step_word(step: ServiceStep) -> str:
    """Return the label of a step's state."""
    return str(STEP_STATES[step.name, step.state])


@register.filter
def duty_word(words: str) -> str:
    """Return why somebody must be found qualified."""
    return str(DUTIES[words])


@register.filter
def qualifier_word(state: str) -> str:
    """Return the label of a qualification's state."""
    return str(STANDINGS[state])


@register.filter
def part_word(name: str) -> str:
    """Return the label of a part of the package."""
    return str(PARTS[name])


@register.filter
def covers(use: services.ServiceStatus) -> str:
    """Return what a service covers: its wagers by name, or the whole game."""
    codes = use.service.wagers
    if not codes:
        return "the whole game"
    wagers = services.wagers_of_game(use.service.game)
    labels = [wagers[code][0] if code in wagers else code.replace("-", " ").capitalize() for code in codes]
    return ", ".join(labels)
