import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, installBrowser } from "./browser.mjs";

const { clock, document } = installBrowser();
const TILES = 300;
const clocksPainted = new Map();  // by table
const tiles = Array.from({ length: TILES }, (_, number) => {
  const table = `T-${number}`;
  const tile = new FakeElement({ dataset: { table, kind: "live", status: "open", playing: "1" } });
  const counted = new FakeElement({ dataset: { clock: "2025-01-02T12:00:00Z" } });
  Object.defineProperty(counted, "textContent", {
    get: () => "", set: () => { clocksPainted.set(table, (clocksPainted.get(table) ?? 0) + 1); },
  });
  tile.parts.set("[data-clock]", [counted]);
  return tile;
});
let sumsPainted = 0;
const sum = new FakeElement();
Object.defineProperty(sum, "textContent", { get: () => "", set: () => { sumsPainted += 1; } });
document.parts.set(".tile", tiles);
document.parts.set('[data-sum="playing"]', [sum]);
const dialog = new FakeElement();
dialog.parts.set("form", [new FakeElement()]);
document.elements.set("decide", dialog);
const rail = new FakeElement();
const page = new FakeElement({ dataset: { answered: "T-01" } });
Object.assign(rail, { closest: () => page, replaceChildren() {} });
for (const [id, element] of [["alerts", rail], ["alert-count", new FakeElement()], ["no-alerts", new FakeElement()]])
  document.elements.set(id, element);
const { forThisPerson } = await import("../../static/js/floor.js");

const change = ({ dataset: { table } }) => dispatchEvent(new CustomEvent("screen:applied", { detail: { table } }));

test("a resync of three hundred tiles paints the sums once", async () => {
  assert.equal(sumsPainted, 1);  // as the page loads
  for (const tile of tiles) change(tile);
  assert.equal(sumsPainted, 1);
  await clock.advance(200);
  assert.equal(sumsPainted, 2);
  await clock.advance(600);
  assert.equal(sumsPainted, 2);
});

test("a changed tile paints its own clocks and no other's", () => {
  clocksPainted.clear();
  change(tiles[7]);
  assert.deepEqual([...clocksPainted], [["T-7", 1]]);
});

test("an alert offers an answer only to a person whose answer is taken there, and else says so", () => {
  const offered = (tables) => {
    const alert = new FakeElement(), note = { hidden: true }, answers = { remove: () => alert.parts.delete(".answers") };
    const button = new FakeElement({ dataset: { of: "T-13" } });
    alert.parts.set("[data-acknowledge]", [button]).set(".not-yours", [note]).set(".answers", [answers]);
    return [forThisPerson(alert, tables).parts.has(".answers"), !note.hidden];
  };
  assert.deepEqual(offered(["T-01", "T-13"]), [true, false]);
  assert.deepEqual(offered(["T-01"]), [false, true]);
  assert.deepEqual(offered(null), [true, false]);  // a page without the list: nobody of the floor is signed in
  assert.deepEqual(offered(), [false, true]);
  dispatchEvent(new CustomEvent("floor:answered", { detail: ["T-13"] }));  // a change of duty, without a reload
  assert.deepEqual(offered(), [true, false]);
});
