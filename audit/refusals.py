"""Refusals: codes that carry their sentences, and this app's exceptions, each with a code and what fills its sentence.

A `RefusalCode` is a constant, so neither code nor sentence can exist without the other. Those of a topic stand at the
top of its module; here are those of the record, of people and of devices.
"""

from typing import Any, ClassVar


class RefusalCode(str):
    """A stable code, stored and sent as plain text, with the sentence that a person reads.

    `sentence` is filled with the refusal's parameters by `%`. `heading` is the two or three words above it, if any.
    `declared` has every code of this process, for refusals that are read from stored answers.
    """

    sentence: str
    heading: str
    declared: ClassVar[dict[str, "RefusalCode"]] = {}

    def __new__(cls, code: str, sentence: str, heading: str = "") -> "RefusalCode":
        self = super().__new__(cls, code)
        self.sentence, self.heading = sentence, heading
        cls.declared[code] = self
        return self

    def __reduce__(self) -> tuple[type["RefusalCode"], tuple[str, str, str]]:
        """Copy and pickle the code with all of its parts."""
        return RefusalCode, (str(self), self.sentence, self.heading)


# Refusals of the record, of people and of devices


class AuditRefusal(Exception):
    """The root of the tree. `status` is the HTTP status of the answer."""

    code = RefusalCode("refused", "This cannot be done.")
    status: ClassVar[int] = 422

    def __init__(self, code: RefusalCode | None = None, **params: Any) -> None:
        self.code = code or self.code
        self.params = params
        super().__init__(self.code, params)

    def __str__(self) -> str:
        return ", ".join([self.code, *(f"{key}={value}" for key, value in self.params.items())])

    @property
    def sentence(self) -> str:
        """What the person at the screen reads."""
        return self.code.sentence % self.params


class RecordRefused(AuditRefusal):
    """The record does not accept an entry. Without its entry, the act does not happen."""

    code = RefusalCode("record-refused", "The record did not accept this act, so it did not happen.")


class ClockRefused(RecordRefused):
    """The clock is more than two seconds behind the last entry of a stream or the time of an act, or jumped ahead."""

    code = RefusalCode(
        "clock-went-back",
        "The clock went back on %(stream)s. Nothing can be recorded until it is correct again.",
    )
    status = 503


class StreamClosed(RecordRefused):
    """The stream is closed, and continues under another name."""

    code = RefusalCode(
        "stream-closed",
        "The record of %(stream)s is closed: it continues under another name. Ask compliance.",
    )
    status = 409


class StreamMoved(RecordRefused):
    """Another act wrote on the stream after it was read, because the caller held no lock. A retry succeeds."""

    code = RefusalCode("stream-moved", "Somebody else acted on %(stream)s just now. Try again.")
    status = 409


class CommandChanged(RecordRefused):
    """A command id was used again with different content."""

    code = RefusalCode("command-changed", "This act was already sent with different content. Start it again.")


class CommandEnded(RecordRefused):
    """Another try of this command was refused, and the screen was told that it was not taken."""

    code = RefusalCode(
        "command-ended",
        "This act was refused, and nothing was recorded. Look at the screen, then enter it again.",
    )


class Forbidden(AuditRefusal):
    """This person, or this device, may not do this here. The code says which."""

    code = RefusalCode("forbidden", "You may not do this here.")
    status = 403


class PersonRefused(Forbidden):
    """Somebody may not sign in."""

    code = RefusalCode("person-refused", "You cannot sign in here.")


class WrongPin(PersonRefused):
    """There is no such person here, or this is not their PIN. The refusal does not say which of the two."""

    code = RefusalCode("wrong-pin", "This PIN is wrong. Enter it again.", "Wrong PIN")
    status = 401


# At the server's terminal somebody types a code too, and is not told which of the two is wrong.
WRONG_CODE_OR_PIN = RefusalCode("wrong-pin", "Code or PIN is wrong.", "Wrong PIN")


LAST_TRY_OF_PERSON = RefusalCode(
    "wrong-pin",
    "That was the fourth wrong PIN. One more locks this sign-in for fifteen minutes, or until a supervisor unlocks it.",
    "4 wrong PINs",
)
LAST_TRY_AT_DEVICE = RefusalCode(
    "wrong-pin",
    "That was the ninth wrong PIN at this device. One more locks it for everybody, for fifteen minutes or until a "
    "supervisor unlocks it.",
    "9 wrong PINs",
)


class LockedOut(PersonRefused):
    """There were too many wrong PINs of this person, or at this device. The PIN was not looked at."""

    code = RefusalCode(
        "locked-out",
        "Too many wrong PINs. Wait fifteen minutes, or ask a supervisor to unlock on the staff page.",
        "Locked out",
    )


class WrongPassword(WrongPin):
    """There is no such person here, or this is not their password. The refusal does not say which of the two."""

    code = RefusalCode("wrong-password", "Name or password is wrong.", "Wrong password")


class WrongFactor(WrongPin):
    """The code of the app is wrong or was used before, or the key is not one of this person's."""

    code = RefusalCode(
        "wrong-factor", "This code or key was not accepted. Each code works once.", "Not accepted"
    )


class PasswordNeeded(PersonRefused):
    """A PIN is not enough for this person, or at this device."""

    code = RefusalCode(
        "password-needed",
        "A PIN is not enough here. Sign in with your password and your second factor.",
        "Password needed",
    )


