// A second verifier, written from audit/FORMAT.md alone, so that the page and `audit/verify.py` can be held against
// each other. Node's own library, nothing else.
//
//   node verify.mjs [--vkey KEY] [--witness-vkey KEY] [--checkpoint FILE] [--proof FILE] FILE
//   node verify.mjs --list          on stdin a JSON object a line: {file, vkey, witness_vkey, checkpoint, proof}
//
// FILE is an export, a bundle (a ZIP or a folder) or the proof of one entry. Says `good`, or `bad: ` and the first
// bad thing, a line for each; ends with 0 where all is good, else with 1.

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Stack, base64, checkConsistency, checkSignatures, heights, keyOf, leafOf, noteOf, rootOfPath, serves } from "./log.mjs";
import {
  Bad, Follower, canonical, checkEntry, closingOf, checkExport, genesis, hasExactly, hex, inOrder, isCount, isHash, isMoment, isText,
  lineOf, linesOf, need, parsed, sha256, utf8,
} from "./record.mjs";
import { unzipped } from "./unzip.mjs";

function keysOf(bytes) {
  const keys = { log: [], witness: [] };
  let before = "";
  for (const line of linesOf(bytes, "keys.txt")) {
    const said = utf8(line, "keys.txt");
    const log = /^log (\S+) created (\S+) retired (\S+)$/u.exec(said);
    const witness = /^witness (\S+)$/u.exec(said);
    need(witness || (log && !keys.witness.length), "keys.txt has a line that states no key");
    if (witness) {
      keys.witness.push(keyOf(witness[1], 4));
      continue;
    }
    const [, vkey, created, retired] = log;
    need(isMoment(created) && (retired === "never" || isMoment(retired)), "keys.txt has no moments");
    need(created >= before, "the keys of keys.txt are not in the order of their creation");
    before = created;
    keys.log.push({ ...keyOf(vkey, 1), created, retired });
  }
  for (const { name, der } of keys.log) {
    need(keys.log.every((one) => one.name === name || !one.der.equals(der)), "keys.txt has one key under two names");
  }
  return keys;
}

// Seals

const SEAL = ["_format", "_type", "at", "full", "heads", "incarnation", "number"];

function sealOf(bytes, what) {
  const seal = parsed(bytes, what);
  hasExactly(seal, SEAL, what);
  need(seal._format === 1 && seal._type === "seal" && isMoment(seal.at), `${what} is no seal`);
  need(typeof seal.full === "boolean" && Array.isArray(seal.heads), `${what} has no heads`);
  need(isCount(seal.incarnation, 1) && isCount(seal.number), `${what} has no place in a log`);
  need(seal.number > 0 || seal.full, `${what} is the first of its log and not full`);
  let before = null;
  for (const one of seal.heads) {
    hasExactly(one, ["head", "seq", "stream"], `a head of ${what}`);
    need(isText(one.stream) && isHash(one.head) && isCount(one.seq, 1), `a head of ${what} is none`);
    need(before === null || inOrder(before, one.stream) < 0, `the heads of ${what} are not in order`);
    before = one.stream;
  }
  return seal;
}

