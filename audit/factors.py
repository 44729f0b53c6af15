"""Sign-in with a password and a second factor, and what people do with their own passwords and factors.

A sign-in has up to three steps, each a request. Between them the session holds who is signing in. The person's own
session begins only after the last one.

1. The password. A wrong one is counted as a wrong PIN is. A right one forgives nothing, because anybody who knows the
   password could otherwise guess codes without end.
2. The second factor: a code of an app, which works once, or the answer of a security key. Wrong ones are counted.
3. After a one-time password: another password, and a second factor if the person has none.

Codes of apps are those of RFC 6238 (SHA-1, six digits, thirty seconds). Their secrets are encrypted with a key derived
from `SECRET_KEY`; those of `SECRET_KEY_FALLBACKS` decrypt too. So a copy of the database alone makes no codes. Security
keys (WebAuthn) speak the protocol of Yubico's `fido2`, which the first ceremony imports: most workers and commands
never need it. A key answers for one host name, which must be `localhost` or have TLS. The state of a ceremony stays on
the server, in the session, and is used once.

Some acts need a second factor again, unless one was given at this device in the last ten minutes (`verify_step_up`). A
session holds the moment of its newest factor. Each sign-in starts a new session, so this moment never counts at another
device or for another person.
"""

import base64
import datetime as dt
import hashlib
import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import quote

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.backends.base import SessionBase
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, salted_hmac
from reportlab.graphics.barcode import qrencoder

from audit import clock, passwords, people
from audit.devices import append_sign_in, lock_sign_in_stream
from audit.entries import (
    FACTOR_CONFIRMED,
    FACTOR_ENDED,
    FACTOR_REGISTERED,
    PASSWORD_CHANGED,
    FactorData,
    FactorEnded,
    PasswordSet,
    Purpose,
)
from audit.models import Device, Password, Person, SecondFactor, Station, Stream
from audit.refusals import (
    BAD_PASSWORD,
    LAST_FACTOR,
    NO_FACTOR,
    NO_SUCH_FACTOR,
    NOT_REGISTERED,
    PASSWORDS_DIFFER,
    SIGN_IN_OVER,
    FactorRefused,
    LockedOut,
    SecondFactorNeeded,
    WrongFactor,
    WrongPassword,
)
from audit.registration import credential_digest

if TYPE_CHECKING:
    from fido2.server import Fido2Server


log = logging.getLogger(__name__)


# Codes of an app


TOTP_SALT = "pitside.totp.v1"
STEP_SECONDS = 30
DIGITS = 6
SECRET_BYTES = 20
DRIFT = (-1, 0, 1)  # steps by which the clock of an app may differ


def new_totp_secret() -> bytes:
    """A random secret, encrypted."""
    return _cipher().encrypt(secrets.token_bytes(SECRET_BYTES))


def matching_step(encrypted: bytes, code: str, moment: dt.datetime, after: int) -> int | None:
    """The time step whose code this is, later than step `after`; None for a wrong code or one that was used."""
    secret = _decrypted(encrypted)
    if secret is None or len(code) != DIGITS or not (code.isascii() and code.isdigit()):
        return None
    now = int(moment.timestamp()) // STEP_SECONDS
    for step in (now + drift for drift in DRIFT):
        if step > after and constant_time_compare(code_of_step(secret, step), code):
            return step
    return None


def code_of_step(secret: bytes, step: int) -> str:
    """The code of one time step."""
    return _totp(secret).generate(step * STEP_SECONDS).decode()


