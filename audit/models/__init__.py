"""Models: people and devices, the append-only record, its seals, and the compliance desk's own data."""

from .desk import Job, LegalHold, SavedFilter
from .factors import Password, SecondFactor
from .people import PIN_DIGITS, Department, Device, LeaveReason, Person, Role, Station
from .pins import Lockout, OneTimeSecret, WrongPin
from .record import Command, Entry, Stream
from .seals import (
    Checkpoint,
    Cosignature,
    Incarnation,
    Node,
    Seal,
    SealedHead,
    SealerLease,
    SealerStatus,
    SigningKey,
)

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
    "LeaveReason",
    "LegalHold",
    "Lockout",
    "Node",
    "OneTimeSecret",
    "Password",
    "Person",
    "Role",
    "SavedFilter",
    "Seal",
    "SealedHead",
    "SealerLease",
    "SealerStatus",
    "SecondFactor",
    "SigningKey",
    "Station",
    "Stream",
    "WrongPin",
]
