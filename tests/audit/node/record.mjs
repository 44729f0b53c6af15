// The record and its export, checked by audit/FORMAT.md alone: canonical JSON, entries, chains, ranges, settlements.

import { createHash } from "node:crypto";

export class Bad extends Error {}

export function need(holds, why) {
  if (!holds) throw new Bad(why);
}

export const ZEROS = "0".repeat(64);
const HEX = /^[0-9a-f]{64}$/;
const TYPE = /^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)+$/;
const KEYS = [
  "_format", "_type", "actor", "at", "build", "command", "data", "device", "gaming_day", "seq", "stream", "terms",
  "witness",
];

export const sha256 = (...parts) => parts.reduce((sum, part) => sum.update(part), createHash("sha256")).digest();
export const hex = (bytes) => Buffer.from(bytes).toString("hex");
export const isHash = (value) => typeof value === "string" && HEX.test(value);
export const isCount = (value, least = 0) => Number.isSafeInteger(value) && value >= least;
export const isText = (value) => typeof value === "string";
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
export const genesis = (stream) => hex(sha256("pitside/stream/v1\n", Buffer.from(stream, "utf8")));
export const entryHash = (prev, body) => hex(sha256("pitside/entry/v1\n", Buffer.from(prev, "hex"), body));

/** Names stand in the order of code points, which is that of their bytes in UTF-8, not that of UTF-16. */
export const inOrder = (left, right) => Buffer.compare(Buffer.from(left, "utf8"), Buffer.from(right, "utf8"));

export function hasExactly(object, keys, what) {
  need(isObject(object), `${what} is not an object`);
  const own = Object.keys(object).sort().join();
  need(own === [...keys].sort().join(), `${what} has other keys: ${own}`);
}

// JSON

export function utf8(bytes, what) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Bad(`${what} is not UTF-8`);
  }
}

