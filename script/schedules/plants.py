"""Defects that are planted to show that schedules notice them.

One is planted in the server by another function, or in the pages by another text of a script. Nothing of it is written
to the tree.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.db import transaction

from audit import runner as act_runner
from audit.models import Command
from audit.sealing import state
from script.schedules.house import Image
from script.schedules.pages import engine
from script.schedules.runs import made_image
from script.schedules.schedule import Schedule
from script.service_finder import ROOT
from tables.core import context
from tables.runner import halts
from tables.runner import table as table_runner

SCRIPTS = ROOT / "static" / "js"
MOST_SCHEDULES = 60
TAPS = 40


@dataclass(frozen=True)
class Plant:
    """A defect: what it is, and how it is planted. `texts`: of acts.js, each with what stands in its place."""

    name: str
    title: str
    planted: Callable[[], Any] = nullcontext
    texts: tuple[tuple[str, str], ...] = ()


@contextmanager
def _executed_twice() -> Iterator[None]:
    """A repeated command is not found, its answer is not saved again, and nothing is stale, which would refuse it."""
    save, read_play = act_runner.save_command, context.read_play

    def save_once(command_id: Any, **values: Any) -> Command:
        known = Command.objects.filter(pk=command_id).first()
        return known or save(command_id, **values)

    def read_without_command(*arguments: Any) -> Any:
        return read_play(*arguments)[0], None

    with (
        patch.object(act_runner, "save_command", save_once),
        patch.object(table_runner, "read_play", read_without_command),
        patch.object(table_runner.TableRunner, "is_stale", lambda *arguments: False),
    ):
        yield


@contextmanager
def _answered_and_rolled_back() -> Iterator[None]:
    """Every tenth act is answered, and its transaction is rolled back."""
    perform, count = act_runner.ActRunner._perform, [0]

    def perform_and_roll_back(self: Any, request: Any, **options: Any) -> Any:
        response = perform(self, request, **options)
        count[0] += 1
        if count[0] % 10 == 0:
            transaction.set_rollback(True)
        return response

    with patch.object(act_runner.ActRunner, "_perform", perform_and_roll_back):
        yield


@contextmanager
def _signed_ahead() -> Iterator[None]:
    """The sealer writes what it signs to the database before its file has it."""
    write = state.write

    def write_without_pending(folder: Path, saved: state.State) -> None:
        if saved.pending is None:
            write(folder, saved)

    with patch.object(state, "write", write_without_pending):
        yield


@contextmanager
def _heads_not_missed() -> Iterator[None]:
    with (
        patch.object(halts, "verify_record_has_heads", lambda *arguments: None),
        patch.object(halts, "halt_for_device", lambda *arguments: []),
        patch.object(table_runner.TableRunner, "is_stale", lambda *arguments: False),
    ):
        yield


# Each of these two is what keeps the other one from saying something false.
LATER_TRIES_FORGOTTEN = ("(mayBeTaken || tries > 1) && !isAbout", "mayBeTaken && !isAbout")
PLANTS = (
    Plant(
        "busy-is-final",
        "a tablet says Not taken after five answers that nothing was begun",
        texts=(
            ("(tries >= BUSY_TRIES && isAbout(command, response))", "tries >= BUSY_TRIES"),
            (
                "mayBeTaken || !isAbout(body.command, response);",
                'mayBeTaken || (response.refusal?.code !== "not-begun" && !isAbout(body.command, response));',
            ),
            LATER_TRIES_FORGOTTEN,
        ),
    ),
    Plant(
        "try-forgotten",
        "a tablet forgets that a try had no answer",
        texts=(
            ("item.mayBeTaken = mayBeTaken || !isAbout(body.command, response);", "item.mayBeTaken = false;"),
            LATER_TRIES_FORGOTTEN,
        ),
    ),
    Plant("executed-twice", "a repeated act is executed again", _executed_twice),
    Plant("answered-and-lost", "an act is answered and rolled back", _answered_and_rolled_back),
    Plant(
        "head-unjudged",
        "no table looks at the signature of the head that a tablet has shown",
        lambda: patch.object(halts, "verify_head_is_ours", lambda *arguments: None),
    ),
    Plant("head-not-missed", "no table looks whether its record has the head of a tablet", _heads_not_missed),
    Plant(
        "command-not-ended",
        "the refusal of a retry does not end its command",
        lambda: patch.object(act_runner.ActRunner, "end_command", lambda self, request: True),
    ),
    Plant("signed-ahead", "the sealer writes before its file says what it signs", _signed_ahead),
)


def try_plants(names: Collection[str], seed: int) -> int:
    """Plant each defect, and run schedules from a seed on until one fails. Returns 1 if one is not noticed."""
    plants = [plant for plant in PLANTS if not names or plant.name in names]
    with made_image() as image, tempfile.TemporaryDirectory() as folder:
        noticed = [_try(plant, seed, image, Path(folder) / plant.name) for plant in plants]
    return int(not all(noticed))


def _try(plant: Plant, seed: int, image: Image, folder: Path) -> bool:
    began, what = time.monotonic(), f"{plant.name}: {plant.title}:"
    with engine(_scripts(plant, folder) if plant.texts else None) as pages:
        for number in range(seed, seed + MOST_SCHEDULES):
            with plant.planted():
                problems = Schedule(pages, image, number, TAPS).run().problems
            if problems and not _fails_without_plants(image, number):
                seconds = time.monotonic() - began
                print(f"{what} {problems[0]} (seed {number}, {seconds:.0f} s)", flush=True)
                return True
    print(f"{what} NOT NOTICED in {MOST_SCHEDULES} schedules from seed {seed}", flush=True)
    return False


def _fails_without_plants(image: Image, seed: int) -> bool:
    """Whether a schedule fails as the product is, so that it shows nothing about a plant."""
    with engine() as pages:
        problems = Schedule(pages, image, seed, TAPS).run().problems
    if problems:
        print(f"seed {seed} fails without a plant: {problems[0]}", flush=True)
    return bool(problems)


def _scripts(plant: Plant, folder: Path) -> Path:
    """A copy of the scripts of the pages with the defect."""
    folder.mkdir()
    for script in SCRIPTS.glob("*.js"):
        shutil.copy(script, folder)
    acts = folder / "acts.js"
    text = acts.read_text("utf-8")
    for old, new in plant.texts:
        if text.count(old) != 1:
            raise ValueError(f"{plant.name}: its old text occurs {text.count(old)} times")
        text = text.replace(old, new)
    acts.write_text(text, "utf-8")
    return folder
