"""The append-only record: streams, entries, the answers of acts, and the seals of its heads (docs/evidence.md).

The database itself enforces what these classes promise: see the guards in `migrations/0002_guards.py`.

A seal is a leaf of a log of heads, whose checkpoints are signed and cosigned. Each facility has a log of its own in
each incarnation. Its rows have the facility's code, or "" in the incarnation's first log, which `audit.sealing.log`
gives to the first facility. All rows of a log are written once. A foreign key that is the first column of a unique
constraint, or of a key, has no index of its own, which every seal would have to update; and the most numerous of these
rows, heads and nodes, have no key beside what is unique anyway.
"""

from typing import TYPE_CHECKING, Any

from django.db import connection, models
from django.db.models import F, Func, Q

from audit import chain

from .people import Device, Person

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models.sql.compiler import SQLCompiler


class Stream(models.Model):
    """One hash chain, named `facility/place`. `seq` and `head` (32 bytes) are those of its newest entry.

    A stream without entries has seq 0 and its genesis as head. `closed_at` and `continued_by` allow a stream to be
    continued in a new one that names this head. `lockable` has no meaning: in PostgreSQL a role can lock a row only if
    it may update a column of it, and this is the column that the web role may update. `real_play` is false for
    training and simulation, which no export of real play includes.
    """

    name = models.CharField(max_length=90, unique=True)
    seq = models.BigIntegerField(default=0)
    head = models.BinaryField(max_length=32)
    last_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    continued_by = models.OneToOneField("self", models.PROTECT, null=True, related_name="continues")
    lockable = models.BooleanField(default=True)
    real_play = models.BooleanField(default=True)

    class Meta:
        verbose_name = "stream"
        verbose_name_plural = "streams"
        ordering = ("name",)
        constraints = (models.CheckConstraint(name="audit_stream_seq", condition=Q(seq__gte=0)),)

    def __str__(self) -> str:
        return self.name

    @property
    def facility(self) -> str:
        """The code before the slash."""
        return self.name.partition("/")[0]

    @classmethod
    def at_genesis(cls, name: str) -> "Stream":
        """An unsaved stream without entries."""
        return cls(name=name, seq=0, head=chain.genesis(name))


class TenMinutes(Func):
    """The ten minutes in which a moment lies: an expression that grows with the moment.

    Entries of one person within them are one key of an index, which PostgreSQL keeps once. By the moment itself each
    entry would take ninety bytes of it.
    """

    arity = 1
    template = "substr(%(expressions)s, 1, 15)"  # SQLite has text such as 2026-11-21 21:17:05.123456
    ON_POSTGRESQL = "date_bin('10 minutes', %(expressions)s, '2000-01-01 00:00:00+00')"

    def as_postgresql(
        self, compiler: "SQLCompiler", connection: "BaseDatabaseWrapper", **context: Any
    ) -> Any:
        return self.as_sql(compiler, connection, template=self.ON_POSTGRESQL, **context)

    @classmethod
    def sql_of(cls, moment: str) -> str:
        """The same of a column, or of a parameter (`%s`), in SQL of this database."""
        if connection.vendor == "postgresql":
            return cls.ON_POSTGRESQL % {"expressions": moment.replace("%s", "%s::timestamptz")}
        return cls.template % {"expressions": moment}


# Of the sixteen acts of a round, ten place wagers. Of these the index of types has none: a search for them goes back in
# time, and soon has a page of them.
COMMONEST_TYPE = "wagers.placed"


class Entry(models.Model):
    """One recorded act. `body` holds the exact bytes that were hashed.

    `stream`, `seq`, `prev` and `hash` are its place in the chain. The other columns repeat parts of the body for
    searching; they are not evidence. `round` and `lot` come from its data; `cents` is the largest of its totals
    wagered, taken, paid and returned. Numbers stand first: PostgreSQL fills up to eight bytes before each.
    """

    stream = models.ForeignKey(Stream, models.PROTECT, related_name="entries", db_index=False)
    seq = models.BigIntegerField()
    at = models.DateTimeField()
    round = models.BigIntegerField(null=True)
    cents = models.BigIntegerField(null=True)
    gaming_day = models.DateField()
    prev = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)
    type = models.CharField(max_length=60)
    actor = models.CharField(max_length=40, blank=True, default="")
    witness = models.CharField(max_length=40, blank=True, default="")
    lot = models.CharField(max_length=40, blank=True, default="")
    body = models.BinaryField()

    class Meta:
        verbose_name = "entry"
        verbose_name_plural = "entries"
        ordering = ("stream", "seq")
        constraints = (
            models.UniqueConstraint(name="audit_entry_stream_seq", fields=("stream", "seq")),
            models.CheckConstraint(name="audit_entry_seq", condition=Q(seq__gte=1)),
        )
        indexes = (
            models.Index(name="audit_entry_at", fields=("at",)),
            models.Index(F("actor"), TenMinutes("at"), name="audit_entry_actor", condition=~Q(actor="")),
            models.Index(
                F("witness"), TenMinutes("at"), name="audit_entry_witness", condition=~Q(witness="")
            ),
            models.Index(name="audit_entry_type", fields=("type", "at"), condition=~Q(type=COMMONEST_TYPE)),
            models.Index(
                name="audit_entry_round", fields=("stream", "round"), condition=Q(round__isnull=False)
            ),
            models.Index(name="audit_entry_lot", fields=("lot", "at"), condition=~Q(lot="")),
        )

    def __str__(self) -> str:
        return f"{self.stream} {self.seq}: {self.type}"


