"""A compiled read reads what its queryset would read, on both databases."""

import datetime as dt

import pytest
from django.db import models

from audit.rows import COMPILED_READS, CompiledRead
from tables.models import Round, Shaker, Table

pytestmark = pytest.mark.both_databases


@pytest.fixture
def values(scene) -> dict[str, int | str | dt.datetime]:
    """A value for each name of an argument: a table in its second round, after a throw and a change of limits."""
    scene.play((1, "small", 2_500), dice=[1, 2, 5])
    scene.finish()
    scene.play((1, "small", 2_500), (2, "total:9", 1_000), dice=[1, 2, 6])
    scene.act(
        "change_limits", {"min_cents": 2_000, "max_cents": 50_000}, by="floorperson", device=scene.podium
    )
    return {
        "table": scene.table.pk,
        "stream": scene.table.stream_id,
        "round_": scene.round.pk,
        "facility": scene.table.facility.pk,
        "game": scene.table.game,
        "code": scene.table.submission_code,
        "name": scene.table.stream.name,
        "moment": dt.datetime.now(dt.UTC),
        "day": scene.round.gaming_day,
        "shaker": Shaker.objects.get(table=scene.table).pk,
        "after": 0,
        "before": 2,
        "first": 1,
        "last": 2,
    }


def columns(instance: models.Model | tuple[object, ...]) -> object:
    """The columns of an instance, and those of each related instance that came with it; a row of values as it is."""
    if isinstance(instance, tuple):
        return instance
    related = instance._state.fields_cache
    return {field.attname: getattr(instance, field.attname) for field in instance._meta.concrete_fields} | {
        name: columns(row) if row else None for name, row in related.items()
    }


def test_each_compiled_read_reads_what_its_queryset_reads(values):
    empty = set()
    for read in COMPILED_READS:
        arguments = [values[name] for name in read.argument_names]
        expected = [columns(row) for row in read.queryset(*arguments)]
        for _ in range(2):  # compiling it, and compiled
            assert [columns(row) for row in read(*arguments)] == expected
        if not expected:
            empty.add((read.argument_names, read.queryset(*arguments).model.__name__))
    assert empty == {
        (("facility", "game"), model) for model in ("Application", "InterimPermission", "Service")
    }


def test_a_compiled_read_takes_one_statement_and_finds_nothing_where_nothing_is(
    scene, django_assert_num_queries
):
    read = CompiledRead(lambda table: Round.objects.filter(table=table))
    COMPILED_READS.remove(read)
    with django_assert_num_queries(1):
        assert read.first(scene.table.pk) is None


def test_a_related_row_may_be_missing(scene):
    read = CompiledRead(lambda table: Table.objects.filter(pk=table).select_related("floorperson"))
    COMPILED_READS.remove(read)
    Table.objects.update(floorperson=None)
    assert read(scene.table.pk)[0].floorperson is None
