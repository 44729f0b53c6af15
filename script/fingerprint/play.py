"""The whole play: which scenes, in which order, and what is written at its end."""

import contextlib
import hashlib
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from script.fingerprint.floor import Floor
from script.fingerprint.installation import Clock, Product, Randomness, installation, manage
from script.fingerprint.notes import BUNDLE, Notes
from script.fingerprint.paper import adjudicated, odds
from script.fingerprint.scenes.games import (
    play_a_round_everywhere,
    play_football_table,
    play_high_roll_tables,
    play_one_table,
)
from script.fingerprint.scenes.office import play_office, play_providers, play_requests
from script.fingerprint.scenes.rooms import look_around, play_desk, play_rooms
from script.fingerprint.scenes.tables import (
    play_absences,
    play_dice_and_shakers,
    play_halts,
    play_limits,
    play_shifts,
    play_slips,
    play_the_night,
)

SHORT: tuple[Callable[[Floor], None], ...] = (play_one_table, play_a_round_everywhere)
SCENES: tuple[Callable[[Floor], None], ...] = (
    play_one_table,
    play_dice_and_shakers,
    play_shifts,
    play_high_roll_tables,
    play_football_table,
    play_slips,
    play_limits,
    play_rooms,
    play_office,
    play_requests,
    play_providers,
    play_the_night,
    play_desk,
    look_around,
    play_absences,
    play_halts,
)


def play(out: Path, *, short: bool) -> list[str]:
    """Plays, and writes the fingerprint to the folder. Returns what was not answered as expected."""
    notes, clock, randomness = Notes(out), Clock(), Randomness()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name in ("os.urandom", "random._urandom"):
            stack.enter_context(patch(name, randomness))
        stack.enter_context(installation(folder, migrated=not short))
        stack.enter_context(Product.clock_at(clock))
        notes.line("odds.json", odds(folder))
        answers, status = adjudicated()
        notes.write("adjudicate.jsonl", answers)
        notes.line("adjudicate-status.json", status)
        for clause in json.loads(manage("clauses", "--json")[0])["clauses"]:
            notes.line("clauses.jsonl", {name: clause[name] for name in ("id", "cite", "kind")})
        manage("seed_demo")
        floor = Floor(notes, clock, randomness)
        floor.note_snapshots()
        for scene in SHORT if short else SCENES:
            floor.play(scene)
        write_record(notes, floor, folder)
        if not short:
            write_bundle(notes, folder)
    notes.close()
    return floor.unexpected


def write_bundle(notes: Notes, folder: Path) -> None:
    """The names and digests of the files of an evidence bundle."""
    file = folder / "evidence.zip"
    manage("audit_export", "--facility", "larkfield", "--format", "bundle", "--output", str(file))
    with zipfile.ZipFile(file) as bundle:
        for name in sorted(bundle.namelist()):
            notes.line(BUNDLE, {"name": name, "sha256": hashlib.sha256(bundle.read(name)).hexdigest()})


def write_record(notes: Notes, floor: Floor, folder: Path) -> None:
    """Every entry, the exports, and every settlement settled again."""
    entries = floor.entry_model.objects.order_by("stream__name", "seq")
    for stream, type_, body in entries.values_list("stream__name", "type", "body"):
        notes.line("entries.jsonl", {"stream": stream, "type": type_, "body": bytes(body).decode()})
    live = floor.table_model.objects.filter(kind="live").order_by("stream__name")
    tables = [word for name in live.values_list("stream__name", flat=True) for word in ("--stream", name)]
    for name, words in (("live", ()), ("training", ("--training",)), ("tables", tables)):
        export = folder / f"{name}.jsonl"
        manage("audit_export", *words, "--output", str(export))
        notes.write(f"export-{name}.jsonl", export.read_bytes())
        notes.line(
            "figures.jsonl", {"readjudicate": name, "answer": manage("readjudicate", "--json", *words)}
        )
