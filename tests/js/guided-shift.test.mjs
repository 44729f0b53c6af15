import assert from "node:assert/strict";
import test from "node:test";

import { isDone, nextStep } from "../../static/js/guided-shift.js";

const STEPS = [
  { path: "^/sign-in" }, { path: "/console$" }, { wagers: 1 }, { wagers: 2 }, { phase: "shaken" }, { button: "Go on" },
];
const state = (phase, wagers) => ({ round: { phase, wagers: Array.from({ length: wagers }, () => ({})) } });

test("a step ends when the page shows that it is done", () => {
  assert.equal(isDone({ path: "^/record/" }, "/record/larkfield/", null), true);
  assert.equal(isDone({ path: "^/record/" }, "/floor/larkfield/", null), false);
  assert.equal(isDone({ phase: "lit" }, "/console", state("lit", 2)), true);
  assert.equal(isDone({ phase: "lit" }, "/console", state("ready", 2)), false);
});

test("a step that needs a table waits on other pages, and one with a button waits for it", () => {
  assert.equal(isDone({ wagers: 1 }, "/sign-in", null), false);
  assert.equal(isDone({ phase: "open" }, "/sign-in", null), false);
  assert.equal(isDone({ button: "Go on" }, "/console", state("open", 0)), false);
});

test("two wagers at once pass both steps, and the shift goes no further", () => {
  assert.equal(nextStep(STEPS, 2, "/floor/larkfield/T-01/console", state("open", 2)), 4);
  assert.equal(nextStep(STEPS, 4, "/floor/larkfield/T-01/console", state("open", 2)), 4);
  assert.equal(nextStep(STEPS, 4, "/floor/larkfield/T-01/console", state("shaken", 2)), 5);
});
