"""The pages of the tray and the cage: what they show to whom, and that their figures are those of the record."""

import re
from html import unescape

import pypdfium2
import pytest
from django.test import Client

from games.models import Facility
from tables.money.tray_page import draw_tubes
from tables.screens import fragments
from tests.tables.cast import Scene, make_scene
from tests.tables.test_money import FILL, OPENER, box, cage, closed, count, fill, request, scene
from tests.tables.test_snapshot import verify_declared

__all__ = ["closed", "scene"]  # fixtures
pytestmark = pytest.mark.django_db
TABLE, CAGE = "/floor/larkfield/T-01", "/floor/larkfield/cage/"
TRAY = f"{TABLE}/tray"


def words(client: Client, address: str) -> str:
    """The words of a page, with one space between them."""
    response = client.get(address)
    assert response.status_code == 200
    text = re.sub(r"<(script|style)[^>]*>.*?</\1>|<[^>]+>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(text))


def set_par(scene: Scene, chips: dict[str, int]) -> None:
    scene.act("set_par", {"chips": chips}, by="pit-manager", witness="shift-manager", device=scene.podium)


def test_the_tray_shows_its_exact_value_as_the_sum_of_its_parts(scene):
    set_par(scene, OPENER)
    scene.act("sell_chips", {"cents": 50_000, "seat": 3})
    scene.play((3, "small", 10_000), (4, "big", 5_000), dice=[1, 2, 3])
    dealer = scene.browser("tablet", "dealer")
    before = words(dealer, TRAY)
    assert (
        "In the tray now $61,050 = Opener $61,550 Fills + $0 Credits − $0 Taken + $0 Paid − $0 Sold − $500"
        in before
    )
    scene.finish()
    after = words(dealer, TRAY)
    assert "In the tray now $61,000 =" in after
    assert "Taken + $50 Paid − $100 Sold − $500" in after
    assert "par $61,550" in after
    assert "B-17, $500 by the record" in after


def test_what_a_round_in_play_has_moved_is_in_the_value(scene):
    scene.play((3, "small", 10_000), (4, "big", 5_000), dice=[1, 2, 3])
    scene.act(scene.round_part["next"]["act"], scene.round_part["next"]["params"])
    text = words(scene.browser("tablet", "dealer"), TRAY)
    assert (
        "In the tray now $61,600 = Opener $61,550 Fills + $0 Credits − $0 Taken + $50 Paid − $0 Sold − $0"
        in text
    )
    assert "with what round 1 has moved so far" in text


def test_a_fill_at_the_table_is_counted_against_its_slip_and_dashed_until_it_is_in_the_tray(scene):
    transfer = fill(scene)
    dealer = scene.browser("tablet", "dealer")
    html = dealer.get(TRAY).content.decode()
    text = words(dealer, TRAY)
    assert "Fill, cage to T-01 F-0001" in text
    assert "Total 200 $3,000 Tray after it $64,550" in text
    assert "1 Dealer Dealer signed in here 2 Floorperson Floorperson by their own PIN" in text
    assert "+100 to come" in text
    assert html.count("not on the slip") == 4
    assert re.search(r'data-cell="500" data-expected="100"', html)
    assert 'data-act="receive_transfer"' in html
    scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")
    text = words(dealer, TRAY)
    assert "In the tray now $64,550" in text
    assert "Since then F-0001 came." in text
    assert "None is under way." in text


def test_a_credit_is_counted_by_the_table_and_voided_there_when_its_chips_are_back(scene):
    credit = request(scene, "credit", {"10000": 40})
    cage(scene, "prepare_transfer", credit)
    dealer = scene.browser("tablet", "dealer")
    page = dealer.get(TRAY).content.decode()
    assert 'data-open="carrier-signs"' in page and 'data-act="hand_over_transfer"' not in page
    assert "Who carries it signs first" in words(dealer, TRAY)
    scene.act("sign_to_carry", credit, witness="security")
    page = dealer.get(TRAY).content.decode()
    assert 'data-act="hand_over_transfer"' in page and 'data-open="carrier-signs"' not in page
    assert "Carrier signed" in words(dealer, TRAY)
    assert "−40 to leave" in words(dealer, TRAY)
    scene.act("hand_over_transfer", credit, witness="floorperson")
    text = words(dealer, TRAY)
    assert "In the tray now $57,550" in text
    assert "Since then C-0001 left." in text
    assert 'data-open="void-credit"' in dealer.get(TRAY).content.decode()
    assert "Back to the layout" in text
    assert "Back to the table" in words(scene.browser("podium", "floorperson"), TRAY)


def test_a_count_that_differs_says_so_beside_the_tubes(scene):
    assert "$61,550, no difference" in words(scene.browser("tablet", "dealer"), TRAY)
    count(scene, "count_tray", {**OPENER, "100": 45})
    assert "$61,545, −$5 against the record" in words(scene.browser("tablet", "dealer"), TRAY)


def test_a_closed_table_is_counted_against_the_slip_of_its_last_closer(closed):
    dealer = closed.browser("tablet", "dealer")
    assert "This table has no inventory yet" in words(dealer, TRAY)
    count(closed, "count_opener", OPENER)
    count(closed, "count_closer", OPENER)
    html = dealer.get(TRAY).content.decode()
    assert re.search(r'data-expected="6155000"', html)
    assert re.search(r'data-cell="2500" data-expected="400"', html)
    assert 'data-act="count_opener"' in html
    assert "The tray $61,550 Locked since the closer" in words(dealer, TRAY)


def test_a_table_that_is_open_when_its_house_begins_offers_the_opener():
    scene = make_scene()
    dealer = scene.browser("tablet", "dealer")
    text = words(dealer, TRAY)
    assert "does not keep the chips of this table" in text and "Nothing is counted now." in text
    Facility.objects.update(keeps_inventory=True)
    assert 'data-act="count_opener"' in dealer.get(TRAY).content.decode()
    count(scene, "count_opener", OPENER)
    assert "In the tray now $61,550" in words(dealer, TRAY)
    count(scene, "count_closer", OPENER)
    html = dealer.get(TRAY).content.decode()
    assert 'data-act="count_opener"' not in html and "No chips move until the table is closed." in html


def test_the_floor_asks_for_the_fill_that_restores_the_par(closed):
    set_par(closed, OPENER)
    count(closed, "count_opener", {**OPENER, "500": 118, "2500": 96})
    request(closed, "fill", {"500": 100})
    floor = closed.browser("podium", "floorperson")
    assert "{&quot;2500&quot;: 300, &quot;500&quot;: 50}" in floor.get(TRAY).content.decode()
    summary = words(floor, f"{TRAY}/summary")
    assert "$53,040 par $61,550" in summary
    assert "Fill $500 requested Ask for a fill" in summary and "since the count" not in summary
    assert "Ask for a fill" not in words(closed.browser("tablet", "dealer"), f"{TRAY}/summary")


def test_what_moved_since_the_count_is_spread_as_the_par_is_and_the_summary_says_so(scene):
    set_par(scene, OPENER)
    scene.act("sell_chips", {"cents": 50_000})
    scene.play((3, "small", 10_000), dice=[1, 2, 3])  # $100 paid
    scene.finish()
    summary = words(scene.browser("podium", "floorperson"), f"{TRAY}/summary")
    assert (
        "−$600 moved since the count without being entered by denomination. The order assumes the same mix"
        in summary
    )


def test_the_par_is_set_by_a_pit_manager_and_drawn_against_the_count(closed):
    manager = closed.browser("podium", "pit-manager")
    assert "Par none is set" in words(manager, TRAY) and "Set a par" in words(
        manager, TRAY
    )  # without an opener
    count(closed, "count_opener", {**OPENER, "500": 118, "2500": 96})
    html = unescape(manager.get(TRAY).content.decode())
    assert re.search(
        r'data-open="set-par" data-chips="{[^}]*"500": 118[,}]', html
    )  # the last count is offered
    assert 'id="set-par"' in html
    set_par(closed, {**OPENER, "500": 200})
    text = words(manager, TRAY)
    assert "Par $61,050" in text and "Change the par" in text
    assert '"500": 200' in unescape(manager.get(TRAY).content.decode())
    summary = words(manager, f"{TRAY}/summary")
    assert "$25 $2,400 $10,000 +$7,500 $5 $590 $1,000 +$250 $1 $50 $50 –" in summary
    assert '<rect class="in" width="24"' in manager.get(f"{TRAY}/summary").content.decode()
    for person in ("dealer", "floorperson"):
        browser = closed.browser("tablet" if person == "dealer" else "podium", person)
        assert "set-par" not in browser.get(TRAY).content.decode()


def test_the_tile_names_what_is_under_way_and_since_when(scene):
    def mark() -> str:
        tile = str(fragments.render("tile", scene.snapshot))
        (text,) = re.findall(r'<p class="chips-coming">(.*?)</p>', tile, re.DOTALL) or [""]
        return " ".join(re.sub(r"<[^>]+>", "", text).split())

    assert (scene.snapshot["transfers"], mark()) == ([], "")
    transfer = request(scene, "fill", FILL)
    since = scene.snapshot["transfers"][0]["requested_at"]
    assert mark() == "Fill of $3,000 Fill requested"
    cage(scene, "prepare_transfer", transfer)
    assert mark() == "Fill of $3,000 F-0001 at cage"
    credit = request(scene, "credit", {"10000": 40})
    cage(scene, "hand_over_transfer", transfer, witness="security")
    assert mark() == "Fill of $3,000 F-0001 carried +1"
    assert f'data-elapsed="{since}"' in fragments.render("tile", scene.snapshot)
    scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")
    cage(scene, "prepare_transfer", credit)
    assert mark() == "Credit of $4,000 C-0001 at table"
    verify_declared(scene.snapshot)


def test_who_looks_on_sees_the_tray_and_can_sign_nothing(scene):
    html = scene.browser("podium", "surveillance").get(TRAY).content.decode()
    assert "You can only look." in html
    assert "data-cell" not in html and "data-witness" not in html


def test_a_part_that_has_not_changed_is_not_sent_again(scene):
    dealer = scene.browser("tablet", "dealer")
    first = dealer.get(f"{TRAY}?part=1")
    assert first.content.decode().startswith('<main id="page"')
    again = dealer.get(f"{TRAY}?part=1", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    fill(scene)
    assert dealer.get(f"{TRAY}?part=1", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_the_cage_has_a_column_for_each_step_and_opens_what_it_does_next(scene):
    fill(scene)
    request(scene, "credit", {"10000": 50})
    second = request(scene, "fill", {"10000": 20})
    cashier = scene.browser("podium", "cage")
    text = words(cashier, CAGE)
    assert "Requested 2 The cage has to start these Credit no slip yet $5,000 T-01 cage" in text
    assert "Preparing 0" in text
    assert "On the way 1 In security’s hands Fill F-0001 $3,000 cage T-01" in text
    assert "Open now, not in these $5,000 out $5,000 in" in text
    cage(scene, "prepare_transfer", second)
    text = words(cashier, CAGE)
    assert "Larkfield Casino Fill slip F-0002" in text
    assert "Total 20 $2,000" in text
    assert "Hand over F-0002, $2,000, to security" in text


def test_the_cage_sums_the_day_and_no_number_is_missing(scene):
    transfer = fill(scene)
    scene.act("receive_transfer", {**transfer, "chips": FILL}, witness="floorperson")
    void = request(scene, "fill", {"500": 10})
    cage(scene, "prepare_transfer", void)
    cage(scene, "void_transfer", {**void, "reason": "wrong table"})
    text = words(scene.browser("podium", "cage"), CAGE)
    assert re.search(r"1 fill since \d\d:\d\d \$3,000 0 credits \$0 Net to the tables \$3,000", text)
    assert "Numbers, none missing 2 1 void, F-0002" in text
    assert "F-0001 Fill, cage to T-01 $3,000" in text
    assert "F-0002 Void: Fill, cage to T-01 $50" in text


def test_a_slip_prints_with_the_casino_and_the_title_of_the_form(scene):
    fill(scene)
    cashier = scene.browser("podium", "cage")
    response = cashier.get(f"{CAGE}F-0001.pdf")
    assert (response.status_code, response["Content-Type"]) == (200, "application/pdf")
    for unknown in ("F-0002", "C-0001", "X-0001", "F-x"):
        assert cashier.get(f"{CAGE}{unknown}.pdf").status_code == 403


def test_an_inventory_has_its_slip_and_the_win_of_the_counts_beside_that_of_the_record(scene):
    scene.act("sell_chips", {"cents": 50_000})
    scene.play((3, "small", 10_000), dice=[1, 2, 3])
    scene.finish()
    floor = scene.browser("podium", "floorperson")
    assert "$61,550 $0 $0 $500 open open −$100" in words(floor, f"{TABLE}/inventories/")
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", {**OPENER, "500": 180})  # $60,950, as the record says
    cage(scene, "count_drop", {"drop_box": 1, "cents": 49_900}, "compliance")
    page = words(floor, f"{TABLE}/inventories/")
    assert "$61,550 $0 $0 $500 $499" in page
    assert "$60,950 −$100 −$101" in page and "Slip 1 , PDF −$1 " in page
    assert "Drop box B-17" in page and "counted $499, −$1 against $500" in page
    slip = floor.get(f"{TABLE}/inventories/1.pdf")
    assert slip["Content-Type"] == "application/pdf"
    with pypdfium2.PdfDocument(slip.content) as pdf:
        text = " ".join(" ".join(page.get_textpage().get_text_range() for page in pdf).split())
    assert "Table inventory slip, T-01 inventory 1" in text
    assert "$5 300 $1,500 180 $900" in text
    assert "Win by the counts: closer + credits + drop − opener − fills −$101" in text
    assert "58 Pa. Code §§ 465a.36–465a.44" in text
    assert "Drop box B-17, " in text and "$500 $499 −$1" in text
    assert floor.get(f"{TABLE}/inventories/2.pdf").status_code == 403
    assert "has no inventory before that" in words(floor, f"{TABLE}/inventories/?before=1")
    assert "Inventories" in words(floor, f"{TABLE}/tray/summary")
    for person in ("games-administrator", "security", "cage"):
        for address in ("", "1.pdf"):
            answer = scene.browser("podium", person).get(f"{TABLE}/inventories/{address}")
            assert answer.status_code == 403, (person, address)


def test_the_cage_is_seen_by_its_cashiers_and_by_who_oversees_it(scene):
    for person, status in (
        ("cage", 200),
        ("pit-manager", 200),
        ("surveillance", 200),
        ("floorperson", 403),
        ("dealer", 403),
    ):
        assert scene.browser("podium", person).get(CAGE).status_code == status, person
    assert scene.browser("podium", "cage").get("/")["Location"] == CAGE
    html = scene.browser("podium", "pit-manager").get(CAGE).content.decode()
    assert "data-witness" not in html


def test_without_inventories_nothing_leads_to_them(scene):
    podium = scene.browser("podium", "pit-manager")
    assert f'href="{CAGE}"' in podium.get("/floor/larkfield/").content.decode()
    assert TRAY in scene.browser("tablet", "dealer").get(f"{TABLE}/console").content.decode()
    Facility.objects.update(keeps_inventory=False)
    assert f'href="{CAGE}"' not in podium.get("/floor/larkfield/").content.decode()
    assert f'href="{TRAY}"' not in scene.browser("tablet", "dealer").get(f"{TABLE}/console").content.decode()


def test_the_tubes_hold_what_was_counted_what_comes_and_the_par():
    drawing = draw_tubes({"500": 118}, {"500": 300}, {"500": 150})
    fives = drawing.denominations[1]
    assert (drawing.size, len(fives.tubes), fives.width) == (50, 6, 192)
    assert [(tube.filled, tube.change) for tube in fives.tubes] == [
        (225, 0), (225, 0), (81, 144), (0, 225), (0, 225), (0, 81),
    ]  # fmt: skip
    assert [tube.par_y for tube in fives.tubes] == [None] * 5 + [20]
    leaving = draw_tubes({"10000": 61}, {}, {"10000": -20}).denominations[3]
    assert [(tube.filled, tube.change) for tube in leaving.tubes] == [(225, 40.5), (49.5, 49.5)]
    assert draw_tubes({"500": 9_000}, {}, {}).size == 1_000
