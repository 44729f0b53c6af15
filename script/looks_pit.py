"""The floor of the pictures of the pit's money, figures and people in docs/looks.md: the demo's evening."""

import random
import uuid
from typing import Any

from script.screenshots import FACILITY, Floor

TABLE = "T-04"
RATED_WAGERS = ((2, "big", 5_000), (2, "total:12", 1_000), (5, "small", 2_500), (5, "two-dice:2-5", 500))
PARTLY = {"500": 100, "2500": 100}


class EveningFloor(Floor):
    """The demo's evening, with a fill at the table, another that is requested, and two rated players."""

    def play(self) -> None:
        from django.core.management import call_command

        from audit.models import Person
        from tables.demo.seeding import do
        from tables.demo.simulation import FILL, UNDER_WAY
        from tables.dice_watch.counting import count_dice
        from tables.models import ChipTransfer, Table

        people = {person.code: person for person in Person.objects.filter(facility=FACILITY)}

        def act(by: str, table: str, name: str, params: dict[str, Any], witness: str = "") -> None:
            do(people[by], self.device, FACILITY, table, name, params, people[witness] if witness else None)

        def fill(table: str, chips: dict[str, int]) -> ChipTransfer:
            """The fill under way at a table, requested now if there is none."""
            row = Table.objects.get(facility__code=FACILITY, code=table)
            under_way = ChipTransfer.objects.filter(table=row, status__in=UNDER_WAY)
            if not under_way.exists():
                assert row.floorperson is not None
                act(row.floorperson.code, table, "request_fill", {"chips": chips})
            return under_way.get(kind=ChipTransfer.Kind.FILL)

        brought = fill(TABLE, FILL)
        transfer = {"transfer": brought.number}
        if brought.status == ChipTransfer.Status.REQUESTED:
            act("cleo", TABLE, "prepare_transfer", transfer)
        if brought.status != ChipTransfer.Status.ON_THE_WAY:
            act("cleo", TABLE, "hand_over_transfer", transfer, "rita")
        fill("T-31", PARTLY)
        prepared = fill("T-32", {"10000": 40})
        if prepared.status == ChipTransfer.Status.REQUESTED:
            act("cleo", "T-32", "prepare_transfer", {"transfer": prepared.number})
        self.finish_round(TABLE)
        self.place(TABLE, *RATED_WAGERS)
        self.rate_players(people["marta"])
        for dice in ([1, 3, 6], [4, 4, 2], [2, 5, 5]):
            self.step(TABLE, "call_dice")
            self.act(TABLE, "call_dice", {"dice": dice})
            self.step(TABLE, "clear_layout")
            self.act(TABLE, "clear_layout")
            self.place(TABLE, *RATED_WAGERS)
        call_command("figures_rollup", verbosity=0)
        count_dice()

    def finish_round(self, table: str) -> None:
        """Play the round that the evening left at a table to its end."""
        from tables.demo.evening import table_of_the_evening
        from tables.demo.simulation import acts_of_round
        from tables.models import Wager

        simulated = table_of_the_evening(table)
        assert simulated is not None
        if Wager.objects.filter(round__table=simulated.table, round__ended_at=None).exists():
            for _ in acts_of_round(simulated, random.Random(1)):
                pass

    def rate_players(self, manager: Any) -> None:
        from audit.runner import ActRequest
        from tables.demo.seeding import do
        from tables.runner import facility

        for seat, name in ((2, "Pat Example"), (5, "Sam Sample")):
            params = {"name": name, "card": ""}
            outcome = facility.execute(
                ActRequest(FACILITY, "", "register_player", uuid.uuid4(), 0, params, manager, self.device)
            )
            rating = {"seat": seat, "player": str(outcome.body["player"])}
            do(manager, self.device, FACILITY, TABLE, "start_rating", rating)

    @property
    def player(self) -> str:
        """The address of the first rated player."""
        from tables.models import Player

        return f"/floor/{FACILITY}/players/{Player.objects.earliest('pk').code}/"