def code_at(encrypted: bytes, moment: dt.datetime) -> str:
    """The code that an app with this secret shows at a moment."""
    secret = _decrypted(encrypted)
    assert secret is not None
    return code_of_step(secret, int(moment.timestamp()) // STEP_SECONDS)


def typed_secret(encrypted: bytes) -> str:
    """The secret in base32, in groups of four, for an app that has no camera."""
    secret = _decrypted(encrypted)
    assert secret is not None
    text = base64.b32encode(secret).decode()
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def totp_address(encrypted: bytes, account: str, issuer: str) -> str:
    """The `otpauth:` address that an app reads from a QR code."""
    secret = base64.b32encode(_decrypted(encrypted) or b"").decode()
    return (
        f"otpauth://totp/{quote(issuer)}:{quote(account)}?secret={secret}&issuer={quote(issuer)}"
        f"&digits={DIGITS}&period={STEP_SECONDS}"
    )


def qr_path(text: str) -> tuple[int, str]:
    """A QR code of this text as the width of a square drawing and the path of its dark modules, with a quiet zone."""
    code = qrencoder.QRCode(None, qrencoder.QRErrorCorrectLevel.M)
    code.addData(text)
    code.make()
    count, border = code.getModuleCount(), 4
    dark = (
        f"M{column + border} {row + border}h1v1h-1z"
        for row in range(count)
        for column in range(count)
        if code.isDark(row, column)
    )
    return count + 2 * border, "".join(dark)


def _totp(secret: bytes) -> TOTP:
    return TOTP(secret, DIGITS, SHA1(), STEP_SECONDS)


def _cipher() -> MultiFernet:
    keys = (
        salted_hmac(TOTP_SALT, "secret", secret=key, algorithm="sha256").digest()
        for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    )
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])


def _decrypted(encrypted: bytes) -> bytes | None:
    try:
        return _cipher().decrypt(bytes(encrypted))
    except InvalidToken:
        log.error(
            "the secret of an authenticator app was encrypted with a key that this server no longer has"
        )
        return None


# Security keys


RELYING_PARTY = "Pitside"
SESSION_KEY_STATE = "key_state"  # of the ceremony that a security key is answering
USER_ID_PREFIX = b"pitside person "


class WrongKey(Exception):
    """What came is no answer of a registered key to this ceremony."""


def begin_registration(
    request: HttpRequest, person: Person, registered: Iterable[SecondFactor]
) -> dict[str, Any]:
    """Ask the browser for a new key of a person, none of those that are registered.

    Returns what the browser gets, as JSON. The session stores the state of the ceremony until the key has answered.
    """
    from fido2.webauthn import PublicKeyCredentialUserEntity, UserVerificationRequirement

    user = PublicKeyCredentialUserEntity(
        id=USER_ID_PREFIX + str(person.pk).encode(), name=person.code, display_name=person.name
    )
    options, state = _server(request).register_begin(
        user, _credentials(registered), user_verification=UserVerificationRequirement.DISCOURAGED
    )
    request.session[SESSION_KEY_STATE] = state
    return dict(options)


def complete_registration(request: HttpRequest, state: dict[str, Any], response: Any) -> tuple[bytes, int]:
    """The new key's id and public key, and its counter. Raises WrongKey."""
    try:
        data = _server(request).register_complete(state, response)
    except Exception as error:  # whatever a stranger sends: each layer of the format raises its own
        raise _wrong(error) from None
    assert data.credential_data is not None
    return bytes(data.credential_data), data.counter


def begin_authentication(request: HttpRequest, registered: Iterable[SecondFactor]) -> dict[str, Any]:
    """Ask the browser for an answer of one of these keys; as `begin_registration`."""
    from fido2.webauthn import UserVerificationRequirement

    options, state = _server(request).authenticate_begin(
        _credentials(registered), user_verification=UserVerificationRequirement.DISCOURAGED
    )
    request.session[SESSION_KEY_STATE] = state
    return dict(options)


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


# A second factor again


# When an act needs it: never, at office devices, or at every device.
StepUp: TypeAlias = Literal["never", "office", "always"]
STEP_UP_SPAN = dt.timedelta(minutes=10)
SESSION_FACTOR_AT = "second_factor_at"


def note_factor(session: SessionBase, moment: dt.datetime) -> None:
    """Store in the session that a second factor was given."""
    session[SESSION_FACTOR_AT] = clock.format_moment(moment)


