"""Every refusal of this room as a sentence that the person at the screen understands."""

from audit.errors import AuditRefusal

SENTENCES = {
    "refused": "This cannot be done.",
    "record-refused": "The record did not take this act, so it did not happen.",
    "clock-went-back": "The clock went back on %(stream)s. Nothing can be recorded until it is right again.",
    "stream-closed": "The record of %(stream)s is closed.",
    "stream-moved": "Somebody else acted on %(stream)s just now. Try again.",
    "command-changed": "This act was sent before with other content.",
    "forbidden": "You may not do this here.",
    "person-refused": "You cannot sign in here.",
    "wrong-pin": "Code or PIN is wrong.",
    "locked-out": "Too many wrong PINs. Wait some minutes, or ask a supervisor.",
    "same-person": "A witness must be somebody else.",
    "device-not-enrolled": "This device is not enrolled.",
    "key-refused": "This cannot be done with this key.",
    "no-folder": "This process has no folder of keys: PITSIDE_SEALER_DIR names it, for the sealer alone.",
    "key-known": "Key %(key)s is on the record already.",
    "key-unknown": "No key %(key)s is on the record. See: manage.py sealer_key list.",
    "key-retired": "Key %(key)s is retired already.",
    "last-key": "Key %(key)s is the only one that signs. Make another first: manage.py sealer_key rotate.",
    "declaration-refused": "A new incarnation cannot be declared so.",
    "declaration-departments": "The two people who declare are of different departments.",
    "declaration-compliance": "One of the two people who declare is of compliance.",
    "declaration-why": "Say why, in at most %(most)s characters.",
    "declaration-note": "This file holds no signed checkpoint.",
}


def say(refusal: AuditRefusal) -> str:
    """The sentence of a refusal in the reader's language."""
    sentence = SENTENCES.get(refusal.code) or SENTENCES["forbidden" if refusal.status == 403 else "refused"]
    return str(sentence) % refusal.params
