"""Play every game in real browsers, and compare every screen after every act: `python -m script.walk`.

One line for each table: acts, comparisons of a screen, differences, and the longest way from a tap to the last screen.
The exit status is 1 if a screen differed. Nothing here is asserted about time.
"""

import argparse
import contextlib
import sys
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from script.walk.house import Crew, Member, WalkInstallation

if TYPE_CHECKING:
    from script.walk.walk import Tally, Walk

KATE, IVAN, LENA, OTTO = (
    Member("kate", "880088"), Member("ivan", "990099"), Member("lena", "450450"), Member("otto", "440440"),
)  # fmt: skip
MARTA, ZARA = Member("marta", "121212"), Member("zara", "220022")
ABEL, NORA = Member("abel", "310031"), Member("nora", "320032")
FRED, CORA = Member("fred", "230023"), Member("cora", "240024")
FOOTBALL = {
    "dealer": Member("dana", "420042"), "dealer-left": Member("emil", "430043"), "stick": Member("stan", "770077"),
}  # fmt: skip


def dealt_by(code: str, pin: str) -> dict[str, Member]:
    return {"dealer": Member(code, pin)}


# What is played at each table, and by whom: a story of script/walk/stories.py. Both dealers who know High Roll have a
# table, so nobody relieves them.
TABLES: tuple[tuple[str, Crew], ...] = (
    ("play_sic_bo", Crew("larkfield", "T-01", dealt_by("mei", "110011"), KATE, MARTA, ZARA)),
    ("deal_sic_bo", Crew("larkfield", "T-02", dealt_by("sam", "330033"), KATE, MARTA)),
    ("deal_sic_bo", Crew("larkfield", "T-03", dealt_by("linh", "440044"), KATE, MARTA)),
    ("deal_sic_bo", Crew("larkfield", "T-04", dealt_by("rosa", "550055"), IVAN, MARTA)),
    ("deal_sic_bo", Crew("larkfield", "T-05", dealt_by("omar", "660066"), IVAN, MARTA)),
    ("deal_sic_bo", Crew("larkfield", "T-06", dealt_by("zara", "220022"), IVAN, MARTA)),
    ("deal_sic_bo", Crew("seabright", "T-01", dealt_by("ana", "210021"), FRED, CORA)),
    ("play_high_roll", Crew("larkfield", "T-31", {"dealer": ABEL}, LENA, MARTA)),
    ("play_high_roll", Crew("larkfield", "T-32", {"dealer": NORA}, LENA, MARTA)),
    ("play_football", Crew("larkfield", "T-42", FOOTBALL, OTTO, MARTA)),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.walk", description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="PLACE", help="tables, such as larkfield/T-42")
    options = parser.parse_args()
    chosen = [(story, crew) for story, crew in TABLES if not options.only or crew.place in options.only]
    with contextlib.ExitStack() as stack:
        installation = WalkInstallation(stack)
        installation.start()
        from script.walk import stories
        from script.walk.walk import Tally, Walk
        from tests.services import chromium

        total = Tally()
        browser = stack.enter_context(chromium.running())
        for story, crew in chosen:
            began = time.monotonic()
            walk = Walk(chromium.Contexts(browser), installation.addresses, crew)
            play(walk, getattr(stories, story))
            total.add(walk.tally)
            print(f"{crew.place}: {summary(walk.tally)}, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{len(chosen)} tables: {summary(total)}")
    return 1 if total.differences else 0


def play(walk: "Walk", story: "Callable[[Walk], None]") -> None:
    """Play a story to its end. One that cannot go on is a difference too."""
    try:
        story(walk)
    except Exception as error:  # whatever a browser raises: the other tables are played all the same
        traceback.print_exc()
        walk.differ("the story", f"cannot go on: {str(error).splitlines()[0]}")
    finally:
        for text in walk.tally.differences:
            print(f"  {text}", flush=True)
        walk.close()


def summary(tally: "Tally") -> str:
    return (
        f"{tally.acts} acts, {tally.comparisons} comparisons, {len(tally.differences)} differences, "
        f"slowest {tally.slowest:.0f} ms ({tally.slowest_act})"
    )


if __name__ == "__main__":
    sys.exit(main())
