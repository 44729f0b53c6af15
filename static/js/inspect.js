/* The inspection before gaming begins or goes on: three values and each combination that they light, the runs of an
   automated shaker, each line of the edition, a camera for each end. What is asked stands in #inspect; what has been
   confirmed lives here until the floor signs, and begins anew with another list. */

import { Dice } from "./dice.js";

const pressed = (button, on) => button.setAttribute("aria-pressed", Boolean(on));

export class Inspection {
  constructor({ urls, refuse }) {
    Object.assign(this, { urls, refuse });
    this.clear();
    this.dice = new Dice(() => this.box?.querySelector("[data-slots]"), (dice) => dice.full ? this.light() : this.dark());
    document.addEventListener("input", ({ target }) => { if (target.matches("[data-camera]")) this.rename(target); });
  }

  clear() {
    Object.assign(this, { lit: [], seen: new Set(), lines: new Set(), cameras: new Set(), tosses: 0 });
  }

  get box() {
    return document.getElementById("inspect");
  }

  all(selector) {
    return [...this.box.querySelectorAll(selector)];
  }

  get named() {
    return this.all("[data-camera]").map((field) => field.value.trim());
  }

  params() {
    const params = { lines: this.all("[data-line]").map((line) => line.dataset.line).filter((code) => this.lines.has(code)) };
    if (this.all("[data-slots]").length) Object.assign(params, { dice: this.dice.faces, lit: this.lit.filter((wager) => this.seen.has(wager)) });
    if (this.all("[data-toss]").length) params.tosses = this.tosses;
    if (this.named.length) params.cameras = this.named;
    return params;
  }

  /* everything that is asked, in order, each with what is still to do; an empty text is done */
  parts() {
    const parts = this.all("[data-part=dice]").map((part) => [part, this.leftOfLights()]);
    const runs = this.all("[data-toss]").length;
    parts.push(...this.all("[data-part=tosses]").map((part) => [part, this.tosses < runs ? `${runs - this.tosses} of ${runs} runs to go` : ""]));
    parts.push(...this.all("[data-line]").map((line) => [line, this.lines.has(line.dataset.line) ? "" : `Next: ${line.querySelector("[data-words]").textContent}`]));
    parts.push(...this.all("[data-part=camera]").map((part, i) => [part, this.leftOfCamera(i)]));
    return parts;
  }

  leftOfLights() {
    const left = this.lit.length - this.seen.size;
    return !this.dice.full ? "Enter three dice values first" : !this.lit.length ? "The layout lights first"
      : left ? `${left} of ${this.lit.length} combinations to confirm` : "";
  }

  leftOfCamera(i) {
    const { named } = this;
    if (!named[i]) return "Name the camera of each end";
    if (named.indexOf(named[i]) !== i) return "Two different cameras, one for each end";
    return this.cameras.has(i) ? "" : `Confirm camera ${named[i]}`;
  }

  dark() {
    this.lit = [];
    this.seen.clear();
    this.paint();
  }

  async light() {
    const faces = this.dice.faces.join(",");
    try {
      const answer = await fetch(`${this.urls.light}?dice=${faces}`, { headers: { Accept: "application/json" }, cache: "no-store" });
      const body = await answer.json();
      if (faces !== this.dice.faces.join(",")) return;
      if (body.refusal) return this.refuse(body.refusal, this.box);
      this.lit = body.lit;
    } catch {
      this.refuse({ title: "Not lit", message: "The line gave no answer. Take a die back and enter it again." }, this.box);
    }
    this.seen.clear();
    this.paint();
  }

  click(target) {
    const hit = (name) => target.closest(`[data-${name}]`);
    const flip = (set, key) => { if (!set.delete(key)) set.add(key); };
    if (hit("inspect-face")) this.dice.add(Number(hit("inspect-face").dataset.inspectFace));
    if (hit("inspect-back")) this.dice.back();
    if (hit("combo")) flip(this.seen, hit("combo").dataset.combo);
    if (hit("toss")) this.tosses += hit("toss").getAttribute("aria-pressed") === "true" ? -1 : 1;
    if (hit("line")) flip(this.lines, hit("line").dataset.line);
    if (hit("camera-seen")) this.tickCamera(this.all("[data-camera-seen]").indexOf(hit("camera-seen")), flip);
    this.paint();
  }

