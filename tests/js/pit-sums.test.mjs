import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { collectSums, spread } from "../../static/js/pit-sums.js";

const NOW = Date.parse("2026-11-21T11:00:00Z"), SETTLED = String(NOW / 1_000 - 60);
const table = (dataset) => ({ dataset: { status: "open", seats: "8", playing: "3", settled: SETTLED, dealtSince: "2026-11-21T10:00:00Z", ...dataset } });
const first = table({ handle: "100000", win: "7000", expected: "4000", variance: "22500000000" });
const second = table({ handle: "200000", win: "-1000", expected: "5000", variance: "40000000000" });

test("the variances of tables add, and not their bands", () => {
  const sums = collectSums([first, second]);
  assert.deepEqual([sums.win, sums.expected, sums.band], [6000, 9000, 500000]);
  assert.equal(spread(sums), -0.006);
});

test("a table that has not played yet leaves the band known, one without a known band does not", () => {
  assert.equal(collectSums([first, table({ handle: "0", win: "0" })]).band, 300000);
  assert.equal(collectSums([first, table({ handle: "5000", win: "100" })]).band, 0);
  assert.equal(spread({ win: 100, expected: 0, band: 0 }), 0);
});

test("the target pace is that of all open tables, or of none", () => {
  const targets = (...values) => collectSums(values.map((target) => table(target ? { target } : {}))).target;
  assert.deepEqual([targets("45", "30"), targets("45", ""), targets("")], [75, 0, 0]);
  assert.equal(collectSums([table({ target: "45" }), table({ status: "closed" })]).target, 45);
});

test("what is closed has seats and no players", () => {
  const sums = collectSums([first, table({ status: "closed", playing: "4" })], NOW);
  assert.deepEqual([sums.open, sums.seats, sums.playing, sums.pace], [1, 16, 3, 4]);
});

// tests/tables/test_figures_agree.py asks the server for the same sums.
for (const { name, tables, expected, band } of JSON.parse(readFileSync(new URL("sums.json", import.meta.url))))
  test(`expected win and band of the floor: ${name}`, () => {
    const sums = collectSums(tables.map((figures) => table({ handle: "100", win: "0", ...figures })));
    assert.deepEqual([sums.expected, sums.band], [expected, band]);
  });
