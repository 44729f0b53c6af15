"""An evening is simulated beside a demo floor that is open in the browser: it is refused, and the floor goes on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import Dashboard, press_pin, touch
from tests.e2e.test_visitor import demo_at
from tests.services import chromium as chrome
from tests.services.installation import ROOT

pytestmark = pytest.mark.browser
BESIDE = ("manage.py", "simulate", "--hours=1", "--live", "--tables=2", "--seed=1")
REFUSED = (
    "CommandError: A server is running on this database, and its ticker writes at the present. Stop it first, and "
    "start it again afterward: the evening is on its floor then."
)


def simulate_beside(folder: Path) -> subprocess.CompletedProcess[str]:
    """What somebody types at the terminal of a machine whose demo runs on this file."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TEST_")},
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "DATABASE_URL": f"sqlite:///{folder / 'demo.sqlite3'}",
        "REDIS_URL": "",
    }
    return subprocess.run(
        (sys.executable, *BESIDE), cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


def test_an_open_floor_goes_on_while_an_evening_beside_it_is_refused(tmp_path, contexts):
    """The floor answered 500 with "database is locked", and the evening died with `clock-went-back`."""
    with demo_at(None, tmp_path, EVENING="0") as address:
        pages = chrome.Pages(contexts, address)
        pit = Dashboard(pages(1440, 900))
        page, answers = pit.page, []
        page.on("response", lambda response: answers.append(response.status))
        page.goto("/enrol")
        touch(page.locator("[value='larkfield']"))
        touch(page.locator("label.person:has(input[value='marta'])"))
        press_pin(page.locator("#sign-in"), "121212", by_fingers=False)
        pit.watch()
        tiles = page.locator(".tile").count()

        beside = simulate_beside(tmp_path)
        assert (beside.returncode, beside.stdout, beside.stderr.strip()) == (1, "", REFUSED)

        expect(page.locator("#live")).to_have_text("LIVE")
        assert page.evaluate("window.loadedOnce") is True
        pit.reload()
        pit.is_live()
        assert page.locator(".tile").count() == tiles  # and no tables of an evening
        assert max(answers) < 400 and pit.complaints == [] and pages.errors == []
        pages.close()