def factor_at(session: SessionBase) -> dt.datetime | None:
    """When a second factor was last given in this session; None if never."""
    text = session.get(SESSION_FACTOR_AT)
    return dt.datetime.fromisoformat(text) if text else None


def verify_step_up(
    step_up: StepUp, device: Device | None, given_at: dt.datetime | None, now: dt.datetime
) -> None:
    """Raise SecondFactorNeeded if an act needs a second factor here and none was given in the last ten minutes.

    An act without a device is not sent by a screen: a command of the server, or the ticker.
    """
    if step_up == "never" or device is None or not settings.SECOND_FACTORS:
        return
    if step_up == "office" and device.station != Station.OFFICE:
        return
    if not is_fresh(given_at, now):
        raise SecondFactorNeeded()


def is_fresh(given_at: dt.datetime | None, now: dt.datetime) -> bool:
    """Whether a second factor that was given at this moment still counts."""
    return given_at is not None and now - given_at <= STEP_UP_SPAN


# Sign-in, and one's own passwords and factors


SESSION_STEP = "sign_in_step"
SESSION_NEW_FACTOR = "new_factor"
STEP_LIFETIME = dt.timedelta(minutes=15)
LABEL_LENGTH_MAX = 40
Kind = SecondFactor.Kind


@dataclass(frozen=True)
class SignInStep:
    """Somebody whose password was right, and who is not signed in yet.

    `factors`: those that they have. `used_factor`: the one that they gave already, before they choose another password.
    """

    person: Person
    password: Password
    factors: list[SecondFactor]
    used_factor: SecondFactor | None

    @property
    def is_set_up(self) -> bool:
        """Whether the next step is to choose a password, and a factor if there is none."""
        return self.password.is_one_time and (self.used_factor is not None or not self.factors)


@dataclass(frozen=True)
class FactorProof:
    """What somebody gives as their second factor: a code, or the answer of a security key as a browser encodes it."""

    code: str = ""
    key: dict[str, Any] | None = None


@dataclass(frozen=True)
class NewFactor:
    """A second factor that somebody registers: what they call it, and its first proof."""

    label: str
    proof: FactorProof = field(default_factory=FactorProof)


def active_factors(person: Person) -> list[SecondFactor]:
    """The second factors of a person that have not ended."""
    return list(SecondFactor.objects.filter(person=person, ended_at=None))


# The steps of a sign-in


def check_password(request: HttpRequest, code: str, typed: str) -> SignInStep:
    """The first step. Records and raises WrongPassword or LockedOut. Raises FactorRefused, TooManyPins, DeviceRefused.

    Must not run inside a transaction.
    """
    device = people.device_for_people(request)
    person = people.person_by_code(code)
    row = passwords.password_of(person) if person else None
    now = clock.now()
    with people.hashing():
        if people.is_locked_out(device, person, now):
            raise LockedOut()
        people.release_connection()
        matches = passwords.is_right(row, typed, now)
    matches = matches and person is not None and person.is_active and person.belongs_to(device.facility)
    people.judge(device, person, lambda now: matches, purpose="sign-in", wrong=WrongPassword, forgives=False)
    assert person is not None and row is not None
    step = SignInStep(person, row, active_factors(person), None)
    if not row.is_one_time and not step.factors:
        raise FactorRefused(NO_FACTOR)
    request.session[SESSION_STEP] = {
        "person": person.pk,
        "device": str(device.pk),
        "began": clock.format_moment(now),
        "password": passwords.fingerprint(row),
        "factor": None,
    }
    return step


