"""Filing and settling slips at a table, so that a test reads as what people do."""

import json

from audit import clock
from audit.models import Entry
from games.params import Params
from tables.core.context import TableContext
from tables.corrections.settlements import read_correction
from tables.rounds.settlement import settled_data

FLOOR = "floorperson"


def found(scene, number=1, **said):
    """What the preview would say."""
    table = scene.fresh
    at = TableContext(table, None, None, None, clock.displayed_moment(table.stream, clock.now()))
    return read_correction(at, table.rounds.get(number=number), Params(said), "", settled_data)


def file(scene, kind, *, number=1, by="dealer", witness=FLOOR, reason="misread", corrects=None, **said):
    seen = corrects or found(scene, number, kind=kind, **said).corrects.seq
    params = {"round": number, "kind": kind, "corrects": seen, "reason": reason, **said}
    return scene.act("file_slip", params, by=by, witness=witness)


def settle(scene, *moved, code="ENS-0001", by="dealer", witness=FLOOR, **more):
    said = [{"seat": seat, "cents": cents} for seat, cents in moved]
    return scene.act("settle_slip", {"slip": code, "moved": said, **more}, by=by, witness=witness)


def review(scene, code="ENS-0001", by="surveillance", **said):
    return scene.act("review_slip", {"slip": code, **said}, by=by, device=scene.podium)


def entry(scene, type_):
    """The newest entry of a type: its number, its hash, its body."""
    one = Entry.objects.filter(stream=scene.table.stream, type=type_).latest("seq")
    return one.seq, bytes(one.hash).hex(), json.loads(bytes(one.body))


def win_change_cents(slip):
    """By how much a slip changes the settled win of its round."""
    before, after = slip.before, slip.after
    return (after["taken_cents"] - after["paid_cents"]) - (before["taken_cents"] - before["paid_cents"])


def play_on(scene, *throws):
    for dice in throws:
        scene.until("call_dice")
        scene.act("call_dice", {"dice": dice})
        while scene.round is not None and scene.snapshot["next"]["act"] == "settle_seats":
            scene.act("settle_seats")
    scene.finish()
