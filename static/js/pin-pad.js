/* The six digits of a PIN, tapped or typed. They are shown as dots and never stored. `field` holds them where a form
   sends them. */

const PIN_LENGTH = 6;

export class PinPad {
  constructor(box, changed, field = { value: "" }) {
    Object.assign(this, { box, changed, field });
  }

  get pin() {
    return this.field.value;
  }

  get full() {
    return this.pin.length === PIN_LENGTH;
  }

  set(pin) {
    this.field.value = pin.slice(0, PIN_LENGTH);
    this.paint();
    this.changed();
  }

  click(target) {
    const digit = target.closest("[data-digit]");
    if (digit) this.set(this.pin + digit.dataset.digit);
    if (target.closest("[data-digit-back]")) this.set(this.pin.slice(0, -1));
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