def sign_in_step(request: HttpRequest) -> SignInStep | None:
    """Who is signing in at this browser; None if nobody, or if it took too long or the password was changed."""
    stored, device = request.session.get(SESSION_STEP), people.device_for_people(request)
    if stored is None or stored["device"] != str(device.pk):
        return None
    now = clock.now()
    if now - dt.datetime.fromisoformat(stored["began"]) > STEP_LIFETIME:
        return None
    row = Password.objects.select_related("person").filter(person=stored["person"]).first()
    if row is None or passwords.fingerprint(row) != stored["password"] or not row.person.is_active:
        return None
    if people.is_on_leave(row.person, device.facility, now):
        return None
    factors = active_factors(row.person)
    used_factor = next((factor for factor in factors if factor.pk == stored["factor"]), None)
    return SignInStep(row.person, row, factors, used_factor)


def give_factor(request: HttpRequest, proof: FactorProof) -> bool:
    """The second step. Returns whether the person is signed in now; otherwise they choose a password first.

    Records and raises WrongFactor or LockedOut. Raises FactorRefused or DeviceRefused.
    """
    step = _verified_step(request)
    if step.is_set_up:
        return False
    factor = _prove(request, step.person, proof, "second-factor")
    if step.password.is_one_time:
        request.session[SESSION_STEP] |= {"factor": factor.pk}
        request.session.modified = True
        return False
    _begin(request, step.person, factor)
    return True


def set_up(request: HttpRequest, password: str, again: str, new: NewFactor | None) -> None:
    """The third step: choose a password, register `new` if the person has no factor, and sign in.

    Raises FactorRefused or DeviceRefused. Must not run inside a transaction.
    """
    step = _verified_step(request)
    if not step.is_set_up:
        raise FactorRefused(SIGN_IN_OVER)
    hashed = _hashed(password, again, step.person)
    unsaved = None if step.used_factor else _new_factor(request, step.person, new)
    device = people.device_for_people(request)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        row = Password.objects.select_for_update().get(person=step.person)
        if passwords.fingerprint(row) != passwords.fingerprint(step.password):
            raise FactorRefused(SIGN_IN_OVER)
        moment = clock.never_before(stream, clock.now())
        _save_password(stream, row, hashed, moment, device)
        if unsaved is not None:
            _save_factor(stream, unsaved, moment, device)
    factor = step.used_factor or unsaved
    assert factor is not None
    _begin(request, step.person, factor)


# Second factors of somebody who is signed in


def confirm(request: HttpRequest, person: Person, proof: FactorProof) -> None:
    """Take a second factor again, for acts that need it. Records and raises WrongFactor or LockedOut.

    Raises FactorRefused for somebody who has none.
    """
    if not active_factors(person):
        raise FactorRefused(NO_FACTOR)
    factor = _prove(request, person, proof, "step-up")
    device = people.device_for_people(request)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        moment = clock.never_before(stream, clock.now())
        append_sign_in(
            stream,
            FACTOR_CONFIRMED(**_data(factor), name=device.name),
            actor=person,
            device=device,
            moment=moment,
        )
    note_factor(request.session, moment)


def verify_witness(request: HttpRequest, code: str, pin: str, app_code: str) -> Person:
    """Authenticate a second person by their PIN, and at an office device by a code of their app too.

    Raises as `people.verify_witness`, and WrongFactor.
    """
    if not people.takes_password(people.device_for_people(request), None):
        return people.verify_witness(request, code, pin)
    person = people.verify_witness(request, code, pin, with_factor=bool(app_code))
    _prove(request, person, FactorProof(app_code), "witness")
    return person


def change_password(request: HttpRequest, person: Person, password: str, again: str) -> None:
    """Choose another password. Raises FactorRefused or SecondFactorNeeded. Must not run inside a transaction."""
    verify_fresh(request)
    hashed = _hashed(password, again, person)
    device = people.device_for_people(request)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        row = Password.objects.select_for_update().get(person=person)
        _save_password(stream, row, hashed, clock.never_before(stream, clock.now()), device)


def add_factor(request: HttpRequest, person: Person, new: NewFactor) -> None:
    """Register another second factor. Raises FactorRefused or SecondFactorNeeded."""
    verify_fresh(request)
    unsaved = _new_factor(request, person, new)
    device = people.device_for_people(request)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        _save_factor(stream, unsaved, clock.never_before(stream, clock.now()), device)


