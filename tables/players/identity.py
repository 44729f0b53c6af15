"""The random code of a player, and the keyed hash by which the record names their personal data."""

import secrets

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from tables.models import Player, PlayerDetails

LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_LENGTH = 6
SALT = "pitside.player.v1"


def new_code(facility_id: int) -> str:
    """A code that no player of the facility has or had, such as `P-7KQ2MX`."""
    while True:
        code = "P-" + "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        if not Player.objects.filter(facility_id=facility_id, code=code).exists():
            return code


def new_salt() -> str:
    return secrets.token_hex(32)


def keyed_hash(facility_code: str, details: PlayerDetails, key: str | bytes | None = None) -> str:
    """HMAC-SHA-256 of the personal data with the facility's key, which is derived from the server's.

    It shows that the data on file are those that were filed. The salt is erased with the data; the hash then leads to
    nobody, whatever keys and names somebody tries.
    """
    value = "\x1f".join((details.salt, details.name, details.card))
    return salted_hmac(
        f"{SALT}:{facility_code}", value, secret=key or settings.SECRET_KEY, algorithm="sha256"
    ).hexdigest()


def is_hash_of(hash_: str, facility_code: str, details: PlayerDetails) -> bool:
    """Whether these data have this hash, by the server's key or one that it had before."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(keyed_hash(facility_code, details, key), hash_) for key in keys)
