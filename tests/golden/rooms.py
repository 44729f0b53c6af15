"""The rooms of the floor, the compliance desk, and the pages of all of them."""

from typing import Any

from tests.golden.floor import Floor

Json = dict[str, Any]


def play_rooms(floor: Floor) -> None:
    """The dice room, the equipment and the staff of the house."""
    marta, house = "marta", "larkfield"
    box = {"dice": 3, "size_um": 19_050, "seal_intact": True, "maker": "Vineyard Dice", "attested": True}
    lots = [{**box, "lot": "L-0100", "serial": "V-1"}, {**box, "lot": "L-0101", "serial": "V-2"}]
    floor.in_room(marta, house, "receive_dice", {"from": "the maker", "lots": lots}, expect=422)
    floor.in_room(marta, house, "receive_dice", {"from": "the maker", "lots": lots}, witness="rita")
    floor.in_room(
        marta, house, "receive_dice", {"from": "the maker", "lots": lots}, witness="rita", expect=422
    )
    tools = {"micrometer": "M-1", "caliper": "C-1", "square": "Q-1", "compartment": "B-2"}
    good = {"low_um": 19_040, "high_um": 19_060, "balanced": True, "square": True, "clean": True}
    measured = {"lot": "L-0100", "dice": [good] * 3, **tools}
    floor.in_room(marta, house, "inspect_dice", measured, witness="rita")
    bad = {"lot": "L-0101", "dice": [good, {**good, "high_um": 19_500}, good], **tools}
    floor.in_room(marta, house, "inspect_dice", bad, witness="rita")
    destroyed = {"lots": ["L-0101", "L-0012"], "how": "cancelled"}
    floor.in_room(marta, house, "destroy_dice", destroyed, witness="rita")
    floor.in_room("noah", house, "register_shaker", {"shaker": "S-95", "kind": "manual"})
    approval = {
        "subject": "shaker", "shaker": "S-95", "body": "Bureau of Gaming Operations", "reference": "BGO-95",
        "approved_on": "2026-11-20", "ends_on": "2027-11-20", "lines": ["opaque"],
        "letter": floor.document("A letter about the shaker"),
    }  # fmt: skip
    floor.in_room("noah", house, "record_approval", approval)
    layout = {
        "subject": "layout",
        "table": "T-03",
        "body": "Bureau of Gaming Operations",
        "reference": "BGO-96",
        "approved_on": "2026-11-20",
        "prints": ["odds"],
        "letter": floor.document("A letter about the layout"),
    }
    floor.in_room("noah", house, "record_approval", layout)
    floor.in_room("noah", house, "record_approval", {**layout, "shaker": "S-95"}, expect=422)
    number = int(floor.newest("larkfield/equipment", "approval.recorded")["approval"])
    floor.in_room("noah", house, "withdraw_approval", {"approval": number, "why": "another table's"})
    floor.in_room("viktor", house, "assign_person", {"person": "kate", "table": "T-04"})
    mine = int(floor.newest("larkfield/staff", "assignment.started")["assignment"])
    floor.in_room("viktor", house, "assign_person", {"person": "kate", "table": "T-04"}, expect=422)
    floor.in_room("viktor", house, "assign_elsewhere", {"person": "lena", "game": "craps"})
    floor.act("kate", "larkfield/T-04", "take_supervision")
    floor.in_room("viktor", house, "end_assignment", {"assignment": mine}, expect=422)
    floor.act("marta", "larkfield/T-04", "assign_floorperson", {"person": "ivan"})
    floor.in_room("viktor", house, "end_assignment", {"assignment": mine})
    trained = {
        "person": "sam",
        "game": "football",
        "reference": "TR-9",
        "since": "2026-11-01",
        "ends_on": "2027-11-01",
    }
    floor.in_room("viktor", house, "record_qualification", trained)
    training = int(floor.newest("larkfield/staff", "qualification.recorded")["qualification"])
    floor.in_room("viktor", house, "end_qualification", {"qualification": training, "ends_on": "2026-12-01"})
    locked_out = floor.tablet("larkfield/T-04")
    for _ in range(6):
        floor.sign_in(locked_out, "rosa", "000000", expect=403)
