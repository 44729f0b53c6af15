import assert from "node:assert/strict";
import { test } from "node:test";
import { isSlow, paceOf, paceOfAll, paceText } from "../../static/js/pace.js";

const moment = (hour, minute, second = 0) => Date.UTC(2026, 10, 21, hour, minute, second);
const seconds = (...moments) => moments.map((time) => time / 1_000).join(" ");
const iso = (time) => new Date(time).toISOString();

test("a table that has been still for fifteen minutes has a pace of nothing, whatever it dealt before", () => {
  const table = { settled: seconds(moment(10, 1), moment(10, 6), moment(10, 11)), dealtSince: iso(moment(8, 0)) };
  assert.deepEqual([moment(10, 12), moment(10, 20), moment(10, 26), moment(12, 0)].map((now) => paceOf(table, now)), [12, 8, 0, 0]);
});

test("a table that began a short while ago is not measured by the time before", () => {
  const table = { settled: seconds(moment(10, 2), moment(10, 4), moment(10, 6)), dealtSince: iso(moment(10, 0)) };
  assert.deepEqual([moment(10, 4), moment(10, 6)].map((now) => paceOf(table, now)), [null, 30]);
  assert.equal(paceText(paceOf(table, moment(10, 4))), "–");
});

test("a table that is not dealt has no pace, and the floor's is the sum of those that are known", () => {
  const now = moment(10, 15), still = { dataset: { settled: "", dealtSince: "" } };
  const dealt = { dataset: { settled: seconds(moment(10, 5), moment(10, 10)), dealtSince: iso(moment(9, 0)) } };
  assert.deepEqual([paceOfAll([still], now), paceOfAll([dealt, still, dealt], now)], [null, 16]);
});

test("slow is less than four fifths of the target", () => {
  assert.deepEqual([isSlow(40, 50), isSlow(39, 50), isSlow(null, 50), isSlow(1, 0)], [false, true, false, false]);
});
