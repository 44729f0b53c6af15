"""A page fetches the Chinese font, 914 kB, only where it shows Chinese."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.floor import Dashboard, tablet
from tests.games.office.test_guide_acts import publish
from tests.services.chromium import Pages
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
FONTS = """async () => {
    await document.fonts.ready;
    const names = performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1));
    return names.filter((name) => name.endsWith(".woff2")).sort();
}"""
NAME, CHINESE = "noto-sans-sc-name.woff2", "noto-sans-sc.woff2"  # the name of the language has a font of 1 kB


def fonts_of(page: Page) -> list[str]:
    return page.evaluate(FONTS)


def test_a_console_and_a_dashboard_fetch_no_chinese_font(scene: Scene, new_page: Pages) -> None:
    dealer = tablet(new_page, scene)
    assert fonts_of(dealer.page) == ["inter.woff2"], "Small and Big have their characters drawn"
    pit = Dashboard(new_page(1440, 900)).begin(scene)
    assert fonts_of(pit.page) == ["inter.woff2"]


def test_the_guide_fetches_the_chinese_font_in_chinese_alone(scene: Scene, new_page: Pages) -> None:
    publish(scene)
    for language, fonts in {"en": [NAME], "es": [NAME], "zh": [NAME, CHINESE]}.items():
        page = new_page(390, 844)
        page.goto(f"/guide/larkfield/?lang={language}")
        expect(page.locator("h1")).to_be_visible()
        assert fonts_of(page) == ["inter.woff2", *fonts], language
