"""Rounds of each game, and everything that can happen to one."""

from typing import Any

from tests.golden.floor import MOST_STEPS, Floor
from tests.golden.paper import FULL_GAME, SINGLE_PLAY, STAKES, high_roll_lines, sic_bo_codes

Json = dict[str, Any]


def play_sic_bo(floor: Floor, dealer: str, place: str, rounds: int = 1) -> None:
    """Some rounds with wagers of all sorts, inside and outside the limits."""
    codes = sic_bo_codes()
    for _ in range(rounds):
        seats = floor.draw.sample(range(1, 9), 3)
        areas = [(seat, code) for seat in seats for code in floor.draw.sample(codes, 4)]
        wagers = [(seat, code, floor.draw.choice((100, *STAKES, 250_000))) for seat, code in areas]
        floor.deal(dealer, place, *wagers)


def play_one_table(floor: Floor) -> None:
    """Everything that can happen to a round, at a table of Sic Bo."""
    mei, kate, place = "mei", "kate", "larkfield/T-01"
    tablet = floor.tablet(place)
    floor.sign_in(tablet, mei, "000000", expect=403)
    floor.sign_in(tablet, mei)
    for act, params, expect in (
        ("call_dice", {"dice": [1, 2, 3]}, 422),
        ("no_such_act", {}, 404),
        ("place_wagers", {"wagers": "none"}, 422),
        ("place_wagers", {"wagers": [{"seat": 1, "wager": "huge", "cents": 500}]}, 422),
        ("place_wagers", {"wagers": [{"seat": 9, "wager": "big", "cents": 500}]}, 422),
        ("place_wagers", {"wagers": [{"seat": 1, "wager": "big", "cents": 500, "made_in": "cash"}]}, 422),
        ("place_wagers", {"wagers": [{"seat": 1, "wager": "big", "cents": 0}]}, 422),
        ("take_supervision", {}, 403),
        ("seat_player", {"seat": 1}, 422),
    ):
        floor.act(mei, place, act, params, expect=expect)
    play_sic_bo(floor, mei, place, 2)
    _correct_before_payment(floor, mei, kate, place)
    _end_early(floor, mei, kate, place)
    _relief(floor, mei, place)


def _correct_before_payment(floor: Floor, dealer: str, chief: str, place: str) -> None:
    floor.wager(
        dealer, place, (1, "big", 2_500), (2, "small", 1_000), (3, "total:9", 500), (4, "two-dice:2-5", 5_000)
    )
    floor.wager(dealer, place, (3, "total:9", 0), (2, "small", 2_000))
    floor.act(dealer, place, "no_more_bets", seen=1, head=None, expect=409)
    floor.until(dealer, place, "call_dice")
    floor.wager(dealer, place, (5, "big", 1_000), expect=422)
    missed = {
        "seat": 5,
        "wager": "total:12",
        "cents": 1_000,
        "made_in": "chips",
        "reason": "lay under a plaque",
    }
    floor.act(dealer, place, "record_missed_wager", missed, expect=422)
    floor.act(dealer, place, "record_missed_wager", missed, witness=chief)
    struck = {"seat": 4, "wager": "two-dice:2-5", "reason": "was another seat's"}
    floor.act(dealer, place, "strike_mistaken_wager", struck, witness=chief)
    floor.act(dealer, place, "call_dice", {"dice": [7, 1, 1]}, expect=422)
    floor.act(dealer, place, "call_dice", {"dice": [2, 5, 5]})
    floor.act(dealer, place, "correct_dice", {"dice": [2, 5, 6], "reason": "read wrongly"}, witness=chief)
    late = {
        "seat": 6,
        "wager": "one-of-a-kind:6",
        "cents": 1_500,
        "made_in": "plaques",
        "reason": "seen on camera",
    }
    floor.act(dealer, place, "record_missed_wager", late, witness=chief)
    early = {"seat": 1, "wager": "big", "reason": "was a late bet"}
    floor.act(dealer, place, "strike_mistaken_wager", early, witness=chief)
    floor.act(dealer, place, "report_dispute", {"seat": 2, "about": "says that the total was 11"})
    floor.until(dealer, place, "pay_seats")
    floor.act(dealer, place, "pay_seats", {"seats": [6]})
    floor.act(
        dealer, place, "correct_dice", {"dice": [1, 1, 1], "reason": "too late"}, witness=chief, expect=422
    )
    floor.until(dealer, place)
    alerts = [alert for alert in floor.snapshot(place)["alerts"] if alert["kind"] == "dispute"]
    floor.act(chief, place, "acknowledge_alert", {"alert": alerts[0]["id"], "note": ""}, expect=422)
    floor.act(
        chief, place, "acknowledge_alert", {"alert": alerts[0]["id"], "note": "Decided by the recording."}
    )


