"""What simulated players bet at High Roll Dice."""

from random import Random

from games.simulated_wagers import SeatWager, TableInPlay, TableWager

STAKES_CENTS = (500, 1_000, 2_500, 5_000, 10_000)


def wagers_of_seat(codes: list[str], draw: Random) -> list[SeatWager]:
    """Return one unit on some of Pip Street, and perhaps on circles, an Extra Roll and Millionaire Row."""
    unit = draw.choice(STAKES_CENTS)
    families = {name: [code for code in codes if code.startswith(name)] for name in ("pip", "like-kind")}
    lines = draw.sample(families["pip"], draw.randint(1, 3))
    circles = draw.sample(families["like-kind"], draw.randint(0, 4))
    if circles and "extra-roll" in codes and draw.random() < 0.4:
        circles.append("extra-roll")
    row: list[SeatWager] = (
        [{"wager": "millionaire:9", "cents": 100}] if "millionaire:9" in codes and draw.random() < 0.2 else []
    )
    wagers: list[SeatWager] = [{"wager": code, "cents": unit} for code in lines + circles]
    return wagers + row


def wagers_before_act(state: TableInPlay, draw: Random) -> list[TableWager]:
    """Return no wagers: none are added in the middle of a round."""
    return []
