"""What happens at tables apart from their rounds: dice, shakers, shifts, slips, limits, hours, halts."""

import datetime as dt
from typing import Any

from script.fingerprint.floor import Floor
from script.fingerprint.scenes.games import play_sic_bo

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


def play_shifts(floor: Floor) -> None:
    """Tables that open and close, with shakers of other kinds, and dealers who come and go."""
    zara, ivan, place = "zara", "ivan", "larkfield/T-24"
    floor.sign_in(floor.tablet(place), zara)
    floor.inspect(ivan, place)
    floor.act(ivan, place, "open_table", {"acknowledge_lapsed": True})
    play_sic_bo(floor, zara, place, 2)
    floor.wager(zara, place, (1, "big", 1_000))
    floor.until(zara, place, "call_dice")
    floor.act(zara, place, "draw_dice")
    floor.act(zara, place, "draw_dice", expect=422)
    floor.until(zara, place)
    floor.act(ivan, place, "close_table", {"dice": "stay", "secured": True})
    floor.act(zara, place, "leave_table")
    player = "larkfield/T-06"
    floor.sign_in(floor.tablet(player), zara)
    floor.inspect(ivan, player)
    floor.act(ivan, player, "open_table", {"acknowledge_lapsed": True})
    play_sic_bo(floor, zara, player)
    floor.act(ivan, player, "close_table", {"dice": "stay", "secured": True})
    floor.send(floor.tablet(player), "/sign-off")
    for dealer, table in (("linh", "T-03"), ("rosa", "T-04"), ("omar", "T-05")):
        play_sic_bo(floor, dealer, f"larkfield/{table}", 2)
    play_sic_bo(floor, "ana", "seabright/T-01", 2)
    floor.wager("ana", "seabright/T-01", (1, "big", 1_000))
    floor.until("ana", "seabright/T-01", "call_dice")
    failed = {"dice": [4, 4, 4], "what": "device"}
    floor.act("ana", "seabright/T-01", "report_device_failure", failed, witness="fred", expect=422)
    floor.act("ana", "seabright/T-01", "report_device_failure", failed, witness="cora")
    floor.until("ana", "seabright/T-01", "record_repair")


def play_slips(floor: Floor) -> None:
    """Error Notification Slips of every kind, about rounds at one table."""
    mei, kate, marta, place = "mei", "kate", "marta", "larkfield/T-01"
    floor.deal(mei, place, (1, "big", 2_500), (2, "small", 1_000), (3, "total:12", 500), dice=[[2, 5, 5]])
    number = floor.snapshot(place)["round"]["number"] - 1
    about: Json = {"round": number, "reason": "found on the recording"}
    settled_seq = floor.entry_of(place, number, "round.settled")
    dice = {"kind": "dice", "dice": [2, 5, 6], **about}
    floor.preview_slip(mei, place, dice)
    floor.act(mei, place, "file_slip", {**dice, "corrects": settled_seq + 1}, witness=kate, expect=422)
    floor.act(mei, place, "file_slip", {**dice, "corrects": settled_seq}, witness=kate)
    due = floor.slip_due(place)
    floor.act(mei, place, "settle_slip", {"slip": "ENS-0001", "moved": due[:-1]}, witness=kate, expect=422)
    floor.act(mei, place, "settle_slip", {"slip": "ENS-0001", "moved": due}, witness=kate)
    wrong = [
        {"seat": 4, "wager": "big", "cents": 1_000, "chips": "player"},
        {"seat": 2, "wager": "small", "cents": 0},
    ]
    wagers = {
        "kind": "wager",
        "wagers": wrong,
        **about,
        "corrects": floor.entry_of(place, number, "slip.filed"),
    }
    floor.preview_slip(mei, place, wagers)
    floor.act(mei, place, "file_slip", wagers, witness=kate)
    less = [{**payment_due, "cents": 0} for payment_due in floor.slip_due(place)]
    floor.act(mei, place, "settle_slip", {"slip": "ENS-0002", "moved": less}, witness=kate, expect=422)
    unpaid = {"slip": "ENS-0002", "moved": less, "reason": "the players had left"}
    floor.act(mei, place, "settle_slip", unpaid, witness=kate)
    handed = [{"seat": 1, "paid_cents": 5_000, "taken_cents": 0}]
    payment = {"kind": "payment", "payments": handed, **about}
    floor.act(
        mei,
        place,
        "file_slip",
        {**payment, "corrects": floor.entry_of(place, number, "slip.filed")},
        witness=kate,
    )
    refund = {"slip": "ENS-0003", "moved": floor.slip_due(place), "reason": "given back"}
    floor.act(mei, place, "settle_slip", refund, witness=kate)
    void = {"kind": "void", **about, "corrects": floor.entry_of(place, number, "slip.filed")}
    floor.act(mei, place, "file_slip", void, witness=kate, expect=422)
    floor.preview_slip(mei, place, void)
    newest = {**void, "corrects": floor.entry_of(place, number, "slip.filed")}
    floor.act(marta, place, "file_slip", newest, witness=mei)


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


