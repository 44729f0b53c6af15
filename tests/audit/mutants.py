"""Forgeries of exports and bundles: what a thief would change, with hashes, sums and signatures made anew."""

import base64
import datetime as dt
import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

Json = dict[str, Any]
Files = dict[str, bytes]
ZEROS = "0" * 64
THIEF = "thief.example/record"


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def line(prev: str, body: bytes) -> tuple[str, bytes]:
    digest = sha256(b"pitside/entry/v1\n", bytes.fromhex(prev), body).hex()
    return digest, b'{"hash":"%s","prev":"%s","body":%s}\n' % (digest.encode(), prev.encode(), body)


# Blind changes


def of_bytes(data: bytes, every: int) -> Iterator[tuple[str, bytes]]:
    """One bit of every so many bytes; which bit goes round."""
    for place in range(0, len(data), every):
        bit = 1 << (place // every % 7)
        yield f"byte {place}", data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :]


def of_lines(data: bytes, every: int = 1) -> Iterator[tuple[str, bytes]]:
    """Lines dropped, repeated and swapped; what is cut off at the end, or added to it."""
    lines = data.splitlines(keepends=True)
    for place in range(0, len(lines), every):
        one, rest = lines[place], lines[place + 1 :]
        yield f"without line {place}", b"".join(lines[:place] + rest)
        yield f"line {place} twice", b"".join([*lines[:place], one, one, *rest])
        if rest:
            yield f"lines {place} and the next swapped", b"".join([*lines[:place], rest[0], one, *rest[1:]])
    for name, end in (
        ("a newline", b"\n"),
        ("a space", b" "),
        ("a NUL", b"\0"),
        ("a line", (lines or [b"x\n"])[-1]),
    ):
        yield f"{name} more", data + end
    yield "one byte less", data[:-1]
    yield "nothing", b""
    yield "returns", data.replace(b"\n", b"\r\n")


# Knowing changes: the hashes are made anew


def forged_export(
    data: bytes, edit: Callable[[list[Any]], None], raw: Callable[[bytes], bytes] = bytes
) -> bytes:
    """An export whose bodies were edited (the first line's, the entries'), its hashes, heads and counts made anew."""
    bodies = [json.loads(one)["body"] for one in data.splitlines()[:-1]]
    edit(bodies)
    opened, entries = bodies[0], bodies[1:]
    heads = {one["stream"]: [one["head"], one["seq"], 0] for one in opened["streams"]}
    lines = [line(ZEROS, canonical(opened))[1]]
    for body in entries:
        state = heads[body["stream"]]
        state[0], made = line(state[0], raw(canonical(body)))
        state[1:] = [body["seq"], state[2] + 1]
        lines.append(made)
    total = sha256(*lines).hex()
    streams = [
        {"entries": count, "head": head, "seq": seq, "stream": name}
        for name, (head, seq, count) in heads.items()
    ]
    closed = {
        "_format": 1,
        "_type": "export.closed",
        "entries": len(entries),
        "sha256": total,
        "streams": streams,
    }
    return b"".join([*lines, line(total, canonical(closed))[1]])


def in_entry(place: int, **fields: Any) -> Callable[[list[Json]], None]:
    return lambda bodies: bodies[place].update(fields)


def with_manifest(files: Files, changes: dict[str, bytes | None]) -> Files:
    """The files changed (None: left out), and the sums of the manifest to match."""
    files = {name: data for name, data in {**files, **changes}.items() if data is not None}
    said = json.loads(files["manifest.json"])
    said["files"] = [
        {"name": name, "sha256": sha256(data).hex(), "size": len(data)}
        for name, data in sorted(files.items())
        if name != "manifest.json"
    ]
    return {**files, "manifest.json": canonical(said) + b"\n"}


# A log of the thief's own


def root(leaves: list[bytes]) -> bytes:
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256()
    cut = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\1", root(leaves[:cut]), root(leaves[cut:]))


def _key() -> tuple[Ed25519PrivateKey, bytes, bytes]:
    secret = Ed25519PrivateKey.from_private_bytes(bytes(range(64, 96)))
    public = b"\1" + secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return secret, sha256(THIEF.encode(), b"\n", public)[:4], public


def thiefs_vkey() -> str:
    _, known, public = _key()
    return f"{THIEF}+{known.hex()}+{base64.b64encode(public).decode()}"


def checkpoint(origin: str, size: int, digest: bytes) -> bytes:
    secret, known, _ = _key()
    text = f"{origin}\n{size}\n{base64.b64encode(digest).decode()}\n"
    signed = base64.b64encode(known + secret.sign(text.encode())).decode()
    return f"{text}\n\u2014 {THIEF} {signed}\n".encode()


