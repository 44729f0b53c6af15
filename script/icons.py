"""Draw the icons of the installed app from their SVGs: `python -m script.icons`, after a change of one of these.

iPads take no SVG as an icon, and Android's launchers cut the maskable one to their own shape.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.services.chromium import executable

IMAGES = Path(__file__).resolve().parents[1] / "static" / "img"
SIZES = {"icon": (180, 192, 512), "icon-maskable": (192, 512)}


def main() -> int:
    """Write one PNG for each size, with the name of its SVG."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        for name, sizes in SIZES.items():
            drawing = (IMAGES / f"{name}.svg").read_text()
            for size in sizes:
                page = browser.new_page(viewport={"width": size, "height": size})
                page.set_content(f"<style>body, svg {{ margin: 0; display: block; }}</style>{drawing}")
                page.screenshot(path=IMAGES / f"{name}-{size}.png", omit_background=True)
                page.close()
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