/** The stretch of the log: {first line, seals, listed: stream → [{seq, head}], rootAt(size), root}. */
function sealsOf(bytes) {
  const lines = linesOf(bytes, "seals.jsonl");
  need(lines.length > 1, "seals.jsonl has no seals");
  const said = parsed(lines[0], "the first line of seals.jsonl");
  const keys = ["_format", "_type", "after", "before", "first", "incarnation", "last", "origin", "size"];
  hasExactly(said, keys, "the first line of seals.jsonl");
  const { first, last, size, before, after } = said;
  need(said._format === 1 && said._type === "seals" && isCount(said.incarnation, 1) && isText(said.origin), "seals.jsonl has an unknown form");
  need(isCount(first) && isCount(last) && isCount(size) && first < last && last <= size, "seals.jsonl has no stretch");
  need(lines.length - 1 === last - first, "seals.jsonl has not the seals that it states");
  const [earlier, later] = [heights(0, first), heights(last, size)];
  const fit = (hashes, split) => Array.isArray(hashes) && hashes.every(isHash) && hashes.length === split.length;
  need(fit(before, earlier) && fit(after, later), "seals.jsonl has not the hashes beside its stretch");
  const [stack, roots, listed] = [new Stack(), new Map([[0, sha256()]]), new Map()];
  const push = (height, hash) => {
    stack.push(height, hash);
    roots.set(stack.size, [...stack.held]);
  };
  earlier.forEach((height, place) => push(height, Buffer.from(before[place], "hex")));
  const seals = lines.slice(1).map((line, place) => {
    const what = `seal ${first + place}`;
    const seal = sealOf(line, what);
    need(seal.number === first + place && seal.incarnation === said.incarnation, `${what} is not in its place`);
    push(0, leafOf(line));
    return seal;
  });
  later.forEach((height, place) => push(height, Buffer.from(after[place], "hex")));
  seals.forEach((seal, place) => {
    const what = `seal ${seal.number}`;
    need(place === 0 || seal.at >= seals[place - 1].at, `${what} is before the seal before it`);
    for (const { stream, seq, head } of seal.heads) {
      if (!listed.has(stream)) listed.set(stream, []);
      const heads = listed.get(stream);
      const newest = heads.at(-1);
      need(!newest || newest.seq <= seq, `${stream} goes back in ${what}`);
      need(!newest || newest.seq < seq || newest.head === head, `${stream} has two heads at one number in ${what}`);
      heads.push({ seq, head, at: seal.at });
    }
    if (seal.full) {
      const held = new Set(seal.heads.map(({ stream }) => stream));
      need([...listed.keys()].every((stream) => held.has(stream)), `${what} is full and leaves out a stream`);
    }
  });
  const rootAt = (at) => {
    const held = roots.get(at);
    return held && (Buffer.isBuffer(held) ? held : Object.assign(new Stack(), { held }).root());
  };
  return { ...said, seals, listed, rootAt, root: stack.root() };
}

/** An entry is at most a minute after the seal that lists it. Dates know milliseconds; the digits behind them stay. */
function isInTime(entry, seal) {
  const latest = new Date(Date.parse(`${seal.slice(0, 23)}Z`) + 60_000);
  const digits = (at) => at.slice(23, 26);
  const [moment, end] = [Date.parse(`${entry.slice(0, 23)}Z`), latest.getTime()];
  return moment < end || (moment === end && digits(entry) <= digits(seal));
}

/** A key signed all seals here: it is more than a minute older than the first one, or not younger than the log's very first. */
function isOlder(created, { first, seals: [{ at }] }) {
  return first === 0 ? created <= at : !isInTime(at, created);
}

// The bundle

const ALWAYS = ["FORMAT.md", "README.txt", "beyond.jsonl", "keys.txt", "manifest.json", "record.jsonl", "verify.py", "witness.py"];
const SEALED = ["checkpoint.txt", "seals.jsonl"];
const OPTIONAL = ["schemas.json"];

function checkFiles(files) {
  for (const name of files.keys()) need([...ALWAYS, ...SEALED, ...OPTIONAL].includes(name), `${name} is no file of a bundle`);
  for (const name of ALWAYS) need(files.has(name), `${name} is missing`);
  need(files.has(SEALED[0]) === files.has(SEALED[1]), "of seals and checkpoint one is missing");
}

