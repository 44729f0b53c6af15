"""How the providers' pages say where a certification, a step, a person or a part of a package stands."""

from typing import Any

from django import template
from django.utils.translation import gettext_lazy as lazy

from games.office import services
from games.office.services import Step

register = template.Library()

STATES: dict[str, Any] = {
    "none": lazy("not applied"),
    "pending": lazy("applied, undecided"),
    "certified": lazy("certified"),
    "continued": lazy("certified, renewal pending"),
    "ended": lazy("certification ended"),
    "denied": lazy("denied"),
}
STEPS: dict[str, Any] = {
    "laboratory": lazy("Laboratory"),
    "costs": lazy("Costs"),
    "approval": lazy("Approval to use"),
    "certified": lazy("Provider"),
}
STEP_STATES: dict[tuple[str, str], Any] = {
    ("laboratory", "approved"): lazy("approved"),
    ("laboratory", "submitted"): lazy("submitted, not approved"),
    ("laboratory", "not-submitted"): lazy("not submitted"),
    ("costs", "paid"): lazy("paid"),
    ("costs", "none-charged"): lazy("none charged"),
    ("costs", "unpaid"): lazy("not paid"),
    ("costs", "not-told"): lazy("not recorded"),
    ("approval", "approved"): lazy("approved"),
    ("approval", "no-request"): lazy("no request linked"),
    ("approval", "not-approved"): lazy("request not approved"),
    ("certified", "certified"): lazy("certified"),
    ("certified", "continued"): lazy("renewal pending"),
    ("certified", "interim"): lazy("permitted to trade"),
    ("certified", "rescinded"): lazy("permission rescinded"),
    ("certified", "ended"): lazy("certification ended"),
    ("certified", "pending"): lazy("not certified yet"),
    ("certified", "denied"): lazy("denied"),
    ("certified", "none"): lazy("not applied"),
}
DUTIES: dict[str, Any] = {
    "officer": lazy("officer"),
    "director": lazy("director"),
    "owner": lazy("owns 10 % or more"),
    "salesperson": lazy("salesperson"),
    "votes": lazy("20 % or more of the votes"),
    "named": lazy("named by the Board"),
}
STANDINGS: dict[str, Any] = {
    "qualified": lazy("qualified"),
    "unqualified": lazy("not qualified"),
    "waiting": lazy("outstanding, form filed"),
    "no-form": lazy("outstanding, no form"),
    "not-asked": lazy("need not qualify"),
    "gone": lazy("gone"),
}
PARTS: dict[str, Any] = {
    "form": lazy("Application and disclosure form"),
    "copy": lazy("Copy of the form"),
    "fee": lazy("Fee, paid"),
    "release": lazy("Application and release of"),
    "statement": lazy("The house's signed statement"),
    "general": lazy("General requirements attested"),
}


@register.filter
def state_word(state: str) -> str:
    """Where a certification stands."""
    return str(STATES[state])


@register.filter
def step_title(step: Step) -> str:
    """The name of one of the four steps."""
    return str(STEPS[step.name])


@register.filter
def step_word(step: Step) -> str:
    """Where a step stands."""
    return str(STEP_STATES[step.name, step.state])


@register.filter
def duty_word(words: str) -> str:
    """Why somebody must be found qualified."""
    return str(DUTIES[words])


@register.filter
def standing_word(standing: str) -> str:
    """Where somebody's qualification stands."""
    return str(STANDINGS[standing])


@register.filter
def part_word(name: str) -> str:
    """A part of the package."""
    return str(PARTS[name])


@register.filter
def percent(bp: int) -> str:
    """`12.50` of 1250 hundredths of a percent."""
    return f"{bp // 100}.{bp % 100:02d}"


@register.filter
def covers(use: services.Use) -> str:
    """What a service covers: its wagers by name, or the whole game."""
    named = use.service.wagers
    if not named:
        return str(lazy("the whole game"))
    known = services.wagers_of(use.service.game)
    labels = [known[code][0] if code in known else code.replace("-", " ").capitalize() for code in named]
    return ", ".join(labels)
