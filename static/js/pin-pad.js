/* The six digits of a PIN, tapped or typed: the one pad of sign-in, dialogs, the podium's lock and the office. They are
   shown as dots and never stored. `field` holds them where a form sends them.

   The sixth digit sends what the PIN signs, once: until it is answered, neither a digit nor the button of the dialog
   sends it again; the pad says so when the answer is slow. An answer clears the digits. A refusal of the PIN itself is said
   at the pad. */

const PIN_LENGTH = 6;
const SLOW_ANSWER = 1_000;  // ms after which the pad says that it waits
export const PIN_REFUSALS = ["wrong-pin", "locked-out", "not-begun", "same-person", "license-ended", "on-leave"];

export class PinPad {
  /* `complete` is called by the sixth digit. `changed` is called by every digit, before. */
  constructor(box, { changed = () => {}, complete = () => {}, field = { value: "" } } = {}) {
    Object.assign(this, { box, changed, complete, field, isSending: false, hint: "" });
  }

  get pin() {
    return this.field.value;
  }

  get full() {
    return this.pin.length === PIN_LENGTH;
  }

  set(pin) {
    if (this.isSending) return;
    const wasFull = this.full;
    this.field.value = pin.slice(0, PIN_LENGTH);
    this.paint();
    this.say(this.hint);
    this.changed();
    if (this.full && !wasFull) this.complete();
  }

  /* Empties the pad, also after an act whose answer is no longer needed. */
  reset() {
    this.isSending = false;
    this.set("");
  }

  /* Sends once: returns what `act` returns, or undefined where an earlier one is not answered yet. */
  async sendOnce(act) {
    if (this.isSending) return;
    this.isSending = true;
    this.box.toggleAttribute("data-pin-sending", true);
    const slowTimer = setTimeout(() => this.say("No answer yet. More taps send nothing."), SLOW_ANSWER);
    try {
      return await act();
    } finally {
      clearTimeout(slowTimer);
      this.box.toggleAttribute("data-pin-sending", false);
      this.reset();
    }
  }

  /* Says at the pad why the PIN was refused. Returns whether the refusal is one of the PIN. */
  refuse({ code, message }) {
    const isOfPin = PIN_REFUSALS.includes(code);
    if (isOfPin) this.say(message, true);
    return isOfPin;
  }

  /* What the sixth digit does. */
  setHint(text) {
    if (this.hint === text) return;
    this.hint = text;
    this.say(text);
  }

  say(text, isRefused = false) {
    const slot = this.box.querySelector("[data-pin-say]");
    if (!slot) return;
    slot.textContent = text;
    slot.classList.toggle("pin-refused", isRefused);
  }

  click(target) {
    const digit = target.closest("[data-digit]");
    if (digit) this.set(this.pin + digit.dataset.digit);
    if (target.closest("[data-digit-back]")) this.set(this.pin.slice(0, -1));
    if (target.closest("[data-digit-all]")) this.set("");
  }

  key({ key }) {
    if (/^\d$/.test(key)) this.set(this.pin + key);
    if (key === "Backspace") this.set(this.pin.slice(0, -1));
  }

  paint() {
    const dots = this.box.querySelector(".dots");
    if (!dots) return;
    for (const [i, dot] of [...dots.children].entries()) dot.classList.toggle("in", i < this.pin.length);
    dots.setAttribute("aria-label", `${this.pin.length} of ${PIN_LENGTH} digits`);
  }
}
