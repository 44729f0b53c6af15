"""The commands: `play`, `compare`, `hashes` and `types`."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from script.fingerprint.comparison import compare, entry_types, hashes, show
from script.fingerprint.play import play


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="play, and write the fingerprint to a folder")
    playing.add_argument("out", type=Path)
    playing.add_argument("--short", action="store_true", help="a round at each table, for the test suite")
    comparing = commands.add_parser("compare", help="compare two fingerprints")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for name, text in (
        ("hashes", "the SHA-256 of what holds no sentence"),
        ("types", "the entry types reached"),
    ):
        commands.add_parser(name, help=text).add_argument("out", type=Path)
    options = parser.parse_args(words)
    if options.command == "play":
        for line in play(options.out, short=options.short):
            print(f"not as expected: {line}", file=sys.stderr)
    elif options.command == "compare":
        comparison = compare(options.before, options.after)
        show(comparison)
        return 0 if comparison.passed else 1
    elif options.command == "hashes":
        print(json.dumps(hashes(options.out), indent=2))
    else:
        reached, missing = entry_types(options.out)
        print(f"{len(reached)} entry types reached: {' '.join(reached)}")
        print(f"{len(missing)} not reached: {' '.join(missing)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
