"""What seals the record: a log of its heads, signed checkpoints of that log, and who cosigned them (docs/evidence.md).

All of it is written once; the guards are in `migrations/0006_seals_stay.py`. A foreign key that begins a unique
constraint has no index of its own: each seal would pay for it.
"""

from django.db import models
from django.db.models import Q

from .people import Person
from .record import Stream


class Incarnation(models.Model):
    """One life of the record, with a log of its own. A restored backup begins the next one, which two people declare.

    `origin` names its log in every checkpoint. `after` says what was known of the log before it when this one began:
    its last checkpoint in the database (`found`), and the last one that was signed (`signed`), each a note or null.
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
    """A public key that the sealer signs with. Only `retired_at` is ever written after it was made."""

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
    """A leaf of an incarnation's log: the heads that moved since the leaf before it, in canonical JSON (`body`).

    `number` is the leaf's index, from 0; `leaf` its RFC 6962 hash. A `full` seal lists every head.
    """

    incarnation = models.ForeignKey(Incarnation, models.PROTECT, related_name="seals", db_index=False)
    number = models.BigIntegerField()
    at = models.DateTimeField()
    full = models.BooleanField(default=False)
    body = models.BinaryField()
    leaf = models.BinaryField(max_length=32)

    class Meta:
        verbose_name = "seal"
        verbose_name_plural = "seals"
        ordering = ("incarnation", "number")
        constraints = (models.UniqueConstraint(name="audit_seal_once", fields=("incarnation", "number")),)
        indexes = (
            models.Index(name="audit_seal_full", fields=("incarnation", "number"), condition=Q(full=True)),
        )

    def __str__(self) -> str:
        return f"{self.incarnation_id}/{self.number}"


class SealedHead(models.Model):
    """That a seal lists a stream at a number: what finds the seal that covers an entry."""

    seal = models.ForeignKey(Seal, models.PROTECT, related_name="heads", db_index=False)
    stream = models.ForeignKey(Stream, models.PROTECT, related_name="sealed", db_index=False)
    seq = models.BigIntegerField()

    class Meta:
        verbose_name = "sealed head"
        verbose_name_plural = "sealed heads"
        ordering = ("stream", "seq", "pk")
        constraints = (models.UniqueConstraint(name="audit_sealedhead_once", fields=("seal", "stream")),)
        indexes = (models.Index(name="audit_sealedhead_seq", fields=("stream", "seq")),)

    def __str__(self) -> str:
        return f"{self.stream_id} {self.seq} in {self.seal_id}"


class Node(models.Model):
    """The hash of a whole subtree of an incarnation's log: 2^level leaves from index × 2^level on. Leaves are level 0.

    A proof then reads some dozens of these, however long the log is.
    """

    incarnation = models.ForeignKey(Incarnation, models.PROTECT, related_name="nodes", db_index=False)
    level = models.PositiveSmallIntegerField()
    index = models.BigIntegerField()
    hash = models.BinaryField(max_length=32)

    class Meta:
        verbose_name = "node"
        verbose_name_plural = "nodes"
        ordering = ("incarnation", "level", "index")
        constraints = (
            models.UniqueConstraint(name="audit_node_once", fields=("incarnation", "level", "index")),
        )

    def __str__(self) -> str:
        return f"{self.incarnation_id}/{self.level}/{self.index}"


class Checkpoint(models.Model):
    """A signed state of an incarnation's log: the C2SP note (`note`) of its `size` and `root`."""

    incarnation = models.ForeignKey(Incarnation, models.PROTECT, related_name="checkpoints", db_index=False)
    size = models.BigIntegerField()
    root = models.BinaryField(max_length=32)
    note = models.TextField()
    at = models.DateTimeField()

    class Meta:
        verbose_name = "checkpoint"
        verbose_name_plural = "checkpoints"
        ordering = ("incarnation", "size")
        constraints = (models.UniqueConstraint(name="audit_checkpoint_once", fields=("incarnation", "size")),)

    def __str__(self) -> str:
        return f"{self.incarnation_id} {self.size}"

    @property
    def cosigned(self) -> str:
        """The note with the lines of the witnesses beneath, as far as they have come; nothing of it is read."""
        lines = self.cosignatures.order_by("name").values_list("line", flat=True)
        return self.note + "".join(f"{line.rstrip()}\n" for line in lines)


class Cosignature(models.Model):
    """A witness's signature line under a checkpoint, kept as it came. `name` is that of the witness's key."""

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


class SealerStatus(models.Model):
    """How the sealer is, in one row (1) for the integrity page. It is no evidence, and may be overwritten.

    `beat_at` is when it was last heard. `trouble` is a code (`audit.sealing.problems`) with its `params` while it
    refuses to seal, since `since`; else empty. `witnesses` holds for each witness by its key's name `url`, `size` that
    it last cosigned, `at`, and `said`: a code of what went wrong when it was last asked, or "". `copied` is the name
    of the newest copy in the plain folder, `copy_said` a code of what went wrong with the last one, or "".
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    beat_at = models.DateTimeField(null=True)
    trouble = models.CharField(max_length=40, blank=True)
    params = models.JSONField(default=dict)
    since = models.DateTimeField(null=True)
    witnesses = models.JSONField(default=dict)
    copied = models.CharField(max_length=200, blank=True)
    copied_at = models.DateTimeField(null=True)
    copy_said = models.CharField(max_length=40, blank=True)

    class Meta:
        verbose_name = "sealer's status"
        verbose_name_plural = "sealer's status"

    def __str__(self) -> str:
        return self.trouble or "sealing"
