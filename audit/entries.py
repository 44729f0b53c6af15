"""Entries about people, devices, keys, incarnations, and exports and verifications as they end."""

from typing import Annotated, Literal, TypedDict

from audit.entry_types import entry_type


class DeviceEnrolled(TypedDict):
    name: str
    place: str
    station: str


DEVICE_ENROLLED = entry_type("device.enrolled", DeviceEnrolled, "A tablet, podium or display was enrolled.")


class DeviceLocked(TypedDict):
    name: str
    reason: str


DEVICE_LOCKED = entry_type(
    "device.locked", DeviceLocked, "A device was locked: by a person, for a sign-off, or because it was idle."
)


class DeviceRevoked(TypedDict):
    name: str


DEVICE_REVOKED = entry_type("device.revoked", DeviceRevoked, "An enrolled device was revoked.")


class JobFailed(TypedDict):
    asked_by: str
    facility: str
    job: str
    kind: str
    why: str


EXPORT_FAILED = entry_type("export.failed", JobFailed, "A requested export failed.")
VERIFICATION_FAILED = entry_type(
    "verification.failed", JobFailed, "A requested verification could not finish."
)

ExportFinished = TypedDict(
    "ExportFinished",
    {
        "asked_by": str,
        "bytes": int,
        "entries": int,
        "facility": str,
        "from": str | None,
        "job": str,
        "kind": str,
        "record_sha256": str | None,
        "sha256": str,
        "streams": int,
        "to": str | None,
        "training": bool,
        "unsealed": int,
    },
)


EXPORT_FINISHED = entry_type("export.finished", ExportFinished, "A requested export was written.")


class IncarnationDeclared(TypedDict):
    found: str | None
    number: int
    origin: str
    signed: str | None
    why: str


INCARNATION_DECLARED = entry_type(
    "incarnation.declared",
    IncarnationDeclared,
    "Two people declared a new incarnation of the record after it had gone back.",
)


class IncarnationOpened(TypedDict):
    number: int
    origin: str


INCARNATION_OPENED = entry_type(
    "incarnation.opened", IncarnationOpened, "The first incarnation of the record began."
)


class SealerKey(TypedDict):
    key: Annotated[str, "id of the key"]
    name: str
    public: str
    vkey: str


KEY_CREATED = entry_type("key.created", SealerKey, "A key of the sealer was created.")


KEY_RETIRED = entry_type("key.retired", SealerKey, "A key of the sealer was retired.")


class PersonLockedOut(TypedDict):
    code: str
    name: str
    purpose: str


PERSON_LOCKED_OUT = entry_type(
    "person.locked_out", PersonLockedOut, "A person was locked out after too many wrong PINs."
)


class PersonRefused(TypedDict):
    code: str | None
    name: str
    purpose: str


PERSON_REFUSED = entry_type("person.refused", PersonRefused, "A sign-in or a second signature was refused.")


class PersonSignedIn(TypedDict):
    name: str
    relieves: str | None


PERSON_SIGNED_IN = entry_type("person.signed_in", PersonSignedIn, "A person signed in at a device.")


class PersonSignedOut(TypedDict):
    name: str


PERSON_SIGNED_OUT = entry_type("person.signed_out", PersonSignedOut, "A person signed out of a device.")


class VerificationFigures(TypedDict):
    """The result of a verification of the whole record."""

    bad: Annotated[int, "how many faults were found"]
    checkpoints: int
    entries: int
    first_bad: Annotated[
        dict[str, str | int] | None, "the first fault: its code, and where it is; null without one"
    ]
    outcome: Annotated[Literal["good", "bad"], "whether a fault was found"]
    seals: int
    streams: int
    unknown_witnesses: int
    unsealed: Annotated[int, "entries that no checkpoint covers yet"]
    witnessed: Annotated[int, "checkpoints that a witness signed"]


class RecordVerified(VerificationFigures):
    asked_by: str
    facility: str
    job: str | None
    kind: str


RECORD_VERIFIED = entry_type("record.verified", RecordVerified, "The whole record was verified.")
