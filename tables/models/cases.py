"""What somebody has to see to: alerts at tables, and cases of compliance.

An alert calls a person to a table. A case is looked into, signed and closed; its notes, documents, camera references
and letters are kept with it. The daily reports that were accepted are here too.
"""

from django.db import models
from django.db.models import Q

from games.snapshot_types import AlertLevel

FACILITY = "games.Facility"
PERSON = "audit.Person"
# The alerts that screens show: open, not yet acknowledged, or decided and not yet read at the table.
SHOWN_SQL = (
    "(a.ended_at IS NULL OR a.acknowledged_at IS NULL OR (a.decided_at IS NOT NULL AND a.read_at IS NULL))"
)


class Alert(models.Model):
    """One alert at a table, open until its cause has ended and an entitled person has acknowledged it.

    `key` names the cause, so that the same alert is never raised twice at once.
    """

    class Level(models.TextChoices):
        STOP = "stop", "stop"
        WARN = "warn", "warning"
        INFO = "info", "notice"

    table = models.ForeignKey("tables.Table", models.PROTECT, related_name="alerts")
    kind = models.CharField(max_length=30)
    key = models.CharField(max_length=80)
    level: "models.CharField[AlertLevel | Level, AlertLevel]" = models.CharField(max_length=5, choices=Level)
    params = models.JSONField(default=dict, help_text="values for its sentence")
    section = models.CharField(max_length=60, blank=True)
    raised_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True, help_text="when its cause ended")
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    acknowledged_by = models.ForeignKey(
        "audit.Person", models.PROTECT, null=True, blank=True, related_name="+"
    )
    note = models.CharField(max_length=200, blank=True)
    coming_at = models.DateTimeField(
        null=True, blank=True, help_text="when somebody said that they are coming"
    )
    coming_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    decision = models.CharField(max_length=20, blank=True, help_text="code of the floor's decision")
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")
    read_at = models.DateTimeField(null=True, blank=True, help_text="when the table read the decision")
    asked_role = models.CharField(max_length=24, blank=True, help_text="whom it was passed on to, unanswered")
    asked_at = models.DateTimeField(null=True, blank=True)
    muted_until = models.DateTimeField(null=True, blank=True)
    muted_by = models.ForeignKey("audit.Person", models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering = ["table", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["table", "key"], condition=Q(ended_at=None), name="alert_is_raised_once"
            ),
            models.CheckConstraint(
                condition=Q(level__in=["stop", "warn", "info"]), name="alert_level_is_known"
            ),
            models.CheckConstraint(
                condition=Q(acknowledged_at=None, acknowledged_by=None)
                | Q(acknowledged_at__isnull=False, acknowledged_by__isnull=False),
                name="alert_is_acknowledged_by_somebody",
            ),
        ]
        indexes = [
            models.Index(
                fields=["table"],
                condition=Q(ended_at=None)
                | Q(acknowledged_at=None)
                | Q(decided_at__isnull=False, read_at=None),
                name="alert_shown_at_a_table",
            )
        ]

    def __str__(self) -> str:
        return f"{self.table_id} {self.key}"


# Cases


class Case(models.Model):
    """One case. A rule or a person opens it, and no subject has two.

    `subject` names what it is about (`T-04:ENS-0007`), `params` are the values for its sentences. `table_code`, `round`
    and `seat` are set where it is about a table. `outcome`, `cents` and `reason` are those of its newest signature.
    """

    class Status(models.TextChoices):
        OPEN = "open", "open"
        CLOSED = "closed", "closed"

    facility = models.ForeignKey(FACILITY, models.PROTECT, related_name="cases")
    code = models.CharField(max_length=20, help_text="for instance C-0001")
    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=120, help_text="what it is about; one case for each subject")
    params = models.JSONField(default=dict, help_text="values for its sentences")
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, blank=True, related_name="cases")
    round = models.PositiveIntegerField(null=True, blank=True)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    opened_at = models.DateTimeField()
    opened_seq = models.BigIntegerField()
    opened_by = models.ForeignKey(
        PERSON, models.PROTECT, null=True, blank=True, related_name="+", help_text="nobody: by its rule"
    )
    due_at = models.DateTimeField()
    owner = models.ForeignKey(PERSON, models.PROTECT, null=True, blank=True, related_name="+")
    status = models.CharField(max_length=8, choices=Status, default=Status.OPEN)
    outcome = models.CharField(max_length=20, blank=True)
    cents = models.BigIntegerField(null=True, blank=True, help_text="what is paid for goodwill")
    reason = models.CharField(max_length=500, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.ForeignKey(PERSON, models.PROTECT, null=True, blank=True, related_name="+")
    closed_seq = models.BigIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["facility", "due_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="case_code_is_unique"),
            models.UniqueConstraint(fields=["facility", "kind", "subject"], name="case_of_each_subject"),
            models.CheckConstraint(condition=Q(status__in=["open", "closed"]), name="case_status_is_known"),
            models.CheckConstraint(
                condition=Q(status="open", closed_at=None) | Q(status="closed", closed_at__isnull=False),
                name="case_is_closed_at_a_moment",
            ),
        ]
        indexes = [models.Index(fields=["facility", "status", "due_at"], name="case_by_due_time")]

    def __str__(self) -> str:
        return self.code


class CaseNote(models.Model):
    """What somebody wrote about a case."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="notes")
    text = models.CharField(max_length=1000)
    written_at = models.DateTimeField()
    written_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["case", "pk"]

    def __str__(self) -> str:
        return f"{self.case_id} {self.seq}"


class CaseDocument(models.Model):
    """A file of a case as it was received. Its bytes never change, and an entry has their SHA-256."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="documents")
    number = models.PositiveIntegerField(help_text="from 1 in each case")
    title = models.CharField(max_length=120)
    filename = models.CharField(max_length=120)
    media_type = models.CharField(max_length=60, help_text="as its first bytes tell")
    size = models.PositiveIntegerField(help_text="bytes")
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(editable=False)
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["case", "number"]
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="case_document_number_is_unique")
        ]

    def __str__(self) -> str:
        return f"{self.case_id} {self.number}"