/** RFC 8785, narrowed: ASCII keys, whole numbers below 2^53, no NUL, no half of a surrogate pair. */
export function canonical(value) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    need(Number.isSafeInteger(value), "a number is not whole, or is too great");
    return String(value);
  }
  if (typeof value === "string") {
    need(!value.includes("\0"), "a text has a NUL");
    need(!/\p{Surrogate}/u.test(value), "a text has half of a surrogate pair");
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const keys = Object.keys(value);
  need(keys.every((key) => /^[\x01-\x7f]*$/.test(key)), "a key is not ASCII");
  return `{${keys.sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}

/** The object that these bytes are the canonical form of. Written again, it must be the same bytes: so a key that
 * stands twice, a float, -0 and white space show, which JSON.parse would pass over. */
export function parsed(bytes, what) {
  const text = utf8(bytes, what);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Bad(`${what} is not JSON`);
  }
  need(isObject(value), `${what} is not an object`);
  need(canonical(value) === text, `${what} is not canonical JSON`);
  return value;
}

/** Lines without their newlines; the last one ends in a newline too. No bytes are no lines. */
export function linesOf(bytes, what) {
  const lines = [];
  let from = 0;
  while (from < bytes.length) {
    const to = bytes.indexOf(10, from);
    need(to >= 0, `${what} does not end in a newline`);
    lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  return lines;
}

// Moments and names

export function isDay(value) {
  if (!isText(value) || !/^\d{4}-\d\d-\d\d$/.test(value) || value.startsWith("0000")) return false;
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
}

/** The date of `at`, the one after it, or one of the two before it. */
function isNear(day, at) {
  const days = (Date.parse(`${day}T00:00:00Z`) - Date.parse(`${at.slice(0, 10)}T00:00:00Z`)) / 86_400_000;
  return days >= -2 && days <= 1;
}

/** Moments of this form compare as texts do. */
export function isMoment(value) {
  return isText(value) && /T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/.test(value) && value.length === 27 && isDay(value.slice(0, 10));
}

const isUUID = (value) => isText(value) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
const isOr = (is, value) => value === null || is(value);

/** No text outside `data` has a sign in it that JSON would escape. */
function isPlain(value) {
  if (isText(value)) return !/["\\\u0000-\u001f]/.test(value);
  if (Array.isArray(value)) return value.every(isPlain);
  return !isObject(value) || Object.entries(value).every(([key, one]) => key === "data" || isPlain(one));
}

// Lines and entries

/** One line by its three places: {hash, prev, body (bytes), said (the body, read)}. */
export function lineOf(bytes, what) {
  const at = (from, text) => bytes.subarray(from, from + text.length).toString("latin1") === text;
  const whole = at(0, '{"hash":"') && at(73, '","prev":"') && at(147, '","body":') && bytes.at(-1) === 0x7d;
  need(bytes.length > 157 && whole, `${what} has another form`);
  const [hash, prev] = [bytes.toString("latin1", 9, 73), bytes.toString("latin1", 83, 147)];
  need(isHash(hash) && isHash(prev), `${what} has no hash of 64 hex digits`);
  const body = bytes.subarray(156, -1);
  need(entryHash(prev, body) === hash, `${what} does not match its hash`);
  return { hash, prev, body, said: parsed(body, `the body of ${what}`) };
}

export function checkEntry(said, what) {
  hasExactly(said, KEYS, what);
  need(said._format === 1, `${what} has an unknown format`);
  need(isText(said._type) && TYPE.test(said._type), `${what} has no dotted type`);
  need(isOr(isText, said.actor) && isOr(isText, said.witness), `${what} names nobody`);
  need(said.witness === null || said.witness !== said.actor, `${what} is witnessed by its own actor`);
  need(isMoment(said.at), `${what} has no moment`);
  need(isText(said.build), `${what} has no build`);
  need(isOr(isUUID, said.command) && isOr(isUUID, said.device), `${what} has no UUID where one must be`);
  need(isDay(said.gaming_day) && isNear(said.gaming_day, said.at), `${what} has no gaming day`);
  need(isCount(said.seq, 1) && isText(said.stream), `${what} has no place on a stream`);
  need(isOr(isHash, said.terms), `${what} has no terms`);
  need(isObject(said.data), `${what} has no data`);
  need(isPlain(said), `${what} has a quote, a backslash or a control character outside its data`);
  const isSettlement = "settled" in said.data || ("returned_cents" in said.data && said._type !== "wagers.returned");
  if (isSettlement) checkSettlement(said.data, what);
}

/** What a win pays, in whole cents as a BigInt; undefined where `pays` says nothing of it. */
function paysOf(cents, pays) {
  const ratio = /^([1-9]\d{0,8}) to ([1-9]\d{0,8})$/.exec(pays);
  if (ratio) {
    const product = BigInt(cents) * BigInt(ratio[1]);
    return product % BigInt(ratio[2]) === 0n ? product / BigInt(ratio[2]) : undefined;
  }
  return /^\$([1-9]\d{0,2}(,\d{3})*)$/.test(pays) ? BigInt(pays.slice(1).replaceAll(",", "")) * 100n : undefined;
}

function checkSettlement(data, what) {
  need(Array.isArray(data.settled), `${what} settles no list`);
  let [paid, returned, stakes] = [0n, 0n, 0n];
  data.settled.forEach((wager, place) => {
    const which = `wager ${place + 1} of ${what}`;
    need(isObject(wager), `${which} is not an object`);
    const { cents, outcome, pays } = wager;
    const cut = "cut_cents" in wager ? wager.cut_cents : 0;
    need([cents, wager.paid_cents, wager.returned_cents, cut].every((sum) => isCount(sum)) && cents > 0, `${which} has no sums`);
    need(outcome === "win" || !("cut_cents" in wager), `${which} is cut without a win`);
    need(["win", "lose", "return", "fee"].includes(outcome), `${which} has no outcome`);
    need((outcome === "win") === isText(pays) && (isText(pays) || pays === null), `${which} pays without a win`);
    const won = outcome === "win" ? paysOf(cents, pays) : 0n;
    need(won !== undefined && BigInt(wager.paid_cents) === won - BigInt(cut), `${which} is paid wrongly`);
    const back = outcome === "win" || outcome === "return" ? cents : 0;
    need(wager.returned_cents === back, `${which} is returned wrongly`);
    [paid, returned, stakes] = [paid + BigInt(wager.paid_cents), returned + BigInt(back), stakes + BigInt(cents)];
  });
  const totals = [[data.paid_cents, paid], [data.returned_cents, returned], [data.taken_cents, stakes - returned]];
  need(totals.every(([said, is]) => isCount(said) && BigInt(said) === is), `the totals of ${what} are not its sums`);
}

/** One stream as it is followed: where it stands (seq, head), and when its last entry was. */
export class Follower {
  constructor(name, seq, head, at = "") {
    Object.assign(this, { name, seq, head, at });
  }

  take(line, what) {
    const { said } = line;
    checkEntry(said, what);
    need(said.stream === this.name, `${what} is of another stream`);
    need(said.seq === this.seq + 1, `${what} has number ${said.seq} where ${this.seq + 1} comes`);
    need(line.prev === this.head, `${what} does not follow the entry before it`);
    need(said.at >= this.at, `${what} is before the entry before it`);
    [this.seq, this.head, this.at] = [said.seq, line.hash, said.at];
  }
}

/** What an entry says that closed a stream, in a list; of no other entry anything. */
export function closingOf({ _type, stream, actor, witness, data }) {
  const closes = _type === "stream.closed" && stream === "installation/system" && actor !== null && witness !== null;
  return closes && Number.isSafeInteger(data.seq) ? [data] : [];
}

// The export

function checkOpened(line) {
  const { said, prev } = line;
  need(prev === ZEROS, "the first line does not begin at zeros");
  need(said._type === "export.opened", "the first line does not open an export");
  need(said._format === 1 && isMoment(said.at) && isText(said.build), "the first line has an unknown form");
  need(isOr(isMoment, said.from) && isOr(isMoment, said.to), "the range of the first line is no range");
  need(isPlain(said), "the first line has a quote, a backslash or a control character");
  need(Array.isArray(said.streams), "the first line has no streams");
  let before = null;
  for (const one of said.streams) {
    need(isObject(one) && isText(one.stream) && isCount(one.seq) && isHash(one.head), "a stream of the first line has no place");
    need(before === null || inOrder(before, one.stream) < 0, "the streams of the first line are not in order");
    need(one.seq > 0 || one.head === genesis(one.stream), `${one.stream} does not begin at its genesis`);
    need(said.from !== null || one.seq === 0, `${one.stream} does not begin at its beginning`);
    before = one.stream;
  }
}

function checkClosed(line, entries, streams, sum) {
  need(line.prev === sum, "the last line is not of these lines");
  const meant = canonical({
    _format: 1, _type: "export.closed", entries, sha256: sum,
    streams: streams.map(({ p, follower }) => (
      { entries: follower.seq - p, head: follower.head, seq: follower.seq, stream: follower.name }
    )),
  });
  need(line.body.toString("utf8") === meant, "the last line does not say what the lines before it hold");
}

/** A whole export: {opened, entries, streams}; a stream has p, P, b (follower.seq), and its `hashes` and `times` by number. */
export function checkExport(bytes) {
  const lines = linesOf(bytes, "the export");
  need(lines.length >= 2, "the export has no first and last line");
  const first = lineOf(lines[0], "line 1");
  checkOpened(first);
  const opened = first.said;
  const streams = opened.streams.map(({ stream, seq, head }) => (
    { p: seq, P: head, follower: new Follower(stream, seq, head), hashes: new Map([[seq, head]]), times: new Map() }
  ));
  const places = new Map(streams.map((one, place) => [one.follower.name, place]));
  const closings = [];
  let last = 0;
  for (let number = 1; number < lines.length - 1; number += 1) {
    const what = `line ${number + 1}`;
    const line = lineOf(lines[number], what);
    const place = places.get(line.said.stream);
    need(place !== undefined, `${what} is of a stream that the first line does not name`);
    need(place >= last, `${what} is not in the order of the streams`);
    last = place;
    const stream = streams[place];
    stream.follower.take(line, what);
    need(opened.from === null || line.said.at >= opened.from, `${what} is before the range`);
    need(opened.to === null || line.said.at < opened.to, `${what} is after the range`);
    stream.hashes.set(line.said.seq, line.hash);
    stream.times.set(line.said.seq, line.said.at);
    closings.push(...closingOf(line.said));
  }
  const tail = lines.at(-1);
  const sum = hex(sha256(bytes.subarray(0, bytes.length - tail.length - 1)));
  checkClosed(lineOf(tail, "the last line"), lines.length - 2, streams, sum);
  return { opened, entries: lines.length - 2, streams, closings };
}