def end_factor(request: HttpRequest, person: Person, pk: int) -> None:
    """End a second factor of one's own, never the last one. Raises FactorRefused or SecondFactorNeeded."""
    verify_fresh(request)
    device = people.device_for_people(request)
    with transaction.atomic(durable=True):
        stream = lock_sign_in_stream(device.facility)
        active = list(SecondFactor.objects.select_for_update().filter(person=person, ended_at=None))
        factor = next((factor for factor in active if factor.pk == pk), None)
        if factor is None:
            raise FactorRefused(NO_SUCH_FACTOR)
        if len(active) == 1:
            raise FactorRefused(LAST_FACTOR)
        moment = clock.never_before(stream, clock.now())
        factor.ended_at = moment
        factor.save(update_fields=["ended_at"])
        append_sign_in(
            stream, FACTOR_ENDED(_ended(factor, "own")), actor=person, device=device, moment=moment
        )


def end_all(person: Person, moment: dt.datetime) -> list[FactorEnded]:
    """End every second factor of a person who lost them. The caller locks the sign-ins and records what is returned."""
    active = list(SecondFactor.objects.select_for_update().filter(person=person, ended_at=None))
    SecondFactor.objects.filter(pk__in=[factor.pk for factor in active]).update(ended_at=moment)
    return [_ended(factor, "lost") for factor in active]


# Ceremonies


def ask_key(request: HttpRequest, person: Person) -> dict[str, Any] | None:
    """The options with which the browser asks a security key of this person; None if they have none."""
    keys = [factor for factor in active_factors(person) if factor.kind == Kind.WEBAUTHN]
    return begin_authentication(request, keys) if keys else None


def ask_new_key(request: HttpRequest, person: Person) -> dict[str, Any]:
    """The options with which the browser registers a new security key of this person."""
    return begin_registration(request, person, active_factors(person))


def new_secret(request: HttpRequest) -> bytes:
    """The secret that an app of this person is about to store, encrypted. It stays the same until it is registered."""
    if SESSION_NEW_FACTOR not in request.session:
        request.session[SESSION_NEW_FACTOR] = new_totp_secret().decode()
    return str(request.session[SESSION_NEW_FACTOR]).encode()


# The rest


def _verified_step(request: HttpRequest) -> SignInStep:
    step = sign_in_step(request)
    if step is None:
        raise FactorRefused(SIGN_IN_OVER)
    return step


def _begin(request: HttpRequest, person: Person, factor: SecondFactor) -> None:
    moment = people.begin_session(request, person, factor)
    note_factor(request.session, moment)


def verify_fresh(request: HttpRequest) -> None:
    """Raise SecondFactorNeeded unless a second factor was given at this device in the last ten minutes."""
    device = people.device_for_people(request)
    verify_step_up("always", device, factor_at(request.session), clock.now())


def _hashed(password: str, again: str, person: Person) -> str:
    """The hash of a new password. Raises FactorRefused. Takes long, outside of any transaction."""
    if password != again:
        raise FactorRefused(PASSWORDS_DIFFER)
    problems = passwords.problems(password, person)
    if problems:
        raise FactorRefused(BAD_PASSWORD, problems=" ".join(problems))
    with people.hashing():
        return make_password(password)


def _save_password(stream: Stream, row: Password, hashed: str, moment: dt.datetime, device: Device) -> None:
    row.hash, row.set_at, row.ends_at, row.given_by, row.command = hashed, moment, None, None, None
    row.save()
    data: PasswordSet = {
        "code": row.person.code,
        "credential_sha256": credential_digest(row.person.code, row.hash),
    }
    append_sign_in(stream, PASSWORD_CHANGED(data), actor=row.person, device=device, moment=moment)