  /* a camera without a name, or with that of the other end, is not confirmed: the field waits for one */
  tickCamera(i, flip) {
    const { named } = this;
    if (!named[i] || named.indexOf(named[i]) !== named.lastIndexOf(named[i])) return this.all("[data-camera]")[i].focus();
    flip(this.cameras, i);
  }

  rename(field) {
    this.cameras.delete(this.all("[data-camera]").indexOf(field));
    this.paint();
  }

  /* a tap on the next step before all is confirmed leads to what is left */
  lead() {
    const [part] = this.box ? this.parts().find(([, left]) => left) ?? [] : [];
    part?.scrollIntoView({ block: "center", behavior: "smooth" });
  }

  label(wager) {
    const said = document.querySelector(`[data-wager="${CSS.escape(wager)}"] .sr`)?.textContent ?? wager;
    return said.split(/, (?:pays|not lit)/)[0];
  }

  paint() {
    this.begin();
    this.paintFelt();
    if (!this.box) return;
    if (this.all("[data-seen]").length) this.paintList();
    this.all("[data-toss]").forEach((run, i) => pressed(run, i < this.tosses));
    for (const line of this.all("[data-line]")) pressed(line, this.lines.has(line.dataset.line));
    this.all("[data-camera-seen]").forEach((tick, i) => pressed(tick, this.cameras.has(i)));
    this.paintNext();
  }

  /* another list, or the same one after another closing: nothing of it has been confirmed */
  begin() {
    const { box } = this;
    if (box === this.known && box?.dataset.local === this.key) return;
    Object.assign(this, { known: box, key: box?.dataset.local });
    this.clear();
    this.dice.faces = [];
  }

  paintFelt() {
    for (const area of document.querySelectorAll("[data-wager]")) {
      const lit = Boolean(this.box) && this.lit.includes(area.dataset.wager);
      if (lit === area.hasAttribute("data-test")) continue;
      area.toggleAttribute("data-test", lit);
      area.querySelector(".wins")?.remove();
      if (lit) area.querySelector(".sr").insertAdjacentHTML("afterend",
        '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-star"/></svg>TEST</span>');
    }
  }

  paintList() {
    const list = this.box.querySelector("[data-seen]");
    if (list.dataset.combos !== this.lit.join()) {
      list.dataset.combos = this.lit.join();
      list.replaceChildren(...this.lit.map((wager) => {
        const item = document.createElement("li");
        const button = Object.assign(document.createElement("button"), { type: "button", className: "tick", textContent: this.label(wager) });
        button.dataset.combo = wager;
        button.insertAdjacentHTML("afterbegin", '<svg class="icon" aria-hidden="true"><use href="#i-check"/></svg>');
        item.append(button);
        return item;
      }));
      if (!this.lit.length) list.innerHTML = '<li class="dim">The layout lights when the dice are in.</li>';
    }
    for (const button of list.querySelectorAll("[data-combo]")) pressed(button, this.seen.has(button.dataset.combo));
  }

  paintNext() {
    const parts = this.parts(), left = parts.filter(([, text]) => text), next = document.getElementById("next");
    const progress = document.getElementById("inspect-progress"), said = `${parts.length - left.length} of ${parts.length} confirmed`;
    if (progress && progress.textContent !== said) progress.textContent = said;
    if (next?.dataset.ask !== "inspect_table") return;
    next.classList.toggle("next--off", left.length > 0);
    next.setAttribute("aria-disabled", left.length > 0);
    next.querySelector(".next-s").textContent = left.length ? left[0][1] : next.dataset.say;
  }
}
