/* Error Notification Slips. The kind of error decides which fields are shown, and the figures for each seat are shown
   before anybody signs. The server computes them (data-preview); `corrects` in the slip says which figures were seen. */

import "./dialogs.js";
import { Dice } from "./dice.js";

const FIELDS_OF_KIND = { dice: ["throw", "dice"], wager: ["wagers"], payment: ["payments"], void: [] };
const COMMON_FIELDS = ["round", "kind", "corrects", "reason"];
const NOT_PREVIEWED = ["round", "corrects", "reason"];
const PREVIEW_DELAY = 300; // ms after the last change

const plainDollars = (cents) => (cents % 100 ? (cents / 100).toFixed(2) : String(cents / 100));
const money = (cents) =>
  `$${Number(plainDollars(cents)).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 })}`;
const isOneOf = (names) => ([name]) => names.includes(name);
const setText = (row, selector, text) => {
  const part = row.querySelector(selector);
  if (part) part.textContent = text ?? "";
};

function show(part, visible) {
  part.hidden = !visible;
  for (const field of part.querySelectorAll("input, select")) field.disabled = !visible;
}

/* A manager must sign a void: only those who may are offered. */
function offerSigners(box, kind) {
  const select = box.querySelector("[data-witness]");
  const needsManager = kind === "void" && !("manager" in select.dataset);
  for (const option of select.options)
    option.hidden = option.disabled = needsManager && Boolean(option.value) && !("manages" in option.dataset);
  if (select.selectedOptions[0]?.disabled) select.value = [...select.options].find((option) => !option.disabled)?.value ?? "";
}

class SlipFiling {
  constructor(dialog) {
    Object.assign(this, { dialog, box: dialog.box, timer: 0, previewed: "" });
    this.dice = new Dice(() => this.box.querySelector(".slots"), () => this.enterDice());
    const params = dialog.params.bind(dialog), missing = dialog.missing.bind(dialog);
    dialog.params = () => this.params(params());
    dialog.missing = () => this.missingAmount() ?? missing();
    this.box.addEventListener("click", (event) => this.click(event));
  }

  get kind() {
    return this.box.querySelector("[name=kind]:checked")?.value ?? "";
  }

  opened() {
    this.previewed = "";
    this.showFigures("");
    this.fitSlots();
  }

  /* Only the fields of this kind of slip; dice as numbers. */
  params(all) {
    const names = [...COMMON_FIELDS, ...(FIELDS_OF_KIND[this.kind] ?? [])];
    const params = Object.fromEntries(Object.entries(all).filter(isOneOf(names)));
    if (params.dice !== undefined) params.dice = params.dice.split(",").filter(Boolean).map(Number);
    return params;
  }

  /* An amount that nobody typed is not 0. */
  missingAmount() {
    const fields = [...this.box.querySelectorAll(`[data-of-kind="${this.kind}"] [data-row] [data-typed]`)];
    const empty = fields.find((field) => !field.value.trim());
    return empty ? [empty, empty.dataset.typed] : null;
  }

  /* Dice */

  fitSlots() {
    const part = this.box.querySelector("[data-dice-ask]"), slots = part.querySelector(".slots");
    const selectedThrow = this.box.querySelector("[name=throw]:checked");
    const size = Number(selectedThrow?.dataset.dice ?? part.dataset.dice);
    if (slots.children.length === size && this.selectedThrow === selectedThrow) return;
    this.selectedThrow = selectedThrow;
    const empty = () => Object.assign(document.createElement("span"), { className: "slot" });
    slots.replaceChildren(...Array.from({ length: size }, empty));
    this.dice.reset();
  }

  enterDice() {
    this.box.querySelector("[name=dice]").value = this.dice.full ? this.dice.faces.join(",") : "";
    this.dialog.edited();
  }

  click({ target }) {
    const hit = (selector) => target.closest(selector);
    const face = hit("[data-slip-face]"), wager = hit("[data-add-wager]"), seat = hit("[data-add-payment]");
    if (face) this.dice.add(Number(face.dataset.slipFace));
    if (hit("[data-slip-face-back]")) this.dice.removeLast();
    if (wager) this.addRow("wagers", "recorded", wager.dataset, ["seat", "wager", "play"]);
    if (hit("[data-add-missed]")) this.addRow("wagers", "missed", {}, []);
    if (seat) this.addPayment(seat.dataset);
  }

  /* Rows: each wager, or seat, once */

  addRow(listName, template, texts, names) {
    const values = Object.fromEntries(names.map((name) => [name, texts[name] ?? ""]));
    const list = this.box.querySelector(`[data-each="${listName}"]`), key = JSON.stringify(values);
    const existing = names.length ? [...list.children].find((row) => row.dataset.key === key) : null;
    const row = existing ?? this.createRow(template, values);
    if (!existing) {
      row.dataset.key = key;
      setText(row, "[data-what]", texts.what);
      setText(row, "[data-recorded]", texts.recorded);
      list.append(row);
    }
    row.querySelector(names.length ? "[data-typed]" : "select").focus();
    this.dialog.update();
    return row;
  }

