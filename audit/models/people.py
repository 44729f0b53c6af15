"""People, the devices at which they act, and how they sign in: PINs, passwords and second factors.

A person signs in with a PIN; wrong PINs lock out. Where a PIN alone is not enough, a password and a second factor are
asked for.
"""

import datetime as dt
import uuid
from typing import ClassVar, Literal

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from audit.days import day_in_words

PIN_DIGITS = 6
code_validator = RegexValidator(
    r"^[a-z0-9]+(?:-[a-z0-9]+)*\Z", "Use lowercase letters, digits and single hyphens."
)
badge_validator = RegexValidator(r"^[0-9]{1,6}\Z", "A badge number has at most six digits.")


class Role(models.TextChoices):
    DEALER = "dealer", "Dealer"
    STICKPERSON = "stickperson", "Stickperson"
    FLOORPERSON = "floorperson", "Floorperson"
    CASINO_SUPERVISOR = "casino-supervisor", "Casino supervisor"
    PIT_MANAGER = "pit-manager", "Pit manager"
    SHIFT_MANAGER = "shift-manager", "Shift manager"
    SECURITY = "security", "Security"
    SURVEILLANCE = "surveillance", "Surveillance"
    COMPLIANCE = "compliance", "Compliance"
    GAMES_ADMINISTRATOR = "games-administrator", "Games administrator"
    GAMING_AGENT = "gaming-agent", "Gaming agent"
    SYSTEM_ADMINISTRATOR = "system-administrator", "System administrator"
    CAGE = "cage", "Cage cashier"
    MACHINE = "machine", "Machine"


# The roles that somebody may be given. A machine acts as a person of its own, as whom nobody signs in.
ROLES_OF_PEOPLE = tuple(role for role in Role.values if role != Role.MACHINE)


class Department(models.TextChoices):
    TABLE_GAMES = "table-games", "Table games"
    SECURITY = "security", "Security"
    SURVEILLANCE = "surveillance", "Surveillance"
    COMPLIANCE = "compliance", "Compliance"
    INFORMATION_TECHNOLOGY = "information-technology", "Information technology"
    REGULATOR = "regulator", "Regulator"
    CAGE = "cage", "Cage"


class LeaveReason(models.TextChoices):
    """Why somebody is away. Kinds and no words, because outsiders read the record."""

    VACATION = "vacation", "Vacation"
    MEDICAL = "medical", "Medical"
    FAMILY = "family", "Family"
    PUBLIC_DUTY = "public-duty", "Military or jury duty"
    SUSPENSION = "suspension", "Suspension"
    OTHER = "other", "Other"


class Station(models.TextChoices):
    DEALER = "dealer", "Dealer"
    STICK = "stick", "Stick"
    PODIUM = "podium", "Podium"
    PIT = "pit", "Pit"
    OFFICE = "office", "Office"
    SIGN = "sign", "Sign"
    WALL = "wall", "Wall"
    MACHINE = "machine", "Machine"


StationCode = Literal["dealer", "stick", "podium", "pit", "office", "sign", "wall", "machine"]
SHOWS_ONLY = frozenset({Station.SIGN, Station.WALL})  # nobody signs in there, and nothing is entered
KEEPS_WATCH = frozenset({Station.PODIUM, Station.PIT})  # still shows the floor while it is locked


class PersonManager(BaseUserManager["Person"]):
    """Creates people, each with a role and a department."""

    def create_person(
        self, code: str, pin: str, *, name: str, role: str, department: str, **fields: object
    ) -> "Person":
        """Save a new person with this PIN, "" for none yet. Raises ValidationError for an invalid field."""
        person = self.model(code=code, name=name, role=role, department=department, **fields)
        if pin:
            person.set_pin(pin)
        else:
            person.set_unusable_password()
        person.full_clean()
        person.save(using=self._db)
        return person


