/* Chips for cash, over the dock: the seat is the selected one, the felt and the seats stay in sight. Three taps: Buy-in, the
   amount, Sold. What the chips are is proposed; two other cuts are one tap away. Nothing is sold by a tap on an amount. The
   log of the day stands above, so that a sale that was entered before is seen before it is entered twice. */

import { formatTime } from "./facility-time.js";
import { FetchedView } from "./fetched-view.js";
import { chipClass, formatAmount } from "./stacks.js";

const LEAST_OF_LARGE = 4, MOST_OF_SMALL = 24, ENOUGH = 6, MOST_IN_A_CUT = 60;
const MAX_DIGITS = 6;
const SOON = 10 * 60_000;  // ms in which the same amount at the same seat may be the same sale
const money = (cents) => `$${formatAmount(cents)}`;

/* An amount in these chips, the largest first: [[cents, count], …]; null if they do not make it. */
function greedy(cents, chips) {
  const pieces = [];
  for (const chip of chips) {
    const count = Math.floor(cents / chip);
    if (count) pieces.push([chip, count]);
    cents -= count * chip;
  }
  return cents ? null : pieces;
}

/* Up to three ways to give an amount, the proposed one first: some of a large chip and the remainder in the next smaller one,
   all in the large one, all in the small one. `chips`: what the table has, in cents. */
export function cutsOf(cents, chips) {
  const sorted = chips.toSorted((a, b) => b - a);
  const index = sorted.findIndex((chip) => chip * ENOUGH <= cents);
  if (index < 0 || index === sorted.length - 1) return [greedy(cents, sorted)].filter(Boolean);
  const [large, small] = sorted.slice(index, index + 2), smaller = sorted.slice(index + 1);
  const least = Math.max(LEAST_OF_LARGE, Math.ceil((cents - MOST_OF_SMALL * small) / large));
  const count = Math.min(least, Math.floor(cents / large)), remainder = greedy(cents - count * large, smaller);
  const ways = [remainder && [[large, count], ...remainder], greedy(cents, sorted.slice(index)), greedy(cents, smaller)];
  const isHanded = (way) => way?.length && way.reduce((sum, [, number]) => sum + number, 0) <= MOST_IN_A_CUT;
  const texts = ways.map((way) => JSON.stringify(way));
  return ways.filter((way, place) => isHanded(way) && texts.indexOf(texts[place]) === place);
}