  createRow(template, values) {
    const row = this.box.querySelector(`[data-template-of="${template}"]`).content.firstElementChild.cloneNode(true);
    for (const [field, value] of Object.entries(values)) row.querySelector(`[name="${field}"]`).value = value;
    return row;
  }

  addPayment({ seat, paid: paidText, taken: takenText }) {
    const paidCents = Number(paidText), takenCents = Number(takenText);
    const recorded = `${money(paidCents)} paid, ${money(takenCents)} taken by the record`;
    const row = this.addRow("payments", "payment", { seat, "what": `Seat ${seat}`, recorded }, ["seat"]);
    const [paid, collected] = ["paid_cents", "taken_cents"].map((name) => row.querySelector(`[name=${name}]`));
    paid.value ||= plainDollars(paidCents);
    collected.value ||= plainDollars(takenCents);
    paid.select();
    this.dialog.update();
  }

  /* Preview */

  update() {
    for (const part of this.box.querySelectorAll("[data-of-kind]")) show(part, part.dataset.ofKind === this.kind);
    for (const row of this.box.querySelectorAll("[data-row]:has([data-of-play])")) {
      const wager = row.querySelector("[name=wager]").selectedOptions[0];
      show(row.querySelector("[data-of-play]"), this.kind === "wager" && "single" in (wager?.dataset ?? {}));
    }
    this.fitSlots();
    offerSigners(this.box, this.kind);
    this.preview();
  }

  isComplete() {
    if (!this.kind || this.missingAmount()) return false;
    const required = this.box.querySelectorAll(`[data-of-kind="${this.kind}"] [data-must]`);
    return [...required].every((part) => (part.dataset.each === undefined ? part.value : part.querySelector("[data-row]")));
  }

  preview() {
    const params = Object.entries(this.dialog.params()).filter(([name]) => !NOT_PREVIEWED.includes(name));
    const query = this.isComplete() ? JSON.stringify(Object.fromEntries(params)) : "";
    if (query === this.previewed) return;
    this.previewed = query;
    clearTimeout(this.timer);
    this.showFigures("");
    if (query) this.timer = setTimeout(() => this.fetchFigures(query), PREVIEW_DELAY);
  }

  async fetchFigures(query) {
    const url = `${this.box.dataset.preview}?${new URLSearchParams([["said", query]])}`;
    const response = await fetch(url, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
    const html = response && [200, 422].includes(response.status) ? await response.text() : "";
    if (query !== this.previewed) return;
    if (!html) this.previewed = "";
    this.showFigures(html);
    this.dialog.update();
  }

  showFigures(html) {
    const figures = new DOMParser().parseFromString(html, "text/html").querySelector(".owed-now");
    this.box.querySelector("[data-owed]").replaceChildren(...(figures ? [document.adoptNode(figures)] : []));
    this.box.querySelector("[name=corrects]").value = figures?.dataset.corrects ?? "";
  }
}

class SlipSettlement {
  constructor(dialog) {
    Object.assign(this, { dialog, box: dialog.box, due: [] });
    const params = dialog.params.bind(dialog);
    dialog.params = () => this.params(params());
  }

  opened({ due, kind }) {
    this.due = JSON.parse(due);
    offerSigners(this.box, kind);
    const list = this.box.querySelector("[data-each]");
    if (list.children.length) return;
    for (const seatDue of this.due) list.append(this.createRow(seatDue));
  }

  createRow({ seat, cents }) {
    const row = this.box.querySelector("[data-row-template]").content.firstElementChild.cloneNode(true);
    const isToPlayer = cents > 0, amount = Math.abs(cents);
    row.querySelector("[data-arrow]").setAttribute("href", isToPlayer ? "#i-up" : "#i-down");
    setText(row, "[data-who]", `Seat ${seat}`);
    setText(row, "[data-due-words]", `${isToPlayer ? "is owed" : "owes"} ${money(amount)}`);
    setText(row, "[data-does]", isToPlayer ? "Got, $" : "Gave, $");
    row.querySelector("[name=seat]").value = seat;
    row.querySelector("[name=cents]").value = plainDollars(amount);
    return row;
  }

  /* An amount that a player gives back is sent as a negative number. */
  params(all) {
    const owing = new Set(this.due.filter(({ cents }) => cents < 0).map(({ seat }) => seat));
    const payments = all.moved.map((row) => (owing.has(row.seat) && row.cents > 0 ? { ...row, cents: -row.cents } : row));
    return { ...all, "moved": payments };
  }

  update() {
    const dueOf = (seat) => this.due.find((seatDue) => seatDue.seat === seat)?.cents;
    const differs = this.dialog.params().moved.some(({ seat, cents }) => cents !== dueOf(seat));
    show(this.box.querySelector("[data-why-less]"), differs);
  }
}

const CONTROLLERS = { "file-slip": SlipFiling, "settle-slip": SlipSettlement }, controllers = new WeakMap();

addEventListener("dialog:open", ({ detail: { dialog, subject } }) => {
  const Controller = CONTROLLERS[dialog.box.id];
  if (!Controller) return;
  if (!controllers.has(dialog)) controllers.set(dialog, new Controller(dialog));
  controllers.get(dialog).opened(subject);
});
addEventListener("dialog:update", ({ detail: { dialog } }) => controllers.get(dialog)?.update());