class Person(AbstractBaseUser):
    """Somebody who may sign in. Django's password is a PIN of six digits, hashed by Django's hashers."""

    code = models.SlugField(max_length=40, unique=True, validators=[code_validator])
    name = models.CharField(max_length=120)
    role = models.CharField(max_length=24, choices=Role.choices)
    department = models.CharField(max_length=24, choices=Department.choices)
    facility = models.CharField(max_length=40, blank=True, help_text="Empty: every facility.")
    licence = models.CharField(max_length=40, blank=True)
    licence_ends_on = models.DateField(
        null=True, blank=True, help_text="The last day on which the license is in effect."
    )
    badge = models.CharField(max_length=6, blank=True, validators=[badge_validator])
    is_active = models.BooleanField(default=True)
    pin_must_change = models.BooleanField(
        default=False, help_text="The PIN is a one-time PIN: the next sign-in asks for another."
    )
    pin_ends_at = models.DateTimeField(
        null=True, blank=True, help_text="Until when a one-time PIN is accepted."
    )
    leave_from = models.DateField(
        null=True, blank=True, help_text="The first gaming day of a leave that no recorded return has ended."
    )
    leave_until = models.DateField(
        null=True, blank=True, help_text="The last day that is planned for the leave; empty for an open end."
    )
    leave_reason = models.CharField(max_length=16, blank=True, choices=LeaveReason.choices)

    objects: ClassVar[PersonManager] = PersonManager()

    USERNAME_FIELD = "code"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name", "role", "department"]

    class Meta:
        verbose_name = "person"
        verbose_name_plural = "people"
        ordering = ("code",)
        constraints = (
            models.CheckConstraint(name="audit_person_role", condition=Q(role__in=Role.values)),
            models.CheckConstraint(
                name="audit_person_department", condition=Q(department__in=Department.values)
            ),
            models.UniqueConstraint(
                name="audit_person_badge", fields=("facility", "badge"), condition=~Q(badge="")
            ),
            models.CheckConstraint(
                name="audit_person_leave",
                condition=Q(leave_from=None, leave_until=None, leave_reason="")
                | Q(leave_from__isnull=False, leave_reason__in=LeaveReason.values),
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.code})"

    @property
    def short_name(self) -> str:
        """`M. Tran` for Minh Tran. A name of one word stays as it is."""
        first, _space, last = self.name.strip().rpartition(" ")
        return f"{first[0]}. {last}" if first else last

    def set_pin(self, pin: str) -> None:
        """Hash the PIN into `password`. Raises ValidationError unless it is six ASCII digits. The caller saves."""
        if len(pin) != PIN_DIGITS or not (pin.isascii() and pin.isdigit()):
            raise ValidationError("A PIN must have six digits.", code="pin")
        self.set_password(pin)

    def belongs_to(self, facility: str) -> bool:
        """Whether this person may act in the facility with this code."""
        return self.facility in ("", facility)

    def has_license(self, gaming_day: dt.date) -> bool:
        """Whether the license is in effect on this gaming day. Without a stated end it does not end."""
        return self.licence_ends_on is None or gaming_day <= self.licence_ends_on

    @property
    def license_end_in_words(self) -> str:
        """`21 Nov 2026`; "" without a stated end."""
        return day_in_words(self.licence_ends_on) if self.licence_ends_on else ""

    def is_on_leave(self, gaming_day: dt.date) -> bool:
        """Whether a leave has begun by this gaming day. After its last day it lasts until the return is recorded."""
        return self.leave_from is not None and self.leave_from <= gaming_day

    @property
    def leave_end_in_words(self) -> str:
        """`until 3 Dec 2026`, or `until further notice`; also of somebody without a leave."""
        return f"until {day_in_words(self.leave_until)}" if self.leave_until else "until further notice"