class PinNotHere(PersonRefused):
    """A second person's PIN alone does not sign at an office device."""

    code = RefusalCode(
        "pin-not-here",
        "At an office device the second person also gives a code of their app. Without an app, do this at a podium.",
        "A PIN is not enough",
    )


NO_FACTOR = RefusalCode(
    "no-second-factor",
    "You have no second factor. Two administrators can give you a one-time password, with which you register one.",
    "No second factor",
)
SIGN_IN_OVER = RefusalCode("sign-in-over", "This took too long, or the password was changed. Sign in again.")
LAST_FACTOR = RefusalCode("last-factor", "This is your only second factor. Add another one first.")
NO_SUCH_FACTOR = RefusalCode("no-such-factor", "This second factor has already ended.")
BAD_PASSWORD = RefusalCode("bad-password", "%(problems)s", "Choose another password")
PASSWORDS_DIFFER = RefusalCode("passwords-differ", "The two passwords differ. Type the new one twice.")
NOT_REGISTERED = RefusalCode(
    "not-registered",
    "The key or the code did not match, so nothing was registered. Try again.",
    "Not registered",
)


class FactorRefused(PersonRefused):
    """A password or a second factor cannot be registered, changed or ended like this. The code says why."""

    code = NO_FACTOR
    status = 422


class SecondFactorNeeded(Forbidden):
    """This act needs a second factor that was given at this device in the last ten minutes."""

    code = RefusalCode(
        "second-factor-needed",
        "This needs your second factor again: a code of your app, or your security key.",
        "Confirm that it is you",
    )


NOT_BEGUN = RefusalCode("not-begun", "The server is busy. Nothing was begun. Try again.", "Busy")


class LicenseEnded(PersonRefused):
    """What the person typed is right, but their license is no longer in effect."""

    code = RefusalCode(
        "license-ended",
        "The license of %(person)s ended on %(on)s, and nobody signs in or signs without one. Ask the system "
        "administrator to record its new end once it is renewed.",
        "License ended",
    )


class OnLeave(PersonRefused):
    """What the person typed is right, but a leave of theirs has begun and no return is recorded."""

    code = RefusalCode(
        "on-leave",
        "%(person)s is on leave %(until)s, and nobody signs in or signs while on leave. Once they are back, somebody "
        "else records their return under People.",
        "On leave",
    )


class PinEnded(PersonRefused):
    """The PIN is right, but it is a one-time PIN whose time is over."""

    code = RefusalCode(
        "pin-ended",
        "The time of this one-time PIN is over. Ask your supervisor for another one.",
        "PIN expired",
    )


class NewPinNeeded(PersonRefused):
    """The PIN is a one-time PIN: its person chooses their own first, at a sign-in."""

    code = RefusalCode(
        "new-pin-needed",
        "This is a one-time PIN. Sign in with it first and choose your own PIN.",
        "New PIN needed",
    )


PIN_TOO_SIMPLE = RefusalCode(
    "pin-too-simple",
    "Choose six digits that nobody guesses: not the same digit six times, and no row such as 123456.",
    "Too simple",
)
PIN_IS_THE_SAME = RefusalCode(
    "pin-is-the-same",
    "That is the one-time PIN. Choose another one, which only you know.",
    "Choose another PIN",
)
PINS_DIFFER = RefusalCode("pins-differ", "The two PINs differ. Enter the new PIN twice.", "Not the same")
NEW_PIN_TOO_LATE = RefusalCode(
    "new-pin-too-late", "That took more than five minutes. Sign in with the one-time PIN again.", "Start over"
)


class PinNotAccepted(PersonRefused):
    """A person chose a PIN that cannot be theirs. The code says why."""

    code = PIN_TOO_SIMPLE
    status = 422


class LicenseHasEnded(Forbidden):
    """The license of the person who acts ended while they were signed in."""

    code = RefusalCode(
        "license-has-ended",
        "Your license ended on %(on)s, so somebody else must do this. Ask the system administrator to record its new "
        "end once it is renewed.",
        "License ended",
    )


class LeaveHasBegun(Forbidden):
    """The leave of the person who acts began while they were signed in."""

    code = RefusalCode(
        "leave-has-begun",
        "You are on leave %(until)s, so somebody else must do this. Once you are back, somebody else records your "
        "return under People.",
        "On leave",
    )


class TooManyPins(PersonRefused):
    """More PINs wait to be hashed than a worker accepts. This one was neither looked at nor counted."""

    code = NOT_BEGUN
    status = 503


class SamePerson(PersonRefused):
    """The witness is the person who acts."""

    code = RefusalCode("same-person", "The witness must be a different person.")
    status = 422


class DeviceRefused(Forbidden):
    """This device is not enrolled here, or no longer."""

    code = RefusalCode("device-not-enrolled", "This device is not enrolled.")


UNKNOWN_TOKEN = RefusalCode("unknown-token", "This token opens no device. Compare it with what was printed.")
TOKEN_USED = RefusalCode(
    "token-used",
    "This token was used before, and opens nothing more. If that was not you, have the system administrator revoke "
    "%(device)s. For another device, ask for another token.",
)
TOKEN_EXPIRED = RefusalCode(
    "token-expired",
    "The time of this token is over. Ask the system administrator for a new one for %(device)s.",
)


class EnrollmentRefused(Forbidden):
    """This token enrolls no browser. The code says why."""

    code = UNKNOWN_TOKEN
