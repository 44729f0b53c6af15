"""A fill in browsers: the cage sends it with security, and dealer and floor count and sign for it at the table."""

from collections.abc import Mapping

from playwright.sync_api import expect

from tests.e2e.floor import Screen, Tablet


def sends_the_fill(cage: Screen) -> None:
    """The only request is prepared, and handed to security, who signs."""
    cage.tap("[data-open=prepare]")
    cage.tap("#prepare [data-go]")
    expect(cage.page.locator("#paper-h")).to_have_text("F-0001")
    cage.tap("[data-open=hand-over]")
    # Security signs for chips by denomination, as the slip lists them
    chips = cage.page.locator(".slip-paper .chips-of tr").all_inner_texts()
    assert len(chips) > 2
    expect(cage.page.locator("#hand-over .chips-of tr")).to_have_text(chips, use_inner_text=True)
    cage.enter_pin(cage.page.locator("#hand-over"))
    expect(cage.page.locator(".lane--on-the-way .slip-code")).to_have_text("F-0001")


def receives_the_fill(dealer: Tablet, chips: Mapping[str, int]) -> None:
    """The dealer counts these chips, in the order of the page, and the floor signs on the tablet."""
    dealer.tap("[data-open=more]")
    dealer.tap("#more .choice:has-text('Tray')")
    expect(dealer.page.locator("html")).to_have_attribute("data-ready", "")
    dealer.tap(".switch a:has-text('The fill')")
    go = dealer.page.locator("#go")
    expect(go).to_have_attribute("data-code", "slip")
    expect(dealer.page.locator("html")).to_have_attribute("data-ready", "")
    counts = [str(chips[chip]) for chip in sorted(chips, key=int)]
    for place, count in enumerate(counts):
        if place:
            dealer.tap("[data-count-next]")
        dealer.page.keyboard.type(count)
    expect(go).to_contain_text("Sign for")
    dealer.tap(go)
    signature = dealer.page.locator("#sign-count")
    signature.locator("[data-witness]").select_option("floorperson")
    dealer.enter_pin(signature)
    expect(signature).to_be_hidden()