class Device(models.Model):
    """An enrolled tablet or screen, and the person signed in at it. Only a hash of its token is stored."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=60)
    facility = models.CharField(max_length=40)
    station = models.CharField(max_length=12, choices=Station.choices)
    place = models.CharField(
        max_length=90, blank=True, help_text="A stream such as larkfield/T-04, or empty."
    )
    token_sha256 = models.BinaryField(max_length=32, unique=True)
    enrolled_at = models.DateTimeField()
    enrolled_by = models.ForeignKey(
        Person, models.PROTECT, null=True, blank=True, related_name="devices_enrolled"
    )
    asked_by = models.ForeignKey(
        Person,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Who asked for it on a screen, and never reads its enrollment token.",
    )
    enrollment_ends_at = models.DateTimeField(
        null=True, blank=True, help_text="Until when its enrollment token may be used."
    )
    enrollment_command = models.UUIDField(
        null=True, blank=True, help_text="From which a token that was made on a screen is derived."
    )
    enrollment_used_at = models.DateTimeField(null=True, blank=True)
    enrollment_refused_at = models.DateTimeField(
        null=True, blank=True, help_text="When its enrollment token was first refused."
    )
    revoked_at = models.DateTimeField(null=True, blank=True)
    person = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="devices")
    signed_on_at = models.DateTimeField(null=True, blank=True)
    locked_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    heard_at = models.DateTimeField(null=True, blank=True, help_text="When its screen last had a live line.")
    acted_at = models.DateTimeField(
        null=True, blank=True, help_text="When the person signed in at a machine last acted there."
    )
    signed_on_with = models.CharField(
        max_length=64,
        blank=True,
        help_text="Digest of the PIN's hash at the sign-in. With another PIN, nobody acts at a machine any more.",
    )
    battery_percent = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="How full its battery was when it last said so."
    )
    is_charging = models.BooleanField(null=True, blank=True, help_text="Whether it was charging then.")
    cookies_made = models.PositiveIntegerField(
        default=0, help_text="Number of the newest cookie: each sign-in makes one."
    )
    cookie = models.PositiveIntegerField(
        default=0, help_text="Number of the newest cookie that its browser has shown."
    )
    cookie_before = models.PositiveIntegerField(
        default=0, help_text="Number of the cookie that its browser showed before that one."
    )
    cookie_since = models.DateTimeField(
        null=True, blank=True, help_text="When its browser first showed the newest cookie."
    )
    copied_cookie = models.IntegerField(
        default=-1, help_text="Number of the newest copied cookie that was recorded; -1 for none."
    )
    copied_at = models.DateTimeField(
        null=True, blank=True, help_text="When a copied cookie was last recorded."
    )

    class Meta:
        verbose_name = "device"
        verbose_name_plural = "devices"
        ordering = ("facility", "name")
        constraints = (
            models.UniqueConstraint(name="audit_device_name", fields=("facility", "name")),
            models.CheckConstraint(name="audit_device_station", condition=Q(station__in=Station.values)),
            models.CheckConstraint(
                name="audit_device_signed_on",
                condition=Q(person__isnull=True, signed_on_at__isnull=True)
                | Q(person__isnull=False, signed_on_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.facility}/{self.name}"


# Wrong PINs, one-time secrets and lock-outs


SERVER_TERMINAL = "the server's terminal"  # where a PIN is typed without a device


class WrongPin(models.Model):
    """One wrong PIN. `person` is null where nobody has the code that was typed. Deleted when it no longer counts.

    `device` is null for one that was typed at the server's terminal.
    """

    device = models.ForeignKey(Device, models.PROTECT, null=True, blank=True, related_name="+")
    person = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    typed_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = "wrong PIN"
        verbose_name_plural = "wrong PINs"

    def __str__(self) -> str:
        return f"{self.device_id} {self.typed_at}"


class OneTimeSecret(models.Model):
    """A person may get a one-time PIN or password: `approved_by` may make it and read it, once, and nobody else.

    `asked_by` asked for it and never reads it. `approved_by` is null for one that was allowed before approvers made
    them: it has to be asked for again. `command`: the id from which a PIN is derived; null until it was made.
    """

    class Kind(models.TextChoices):
        PIN = "pin", "PIN"
        PASSWORD = "password", "password"

    person = models.ForeignKey(Person, models.PROTECT, related_name="one_time_secrets")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.PIN)
    asked_by = models.ForeignKey(Person, models.PROTECT, related_name="+")
    approved_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    allowed_at = models.DateTimeField()
    made_at = models.DateTimeField(null=True, blank=True)
    command = models.UUIDField(null=True, blank=True)

    class Meta:
        verbose_name = "one-time secret"
        verbose_name_plural = "one-time secrets"
        constraints = (
            models.UniqueConstraint(name="audit_onetimesecret_kind", fields=("person", "kind")),
            models.CheckConstraint(
                name="audit_onetimesecret_kinds", condition=Q(kind__in=("pin", "password"))
            ),
        )

    def __str__(self) -> str:
        return f"one-time {self.kind} of {self.person_id}"


class Lockout(models.Model):
    """PINs that are refused for a while: of a person at a device, of everybody at a device, or of a person anywhere.

    `device` is where the last wrong PIN was typed; null for the server's terminal. `signed_in` is who was signed in
    there if it was typed as a second signature.
    """

    class Scope(models.TextChoices):
        PERSON_AT_DEVICE = "person-at-device", "a person at a device"
        DEVICE = "device", "a device"
        PERSON = "person", "a person at every device"

    scope = models.CharField(max_length=16, choices=Scope.choices)
    facility = models.CharField(max_length=40)
    device = models.ForeignKey(Device, models.PROTECT, null=True, blank=True, related_name="+")
    person = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    signed_in = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    started_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    unlocked_at = models.DateTimeField(null=True, blank=True, help_text="When a supervisor ended it early.")
    read_at = models.DateTimeField(
        null=True, blank=True, help_text="When its person read that somebody typed wrong PINs as them."
    )

    class Meta:
        verbose_name = "lock-out"
        verbose_name_plural = "lock-outs"
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                name="audit_lockout_scope",
                condition=Q(scope="device", person__isnull=True)
                | Q(scope__in=("person-at-device", "person"), person__isnull=False),
            ),
        )
        indexes = (models.Index(name="audit_lockout_ends", fields=("ends_at",)),)

    def __str__(self) -> str:
        return f"{self.scope} {self.device_id} {self.person_id or ''}"

    @property
    def where(self) -> str:
        """Where the last wrong PIN was typed, in words."""
        return self.device.name if self.device is not None else SERVER_TERMINAL


# Passwords and second factors


class Password(models.Model):
    """The password of a person, apart from their PIN.

    `hash` is of Django's hashers; that of a one-time password is a SHA-256, because the password has 100 random bits.
    A one-time password has `ends_at`, who gave it (null: a command of the server), and `command`, the id from which
    it is derived (`audit/passwords.py`).
    """

    person = models.OneToOneField(Person, models.PROTECT, related_name="+")
    hash = models.CharField(max_length=128)
    set_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    given_by = models.ForeignKey(Person, models.PROTECT, null=True, blank=True, related_name="+")
    command = models.UUIDField(null=True, blank=True)

    class Meta:
        verbose_name = "password"
        verbose_name_plural = "passwords"

    def __str__(self) -> str:
        return f"password of {self.person_id}"

    @property
    def is_one_time(self) -> bool:
        """Whether it only lets its person choose another one."""
        return self.ends_at is not None


class SecondFactor(models.Model):
    """An authenticator app or a security key of a person. Rows stay after they have ended.

    `secret`: of an app, encrypted with a key of the server. `credential`: id and public key of a security key.
    `last_step`: the newest time step whose code was used. `sign_count`: the counter of a key at its last use.
    """

    class Kind(models.TextChoices):
        TOTP = "totp", "Authenticator app"
        WEBAUTHN = "webauthn", "Security key"

    person = models.ForeignKey(Person, models.PROTECT, related_name="second_factors")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    label = models.CharField(max_length=40)
    secret = models.BinaryField(max_length=400, default=b"")
    last_step = models.BigIntegerField(default=0)
    credential = models.BinaryField(max_length=4000, default=b"")
    sign_count = models.BigIntegerField(default=0)
    device = models.ForeignKey(Device, models.PROTECT, related_name="+", help_text="Where it was registered.")
    registered_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "second factor"
        verbose_name_plural = "second factors"
        ordering = ("id",)
        constraints = (
            models.CheckConstraint(
                name="audit_secondfactor_kind", condition=Q(kind__in=("totp", "webauthn"))
            ),
        )
        indexes = (
            models.Index(
                name="audit_secondfactor_active", fields=("person",), condition=Q(ended_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.label} of {self.person_id}"
