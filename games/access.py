"""Who may open which address: each view declares its rule, and `opened_by` enforces it before the view runs.

    @require_GET
    @opened_by(OFFICE)
    def documents(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse: ...

A rule reads some arguments of the address, such as the code of the facility, and gives the view what they name. An
address without a rule ends the start of every process (`verify_rules`, called by `config/urls.py`). `SignedOut`,
`Locked` and `Denied` become 401, 423 and 403 for a request.
"""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver

from audit.identity import Denied, enrolled_device, person_of
from audit.models import Device, Person
from games.models import Facility

First = TypeVar("First", covariant=True)
Second = TypeVar("Second", covariant=True)
P = ParamSpec("P")
View = TypeVar("View", bound=Callable[..., Any])


class AccessRule(Protocol[First, Second]):
    """Who may open an address. `arguments`: those of the address that it reads; the view gets only the others."""

    @property
    def arguments(self) -> tuple[str, ...]: ...

    def authorize(self, request: HttpRequest, *args: Any, **kwargs: Any) -> tuple[First, Second]:
        """Return what the view works with, mostly the person first. Raises `SignedOut`, `Locked` or `Denied`."""


@dataclass(frozen=True)
class Unchecked:
    """The rule of an address at which no rule is checked before the view.

    `is_open`: everybody may open it; otherwise the view, or the runner of an act, decides.
    """

    why: str
    is_open: bool


@dataclass(frozen=True)
class CheckedBy(Generic[First, Second]):
    """A rule that is a function of the request and of these arguments of the address."""

    authorize: Callable[..., tuple[First, Second]]
    arguments: tuple[str, ...]


def shows_pages(person: Person, device: Device | None) -> bool:
    """Whether a device shows this person pages of a facility. A tablet that serves one table never does."""
    return device is not None and not device.place and person.facility in ("", device.facility)


@dataclass(frozen=True)
class Pages:
    """Pages of every facility that people of these roles may see, at an enrolled device of the facility."""

    roles: Set[str]
    arguments: tuple[str, ...] = ("facility",)

    def may_see(self, person: Person, device: Device | None) -> bool:
        """Whether this device's bar links to them for this person."""
        return shows_pages(person, device) and person.role in self.roles

    def authorize(self, request: HttpRequest, facility: str) -> tuple[Person, Facility]:
        """Return the person and the facility whose pages they may see. Raises `SignedOut`, `Locked` or `Denied`."""
        person, device = person_of(request), enrolled_device(request)
        if device is None or device.facility != facility or not self.may_see(person, device):
            raise Denied
        row = Facility.objects.filter(code=facility).first()
        if row is None:
            raise Denied
        return person, row


def _person_and_device(request: HttpRequest) -> tuple[Person, Device | None]:
    return person_of(request), enrolled_device(request)


SIGNED_IN = CheckedBy(_person_and_device, ())


def opened_by(
    rule: AccessRule[First, Second],
) -> Callable[
    [Callable[Concatenate[HttpRequest, First, Second, P], HttpResponseBase]], Callable[..., HttpResponseBase]
]:
    """Declare who opens a view's address: the view runs after the rule, with what it returned."""

    def declare(
        view: Callable[Concatenate[HttpRequest, First, Second, P], HttpResponseBase],
    ) -> Callable[..., HttpResponseBase]:
        run: Callable[..., HttpResponseBase] = view

        @wraps(view)
        def checked(request: HttpRequest, **address: Any) -> HttpResponseBase:
            admitted = rule.authorize(request, *[address.pop(name) for name in rule.arguments])
            return run(request, *admitted, **address)

        return _declare(checked, rule)

    return declare


def open_to_all(why: str) -> Callable[[View], View]:
    """Declare that everybody may open a view's address, with or without a device or a sign-in."""
    return lambda view: _declare(view, Unchecked(why, is_open=True))


def decides_itself(why: str) -> Callable[[View], View]:
    """Declare that the view, or the runner of an act, decides who may do what at its address."""
    return lambda view: _declare(view, Unchecked(why, is_open=False))


def _declare(view: View, rule: AccessRule[Any, Any] | Unchecked) -> View:
    view.access_rule = rule  # type: ignore[attr-defined]  # Django's decorators carry a view's attributes on
    return view


def access_rules(
    patterns: Iterable[URLPattern | URLResolver], prefix: str = ""
) -> Iterator[tuple[str, AccessRule[Any, Any] | Unchecked | None]]:
    """Every route of these URL patterns with the rule that its view declares; None without one."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from access_rules(pattern.url_patterns, route)
        else:
            yield route, getattr(pattern.callback, "access_rule", None)


def verify_rules(patterns: Iterable[URLPattern | URLResolver]) -> None:
    """Raise `ImproperlyConfigured` for addresses whose views declare no rule."""
    undeclared = [route for route, rule in access_rules(patterns) if rule is None]
    if undeclared:
        raise ImproperlyConfigured(
            "Declare who opens these addresses, with games.access.opened_by on the view: "
            + ", ".join(undeclared)
        )
