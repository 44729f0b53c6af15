"""What the addresses of the API say of an evening, beside what the pages say."""

import datetime as dt
import json

import pytest
from django.core.management import call_command

from audit.models import Entry
from tables.api.people import PERSONAL_DATA_READ
from tables.models import DiceLot, Rating, Round
from tests.api.conftest import make_machine
from tests.tables import test_money, test_players
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HERE = "facilities/larkfield/"
TODAY = {"from": "2026-11-21", "to": "2026-11-21"}


def items(machine, address, **query):
    answer = machine.get(HERE + address, query)
    assert answer.status_code == 200, answer.content
    return answer.json()["items"]


def reads():
    entries = Entry.objects.filter(type=PERSONAL_DATA_READ.name).order_by("pk")
    return [json.loads(bytes(entry.body))["data"] for entry in entries]


def test_a_round_has_its_throws_wagers_and_settlements_with_their_reasons(machine, scene):
    scene.play((1, "small", 1_000), (3, "big", 2_500), dice=[1, 2, 5])
    scene.finish()
    round_ = machine("floor").get(f"{HERE}tables/T-01/rounds/1").json()
    assert (round_["wagered_cents"], round_["taken_cents"], round_["paid_cents"]) == (3_500, 2_500, 1_000)
    assert (round_["gaming_day"], round_["submission"], round_["ending"]) == (
        "2026-11-21",
        "RS-0009.1",
        "settled",
    )
    assert [(throw["dice"], throw["revision"], throw["lot"]) for throw in round_["throws"]] == [
        ([1, 2, 5], 1, "L-0001")
    ]
    assert [(row["seat"], row["code"], row["cents"]) for row in round_["wagers"]] == [
        (1, "small", 1_000), (3, "big", 2_500),
    ]  # fmt: skip
    lost, won = round_["settlements"]
    assert (lost["seat"], lost["outcome"], lost["returned_cents"], lost["why"]) == (
        3,
        "lose",
        0,
        "8 is under 11",
    )
    assert (won["pays"], won["paid_cents"], won["returned_cents"]) == ("1 to 1", 1_000, 1_000)
    assert won["cite"].startswith("58 Pa. Code § 625a.")


def test_lists_are_read_page_by_page_and_each_row_once(machine, scene):
    for _ in range(3):
        scene.play((1, "small", 1_000), (2, "big", 1_000), dice=[1, 2, 5])
        scene.finish()
    reader = machine("floor")
    for address, expected in (("rounds", 3), ("wagers", 6)):
        read, after = [], 0
        while after is not None:
            page = reader.get(HERE + address, {"limit": 2, "after": after}).json()
            read += page["items"]
            after = page["next"]
        assert len(read) == expected
    assert items(reader, "rounds", gaming_day="2026-11-20") == []
    assert [row["number"] for row in items(reader, "rounds", table="T-01", gaming_day="2026-11-21")] == [
        1,
        2,
        3,
    ]
    refused = reader.get(HERE + "rounds", {"limit": 501})
    assert (refused.status_code, refused.json()["code"]) == (422, "malformed")
    assert reader.get(HERE + "rounds", {"table": "T-99"}).status_code == 404


def test_a_pending_change_of_limits_has_its_moment(machine, scene, hands):
    scene.play((1, "small", 1_000), dice=[1, 2, 5])
    limits = {"min_cents": 2_000, "max_cents": 50_000}
    scene.act("change_limits", limits, by="floorperson", device=scene.podium)
    reader = machine("floor")
    shown = reader.get(f"{HERE}tables/T-01/limits").json()
    assert (shown["min_cents"], shown["pending"]["min_cents"], shown["pending"]["effective_at"]) == (
        1_000,
        2_000,
        None,
    )
    scene.act("post_limits_sign", by="floorperson", device=scene.podium)
    scene.act("announce_limits", by="floorperson", device=scene.podium)
    pending = reader.get(f"{HERE}tables/T-01/limits").json()["pending"]
    assert dt.datetime.fromisoformat(pending["effective_at"]) == hands.now + dt.timedelta(minutes=30)
    assert items(reader, "limits-changes") == [pending]


def test_dice_lots_and_rules_and_odds_are_those_of_the_office(machine, scene):
    reader = machine("floor")
    lots = items(reader, "dice-lots")
    assert len(lots) == DiceLot.objects.count() == 5
    assert next(lot for lot in lots if lot["code"] == "L-0001")["shaker"] == "S-01"
    (submission,) = items(reader, "submissions")
    assert (submission["code"], submission["state"], submission["edition"]) == (
        "RS-0009", "in-force", "pa-625a@2019-08-31/A",
    )  # fmt: skip
    whole = reader.get(f"{HERE}submissions/RS-0009/1").json()
    assert whole["terms_sha256"] == submission["terms_sha256"] and whole["terms"]
    odds = reader.get(f"{HERE}submissions/RS-0009/1/odds").json()["rows"]
    even = next(row for row in odds if "small" in row["codes"])
    assert (even["advantage"], even["payouts"]) == ("1/36", [{"pays": "1 to 1", "probability": "35/72"}])
    assert reader.get(f"{HERE}submissions/RS-0009/2").status_code == 404
    (game,) = reader.get(f"{HERE}guide").json()["content"]["games"]
    assert game["submissions"] == ["RS-0009 v1"]


