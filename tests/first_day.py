"""The acts of a facility's first day. `post` sends an act as a signed-in browser does (tests/tables/test_first_day.py).

tests/e2e/test_first_day.py walks the same day on the screens, as docs/first-day.md says.
"""

from collections.abc import Callable
from typing import Any

from audit import clock
from games.engine.editions import edition

FACILITY = "boardwalk"
BUREAU, LABORATORY, COMPLIANCE = (
    "Bureau of Gaming Operations",
    "Bureau of Gaming Laboratory Operations",
    "Bureau of Casino Compliance",
)
PIN = "314159"
# Code, name, role, department; the first two are created by the command.
PEOPLE = (
    ("teo", "Teo Marsh", "system-administrator", "information-technology"),
    ("carla", "Carla Reyes", "compliance", "compliance"),
    ("noah", "Noah Berg", "games-administrator", "compliance"),
    ("viktor", "Viktor Lind", "shift-manager", "table-games"),
    ("kate", "Kate Boyd", "floorperson", "table-games"),
    ("mei", "Mei Tran", "dealer", "table-games"),
    ("rita", "Rita Ibarra", "security", "security"),
)
SHAKER_LINES = [
    "shaker-integrity", "shaker-compartment", "shaker-cover", "shaker-sealable", "shaker-logo",
]  # fmt: skip

Post = Callable[..., dict[str, Any]]
File = Callable[[str], str]


def fill_the_office(post: Post, file: File) -> None:
    """The first rules submission, from draft to approval. `file` files a letter, and returns its code."""
    draft = post(
        "office", "draft_submission", {"edition": edition("pa-625a/A").key, "why": "The first table"}
    )
    version = {"code": draft["code"], "version": 1}
    post("office", "file_submission", version)
    decision = {
        "granted": True,
        "body": BUREAU,
        "reference": "BGO-0001",
        "letter": file("Approval of the rules"),
    }
    post("office", "record_decision", {**version, **decision})


def publish_a_guide(post: Post, file: File) -> None:
    """The gaming guide that patrons may read."""
    post("office", "generate_guide", {"formats": ["print", "web"], "reference": ""})
    post("office", "file_guide_sample", {"guide": 1})
    decision = {
        "granted": True,
        "body": BUREAU,
        "reference": "BGO-0002",
        "letter": file("Approval of the guide"),
    }
    post("office", "decide_guide", {"guide": 1, **decision})
    post("office", "publish_guide", {"guide": 1})


def approve_the_shaker(post: Post, file: File) -> None:
    """A shaker, and the approval with which it may be placed."""
    post("floor", "register_shaker", {"shaker": "S-01", "kind": "manual"})
    post(
        "floor",
        "record_approval",
        {
            "subject": "shaker", "shaker": "S-01", "body": BUREAU, "reference": "BGO-0003",
            "approved_on": "2026-01-12", "lines": SHAKER_LINES, "letter": file("Approval of the shaker"),
        },
    )  # fmt: skip


def approve_the_table(post: Post, file: File, build: str) -> None:
    """The approvals of the table's equipment; odds are printed on its layout."""
    papers: tuple[dict[str, Any], ...] = (
        {"subject": "layout", "body": BUREAU, "lines": ["layout-logo", "layout-areas"], "prints": ["odds"]},
        {"subject": "device", "body": LABORATORY, "version": build},
        {"subject": "boxes", "body": COMPLIANCE},
    )
    for number, paper in enumerate(papers, start=1):
        reference = {"table": "T-01", "reference": f"AP-{number}", "approved_on": "2026-01-12"}
        letter = file(f"Approval of the {paper['subject']}")
        post("floor", "record_approval", {**reference, **paper, "letter": letter})


def bring_the_dice(post: Post, security: tuple[str, str]) -> None:
    """Three dice: received, measured and stored, then issued to the table, each signed by security too."""
    post(
        "floor",
        "receive_dice",
        {
            "from": "The maker",
            "lots": [{"lot": "L-0001", "dice": 3, "size_um": 19_050, "seal_intact": True, "attested": True}],
        },
        witness=security,
    )
    today = clock.now().date()
    calibration = {"calibrated_on": f"{today.year - 1}-12-01", "ends_on": f"{today.year + 1}-12-01"}
    for code, kind in (("M-1", "micrometer"), ("C-1", "caliper"), ("Q-1", "square")):
        post("floor", "register_instrument", {"instrument": code, "kind": kind, **calibration})
    die = {"low_um": 19_040, "high_um": 19_060, "balanced": True, "square": True, "clean": True}
    instruments = {"micrometer": "M-1", "caliper": "C-1", "square": "Q-1", "compartment": "A-1"}
    post("floor", "inspect_dice", {"lot": "L-0001", **instruments, "dice": [die] * 3}, witness=security)
    post("T-01", "issue_dice", {"lot": "L-0001"}, witness=security)
