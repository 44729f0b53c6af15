"""Compare two fingerprints, and hash the parts of one that no change of wording may touch."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import django

from script.fingerprint.notes import BUNDLE

Json = dict[str, Any]

EXACT = {
    "who",
    "section",
    "cite",
    "reference",
    "name",
    "short",
    "facility_name",
    "key",
    "code",
    "type",
    "kind",
}
WORDED = ("snapshots.jsonl", "answers.jsonl")  # whose sentences may differ
PAGES = "pages.jsonl"  # whose texts may differ
PAPERS = {"README.txt", "FORMAT.md", "verify.py", "witness.py", "manifest.json"}  # of a bundle: may differ
DIGEST = re.compile(r"[0-9a-f]{64}")
AROUND = 3  # words shown beside those that differ
MOST_SHOWN = 40


@dataclass
class Comparison:
    """The differences between two fingerprints: `faults` are not allowed, and sentences are for a person to read."""

    faults: list[str] = field(default_factory=list)
    sentences: dict[tuple[str, str], tuple[str, str, str]] = field(default_factory=dict)
    """By both texts without their figures: the first such pair, and where it was met."""
    digests: int = 0
    """Hashes that differ: each hash of a stream follows from the ones before, so one fault changes many."""

    @property
    def passed(self) -> bool:
        """Whether nothing differs but sentences."""
        return not self.faults and not self.digests

    def values(self, where: str, before: Any, after: Any, key: str = "") -> None:
        """Compares two JSON values of which sentences may differ."""
        if type(before) is not type(after):
            self.faults.append(f"{where}: {_brief(before)} became {_brief(after)}")
        elif isinstance(before, dict):
            if list(before) != list(after):
                names = ", ".join(sorted(before.keys() ^ after.keys()))
                self.faults.append(f"{where}: keys {names or 'in another order'}")
            for name in sorted(before.keys() & after.keys()):
                self.values(f"{where}.{name}", before[name], after[name], name)
        elif isinstance(before, list):
            if len(before) != len(after):
                self.faults.append(f"{where}: {len(before)} items became {len(after)}")
            for number, (old, new) in enumerate(zip(before, after, strict=False)):
                self.values(f"{where}[{number}]", old, new, key)
        elif before != after:
            if isinstance(before, str) and DIGEST.fullmatch(before) and DIGEST.fullmatch(after):
                self.digests += 1
            elif isinstance(before, str) and key not in EXACT and is_sentence(before) and is_sentence(after):
                self.texts(where, before, after)
            else:
                self.faults.append(f"{where}: {_brief(before)} became {_brief(after)}")

    def texts(self, where: str, before: str, after: str) -> None:
        """Keeps two texts for a person to read; of the text of a page only the words that differ."""
        if not where.startswith(PAGES):
            self.sentences.setdefault((masked(before), masked(after)), (before, after, where))
            return
        old, new = before.split(), after.split()
        for change, old_from, old_to, new_from, new_to in SequenceMatcher(
            None, old, new, False
        ).get_opcodes():
            if change != "equal":
                old_words = " ".join(old[max(0, old_from - AROUND) : old_to + AROUND])
                new_words = " ".join(new[max(0, new_from - AROUND) : new_to + AROUND])
                self.sentences.setdefault(
                    (masked(old_words), masked(new_words)), (old_words, new_words, where)
                )

    def lines(self, name: str, before: bytes, after: bytes, *, exactly: bool) -> None:
        """Compares two files of JSON lines."""
        if before == after:
            return
        old, new = before.splitlines(), after.splitlines()
        if len(old) != len(new):
            self.faults.append(f"{name}: {len(old)} lines became {len(new)}")
        comparison = Comparison()
        for number, pair in enumerate(zip(old, new, strict=False), 1):
            if pair[0] != pair[1]:
                values = [_decoded(line) for line in pair]
                comparison.values(f"{name}:{number}{_subject(values[0])}", *values)
        self.faults += comparison.faults
        self.digests += comparison.digests
        if exactly:
            pairs = comparison.sentences.values()
            self.faults += [
                f"{where}: {_brief(old_words)} became {_brief(new_words)}"
                for old_words, new_words, where in pairs
            ]
            if comparison.passed and not comparison.sentences:
                self.faults.append(f"{name}: the same values in other bytes")
        else:
            self.sentences = comparison.sentences | self.sentences

    def bundle(self, before: bytes, after: bytes) -> None:
        """Compares two listings of evidence bundles: schemas may be new, and papers may differ."""
        old, new = (
            {line["name"]: line for line in map(json.loads, text.splitlines())} for text in (before, after)
        )
        for name in sorted(old.keys() | new.keys()):
            if name not in new or (name not in old and "schema" not in name):
                self.faults.append(f"{BUNDLE}: {name} is {'gone' if name in old else 'new'}")
            elif name in old and old[name] != new[name] and name.rpartition("/")[2] not in PAPERS:
                self.faults.append(f"{BUNDLE}: {name} has other bytes")


def is_sentence(text: str) -> bool:
    """Whether people read this text: codes, hashes and moments have no space."""
    return " " in text.strip()


def masked(text: str) -> str:
    """A sentence without its figures, so that one of many rounds stands for all of them."""
    return re.sub(r"\d[\d,.]*", "#", text)


def figures_of(text: str) -> list[str]:
    """The figures of a sentence, which a new wording keeps."""
    return sorted(re.findall(r"\d[\d,.]*\d|\d", text))


def compare(before: Path, after: Path) -> Comparison:
    """Compares the fingerprints in two folders."""
    comparison = Comparison()
    names = sorted({path.name for folder in (before, after) for path in folder.iterdir()})
    for name in names:
        if not ((before / name).exists() and (after / name).exists()):
            comparison.faults.append(f"{name} is in one of the two alone")
            continue
        old, new = (before / name).read_bytes(), (after / name).read_bytes()
        if name == BUNDLE:
            comparison.bundle(old, new)
        else:
            comparison.lines(name, old, new, exactly=name not in (*WORDED, PAGES))
    return comparison


def _decoded(line: bytes) -> Any:
    """A line as a value; of an entry the body too, so that the difference is shown inside it."""
    try:
        value = json.loads(line)
    except ValueError:
        return line.decode(errors="replace")
    if isinstance(value, dict) and isinstance(value.get("body"), str):
        value["body"] = json.loads(value["body"])
    return value


def _subject(value: Any) -> str:
    """What a line is about: the type of its entry, the address, or the table."""
    body = value.get("body") if isinstance(value, dict) else None
    names = [body.get("_type")] if isinstance(body, dict) else []
    names += [value.get(key) for key in ("url", "table")] if isinstance(value, dict) else []
    return "".join(f" {name}" for name in names if name)


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:157]}…"


def show(comparison: Comparison) -> None:
    """Prints a comparison: pairs of sentences, then the faults."""
    for before, after, where in sorted(comparison.sentences.values()):
        figures = "" if figures_of(before) == figures_of(after) else "  (look: other figures)"
        print(f"  {where}{figures}\n    - {before}\n    + {after}")
    alike: dict[str, list[str]] = {}
    for fault in comparison.faults:
        alike.setdefault(masked(fault), []).append(fault)
    for faults in list(alike.values())[:MOST_SHOWN]:
        print(f"  FAULT {faults[0]}" + (f"  ({len(faults)} times)" if len(faults) > 1 else ""))
    if len(alike) > MOST_SHOWN:
        print(f"  … and {len(alike) - MOST_SHOWN} more sorts of faults")
    counts = f"{len(comparison.sentences)} sentences differ, {len(comparison.faults)} faults"
    print(f"{counts}, {comparison.digests} hashes differ.")


# What no change of wording may touch


def hashes(folder: Path) -> Json:
    """The SHA-256 of everything in a fingerprint that holds no sentence of ours, by what it is.

    Entries are told by stream, without the digests of papers that are written in words.
    """
    streams: dict[str, Any] = {}
    for line in _values(folder, "entries.jsonl"):
        body = WRITTEN_IN_WORDS.sub("", line["body"])
        streams.setdefault(line["stream"], hashlib.sha256()).update(f"{line['type']} {body}\n".encode())
    settled = [
        {**line, "error": ""} if "error" in line else line for line in _values(folder, "adjudicate.jsonl")
    ]
    accepted = [answer for line in _values(folder, "odds.json") for answer in line if not answer["status"]]
    return {
        "odds": _sha256(accepted),
        "adjudicate": _sha256(settled),
        "figures": _sha256(list(_values(folder, "figures.jsonl"))),
        "export-tables": hashlib.sha256((folder / "export-tables.jsonl").read_bytes()).hexdigest(),
        "export-training": hashlib.sha256((folder / "export-training.jsonl").read_bytes()).hexdigest(),
        "entries": {name: digest.hexdigest() for name, digest in sorted(streams.items())},
    }


# Digests and sizes of documents, and of a guide's pages: they change with every word of them.
WRITTEN_IN_WORDS = re.compile(r'"(?:content_sha256|facts_sha256|sha256|size)":(?:"[0-9a-f]{64}"|\d+),?')


def _values(folder: Path, name: str) -> Iterator[Any]:
    for line in (folder / name).read_bytes().splitlines():
        yield json.loads(line)


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def entry_types(folder: Path) -> tuple[list[str], list[str]]:
    """The declared entry types that a play reaches, and those that it does not."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    from audit.entry_types import ENTRY_TYPES

    reached = {line["type"] for line in _values(folder, "entries.jsonl")}
    return sorted(reached), sorted(set(ENTRY_TYPES) - reached)
