"""What a superuser does who brings back an older day, or part of it: guards put aside, rows removed."""

import contextlib

from django.db import connection

from audit.models import Checkpoint, Cosignature, Entry, Node, Seal, SealedHead, Stream
from tests.services.emptying import guards_aside


@contextlib.contextmanager
def as_superuser():
    """Inside the block nothing is guarded. Deferred checks of foreign keys may not wait while triggers change."""
    connection.check_constraints()
    with guards_aside(connection):
        yield
        connection.check_constraints()


def rewind(*deleted):
    """What a superuser does who brings back rows of an older day."""
    with as_superuser():
        for rows in deleted:
            rows.delete()


def forget(incarnation: int, size: int) -> None:
    """The log as it stood at `size` seals."""
    log = {"incarnation": incarnation}
    rewind(
        Cosignature.objects.filter(checkpoint__size__gt=size),
        Checkpoint.objects.filter(size__gt=size, **log),
        SealedHead.objects.filter(seal__number__gte=size, seal__incarnation=incarnation),
        Seal.objects.filter(number__gte=size, **log),
    )
    gone = [node.pk for node in Node.objects.filter(**log) if (node.index + 1) << node.level > size]
    rewind(Node.objects.filter(pk__in=gone))


def put_back(stream: Stream, seq: int) -> None:
    with as_superuser():
        entries = Entry.objects.filter(stream=stream)
        last = entries.get(seq=seq)
        entries.filter(seq__gt=seq).delete()
        Stream.objects.filter(pk=stream.pk).update(seq=seq, head=last.hash, last_at=last.at)