def forged_log(
    files: Files,
    edit: Callable[[list[Any]], None] = lambda seals: None,
    head: Callable[[Json], None] = lambda said: None,
    others: Files | None = None,
) -> Files:
    """The bundle with its seals edited (a log from its beginning), sealed and signed by the thief's own key.

    `head` edits the first line of the seals afterwards; `others` are further files that change.
    """
    first, *seals = (json.loads(one) for one in files["seals.jsonl"].splitlines())
    edit(seals)
    bodies = [canonical(one) for one in seals]
    first.update(last=len(seals), size=len(seals), after=[])
    head(first)
    made = {
        "seals.jsonl": b"".join(one + b"\n" for one in [canonical(first), *bodies]),
        "checkpoint.txt": checkpoint(
            first["origin"], first["size"], root([sha256(b"\0", one) for one in bodies])
        ),
        "keys.txt": f"log {thiefs_vkey()} created 2026-11-21T13:05:08.123456Z retired never\n".encode(),
    }
    manifest = {
        **json.loads(files["manifest.json"]),
        "size": first["size"],
        "incarnation": first["incarnation"],
    }
    return with_manifest({**files, "manifest.json": canonical(manifest) + b"\n"}, {**made, **(others or {})})


def consistency(size: int, leaves: list[bytes], whole: bool = True) -> list[bytes]:
    """RFC 6962, section 2.1.2: that the first `size` of these leaves (hashes) are the beginning of all of them."""
    if size == len(leaves):
        return [] if whole else [root(leaves)]
    cut = 1 << (len(leaves) - 1).bit_length() - 1
    if size <= cut:
        return [*consistency(size, leaves[:cut], whole), root(leaves[cut:])]
    return [*consistency(size - cut, leaves[cut:], False), root(leaves[:cut])]


def request(size: int, leaves: list[bytes]) -> bytes:
    """The proof of consistency as a file, without the newer checkpoint."""
    hashes = "".join(base64.b64encode(one).decode() + "\n" for one in consistency(size, leaves))
    return f"old {size}\n{hashes}\n".encode()


# The knowing changes by name


def settlement(**changed: Any) -> Callable[[list[Any]], None]:
    """The second entry becomes a settlement of one wager that won, with these things changed."""
    wager = {
        "cents": 500,
        "outcome": "win",
        "paid_cents": 3000,
        "pays": "6 to 1",
        "returned_cents": 500,
        **changed,
    }
    stakes, back = wager["cents"], wager["returned_cents"]
    totals = {"paid_cents": wager["paid_cents"], "returned_cents": back, "taken_cents": stakes - back}
    return in_entry(2, _type="round.settled", data={"settled": [wager], **totals})


def gaming_day(days: int) -> Callable[[list[Any]], None]:
    """The second entry is of the gaming day so many days after the date of its time."""

    def change(bodies: list[Any]) -> None:
        date = dt.date.fromisoformat(bodies[2]["at"][:10]) + dt.timedelta(days)
        bodies[2]["gaming_day"] = date.isoformat()

    return change


