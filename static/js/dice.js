/* Faces tapped one after the other, as many as there are slots, shown back, taken back one by one. */

const WORDS = ["", "one", "two", "three", "four", "five", "six"];

export const spoken = (dice) => {
  const text = [...dice].sort().map((n) => WORDS[n]).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};
export const totalOf = (dice) => dice.reduce((sum, n) => sum + n, 0);

export class Dice {
  constructor(find, changed = () => {}) {
    Object.assign(this, { find, changed, faces: [] });
  }

  get full() {
    const slots = this.find()?.querySelectorAll(".slot").length ?? 0;
    return slots > 0 && this.faces.length === slots;
  }

  add(face) {
    if (this.full) return;
    this.faces.push(face);
    this.paint();
  }

  back() {
    this.faces.pop();
    this.paint();
  }

  reset(faces = []) {
    this.faces = [...faces];
    this.paint();
  }

  paint() {
    const slots = this.find();
    if (slots) {
      [...slots.querySelectorAll(".slot")].forEach((slot, i) => {
        const face = this.faces[i];
        slot.innerHTML = face ? `<svg class="die" aria-hidden="true"><use href="#d${face}"/></svg>` : "";
        slot.classList.toggle("slot--next", i === this.faces.length);
      });
      slots.setAttribute("aria-label", this.faces.length ? `Dice entered: ${this.faces.join(", ")}` : "No dice entered");
    }
    this.changed(this);
  }
}