/** Follows the entries beside the range; a stream then ends at `e` = follower.seq. */
function checkBeyond(bytes, { opened, streams, closings }) {
  const places = new Map(streams.map((one, place) => [one.follower.name, place]));
  let last = -1;
  const due = streams.map(({ p }) => opened.from !== null && p > 0);
  linesOf(bytes, "beyond.jsonl").forEach((held, number) => {
    const what = `line ${number + 1} of beyond.jsonl`;
    const line = lineOf(held, what);
    const place = places.get(line.said.stream);
    need(place !== undefined && place >= last, `${what} is of a stream that is not in its place`);
    const stream = streams[place];
    if (place > last && due[place]) {
      checkEntry(line.said, what);
      need(line.said.seq === stream.p && line.hash === stream.P, `${what} is not the entry before the range`);
      need(stream.p > 1 || line.prev === genesis(stream.follower.name), `${what} does not begin at the genesis`);
      need(line.said.at < opened.from, `${what} is in the range`);
      stream.follower.at ||= line.said.at;
      due[place] = false;
    } else {
      stream.follower.take(line, what);
      need(opened.to === null || line.said.at >= opened.to, `${what} is in the range`);
      stream.hashes.set(line.said.seq, line.hash);
      stream.times.set(line.said.seq, line.said.at);
    }
    closings.push(...closingOf(line.said));
    last = place;
  });
  need(!due.includes(true), "beyond.jsonl lacks the entry before the range");
}

/** What is sealed of one stream, by the five rules; the number of its unsealed entries. */
function unsealedOf({ p, b, hashes, times, follower }, { opened, log, closings }) {
  const [name, e] = [follower.name, follower.seq];
  const closed = closings.some(({ stream, seq, head }) => (
    stream === name && (seq > e || (seq === e && head === follower.head))
  ));
  const listed = log?.listed.get(name) ?? [];
  for (const { seq, head, at } of listed) {
    need(seq < p || seq > e || hashes.get(seq) === head, `entry ${seq} of ${name} is not the one that was sealed`);
    need(closed || !times.has(seq) || isInTime(times.get(seq), at), `entry ${seq} of ${name} is after the seal that lists it`);
  }
  const greatest = listed.length ? listed.at(-1).seq : 0;
  if (greatest > b) {
    const end = opened.to === null ? greatest : listed.find(({ seq }) => seq > b).seq;
    need(e === end, `${name} ends at ${e} where it was sealed at ${end}`);
  } else {
    const shows = (seal) => {
      const seq = seal.heads.find(({ stream }) => stream === name)?.seq ?? 0;
      return seal.full && seal.at >= opened.to && seq === b;
    };
    const reaches = !log || log.last === log.size || (opened.to !== null && log.seals.some(shows));
    need(reaches, `the seals stop before they show where ${name} ends`);
    need(e === b, `${name} goes on in beyond.jsonl where no seal lists it`);
  }
  return Math.max(0, b - Math.max(p, greatest));
}

/** Where the bundle says that it has every stream, none that the seals list may be missing. */
function checkEvery({ opened, streams }, log) {
  if (!("every" in opened)) return;
  const { every } = opened;
  hasExactly(every, ["facility", "other_play"], "`every`");
  const { facility, other_play: others } = every;
  need((facility === null || isText(facility)) && Array.isArray(others) && others.every(isText), "`every` has an unknown form");
  need(others.every((name, place) => !place || inOrder(others[place - 1], name) < 0), "`other_play` is not in order");
  const names = new Set(streams.map(({ follower }) => follower.name));
  need(!others.some((name) => names.has(name)), "`other_play` names a stream of the export");
  const known = new Set([...names, ...others]);
  for (const name of log?.listed.keys() ?? []) {
    const meant = facility === null || name === "installation/system" || name.startsWith(`${facility}/`);
    need(!meant || known.has(name), `the seals list ${name}, which a bundle of every stream must have`);
  }
}

function checkManifest(bytes, files, { opened, entries }, log, unsealed) {
  const others = [...files.keys()].filter((name) => name !== "manifest.json").sort(inOrder);
  const { at, build, from, to } = opened;
  const meant = {
    _format: 1, _type: "bundle", at, build, from, to, entries, unsealed,
    incarnation: log?.incarnation ?? null, origin: log?.origin ?? null, size: log?.size ?? null,
    files: others.map((name) => ({ name, sha256: hex(sha256(files.get(name))), size: files.get(name).length })),
  };
  need(bytes.toString("utf8") === `${canonical(meant)}\n`, "manifest.json does not say what the bundle holds");
}