GOOD = {
    "as it was": lambda bodies: None,
    "the day after the time": gaming_day(1),
    "two days before the time": gaming_day(-2),
    "the greatest number": in_entry(2, data={"a": 2**53 - 1, "b": True, "c": [[], {}, None]}),
    "keys that look like numbers": in_entry(2, data={"10": 1, "9": 2, "__proto__": {"1": 3}}),
    "a win": settlement(),
    "a cut": settlement(paid_cents=2000, cut_cents=1000),
    "dollars": settlement(paid_cents=5_000_000, pays="$50,000"),
    "three to two": settlement(paid_cents=750, pays="3 to 2"),
    "a return": settlement(outcome="return", paid_cents=0, pays=None),
    "a fee": settlement(outcome="fee", paid_cents=0, pays=None, returned_cents=0),
}
BAD = {
    "two days after the time": gaming_day(2),
    "three days before the time": gaming_day(-3),
    "a total of nothing settled": in_entry(2, data={"returned_cents": 500}),
    "a stake of nothing": settlement(cents=0, paid_cents=0, returned_cents=0),
    "a loss without odds": in_entry(
        2,
        data={
            "settled": [{"cents": 1, "outcome": "lose", "paid_cents": 0, "returned_cents": 0}],
            "paid_cents": 0,
            "returned_cents": 0,
            "taken_cents": 1,
        },
    ),
    "a fee that was cut": settlement(outcome="fee", paid_cents=0, pays=None, returned_cents=0, cut_cents=0),
    "odds of ten digits": settlement(paid_cents=500, pays="1000000000 to 1000000000"),
    "dollars with a zero in front": settlement(paid_cents=5_000_000, pays="$050,000"),
    "its own witness": in_entry(2, actor="a", witness="a"),
    "a key more": in_entry(2, more=1),
    "a key less": lambda bodies: bodies[2].pop("terms"),
    "another format": in_entry(2, _format=2),
    "true for a number": in_entry(2, _format=True),
    "no dot in the type": in_entry(2, _type="round"),
    "capitals in the type": in_entry(2, _type="Round.opened"),
    "before the entry before it": in_entry(2, at="2026-11-21T13:05:09.123456Z"),
    "a moment without decimals": in_entry(2, at="2026-11-22T07:05:09Z"),
    "a day that is none": in_entry(2, gaming_day="2026-02-30"),
    "a command that is no UUID": in_entry(2, command="x"),
    "terms that are no hash": in_entry(2, terms="AB" * 32),
    "data that are a list": in_entry(2, data=[]),
    "a float": in_entry(2, data={"a": 1.5}),
    "a whole float": in_entry(2, data={"a": 1.0}),
    "too great": in_entry(2, data={"a": 2**53}),
    "a NUL": in_entry(2, data={"a": "\0"}),
    "a key that is not ASCII": in_entry(2, data={"\u00e9": 1}),
    "a gap": in_entry(3, seq=4),
    "a quote": in_entry(2, build='a"b'),
    "a control character": in_entry(2, build="a\nb"),
    "a later range": in_entry(0, **{"from": "2026-11-22T14:00:00.000000Z"}),
    "an earlier range": in_entry(0, to="2026-11-22T14:00:00.000000Z"),
    "another beginning": lambda bodies: bodies[0]["streams"][0].update(head="ab" * 32),
    "streams in another order": lambda bodies: bodies[0]["streams"].reverse(),
    "entries in another order": lambda bodies: bodies.append(bodies.pop(1)),
    "paid too much": settlement(paid_cents=3001),
    "cut below nothing": settlement(paid_cents=3001, cut_cents=-1),
    "a loss returned": settlement(outcome="lose", paid_cents=0, pays=None),
    "a return that pays": settlement(outcome="return", pays=None),
    "an outcome that is none": settlement(outcome="draw", paid_cents=0, pays=None),
    "a ratio without end": settlement(paid_cents=333, pays="2 to 3"),
    "a ratio to nothing": settlement(pays="6 to 0"),
}
RAW = {
    "white space": lambda body: body.replace(b',"', b', "', 1),
    "an escape too many": lambda body: body.replace(b"round.opened", b"round\\u002eopened"),
    "half of a pair": lambda body: body.replace(b'"round":', b'"half":"\\ud800","round":'),
    "a key twice": lambda body: body.replace(b'{"_format":1', b'{"_format":1,"_format":1'),
    "less than nothing": lambda body: body.replace(b'"round":1', b'"round":-0'),
    "an exponent": lambda body: body.replace(b'"seq":1', b'"seq":1e0'),
    "a byte order mark": lambda body: b"\xef\xbb\xbf" + body,
    "no UTF-8": lambda body: body.replace(b"round.opened", b"round.\xc0\xaf"),
    "not a number": lambda body: body.replace(b'"round":1', b'"round":NaN'),
}


def renamed(first: str, second: str) -> Callable[[list[Any]], None]:
    """Two streams without entries, whose names stand in this order."""

    def edit(bodies: list[Any]) -> None:
        del bodies[1:]
        names = (first, second)
        bodies[0]["streams"] = [
            {"head": sha256(b"pitside/stream/v1\n", name.encode()).hex(), "seq": 0, "stream": name}
            for name in names
        ]

    return edit


def head_of(seals: list[Any], place: int) -> dict:
    return next(one for one in seals[place]["heads"] if one["stream"] == "larkfield/T-04")


def last_first(seals: list[Any]) -> None:
    seals.insert(0, seals.pop())
    for number, seal in enumerate(seals):
        seal["number"] = number


def cut_short(seals: list[Any]) -> None:
    """No seal says of the table what follows its second entry."""
    for seal in seals:
        seal["heads"] = [one for one in seal["heads"] if one["stream"] != "larkfield/T-04" or one["seq"] <= 2]


FORGED_SEALS = {
    "another head": lambda seals: head_of(seals, 1).update(head="ab" * 32),
    "a head that goes back": lambda seals: head_of(seals, -1).update(seq=1),
    "one number, two heads": lambda seals: head_of(seals, -1).update(seq=head_of(seals, -2)["seq"]),
    "a head at nothing": lambda seals: head_of(seals, 0).update(seq=0),
    "heads in another order": lambda seals: seals[0]["heads"].reverse(),
    "a head twice": lambda seals: seals[0]["heads"].insert(0, seals[0]["heads"][0]),
    "a seal less": lambda seals: seals.pop(0),
    "the last before the first": last_first,
    "the first not full": lambda seals: seals[0].update(full=False),
    "a number for a truth": lambda seals: seals[1].update(full=1),
    "before the seal before it": lambda seals: seals[-1].update(at="2026-11-20T00:00:00.000000Z"),
    "of two incarnations": lambda seals: seals[-1].update(incarnation=2),
    "a key more": lambda seals: seals[-1].update(more=1),
    "no seals": lambda seals: seals.clear(),
}
