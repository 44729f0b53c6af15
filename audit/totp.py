"""Codes of authenticator apps (RFC 6238: SHA-1, six digits, thirty seconds), and how their secrets are stored.

A secret is encrypted with a key derived from `SECRET_KEY`; those of `SECRET_KEY_FALLBACKS` decrypt too. So a copy of
the database alone makes no codes.
"""

import base64
import datetime as dt
import logging
import secrets
from urllib.parse import quote

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac
from reportlab.graphics.barcode import qrencoder

log = logging.getLogger(__name__)
SALT = "pitside.totp.v1"
STEP_SECONDS = 30
DIGITS = 6
SECRET_BYTES = 20
DRIFT = (-1, 0, 1)  # steps by which the clock of an app may differ


def new_secret() -> bytes:
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


def address(encrypted: bytes, account: str, issuer: str) -> str:
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
        salted_hmac(SALT, "secret", secret=key, algorithm="sha256").digest()
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