export class BuyIn {
  constructor({ taps, send, refuse, address }) {
    Object.assign(this, { taps, send, refuse, waiting: [], cents: 0, typed: "", choice: 0, isTyping: false });
    this.box = document.getElementById("buy-in");
    this.button = document.getElementById("buy-in-go");
    this.actions = this.box ? {
      "buy-in": () => this.toggle(),
      "buy-in-close": () => this.close(),
      "buy-in-amount": ({ dataset }) => this.setCents(Number(dataset.cents)),
      "buy-in-other": () => this.setTyping(!this.isTyping),
      "buy-in-digit": ({ dataset: { digit } }) => this.type((this.typed + digit).slice(0, MAX_DIGITS)),
      "buy-in-back": () => this.type(this.typed.slice(0, -1)),
      "buy-in-cut": ({ dataset }) => { this.choice = Number(dataset.cut); this.paint(); },
      "buy-in-sell": (button) => this.sell(button, { staysOpen: false }),
      "buy-in-sell-on": (button) => this.sell(button, { staysOpen: true }),
    } : {};
    if (!this.box) return;
    this.log = new FetchedView(this.box.querySelector("[data-buy-log]"), address, "The buy-ins of today cannot be read now.");
    addEventListener("resize", () => this.place());
    addEventListener("acts:waiting", ({ detail }) => {
      this.waiting = detail.acts.filter(({ act }) => act === "sell_chips");
      this.paint();
    });
    document.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.close(); });
    document.addEventListener("screen:applied", () => {
      if (this.isOpen && document.getElementById("screen").dataset.mode !== "betting") this.close();
      if (this.isOpen) this.readLog();
      this.paint();
    });
  }

  get isOpen() {
    return !this.box.hidden;
  }

  get cuts() {
    return this.cents ? cutsOf(this.cents, this.taps.state.chips) : [];
  }

  toggle() {
    if (this.isOpen) return this.close();
    this.taps.flush();
    this.box.hidden = this.button.hidden = false;
    this.clear();
    this.readLog();
    this.box.querySelector("[data-do=buy-in-amount]").focus({ preventScroll: true });
  }

  async readLog() {
    await this.log.show();
    this.paint();
  }

  close() {
    if (!this.isOpen) return;
    this.box.hidden = this.button.hidden = true;
    document.querySelector("[data-do=buy-in]")?.focus({ preventScroll: true });
    this.paint();
  }

  clear() {
    Object.assign(this, { cents: 0, typed: "", choice: 0, isTyping: false });
    this.paint();
  }

  setCents(cents) {
    Object.assign(this, { cents, typed: "", choice: 0 });
    this.paint();
  }

  setTyping(isTyping) {
    Object.assign(this, { isTyping, ...(isTyping && { cents: 0, typed: "", choice: 0 }) });
    this.paint();
  }

  type(typed) {
    Object.assign(this, { typed, cents: Number(typed) * 100, choice: 0 });
    this.paint();
  }

  async sell(button, { staysOpen }) {
    const cut = this.cuts[this.choice];
    if (!cut || button.getAttribute("aria-disabled") === "true") return;
    const { cents } = this, { seat } = this.taps;
    if (staysOpen) this.clear(); else this.close();
    const { refusal } = await this.send("sell_chips", { cents, seat, "chips": Object.fromEntries(cut) });
    if (refusal) return this.refuse({ ...refusal, message: `${refusal.message} (seat ${seat}, ${money(cents)})` }, staysOpen ? button : null);
    document.getElementById("hold-say").textContent = `Sold ${money(cents)} to seat ${seat}.`;
  }

  paint() {
    if (!this.box) return;
    for (const opener of document.querySelectorAll("[data-do=buy-in]")) opener.setAttribute("aria-pressed", this.isOpen);
    if (!this.isOpen) return;
    const { box, button, cents, cuts } = this, part = (selector) => box.querySelector(selector);
    part("[data-buy-seat]").textContent = this.taps.seat;
    part(".buy-amounts").hidden = this.isTyping;
    part(".buy-keys").hidden = !this.isTyping;
    for (const amount of box.querySelectorAll("[data-cents]")) amount.setAttribute("aria-pressed", Number(amount.dataset.cents) === cents);
    part("[data-buy-cuts]").replaceChildren(...cuts.map((cut, place) => this.cutLine(cut, place)));
    this.paintLog();
    const isOff = !cuts.length;
    for (const element of [button, part(".buy-more")]) element.setAttribute("aria-disabled", isOff);
    button.classList.toggle("next--off", isOff);
    button.querySelector("[data-buy-label]").textContent = cents ? `Sold ${money(cents)}` : "Cash first";
    button.querySelector("[data-buy-say]").textContent = this.sayOf(isOff);
    this.place();
  }

  sayOf(isOff) {
    if (!this.cents) return "Tap how much was laid down";
    if (isOff) return "Chips of this table do not make it";
    const same = this.sameSales[0];
    if (same) return `Seat ${this.taps.seat} bought ${money(this.cents)} at ${formatTime(Date.parse(same.dataset.soldAt))}: once more?`;
    return `Seat ${this.taps.seat}; cash in the drop box`;
  }

  /* The lines of the log, newest first, with the seat and the amount that are in hand, as long as they may be this sale. */
  get sameSales() {
    const { cents, taps: { seat } } = this;
    return [...this.box.querySelectorAll("[data-buy-log] [data-sold-at]")].filter(({ dataset: { soldAt, soldSeat, soldCents } }) =>
      cents > 0 && Number(soldCents) === cents && Number(soldSeat) === seat && Date.now() - Date.parse(soldAt) < SOON);
  }

  /* What waits to be sent is dashed, and is not in the log before the table has it. */
  paintLog() {
    const same = this.sameSales;
    for (const line of this.box.querySelectorAll("[data-buy-log] [data-sold-at]")) line.toggleAttribute("data-same", same.includes(line));
    this.button.toggleAttribute("data-same", same.length > 0);
    this.box.querySelector("[data-buy-waits]").replaceChildren(...this.waiting.map(({ name, time }) =>
      Object.assign(document.createElement("li"), { textContent: `${name}, ${formatTime(time)}: waits` })));
  }

  cutLine(cut, place) {
    const line = document.createElement("li"), button = document.createElement("button");
    Object.assign(button, { type: "button", className: "cut" });
    Object.assign(button.dataset, { "do": "buy-in-cut", "cut": place });
    button.setAttribute("aria-pressed", place === this.choice);
    button.innerHTML = cut.map(([chip, count]) => `<span><b>${count} ×</b><span class="chip ${chipClass(this.taps.state.chips, chip)}" aria-hidden="true"><svg><use href="#chip"/></svg>`
      + `<b class="chip-n">${chip / 100}</b></span><span class="sr">${money(chip)}</span></span>`).join("");
    line.append(button);
    return line;
  }

  /* Over the dock and the last row of the felt; the brass stands where the next step does. */
  place() {
    const dock = document.querySelector(".dock"), next = document.getElementById("next-wrap");
    if (!this.isOpen || !dock || !next) return;
    const around = dock.getBoundingClientRect(), brass = next.getBoundingClientRect();
    Object.assign(this.box.style, {
      "left": `${around.left}px`, width: `${around.width}px`, bottom: `${innerHeight - around.bottom}px`,
    });
    Object.assign(this.button.style, {
      "left": `${brass.left}px`, top: `${brass.top}px`, width: `${brass.width}px`, height: `${brass.height}px`,
    });
  }
}