def test_figures_are_those_of_the_command(machine, scene, capsys):
    scene.play((1, "small", 1_000), (3, "big", 2_500), dice=[1, 2, 5])
    scene.finish()
    reader = machine("money")
    for by in ("table", "round"):
        call_command("figures", "larkfield", "--from", "2026-11-21", "--to", "2026-11-21", "--by", by)
        (said,) = map(json.loads, capsys.readouterr().out.splitlines())
        (row,) = items(reader, "figures", by=by, **TODAY)
        assert {name: value for name, value in row.items() if value is not None} == said
    assert row["win_cents"] == 1_500
    assert reader.get(HERE + "figures", {"from": "2026-11-21", "to": "2026-12-22"}).status_code == 422


def test_an_inventory_with_a_fill_and_its_drop_box(db, hands):
    scene = make_scene(opened=False)
    test_money.keep_inventory(scene)
    scene.staff()
    test_money.count(scene, "count_opener", test_money.OPENER)
    test_money.box(scene, "put_on_drop_box", {"box": "B-1"})
    scene.inspect()
    scene.open()
    received = test_money.fill(scene)
    scene.act("receive_transfer", {**received, "chips": test_money.FILL}, witness="floorperson")
    scene.act("sell_chips", {"cents": 50_000, "chips": {"2500": 20}, "seat": 3})
    reader = make_machine("money")
    (inventory,) = items(reader, "inventories", gaming_day="2026-11-21")
    fill = sum(int(cents) * number for cents, number in test_money.FILL.items())
    assert (inventory["fills_cents"], inventory["sold_cents"], inventory["closer_cents"]) == (
        fill,
        50_000,
        None,
    )
    (transfer,) = items(reader, "transfers", kind="fill")
    assert (transfer["status"], transfer["cents"], transfer["chips"]) == ("received", fill, test_money.FILL)
    assert items(reader, "transfers", kind="credit") == []
    (drop,) = items(reader, "drops")
    assert (drop["box"], drop["sold_cents"], drop["counted_cents"]) == ("B-1", 50_000, None)


def test_ratings_have_exact_figures_and_each_read_of_people_is_on_record(machine, scene):
    code = test_players.register(scene)
    scene.play((1, "small", 1_000), dice=[6, 6, 1])
    test_players.rate(scene, code)
    scene.finish()
    reader = machine("people")
    (player,) = items(reader, "players")
    assert (player["code"], player["exclusion"]) == (code, "")
    (rating,) = items(reader, "ratings", table="T-01")
    assert (rating["player"], rating["rating"]) == (code, Rating.objects.get().pk)
    assert "dealer" in {row["person"] for row in items(reader, "duties")}
    assert [(read["what"], read["table"]) for read in reads()] == [
        ("list_players", None), ("list_ratings", "T-01"), ("list_people_on_duty", None),
    ]  # fmt: skip
    assert Entry.objects.filter(type=PERSONAL_DATA_READ.name, actor=reader.client.person.code).count() == 3


def test_a_card_is_looked_up_on_record_without_its_number(machine, scene):
    code = test_players.register(scene, card="4711-0815")
    reader = machine("people")
    assert reader.post(HERE + "players/lookup", {"card": "4711-0815"}).json() == {"player": code}
    assert reader.post(HERE + "players/lookup", {"card": "1"}).status_code == 404
    found = Entry.objects.filter(type="player.found").order_by("pk")
    assert [json.loads(bytes(entry.body))["data"]["player"] for entry in found] == [code, None]
    assert not any("4711-0815" in bytes(entry.body).decode() for entry in Entry.objects.all())


def test_alerts_and_cases_are_in_words(machine, scene):
    scene.act("call_floor")
    (alert,) = items(machine("cases"), "alerts", table="T-01", open="true")
    assert (alert["kind"], alert["table"], alert["decision"]) == ("floor-call", "T-01", "")
    assert alert["title"] and alert["text"]
    assert items(machine("cases"), "cases") == []
    assert [(read["what"], read["rows"], read["table"]) for read in reads()] == [
        ("list_alerts", 1, "T-01"), ("list_cases", 0, None),
    ]  # fmt: skip


def test_the_same_reads_of_people_within_a_minute_are_one_entry(machine, scene, hands):
    reader, other = machine("cases", "people"), machine("people")
    for seconds, count in ((0, 1), (59, 1), (1, 2)):
        hands.now += dt.timedelta(seconds=seconds)
        assert items(reader, "cases") == [] and len(reads()) == count
    items(reader, "alerts")
    items(reader, "alerts", table="T-01")
    items(reader, "players")
    items(other, "players")
    assert [(read["what"], read["table"]) for read in reads()[2:]] == [
        ("list_alerts", None), ("list_alerts", "T-01"), ("list_players", None), ("list_players", None),
    ]  # fmt: skip


def test_a_client_of_one_table_reads_nothing_of_the_whole_facility(machine, scene):
    sign = machine("floor", "people", "money", place="larkfield/T-01")
    refused = sign.get(HERE + "players")
    assert (refused.status_code, refused.json()["code"]) == (403, "of-the-whole-facility")
    assert sign.get(HERE + "rounds").status_code == 200
    assert items(sign, "figures", **TODAY) == []
    assert Round.objects.count() == 0


def test_a_gaming_day_is_written_as_a_date_and_never_read_of_a_number(machine, scene):
    client = machine("floor")
    for day in ("1764374400", "3.3e-178", "20261129", "2026-11-29T00:00"):
        answer = client.get("facilities/larkfield/rounds", {"gaming_day": day})
        assert (answer.status_code, answer.json()["code"]) == (422, "malformed"), day
