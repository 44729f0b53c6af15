"""Every column of every model has a witness: an entry states it, or a check computes it, or it is listed as unproven.

The attacker has the web role's login of the database: rows are changed, deleted and added past every act.
"""

import contextlib
import datetime as dt
import importlib
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import DataError, IntegrityError, models, transaction

from audit import clock, devices, record, registration, verification
from audit.columns import STATED, StatedModel, check_columns
from audit.entries import ENROLLMENT_REFUSED, PERSON_RECORDED
from audit.entry_types import ENTRY_TYPES
from audit.findings import RECORD_CHECKS, not_covered
from audit.models import Device, Person
from script import column_docs
from tables.staffing.access_review import check_registrations
from tests.audit.column_scenes import NOON, SCENES
from tests.audit.gone_back import as_superuser
from tests.tables.cast import make_scene

MODELS = [model for app in ("audit", "games", "tables") for model in apps.get_app_config(app).get_models()]
CHAIN = "audit.verification.verify"
PLAYED = "evening"  # the scene whose rounds and chips the other checks compare


def columns_of(model: type[models.Model]) -> list[str]:
    """The columns of a model, without a number that only the database gives."""
    own = STATED[model].stated if model in STATED else set()
    return [
        field.name
        for field in model._meta.concrete_fields
        if not isinstance(field, models.AutoField) or field.name in own
    ]


