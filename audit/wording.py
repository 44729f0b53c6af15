"""Every refusal of this room as a sentence that the person at the screen understands."""

from django.utils.translation import gettext_lazy as _

from audit.errors import AuditRefusal

SENTENCES = {
    "refused": _("This cannot be done."),
    "record-refused": _("The record did not take this act, so it did not happen."),
    "clock-went-back": _(
        "The clock went back on %(stream)s. Nothing can be recorded until it is right again."
    ),
    "stream-closed": _("The record of %(stream)s is closed."),
    "stream-moved": _("Somebody else acted on %(stream)s just now. Try again."),
    "command-changed": _("This act was sent before with other content."),
    "forbidden": _("You may not do this here."),
    "person-refused": _("You cannot sign in here."),
    "wrong-pin": _("Code or PIN is wrong."),
    "locked-out": _("Too many wrong PINs. Wait some minutes, or ask a supervisor."),
    "same-person": _("A witness must be somebody else."),
    "device-not-enrolled": _("This device is not enrolled."),
    "key-refused": _("This cannot be done with this key."),
    "no-folder": _("This process has no folder of keys: PITSIDE_SEALER_DIR names it, for the sealer alone."),
    "key-known": _("Key %(key)s is on the record already."),
    "key-unknown": _("No key %(key)s is on the record. See: manage.py sealer_key list."),
    "key-retired": _("Key %(key)s is retired already."),
    "last-key": _("Key %(key)s is the only one that signs. Make another first: manage.py sealer_key rotate."),
    "declaration-refused": _("A new incarnation cannot be declared so."),
    "declaration-departments": _("The two people who declare are of different departments."),
    "declaration-compliance": _("One of the two people who declare is of compliance."),
    "declaration-why": _("Say why, in at most %(most)s characters."),
    "declaration-note": _("This file holds no signed checkpoint."),
}


def say(refusal: AuditRefusal) -> str:
    """The sentence of a refusal in the reader's language."""
    sentence = SENTENCES.get(refusal.code) or SENTENCES["forbidden" if refusal.status == 403 else "refused"]
    return str(sentence) % refusal.params
