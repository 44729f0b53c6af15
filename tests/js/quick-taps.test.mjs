/* Taps in quick succession: a tap too early is not taken, and no number of them keeps the next one from counting. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { QuickTaps } from "../../static/js/quick-taps.js";
import { FakeElement, installBrowser } from "./browser.mjs";

let clock, root, next, paid;

class Root extends EventTarget {
  querySelector() {
    return null;
  }

  querySelectorAll() {
    return [next];
  }

  getElementById() {
    return null;
  }
}

/* The next step: one button in one place, which means another payment after each. */
function nextStep(seat) {
  const label = { textContent: ` Paid seat ${seat} ` }, properties = new Map(), classes = new Set();
  const button = new FakeElement({ id: "next", dataset: { act: "pay_seats", params: `{"seats":[${seat}]}` } });
  return Object.assign(button, {
    classes, properties, style: { setProperty: (name, value) => properties.set(name, value) },
    classList: { add: (name) => classes.add(name), remove: (name) => classes.delete(name) },
    closest: (selector) => (selector === "dialog" ? null : button), matches: (selector) => selector.includes("button[data-act]"),
    querySelector: () => label, getBoundingClientRect: () => ({ x: 0, y: 0, width: 300, height: 96 }),
  });
}

function tap() {
  const event = new Event("click", { cancelable: true });
  Object.defineProperties(event, {
    target: { value: next }, detail: { value: 1 }, clientX: { value: 150 }, clientY: { value: 40 },
  });
  root.dispatchEvent(event);
  return !event.defaultPrevented;
}

/* The server's answer, 80 ms after a tap that was taken: the same place is the next seat's payment. */
async function answer() {
  await clock.advance(80);
  root.dispatchEvent(new Event("screen:applying"));
  paid += 1;
  next = nextStep(paid + 1);
}

beforeEach(() => {
  ({ clock } = installBrowser());
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => "" });
  Object.defineProperty(globalThis, "performance", { value: { now: () => clock.now }, configurable: true });
  paid = 0;
  next = nextStep(1);
  root = new Root();
  QuickTaps.watch(root);
});

test("a dealer who taps every 0.6 seconds pays a seat with every second tap, for forty seconds", async () => {
  const began = clock.now;
  let taps = 0;
  for (; clock.now - began < 40_000; taps++) {
    if (tap()) await answer();
    await clock.advance(600 - ((clock.now - began) % 600));
  }
  assert.deepEqual([taps, paid], [67, 34]);
});

test("a second tap within a second is not taken, says so until one counts, and names what it will be then", async () => {
  assert.equal(tap(), true);
  await answer();
  await clock.advance(320);
  assert.equal(tap(), false);
  assert.deepEqual([...next.classes], ["too-quick"]);
  assert.equal(next.dataset.after, "Then: Paid seat 2");
  assert.equal(next.properties.get("--wait"), "680ms");
  await clock.advance(679);
  assert.deepEqual([...next.classes], ["too-quick"]);
  await clock.advance(1);
  assert.deepEqual([...next.classes], []);
  assert.equal(tap(), true);
});

test("the note on the button makes it no other button", async () => {
  assert.equal(tap(), true);
  await answer();
  tap();
  await clock.advance(1_100);
  assert.equal(tap(), true);
});
