"""Security keys (WebAuthn): the options of a ceremony for the browser, and the check of what the key answers.

The protocol is Yubico's `fido2`. A key answers for one host name, which must be `localhost` or have TLS. The state of a
ceremony stays on the server, in the session, and is used once. `fido2` is imported by the first ceremony: most workers
and commands never need it.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest

from audit.models import Person, SecondFactor

if TYPE_CHECKING:
    from fido2.server import Fido2Server

log = logging.getLogger(__name__)
RELYING_PARTY = "Pitside"
USER_ID_PREFIX = b"pitside person "


class WrongKey(Exception):
    """What came is no answer of a registered key to this ceremony."""


@dataclass(frozen=True)
class Ceremony:
    """What the browser gets, as JSON, and what the server stores until the key has answered."""

    options: dict[str, Any]
    state: dict[str, Any]


def begin_registration(request: HttpRequest, person: Person, registered: Iterable[SecondFactor]) -> Ceremony:
    """Ask the browser for a new key of a person, none of those that are registered."""
    from fido2.webauthn import PublicKeyCredentialUserEntity, UserVerificationRequirement

    user = PublicKeyCredentialUserEntity(
        id=USER_ID_PREFIX + str(person.pk).encode(), name=person.code, display_name=person.name
    )
    options, state = _server(request).register_begin(
        user, _credentials(registered), user_verification=UserVerificationRequirement.DISCOURAGED
    )
    return Ceremony(dict(options), state)


def complete_registration(request: HttpRequest, state: dict[str, Any], response: Any) -> tuple[bytes, int]:
    """The new key's id and public key, and its counter. Raises WrongKey."""
    try:
        data = _server(request).register_complete(state, response)
    except Exception as error:  # whatever a stranger sends: each layer of the format raises its own
        raise _wrong(error) from None
    assert data.credential_data is not None
    return bytes(data.credential_data), data.counter


def begin_authentication(request: HttpRequest, registered: Iterable[SecondFactor]) -> Ceremony:
    """Ask the browser for an answer of one of these keys."""
    from fido2.webauthn import UserVerificationRequirement

    options, state = _server(request).authenticate_begin(
        _credentials(registered), user_verification=UserVerificationRequirement.DISCOURAGED
    )
    return Ceremony(dict(options), state)


def complete_authentication(
    request: HttpRequest, state: dict[str, Any], registered: Iterable[SecondFactor], response: Any
) -> tuple[SecondFactor, int]:
    """The key that answered, and its counter. Raises WrongKey, also for a counter that did not grow: a copy."""
    from fido2.webauthn import AuthenticationResponse

    factors = list(registered)
    credentials = _credentials(factors)
    try:
        used = _server(request).authenticate_complete(state, credentials, response)
        counter = AuthenticationResponse.from_dict(response).response.authenticator_data.counter
    except Exception as error:
        raise _wrong(error) from None
    factor = factors[[bytes(credential) for credential in credentials].index(bytes(used))]
    if (counter or factor.sign_count) and counter <= factor.sign_count:
        raise WrongKey("the counter of the key did not grow")
    return factor, counter


def _server(request: HttpRequest) -> "Fido2Server":
    from fido2.server import Fido2Server
    from fido2.webauthn import PublicKeyCredentialRpEntity

    host = request.get_host()
    origin = f"{request.scheme}://{host}"
    party = PublicKeyCredentialRpEntity(name=RELYING_PARTY, id=host.partition(":")[0])
    return Fido2Server(party, verify_origin=lambda claimed: claimed == origin)


def _credentials(factors: Iterable[SecondFactor]) -> list[Any]:
    from fido2.webauthn import AttestedCredentialData

    return [AttestedCredentialData(bytes(factor.credential)) for factor in factors if factor.credential]


def _wrong(error: Exception) -> WrongKey:
    log.info("the answer of a security key was refused: %r", error)
    return WrongKey(str(error))
