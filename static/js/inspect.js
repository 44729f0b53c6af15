/* The opening inspection: three values entered, the lit combinations confirmed one by one, a device's runs counted. */

import { Dice } from "./dice.js";

export class Inspection {
  constructor({ urls, refuse }) {
    Object.assign(this, { urls, refuse, lit: [], seen: new Set(), tosses: 0 });
    this.dice = new Dice(() => this.box?.querySelector("[data-slots]"), (dice) => dice.full ? this.light() : this.dark());
  }

  get box() {
    return document.getElementById("inspect");
  }

  get automated() {
    return Boolean(this.box?.dataset.automated);
  }

  params() {
    const params = { dice: this.dice.faces, lit: this.lit.filter((wager) => this.seen.has(wager)) };
    if (this.automated) params.tosses = this.tosses;
    return params;
  }

  get ready() {
    return this.dice.full && this.lit.length > 0 && this.seen.size === this.lit.length && (!this.automated || this.tosses >= 3);
  }

  dark() {
    this.lit = [];
    this.seen.clear();
    this.paint();
  }

  async light() {
    const address = `${this.urls.light}?dice=${this.dice.faces.join(",")}`;
    try {
      const answer = await fetch(address, { headers: { Accept: "application/json" }, cache: "no-store" });
      const body = await answer.json();
      if (body.refusal) return this.refuse(body.refusal, this.box);
      this.lit = body.lit;
    } catch {
      this.refuse({ title: "Not lit", message: "The line gave no answer. Take a die back and enter it again." }, this.box);
    }
    this.seen.clear();
    this.paint();
  }

  click(target) {
    const face = target.closest("[data-inspect-face]"), combo = target.closest("[data-combo]"), toss = target.closest("[data-toss]");
    if (face) this.dice.add(Number(face.dataset.inspectFace));
    if (target.closest("[data-inspect-back]")) this.dice.back();
    if (combo) {
      const wager = combo.dataset.combo;
      if (!this.seen.delete(wager)) this.seen.add(wager);
    }
    if (toss) this.tosses = toss.getAttribute("aria-pressed") === "true" ? this.tosses - 1 : this.tosses + 1;
    this.paint();
  }

  label(wager) {
    const said = document.querySelector(`[data-wager="${CSS.escape(wager)}"] .sr`)?.textContent ?? wager;
    return said.split(/, (?:pays|not lit)/)[0];
  }

  paint() {
    if (!this.box) return;
    for (const area of document.querySelectorAll("[data-wager]")) {
      const lit = this.lit.includes(area.dataset.wager);
      if (lit === area.hasAttribute("data-test")) continue;
      area.toggleAttribute("data-test", lit);
      area.querySelector(".wins")?.remove();
      if (lit) area.querySelector(".sr").insertAdjacentHTML("afterend",
        '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-star"/></svg>TEST</span>');
    }
    this.paintList();
    [...this.box.querySelectorAll("[data-toss]")].forEach((run, i) => run.setAttribute("aria-pressed", i < this.tosses));
    this.paintNext();
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
    for (const button of list.querySelectorAll("[data-combo]")) button.setAttribute("aria-pressed", this.seen.has(button.dataset.combo));
  }

  paintNext() {
    const next = document.getElementById("next");
    if (next?.dataset.act !== "inspect_table") return;
    next.classList.toggle("next--off", !this.ready);
    next.setAttribute("aria-disabled", !this.ready);
    const left = this.lit.length - this.seen.size;
    next.querySelector(".next-s").textContent = this.ready ? next.dataset.say
      : !this.dice.full ? "Enter three dice values first"
      : !this.lit.length ? "The layout lights first"
      : left ? `${left} of ${this.lit.length} combinations to confirm` : `${3 - this.tosses} of 3 runs to go`;
  }
}
