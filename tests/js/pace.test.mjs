import assert from "node:assert/strict";
import { test } from "node:test";
import { isSlow, paceOf, paceOfAll, paceText } from "../../static/js/pace.js";

const at = (hour, minute, second = 0) => Date.UTC(2026, 10, 21, hour, minute, second);
const seconds = (...moments) => moments.map((moment) => moment / 1_000).join(" ");
const iso = (moment) => new Date(moment).toISOString();

test("a table that has been still for fifteen minutes has a pace of nothing, whatever it dealt before", () => {
  const table = { settled: seconds(at(10, 1), at(10, 6), at(10, 11)), dealtSince: iso(at(8, 0)) };
  assert.deepEqual([at(10, 12), at(10, 20), at(10, 26), at(12, 0)].map((now) => paceOf(table, now)), [12, 8, 0, 0]);
});

test("a table that began a short while ago is not measured by the time before", () => {
  const table = { settled: seconds(at(10, 2), at(10, 4), at(10, 6)), dealtSince: iso(at(10, 0)) };
  assert.deepEqual([at(10, 4), at(10, 6)].map((now) => paceOf(table, now)), [null, 30]);
  assert.equal(paceText(paceOf(table, at(10, 4))), "–");
});

test("a table that is not dealt has no pace, and the floor's is the sum of those that are known", () => {
  const now = at(10, 15), still = { dataset: { settled: "", dealtSince: "" } };
  const dealt = { dataset: { settled: seconds(at(10, 5), at(10, 10)), dealtSince: iso(at(9, 0)) } };
  assert.deepEqual([paceOfAll([still], now), paceOfAll([dealt, still, dealt], now)], [null, 16]);
});

test("slow is less than four fifths of the target", () => {
  assert.deepEqual([isSlow(40, 50), isSlow(39, 50), isSlow(null, 50), isSlow(1, 0)], [false, true, false, false]);
});
