import assert from "node:assert/strict";
import test from "node:test";

import { hasReached, isDone, nextStep } from "../../static/js/guided-shift.js";

const DEALER = ["shaken", "ready", "lit", "taken", "paid", "cleared"].map((phase) => ({ part: "Dealer", phase }));
const STEPS = [
  ...DEALER, { part: "Pit boss", button: "Go", path: "^/floor/[^\\/]+/$" }, { part: "Pit boss", button: "It is decided", decides: true },
  { part: "Compliance", path: "^/record/" },
];
const CONSOLE = "/floor/larkfield/T-01/console";
const state = (number, phase, alerts = []) => ({ round: { number, phase }, alerts });

test("a round has reached every phase before its own, and all of them once it is over", () => {
  assert.equal(hasReached("lit", 7, state(7, "taken")), true);
  assert.equal(hasReached("taken", 7, state(7, "lit")), false);
  assert.equal(hasReached("paid", 7, state(8, "open")), true);
  assert.equal(hasReached("shaken", 7, state(7, "closed")), true);
});

test("a round in which nothing lost passes the step of taking", () => {
  assert.equal(nextStep(STEPS, 3, CONSOLE, state(7, "paid"), 7), 5);
});

test("a round that was dealt without looking at the guide ends its part, and no other", () => {
  assert.equal(nextStep(STEPS, 0, CONSOLE, state(8, "open"), 7), 6);
});

test("more wagers change nothing before the dice are shaken", () => {
  assert.equal(nextStep(STEPS, 0, CONSOLE, state(7, "open"), 7), 0);
});

test("a step that needs a table waits on other pages, and one with a button waits for it", () => {
  assert.equal(isDone({ phase: "lit" }, "/sign-in", null, 7), false);
  assert.equal(isDone({ button: "I have read it" }, CONSOLE, state(7, "open"), 7), false);
});

test("a dispute is decided once its table has none", () => {
  const step = STEPS[7], page = "/floor/larkfield/T-05/";
  assert.equal(isDone(step, page, state(9, "lit", [{ kind: "dispute" }]), 7), false);
  assert.equal(isDone(step, page, state(9, "lit"), 7), true);
  assert.equal(isDone(step, "/floor/larkfield/T-01/", state(9, "lit"), 7), false);
});
