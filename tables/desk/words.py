"""Lines of the desk's entries, and of entries that belong to no table."""

from collections.abc import Callable
from typing import Any

from tables.words.registry import register

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "filter.saved": lambda data: "Filter saved: %(filter)s" % data,
    "proof.taken": lambda data: "Proof of %(stream)s, entry %(first)s, taken" % data,
    "filter.removed": lambda data: "Filter removed: %(filter)s" % data,
    "person.signed_in": lambda data: "Signed in at %(name)s" % data,
    "person.signed_out": lambda data: "Signed off at %(name)s" % data,
    "person.refused": lambda data: "Wrong PIN at %(name)s" % data,
    "person.locked_out": lambda data: "Locked out at %(name)s after wrong PINs" % data,
    "device.locked": lambda data: "%(name)s locked" % data,
    "device.enrolled": lambda data: (
        ("%(name)s enrolled at %(place)s" if data["place"] else "%(name)s enrolled") % data
    ),
    "device.revoked": lambda data: "%(name)s revoked: nobody acts there any more" % data,
    "key.created": lambda data: "Key %(key)s of the sealer made" % data,
    "key.retired": lambda data: "Key %(key)s of the sealer retired" % data,
    "incarnation.opened": lambda data: "The record begins: %(origin)s" % data,
    "incarnation.declared": lambda data: "The record goes on as %(origin)s: %(why)s" % data,
}


register(act_lines=ACT_LINES)
