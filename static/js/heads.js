/* The newest head of each table that this device has shown (docs/architecture.md), stored on the device. It outlives the page and
   the session: after a restored backup nobody is signed in any more, and the stored head shows that entries are missing.

   What is stored when the page is loaded stays until the server has judged it, and so does what is stored once the page has
   lost its line or an answer: who answers next may have a restored record. A table of it may have a higher number by then,
   and would replace the only evidence. */

const PREFIX = "pitside.head.";
let unjudged = new Map();

/* Keeps what is stored until it is judged, whatever is shown meanwhile. */
export function holdHeads() {
  unjudged = new Map(Object.entries(storedHeads()));
}

/* The head that a fragment shows, from its dataset; undefined if it shows none. */
export const headOf = ({ version, head, incarnation, mac }) =>
  head && { seq: Number(version), head, incarnation: Number(incarnation), mac };

/* Every head that is stored, by the name of its stream. */
export function storedHeads() {
  const heads = {};
  for (let i = 0; i < localStorage.length; i++) {
    const key = localStorage.key(i);
    if (key.startsWith(PREFIX)) heads[key.slice(PREFIX.length)] = JSON.parse(localStorage.getItem(key));
  }
  return heads;
}

/* The stored head of a stream that waits for its judgement. */
export const unjudgedHead = (stream) => unjudged.get(stream);

/* The server has answered an act that brought the stored head of this stream. */
export const markJudged = (stream) => unjudged.delete(stream);

/* Stores the head that a fragment shows. A later incarnation was declared by two people: it replaces any head. */
export function storeHead(dataset) {
  const { stream } = dataset, head = headOf(dataset);
  if (!stream || !head) return;
  if (head.incarnation > (unjudged.get(stream)?.incarnation ?? Infinity)) markJudged(stream);
  if (!unjudged.has(stream)) localStorage.setItem(PREFIX + stream, JSON.stringify(head));
}

/* The demo begins again with an empty database, of which older heads say nothing. */
export function forgetHeads() {
  for (const stream of Object.keys(storedHeads())) localStorage.removeItem(PREFIX + stream);
}
