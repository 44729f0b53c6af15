"""Template filters of the providers' pages: labels of states, steps, duties and parts."""

from django import template

from games.office.providers import services
from games.office.providers.services import ServiceStep

register = template.Library()

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
def percent(bp: int) -> str:
    """Return `12.50` for 1250 basis points."""
    return f"{bp // 100}.{bp % 100:02d}"


@register.filter
def covers(use: services.ServiceStatus) -> str:
    """Return what a service covers: its wagers by name, or the whole game."""
    codes = use.service.wagers
    if not codes:
        return "the whole game"
    wagers = services.wagers_of_game(use.service.game)
    labels = [wagers[code][0] if code in wagers else code.replace("-", " ").capitalize() for code in codes]
    return ", ".join(labels)
