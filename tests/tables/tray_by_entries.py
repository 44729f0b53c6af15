"""What a tray holds by the entries of its table alone: no row, and no function of the product but JSON.

tray = opener + fills − credits + taken − paid − sold for cash + corrected by slips
win = closer + credits + drop − opener − fills = taken − paid + corrected, where the counts agree with the record
"""

import json
from collections import Counter, defaultdict
from typing import Any

from audit.models import Entry

Line = dict[str, Any]
Key = tuple[int, str, int | None]
TAKEN = ("lose", "fee")


def key_of(line: Line) -> Key:
    return line["seat"], line["wager"], line.get("play")


class TrayByEntries:
    """The sums of the open inventory in cents, and how each slip number ended. `read` takes what was written since."""

    def __init__(self, stream: str) -> None:
        self.stream, self.seq = stream, 0
        self.is_open, self.inventory, self.rounds_before, self.newest_round = False, 0, 0, 0
        self.sums: Counter[str] = Counter()
        self.throws: dict[int, dict[int, list[Line]]] = defaultdict(
            dict
        )  # by round and throw, not yet counted
        self.lines: dict[int, list[Line]] = {}  # of each round that has ended, as the newest slip settles it
        self.moved: Counter[tuple[int, int]] = Counter()  # what each seat added to the tray, by round
        self.slips: dict[str, str] = {}
        self.withheld: dict[
            int, tuple[str, int]
        ] = {}  # by round, a slip and the chips whose review comes first
        self.drop = 0  # of the boxes of the open inventory, in cash

    @property
    def cents(self) -> int | None:
        sums = self.sums
        money = sums["opener"] + sums["fills"] - sums["credits"] - sums["sold"]
        return money + self.win if self.is_open else None

    @property
    def win(self) -> int:
        return self.sums["taken"] - self.sums["paid"] + self.sums["corrected"]

    def read(self) -> None:
        entries = Entry.objects.filter(stream__name=self.stream, seq__gt=self.seq).order_by("seq")
        for content in entries.values_list("body", flat=True):
            body = json.loads(bytes(content))
            self.seq = body["seq"]
            self.apply(body["_type"], body["data"])

    def apply(self, type_: str, data: dict[str, Any]) -> None:
        match type_:
            case "inventory.opener_counted":
                self.end_rounds()
                self.is_open, self.inventory, self.drop = True, self.inventory + 1, 0
                assert data["inventory"] == self.inventory
                self.rounds_before, self.sums = self.newest_round, Counter(opener=data["cents"])
            case "inventory.closer_counted":
                self.close(data)
            case "inventory.counted":
                self.end_rounds()
                assert (data["exact_cents"], data["difference_cents"]) == (
                    self.cents,
                    data["cents"] - self.cents,
                )
            case "chips.sold":
                self.sums["sold"] += data["cents"]
                self.drop += data["cents"]
            case "slip.filed":
                self.end_rounds()
                self.file(data)
            case "slip.reviewed":
                self.review(data)
            case "slip.settled":
                for amount in data["moved"]:
                    self.moved[data["round"], amount["seat"]] -= amount["cents"]
                    self.sums["corrected"] -= amount["cents"] if self.is_open else 0
            case _ if type_.startswith("transfer."):
                self.transfer(type_.partition(".")[2], data)
            case _ if "settled" in data and "throw" in data:
                self.throws[data["round"]][data["throw"]] = data["settled"]
        if isinstance(data.get("round"), int):
            self.newest_round = max(self.newest_round, data["round"])

    def end_rounds(self) -> None:
        """Count the rounds that have ended: everything is settled once, and what goes back was not taken."""
        for number, throws in self.throws.items():
            lines = {key_of(line): line for _throw, settled in sorted(throws.items()) for line in settled}
            self.lines[number] = list(lines.values())
            for line in lines.values():
                taken = line["cents"] if line["outcome"] in TAKEN else 0
                self.sums["taken"] += taken
                self.sums["paid"] += line["paid_cents"]
                self.moved[number, line["seat"]] += taken - line["paid_cents"]
        self.throws.clear()

    def transfer(self, step: str, data: dict[str, Any]) -> None:
        slip, status = data["slip"], self.slips.get(data["slip"] or "", "")
        cents = {data["kind"] + "s": data["cents"]}
        before = {"prepared": "", "handed_over": "prepared", "received": "handed_over"}
        if step == "prepared":
            letter = slip[0]
            assert int(slip[2:]) == 1 + sum(code.startswith(letter) for code in self.slips), slip
        if step in before:
            assert status == before[step], (slip, status, step)
            self.slips[slip] = step
        elif step == "voided":
            assert status in ("prepared", "handed_over"), (slip, status)
            self.slips[slip] = step
            if status == "handed_over" and data["kind"] == "credit":
                self.sums.subtract(cents)
        elif step in ("carrier_signed", "count_refused"):
            assert status == ("prepared" if step == "carrier_signed" else "handed_over"), (slip, status, step)
        else:
            assert slip is None, "a request has no slip"
        if (data["kind"], step) in (("fill", "received"), ("credit", "handed_over")):
            assert self.is_open
            self.sums.update(cents)

    def file(self, data: dict[str, Any]) -> None:
        """Add what a slip says of chips that are elsewhere, and take its settlement for the next slip."""
        number = data["round"]
        elsewhere: Counter[int] = Counter()
        taken = {key_of(line): line["cents"] for line in self.lines[number] if line["outcome"] in TAKEN}
        for wager in data["mended"].get("wagers", ()):
            recorded = wager["before_cents"] if key_of(wager) in taken else 0
            everything = wager["after_cents"] or wager["before_cents"]
            in_fact = {"recorded": recorded, "player": 0, "house": everything}[wager["chips"]]
            elsewhere[wager["seat"]] += in_fact - recorded
        for payment in data["mended"].get("payments", ()):
            net = payment["handed_taken_cents"] - payment["handed_paid_cents"]
            elsewhere[payment["seat"]] = net - self.moved[number, payment["seat"]]
        for seat, seat_cents in elsewhere.items():
            self.moved[number, seat] += seat_cents
        cents = elsewhere.total() + self.withheld.pop(number, ("", 0))[1]
        assert data.get("elsewhere_cents", 0) == cents
        if cents < 0 and data.get("review", {}).get("before_money"):
            self.withheld[number] = data["slip"], cents
        else:
            self.correct(number, cents)
        self.lines[number] = data["settled"]

    def review(self, data: dict[str, Any]) -> None:
        """Take the chips off the tray that are gone, as somebody outside the table agrees."""
        slip, cents = self.withheld.get(data["round"], ("", 0))
        if data["verdict"] == "agrees" and slip == data["slip"]:
            del self.withheld[data["round"]]
            self.correct(data["round"], cents)

    def correct(self, number: int, cents: int) -> None:
        if self.is_open and number > self.rounds_before:
            self.sums["corrected"] += cents

    def close(self, data: dict[str, Any]) -> None:
        self.end_rounds()
        sums = self.sums
        assert (data["inventory"], data["exact_cents"]) == (self.inventory, self.cents)
        for name in ("opener", "fills", "credits", "sold", "taken", "paid", "corrected"):
            assert data[f"{name}_cents"] == sums[name], name
        won = data["cents"] + sums["credits"] + self.drop - sums["opener"] - sums["fills"]
        assert won - data["difference_cents"] == self.win
        self.is_open = False
