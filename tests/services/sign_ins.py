"""People who sign in with a password and an authenticator app, without the pages by which they registered it."""

import datetime as dt

from django.contrib.auth.hashers import make_password
from django.test import Client

from audit import clock, factors
from audit.models import Device, Password, Person, SecondFactor

WORDS = "seven quiet tables"


def register_app(person: Person, device: Device) -> SecondFactor:
    """Give a person a password (`WORDS`) and an app."""
    now = clock.now()
    Password.objects.create(person=person, hash=make_password(WORDS), set_at=now)
    return SecondFactor.objects.create(
        person=person,
        kind="totp",
        label="Phone",
        secret=factors.new_totp_secret(),
        device=device,
        registered_at=now,
    )


def next_code(factor: SecondFactor, moment: dt.datetime | None = None) -> str:
    """A code of the app that was not used yet: the one of this moment."""
    SecondFactor.objects.filter(pk=factor.pk).update(last_step=0)
    return factors.code_at(bytes(factor.secret), moment or clock.now())


def sign_in_with_app(client: Client, factor: SecondFactor) -> None:
    """The two requests of a sign-in with a password and an app."""
    password = client.post("/sign-in", {"person": factor.person.code, "password": WORDS})
    assert (password.status_code, password["Location"]) == (302, "/sign-in/second-factor")
    answer = client.post("/sign-in/second-factor", {"code": next_code(factor)})
    assert (answer.status_code, answer["Location"]) == (302, "/")
