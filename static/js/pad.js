/* The six digits of a PIN, tapped or typed; shown as dots, never kept. `field` holds them where a form sends them. */

export const PIN = 6;

export class Pad {
  constructor(box, changed, field = { value: "" }) {
    Object.assign(this, { box, changed, field });
  }

  get pin() {
    return this.field.value;
  }

  get full() {
    return this.pin.length === PIN;
  }

  set(pin) {
    this.field.value = pin.slice(0, PIN);
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
    [...dots.children].forEach((dot, i) => dot.classList.toggle("in", i < this.pin.length));
    dots.setAttribute("aria-label", `${this.pin.length} of ${PIN} digits`);
  }
}
