import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { FakeClock } from "./clock.mjs";
import { PinPad } from "../../static/js/pin-pad.js";

let box, slot, pad, sent, answer;

const type = (digits) => { for (const key of digits) pad.key({ key }); };
const refusal = (code) => ({ refusal: { code, message: `Refused: ${code}` } });

/* As a dialog uses the pad: the sixth digit and the button send the same act. */
async function send() {
  const result = await pad.sendOnce(() => {
    sent.push(pad.pin);
    return new Promise((resolve) => { answer = resolve; });
  });
  if (result?.refusal) pad.refuse(result.refusal);
}

beforeEach(() => {
  const classes = new Set();
  slot = {
    textContent: "", isRefused: () => classes.has("pin-refused"),
    classList: { toggle: (name, isSet) => (isSet ? classes.add(name) : classes.delete(name)) },
  };
  box = { querySelector: (selector) => (selector === "[data-pin-say]" ? slot : null), toggleAttribute() {} };
  sent = [];
  pad = new PinPad(box, { complete: send });
  pad.setHint("The sixth digit: Void the round");
});

const settle = () => new Promise((resolve) => { setTimeout(resolve); });

test("the sixth digit sends, and no digit and no button before the answer sends again", async () => {
  type("12345");
  assert.deepEqual(sent, []);
  type("6");
  type("7");
  pad.key({ key: "Backspace" });
  type("6");
  send();
  assert.deepEqual(sent, ["123456"]);
  answer({});
  await settle();
  assert.equal(pad.pin, "");
});

test("an answer that takes a second is said to be missing until it comes", async () => {
  const clock = new FakeClock().install();
  try {
    type("123456");
    await clock.advance(999);
    assert.equal(slot.textContent, "The sixth digit: Void the round");
    await clock.advance(1);
    assert.equal(slot.textContent, "No answer yet. More taps send nothing.");
    answer({});
    await clock.advance(1);
    assert.equal(slot.textContent, "The sixth digit: Void the round");
  } finally {
    clock.uninstall();
  }
});

test("a wrong PIN is said at the pad, which is empty and takes the next one", async () => {
  type("000000");
  answer(refusal("wrong-pin"));
  await settle();
  assert.deepEqual([pad.pin, slot.textContent, slot.isRefused()], ["", "Refused: wrong-pin", true]);
  type("1");
  assert.deepEqual([slot.textContent, slot.isRefused()], ["The sixth digit: Void the round", false]);
  type("23456");
  assert.deepEqual(sent, ["000000", "123456"]);
});

test("a refusal that is not of the PIN is left to the dialog", async () => {
  assert.equal(pad.refuse({ code: "not-now", message: "Not now" }), false);
  assert.equal(slot.textContent, "The sixth digit: Void the round");
});

test("an act that throws does not lock the pad", async () => {
  await assert.rejects(pad.sendOnce(() => { throw new Error("broken"); }));
  type("123456");
  assert.deepEqual(sent, ["123456"]);
});
