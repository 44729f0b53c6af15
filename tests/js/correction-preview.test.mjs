import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { CorrectionPreview } from "../../static/js/correction-preview.js";
import { installBrowser } from "./browser.mjs";
import { settle } from "./clock.mjs";

const PAUSE = 250;
let clock, slot, questions, preview, screenVersion, marked;

/* Keeps each question until the test answers it. */
const fetchPreview = (act, params) => new Promise((resolve) => questions.push({ params, resolve }));

beforeEach(() => {
  ({ clock } = installBrowser());
  slot = {
    innerHTML: "", version: 7,
    replaceChildren() { this.innerHTML = ""; },
    querySelector() { return { dataset: { version: String(this.version) } }; },
  };
  [questions, screenVersion, marked] = [[], 7, false];
  preview = new CorrectionPreview(slot, fetchPreview, () => screenVersion);
  preview.marks = { paint: () => { marked = true; }, clear: () => { marked = false; } };
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

test("the marks on the felt come with the answer, and go when the table changes", async () => {
  await ask([2, 4, 4]);
  assert.equal(marked, false);
  await answer(questions[0], "changes");
  assert.equal(marked, true);
  preview.screenApplied(false);
  assert.deepEqual([slot.innerHTML, preview.isShown, marked], ["changes", true, true]);
  preview.screenApplied(true);
  assert.deepEqual([slot.innerHTML, preview.isShown, marked], ["", false, false]);
  await ask([2, 4, 4]);
  assert.equal(questions.length, 2);
});

test("an answer from a newer table than that on the screen waits for its push, and is asked again then", async () => {
  slot.version = 8;
  await ask([2, 4, 4]);
  await answer(questions[0], "changes");
  assert.deepEqual([slot.innerHTML.includes("just changed"), preview.isShown, marked], [true, false, false]);
  screenVersion = 8;
  preview.screenApplied(false);
  await ask([2, 4, 4]);
  await answer(questions[1], "changes");
  assert.deepEqual([slot.innerHTML, preview.isShown, marked], ["changes", true, true]);
});

test("an answer from an older table than that on the screen is not shown", async () => {
  screenVersion = 8;
  let isAskedAgain = false;
  preview.ask("correct_dice", { dice: [2, 4, 4] }, () => { isAskedAgain = true; });
  await clock.advance(PAUSE);
  await answer(questions[0], "changes");
  assert.deepEqual([slot.innerHTML, preview.isShown, isAskedAgain], ["", false, true]);
});

test("without a connection nothing is said to be known", async () => {
  await ask([2, 4, 4]);
  await answer(questions[0], "changes");
  preview.loseConnection();
  assert.deepEqual([slot.innerHTML.includes("not known"), preview.isShown, marked], [true, false, false]);
});

test("the same question is asked once, until it was cleared", async () => {
  await ask([2, 4, 4]);
  await ask([2, 4, 4]);
  assert.equal(questions.length, 1);
  preview.clear();
  await ask([2, 4, 4]);
  assert.equal(questions.length, 2);
});
