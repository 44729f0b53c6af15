/* What a tablet without a line knows of the steps to the dice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { installBrowser } from "./browser.mjs";

installBrowser();
const { countWaiting, mayDiffer } = await import("../../static/js/ahead.js");

const STEPS = [{ act: "no_more_bets" }, { act: "shake", unless: ["extra-roll"] }, { act: "call_dice", unless: ["extra-roll"] }];
const queueOf = (...items) => ({
  items: items.map(([act, params = {}]) => ({ act, body: { params } })),
  has(act) { return this.items.some((item) => item.act === act); },
});

test("steps that wait count only up to the first that does not", () => {
  assert.equal(countWaiting(STEPS, queueOf()), 0);
  assert.equal(countWaiting(STEPS, queueOf(["place_wagers"], ["no_more_bets"])), 1);
  assert.equal(countWaiting(STEPS, queueOf(["no_more_bets"], ["shake"], ["call_dice"])), 3);
  assert.equal(countWaiting(STEPS, queueOf(["shake"])), 0, "another tablet's step, or one of a round before");
  assert.equal(countWaiting([], queueOf(["no_more_bets"])), 0);
});

test("a wager that waits may bring another step, one that does not matter does not", () => {
  const wagers = (...codes) => ["place_wagers", { wagers: codes.map((wager) => ({ seat: 2, wager, cents: 500 })) }];
  assert.equal(mayDiffer(STEPS[1], queueOf(wagers("pip:5", "extra-roll"), ["no_more_bets"])), true);
  assert.equal(mayDiffer(STEPS[1], queueOf(wagers("pip:5"), ["no_more_bets"])), false);
  assert.equal(mayDiffer(STEPS[0], queueOf(wagers("extra-roll"))), false);
  assert.equal(mayDiffer(undefined, queueOf(wagers("extra-roll"))), false);
});
