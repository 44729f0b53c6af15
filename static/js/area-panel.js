/* The panel of an area: its owners and their amounts. While bets are open, it adds the chip in hand to the selected seat's
   chips or takes it off, moves them to another area or seat, or sets a typed amount. A tap that opens, moves on or closes places
   nothing. */

import { timeOf } from "./hold.js";
import { READ_TIME } from "./quick-taps.js";
import { chipClass, formatAmount } from "./stacks.js";

/* ms that an area is pressed until it opens; nothing is done by it, so less than HOLD_TIME. `--open-time` replaces it. */
const TIME_TO_OPEN = 500;
const PLACE = ["left", "top", "width", "height"];
const GAP = 12, MARGIN = 8;
const MAX_DIGITS = 8;
const money = (cents) => `$${formatAmount(cents)}`;

export class AreaPanel {
  constructor(taps) {
    Object.assign(this, { taps, wager: null, mode: "list", typed: "", openedByHold: false });
    this.box = document.getElementById("area-panel");
    this.box.addEventListener("click", ({ target }) => this.click(target));
    document.addEventListener("pointerdown", ({ target }) => this.press(target.closest(".area[data-wager]")));
    for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, () => clearTimeout(this.timer));
    document.addEventListener("contextmenu", (event) => { if (event.target.closest(".area[data-wager]")) event.preventDefault(); });
    document.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.close(); });
    addEventListener("resize", () => this.place());
    taps.painted = () => this.paint();
  }

  press(area) {
    clearTimeout(this.timer);
    this.openedByHold = false;
    if (area) this.timer = setTimeout(() => { this.openedByHold = true; this.open(area.dataset.wager); }, timeOf("--open-time", TIME_TO_OPEN));
  }

  get takesWagers() {
    const { round, status } = this.taps.state;
    return round.bets_open && status === "open" && document.querySelector(`button[data-wager="${this.wager}"]`) !== null;
  }

  /* Whether a tap on an area is about the panel. If not, it places the chip in hand. */
  takesTap(area) {
    const { wager } = area.dataset, wasHeld = this.openedByHold;
    this.openedByHold = false;
    if (wasHeld || this.isStillClosing(area)) return true;
    if (this.mode === "move" && this.wager) {
      const from = this.wager;
      this.close();
      this.taps.moveToArea(from, wager);
      return true;
    }
    if (!this.wager && !this.taps.opensAreas && area.matches("button")) return false;
    if (this.wager === wager) this.closeByTap(area);
    else this.open(wager);
    return true;
  }

  /* A second tap there, a moment later, still belongs to the closing. */
  closeByTap(area) {
    this.close();
    this.closedBy = { area: area.dataset.wager, time: performance.now() };
  }

  isStillClosing(area) {
    const { area: wager, time } = this.closedBy ?? {};
    return wager === area.dataset.wager && performance.now() - time < timeOf("--read-time", READ_TIME);
  }

  /* A tap on a seat while chips are being moved. */
  takesSeat(seat, button) {
    if (this.mode !== "move" || !this.wager) return false;
    const from = this.wager;
    this.close();
    this.taps.moveToSeat(from, seat, button);
    return true;
  }

  /* Puts the chip in hand down, so that a tap opens an area; or takes it up again. */
  toggleOpening() {
    this.taps.opensAreas = !this.wager && !this.taps.opensAreas;
    this.wager = null;
    this.taps.paint();
  }

  open(wager) {
    Object.assign(this, { wager, mode: "list", typed: "" });
    if (!this.takesWagers && !this.owners.length) this.wager = null;
    this.paint();
  }

  close() {
    Object.assign(this, { wager: null, mode: "list" });
    this.paint();
  }

  click(target) {
    const owner = target.closest("[data-owner-seat]"), button = target.closest("[data-panel]");
    if (owner) return this.taps.selectSeat(Number(owner.dataset.ownerSeat));
    if (!button) return;
    const { panel: name, digit } = button.dataset, { taps, wager } = this, cents = taps.total(taps.seat, wager);
    if (name === "close") return this.close();
    if (name === "less") taps.setAmount(wager, Math.max(0, cents - this.step));
    if (name === "more") taps.setAmount(wager, cents + this.step);
    if (name === "off") taps.setAmount(wager, 0);
    if (name === "keypad") this.mode = "keypad";
    if (name === "move") this.mode = "move";
    if (name === "cancel") this.mode = "list";
    if (name === "digit") this.type(digit);
    if (name === "back") this.typed = this.typed.slice(0, -1);
    if (name === "set") return this.set();
    if (name === "keypad" || name === "cancel") this.typed = "";
    this.paint();
  }

  type(digit) {
    const [, cents] = this.typed.split(".");
    if (digit === "." ? this.typed.includes(".") : cents?.length === 2 || this.typed.length >= MAX_DIGITS) return;
    this.typed += digit;
  }

  get typedCents() {
    return Math.round(Number(this.typed || 0) * 100);
  }

  /* What the layout takes: amounts within the limits, in the increments of the wager's rules. */
  get increment() {
    return this.taps.state.increments?.[this.wager] ?? 1;
  }

  get step() {
    return this.taps.chip;
  }

  get typedError() {
    const { limits } = this.taps.state, cents = this.typedCents;
    if (!cents) return `${money(limits.min_cents)} to ${money(limits.max_cents)}${this.increment > 1 ? `, in steps of ${money(this.increment)}` : ""}`;
    if (cents % this.increment) return `Not a multiple of ${money(this.increment)}`;
    if (cents < limits.min_cents) return `${money(limits.min_cents - cents)} under ${money(limits.min_cents)}`;
    if (cents > limits.max_cents) return `${money(cents - limits.max_cents)} over ${money(limits.max_cents)}`;
    return "";
  }

  set() {
    if (!this.typed || this.typedCents % this.increment) return;
    this.taps.setAmount(this.wager, this.typedCents);
    this.close();
  }

  get owners() {
    const bySeat = this.taps.sums().areas.get(this.wager) ?? new Map();
    return this.taps.ownersOf(this.wager, bySeat);
  }

  paint() {
    const area = this.wager && document.querySelector(`.area[data-wager="${this.wager}"]`);
    if (!area) this.wager = null;
    for (const open of document.querySelectorAll(".area--open")) open.classList.toggle("area--open", open === area);
    area?.classList.add("area--open");
    document.querySelector('[data-do="open-area"]')?.setAttribute("aria-pressed", this.taps.opensAreas || Boolean(area));
    this.box.hidden = !area;
    if (!area) return;
    const { taps } = this, owners = this.owners, own = taps.total(taps.seat, this.wager), name = area.dataset.label;
    const part = (selector) => this.box.querySelector(selector);
    const write = (selector, text) => { part(selector).textContent = text; };
    this.box.dataset.mode = this.takesWagers ? this.mode : "read";
    this.box.toggleAttribute("data-units", taps.hasUnits);
    const who = `Seat ${taps.seat} on ${name}`, types = this.box.dataset.mode === "keypad";
    const sum = owners.reduce((cents, owner) => cents + owner.cents, 0);
    write("#area-name", types ? who : name);
    write("[data-panel-seats]", types ? "now" : `${owners.length} seat${owners.length === 1 ? "" : "s"}`);
    write(".pop-sum", money(types ? own : sum));
    write("[data-panel-who]", who);
    write(".mine-sum", money(own));
    write(".mine-how", `Each step is ${money(this.step)}`);
    for (const step of this.box.querySelectorAll(".stepb span")) step.textContent = formatAmount(this.step);
    part('[data-panel="less"]').disabled = part('[data-panel="move"]').disabled = part('[data-panel="off"]').disabled = !own;
    write("[data-panel-typed]", `$${this.typed || "0"}`);
    write("[data-panel-error]", this.typedError);
    write("[data-panel-set]", this.typed ? `Set seat ${taps.seat} to ${money(this.typedCents)}` : "Type an amount");
    part('[data-panel="set"]').disabled = !this.typed || this.typedCents % this.increment > 0;
    write("[data-panel-moving]", `Move ${money(own)} of seat ${taps.seat}: tap another area, or another seat`);
    this.paintOwners(owners);
    this.place();
  }

  paintOwners(owners) {
    const { chips } = this.taps.state;
    const html = owners.map(({ seat, cents, own, pending, flag }) =>
      `<li><button class="owner" type="button" data-owner-seat="${seat}" aria-pressed="${own}"><span class="seat-no">`
      + `<span class="sr">Seat </span>${seat}</span><svg class="owner-chip ${chipClass(chips, cents)}" aria-hidden="true">`
      + `<use href="#chip"></use></svg><span class="owner-say">${pending ? "not yet taken" : flag ? "outside the limits" : ""}</span>`
      + `<b class="owner-sum">${money(cents)}</b></button></li>`).join("") || '<li class="owner-none">No chips here</li>';
    const list = this.box.querySelector(".owners");
    list.classList.toggle("owners--many", owners.length > 8);
    if (list.innerHTML !== html) list.innerHTML = html;
  }

  /* Opens on the side of the area with more room. While chips are moved it covers the dock, so that no button is half seen. */
  place() {
    const { style } = this.box;
    for (const name of PLACE) style.removeProperty(name);
    if (this.box.hidden) return;
    if (this.box.dataset.mode === "move") {
      const dock = document.querySelector(".dock").getBoundingClientRect();
      for (const name of PLACE) style[name] = `${dock[name]}px`;
      return;
    }
    const area = document.querySelector(`.area[data-wager="${this.wager}"]`).getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    const beside = area.left > innerWidth - area.right ? area.left - box.width - GAP : area.right + GAP;
    const x = Math.max(MARGIN, Math.min(beside, innerWidth - box.width - MARGIN));
    const y = Math.max(MARGIN, Math.min(area.top, innerHeight - box.height - MARGIN));
    Object.assign(style, { "left": `${x}px`, "top": `${y}px` });
  }
}
