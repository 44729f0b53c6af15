"""Entries about people, devices, keys, incarnations, and exports and verifications as they end."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict, Unpack

from audit.entry_types import ABSENT, entry_type
from audit.models.desk import JobKind
from audit.models.people import StationCode

Purpose = Literal["sign-in", "witness", "second-factor", "step-up", "server"]
FactorCode = Literal["totp", "webauthn"]
DeviceName = Annotated[str, "name of the device"]
ByOperator = Annotated[
    Literal[True],
    "true where a command of the server did it, with nobody's PIN: its operator did; absent otherwise",
]


class DeviceEnrolled(TypedDict):
    name: DeviceName
    place: Annotated[str, "stream of the only table that it serves; empty for a device of the whole facility"]
    station: Annotated[StationCode, "where it is used"]
    by_operator: NotRequired[ByOperator]


DEVICE_ENROLLED = entry_type("device.enrolled", DeviceEnrolled, "A tablet, podium or display was enrolled.")


DEVICE_CHANGED = entry_type(
    "device.changed", DeviceEnrolled, "An enrolled device got another name, or another table to serve."
)


class EnrollmentRefusal(TypedDict):
    name: DeviceName
    why: Annotated[Literal["used", "expired"], "used: a browser had used it; expired: half an hour was over"]


ENROLLMENT_REFUSED = entry_type(
    "device.enrollment_refused",
    EnrollmentRefusal,
    "The enrollment token of a device was refused for the first time. Later refusals are not recorded.",
)


@entry_type("device.cookie_copied")
def COOKIE_COPIED(
    *,
    cookie: Annotated[int, "number of the cookie that was shown"],
    name: DeviceName,
    newest: Annotated[int, "number of the newest cookie that the device's browser had shown before"],
) -> str:
    """Somebody used a cookie of a device that a newer one had replaced: it was copied. The device locks."""
    return f"An old key of {name} was used: somebody copied it"


LockReason = Literal["asked", "asked to sign off", "idle", "copied"]


@entry_type("device.locked")
def DEVICE_LOCKED(
    *,
    name: DeviceName,
    reason: Annotated[
        LockReason,
        "asked: its person locked it; asked to sign off: its person had to stay at the table; idle: nobody used it; "
        "copied: its cookie was copied",
    ],
) -> str:
    """A device was locked: by a person, for a sign-off, because it was idle, or because its cookie was
    copied.
    """
    return f"{name} locked"


class LockoutFields(TypedDict):
    ends_at: NotRequired[Annotated[str, "when the lock-out ends by itself"]]
    signed_in: NotRequired[
        Annotated[
            str, "code of the person who was signed in where a second signature was typed; absent without one"
        ]
    ]


class DeviceLockedOut(LockoutFields):
    name: DeviceName
    purpose: Annotated[Purpose, "what the last PIN, password or second factor was for"]


DEVICE_LOCKED_OUT = entry_type(
    "device.locked_out", DeviceLockedOut, "A device accepts no PIN for a while, after too many wrong PINs."
)


class DeviceNamed(TypedDict):
    """What is said of a device or at it, and of nothing else."""

    name: DeviceName


DEVICE_REVOKED = entry_type("device.revoked", DeviceNamed, "An enrolled device was revoked.")


@entry_type("client.made")
def CLIENT_MADE(
    *,
    name: DeviceName,
    person: Annotated[str, "code of the person as whom the machine acts"],
    scopes: Annotated[list[str], "what it may read and do, in alphabetical order"],
) -> str:
    """A device became a client: a machine that uses the API."""
    return f"{name} may use the API: {', '.join(scopes)}"


@entry_type("client.bound")
def CLIENT_BOUND(
    *,
    certificate_sha256: Annotated[
        str, "SHA-256 of the certificate that it must show, in hex; empty: its secret is enough"
    ],
    name: DeviceName,
) -> str:
    """From now on a client shows this certificate beside its secret, or no certificate any more."""
    return f"{name} bound to a certificate" if certificate_sha256 else f"{name} bound to no certificate"


@entry_type("client.secret_made")
def CLIENT_SECRET_MADE(
    *,
    before: Annotated[list[int], "numbers of the secrets that end earlier because of it"],
    before_end_at: Annotated[str, "when those end"],
    ends_at: Annotated[str, "when the secret ends"],
    name: DeviceName,
    number: Annotated[int, "number of the secret: 1, and one more for each further one"],
    sha256: Annotated[str, "SHA-256 of the secret, in hex; it helps nobody to guess 256 random bits"],
) -> str:
    """A secret of a client was made. Who made it could read it for ten minutes."""
    return f"Secret {number} of {name} made"


@entry_type("client.read_entries")
def CLIENT_READ_ENTRIES(*, name: DeviceName) -> str:
    """A client read entries, which name people, for the first time in a gaming day."""
    return f"{name} reads the record today"


FailureCode = Literal["gave-up", "missing-entry", "no-such-stream", "disk-full", "not-written", "unexpected"]


class JobFields(TypedDict):
    """What every entry about an export or a verification says of it."""

    asked_by: Annotated[str, "code of the person who requested it"]
    facility: Annotated[str, "code of the facility that requested it"]
    kind: Annotated[JobKind, "kind of export, or verification"]


class JobFailed(JobFields):
    job: str
    why: Annotated[FailureCode, "why it failed"]


EXPORT_FAILED = entry_type("export.failed", JobFailed, "A requested export failed.")
VERIFICATION_FAILED = entry_type(
    "verification.failed", JobFailed, "A requested verification could not finish."
)

# "from" is a keyword, so that this type has to be written as a call.
ExportRange = TypedDict(
    "ExportRange",
    {
        "from": Annotated[str | None, "the beginning of the range, inclusive; null: from the first entry"],
        "to": Annotated[str | None, "the end of the range, exclusive; null: to the newest entry"],
    },
)


class ExportFinished(ExportRange, JobFields):
    bytes: Annotated[int, "size of the file"]
    entries: Annotated[int, "how many entries it has"]
    job: str
    record_sha256: Annotated[str | None, "SHA-256 of record.jsonl in a bundle; null for other kinds"]
    sha256: Annotated[str, "SHA-256 of the file, in hex"]
    streams: Annotated[int, "how many streams it has entries of"]
    training: Annotated[bool, "whether it is of training and simulation instead of real play"]
    unsealed: Annotated[int, "entries that no seal covers, in a bundle; 0 for other kinds"]


EXPORT_FINISHED = entry_type("export.finished", ExportFinished, "A requested export was written.")


@entry_type("incarnation.declared")
def INCARNATION_DECLARED(
    *,
    found: Annotated[str | None, "the newest checkpoint in the database, as a note; null without one"],
    number: Annotated[int, "number of the new incarnation"],
    origin: str,
    signed: Annotated[
        str | None, "the last checkpoint that the sealer or a witness had, as a note; null without one"
    ],
    why: Annotated[str, "why, in a person's words"],
    other_logs: Annotated[
        list[str],
        "SHA-256 in hex of the same of each other log, as canonical JSON of `found` and `signed`; absent without one",
    ] = ABSENT,
) -> str:
    """Two people declared a new incarnation of the record after it had gone back."""
    return f"The record continues as {origin}: {why}"


@entry_type("incarnation.opened")
def INCARNATION_OPENED(*, number: Annotated[int, "number of the incarnation: 1"], origin: str) -> str:
    """The first incarnation of the record began."""
    return f"The record begins: {origin}"


class SealerKey(TypedDict):
    key: Annotated[str, "id of the key"]
    name: Annotated[str, "name of the key"]
    public: Annotated[str, "the public key, in hex"]
    vkey: Annotated[str, "the line by which other programs verify its signatures"]


class StreamContinued(TypedDict):
    head: Annotated[str, "hash of the last entry of the closed stream, in hex"]
    seq: Annotated[int, "number of the last entry of the closed stream"]
    stream: Annotated[str, "name of the closed stream"]
    why: Annotated[str, "why it was closed, in a person's words"]


STREAM_CONTINUED = entry_type(
    "stream.continued", StreamContinued, "This stream continues another one, which two people closed."
)


class StreamClosing(StreamContinued):
    continued_by: Annotated[str, "name of the stream that continues it"]
    last_at: Annotated[str | None, "time of the last entry of the closed stream; null without one"]


STREAM_CLOSED = entry_type(
    "stream.closed", StreamClosing, "Two people closed a damaged stream, which continues under another name."
)


KEY_CREATED = entry_type("key.created", SealerKey, "A key of the sealer was created.")


KEY_RETIRED = entry_type("key.retired", SealerKey, "A key of the sealer was retired.")


class FacilityLogKey(TypedDict):
    sha256: Annotated[
        str, "SHA-256 in hex of the key's line, so that readers of other facilities learn no name"
    ]


LOG_KEY_CREATED = entry_type(
    "log_key.created",
    FacilityLogKey,
    "A key of a log that has the code of its facility in its name was created.",
)


LOG_KEY_RETIRED = entry_type(
    "log_key.retired",
    FacilityLogKey,
    "A key of a log that has the code of its facility in its name was retired.",
)


@entry_type("row.recorded")
def ROW_RECORDED(
    *,
    key: Annotated[list[Any], "what names the row, as entries name it"],
    model: Annotated[str, "whose row it is, such as tables.Shaker"],
    values: Annotated[dict[str, Any], "its columns, as entries write them"],
) -> None:
    """The operator of the server stated a row that no entry states, so that it is compared from now on.

    A row from before entries stated it, or that a command of the server made.
    """


LeaveReasonCode = Literal["vacation", "medical", "family", "public-duty", "suspension", "other"]


class PersonRecorded(TypedDict):
    active: Annotated[bool, "whether the person may sign in"]
    code: Annotated[str, "code of the person"]
    credential_sha256: Annotated[
        str,
        "SHA-256 of the code and the salted hash of the PIN; it shows a changed PIN, and helps nobody to guess one",
    ]
    department: str
    licence: Annotated[str, "number of the license; empty without one"]
    name: Annotated[str, "name of the person"]
    role: str
    works_in: Annotated[str, "code of the person's facility; empty for every facility"]
    badge: NotRequired[Annotated[str, "number of the badge; absent without one"]]
    licence_ends_on: NotRequired[
        Annotated[str, "the last day on which the license is in effect; absent where none is stated"]
    ]
    leave_from: NotRequired[
        Annotated[
            str, "the first gaming day of a leave that no recorded return has ended; absent without one"
        ]
    ]
    leave_reason: NotRequired[Annotated[LeaveReasonCode, "why they are away; absent without a leave"]]
    leave_until: NotRequired[
        Annotated[str, "the last day that is planned for the leave; absent without one, and for an open end"]
    ]
    pin_ends_at: NotRequired[Annotated[str, "until when a one-time PIN is accepted; absent without one"]]
    pin_must_change: NotRequired[Annotated[Literal[True], "true for a one-time PIN; otherwise absent"]]
    by_operator: NotRequired[ByOperator]


PERSON_RECORDED = entry_type(
    "person.recorded",
    PersonRecorded,
    "Who a person is and may be: stated when the person was added or changed.",
)


WhyRefused = Literal["license-ended", "new-pin-needed", "on-leave", "pin-ended"]


class SecretRefused(TypedDict):
    """A refused PIN, password or second factor, and the lock-out that may follow it."""

    code: Annotated[str | None, "code of the person; null where no person has the code that was typed"]
    name: DeviceName
    purpose: Annotated[Purpose, "what the PIN, password or second factor was for"]


class RefusedPerson(SecretRefused):
    why: NotRequired[
        Annotated[
            WhyRefused,
            "why a right PIN, password or second factor was refused; absent for a wrong one",
        ]
    ]


class LockedOutPerson(SecretRefused, LockoutFields):
    everywhere: NotRequired[
        Annotated[Literal[True], "true where it holds at every device; otherwise absent: at this device"]
    ]


@entry_type("pins.guesses_read")
def GUESSES_READ(*, lockouts: Annotated[list[int], "ids of the lock-outs"]) -> str:
    """A person read that wrong PINs were typed under their name, and where."""
    return "Read that wrong PINs were typed under their name"


PERSON_LOCKED_OUT = entry_type(
    "person.locked_out", LockedOutPerson, "A person was locked out after too many wrong PINs."
)
PERSON_REFUSED = entry_type("person.refused", RefusedPerson, "A sign-in or a second signature was refused.")


class PersonSignedIn(TypedDict):
    name: DeviceName
    relieves: Annotated[
        str | None, "code of another person who was signed in at the device; null without one"
    ]
    factor: NotRequired[
        Annotated[int, "id of the second factor that was given with the password; absent after a PIN"]
    ]


PERSON_SIGNED_IN = entry_type("person.signed_in", PersonSignedIn, "A person signed in at a device.")


PERSON_SIGNED_OUT = entry_type("person.signed_out", DeviceNamed, "A person signed out of a device.")


class FactorData(TypedDict):
    code: Annotated[str, "code of the person whose second factor it is"]
    factor: Annotated[int, "id of the second factor"]
    kind: Annotated[FactorCode, "totp: an authenticator app; webauthn: a security key"]
    label: Annotated[str, "what the person calls it"]


@entry_type("factor.registered")
def FACTOR_REGISTERED(
    *,
    name: DeviceName,
    public_sha256: Annotated[
        str, "SHA-256 of a security key's id and public key, or of an app's encrypted secret, in hex"
    ],
    **data: Unpack[FactorData],
) -> str:
    """A person registered a second factor: an app or a security key."""
    return f"Second factor of {data['code']} registered: {data['label']}"


@entry_type("factor.confirmed")
def FACTOR_CONFIRMED(*, name: DeviceName, **data: Unpack[FactorData]) -> str:
    """A signed-in person gave a second factor again, for an act that needs it."""
    return f"Second factor given again at {name}: {data['label']}"


class FactorEnded(FactorData):
    why: Annotated[Literal["own", "lost"], "own: its person ended it; lost: others did"]
    by_operator: NotRequired[ByOperator]


FACTOR_ENDED = entry_type("factor.ended", FactorEnded, "A second factor ended.")


class PasswordSet(TypedDict):
    code: Annotated[str, "code of the person"]
    credential_sha256: Annotated[str, "SHA-256 of the code and the salted hash; it shows a changed password"]


class PasswordGiven(PasswordSet):
    ends_at: Annotated[str, "until when it can be used, once, to choose a password"]
    by_operator: NotRequired[ByOperator]


PASSWORD_CHANGED = entry_type("password.changed", PasswordSet, "A person chose a password.")
PASSWORD_GIVEN = entry_type(
    "password.given",
    PasswordGiven,
    "A person who approved it, or a command of the server, gave a person a one-time password.",
)


class ResetWithdrawn(TypedDict):
    person: Annotated[str, "code of the person who lost their second factors"]
    reset: Annotated[int, "id of the request"]


@entry_type("factors.reset_asked")
def RESET_ASKED(
    *, reason: Annotated[str, "what happened, in the administrator's words"], **data: Unpack[ResetWithdrawn]
) -> str:
    """An administrator asked another one to end the second factors of a person who lost them."""
    return f"Reset of the second factors of {data['person']} asked for: {reason}"


RESET_WITHDRAWN = entry_type(
    "factors.reset_withdrawn", ResetWithdrawn, "Such a request was withdrawn, and nothing ended."
)


@entry_type("factors.reset")
def FACTORS_RESET(
    *,
    asked_by: Annotated[str, "code of the administrator who asked"],
    devices: Annotated[list[str], "names of the devices at which the person was signed off"],
    factors: Annotated[list[int], "ids of the second factors that ended"],
    reset: Annotated[int, "id of the request"],
    **data: Unpack[PasswordGiven],
) -> str:
    """A second administrator ended the second factors of a person, who got a one-time password."""
    return f"Second factors of {data['code']} reset, as {asked_by} asked; one-time password given"


class OneTimeSecretData(TypedDict):
    """Who may make a one-time PIN or password of a person: who approved it, and never who asked for it."""

    approved_by: Annotated[str | None, "code of the person who may make and read it"]
    asked_by: Annotated[str, "code of the person who asked for it"]
    kind: Annotated[Literal["pin", "password"], "what may be made"]


class SecretAllowed(TypedDict):
    secret: NotRequired[Annotated[OneTimeSecretData, "absent in entries from before"]]


class SignInEnded(SecretAllowed):
    devices: Annotated[list[str], "names of the devices at which the person was signed off"]
    factors: Annotated[list[int], "ids of the second factors that ended; empty for a forgotten password"]
    person: Annotated[str, "code of the person"]
    why: Annotated[str, "what happened, in the words of who asked"]


SIGN_IN_ENDED = entry_type(
    "sign_in.ended",
    SignInEnded,
    "A person forgot the password or lost every second factor, and may get a one-time password.",
)


class VerificationFigures(TypedDict):
    """The result of a verification of the whole record."""

    bad: Annotated[int, "how many faults were found"]
    checkpoints: Annotated[int, "signed checkpoints that were verified"]
    entries: Annotated[int, "entries that were verified"]
    first_bad: Annotated[
        dict[str, str | int] | None, "the first fault: its code (`what`), and where it is; null without one"
    ]
    outcome: Annotated[Literal["good", "bad"], "whether a fault was found"]
    seals: Annotated[int, "seals that were verified"]
    streams: Annotated[int, "streams that were verified"]
    unknown_witnesses: Annotated[int, "cosignatures of witnesses whose keys this installation does not have"]
    unsealed: Annotated[int, "entries that no seal of the current incarnation covers"]
    witnessed: Annotated[int, "cosignatures of witnesses that were verified"]


class RecordVerified(VerificationFigures):
    asked_by: Annotated[str, "code of the person who requested it; empty where a command of the server did"]
    facility: Annotated[
        str, "code of the facility that requested it; empty where a command of the server did"
    ]
    kind: Annotated[Literal["verification"], "kind of job"]
    job: Annotated[str | None, "id of the job; null where a command of the server requested it"]


RECORD_VERIFIED = entry_type("record.verified", RecordVerified, "The whole record was verified.")


DrillOutcome = Literal["passed", "failed", "could-not-run"]


@entry_type("restore.drilled")
def RESTORE_DRILLED(
    *,
    outcome: Annotated[
        DrillOutcome,
        "passed: verified, and as the witnesses have seen it; failed: not so; could-not-run: nobody knows",
    ],
    why: Annotated[str, "what failed, as sentences; empty where it passed"],
    backup: Annotated[str, "label of the backup, as its tool names it; empty where it is not known"],
    entries: Annotated[int, "entries of the restored record that were verified"],
    streams: Annotated[int, "streams that were verified"],
    bad: Annotated[int, "faults that the verification found"],
    compared: Annotated[int, "logs that were compared with a witnessed checkpoint"],
    behind_seconds: Annotated[
        int | None, "by how much the restored logs end before what was witnessed; null where it is not known"
    ],
    seconds: Annotated[int, "from the beginning of the drill to its result"],
) -> str:
    """A backup was restored into a throwaway database, verified, and compared with what witnesses have signed."""
    if outcome == "could-not-run":
        return f"A restore could not be drilled: {why}"
    said = f"Backup {backup} restored" if backup else "Backup restored"
    return f"{said} and verified in {seconds} s" if outcome == "passed" else f"{said}, but: {why}"
