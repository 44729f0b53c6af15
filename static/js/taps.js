/* Taps on the layout. Taps for one seat gather for at most half a second and are drawn at once, marked as not yet taken.
   Then they go out as ONE act, with the new total of each wager. */

const GATHER_TIME = 450;

export const formatAmount = (cents) =>
  (cents / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0, maximumFractionDigits: 2 });
/* The class of the largest chip in an amount. `chips` has the values of the table's chips, ascending (games/chips.py). */
export const chipClass = (chips, cents) => `c${(chips.findLast((chip) => cents >= chip) ?? chips[0]) / 100}`;
export const bold = (text) => Object.assign(document.createElement("b"), { textContent: text });
export const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };

export class Taps {
  constructor({ send, state, refuse }) {
    Object.assign(this, { send, state, refuse });
    this.seat = Number(sessionStorage.getItem("pitside.seat")) || 1;
    this.chip = Number(sessionStorage.getItem("pitside.chip")) || 0;
    this.unsent = new Map();  // wager -> total in cents, all for this.seat
    this.batches = [];        // {seat, totals}: sent, not answered yet
    this.undoSteps = [];      // {seat, totals: [[wager, cents]]}: the totals before each change
  }

  /* A wager's total with what this tablet has added and the table has not taken yet. */
  total(seat, wager) {
    if (seat === this.seat && this.unsent.has(wager)) return this.unsent.get(wager);
    return this.sentTotal(seat, wager);
  }

  /* The same without taps that still gather. */
  sentTotal(seat, wager) {
    const newest = this.batches.findLast((batch) => batch.seat === seat && batch.totals.has(wager));
    return newest ? newest.totals.get(wager) : this.confirmedTotal(seat, wager);
  }

  confirmedTotal(seat, wager) {
    return this.state.round.wagers.find((placed) => placed.seat === seat && placed.wager === wager)?.cents ?? 0;
  }

  isPending(seat, wager) {
    return (seat === this.seat && this.unsent.has(wager))
      || this.batches.some((batch) => batch.seat === seat && batch.totals.has(wager));
  }

  selectSeat(seat) {
    if (seat !== this.seat) this.flush();
    this.seat = seat;
    sessionStorage.setItem("pitside.seat", seat);
    this.paint();
  }

  selectChip(cents) {
    this.chip = cents;
    sessionStorage.setItem("pitside.chip", cents);
    this.paint();
  }

  async seatPlayer(seat = this.seat, button = null) {
    const { refusal } = await this.send("seat_player", { seat });
    if (refusal) this.refuse(refusal, button);
  }

  async freeSeat(button) {
    const { refusal } = await this.send("free_seat", { seat: this.seat });
    if (refusal) this.refuse(refusal, button);
  }

  tap(wager, area) {
    this.anchor = area;
    this.setTotals([[wager, this.total(this.seat, wager) + this.chip]]);
  }

  setTotals(totals, canUndo = true) {
    if (!totals.length) return;
    if (canUndo) {
      const before = totals.map(([wager]) => [wager, this.total(this.seat, wager)]);
      this.undoSteps.push({ seat: this.seat, totals: before });
    }
    for (const [wager, cents] of totals) this.unsent.set(wager, cents);
    this.timer ??= setTimeout(() => this.flush(), GATHER_TIME);
    this.paint();
  }

  undo() {
    const step = this.undoSteps.pop();
    if (!step) return;
    this.selectSeat(step.seat);
    this.setTotals(step.totals, false);
  }

  clearSeat() {
    const wagers = new Set(this.state.round.wagers.filter(({ seat }) => seat === this.seat).map(({ wager }) => wager));
    for (const { totals } of [...this.batches.filter(({ seat }) => seat === this.seat), { totals: this.unsent }])
      for (const wager of totals.keys()) wagers.add(wager);
    this.setTotals([...wagers].filter((wager) => this.total(this.seat, wager)).map((wager) => [wager, 0]));
    this.flush();
  }

