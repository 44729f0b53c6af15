/* Faces tapped one after the other, as many as there are slots, shown back, taken back one by one. Where the keys of a
   [data-dice] count, the slots stand by rank and a key takes one of its own face back. */

const WORDS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const RANKS = [1, 6, 5, 4, 3, 2];
const ONE = ["", "ace", "two", "three", "four", "five", "six"];
const MANY = ["", "aces", "twos", "threes", "fours", "fives", "sixes"];

const big = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const ranked = (dice) => [...dice].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b));

export const spoken = (dice) => big([...dice].sort().map((n) => WORDS[n]).join(", "));
export const toGo = (count) => big(`${WORDS[count]} face${count === 1 ? "" : "s"} to go`);
/* "2 aces, 4 fives": dice by face, in the order of rank */
export const counted = (dice) => RANKS.map((face) => [dice.filter((n) => n === face).length, face])
  .filter(([many]) => many).map(([many, face]) => `${many} ${many === 1 ? ONE[face] : MANY[face]}`).join(", ");
export const totalOf = (dice) => dice.reduce((sum, n) => sum + n, 0);

export class Dice {
  constructor(find, changed = () => {}) {
    Object.assign(this, { find, changed, faces: [], invalid: "", leaning: 0 });
  }

  get size() {
    return this.find()?.querySelectorAll(".slot").length ?? 0;
  }

  get full() {
    return this.size > 0 && this.faces.length === this.size;
  }

  add(face) {
    this.invalid = "";
    if (!this.full) this.faces.push(face);
    this.paint();
  }

  back() {
    this.faces.pop();
    this.paint();
  }

  less(face) {
    const at = this.faces.lastIndexOf(face);
    if (at >= 0) this.faces.splice(at, 1);
    this.paint();
  }

  /* the roll is invalid for this reason, or is not after all */
  spoil(reason) {
    this.invalid = this.invalid === reason ? "" : reason;
    this.paint();
  }

  /* one more die leans and is read by the side opposite to the one that it leans on; none again after the last */
  lean() {
    this.leaning = (this.leaning + 1) % (this.size + 1);
    this.paint();
  }

  reset(faces = []) {
    this.faces = [...faces];
    this.invalid = "";
    this.leaning = 0;
    this.paint();
  }

  paint() {
    const slots = this.find();
    if (slots) {
      const faces = slots.hasAttribute("data-ranked") ? ranked(this.faces) : this.faces;
      [...slots.querySelectorAll(".slot")].forEach((slot, i) => {
        const face = faces[i];
        slot.innerHTML = face ? `<svg class="die" aria-hidden="true"><use href="#d${face}"/></svg>` : "";
        slot.classList.toggle("slot--next", i === faces.length);
      });
      slots.setAttribute("aria-label", faces.length ? `Dice entered: ${faces.join(", ")}` : "No dice entered");
      this.paintKeys(slots.closest("[data-dice]"));
    }
    this.changed(this);
  }

  paintKeys(keys) {
    if (!keys) return;
    for (const count of keys.querySelectorAll("[data-count]")) {
      const many = this.faces.filter((face) => face === Number(count.dataset.count)).length;
      count.textContent = many;
      count.closest("li").classList.toggle("has", many > 0);
    }
    for (const less of keys.querySelectorAll("[data-less], [data-ask-less]"))
      less.disabled = !this.faces.includes(Number(less.dataset.less ?? less.dataset.askLess));
    for (const leaning of keys.querySelectorAll("[data-leaning]")) {
      leaning.textContent = this.leaning || "None";
      leaning.closest("button").setAttribute("aria-pressed", this.leaning > 0);
    }
    for (const reason of keys.querySelectorAll("[data-invalid]"))
      reason.setAttribute("aria-pressed", reason.dataset.invalid === this.invalid);
    for (const again of keys.querySelectorAll("[data-do=faces-clear]")) again.disabled = !this.faces.length;
  }
}