function checkBundle(files, asked) {
  checkFiles(files);
  const exported = checkExport(files.get("record.jsonl"));
  for (const stream of exported.streams) stream.b = stream.follower.seq;
  checkBeyond(files.get("beyond.jsonl"), exported);
  const stated = keysOf(files.get("keys.txt"));
  const log = files.has("seals.jsonl") ? sealsOf(files.get("seals.jsonl")) : null;
  if (log) {
    const begins = exported.streams.every(({ p, follower }) => (
      (log.seals[0].heads.find(({ stream }) => stream === follower.name)?.seq ?? 0) <= p
    ));
    need(log.first === 0 || (log.seals[0].full && begins), "the seals begin behind the range");
  }
  checkEvery(exported, log);
  const unsealed = exported.streams
    .map((stream) => ({ entries: unsealedOf(stream, { ...exported, log }), stream: stream.follower.name }))
    .filter(({ entries }) => entries > 0);
  checkManifest(files.get("manifest.json"), files, exported, log, unsealed);
  if (!log) {
    need(!asked.vkey && !asked.witness_vkey && !asked.checkpoint, "nothing of this bundle is signed");
    return;
  }
  const note = noteOf(files.get("checkpoint.txt"), "checkpoint.txt");
  need(note.origin === log.origin && note.size === log.size, "checkpoint.txt is of another log or size");
  need(note.root.equals(log.root), "the seals do not lead to the root of checkpoint.txt");
  checkHeld(note, log.rootAt, stated, asked);
  const signs = (key) => note.signatures.some(({ name, id }) => name === key.name && id === key.id);
  need(stated.log.some((key) => serves(key, log.origin) && signs(key)), "keys.txt states no key of the log that signed the checkpoint");
  const own = stated.log.filter(({ name }) => name === log.origin);
  const signed = own.some(signs) || !own.some((key) => key.retired === "never" && isOlder(key.created, log));
  need(signed, "the log has a key of its own that did not sign the checkpoint");
}

/** The checkpoint's signatures, by the reader's keys before the stated ones, and a checkpoint that the reader kept. */
function checkHeld(note, rootAt, stated, asked) {
  const mine = { log: asked.vkey ? [keyOf(asked.vkey, 1)] : [], witness: asked.witness_vkey ? [keyOf(asked.witness_vkey, 4)] : [] };
  const known = [...mine.log, ...mine.witness, ...(stated?.log ?? []), ...(stated?.witness ?? [])];
  const must = [mine.log.length ? mine.log : stated?.log, mine.witness.length ? mine.witness : null].filter(Boolean);
  checkSignatures(note, known, must, "the checkpoint");
  if (!asked.checkpoint) return;
  const kept = noteOf(readFileSync(asked.checkpoint), "the kept checkpoint");
  checkSignatures(kept, known, must.slice(0, mine.log.length || stated ? 1 : 0), "the kept checkpoint");
  need(kept.origin === note.origin, "the kept checkpoint is of another log");
  const [older, newer] = kept.size <= note.size ? [kept, note] : [note, kept];
  if (kept.size <= note.size && rootAt(kept.size)) {
    need(rootAt(kept.size).equals(kept.root), "the kept checkpoint is of another log");
    return;
  }
  need(asked.proof, "a proof of consistency with the kept checkpoint is needed");
  const said = utf8(readFileSync(asked.proof), "the proof");
  const [, old, hashes] = /^old (0|[1-9]\d*)\n((?:[^\n]+\n)*)(?:\n|$)/.exec(said) ?? [];
  need(Number(old) === older.size, "the proof of consistency is of another size");
  const digests = hashes.split("\n").slice(0, -1).map((text) => base64(text, "a hash of the proof"));
  need(digests.every((one) => one.length === 32), "a hash of the proof is not of 32 bytes");
  checkConsistency(older, newer, digests);
}

