/* Dice entered face by face: as many as there are slots, drawn in the slots, and taken back from the end. Inside a
   [data-dice] the keys count faces, the slots are sorted by rank, and a key can take back a face of its own. Slots that are
   buttons hold dice of which single ones are replaced: the chosen one takes the next face. */

const WORDS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const RANKS = [1, 6, 5, 4, 3, 2];
const SINGULARS = ["", "ace", "two", "three", "four", "five", "six"];
const PLURALS = ["", "aces", "twos", "threes", "fours", "fives", "sixes"];

const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const sortByRank = (faces) => [...faces].sort((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b));
const countOf = (faces, face) => faces.filter((entered) => entered === face).length;

/* "three" */
export const numberWord = (count) => WORDS[count] ?? String(count);
/* "One, two, six" */
export const spellFaces = (faces) => capitalize([...faces].sort().map((face) => WORDS[face]).join(", "));
/* "Two faces to go" */
export const facesToGo = (count) => capitalize(`${WORDS[count]} face${count === 1 ? "" : "s"} to go`);
/* "2 aces, 4 fives", in the order of rank */
export const countFaces = (faces) => RANKS.map((face) => [countOf(faces, face), face])
  .filter(([count]) => count)
  .map(([count, face]) => `${count} ${count === 1 ? SINGULARS[face] : PLURALS[face]}`).join(", ");
export const totalOf = (faces) => faces.reduce((sum, face) => sum + face, 0);

export class Dice {
  /* `findSlots` returns the element of the slots, if the page has it now, and `findReading` that of what a reader read.
     `changed` is called after every change. */
  constructor(findSlots, changed = () => {}, findReading = () => null) {
    Object.assign(this, { findSlots, changed, findReading, faces: [], selected: null, invalid: "", leaning: 0 });
  }

  /* Whether single dice are replaced. */
  get replaces() {
    return Boolean(this.findSlots()?.querySelector("button.slot"));
  }

  get size() {
    return this.findSlots()?.querySelectorAll(".slot").length ?? 0;
  }

  /* Whether the keys count faces. */
  get counted() {
    return Boolean(this.findSlots()?.closest("[data-dice]"));
  }

  get full() {
    return this.size > 0 && this.faces.length === this.size;
  }

  /* What a reader read of these dice (dock_dice_entry.jinja), while no face is entered; else null. */
  get read() {
    const faces = this.faces.length ? "" : this.findReading()?.dataset.faces;
    return faces ? faces.split(",").map(Number) : null;
  }

  add(face) {
    this.invalid = "";
    if (this.selected !== null) this.faces[this.selected] = face;
    else if (!this.full) this.faces.push(face);
    this.paint();
  }

  /* The die that the next face replaces. */
  choose(index) {
    this.selected = index;
    this.paint();
  }

  removeLast() {
    this.faces.pop();
    this.paint();
  }

  remove(face) {
    const index = this.faces.lastIndexOf(face);
    if (index >= 0) this.faces.splice(index, 1);
    this.paint();
  }

  /* Marks the roll invalid for this reason; the same reason again takes the mark back. */
  toggleInvalid(reason) {
    this.invalid = this.invalid === reason ? "" : reason;
    this.paint();
  }

  /* Counts one more leaning die, which is read by the side opposite to the side that it leans on. After all of them the
     count begins at zero again. */
  countLeaning() {
    this.leaning = (this.leaning + 1) % (this.size + 1);
    this.paint();
  }

  reset(faces = []) {
    this.faces = [...faces];
    this.selected = null;
    this.invalid = "";
    this.leaning = 0;
    this.paint();
  }

  paint() {
    const slots = this.findSlots();
    if (slots) {
      this.paintSlots(slots);
      this.paintKeys(slots.closest("[data-dice]"));
    }
    this.changed(this);
  }

  paintSlots(slots) {
    const { read } = this, entered = read ?? this.faces;
    const faces = slots.hasAttribute("data-ranked") ? sortByRank(entered) : entered;
    for (const [i, slot] of [...slots.querySelectorAll(".slot")].entries()) {
      const face = faces[i];
      slot.innerHTML = face ? `<svg class="die" aria-hidden="true"><use href="#d${face}"/></svg>` : "";
      slot.classList.toggle("slot--next", i === this.faces.length);
      if (slot.tagName !== "BUTTON") slot.classList.toggle("slot--read", read !== null);
      if (slot.tagName !== "BUTTON") continue;
      slot.setAttribute("aria-pressed", i === this.selected);
      slot.setAttribute("aria-label", `Die ${i + 1}: ${face}`);
    }
    const label = read ? `Dice read: ${faces.join(", ")}. Not yet recorded` : `Dice entered: ${faces.join(", ")}`;
    slots.setAttribute("aria-label", faces.length ? label : "No dice entered");
  }

  paintKeys(keys) {
    if (!keys) return;
    for (const label of keys.querySelectorAll("[data-count]")) {
      const count = countOf(this.faces, Number(label.dataset.count));
      label.textContent = count;
      label.closest("li").classList.toggle("has", count > 0);
    }
    for (const button of keys.querySelectorAll("[data-less], [data-ask-less]"))
      button.disabled = !this.faces.includes(Number(button.dataset.less ?? button.dataset.askLess));
    for (const label of keys.querySelectorAll("[data-leaning]")) {
      label.textContent = this.leaning || "None";
      label.closest("button").setAttribute("aria-pressed", this.leaning > 0);
    }
    for (const button of keys.querySelectorAll("[data-invalid]"))
      button.setAttribute("aria-pressed", button.dataset.invalid === this.invalid);
    for (const button of keys.querySelectorAll("[data-do=faces-clear]")) button.disabled = !this.faces.length;
  }
}
