/* Error Notification Slips: what was wrong decides what is asked, and what each seat is owed stands there before anybody
   signs. The server works it out (data-preview); the slip says by `corrects` which figures were seen. */

import "./rooms.js";
import { Dice } from "./dice.js";

const ASKED = { dice: ["throw", "dice"], wager: ["wagers"], payment: ["payments"], void: [] };
const ALWAYS = ["round", "kind", "corrects", "reason"];
const QUIET = 300; // ms after the last tap until the figures are asked for

const dollars = (cents) => (cents % 100 ? (cents / 100).toFixed(2) : String(cents / 100));
const said = (cents) => `$${Number(dollars(cents)).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 })}`;

function show(part, shown) {
  part.hidden = !shown;
  for (const field of part.querySelectorAll("input, select")) field.disabled = !shown;
}

function row(box, name, values = {}) {
  const list = box.querySelector(`[data-template-of="${name}"]`).content.firstElementChild.cloneNode(true);
  for (const [field, value] of Object.entries(values)) list.querySelector(`[name="${field}"]`).value = value;
  return list;
}

/* a void asks a manager: who may not sign it is not offered */
function fitSigners(box, kind) {
  const signs = box.querySelector("[data-witness]");
  const asks = kind === "void" && !("manager" in signs.dataset);
  for (const one of signs.options) one.hidden = one.disabled = asks && Boolean(one.value) && !("manages" in one.dataset);
  if (signs.selectedOptions[0]?.disabled) signs.value = [...signs.options].find((one) => !one.disabled)?.value ?? "";
}

class Filing {
  constructor(slip) {
    Object.assign(this, { slip, box: slip.box, timer: 0, asked: "" });
    this.dice = new Dice(() => this.box.querySelector(".slots"), () => this.entered());
    const all = slip.params.bind(slip), missing = slip.missing.bind(slip);
    slip.params = () => this.params(all());
    slip.missing = () => this.empty() ?? missing();
    this.box.addEventListener("click", (event) => this.click(event));
  }

  get kind() {
    return this.box.querySelector("[name=kind]:checked")?.value ?? "";
  }

  opened() {
    this.asked = "";
    this.figures("");
    this.fitSlots();
  }

  /* only what this kind of slip says; dice as numbers */
  params(all) {
    const keep = [...ALWAYS, ...(ASKED[this.kind] ?? [])];
    const kept = Object.fromEntries(Object.entries(all).filter(([name]) => keep.includes(name)));
    if (kept.dice !== undefined) kept.dice = kept.dice.split(",").filter(Boolean).map(Number);
    return kept;
  }

  /* an amount that nobody typed is no 0 */
  empty() {
    const field = [...this.box.querySelectorAll(`[data-of-kind="${this.kind}"] [data-row] [data-typed]`)].find((one) => !one.value.trim());
    return field ? [field, field.dataset.typed] : null;
  }

  /* Dice */

  fitSlots() {
    const ask = this.box.querySelector("[data-dice-ask]"), throw_ = this.box.querySelector("[name=throw]:checked");
    const many = Number(throw_?.dataset.dice ?? ask.dataset.dice), slots = ask.querySelector(".slots");
    if (slots.children.length === many && this.throw === throw_) return;
    this.throw = throw_;
    slots.replaceChildren(...Array.from({ length: many }, () => Object.assign(document.createElement("span"), { className: "slot" })));
    this.dice.reset();
  }

  entered() {
    const field = this.box.querySelector("[name=dice]");
    field.value = this.dice.full ? this.dice.faces.join(",") : "";
    this.slip.refuse();
    this.slip.check();
  }

  click({ target }) {
    const hit = (selector) => target.closest(selector);
    const face = hit("[data-slip-face]"), wager = hit("[data-add-wager]"), seat = hit("[data-add-payment]");
    if (face) this.dice.add(Number(face.dataset.slipFace));
    if (hit("[data-slip-face-back]")) this.dice.back();
    if (wager) this.add("wagers", "recorded", wager.dataset, ["seat", "wager", "play"]);
    if (hit("[data-add-missed]")) this.add("wagers", "missed", {}, []);
    if (seat) this.pay(seat.dataset);
  }

  /* Rows: the same wager, or seat, once */

  add(list, template, given, names) {
    const values = Object.fromEntries(names.map((name) => [name, given[name] ?? ""]));
    const rows = this.box.querySelector(`[data-each="${list}"]`), key = JSON.stringify(values);
    let found = names.length ? [...rows.children].find((one) => one.dataset.key === key) : null;
    if (!found) {
      found = row(this.box, template, values);
      found.dataset.key = key;
      for (const [part, text] of [["[data-what]", given.what], ["[data-said]", given.said]])
        if (found.querySelector(part)) found.querySelector(part).textContent = text ?? "";
      rows.append(found);
    }
    found.querySelector(names.length ? "[data-typed]" : "select").focus();
    this.slip.check();
    return found;
  }

