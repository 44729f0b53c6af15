/* The inspection before gaming begins or continues: dice values and each combination that they light, the test runs
   of an automated shaker, each line of the edition, a camera for each end. The questions come with #inspect. What has been
   confirmed stays here until the floorperson signs, and starts over with a new list. */

import { Dice, numberWord } from "./dice.js";

const setPressed = (button, pressed) => button.setAttribute("aria-pressed", Boolean(pressed));
const toggle = (set, key) => { if (!set.delete(key)) set.add(key); };
const NOT_LIT = { title: "Not lit", message: "The server did not answer. Take a die back and enter it again." };

export class Inspection {
  constructor({ urls, refuse }) {
    Object.assign(this, { urls, refuse });
    this.clear();
    this.dice = new Dice(() => this.box?.querySelector("[data-slots]"), (dice) => dice.full ? this.light() : this.turnOff());
    document.addEventListener("input", ({ target }) => { if (target.matches("[data-camera]")) this.renameCamera(target); });
  }

  clear() {
    Object.assign(this, { lit: [], litConfirmed: new Set(), lines: new Set(), cameras: new Set(), tosses: 0 });
  }

  get box() {
    return document.getElementById("inspect");
  }

  all(selector) {
    return [...this.box.querySelectorAll(selector)];
  }

  get cameraNames() {
    return this.all("[data-camera]").map((field) => field.value.trim());
  }

  params() {
    const { cameraNames, dice, lit, litConfirmed } = this;
    const lines = this.all("[data-line]").map((line) => line.dataset.line).filter((code) => this.lines.has(code));
    const params = { lines };
    if (this.all("[data-slots]").length)
      Object.assign(params, { dice: dice.faces, lit: lit.filter((wager) => litConfirmed.has(wager)) });
    if (this.all("[data-toss]").length) params.tosses = this.tosses;
    if (cameraNames.length) params.cameras = cameraNames;
    return params;
  }

  /* Every part in order, each with what is left to do, or an empty text. */
  parts() {
    const runs = this.all("[data-toss]").length;
    const tossesToDo = this.tosses < runs ? `${runs - this.tosses} of ${runs} runs to go` : "";
    const lineToDo = ({ dataset: { line } }, words) => (this.lines.has(line) ? "" : `Next: ${words.textContent}`);
    return [
      ...this.all("[data-part=dice]").map((part) => [part, this.lightsToDo()]),
      ...this.all("[data-part=tosses]").map((part) => [part, tossesToDo]),
      ...this.all("[data-line]").map((line) => [line, lineToDo(line, line.querySelector("[data-words]"))]),
      ...this.all("[data-part=camera]").map((part, i) => [part, this.cameraToDo(i)]),
    ];
  }

  lightsToDo() {
    const open = this.lit.length - this.litConfirmed.size;
    if (!this.dice.full) return `Enter ${numberWord(this.dice.size)} dice values first`;
    if (!this.lit.length) return "Wait for the layout to light";
    return open ? `${open} of ${this.lit.length} combinations to confirm` : "";
  }

  cameraToDo(i) {
    const names = this.cameraNames;
    if (!names[i]) return "Name the camera of each end";
    if (names.indexOf(names[i]) !== i) return "Two different cameras, one for each end";
    return this.cameras.has(i) ? "" : `Confirm camera ${names[i]}`;
  }

  turnOff() {
    this.lit = [];
    this.litConfirmed.clear();
    this.paint();
  }

  async light() {
    const faces = this.dice.faces.join(",");
    try {
      const response = await fetch(`${this.urls.light}?dice=${faces}`, {
        headers: { Accept: "application/json" }, cache: "no-store",
      });
      const body = await response.json();
      if (faces !== this.dice.faces.join(",")) return;
      if (body.refusal) return this.refuse(body.refusal, this.box);
      this.lit = body.lit;
    } catch {
      this.refuse(NOT_LIT, this.box);
    }
    this.litConfirmed.clear();
    this.paint();
  }