def play_the_night(floor: Floor) -> None:
    """The hours go by: alerts of people and tablets, dice that run out, and a new gaming day."""
    place = "larkfield/T-05"
    floor.wait(minutes=6)
    floor.deal("omar", place, (1, "big", 1_000))
    placed = dt.datetime.fromisoformat(floor.snapshot(place)["lot"]["expires_at"])
    seconds_left = (placed - floor.clock.now).total_seconds()
    for seconds in (seconds_left - 3_500, 3_000, 450, 60):
        floor.wait(seconds=seconds)
    floor.wager("omar", place, (1, "big", 1_000))
    floor.act("omar", place, "shake", {"shakes": 3}, expect=422)
    floor.act("marta", place, "issue_dice", {"lot": "L-0020"}, witness="rita")
    floor.act("ivan", place, "change_dice_lot", {"lot": "L-0020", "seal": "SL-200"})
    floor.deal("omar", place, (1, "big", 1_000), (2, "small", 1_000))
    for alert in floor.snapshot(place)["alerts"]:
        if alert["id"] and not alert["acknowledged"]:
            floor.act("ivan", place, "acknowledge_alert", {"alert": alert["id"], "note": "seen"}, expect=200)
            break
    floor.act("omar", place, "acknowledge_alert", {"alert": 1}, expect=403)


def play_absences(floor: Floor) -> None:
    """A tablet without a line, a clock that is set, and people who are gone from their posts."""
    place = "larkfield/T-05"
    floor.deal("omar", place, (1, "big", 1_000))
    floor.hear(place)
    floor.wait(seconds=70)
    floor.clock.jump(30)
    floor.tick()
    for code in ("omar", "dana", "ivan"):
        floor.dismiss(code)
    floor.tick(10)


def play_halts(floor: Floor) -> None:
    """A forged head, and a backup that was restored: the table stops until two people declare a new incarnation."""
    linh, place = "linh", "larkfield/T-03"
    floor.act("marta", place, "issue_dice", {"lot": "L-0022"}, witness="rita")
    floor.act("kate", place, "change_dice_lot", {"lot": "L-0022", "seal": "SL-201"})
    head = floor.snapshot(place)["head"]
    floor.act(linh, place, "no_more_bets", head={**head, "mac": "0" * 64}, expect=422)
    floor.wager(linh, place, (1, "big", 1_000))
    backup = floor.back_up()
    floor.wager(linh, place, (2, "small", 1_000))
    lost = floor.snapshot(place)["head"]
    floor.restore(backup)
    floor.act(linh, place, "no_more_bets", head=lost, expect=423)
    floor.act(linh, place, "no_more_bets", expect=423)
    pins = "".join(f"{floor.people[code].pin}\n" for code in ("carla", "viktor"))
    words = ("carla", "viktor", "--why", "a backup was restored", "--pins-from-stdin")
    floor.command("declare_incarnation", *words, stdin=pins.encode())
    floor.until(linh, place)
    floor.seal()
