import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { CorrectionPreview } from "../../static/js/correction-preview.js";
import { installBrowser } from "./browser.mjs";
import { settle } from "./clock.mjs";

const PAUSE = 250;
let clock, slot, questions, preview;

/* Keeps each question until the test answers it. */
const fetchPreview = (act, params) => new Promise((resolve) => questions.push({ params, resolve }));

beforeEach(() => {
  ({ clock } = installBrowser());
  slot = { innerHTML: "", replaceChildren() { this.innerHTML = ""; } };
  questions = [];
  preview = new CorrectionPreview(slot, fetchPreview);
});

async function ask(dice) {
  preview.ask("correct_dice", { dice }, () => {});
  await clock.advance(PAUSE);
}

async function answer({ resolve }, html, ok = true) {
  resolve({ html, ok });
  await settle();
}

test("an answer to an older question is not shown, and does not allow the correction", async () => {
  await ask([2, 4, 4]);
  await ask([2, 4, 5]);
  await answer(questions[0], "older");
  assert.deepEqual([slot.innerHTML, preview.isShown], ["", false]);
  await answer(questions[1], "newer");
  assert.deepEqual([slot.innerHTML, preview.isShown], ["newer", true]);
});

test("a refusal is shown and does not allow the correction", async () => {
  await ask([2, 4, 4]);
  await answer(questions[0], "refused", false);
  assert.deepEqual([slot.innerHTML, preview.isShown], ["refused", false]);
});

test("the same question is asked once, until it was cleared", async () => {
  await ask([2, 4, 4]);
  await ask([2, 4, 4]);
  assert.equal(questions.length, 1);
  preview.clear();
  await ask([2, 4, 4]);
  assert.equal(questions.length, 2);
});
