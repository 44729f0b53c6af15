/* What chips are proposed for cash. */

import assert from "node:assert/strict";
import test from "node:test";

import { installBrowser } from "./browser.mjs";

installBrowser();
const { cutsOf } = await import("../../static/js/buy-in.js");

const CHIPS = [100, 500, 2_500, 10_000, 50_000, 100_000];
const dollars = (cuts) => cuts.map((cut) => cut.map(([chip, count]) => `${count}×${chip / 100}`).join(" "));

test("some of a large chip and the rest in the next smaller one, then all of one kind", () => {
  assert.deepEqual(dollars(cutsOf(20_000, CHIPS)), ["4×25 20×5", "8×25", "40×5"]);
  assert.deepEqual(dollars(cutsOf(60_000, CHIPS)), ["4×100 8×25", "6×100", "24×25"]);
  assert.deepEqual(dollars(cutsOf(30_000, CHIPS)), ["8×25 20×5", "12×25", "60×5"]);
});

test("nobody is handed more than sixty chips", () => {
  assert.deepEqual(dollars(cutsOf(50_000, CHIPS)), ["16×25 20×5", "20×25"]);
});

test("every cut is worth the cash, whatever the amount and the chips", () => {
  for (const chips of [CHIPS, [50, 100, 500, 2_500, 10_000], [2_500, 10_000], [500]])
    for (let cents = 100; cents <= 1_000_000; cents += 700)
      for (const cut of cutsOf(cents, chips)) {
        assert.equal(cut.reduce((sum, [chip, count]) => sum + chip * count, 0), cents);
        assert.ok(cut.every(([chip, count]) => chips.includes(chip) && count > 0));
      }
});

test("an amount that the chips do not make has no cut", () => {
  assert.deepEqual(cutsOf(1_000, [2_500, 10_000]), []);
  assert.deepEqual(cutsOf(2_000, [500]).length, 1);
});