class CameraReference(models.Model):
    """What surveillance saw: the camera, the clip, from when to when, and what it shows."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="cameras")
    camera = models.CharField(max_length=20)
    clip = models.CharField(max_length=40, blank=True)
    begins = models.CharField(max_length=8, blank=True, help_text="21:17:30, as the clip says")
    ends = models.CharField(max_length=8, blank=True)
    shows = models.CharField(max_length=500)
    seen_at = models.DateTimeField()
    seen_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["case", "pk"]

    def __str__(self) -> str:
        return f"{self.case_id} {self.camera}"


class Bookmark(models.Model):
    """A moment on the video of a camera that a surveillance system named, by its clock and by the server's.

    `round` and `case` are those that the system named; a round at the time of `at` is found without them.
    """

    facility = models.ForeignKey(FACILITY, models.PROTECT, related_name="bookmarks")
    code = models.CharField(max_length=20, help_text="for instance BM-0001")
    device = models.ForeignKey("audit.Device", models.PROTECT, related_name="+")
    reference = models.CharField(max_length=60, help_text="by which the surveillance system finds it again")
    camera = models.CharField(max_length=40)
    table = models.ForeignKey("tables.Table", models.PROTECT, null=True, blank=True, related_name="bookmarks")
    round = models.PositiveIntegerField(null=True, blank=True)
    case = models.ForeignKey(Case, models.PROTECT, null=True, blank=True, related_name="bookmarks")
    note = models.CharField(max_length=500, blank=True)
    moment = models.DateTimeField(help_text="by the clock of the surveillance system")
    offset_ms = models.BigIntegerField(help_text="what that clock was behind the server's when it sent this")
    at = models.DateTimeField(help_text="the same moment by the server's clock")
    added_at = models.DateTimeField()

    class Meta:
        ordering = ["facility", "at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "code"], name="bookmark_code_is_unique"),
            models.UniqueConstraint(fields=["device", "reference"], name="bookmark_is_taken_once"),
        ]
        indexes = [models.Index(fields=["table", "at"], name="bookmark_by_table")]

    def __str__(self) -> str:
        return self.code


class CaseSignature(models.Model):
    """A signature under the outcome of a case. One that was given before the case was reopened no longer counts."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="signatures")
    person = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    signed_at = models.DateTimeField()
    seq = models.BigIntegerField()
    counts = models.BooleanField(default=True)

    class Meta:
        ordering = ["case", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["case", "person"], condition=Q(counts=True), name="case_is_signed_once_by_each"
            )
        ]

    def __str__(self) -> str:
        return f"{self.case_id} {self.person_id}"


class CaseLetter(models.Model):
    """A letter to the patron of a case. Its words never change, and an entry has their SHA-256.

    It counts until another is written, or until the case is reopened. The signatures under the outcome of the case are
    the signatures of the letter that counts. `facts` are those of the round when it was written; null: no round.
    """

    case = models.ForeignKey(Case, models.PROTECT, related_name="letters")
    number = models.PositiveIntegerField(help_text="from 1 in each case")
    addressee = models.CharField(max_length=300, help_text="name and address; no entry has them")
    findings = models.CharField(max_length=2000, help_text="what was found, in words for the patron")
    outcome = models.CharField(max_length=20)
    cents = models.BigIntegerField(null=True, blank=True, help_text="what is paid for goodwill")
    reason = models.CharField(max_length=500)
    facts = models.JSONField(null=True, help_text="what the record says of the round")
    sha256 = models.CharField(max_length=64)
    written_at = models.DateTimeField()
    written_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    seq = models.BigIntegerField()
    counts = models.BooleanField(default=True)

    class Meta:
        ordering = ["case", "number"]
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="case_letter_number_is_unique"),
            models.UniqueConstraint(
                fields=["case"], condition=Q(counts=True), name="case_has_no_second_letter"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case_id} {self.number}"


class ReportAcceptance(models.Model):
    """Who accepted the report of a gaming day, and the SHA-256 of the PDF that they had opened."""

    facility = models.ForeignKey(FACILITY, models.PROTECT, related_name="report_acceptances")
    day = models.DateField()
    sha256 = models.CharField(max_length=64)
    opened_at = models.DateTimeField(help_text="when the person had opened the report")
    accepted_at = models.DateTimeField()
    accepted_by = models.ForeignKey(PERSON, models.PROTECT, related_name="+")
    seq = models.BigIntegerField()

    class Meta:
        ordering = ["facility", "-day", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["facility", "day", "sha256"], name="report_is_accepted_once")
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.sha256[:8]}"
