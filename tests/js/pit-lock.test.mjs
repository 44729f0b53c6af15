import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, installBrowser } from "./browser.mjs";

const { clock, document } = installBrowser();
const { setUpLock } = await import("../../static/js/pit-lock.js");

const box = new FakeElement({ dataset: { address: "/sign-in", person: "kate" } });
Object.assign(box, { hidden: true, scrollIntoView() {} });
for (const name of ["[data-lock-act]", "[data-lock-about]"]) box.parts.set(name, [new FakeElement()]);
const alertButton = { dataset: { acknowledge: "1", alertAct: "acknowledge_alert", of: "T-01" }, firstChild: { textContent: "Acknowledge" } };
alertButton.closest = (selector) => (selector === "[data-acknowledge]" ? alertButton : null);
const cancel = { closest: (selector) => (selector === "[data-lock-cancel]" ? cancel : null) };
const link = { closest: () => null };  // "Somebody else": the sign-in page

/* Returns whether the tap does what the browser does with it. */
function tap(target, clientX, clientY) {
  const event = Object.assign(new Event("click", { cancelable: true }), { clientX, clientY, detail: 1 });
  Object.defineProperty(event, "target", { value: target });
  return document.dispatchEvent(event);
}

test("the second tap of a double tap does not reach what the pad has put under the finger", async () => {
  setUpLock(box);
  tap(alertButton, 300, 500);
  assert.equal(box.hidden, false);
  assert.equal(tap(link, 304, 498), false);
  assert.equal(tap(link, 300, 620), true);  // elsewhere it is meant
  await clock.advance(1_000);
  assert.equal(tap(link, 304, 498), true);
  tap(cancel, 300, 700);
  assert.equal(box.hidden, true);
  tap(alertButton, 300, 500);
  tap(cancel, 300, 700);
  tap(alertButton, 300, 500);  // again at once, after Cancel
  assert.equal(box.hidden, false);
});