// The proof of one entry

function checkProof(bytes, asked) {
  need(asked.vkey || (!asked.witness_vkey && !asked.checkpoint), "a proof names no key: the log's must be given");
  const lines = linesOf(bytes, "the proof");
  const said = parsed(lines[0], "the first line of the proof");
  hasExactly(said, ["_format", "_type", "checkpoint", "path", "seal"], "the first line of the proof");
  need(said._format === 1 && isText(said.checkpoint) && isText(said.seal), "the proof has an unknown form");
  need(Array.isArray(said.path) && said.path.every(isHash), "the proof has no path");
  const note = noteOf(Buffer.from(said.checkpoint), "the checkpoint of the proof");
  const seal = sealOf(Buffer.from(said.seal), "the seal of the proof");
  need(seal.number < note.size, "the checkpoint is older than the seal");
  const path = said.path.map((hash) => Buffer.from(hash, "hex"));
  const root = rootOfPath(leafOf(Buffer.from(said.seal)), seal.number, note.size, path);
  need(root.equals(note.root), "the path does not lead to the root of the checkpoint");
  need(lines.length > 1, "the proof holds no entry");
  const entries = lines.slice(1).map((line, place) => lineOf(line, `entry ${place + 1} of the proof`));
  const [{ said: first, prev }] = entries;
  checkEntry(first, "the entry of the proof");
  need(first.seq > 1 || prev === genesis(first.stream), "the entry does not begin at the genesis");
  const follower = new Follower(first.stream, first.seq - 1, prev);
  entries.forEach((line, place) => follower.take(line, `entry ${place + 1} of the proof`));
  const listed = seal.heads.find(({ stream }) => stream === first.stream);
  need(isInTime(follower.at, seal.at), "the entries are after their seal");
  need(listed && listed.seq === follower.seq && listed.head === follower.head, "the seal does not list these entries");
  const roots = new Map([[0, sha256()], [note.size, note.root]]);
  checkHeld(note, (size) => roots.get(size), null, asked);
}

// What was asked

/** What else lies in a folder is no part of the bundle. */
function filesOf(folder) {
  const names = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isFile()).map(({ name }) => name);
  return new Map([...ALWAYS, ...SEALED, ...OPTIONAL].filter((name) => names.includes(name)).map((name) => [name, readFileSync(join(folder, name))]));
}

function check(asked) {
  need(existsSync(asked.file), `there is no ${asked.file}`);
  if (statSync(asked.file).isDirectory()) return checkBundle(filesOf(asked.file), asked);
  const bytes = readFileSync(asked.file);
  if (bytes.subarray(0, 2).toString("latin1") === "PK") return checkBundle(unzipped(bytes), asked);
  const line = bytes.subarray(0, Math.max(0, bytes.indexOf(10)));
  if (line.includes('"_type":"proof"')) return checkProof(bytes, asked);
  need(!asked.vkey && !asked.witness_vkey && !asked.checkpoint, "nothing of an export is signed");
  return checkExport(bytes);
}

function answer(asked) {
  try {
    check(asked);
    return "good";
  } catch (error) {
    return `bad: ${error instanceof Bad ? error.message : `not understood (${error.message})`}`.replaceAll("\n", " ");
  }
}

function askedOf(words) {
  const asked = {};
  while (words.length) {
    const word = words.shift();
    if (word.startsWith("--")) asked[word.slice(2).replaceAll("-", "_")] = words.shift();
    else asked.file = word;
  }
  return asked;
}

const words = process.argv.slice(2);
const list = words[0] === "--list" ? readFileSync(0, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line)) : [askedOf(words)];
const answers = list.map(answer);
console.log(answers.join("\n"));
process.exitCode = answers.every((one) => one === "good") ? 0 : 1;
