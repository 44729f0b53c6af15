"""What this room refuses, as data: a code and its parameters. `wording.say` makes the sentence."""

from typing import Any, ClassVar


class AuditRefusal(Exception):
    """The root of the tree. `code` is stable, `params` fill the sentence, `status` is the HTTP answer."""

    code: str = "refused"
    status: ClassVar[int] = 422

    def __init__(self, code: str = "", **params: Any) -> None:
        self.code = code or self.code
        self.params = params
        super().__init__(self.code, params)

    def __str__(self) -> str:
        return ", ".join([self.code, *(f"{key}={value}" for key, value in self.params.items())])


class RecordRefused(AuditRefusal):
    """An entry that the record does not take. No audit entry, no act."""

    code = "record-refused"


class ClockRefused(RecordRefused):
    """The clock stands more than two seconds before the last entry of a stream."""

    code = "clock-went-back"
    status = 503


class StreamClosed(RecordRefused):
    """The stream is closed, and continues under another name."""

    code = "stream-closed"
    status = 409


class StreamMoved(RecordRefused):
    """Somebody else wrote on the stream since it was read: the caller held no lock. Trying again mends it."""

    code = "stream-moved"
    status = 409


class CommandChanged(RecordRefused):
    """A command id came again with other content."""

    code = "command-changed"


class Forbidden(AuditRefusal):
    """This person, or this device, may not do this here. The code says which."""

    code = "forbidden"
    status = 403


class PersonRefused(Forbidden):
    """Somebody was not let in."""

    code = "person-refused"


class WrongPin(PersonRefused):
    """No such person here, or not this PIN: which of the two is not told."""

    code = "wrong-pin"
    status = 401


class LockedOut(PersonRefused):
    """Too many wrong PINs; a while must pass."""

    code = "locked-out"


class SamePerson(PersonRefused):
    """A witness must be somebody else than the person who acts."""

    code = "same-person"
    status = 422


class DeviceRefused(Forbidden):
    """This device is not enrolled here, or is no longer."""

    code = "device-not-enrolled"
