"""The append-only record: streams, their entries, and the answers of acts.

The database itself enforces what these classes promise: see the guards in `migrations/0002_guards.py`.
"""

from django.db import models
from django.db.models import Q

from audit import chain

from .people import Device, Person


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


class Entry(models.Model):
    """One recorded act. `body` holds the exact bytes that were hashed.

    The columns from `type` on repeat parts of the body for searching; they are not evidence. `round` and `lot` come
    from its data; `cents` is the largest of its totals wagered, taken, paid and returned.
    """

    stream = models.ForeignKey(Stream, models.PROTECT, related_name="entries", db_index=False)
    seq = models.BigIntegerField()
    prev = models.BinaryField(max_length=32)
    hash = models.BinaryField(max_length=32)
    body = models.BinaryField()
    type = models.CharField(max_length=60)
    at = models.DateTimeField()
    gaming_day = models.DateField()
    actor = models.CharField(max_length=40, blank=True, default="")
    witness = models.CharField(max_length=40, blank=True, default="")
    round = models.BigIntegerField(null=True)
    lot = models.CharField(max_length=40, blank=True, default="")
    cents = models.BigIntegerField(null=True)

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
            models.Index(name="audit_entry_actor", fields=("actor", "at"), condition=~Q(actor="")),
            models.Index(name="audit_entry_witness", fields=("witness", "at"), condition=~Q(witness="")),
            models.Index(name="audit_entry_type", fields=("type", "at")),
            models.Index(
                name="audit_entry_round", fields=("stream", "round"), condition=Q(round__isnull=False)
            ),
            models.Index(name="audit_entry_lot", fields=("lot", "at"), condition=~Q(lot="")),
        )

    def __str__(self) -> str:
        return f"{self.stream} {self.seq}: {self.type}"


class Command(models.Model):
    """An accepted act by the id that its screen created, with the answer that a retry gets.

    Or an act whose retry was refused (`audit.runner.ENDED`): no try of it is accepted any more.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    content_sha256 = models.BinaryField(max_length=32)
    stream = models.ForeignKey(Stream, models.PROTECT, related_name="commands")
    seq = models.BigIntegerField()
    person = models.ForeignKey(Person, models.PROTECT, null=True, related_name="commands")
    device = models.ForeignKey(Device, models.PROTECT, null=True, related_name="commands")
    answer = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        verbose_name = "command"
        verbose_name_plural = "commands"
        ordering = ("at",)

    def __str__(self) -> str:
        return str(self.id)
