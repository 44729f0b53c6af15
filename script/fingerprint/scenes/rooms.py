"""The rooms of the floor, the compliance desk, and the pages of all of them."""

import re
from typing import Any

from script.fingerprint.floor import Floor
from script.fingerprint.notes import PageText

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


def play_desk(floor: Floor) -> None:
    """The compliance desk: filters, copies of the record, its verification, and the proof of an entry."""
    floor.seal()
    search = {"name": "Voids", "query": "type=round.voided"}
    floor.at_desk("save_filter", {**search, "query": ""}, expect=422)
    floor.at_desk("save_filter", search)
    floor.at_desk("remove_filter", {"name": "Voids"})
    floor.at_desk("take_proof", {"place": "T-01", "seq": 5})
    floor.at_desk("take_proof", {"place": "T-01", "seq": 50_000}, expect=422)
    floor.at_desk("ask_export", {"kind": "csv", "day": "2026-11-21", "streams": ["T-31"]})
    floor.at_desk("ask_export", {"kind": "csv", "streams": ["T-24", "T-01"]}, expect=422)
    floor.at_desk("ask_verification", by="agnes")
    floor.at_desk("ask_verification", expect=422)
    floor.seal()
    floor.command("exporter", "--once")
    floor.seal()
    floor.command("verify_record")
    floor.command("sealer_key", "rotate")
    floor.command("sealer_key", "list")
    floor.command("sealer_key", "retire", floor.newest("installation/system", "key.created")["key"])
    floor.seal()


def look_around(floor: Floor) -> None:
    """Opens the pages of the floor, the rooms, the office, the desk and the public."""
    house = "/floor/larkfield"
    for url in (
        "/", f"{house}/", f"{house}/tiles", f"{house}/dice/", f"{house}/dice/L-0016/", f"{house}/equipment/",
        f"{house}/staff/", f"{house}/T-01/", f"{house}/T-31/", f"{house}/T-42/", f"{house}/T-01/rounds?before=5",
        f"{house}/T-01/screen/table", f"{house}/T-01/sign/", f"{house}/T-01/sign/limits",
        f"{house}/T-01/rounds/3/", f"{house}/T-01/rounds/3/?step=4", f"{house}/T-31/rounds/1/",
        f"{house}/T-42/rounds/1/", f"{house}/T-01/rounds/3/dice",
    ):  # fmt: skip
        floor.get("viktor", url, expect=302 if url == "/" else 200)
    office = "/office/larkfield"
    for url in (
        "submissions/", "submissions/RS-0003/", "submissions/RS-0003/1/", "odds/", "odds/?code=RS-0012", "signs/",
        "guide/", "guide/1/", "requests/", "requests/NG-0001/", "providers/", "providers/SP-0001/",
        "documents/", "deadlines/",
    ):  # fmt: skip
        floor.get("noah", f"{office}/{url}")
    desk = "/record/larkfield"
    for url in (
        "", "?type=round.settled", "?q=T-01", "clauses/", "integrity/", "exports/", "exports/list",
    ):  # fmt: skip
        floor.get("carla", f"{desk}/{url}")
    for query in (
        "day=2026-11-21",
        "day=2026-11-21&play=training",
        "day=2026-11-21&by=hour",
        "day=2026-11-22",
    ):
        page = PageText.of(floor.get("carla", f"{desk}/report/?{query}").content.decode())
        floor.notes.line("figures.jsonl", {"report": query, "figures": re.findall(r"\d[\d,.:]*", page)})
    for place in ("T-01", "T-31", "rules", "sign-in", "dice", "exports"):
        floor.get("carla", f"{desk}/entries/{place}/3/")
    floor.get("carla", "/rules/larkfield/")
    floor.get("carla", "/guide/seabright/", expect=404)
    for place, dealer in (("larkfield/T-01", "mei"), ("larkfield/T-31", "abel"), ("larkfield/T-42", "dana")):
        floor.get(dealer, f"/floor/{place}/console", place)
