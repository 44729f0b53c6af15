/* What a correction would change, as the server computes it, before anybody signs. Only the answer to the newest question
   is shown, and the correction goes out only when what it changes was shown. */

const PAUSE = 250;  // ms after the last change of a field

export class CorrectionPreview {
  /* `fetchPreview(act, params)` resolves to {html, ok}. */
  constructor(slot, fetchPreview) {
    Object.assign(this, { slot, fetchPreview, question: "", answered: "", timer: null });
  }

  clear() {
    clearTimeout(this.timer);
    Object.assign(this, { question: "", answered: "" });
    this.slot.replaceChildren();
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
    this.answered = ok ? question : "";
    changed();
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

const NO_ANSWER = '<p class="ask-refused">What this changes is not known: the table did not answer.</p>';
