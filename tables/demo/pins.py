"""How the PINs of a demo are hashed."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class PublicPinHasher(PBKDF2PasswordHasher):
    """Django's own hash with little work: a demo prints its PINs, so that nobody has to guess them.

    With Django's own work the thirty people of the demo took six seconds, in which a visitor waited.
    """

    iterations = 1_000
