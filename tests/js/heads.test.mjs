import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ActQueue } from "../../static/js/acts.js";
import { forgetHeads, holdHeads, storeHead, storedHeads, unjudgedHead } from "../../static/js/heads.js";
import { FakeElement, installBrowser } from "./browser.mjs";

const STREAM = "larkfield/T-01";
const STATE = { round: { number: 7, phase: "open" } };
const fragment = (version, incarnation = 1) =>
  ({ stream: STREAM, version: String(version), head: `h${version}`, incarnation: String(incarnation), mac: "m" });
const head = (seq, incarnation = 1) => ({ seq, head: `h${seq}`, incarnation, mac: "m" });
let clock, server, queue, screen;

beforeEach(() => {
  ({ clock, server } = installBrowser());
  screen = new FakeElement({ dataset: fragment(8) });
  const page = { querySelector: () => screen, apply: () => {}, leave: () => {} };
  queue = new ActQueue(page, { table: "T-01", act: "/tables/T-01/acts/__act__" });
  holdHeads();
});

test("a device stores the newest head of each table that it shows", () => {
  storeHead(fragment(10));
  storeHead(fragment(11));
  storeHead({ ...fragment(5), stream: "larkfield/T-02" });
  storeHead({ version: "3" });
  assert.deepEqual(storedHeads(), { [STREAM]: head(11), "larkfield/T-02": head(5) });
});

test("the head of the page before goes out with the first act, and stays until the server has answered", async () => {
  storeHead(fragment(10));
  holdHeads();  // the page is loaded again, and shows a restored record
  storeHead(fragment(8));
  assert.deepEqual(storedHeads()[STREAM], head(10));
  queue.send("no_more_bets", {}, STATE);
  assert.deepEqual([server.last.body.head, server.last.body["stored_head"]], [head(8), head(10)]);
  await server.last.answer(200, { version: 9, answer: {} });
  storeHead(fragment(9));
  assert.deepEqual(storedHeads()[STREAM], head(9));
  queue.send("no_more_bets", {}, STATE);
  assert.equal(server.last.body["stored_head"], undefined);
});

test("without an answer the stored head goes out again", async () => {
  storeHead(fragment(10));
  holdHeads();
  queue.send("no_more_bets", {}, STATE);
  await server.last.answer(503, { refusal: { code: "not-begun" } });
  assert.deepEqual(unjudgedHead(STREAM), head(10));
});

test("a page without an answer keeps the head that it shows, whatever it shows before the next try", async () => {
  storeHead(fragment(10));
  queue.send("no_more_bets", {}, STATE);
  await server.last.answer(503, { refusal: { code: "not-begun" } });
  storeHead(fragment(12));  // of a restored record that has gone on
  assert.deepEqual([storedHeads()[STREAM], unjudgedHead(STREAM)], [head(10), head(10)]);
});

test("a repeated answer judges no head: the record was not compared with it", async () => {
  storeHead(fragment(10));
  queue.send("no_more_bets", {}, STATE);
  await server.last.answer(503, { refusal: { code: "not-begun" } });
  await clock.advance(4_000);
  assert.equal(server.last.body.retry, true);
  await server.last.answer(200, { version: 9, answer: {} });
  assert.deepEqual(unjudgedHead(STREAM), head(10));
});

test("the first head of a new incarnation replaces any other", () => {
  storeHead(fragment(10));
  holdHeads();
  storeHead(fragment(4, 2));
  assert.deepEqual([storedHeads()[STREAM], unjudgedHead(STREAM)], [head(4, 2), undefined]);
});

test("the demo forgets the heads of the database before", () => {
  storeHead(fragment(10));
  forgetHeads();
  assert.deepEqual(storedHeads(), {});
});