  pay({ seat, paid, taken }) {
    const settled = `${said(Number(paid))} paid, ${said(Number(taken))} taken by the record`;
    const found = this.add("payments", "payment", { seat, what: `Seat ${seat}`, said: settled }, ["seat"]);
    const [handed, took] = ["paid_cents", "taken_cents"].map((name) => found.querySelector(`[name=${name}]`));
    handed.value ||= dollars(Number(paid));
    took.value ||= dollars(Number(taken));
    handed.select();
    this.slip.check();
  }

  /* What is owed */

  check() {
    for (const part of this.box.querySelectorAll("[data-of-kind]")) show(part, part.dataset.ofKind === this.kind);
    for (const one of this.box.querySelectorAll("[data-row]:has([data-of-play])"))
      show(one.querySelector("[data-of-play]"), this.kind === "wager" && "single" in (one.querySelector("[name=wager]").selectedOptions[0]?.dataset ?? {}));
    this.fitSlots();
    fitSigners(this.box, this.kind);
    this.look();
  }

  whole() {
    if (!this.kind || this.empty()) return false;
    const must = this.box.querySelectorAll(`[data-of-kind="${this.kind}"] [data-must]`);
    return [...must].every((part) => (part.dataset.each === undefined ? part.value : part.querySelector("[data-row]")));
  }

  look() {
    const { round, corrects, reason, ...rest } = this.slip.params();
    const asked = this.whole() ? JSON.stringify(rest) : "";
    if (asked === this.asked) return;
    this.asked = asked;
    clearTimeout(this.timer);
    this.figures("");
    if (asked) this.timer = setTimeout(() => this.ask(asked), QUIET);
  }

  async ask(asked) {
    const url = `${this.box.dataset.preview}?${new URLSearchParams({ said: asked })}`;
    const answer = await fetch(url, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
    const text = answer && [200, 422].includes(answer.status) ? await answer.text() : "";
    if (asked !== this.asked) return;
    if (!text) this.asked = "";
    this.figures(text);
    this.slip.check();
  }

  figures(html) {
    const part = this.box.querySelector("[data-owed]"), found = new DOMParser().parseFromString(html, "text/html").querySelector(".owed-now");
    part.replaceChildren(...(found ? [document.adoptNode(found)] : []));
    this.box.querySelector("[name=corrects]").value = found?.dataset.corrects ?? "";
  }
}

class Settling {
  constructor(slip) {
    Object.assign(this, { slip, box: slip.box });
    const all = slip.params.bind(slip);
    slip.params = () => this.params(all());
  }

  opened({ due, kind }) {
    this.due = JSON.parse(due);
    fitSigners(this.box, kind);
    const rows = this.box.querySelector("[data-each]");
    if (rows.children.length) return;
    for (const one of this.due) rows.append(this.row(one));
  }

  row({ seat, cents }) {
    const found = this.box.querySelector("[data-row-template]").content.firstElementChild.cloneNode(true), to = cents > 0;
    found.querySelector("[data-way]").setAttribute("href", to ? "#i-up" : "#i-down");
    found.querySelector("[data-who]").textContent = `Seat ${seat}`;
    found.querySelector("[data-due-words]").textContent = `${to ? "is owed" : "owes"} ${said(Math.abs(cents))}`;
    found.querySelector("[data-does]").textContent = to ? "Got, $" : "Gave, $";
    found.querySelector("[name=seat]").value = seat;
    found.querySelector("[name=cents]").value = dollars(Math.abs(cents));
    return found;
  }

  /* an amount from a player goes out below zero */
  params(all) {
    const owes = new Set(this.due?.filter((one) => one.cents < 0).map((one) => one.seat));
    const moved = all.moved.map((one) => (owes.has(one.seat) && one.cents > 0 ? { ...one, cents: -one.cents } : one));
    return { ...all, moved };
  }

  check() {
    const { moved } = this.slip.params();
    const less = moved.some((one) => one.cents !== this.due?.find((due) => due.seat === one.seat)?.cents);
    show(this.box.querySelector("[data-why-less]"), less);
  }
}

const KINDS = { "file-slip": Filing, "settle-slip": Settling }, known = new WeakMap();

addEventListener("room:open", ({ detail: { slip, given } }) => {
  const Kind = KINDS[slip.box.id];
  if (!Kind) return;
  if (!known.has(slip)) known.set(slip, new Kind(slip));
  known.get(slip).opened(given);
});
addEventListener("room:check", ({ detail: { slip } }) => known.get(slip)?.check());
