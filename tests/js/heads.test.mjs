import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ActQueue } from "../../static/js/acts.js";
import { forgetHeads, holdHeads, storeHead, storedHeads, unjudgedHeads } from "../../static/js/heads.js";
import { FakeElement, installBrowser } from "./browser.mjs";

const STREAM = "larkfield/T-01";
const STATE = { round: { number: 7, phase: "open" } };
const fragment = (version, incarnation = 1, text = "h") =>
  ({ stream: STREAM, version: String(version), head: `${text}${version}`, incarnation: String(incarnation), mac: "m" });
const head = (seq, incarnation = 1, text = "h") => ({ seq, head: `${text}${seq}`, incarnation, mac: "m" });
const stored = () => storedHeads()[STREAM];
let clock, server, queue, screen;

beforeEach(() => {
  ({ clock, server } = installBrowser());
  screen = new FakeElement({ dataset: fragment(8) });
  const page = { querySelector: () => screen, apply: () => {}, leave: () => {} };
  queue = new ActQueue(page, { table: "T-01", act: "/tables/T-01/acts/__act__" });
  holdHeads();
});

/* The page shows a state, as a push brings it. */
function show(...state) {
  screen.dataset = fragment(...state);
  storeHead(screen.dataset);
}

test("a device stores the newest head of each table that it shows", () => {
  show(10);
  show(11);
  storeHead({ ...fragment(5), stream: "larkfield/T-02" });
  storeHead({ version: "3" });
  assert.deepEqual(storedHeads(), { [STREAM]: [head(11)], "larkfield/T-02": [head(5)] });
});

test("the head of the page before goes out with the first act, and stays until the server has answered", async () => {
  show(10);
  holdHeads();  // the page is loaded again, and shows a restored record
  show(8);
  assert.deepEqual(stored(), [head(10), head(8)]);
  queue.send("no_more_bets", {}, STATE);
  const [{ body }] = server.requests;
  assert.deepEqual([body.head, body["stored_heads"]], [head(8), [head(10)]]);
  await server.last.answer(200, { version: 9, answer: {} });
  show(9);
  assert.deepEqual(stored(), [head(9)]);
  queue.send("no_more_bets", {}, STATE);
  assert.notEqual(server.last.body.command, body.command);
  assert.equal(server.last.body["stored_heads"], undefined);
});

test("the head that a loaded page shows again is judged with its first act, and brought no more", async () => {
  show(8);
  holdHeads();
  show(8);
  queue.send("no_more_bets", {}, STATE);
  assert.equal(server.last.body["stored_heads"], undefined);
  await server.last.answer(200, { version: 9, answer: {} });
  show(9);
  assert.deepEqual(stored(), [head(9)]);
});

test("without an answer the stored heads go out again, whatever the page shows before the next try", async () => {
  show(10);
  queue.send("no_more_bets", {}, STATE);
  await server.last.answer(503, { refusal: { code: "not-begun" } });
  show(12, 1, "restored");
  assert.deepEqual(stored(), [head(10), head(12, 1, "restored")]);
  await clock.advance(4_000);
  assert.deepEqual(server.last.body["stored_heads"], [head(10)]);
});

test("each head that was shown between two losses of the line is evidence of its own", () => {
  for (const version of [10, 11, 12, 13, 14, 15, 16, 17]) {
    holdHeads();
    show(version);
    show(version, 1, "later");
  }
  assert.deepEqual(stored().map(({ seq }) => seq), [10, 13, 14, 15, 16, 17]);
  assert.deepEqual(unjudgedHeads(STREAM, head(17, 1, "later")).map(({ seq }) => seq), [10, 13, 14, 15, 16]);
});

test("a repeated answer judges no head: the record was not compared with it", async () => {
  show(10);
  queue.send("no_more_bets", {}, STATE);
  await server.last.answer(503, { refusal: { code: "not-begun" } });
  show(12);
  await clock.advance(4_000);
  assert.equal(server.last.body.retry, true);
  await server.last.answer(200, { version: 9, answer: {} });
  assert.deepEqual(stored(), [head(10), head(12)]);
});

test("the first head of a new incarnation replaces all others", () => {
  show(10);
  holdHeads();
  show(11);
  show(4, 2);
  assert.deepEqual(stored(), [head(4, 2)]);
});

test("a head that an earlier build stored alone is one of the list", () => {
  localStorage.setItem(`pitside.head.${STREAM}`, JSON.stringify(head(10)));
  holdHeads();
  show(12);
  assert.deepEqual(stored(), [head(10), head(12)]);
});

test("the demo forgets the heads of the database before", () => {
  show(10);
  forgetHeads();
  assert.deepEqual(storedHeads(), {});
});