  click(target) {
    const hit = (name) => target.closest(`[data-${name}]`);
    const face = hit("inspect-face"), combination = hit("combo"), run = hit("toss"), line = hit("line");
    if (face) this.dice.add(Number(face.dataset.inspectFace));
    if (hit("inspect-back")) this.dice.removeLast();
    if (combination) toggle(this.litConfirmed, combination.dataset.combo);
    if (run) this.tosses += run.getAttribute("aria-pressed") === "true" ? -1 : 1;
    if (line) toggle(this.lines, line.dataset.line);
    if (hit("camera-seen")) this.confirmCamera(this.all("[data-camera-seen]").indexOf(hit("camera-seen")));
    this.paint();
  }

  /* A camera without a name, or with the name of the opposite end, cannot be confirmed: its field gets the focus. */
  confirmCamera(i) {
    const names = this.cameraNames, name = names[i];
    if (!name || names.indexOf(name) !== names.lastIndexOf(name)) this.all("[data-camera]")[i].focus();
    else toggle(this.cameras, i);
  }

  renameCamera(field) {
    this.cameras.delete(this.all("[data-camera]").indexOf(field));
    this.paint();
  }

  /* A tap on the next step before everything is confirmed scrolls to the first part that is not. */
  scrollToOpenPart() {
    const [part] = this.box ? this.parts().find(([, toDo]) => toDo) ?? [] : [];
    part?.scrollIntoView({ block: "center", behavior: "smooth" });
  }

  label(wager) {
    const text = document.querySelector(`[data-wager="${CSS.escape(wager)}"] .sr`)?.textContent ?? wager;
    return text.split(/, (?:pays|not lit)/)[0];
  }

  paint() {
    this.startOver();
    this.paintLayout();
    if (!this.box) return;
    if (this.all("[data-seen]").length) this.paintCombinations();
    for (const [i, run] of this.all("[data-toss]").entries()) setPressed(run, i < this.tosses);
    for (const line of this.all("[data-line]")) setPressed(line, this.lines.has(line.dataset.line));
    for (const [i, tick] of this.all("[data-camera-seen]").entries()) setPressed(tick, this.cameras.has(i));
    this.paintNext();
  }

  /* With a new list, or the same list after another closing, nothing has been confirmed yet. */
  startOver() {
    const { box } = this;
    if (box === this.paintedBox && box?.dataset.local === this.paintedKey) return;
    Object.assign(this, { paintedBox: box, paintedKey: box?.dataset.local });
    this.clear();
    this.dice.faces = [];
  }

  paintLayout() {
    for (const area of document.querySelectorAll("[data-wager]")) {
      const lit = Boolean(this.box) && this.lit.includes(area.dataset.wager);
      if (lit === area.hasAttribute("data-test")) continue;
      area.toggleAttribute("data-test", lit);
      area.querySelector(".wins")?.remove();
      if (lit) area.querySelector(".sr").insertAdjacentHTML("afterend",
        '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-star"/></svg>TEST</span>');
    }
  }

  paintCombinations() {
    const list = this.box.querySelector("[data-seen]");
    if (list.dataset.combos !== this.lit.join()) {
      list.dataset.combos = this.lit.join();
      list.replaceChildren(...this.lit.map((wager) => this.combinationItem(wager)));
      if (!this.lit.length) list.innerHTML = '<li class="dim">The layout lights when the dice are entered.</li>';
    }
    for (const button of list.querySelectorAll("[data-combo]")) setPressed(button, this.litConfirmed.has(button.dataset.combo));
  }

  combinationItem(wager) {
    const item = document.createElement("li"), button = document.createElement("button");
    Object.assign(button, { type: "button", className: "tick", textContent: this.label(wager) });
    button.dataset.combo = wager;
    button.insertAdjacentHTML("afterbegin", '<svg class="icon" aria-hidden="true"><use href="#i-check"/></svg>');
    item.append(button);
    return item;
  }

  paintNext() {
    const parts = this.parts(), open = parts.filter(([, toDo]) => toDo).map(([, toDo]) => toDo);
    const next = document.getElementById("next"), progress = document.getElementById("inspect-progress");
    const text = `${parts.length - open.length} of ${parts.length} confirmed`;
    if (progress && progress.textContent !== text) progress.textContent = text;
    if (next?.dataset.ask !== "inspect_table") return;
    next.classList.toggle("next--off", open.length > 0);
    next.setAttribute("aria-disabled", open.length > 0);
    next.querySelector(".next-s").textContent = open.length ? open[0] : next.dataset.say;
  }
}