  repeatSeat() {
    const wagers = this.repeatedWagers().filter(({ seat }) => seat === this.seat);
    this.setTotals(wagers.map(({ wager, cents }) => [wager, cents]));
    this.flush();
  }

  /* The wagers of the last round, each as a total, without those that are suspended. */
  repeatedWagers() {
    return this.withoutSuspended(this.state.last_wagers);
  }

  withoutSuspended(wagers) {
    return wagers.filter(({ wager }) => !this.state.stopped.includes(wager));
  }

  async repeatAll(button) {
    this.flush();
    const changed = this.repeatedWagers().filter(({ seat, wager, cents }) => cents !== this.total(seat, wager));
    if (!changed.length) return;
    const batches = [...new Set(changed.map(({ seat }) => seat))].map((seat) => {
      const wagers = changed.filter((wager) => wager.seat === seat);
      return { seat, totals: new Map(wagers.map(({ wager, cents }) => [wager, cents])) };
    });
    this.undoSteps = [];
    const refusal = await this.sendWagers(changed, batches);
    this.paint();
    if (refusal) this.refuse(refusal, button);
  }

  async flush() {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.unsent.size) return;
    const { anchor, seat } = this;
    const batch = { seat, totals: this.unsent };
    const changed = [...batch.totals].filter(([wager, cents]) => cents !== this.sentTotal(seat, wager));
    this.unsent = new Map();
    if (!changed.length) {
      this.paint();
      return;
    }
    const refusal = await this.sendWagers(changed.map(([wager, cents]) => ({ seat, wager, cents })), [batch]);
    if (refusal) {
      this.undoSteps = this.undoSteps.filter((step) => step.seat !== seat);
      this.refuse(refusal, anchor);
    }
    this.paint();
  }

  /* Sends totals as one act and counts their batches as pending until the response. */
  async sendWagers(totals, batches) {
    this.batches.push(...batches);
    this.paint();
    const wagers = totals.map(({ seat, wager, cents }) => ({ seat, wager, cents, made_in: "chips" }));
    const { refusal } = await this.send("place_wagers", { wagers });
    this.batches = this.batches.filter((batch) => !batches.includes(batch));
    return refusal;
  }

  startRound() {
    this.undoSteps = [];
    this.unsent.clear();
    this.paint();
  }

  /* The cents of each seat on each area, and the sum and number of each seat's wagers; pending ones count. */
  sums() {
    const areas = new Map(), seats = new Map();
    const add = (seat, wager, cents) => {
      if (!areas.has(wager)) areas.set(wager, new Map());
      areas.get(wager).set(seat, cents);
    };
    for (const { seat, wager, cents } of this.state.round.wagers) add(seat, wager, cents);
    for (const { seat, totals } of this.batches) for (const [wager, cents] of totals) add(seat, wager, cents);
    for (const [wager, cents] of this.unsent) add(this.seat, wager, cents);
    for (const area of areas.values()) for (const [seat, cents] of area) {
      const sum = seats.get(seat) ?? { cents: 0, count: 0 };
      if (cents) { sum.cents += cents; sum.count += 1; }
      seats.set(seat, sum);
    }
    return { areas, seats };
  }

  paint() {
    if (!this.state.round.bets_open || this.state.status !== "open") return;
    const { areas, seats } = this.sums();
    this.paintAreas(areas);
    this.paintSeats(seats);
    this.paintRack(seats);
  }

  paintAreas(areas) {
    for (const area of document.querySelectorAll("button[data-wager]")) {
      const { wager } = area.dataset, bySeat = areas.get(wager) ?? new Map();
      const sum = [...bySeat.values()].reduce((total, cents) => total + cents, 0);
      const own = bySeat.get(this.seat) ?? 0, ownPending = this.isPending(this.seat, wager);
      const pending = ownPending || [...bySeat.keys()].some((seat) => this.isPending(seat, wager));
      const html = moneyHtml(this.state.chips, own, sum, pending, this.seat);
      const slot = area.querySelector(".money");
      if (slot.innerHTML !== html) slot.innerHTML = html;
      this.paintOwnText(area, own, ownPending);
    }
  }

  /* for screen readers */
  paintOwnText(area, own, pending) {
    let text = area.querySelector("[data-own]");
    if (!own) {
      text?.remove();
      return;
    }
    text ??= area.insertBefore(Object.assign(document.createElement("span"), { className: "sr" }), area.children[1]);
    text.dataset.own = "";
    text.textContent = ` Seat ${this.seat}: $${formatAmount(own)}${pending ? ", not yet taken" : ""}.`;
  }

  paintRack(seats) {
    for (const button of document.querySelectorAll("[data-chip]"))
      button.setAttribute("aria-pressed", Number(button.dataset.chip) === this.chip);
    document.getElementById("rack-say")?.replaceChildren(...this.rackText());
    for (const name of document.querySelectorAll("[data-seat-say]")) name.textContent = this.seat;
    const { last_wagers: lastWagers } = this.state;
    const enabled = {
      "undo": this.undoSteps.length,
      "clear-seat": seats.get(this.seat)?.count,
      "repeat-seat": lastWagers.some(({ seat }) => seat === this.seat),
      "repeat-all": lastWagers.length,
    };
    for (const [action, enable] of Object.entries(enabled))
      document.querySelector(`[data-do="${action}"]`)?.toggleAttribute("disabled", !enable);
  }

  rackText() {
    return ["Each tap adds ", bold(`$${formatAmount(this.chip)}`), " for ", bold(`seat ${this.seat}`)];
  }

  pendingWagers(seat) {
    const totals = this.batches.filter((batch) => batch.seat === seat).map((batch) => batch.totals);
    if (seat === this.seat) totals.push(this.unsent);
    return new Set(totals.flatMap((batch) => [...batch.keys()]));
  }

  paintSeats(seats) {
    let sum = 0;
    for (const button of document.querySelectorAll("[data-seat]")) {
      const seat = Number(button.dataset.seat), { cents, count } = seats.get(seat) ?? { cents: 0, count: 0 };
      const pending = this.pendingWagers(seat).size;
      sum += cents;
      button.setAttribute("aria-pressed", seat === this.seat);
      button.classList.toggle("seat--empty", !count && seat !== this.seat);
      setText(button.querySelector(".seat-sum"), cents ? `$${formatAmount(cents)}` : "–");
      setText(button.querySelector(".seat-count"), count ? `${count} wager${count === 1 ? "" : "s"}` : "No wagers");
      button.querySelector(".seat-mark--sending")?.remove();
      button.querySelector(".seat-mark")?.toggleAttribute("hidden", pending > 0);
      if (pending) button.querySelector(".seat-say").insertAdjacentHTML("beforeend",
        '<span class="seat-mark seat-mark--sending"><svg class="icon" aria-hidden="true"><use href="#i-sending"/></svg>'
        + `<span>${pending} not yet taken</span></span>`);
    }
    const tableSum = document.getElementById("wagered");
    if (tableSum) setText(tableSum, `$${formatAmount(sum)}`);
  }
}

/* An area's chip: the selected seat's money, or else the whole table's. */
function moneyHtml(chips, own, sum, pending, seat) {
  if (!sum && !pending) return "";
  const cents = own || sum, text = formatAmount(cents);
  const classes = `chip ${chipClass(chips, cents)}${own ? " chip--own" : ""}${pending ? " chip--sending" : ""}`;
  const badge = own ? `<i class="chip-seat">${seat}</i>` : "";
  const tableSum = own && sum > own ? `<span class="of">of ${formatAmount(sum)}</span>` : "";
  const amount = `<b class="chip-n${text.length > 2 ? " wide" : ""}">${text}</b>`;
  return `<span class="${classes}"><svg><use href="#chip"></use></svg>${amount}${badge}</span>${tableSum}`;
}