class Command(models.Model):
    """An accepted act by the id that its screen created, with the answer that a retry gets.

    Or an act whose retry was refused (`audit.runner.ENDED`): no try of it is accepted any more. `answer` ends after the
    time in which acts are repeated (`audit/answers.py`). A command is found by its id alone: every act would have to
    update a further index.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    seq = models.BigIntegerField()
    at = models.DateTimeField()
    stream = models.ForeignKey(Stream, models.PROTECT, related_name="commands", db_index=False)
    person = models.ForeignKey(Person, models.PROTECT, null=True, related_name="commands", db_index=False)
    device = models.ForeignKey(Device, models.PROTECT, null=True, related_name="commands", db_index=False)
    content_sha256 = models.BinaryField(max_length=32)
    answer = models.JSONField(null=True)

    class Meta:
        verbose_name = "command"
        verbose_name_plural = "commands"
        ordering = ("at",)

    def __str__(self) -> str:
        return str(self.id)


class AnswersEnded(models.Model):
    """Up to which entry the saved answers of acts have ended, in a single row (1). It is not evidence."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    entry = models.BigIntegerField(default=0, help_text="the id of the entry")

    class Meta:
        verbose_name = "end of saved answers"
        verbose_name_plural = "end of saved answers"

    def __str__(self) -> str:
        return str(self.entry)


# Seals


FACILITY_LENGTH_MAX = 40


def _log_facility() -> "models.CharField[str, str]":
    """The column that tells the logs of an incarnation apart: the facility's code, or "" for the first log."""
    return models.CharField(max_length=FACILITY_LENGTH_MAX, default="", db_default="")


class Incarnation(models.Model):
    """A period of the record with logs of its own. After a backup was restored, two people declare the next one.

    `origin` names its first log in every checkpoint. `after` describes the previous first log at the declaration: its
    last checkpoint in the database (`found`), and the last one that was signed (`signed`), each a note or null. The
    same of the other logs is in `logs`, by the code of their facility.
    """

    number = models.PositiveIntegerField(primary_key=True)
    origin = models.CharField(max_length=120, unique=True)
    opened_at = models.DateTimeField()
    why = models.CharField(max_length=500, blank=True)
    opened_by = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    opened_with = models.ForeignKey(Person, models.PROTECT, null=True, related_name="+")
    after = models.JSONField(default=dict)

    class Meta:
        verbose_name = "incarnation"
        verbose_name_plural = "incarnations"
        ordering = ("number",)

    def __str__(self) -> str:
        return self.origin


class SigningKey(models.Model):
    """A public key of the sealer. After its creation, only `retired_at` is ever written."""

    name = models.CharField(max_length=120)
    key_id = models.CharField(max_length=8, help_text="Four bytes in hex, as a signed note names its key.")
    public_key = models.BinaryField(max_length=32)
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "signing key"
        verbose_name_plural = "signing keys"
        ordering = ("created_at", "pk")
        constraints = (models.UniqueConstraint(name="audit_signingkey_once", fields=("name", "key_id")),)

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id}"


