import assert from "node:assert/strict";
import { test } from "node:test";
import "./browser.mjs";

const { Places, nearestPlace } = await import("../../static/js/arrange-tables.js");
const pit = () => new Places([["1 1", "T-01"], ["1 2", "T-02"], ["2 1", ""], ["2 2", "T-03"]]);

test("a table that is moved to another's place leaves it its own", () => {
  const places = pit();
  assert.equal(places.isChanged, false);
  assert.ok(places.move("T-01", "2 2"));
  assert.deepEqual([places.spotOf("T-01"), places.spotOf("T-03")], ["2 2", "1 1"]);
  assert.ok(places.isChanged);
});

test("an arrow moves a table one step, and never off the pit", () => {
  const places = pit();
  assert.equal(places.beside("T-02", [1, 0]), "2 2");
  assert.ok(places.move("T-01", places.beside("T-01", [1, 0])));
  assert.equal(places.move("T-01", places.beside("T-01", [0, -1])), false);
  assert.deepEqual(places.toSend(), [
    { table: "T-02", row: 1, column: 2 }, { table: "T-01", row: 2, column: 1 }, { table: "T-03", row: 2, column: 2 },
  ]);
});

test("a table that is let go goes to the nearest place within reach, and elsewhere to none", () => {
  const places = [{ x: 0, y: 0 }, { x: 130, y: 0 }, { x: 0, y: 240 }];
  assert.equal(nearestPlace(places, { x: 60, y: 10 }), places[0]);
  assert.equal(nearestPlace(places, { x: 70, y: -10 }), places[1]);
  assert.equal(nearestPlace(places, { x: 10, y: 200 }), places[2]);
  assert.equal(nearestPlace(places, { x: 0, y: 120 }), null);
  assert.equal(nearestPlace([], { x: 0, y: 0 }), null);
});
