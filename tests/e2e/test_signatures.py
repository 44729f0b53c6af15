"""A signature that a row of a jurisdiction adds: on the slip of the cage, on the tray, in one dialog for all papers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings
from playwright.sync_api import expect

from audit.devices import enroll
from games.models import PaperSignature
from tables.models import ChipTransfer
from tables.money.chips import change_keeping
from tests.e2e.floor import Screen
from tests.e2e.test_money import is_well, sends_nothing_by_a_second_tap
from tests.fixtures.jurisdictions import FILE
from tests.tables.cast import Scene
from tests.tables.test_money import FILL, OPENER, box, count, fill
from tests.tables.test_signatures import FILL as FILL_ROW
from tests.tables.test_signatures import INVENTORY as INVENTORY_ROW

pytestmark = pytest.mark.browser


@pytest.fixture
def filled(stage, tmp_path: Path) -> Iterator[Scene]:
    """A table of Ruritania whose fill was received, and lacks the signature of a pit manager."""
    (tmp_path / "xx.toml").write_text(FILE.read_text("utf-8") + FILL_ROW + INVENTORY_ROW, "utf-8")
    with override_settings(JURISDICTION_DIRS=[tmp_path]):
        scene = stage("xx-7/A", opened=False)
        change_keeping(scene.table.facility, True)
        scene.staff()
        count(scene, "count_opener", OPENER)
        box(scene, "put_on_drop_box", {"box": "B-17"})
        scene.inspect()
        scene.open()
        scene.act("receive_transfer", {**fill(scene), "chips": FILL}, witness="floorperson")
        yield scene


def test_a_fifth_signer_signs_on_the_tray_and_the_slip_has_every_signature(filled, new_page, spotless):
    _device, token = enroll("Cage 1", "larkfield", "podium")
    cage, floor = Screen(new_page(1024, 768)), Screen(new_page(1024, 768))
    spotless += [cage, floor]
    cage.let_in(token, "cage", f"/floor/larkfield/cage/?slip={ChipTransfer.objects.get().pk}")
    expect(cage.page.locator(".signed-by .next-signer")).to_contain_text("Pit manager")
    is_well(cage.page)
    cage.tap(".to-sign [data-open=sign-paper]")
    expect(cage.page.locator("#sign-paper .paper-places li")).to_have_count(5)
    expect(cage.page.locator("#sign-paper [data-witness] option")).to_have_text(
        ["Pit Manager, pit manager", "Shift Manager, shift manager"]
    )
    cage.page.keyboard.press("Escape")

    floor.let_in(filled.tokens["podium"], "floorperson", "/floor/larkfield/T-01/tray")
    expect(floor.page.locator(".to-sign li[id]")).to_have_count(2)
    is_well(floor.page)
    sends_nothing_by_a_second_tap(floor.page, "sign-paper")
    floor.tap("#fill-1 [data-open=sign-paper]")
    dialog = floor.page.locator("#sign-paper")
    dialog.locator("[data-witness]").select_option("pit-manager")
    floor.enter_pin(dialog)
    expect(floor.page.locator("#fill-1")).to_have_count(0)
    assert PaperSignature.objects.get().person.code == "pit-manager"
    expect(cage.page.locator(".signed-by .done")).to_have_count(5)  # nobody reloads the page
    expect(cage.page.locator(".to-sign")).to_have_count(0)