class Seal(models.Model):
    """A leaf of a log: the heads that changed since the leaf before it, as canonical JSON (`body`).

    `number` is the leaf's index, from 0, and `leaf` its RFC 6962 hash. A `full` seal lists every head of the log.
    """

    incarnation = models.ForeignKey(Incarnation, models.PROTECT, related_name="seals", db_index=False)
    facility = _log_facility()
    number = models.BigIntegerField()
    at = models.DateTimeField()
    full = models.BooleanField(default=False)
    body = models.BinaryField()
    leaf = models.BinaryField(max_length=32)

    class Meta:
        verbose_name = "seal"
        verbose_name_plural = "seals"
        ordering = ("incarnation", "facility", "number")
        constraints = (
            models.UniqueConstraint(name="audit_seal_once", fields=("incarnation", "facility", "number")),
        )
        indexes = (
            models.Index(
                name="audit_seal_full", fields=("incarnation", "facility", "number"), condition=Q(full=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.incarnation_id}/{self.facility}{self.number}"


class SealedHead(models.Model):
    """A head that a seal lists, for finding the seal that covers an entry."""

    pk = models.CompositePrimaryKey("seal", "stream")
    seal = models.ForeignKey(Seal, models.PROTECT, related_name="heads", db_index=False)
    stream = models.ForeignKey(Stream, models.PROTECT, related_name="sealed", db_index=False)
    seq = models.BigIntegerField()

    class Meta:
        verbose_name = "sealed head"
        verbose_name_plural = "sealed heads"
        ordering = ("stream", "seq", "seal")
        indexes = (models.Index(name="audit_sealedhead_seq", fields=("stream", "seq")),)

    def __str__(self) -> str:
        return f"{self.stream_id} {self.seq} in {self.seal_id}"


class Node(models.Model):
    """The hash of a complete subtree of a log: 2^level leaves from index × 2^level. Every fourth level has rows.

    Leaves are level 0, and have their hash in their seal. The other levels are a few hashes of these. So a proof reads
    a hundred rows, however long the log is, and a seal seldom adds one.
    """

    LEVELS_APART = 4

    pk = models.CompositePrimaryKey("incarnation", "facility", "level", "index")
    incarnation = models.ForeignKey(Incarnation, models.PROTECT, related_name="nodes", db_index=False)
    facility = _log_facility()
    level = models.PositiveSmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        verbose_name = "node"
        verbose_name_plural = "nodes"
        ordering = ("incarnation", "facility", "level", "index")

    def __str__(self) -> str:
        return f"{self.incarnation_id}/{self.level}/{self.index}"


class Checkpoint(models.Model):
    """A signed state of a log: the C2SP note (`note`) of its `size` and `root`."""

    incarnation = models.ForeignKey(Incarnation, models.PROTECT, related_name="checkpoints", db_index=False)
    facility = _log_facility()
    size = models.BigIntegerField()
    root = models.BinaryField(max_length=32)
    note = models.TextField()
    at = models.DateTimeField()

    class Meta:
        verbose_name = "checkpoint"
        verbose_name_plural = "checkpoints"
        ordering = ("incarnation", "facility", "size")
        constraints = (
            models.UniqueConstraint(name="audit_checkpoint_once", fields=("incarnation", "facility", "size")),
        )

    def __str__(self) -> str:
        return f"{self.incarnation_id} {self.size}"

    @property
    def cosigned(self) -> str:
        """The note followed by the witnesses' signature lines received so far, unparsed."""
        lines = self.cosignatures.order_by("name").values_list("line", flat=True)
        return self.note + "".join(f"{line.rstrip()}\n" for line in lines)


class Cosignature(models.Model):
    """A witness's signature line under a checkpoint, as received. `name` is the name of the witness's key."""

    checkpoint = models.ForeignKey(Checkpoint, models.PROTECT, related_name="cosignatures", db_index=False)
    name = models.CharField(max_length=120)
    line = models.CharField(max_length=400)
    at = models.DateTimeField()

    class Meta:
        verbose_name = "cosignature"
        verbose_name_plural = "cosignatures"
        ordering = ("checkpoint", "name")
        constraints = (models.UniqueConstraint(name="audit_cosignature_once", fields=("checkpoint", "name")),)
        indexes = (models.Index(name="audit_cosignature_newest", fields=("name", "checkpoint")),)

    def __str__(self) -> str:
        return f"{self.name} {self.checkpoint_id}"


class SealerLease(models.Model):
    """Which sealer leads, in a single row (1): only the sealer's role may lock it or change it. It is not evidence.

    `holder` is the id of the leading process, or "", and `beat` grows while it leads. `folder` is the id of the folder
    from which this record is sealed since `incarnation` began: no other folder seals it.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    holder = models.CharField(max_length=32, blank=True)
    beat = models.BigIntegerField(default=0)
    folder = models.CharField(max_length=32, blank=True)
    incarnation = models.PositiveIntegerField(default=0)

    class Meta:
        verbose_name = "sealer's lease"
        verbose_name_plural = "sealer's lease"

    def __str__(self) -> str:
        return f"{self.folder} {self.beat}"


class SealerStatus(models.Model):
    """The sealer's state for the integrity page, in a single row (1). It is not evidence and is overwritten.

    `beat_at` is when the sealer last reported. While it refuses to seal, `problem` is a code
    (`audit.sealing.state`) with its `params`, and `since` is when that began. `witnesses` has, by the name of each
    witness's key, its `url`, the `size` that it last cosigned and when (`at`), and `said`: the code of the last
    request's failure, or "". `newest_copy` is the newest file in the folder of copies, and `copy_problem` the code of
    the last copy's failure. All these are about the first log; `logs` has the same about each other log, by the code of
    its facility.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    beat_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=40, blank=True, db_column="trouble")
    params = models.JSONField(default=dict)
    since = models.DateTimeField(null=True)
    witnesses = models.JSONField(default=dict)
    newest_copy = models.CharField(max_length=200, blank=True, db_column="copied")
    copied_at = models.DateTimeField(null=True)
    copy_problem = models.CharField(max_length=40, blank=True, db_column="copy_said")
    logs = models.JSONField(default=dict)

    class Meta:
        verbose_name = "sealer's status"
        verbose_name_plural = "sealer's status"

    def __str__(self) -> str:
        return self.problem or "sealing"
