// The files of a ZIP archive, by its central directory: stored or deflated, ZIP64 where it is long.

import { inflateRawSync } from "node:zlib";
import { Bad, need, utf8 } from "./record.mjs";

const TABLE = Int32Array.from({ length: 256 }, (_, value) => {
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
const crc32 = (bytes) => (bytes.reduce((sum, byte) => (sum >>> 8) ^ TABLE[(sum ^ byte) & 255], -1) ^ -1) >>> 0;
// A bomb is refused before it is inflated
const [PACKED_MOST, SMALL_FILE] = [100, 1 << 20];
const long = (bytes, at) => Number(bytes.readBigUInt64LE(at));

/** Where the central directory begins and ends, and how many files it lists. */
function directoryOf(bytes) {
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  need(end >= 0 && end + 22 === bytes.length && bytes.readUInt16LE(end + 20) === 0, "the archive has no end, or more after it");
  let [count, size, from, until] = [bytes.readUInt16LE(end + 10), bytes.readUInt32LE(end + 12), bytes.readUInt32LE(end + 16), end];
  if (end >= 20 && bytes.readUInt32LE(end - 20) === 0x07064b50) {
    until = long(bytes, end - 12);
    need(bytes.readUInt32LE(until) === 0x06064b50, "the archive has no end of ZIP64");
    [count, size, from] = [long(bytes, until + 32), long(bytes, until + 40), long(bytes, until + 48)];
  }
  need(from + size === until, "the directory of the archive is not where it says");
  return { count, from, until };
}

/** Sizes and place of one file; those that are all ones stand in the extra field of ZIP64, in this order. */
function longed(fields, extra) {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let place = at + 4;
    return fields.map((value) => {
      if (value !== 0xffffffff) return value;
      place += 8;
      return long(extra, place - 8);
    });
  }
  return fields;
}

function contentOf(bytes, { name, method, sum, packed, size, from }) {
  need(bytes.readUInt32LE(from) === 0x04034b50, `${name} is not where the archive says`);
  const [names, extras] = [bytes.readUInt16LE(from + 26), bytes.readUInt16LE(from + 28)];
  need(bytes.toString("utf8", from + 30, from + 30 + names) === name, `${name} has another name in its place`);
  const begins = from + 30 + names + extras;
  const held = bytes.subarray(begins, begins + packed);
  need(held.length === packed && (method === 0 || method === 8), `${name} cannot be read`);
  need(size <= PACKED_MOST * packed + SMALL_FILE, `${name} is packed too tightly`);
  let content = held;
  if (method === 8) {
    try {
      content = inflateRawSync(held, { maxOutputLength: size + 1 });
    } catch {
      throw new Bad(`${name} cannot be inflated`);
    }
  }
  need(content.length === size && crc32(content) === sum, `${name} is not what was packed`);
  return content;
}

function unpacked(bytes) {
  const files = new Map();
  const { count, from, until } = directoryOf(bytes);
  let [at, first] = [from, from];
  for (let number = 0; number < count; number += 1) {
    need(at + 46 <= until && bytes.readUInt32LE(at) === 0x02014b50, "the directory of the archive is broken");
    const [names, extras, comments] = [28, 30, 32].map((place) => bytes.readUInt16LE(at + place));
    const name = utf8(bytes.subarray(at + 46, at + 46 + names), "a name in the archive");
    need(!files.has(name), `${name} stands twice in the archive`);
    need((bytes.readUInt16LE(at + 8) & 1) === 0, `${name} is encrypted`);
    const extra = bytes.subarray(at + 46 + names, at + 46 + names + extras);
    const said = [24, 20, 42].map((place) => bytes.readUInt32LE(at + place));
    const [size, packed, begins] = longed(said, extra);
    const one = { name, method: bytes.readUInt16LE(at + 10), sum: bytes.readUInt32LE(at + 16), packed, size, from: begins };
    first = Math.min(first, begins);
    files.set(name, contentOf(bytes, one));
    at += 46 + names + extras + comments;
  }
  need(first === 0, "the archive has bytes before its first file");
  need(at === until, "the directory of the archive holds more than it says");
  return files;
}

export function unzipped(bytes) {
  try {
    return unpacked(bytes);
  } catch (error) {
    throw error instanceof RangeError ? new Bad("the archive speaks of bytes that it does not have") : error;
  }
}
