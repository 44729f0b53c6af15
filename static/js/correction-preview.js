/* What a correction would change, as the server computes it, before anybody signs: a list, and marks on the felt. Only the
   answer to the newest question is on the screen, and the correction goes out only when what it changes was there.

   An answer holds for the table that it was computed from. Where the table is not the one on this screen any more, or may
   not be, the answer is taken off and the question asked again. */

import { CorrectionMarks } from "./correction-marks.js";

const PAUSE = 250;  // ms after the last change of a field

export class CorrectionPreview {
  /* `fetchPreview(act, params)` resolves to {html, ok}. `screenVersion()` is that of the table on this screen. */
  constructor(slot, fetchPreview, screenVersion) {
    Object.assign(this, { slot, fetchPreview, screenVersion, question: "", answered: "", waitsForPush: false, timer: null });
    this.marks = new CorrectionMarks(slot);
  }

  clear() {
    clearTimeout(this.timer);
    Object.assign(this, { question: "", answered: "", waitsForPush: false });
    this.slot.replaceChildren();
    this.marks.clear();
  }

  /* Asks unless this was asked. `changed` is called when the answer has arrived. */
  ask(act, params, changed) {
    const question = JSON.stringify([act, params]);
    if (question === this.question) return;
    this.clear();
    this.question = question;
    this.timer = setTimeout(() => this.answer(question, act, params, changed), PAUSE);
  }

  async answer(question, act, params, changed) {
    const { html, ok } = await this.fetchPreview(act, params);
    if (question !== this.question) return;
    this.slot.innerHTML = html;
    const version = Number(this.slot.querySelector("[data-version]")?.dataset.version);
    if (ok && version !== this.screenVersion()) return this.wait(version, changed);
    this.answered = ok ? question : "";
    this.marks.paint();
    changed();
  }

  /* Computed from an older table than that on the screen: asks again. From a newer one: its push is on the way. */
  wait(version, changed) {
    const isOlder = version < this.screenVersion();
    this.clear();
    if (isOlder) return changed();
    this.question = WAITS;
    this.waitsForPush = true;
    this.slot.innerHTML = TABLE_CHANGED;
  }

  /* The screen was drawn again. `isOther`: with other wagers, dice or acts than before. */
  screenApplied(isOther) {
    if (isOther || this.waitsForPush) this.clear();
    else this.paint();
  }

  paint() {
    if (this.isShown) this.marks.paint();
  }

  /* Nothing is heard from the table: what is on the screen may be old. */
  loseConnection() {
    if (!this.question) return;
    this.clear();
    this.slot.innerHTML = NO_ANSWER;
  }

  get isShown() {
    return Boolean(this.question) && this.answered === this.question;
  }
}

/* A question to the address of the table's page. Without an answer it says so. */
export function previewFrom(address) {
  return async (act, params) => {
    try {
      const query = new URLSearchParams({ act, params: JSON.stringify(params) });
      const response = await fetch(`${address}?${query}`, { headers: { Accept: "text/html" }, cache: "no-store" });
      const isOurs = response.ok || response.status === 422;
      return { ok: response.ok, html: isOurs ? await response.text() : NO_ANSWER };
    } catch {
      return { ok: false, html: NO_ANSWER };
    }
  };
}

const WAITS = "waits for the push";
const NO_ANSWER = '<p class="ask-refused">What this changes is not known: the table did not answer.</p>';
const TABLE_CHANGED = '<p class="ask-refused">The table has just changed. What this changes is computed again.</p>';
