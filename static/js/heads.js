/* The heads of each table that this device has shown (docs/architecture.md), stored on the device. They outlive the page and
   the session: after a restored backup nobody is signed in any more, and a stored head shows that entries are missing.

   The newest one replaces the one before, unless that is held: what is stored when a page is loaded, and once it has lost
   its line or an answer, stays until the server has judged it. Who answers next may have a restored record. A table of it
   may have a higher number by then, and would replace the only evidence. */

const PREFIX = "pitside.head.";
const MOST_STORED = 6;  // of a table: the server takes eight (audit/record.py)
let heldStreams = new Set();  // the streams whose newest head is held

const isSame = (a, b) => a.seq === b.seq && a.head === b.head && a.incarnation === b.incarnation;
const read = (stream) => [JSON.parse(localStorage.getItem(PREFIX + stream)) ?? []].flat();  // one head, of an earlier build
const write = (stream, heads) => localStorage.setItem(PREFIX + stream, JSON.stringify(heads));

/* Keeps what is stored until it is judged, whatever is shown meanwhile. */
export function holdHeads() {
  heldStreams = new Set(Object.keys(storedHeads()));
}

/* The head that a fragment shows, from its dataset; undefined if it shows none. */
export const headOf = ({ version, head, incarnation, mac }) =>
  head && { seq: Number(version), head, incarnation: Number(incarnation), mac };

/* Every head that is stored, oldest first, by the name of its stream. */
export function storedHeads() {
  const heads = {};
  for (let i = 0; i < localStorage.length; i++) {
    const key = localStorage.key(i);
    if (key.startsWith(PREFIX)) heads[key.slice(PREFIX.length)] = JSON.parse(localStorage.getItem(key));
  }
  return heads;
}

/* The stored heads of a stream that an act has to bring beside that of its screen; undefined if there is none. */
export function unjudgedHeads(stream, headOfScreen) {
  const heads = read(stream).filter((head) => !headOfScreen || !isSame(head, headOfScreen));
  return heads.length ? heads : undefined;
}

/* The server has compared these heads of a stream with its record. The newest one stays: it is what this device has shown. */
export function markJudged(stream, judged) {
  const heads = read(stream), newest = heads.at(-1);
  const isJudged = (head) => judged.some((claim) => claim && isSame(claim, head));
  if (!newest) return;
  if (isJudged(newest)) heldStreams.delete(stream);
  write(stream, heads.filter((head) => head === newest || !isJudged(head)));
}

/* Stores the head that a fragment shows. A later incarnation was declared by two people: it replaces all others. */
export function storeHead(dataset) {
  const { stream } = dataset, head = headOf(dataset);
  if (!stream || !head) return;
  let heads = read(stream).filter(({ incarnation }) => incarnation >= head.incarnation);
  if (heads.length && isSame(heads.at(-1), head)) return;
  if (!heldStreams.delete(stream)) heads = heads.slice(0, -1);
  if (heads.length >= MOST_STORED) heads.splice(1, 1);
  write(stream, [...heads, head]);
}

/* The demo begins again with an empty database, of which older heads say nothing. */
export function forgetHeads() {
  for (const stream of Object.keys(storedHeads())) localStorage.removeItem(PREFIX + stream);
}