def function_at(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def test_every_column_is_stated_or_computed_or_listed_as_unproven():
    wrong = []
    for model in MODELS:
        if model not in STATED:
            wrong.append(f"{model._meta.label}: declare its columns in the columns.py beside its entry types")
            continue
        declared = STATED[model]
        for column in columns_of(model):
            places = (declared.stated, declared.derived, declared.unproven)
            if (count := sum(column in place for place in places)) != 1:
                wrong.append(f"{model._meta.label}.{column}: is declared {count} times, not once")
    assert wrong == [], "\n".join(wrong)


def test_each_entry_that_states_a_column_is_declared():
    assert {name for declared in STATED.values() for name in declared.folds} - ENTRY_TYPES.keys() == set()


def test_the_list_of_what_nothing_proves_is_in_the_documentation():
    page = column_docs.EVIDENCE
    assert page.read_text("utf-8") == column_docs.written_into(page), "run python -m script.column_docs"


def test_each_check_that_a_column_names_runs_in_a_full_verification():
    paths = {path for declared in STATED.values() for path in declared.derived.values()}
    checks = {function_at(path) for path in paths} - {verification.verify}
    assert checks | {check_columns} <= set(RECORD_CHECKS)


# What an attacker changes


def other_values(field: Any, value: Any) -> Iterator[Any]:
    """Other values of this column, as somebody with the database's password may write them."""
    if field.is_relation:
        rows = field.related_model._default_manager.exclude(pk=value).order_by("pk")
        yield from rows.values_list("pk", flat=True)[:3] or ids_of_neighbors(field.related_model)
    elif isinstance(field, models.BooleanField):
        yield not value
    elif isinstance(field, models.DateTimeField):
        yield (value or NOON) - dt.timedelta(hours=1)
    elif isinstance(field, models.DateField):
        yield (value or NOON.date()) - dt.timedelta(days=1)
    elif isinstance(field, models.TimeField):
        yield dt.time(3)
    elif isinstance(field, models.JSONField):
        yield from (["T-99"], {"100": 7}, [], {})
    elif isinstance(field, models.BinaryField):
        yield bytes(value or b"") + b"\0"
        yield bytes(32)
    elif isinstance(field, models.UUIDField):
        yield "00000000-0000-4000-8000-000000000001"
    elif field.choices:
        yield from (choice for choice, _label in field.choices if choice != value)
    elif isinstance(field, models.CharField | models.TextField):
        yield from ("Z-1", "0", "1/3")
    else:
        yield value - 1 if value else 1
        yield (value or 0) + 1
    if field.null and value is not None:
        yield None


def ids_of_neighbors(model: type[models.Model]) -> Iterator[Any]:
    """The id of a row like the only one, in its facility, which the attacker adds to have another to point to."""
    row = model._default_manager.first()
    if row is None:
        return
    fields = [field for field in row._meta.concrete_fields if field.name not in {"id", "facility"}]
    in_words = [field for field in fields if isinstance(field, models.CharField) and not field.choices]
    of_key = [field for field in fields if field.name in unique_columns(model)]
    pairs = other_pairs(row, [*in_words, *of_key])
    singles = [dict([pair]) for pair in other_pairs(row, of_key)]
    if neighbor := copy_of(row, [dict(reversed(pairs)), dict(pairs), *singles]):
        yield neighbor.pk


def checks_of(model: type[models.Model], column: str = "") -> Iterator[Any]:
    """The findings of the check that compares a column, or of every check of the model."""
    declared = STATED[model]
    if declared.key and (not column or column in declared.stated):
        yield from check_columns(lambda: None, [model])
    paths = {declared.derived[column]} if column in declared.derived else set()
    if not column:
        paths = set(declared.derived.values())
    for path in sorted(paths):
        yield from function_at(path)(lambda: None)


def is_named(model: type[models.Model], column: str = "") -> bool:
    return any(True for _finding in checks_of(model, column))


def unnoticed_changes(row: models.Model, columns: set[str]) -> Iterator[str]:
    """Each of these columns of a row, changed to a value that the database accepts, for which nothing is found."""
    model = type(row)
    for field in row._meta.concrete_fields:
        if field.primary_key or field.name not in columns:
            continue
        before = transaction.savepoint()
        for value in other_values(field, getattr(row, field.attname)):
            point = transaction.savepoint()
            try:
                with transaction.atomic():
                    model._default_manager.filter(pk=row.pk).update(**{field.attname: value})
                if not is_named(model, field.name):
                    yield f"{model.__name__} {row}: {field.name} = {value!r}"
                break
            except (IntegrityError, DataError):  # the database refuses this value
                continue
            finally:
                transaction.savepoint_rollback(point)
        transaction.savepoint_rollback(before)


def is_attacked(declared: StatedModel) -> bool:
    """Whether entries prove rows of the model. Those of the record itself are attacked in `test_verification.py`."""
    return bool(declared.stated or declared.derived) and CHAIN not in declared.derived.values()


def unnoticed_rows(model: type[models.Model]) -> Iterator[str]:
    """What is not noticed of a deleted row, and of one that nobody entered."""
    declared = STATED[model]
    row = model._default_manager.order_by("pk").last()
    if row is None or not declared.key:
        return
    point = transaction.savepoint()
    rows = model._default_manager.filter(pk=row.pk)
    with contextlib.suppress(IntegrityError):  # the database keeps a row that others point to
        with transaction.atomic():
            rows._raw_delete(rows.db)
        if not declared.may_be_gone and not is_named(model):
            yield f"{model.__name__} {row}: deleted"
    transaction.savepoint_rollback(point)
    point = transaction.savepoint()
    added = phantom_of(row)  # None: the database takes no other row
    if added and not is_named(model) and not any("Z-1" in sentence for sentence in not_covered()):
        yield f"{model.__name__} {added}: added"
    transaction.savepoint_rollback(point)


def phantom_of(row: models.Model) -> models.Model | None:
    """A copy of a row under another key, with as few other values as the database asks for."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    key = unique_columns(type(row))
    others = other_pairs(row, [field for field in fields if field.name in key] or fields)
    of_facility = [(name, value) for name, value in others if name != "facility_id"]
    return copy_of(row, [*(dict([pair]) for pair in others), dict(of_facility), dict(others)])


def unique_columns(model: type[models.Model]) -> set[str]:
    named = {name for constraint in model._meta.constraints for name in getattr(constraint, "fields", ())}
    return named | {field.name for field in model._meta.concrete_fields if field.unique}


def other_pairs(row: models.Model, fields: Iterable[Any]) -> list[tuple[str, Any]]:
    return [
        (field.attname, value)
        for field in fields
        for value in other_values(field, getattr(row, field.attname))
    ]


def copy_of(row: models.Model, attempts: Iterable[dict[str, Any]]) -> models.Model | None:
    """The first copy of a row, with these other values, that the database takes."""
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    values = {field.attname: getattr(row, field.attname) for field in fields}
    for changed in attempts:
        copy = type(row)(**{**values, **changed})
        try:
            with transaction.atomic():
                copy.save_base(raw=True, force_insert=True)
            return copy
        except (IntegrityError, DataError):
            continue
    return None


@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize("name", SCENES)
def test_whatever_is_changed_deleted_or_added_in_the_database_is_named(name, tmp_path, settings):
    settings.SEALER_DIR = str(tmp_path / "sealer")
    SCENES[name](tmp_path)
    findings = [str(finding) for check in RECORD_CHECKS for finding in check(lambda: None)]
    assert findings == [], "\n".join(findings)
    unnoticed: list[str] = []
    attacked = [model for model in MODELS if is_attacked(STATED[model]) and model._default_manager.exists()]
    with as_superuser():
        for model in attacked:
            for row in model._default_manager.order_by("pk")[:1]:
                columns = STATED[model].stated
                unnoticed += unnoticed_changes(
                    row, columns | STATED[model].derived.keys() if name == PLAYED else columns
                )
            unnoticed += unnoticed_rows(model)
    assert unnoticed == [], "\n".join(unnoticed)


# Entries of an attacker


@pytest.fixture
def house():
    with clock.override(lambda: NOON):
        scene = make_scene()
        registration.record_people()
        yield scene


def say_on_record(facility: str, entry: Any, **by: Any) -> None:
    """Append an entry on the stream of sign-ins, as the web role may, whoever it names."""
    stream = record.lock_stream(f"{facility}/sign-in")
    record.append(stream, entry=entry, moment=clock.now(), gaming_day=clock.now().date(), **by)


def phantom(scene: Any, *by: str) -> None:
    """A manager whom the attacker adds to the rows, with an entry that names these people, if any."""
    ghost = Person.objects.create_person(
        "ghost", "739154", name="G. Host", role="pit-manager", department="table-games", facility="larkfield"
    )
    people = [scene.people.get(code, ghost) for code in by]
    entry = PERSON_RECORDED(registration.statement_of(ghost))
    say_on_record("larkfield", entry, **dict(zip(("actor", "witness"), people, strict=False)))


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_phantom_manager_with_an_entry_of_nobody_is_listed(house):
    phantom(house)
    assert any("ghost (entry" in sentence for sentence in not_covered())


@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("actor", "witness"),
    [("dealer", "compliance"), ("shift-manager", "floorperson"), ("ghost", "compliance")],
)
def test_a_phantom_manager_whom_others_put_on_record_is_named(house, actor, witness):
    phantom(house, actor, witness)
    [finding] = check_registrations(lambda: None)
    assert (finding.code, finding.where["person"]) == ("person-by-others", "ghost")


@pytest.mark.django_db
@pytest.mark.both_databases
def test_what_two_people_of_the_policy_put_on_record_is_not_named(house):
    phantom(house, "system-administrator", "compliance")
    assert list(check_registrations(lambda: None)) == []


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_phantom_podium_with_an_entry_of_nobody_is_listed_and_of_others_is_named(house):
    devices.enroll("ghost-podium", "larkfield", "podium")
    assert any("ghost-podium (entry" in sentence for sentence in not_covered())
    devices.enroll("ghost-pit", "larkfield", "pit", by=house.people["floorperson"])
    [finding] = check_registrations(lambda: None)
    assert (finding.code, finding.where["device"]) == ("device-by-others", "ghost-pit")


@pytest.mark.django_db
@pytest.mark.both_databases
def test_an_entry_of_a_device_that_no_entry_enrolled_is_named(house):
    ghost = Device.objects.create(
        name="ghost", facility="larkfield", station="podium", token_sha256=bytes(32), enrolled_at=clock.now()
    )
    house.act("report_dispute", {"seat": 1, "about": "the call"}, device=house.tablet)
    say_on_record("larkfield", ENROLLMENT_REFUSED({"name": "Podium", "why": "used"}), device=ghost)
    codes = [finding.code for finding in verification.verify().findings]
    assert sorted(codes) == ["device-not-enrolled", "device-unrecorded"]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_an_entry_of_somebody_whom_no_entry_states_is_named(house):
    ghost = Person.objects.create_person(
        "ghost", "739154", name="G. Host", role="pit-manager", department="table-games", facility="larkfield"
    )
    say_on_record("larkfield", ENROLLMENT_REFUSED({"name": "Podium", "why": "used"}), actor=ghost)
    [finding] = check_registrations(lambda: None)
    assert (finding.code, finding.where["person"]) == ("actor-unrecorded", "ghost")