def _end_early(floor: Floor, dealer: str, chief: str, place: str) -> None:
    """A no roll, a round voided, and failures of the device before and after the dice were seen."""
    floor.wager(dealer, place, (1, "small", 1_000), (2, "any-three-of-a-kind", 500))
    floor.until(dealer, place, "call_dice")
    floor.act(dealer, place, "call_no_roll", {"reason": "leans"}, expect=422)
    no_roll = {"reason": "cocked", "faces_read": [6, 6]}
    floor.act(dealer, place, "call_no_roll", no_roll, witness=chief)
    floor.wager(dealer, place, (1, "small", 1_000))
    floor.act(dealer, place, "void_round", {"reason": "dispute"}, expect=422)
    floor.act(dealer, place, "void_round", {"reason": "dispute"}, witness=chief)
    floor.wager(dealer, place, (1, "small", 1_000), (8, "total:4", 1_000))
    floor.until(dealer, place, "call_dice")
    floor.act(dealer, place, "report_device_failure", {"dice": [1, 1, 2], "what": "layout"}, witness=chief)
    floor.until(dealer, place, "record_repair", "inspect_table")
    floor.wager(dealer, place, (1, "small", 1_000), expect=422)
    floor.act(chief, place, "record_repair", {"what": "a lamp was changed"})
    floor.inspect(chief, place)
    floor.wager(dealer, place, (1, "small", 1_000))
    floor.act(dealer, place, "report_device_failure", {"dice": None, "what": "device"})
    by_hand = {
        "dice": [3, 3, 4],
        "reason": "the tablet was dead",
        "wagers": [{"seat": 2, "wager": "small", "cents": 2_000}],
    }
    floor.act(chief, place, "record_hand_settled_round", by_hand, expect=422)
    floor.act(dealer, place, "record_hand_settled_round", by_hand, witness=chief)
    floor.act(chief, place, "record_repair", {"what": "the cable was changed"})
    floor.inspect(chief, place, (6, 6, 6))
    floor.act(dealer, place, "report_device_failure", {"what": "device"})
    floor.act(chief, place, "record_repair", {"what": "restarted"})
    floor.inspect(chief, place)


def _relief(floor: Floor, dealer: str, place: str) -> None:
    """Somebody takes over in the middle of a round, and cannot leave."""
    tablet = floor.tablet(place)
    floor.wager(dealer, place, (7, "big", 5_000))
    floor.sign_in(tablet, "zara")
    floor.send(tablet, "/sign-off", expect=422)
    floor.until("zara", place)
    floor.send(tablet, "/lock")
    floor.sign_in(tablet, dealer)


def play_high_roll(floor: Floor, dealer: str, place: str, dice: int, rounds: int = 2) -> None:
    """Rounds of High Roll Dice, with Extra Rolls where ten dice are thrown."""
    for seat in range(1, 7):
        if seat not in [
            seat_state["seat"]
            for seat_state in floor.snapshot(place)["round"]["seats"]
            if seat_state["taken"]
        ]:
            floor.act(dealer, place, "seat_player", {"seat": seat})
    for number in range(rounds):
        seats = floor.draw.sample(range(1, 7), 3)
        wagers = [
            (seat, line["wager"], line["cents"])
            for seat in seats
            for line in high_roll_lines(floor.draw, dice)
        ]
        floor.wager(dealer, place, *wagers)
        if number == 0:
            floor.until(dealer, place, "call_dice")
            floor.act(dealer, place, "call_no_roll", {"reason": "off-table", "faces_read": [1, 5]})
        floor.until(dealer, place)


def play_football(floor: Floor, dealer: str, place: str, rounds: int = 2) -> None:
    """Games of Three Dice Football: full game wagers before, wagers on each play."""
    for _ in range(rounds):
        quarterback = floor.snapshot(place)["round"]["game"]["quarterback"]
        seats = sorted({*floor.draw.sample(range(1, 17), 4), *([quarterback] if quarterback else [])})
        full = [
            (seat, code, floor.draw.choice(STAKES))
            for seat in seats
            for code in floor.draw.sample(FULL_GAME, 3)
        ]
        floor.wager(dealer, place, *full)
        number = floor.snapshot(place)["round"]["number"]
        for _ in range(MOST_STEPS):
            snapshot = floor.until(dealer, place, "throw_dice")
            if snapshot["round"]["number"] != number or snapshot["next"] is None:
                break
            game = snapshot["round"]["game"]
            if game["score"] is None:
                codes = floor.draw.sample(SINGLE_PLAY, 3)
                floor.wager(dealer, place, *((seats[0], code, 1_000, game["play"]) for code in codes))
            if not floor.act(floor.at_post(dealer, snapshot, "throw_dice"), place, "throw_dice").ok:
                break
            if floor.until(dealer, place, "throw_dice")["round"]["number"] != number:
                break


def play_a_round_everywhere(floor: Floor) -> None:
    """One round under each edition, for the test suite."""
    for dealer, place in (("omar", "larkfield/T-05"), ("linh", "larkfield/T-03"), ("ana", "seabright/T-01")):
        play_sic_bo(floor, dealer, place)
    play_high_roll(floor, "abel", "larkfield/T-31", 10, 1)
    play_high_roll(floor, "nora", "larkfield/T-32", 6, 1)
    play_football(floor, "dana", "larkfield/T-42", 1)
