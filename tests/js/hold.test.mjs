import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { HOLD_TIME, Holds } from "../../static/js/hold.js";
import { FakeElement, installBrowser } from "./browser.mjs";

let clock, root, clicks;

class FakeButton extends FakeElement {
  isConnected = true;
  textContent = "Paid all";
  classList = new Set();

  constructor(dataset = {}) {
    super({ dataset: { hold: "", ...dataset } });
    this.classList.remove = (name) => this.classList.delete(name);
  }

  closest() {
    return "hold" in this.dataset ? this : null;
  }

  getBoundingClientRect() {
    return { x: 100, y: 100, width: 100, height: 56 };
  }

  click(detail = 0) {
    return fire("click", { target: this, detail });
  }
}

/* An event at the root, as a browser sends it there first: true if it reaches its button. */
function fire(name, fields = {}) {
  const event = new Event(name, { cancelable: true });
  for (const [field, value] of Object.entries(fields)) Object.defineProperty(event, field, { value });
  let stopped = false;
  event.stopImmediatePropagation = () => { stopped = true; };
  root.dispatchEvent(event);
  if (name === "click" && !stopped) clicks.push(fields.target.textContent);
  return !stopped;
}

const down = (target) => fire("pointerdown", { target });
const up = (target) => { fire("pointerup", { target }); fire("click", { target, detail: 1 }); };

beforeEach(() => {
  ({ clock } = installBrowser());
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => "" });
  root = new FakeElement();
  clicks = [];
  Holds.watch(root);
});

test("a tap, or any number of taps in a second, does nothing, and the button says what to do", async () => {
  const button = new FakeButton();
  for (let taps = 0; taps < 3; taps++) {
    down(button);
    await clock.advance(80);
    up(button);
    await clock.advance(250);
  }
  assert.deepEqual(clicks, []);
  assert.ok(button.classList.has("hold-short"));
});

test("a press of the whole time does it once, and lifting the finger does nothing more", async () => {
  const button = new FakeButton();
  down(button);
  await clock.advance(HOLD_TIME - 1);
  assert.deepEqual(clicks, []);
  await clock.advance(1);
  assert.deepEqual(clicks, ["Paid all"]);
  delete button.dataset.hold;  // the step that comes under the finger needs no press
  up(button);
  assert.deepEqual(clicks, ["Paid all"]);
  down(button);
  up(button);
  assert.equal(clicks.length, 2, "the next tap counts again");
});

test("a whole press counts although the page was too busy to run its timer, and its finger's click counts for nothing", () => {
  const button = new FakeButton();
  fire("pointerdown", { target: button, timeStamp: 1_000 });
  fire("pointerup", { target: button, timeStamp: 1_000 + HOLD_TIME });
  fire("click", { target: button, detail: 1 });
  assert.deepEqual(clicks, ["Paid all"]);
  fire("pointerdown", { target: button, timeStamp: 5_000 });
  fire("pointerup", { target: button, timeStamp: 5_000 + HOLD_TIME - 1 });
  assert.deepEqual(clicks, ["Paid all"]);
});

test("a press that slides off its button does nothing", async () => {
  const button = new FakeButton();
  down(button);
  fire("pointermove", { target: button, clientX: 210, clientY: 120 });
  fire("pointermove", { target: button, clientX: 260, clientY: 120 });
  await clock.advance(2 * HOLD_TIME);
  assert.deepEqual(clicks, []);
});

test("a press on a button that becomes another step meanwhile does nothing", async () => {
  for (const change of [{ act: "clear_layout" }, { params: '{"seats":[2]}' }]) {
    const button = new FakeButton({ act: "pay_seats", params: "" });
    down(button);
    Object.assign(button.dataset, change);
    await clock.advance(HOLD_TIME);
    assert.deepEqual(clicks, []);
  }
});

for (const key of ["Enter", " "])
  test(`the key ${JSON.stringify(key)} is held like a finger`, async () => {
    const button = new FakeButton();
    fire("keydown", { target: button, key });
    fire("keyup", { target: button, key });
    button.click();
    assert.deepEqual(clicks, []);
    fire("keydown", { target: button, key });
    await clock.advance(HOLD_TIME / 2);
    fire("keydown", { target: button, key, repeat: true });
    await clock.advance(HOLD_TIME / 2);
    assert.deepEqual(clicks, ["Paid all"]);
  });

test("a key that stays down after the whole time does not do the step that comes next", async () => {
  const button = new FakeButton();
  fire("keydown", { target: button, key: "Enter" });
  await clock.advance(HOLD_TIME);
  delete button.dataset.hold;
  const event = new Event("keydown", { cancelable: true });
  Object.defineProperties(event, { target: { value: button }, key: { value: "Enter" }, repeat: { value: true } });
  root.dispatchEvent(event);
  assert.ok(event.defaultPrevented);
});

test("a disabled button is not pressed", async () => {
  const button = new FakeButton();
  button.setAttribute("aria-disabled", "true");
  down(button);
  await clock.advance(HOLD_TIME);
  assert.deepEqual(clicks, []);
});

test("other buttons are tapped as ever", () => {
  const button = new FakeButton();
  delete button.dataset.hold;
  down(button);
  up(button);
  assert.deepEqual(clicks, ["Paid all"]);
});
