// A log's tree, its checkpoints and their signatures, by audit/FORMAT.md alone.

import { createPublicKey, verify as verifies } from "node:crypto";
import { hex, isCount, need, sha256, utf8 } from "./record.mjs";

// The Merkle tree of RFC 6962. Sizes go beyond 32 bits: no shifts.

const half = (number) => Math.floor(number / 2);
const node = (left, right) => sha256(Buffer.of(1), left, right);
export const leafOf = (body) => sha256(Buffer.of(0), body);

/** The heights of the whole subtrees into which [from, to) splits. */
export function heights(from, to) {
  const split = [];
  for (let at = from; at < to; ) {
    let height = 0;
    while (at % 2 ** (height + 1) === 0 && at + 2 ** (height + 1) <= to) height += 1;
    split.push(height);
    at += 2 ** height;
  }
  return split;
}

export class Stack {
  constructor() {
    Object.assign(this, { size: 0, held: [] });
  }

  push(height, hash) {
    this.size += 2 ** height;
    for (; this.held.length && this.held.at(-1)[0] === height; height += 1) hash = node(this.held.pop()[1], hash);
    this.held.push([height, hash]);
  }

  root() {
    if (!this.held.length) return sha256();
    return this.held.map(([, hash]) => hash).reduceRight((right, left) => node(left, right));
  }
}

/** The root that an audit path leads to, from leaf number `at` of `size`. */
export function rootOfPath(leaf, at, size, path) {
  let [root, place, last] = [leaf, at, size - 1];
  for (const other of path) {
    need(last > 0, "the path is too long");
    if (place % 2 === 1 || place === last) {
      root = node(other, root);
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      root = node(root, other);
    }
    [place, last] = [half(place), half(last)];
  }
  need(last === 0, "the path is too short");
  return root;
}

/** The older tree is the beginning of the newer one (RFC 9162, section 2.1.4.2, for RFC 6962's proof). */
export function checkConsistency(older, newer, hashes) {
  if (older.size === 0 || older.size === newer.size) {
    need(hashes.length === 0, "the proof of consistency is too long");
    need(older.size === 0 || older.root.equals(newer.root), "the kept checkpoint is of another log");
    return;
  }
  let [place, last] = [older.size - 1, newer.size - 1];
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  const left = place === 0 ? [older.root, ...hashes] : [...hashes];
  need(left.length > 0, "the proof of consistency is too short");
  let [was, is] = [left[0], left[0]];
  for (const other of left.slice(1)) {
    need(last > 0, "the proof of consistency is too long");
    if (place % 2 === 1 || place === last) {
      [was, is] = [node(other, was), node(other, is)];
      while (place % 2 === 0 && place !== 0) [place, last] = [half(place), half(last)];
    } else {
      is = node(is, other);
    }
    [place, last] = [half(place), half(last)];
  }
  need(last === 0, "the proof of consistency is too short");
  need(was.equals(older.root) && is.equals(newer.root), "the kept checkpoint is of another log");
}

// Keys, notes and checkpoints

export function base64(text, what) {
  const bytes = Buffer.from(text, "base64");
  need(text !== "" && bytes.toString("base64") === text, `${what} is not base64`);
  return bytes;
}

const isName = (name) => name !== "" && !/[\p{White_Space}+]/u.test(name);

/** {name, type, id, key}; the type must be the one that is expected: 1 of a log, 4 of a witness. */
export function keyOf(vkey, type) {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/su.exec(vkey);
  need(parts && isName(parts[1]), `${vkey} is no key`);
  const bytes = base64(parts[3], "a key");
  need(bytes.length === 33 && bytes[0] === type, `${vkey} is no key of type ${type}`);
  const id = hex(sha256(parts[1], "\n", bytes)).slice(0, 8);
  need(id === parts[2], `the id of the key ${vkey} is not its own`);
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), bytes.subarray(1)]);
  return { name: parts[1], type, id, der };
}

export function noteOf(bytes, what) {
  const text = utf8(bytes, what);
  need(!/[\u0000-\u0009\u000b-\u001f]/.test(text), `${what} has a control character`);
  const parts = /^([^\n]+)\n(0|[1-9]\d*)\n([^\n]+)\n\n((?:[^\n]+\n)+)$/.exec(text);
  need(parts, `${what} is no checkpoint`);
  const [, origin, said, inside, under] = parts;
  const [size, root] = [Number(said), base64(inside, `the root of ${what}`)];
  need(isCount(size) && root.length === 32, `${what} has no size or no root`);
  const signatures = under.split("\n").slice(0, -1).map((line) => {
    const [, name, signed] = /^\u2014 ([^ ]+) ([^ ]+)$/.exec(line) ?? [];
    need(name && isName(name), `${what} has a line that is no signature`);
    const held = base64(signed, `a signature of ${what}`);
    need(held.length > 4, `a signature of ${what} is empty`);
    return { name, id: hex(held.subarray(0, 4)), held: held.subarray(4) };
  });
  return { origin, size, root, text: `${origin}\n${said}\n${inside}\n`, signatures };
}

function isSigned(note, { held }, { type, der }) {
  if (held.length !== (type === 1 ? 64 : 72)) return false;
  const time = type === 4 ? held.readBigUInt64BE(0) : 0;
  const text = type === 4 ? `cosignature/v1\ntime ${time}\n${note.text}` : note.text;
  return verifies(null, Buffer.from(text, "utf8"), createPublicKey({ key: der, format: "der", type: "spki" }), held.subarray(-64));
}

/** A key of a log whose name ends in a slash and a number serves the log of that name, and those that continue it, alone. */
export const serves = ({ name, type }, origin) => (
  type !== 1 || name === origin || !/^.+\/[0-9]+$/su.test(name) || origin.startsWith(`${name}/`)
);

/** Every line of a known key verifies. Of the keys asked for, the log's signed, and the witness's where there is one. */
export function checkSignatures(note, known, asked, what) {
  const signed = new Set();
  const same = (left, right) => left.name === right.name && left.id === right.id;
  for (const line of note.signatures) {
    for (const key of known.filter((one) => same(one, line))) {
      need(isSigned(note, line, key), `the signature of ${line.name} on ${what} does not verify`);
      if (serves(key, note.origin)) signed.add(`${key.name} ${key.id}`);
    }
  }
  for (const keys of asked) {
    need(keys.some((key) => signed.has(`${key.name} ${key.id}`)), `${what} is not signed by a key that it must be signed by`);
  }
}
