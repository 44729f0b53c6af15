import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";

const { distanceTo, gapOfKey, rowsAfterMove, toSend } = await import("../../static/js/arrange-pits.js");
const [first, second, third] = ["p1", "p2", "p3"].map((pit) => ({ pit, landmark: "" }));
const cage = { pit: "", landmark: "Cage" };
const rows = [[first, second], [cage], [third]];

test("an item that is moved leaves its place, and an empty row is gone", () => {
  assert.deepEqual(rowsAfterMove(rows, cage, { row: 1, place: 1 }), [[first, cage, second], [third]]);
  assert.deepEqual(rowsAfterMove(rows, first, { row: 1, place: 2 }), [[second, first], [cage], [third]]);
  assert.deepEqual(rowsAfterMove(rows, third, { row: 1, place: 0, isNew: true }), [[third], [first, second], [cage]]);
  assert.deepEqual(rowsAfterMove(rows, second, { row: 4, place: 0, isNew: true }), [[first], [cage], [third], [second]]);
  assert.deepEqual(rowsAfterMove(rows, second, { row: 1, place: 2 }), rows);
});

test("an arrow moves an item one step, at the edges into a row of its own, and never off the floor", () => {
  assert.equal(gapOfKey(rows, first, "ArrowLeft"), null);
  assert.deepEqual(rowsAfterMove(rows, first, gapOfKey(rows, first, "ArrowRight"))[0], [second, first]);
  assert.equal(gapOfKey(rows, second, "ArrowRight"), null);
  assert.deepEqual(rowsAfterMove(rows, second, gapOfKey(rows, second, "ArrowLeft"))[0], [second, first]);
  assert.deepEqual(rowsAfterMove(rows, second, gapOfKey(rows, second, "ArrowDown")), [[first], [cage, second], [third]]);
  assert.deepEqual(rowsAfterMove(rows, second, gapOfKey(rows, second, "ArrowUp")), [[second], [first], [cage], [third]]);
  assert.equal(gapOfKey(rows, third, "ArrowDown"), null);
  assert.deepEqual(rowsAfterMove(rows, third, gapOfKey(rows, third, "ArrowUp")), [[first, second], [third, cage]]);
  assert.equal(gapOfKey(rows, first, "Tab"), null);
});

test("the act gets each item with its row, and a point the distance to a box", () => {
  assert.deepEqual(toSend(rows), [
    { row: 1, pit: "p1" }, { row: 1, pit: "p2" }, { row: 2, landmark: "Cage" }, { row: 3, pit: "p3" },
  ]);
  const box = { x: 10, y: 10, width: 20, height: 10 };
  assert.deepEqual([[15, 15], [10, 25], [34, 23]].map(([x, y]) => distanceTo(box, { x, y })), [0, 5, 5]);
});
