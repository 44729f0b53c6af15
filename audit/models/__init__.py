"""Who acts, the append-only record of what they did, what seals it, and what the compliance desk keeps for itself."""

from .desk import Job, SavedFilter
from .people import PIN_DIGITS, Department, Device, Person, Role, Station
from .record import Command, Entry, Stream
from .seals import Checkpoint, Cosignature, Incarnation, Node, Seal, SealedHead, SealerStatus, SigningKey

__all__ = [
    "PIN_DIGITS",
    "Checkpoint",
    "Command",
    "Cosignature",
    "Department",
    "Device",
    "Entry",
    "Incarnation",
    "Job",
    "Node",
    "Person",
    "Role",
    "SavedFilter",
    "Seal",
    "SealedHead",
    "SealerStatus",
    "SigningKey",
    "Station",
    "Stream",
]
