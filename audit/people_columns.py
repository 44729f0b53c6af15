"""What is known of the columns of people, devices, secrets, jobs, and the record's own tables.

People, devices and secrets have checks of their own, because an entry states a whole person, and digests of secrets.
"""

from audit.columns import declare
from audit.models import (
    Checkpoint,
    Command,
    Cosignature,
    Device,
    Entry,
    Incarnation,
    Job,
    Node,
    Password,
    Person,
    Seal,
    SealedHead,
    SealerLease,
    SealerStatus,
    SecondFactor,
    SigningKey,
    Stream,
    WrongPin,
)

PEOPLE = "audit.people_record_checks.check_people"
DEVICES = "audit.people_record_checks.check_devices"
FACTORS = "audit.factor_record_checks.check_factors"
PASSWORDS = "audit.factor_record_checks.check_passwords"
CHAIN = "audit.verification.verify"
SESSION = "the state of a sign-in, which changes at each one; the entries of sign-ins say who was where"
STATUS = "a service's last report, which is overwritten every few seconds"


def of(names: str, about: str) -> dict[str, str]:
    """The same about each of these columns."""
    return dict.fromkeys(names.split(), about)


declare(
    Person,
    "person",
    derived=of(
        "password code name role department facility licence licence_ends_on badge is_active pin_must_change "
        "pin_ends_at leave_from leave_until leave_reason",
        PEOPLE,
    ),
    unproven={"last_login": "a column of Django that nothing writes"},
)
declare(
    Device,
    "device",
    derived=of("id name facility station place enrolled_at enrolled_by revoked_at", DEVICES),
    unproven={
        **of("person signed_on_at locked_at last_seen_at heard_at", SESSION),
        **of(
            "battery_percent is_charging",
            "what the device last said of itself; nothing of the record depends on it",
        ),
        **of(
            "token_sha256 enrollment_ends_at enrollment_command enrollment_used_at enrollment_refused_at",
            "the hash of a secret and the time of its use: who knows it is that device (docs/security.md)",
        ),
        **of(
            "cookies_made cookie cookie_before cookie_since copied_cookie copied_at",
            "the numbers of the cookies that the device was given, each signed by the server; an entry names a copy",
        ),
        "asked_by": "who asked for the device; the entry of the prepared change has it",
    },
)
declare(
    Password,
    "password",
    derived=of("person hash", PASSWORDS),
    unproven={
        **of("set_at given_by command", "the entry about the hash says when, and who gave it"),
        "ends_at": "only lets a one-time password end; the entry that gave it says until when",
    },
)
declare(
    SecondFactor,
    "second factor",
    derived=of("person kind secret credential ended_at", FACTORS),
    unproven={
        **of(
            "label device registered_at",
            "says only what a person called it, where and when; the entry has it",
        ),
        **of("last_step sign_count used_at", "counts the uses of a factor, so that no code is used twice"),
    },
)
declare(
    WrongPin,
    "wrong PIN",
    unproven=of("device person typed_at", "a count of the last 15 minutes, which is deleted afterward"),
)
declare(
    Job,
    "job",
    unproven={
        **of(
            "id facility kind params asked_by asked_at device", "the entry that requests an export has them"
        ),
        **of("status entries_done total started_at beat_at failure_code", "the progress of a task"),
        **of(
            "finished_at results filename size_bytes sha256",
            "the entry of the finished export has size and SHA-256; the file can be compared with it",
        ),
    },
)
declare(
    Stream,
    "stream",
    derived=of("name seq head last_at closed_at continued_by", CHAIN),
    unproven={
        "lockable": "has no meaning: a column that the web role may update, so that it may lock the row",
        "real_play": "the kind of the table that the stream belongs to, whose entry states it",
    },
)
declare(
    Entry,
    "entry",
    derived=of("stream seq prev hash body type at gaming_day actor witness round lot cents", CHAIN),
)
declare(
    Command,
    "command",
    unproven=of(
        "id content_sha256 stream seq person device answer at",
        "the first answer of an act, for a retry; the entry itself names the command",
    ),
)
declare(
    Incarnation,
    "incarnation",
    derived=of("number origin", CHAIN),
    unproven=of("opened_at why opened_by opened_with after", "the entry that declares it has them"),
)
declare(
    SigningKey,
    "key",
    derived=of("name key_id public_key", CHAIN),
    unproven=of("created_at retired_at", "the entries of the key say when it was made and retired"),
)
declare(Seal, "seal", derived=of("incarnation facility number at full body leaf", CHAIN))
declare(SealedHead, "sealed head", derived=of("seal stream seq", CHAIN))
declare(Node, "node", derived=of("incarnation facility level index hash", CHAIN))
declare(
    Checkpoint,
    "checkpoint",
    derived=of("incarnation facility size root note", CHAIN),
    unproven={"at": "when it was signed; the seal that it covers has its moment"},
)
declare(
    Cosignature,
    "cosignature",
    derived=of("checkpoint name line", CHAIN),
    unproven={"at": "when it came; the line has its own moment"},
)
declare(
    SealerLease,
    "sealer's lease",
    unproven=of(
        "id holder beat folder incarnation",
        "who seals now: only the sealer's role writes it, and renews it every few seconds",
    ),
)
declare(
    SealerStatus,
    "sealer's status",
    unproven=of("id beat_at problem params since witnesses newest_copy copied_at copy_problem logs", STATUS),
)
