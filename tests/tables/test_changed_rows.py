"""Each column of each row of money and people, changed past the console: a full verification notices every change."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DataError, IntegrityError, models, transaction

from audit.record_checks import RECORD_CHECKS, RecordCheck
from tables.handover.record_checks import check_handovers
from tables.models import (
    ChipDiscrepancy,
    ChipSale,
    ChipTransfer,
    DropBox,
    Handover,
    ItemAcceptance,
    PlannedMove,
    Player,
    PlayerDetails,
    Rating,
    Slip,
    SlipNumbers,
    TableInventory,
    TrayPar,
)
from tables.money.record_checks import check_money
from tables.players.record_checks import check_players
from tables.replay.record_checks import check_play_tables
from tables.rotation.record_checks import check_planned_moves
from tests.services.restore import restored_later
from tests.tables import slip_scene, test_handover, test_money, test_players
from tests.tables.cast import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
MONEY = (ChipDiscrepancy, ChipSale, ChipTransfer, DropBox, SlipNumbers, TableInventory, TrayPar)
PLAYERS, HANDOVERS = (Player, PlayerDetails, Rating), (Handover, ItemAcceptance)
CHECKED: dict[RecordCheck, tuple[type[models.Model], ...]] = {
    check_money: MONEY,
    check_play_tables: (Slip,),
    check_players: PLAYERS,
    check_handovers: HANDOVERS,
    check_planned_moves: (PlannedMove,),
}


@restored_later
def evening() -> Scene:
    """A table with a row of each sort: an inventory that is over and an open one, slips, players, plans, a handover."""
    scene = make_scene(opened=False)
    test_money.keep_inventory(scene)
    scene.staff()
    scene.act("set_par", {"chips": test_money.OPENER}, by="pit-manager", device=scene.podium)
    test_money.count(scene, "count_opener", test_money.OPENER)
    test_money.box(scene, "put_on_drop_box", {"box": "B-1"})
    scene.inspect()
    scene.open()
    scene.act("sell_chips", {"cents": 50_000, "chips": {"2500": 20}, "seat": 3})
    received = test_money.fill(scene)
    scene.act("report_count_difference", {**received, "chips": {"500": 1}, "note": "a short tube"})
    scene.act("receive_transfer", {**received, "chips": test_money.FILL}, witness="floorperson")
    test_money.cage(scene, "void_transfer", {**test_money.fill(scene), "reason": "not needed"}, "security")
    credit = test_money.request(scene, "credit", {"2500": 20})
    test_money.cage(scene, "prepare_transfer", credit)
    scene.act("sign_to_carry", credit, witness="security")
    scene.act("hand_over_transfer", credit, witness="floorperson")
    test_money.cage(scene, "receive_transfer", {**credit, "chips": {"2500": 20}}, "security")
    canceled = {**test_money.request(scene), "reason": "asked twice"}
    scene.act("cancel_transfer", canceled, by="floorperson", device=scene.podium)
    code = test_players.register(scene)
    scene.play((1, "small", 2_500), (2, "big", 5_000), (4, "small", 1_000), dice=[2, 5, 6])
    test_players.rate(scene, code)
    scene.finish()
    scene.act("move_rating", {"seat": 1, "to_seat": 4}, by="floorperson")
    slip_scene.file(scene, "dice", dice=[1, 1, 2])
    slip_scene.review(scene, reason="as on the recording")
    slip_scene.settle(scene, (1, 5_000), (2, -10_000), (4, 2_000))
    scene.act("report_dispute", {"seat": 3, "about": "the call"})
    test_money.count(scene, "count_tray", {"100": 1})
    test_money.box(scene, "take_off_drop_box")
    test_money.cage(scene, "count_drop", {"drop_box": 1, "cents": 49_900}, "compliance")
    test_money.count(scene, "count_closer", {"100": 2})
    scene.close()
    test_money.count(scene, "count_opener", {"100": 2, "500": 1})
    scene.in_room("plan_move", {"person": "relief", "table": "T-01"}, by="floorperson")
    scene.act("take_over_table", by="relief")
    scene.in_room("plan_move", {"person": "dealer", "table": "T-01"}, by="floorperson")
    draft = test_handover.handover_draft(scene.table.facility, scene.fresh.stream.last_at)
    test_handover.accept(scene, *[row.item.key for row in draft.items])
    test_handover.sign(scene, note="A quiet night")
    return scene


def findings(*checks: RecordCheck) -> list[str]:
    """What these checks of a full verification find; without names, all of them."""
    return [str(finding) for check in checks or RECORD_CHECKS for finding in check(lambda: None)]


def other_values(field: Any, value: Any) -> Iterator[Any]:
    """Other values of this column, as somebody with the database's password may write them."""
    if field.is_relation:
        rows = field.related_model._default_manager.exclude(pk=value)
        yield from rows.order_by("pk").values_list("pk", flat=True)[:3]
    elif isinstance(field, models.BooleanField):
        yield not value
    elif isinstance(field, models.DateTimeField):
        yield (value or dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)) - dt.timedelta(hours=1)
    elif isinstance(field, models.DateField):
        yield (value or dt.date(2026, 11, 21)) - dt.timedelta(days=1)
    elif isinstance(field, models.JSONField):
        yield from ([], {"100": 7})
    elif field.choices:
        yield from (choice for choice, _label in field.choices if choice != value)
    elif isinstance(field, models.CharField):
        yield "Z-1"
    else:
        yield value - 1 if value else 1
    if field.null and value is not None:
        yield None


def test_every_changed_column_is_noticed(hands):
    evening()
    assert findings() == []
    unnoticed = []
    for check, checked_models in CHECKED.items():
        for model in checked_models:
            rows = model._default_manager.order_by("pk")
            assert rows, model
            for row in rows[:3]:
                unnoticed += [f"{model.__name__} {row}: {change}" for change in unnoticed_changes(row, check)]
    for model in (ChipSale, SlipNumbers, TrayPar):
        point = transaction.savepoint()
        model._default_manager.all().delete()
        if not findings(check_money):
            unnoticed.append(f"{model.__name__}: deleted")
        transaction.savepoint_rollback(point)
    ChipSale(**{**ChipSale.objects.values().get(), "id": None}).save()
    if not findings(check_money):
        unnoticed.append("ChipSale: entered twice")
    assert unnoticed == [], "\n".join(unnoticed)


def unnoticed_changes(row: models.Model, check: RecordCheck) -> Iterator[str]:
    """Each column of a row, changed to a value that the database accepts, for which the check finds nothing."""
    for field in row._meta.concrete_fields:
        if field.primary_key:
            continue
        for value in other_values(field, getattr(row, field.attname)):
            point = transaction.savepoint()
            try:
                with transaction.atomic():
                    type(row)._default_manager.filter(pk=row.pk).update(**{field.attname: value})
                if not findings(check):
                    yield f"{field.name} = {value!r}"
                break
            except (IntegrityError, DataError):  # the database refuses this value
                continue
            finally:
                transaction.savepoint_rollback(point)
