"""What an outsider does with a bundle: check it. And a liar with all the tools: make its manifest, its chain and its
signatures right again after a change."""

import contextlib
import hashlib
import json
import tempfile
from pathlib import Path

import pytest

from audit import chain, export, verify

from .sealed import archived


def check(bundle: bytes, *arguments: str) -> list[str]:
    """The lines of a good bundle, proof or export; raises verify.Bad."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(bundle)
        file.flush()
        return verify.check_path(file.name, verify.Options([*arguments, file.name]), None)


def bad(bundle: bytes, *arguments: str) -> str:
    with pytest.raises(verify.Bad) as found:
        check(bundle, *arguments)
    return str(found.value)


def packed(files: dict[str, bytes]) -> bytes:
    """The archive of changed files, with a manifest that says what they are now."""
    files = {name: data for name, data in files.items() if name != "manifest.json"} | {
        "manifest.json": files["manifest.json"]
    }
    said = json.loads(files["manifest.json"])
    said["files"] = [
        {"name": name, "sha256": hashlib.sha256(files[name]).hexdigest(), "size": len(files[name])}
        for name in sorted(files)
        if name != "manifest.json"
    ]
    with contextlib.suppress(ValueError, LookupError, TypeError):
        opening = json.loads(files["record.jsonl"].partition(b"\n")[0])["body"]
        said |= {key: opening[key] for key in ("at", "build", "from", "to")}
    said["entries"] = len(files["record.jsonl"].splitlines()) - 2
    return archived({**files, "manifest.json": chain.canonical(said) + b"\n"})


def recorded(record: bytes, change, **opened) -> bytes:
    """An export again whose bodies `change(bodies of a stream)` made, with every hash right; `opened` goes into the
    first line."""
    lines = record.splitlines()
    opening = {**json.loads(lines[0])["body"], **opened}
    bodies: dict[str, list[dict]] = {one["stream"]: [] for one in opening["streams"]}
    for line in lines[1:-1]:
        body = json.loads(line)["body"]
        bodies[body["stream"]].append(body)
    return exported(opening, {name: change(of) for name, of in bodies.items()})


def exported(opening: dict, bodies: dict[str, list[dict]]) -> bytes:
    lines, closing = [export._line(export.NO_HASH, opening)], []
    for one in opening["streams"]:
        head = bytes.fromhex(one["head"])
        for said in bodies[one["stream"]]:
            body = chain.canonical(said)
            digest = chain.entry_hash(head, body)
            lines.append(export.format_line(digest, head, body))
            head = digest
        count = len(bodies[one["stream"]])
        closing.append(
            {"entries": count, "head": head.hex(), "seq": one["seq"] + count, "stream": one["stream"]}
        )
    whole = hashlib.sha256(b"".join(lines))
    said = {"_format": 1, "_type": "export.closed", "entries": len(lines) - 1, "sha256": whole.hexdigest(),
            "streams": closing}  # fmt: skip
    return b"".join([*lines, export._line(whole.digest(), said)])


def kept(folder: Path, name: str, note: str) -> str:
    path = folder / name
    path.write_text(note)
    return str(path)
