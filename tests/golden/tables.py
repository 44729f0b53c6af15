"""What happens at tables apart from their rounds: dice, shakers, shifts, slips, limits, hours, halts."""

from typing import Any

from tests.golden.floor import Floor
from tests.golden.games import play_sic_bo

Json = dict[str, Any]


def play_dice_and_shakers(floor: Floor) -> None:
    """The dice of a table with an automated shaker, which fails and is replaced."""
    sam, kate, marta, place = "sam", "kate", "marta", "larkfield/T-02"
    floor.act(marta, place, "issue_dice", {"lot": "L-0012"}, witness=kate, expect=422)
    for lot in ("L-0012", "L-0014", "L-0016", "L-0018"):
        floor.act(marta, place, "issue_dice", {"lot": lot}, witness="rita")
    floor.act(marta, place, "return_dice", {"lot": "L-0014", "compartment": "B-2"}, witness="rita")
    floor.act(marta, place, "issue_dice", {"lot": "L-0035"}, witness="rita", expect=422)
    play_sic_bo(floor, sam, place)
    floor.act(sam, place, "unlock_shaker", {"why": "a die stuck"}, witness=kate)
    floor.wager(sam, place, (1, "big", 1_000), (2, "small", 2_000))
    floor.act(sam, place, "report_device_failure", {"what": "shaker", "dice": None}, witness=kate)
    floor.act(kate, place, "replace_shaker", {"shaker": "S-91"}, expect=422)
    floor.act(kate, place, "replace_shaker", {"shaker": "S-91", "covered_or_signed": True})
    floor.act(kate, place, "change_dice_lot", {"lot": "L-0012", "seal": "SL-100"})
    floor.act(kate, place, "return_shaker", {"shaker": "S-02", "how": "a new belt"})
    play_sic_bo(floor, sam, place)
    chipped = {"why": "chipped", "found": "an edge is broken"}
    floor.act(sam, place, "withdraw_dice", chipped, witness=kate)
    floor.wager(sam, place, (1, "big", 1_000), expect=422)
    floor.act(kate, place, "change_dice_lot", {"lot": "L-0016", "seal": "SL-101"})
    floor.deal(sam, place, (1, "big", 1_000))
    floor.act(kate, place, "examine_dice", {"lot": "L-0012", "tampered": False, "found": "as reported"})
    floor.act(kate, place, "examine_dice", {"lot": "L-0018", "tampered": True}, expect=422)
    floor.act(kate, place, "examine_dice", {"lot": "L-0018", "tampered": True, "found": "the seal is cut"})
    back = {"shaker": "S-02", "covered_or_signed": False, "removed_from_table": True, "tosses": 3}
    floor.act(kate, place, "replace_shaker", back)
    floor.act(kate, place, "close_table", {"dice": "removed"})


def play_limits(floor: Floor) -> None:
    """Limits that change by notice, at once, and not at all."""
    linh, kate, place = "linh", "kate", "larkfield/T-03"
    floor.act(kate, place, "change_limits", {"min_cents": 5_000, "max_cents": 1_000}, expect=422)
    floor.act(kate, place, "change_limits", {"min_cents": 5_000, "max_cents": 200_000})
    floor.act(kate, place, "change_limits", {"min_cents": 1_000, "max_cents": 200_000}, expect=422)
    floor.wager(linh, place, (1, "big", 2_500))
    floor.act(linh, place, "post_limits_sign")
    floor.act(linh, place, "announce_limits")
    floor.until(linh, place)
    floor.wait(minutes=31)
    floor.deal(linh, place, (1, "big", 2_500))
    floor.act(kate, place, "change_limits", {"min_cents": 2_500, "max_cents": 100_000})
    floor.act(kate, place, "cancel_limits_change", {"why": "a mistake"})
    floor.act(kate, place, "change_limits", {"min_cents": 2_500, "max_cents": 100_000})
    floor.act(kate, place, "players_left", expect=422)
    floor.act(kate, place, "players_left", {"left": [1]})
    low = {"min_cents": 1_000, "max_cents": 100_000, "nobody_plays": True}
    floor.act(kate, place, "change_limits", low)
    floor.act(kate, place, "change_limits", {**low, "left": [1]}, expect=422)
    floor.act(linh, place, "post_limits_sign", expect=422)
    floor.act(
        kate, place, "log_device_incident", {"what": "a phone counts rolls", "action": "put away", "seat": 2}
    )