def _new_factor(request: HttpRequest, person: Person, new: NewFactor | None) -> SecondFactor:
    """The factor that somebody registers, not saved yet. Raises FactorRefused unless its first proof is right."""
    if new is None:
        raise FactorRefused(NOT_REGISTERED)
    label = new.label.strip()[:LABEL_LENGTH_MAX]
    if new.proof.key is not None:
        state = request.session.pop(SESSION_KEY_STATE, None)
        try:
            credential, count = complete_registration(request, state or {}, new.proof.key)
        except WrongKey:
            raise FactorRefused(NOT_REGISTERED) from None
        if SecondFactor.objects.filter(credential=credential).exists():
            raise FactorRefused(NOT_REGISTERED)
        return SecondFactor(
            person=person, kind=Kind.WEBAUTHN, label=label or "Security key", credential=credential,
            sign_count=count,
        )  # fmt: skip
    secret = new_secret(request)
    step = matching_step(secret, new.proof.code.strip(), clock.now(), 0)
    if step is None:
        raise FactorRefused(NOT_REGISTERED)
    del request.session[SESSION_NEW_FACTOR]
    return SecondFactor(
        person=person, kind=Kind.TOTP, label=label or "Authenticator app", secret=secret, last_step=step
    )


def _save_factor(stream: Stream, factor: SecondFactor, moment: dt.datetime, device: Device) -> None:
    factor.registered_at, factor.device = moment, device
    factor.save()
    append_sign_in(
        stream,
        FACTOR_REGISTERED(**_data(factor), name=device.name, public_sha256=public_digest(factor)),
        actor=factor.person,
        device=device,
        moment=moment,
    )


def public_digest(factor: SecondFactor) -> str:
    """The digest (hex) by which the record knows a second factor: of a key's id and public key, or of a secret."""
    return hashlib.sha256(bytes(factor.credential) or bytes(factor.secret)).hexdigest()


def _data(factor: SecondFactor) -> FactorData:
    return {
        "code": factor.person.code,
        "factor": factor.pk,
        "kind": "webauthn" if factor.kind == Kind.WEBAUTHN else "totp",
        "label": factor.label,
    }


def _ended(factor: SecondFactor, why: Literal["own", "lost"]) -> FactorEnded:
    data = _data(factor)
    return {
        "code": data["code"],
        "factor": data["factor"],
        "kind": data["kind"],
        "label": data["label"],
        "why": why,
    }


def _prove(request: HttpRequest, person: Person, proof: FactorProof, purpose: Purpose) -> SecondFactor:
    """The factor that this proof is of, marked as used. Records and raises WrongFactor or LockedOut."""
    state = request.session.pop(SESSION_KEY_STATE, None) if proof.key is not None else None
    proven: list[SecondFactor] = []

    def is_right(now: dt.datetime) -> bool:
        factors = list(SecondFactor.objects.select_for_update().filter(person=person, ended_at=None))
        factor = _matching(request, factors, proof, state, now)
        if factor is None:
            return False
        factor.used_at = now
        factor.save(update_fields=["used_at", "last_step", "sign_count"])
        proven.append(factor)
        return True

    device = people.device_for_people(request)
    people.judge(device, person, is_right, purpose=purpose, wrong=WrongFactor)
    return proven[0]


def _matching(
    request: HttpRequest,
    factors: list[SecondFactor],
    proof: FactorProof,
    state: dict[str, Any] | None,
    now: dt.datetime,
) -> SecondFactor | None:
    if proof.key is not None:
        keys = [factor for factor in factors if factor.kind == Kind.WEBAUTHN]
        try:
            factor, count = complete_authentication(request, state or {}, keys, proof.key)
        except WrongKey:
            return None
        factor.sign_count = count
        return factor
    code = proof.code.replace(" ", "")
    for factor in factors:
        if factor.kind == Kind.TOTP:
            step = matching_step(bytes(factor.secret), code, now, factor.last_step)
            if step is not None:
                factor.last_step = step
                return factor
    return None
