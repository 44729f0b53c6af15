/* Taps on the layout. Taps for one seat gather for at most half a second and are drawn at once, marked as not yet taken.
   Then they go out as ONE act, with the new total of each wager. */

import { formatAmount, stacksHtml } from "./stacks.js";

const GATHER_TIME = 450;
const REPEAT_ALL = "Repeat all";
const MOST_NAMED = 3;  // wagers that a refusal names

/* What a tap is told once the closing of the bets waits for its answer: the players have heard it. */
export const CLOSING = {
  code: "bets-closing", title: "Not placed", section: "",
  message: "Bets are closed, and that waits to be recorded. Give the chip back.",
};
const closingOn = (area) => (area?.dataset?.label ? { ...CLOSING, title: `No chip placed on ${area.dataset.label}` } : CLOSING);

export const bold = (text) => Object.assign(document.createElement("b"), { textContent: text });
export const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };

export class Taps {
  /* `isClosing`: whether the closing of the bets waits for its answer. */
  constructor({ send, state, refuse, isClosing = () => false }) {
    Object.assign(this, { send, state, refuse, isClosing });
    this.seat = Number(sessionStorage.getItem("pitside.seat")) || 1;
    this.chip = Number(sessionStorage.getItem("pitside.chip")) || 0;
    this.opensAreas = false;  // no chip is in hand: a tap opens an area
    this.hasUnits = false;    // whether all wagers of a seat are one unit
    this.unsent = new Map();  // wager -> total in cents, all for this.seat
    this.batches = [];        // {seat, totals}: sent, not answered yet
    this.undoSteps = [];      // {say, before: Map(seat -> [[wager, cents]])}: the totals before each change
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

  /* Whether a wager differs from what the table has taken. A change that was undone on the tablet does not. */
  isPending(seat, wager) {
    return this.total(seat, wager) !== this.confirmedTotal(seat, wager);
  }

  selectSeat(seat) {
    if (seat !== this.seat) this.flush();
    this.seat = seat;
    sessionStorage.setItem("pitside.seat", seat);
    this.paint();
  }

  selectChip(cents) {
    this.chip = cents;
    this.opensAreas = false;
    sessionStorage.setItem("pitside.chip", cents);
    this.paint();
  }

  async seatPlayer(seat = this.seat, button = null) {
    const { refusal } = await this.send("seat_player", { seat });
    if (refusal) this.refuse(refusal, button);
  }

  /* Wagers of a player who left stay until the round ends, and the seat with them. What is still on its way counts as it
     is drawn: the table takes it before the seat. */
  async freeSeat(button) {
    this.flush();
    if (this.sums().seats.get(this.seat)?.count) return this.markSeat("left", button);
    const { refusal } = await this.send("free_seat", { seat: this.seat });
    if (refusal) this.refuse(refusal, button);
  }

  async markSeat(mark, button) {
    this.flush();
    const { refusal } = await this.send("mark_seat", { seat: this.seat, mark });
    if (refusal) this.refuse(refusal, button);
  }

  tap(wager, area) {
    this.anchor = area;
    this.setTotals([[wager, this.total(this.seat, wager) + this.chip]]);
  }

  /* `change` is the change of the selected seat's totals in the words of Undo; "" for one that cannot be undone. */
  setTotals(totals, change = this.changeText(totals)) {
    if (!totals.length) return;
    if (this.isClosing()) return this.refuse(closingOn(this.anchor), this.anchor);
    if (change) this.rememberStep(`${change}, seat ${this.seat}`, totals.map(([wager]) => ({ seat: this.seat, wager })));
    for (const [wager, cents] of totals) this.unsent.set(wager, cents);
    this.timer ??= setTimeout(() => this.flush(), GATHER_TIME);
    this.paint();
  }

  /* `$25 on Total 12` */
  changeText(totals) {
    if (totals.length !== 1) return `${totals.length} wagers`;
    const [[wager, cents]] = totals, change = cents - this.total(this.seat, wager);
    return `${change < 0 ? "−" : ""}$${formatAmount(Math.abs(change))} on ${this.labelOf(wager)}`;
  }

  labelOf(wager) {
    return document.querySelector(`[data-wager="${wager}"]`)?.dataset.label ?? wager;
  }

  /* Another total for one wager of the selected seat, as it was typed or stepped. */
  setAmount(wager, cents) {
    if (cents !== this.total(this.seat, wager)) this.setTotals([[wager, cents]]);
  }

  moveToArea(wager, area) {
    const cents = this.total(this.seat, wager);
    if (!cents || wager === area) return;
    this.setTotals([[wager, 0], [area, this.total(this.seat, area) + cents]], `Move to ${this.labelOf(area)}`);
  }

  /* One seat's chips go to another seat's, as one act. */
  moveToSeat(wager, seat, button) {
    const cents = this.total(this.seat, wager), from = this.seat;
    if (!cents || seat === from) return;
    return this.sendTotals([
      { seat: from, wager, cents: 0 }, { seat, wager, cents: this.total(seat, wager) + cents },
    ], `${this.labelOf(wager)} from seat ${from} to ${seat}`, button);
  }

  /* What Undo could take back before the page was loaded again, oldest first, as the server read it from the record. Totals
     that have changed meanwhile are no step. */
  restoreSteps(steps) {
    for (const step of steps) {
      const before = new Map();
      for (const { seat, wager, before: cents } of step) before.set(seat, [...before.get(seat) ?? [], [wager, cents]]);
      this.undoSteps.push({ say: this.sayOf(step), before });
    }
    this.paint();
  }

  sayOf(step) {
    if (step.length > 1) return `${step.length} wagers`;
    const [{ seat, wager, before, after }] = step, change = after - before;
    return `${change < 0 ? "−" : ""}$${formatAmount(Math.abs(change))} on ${this.labelOf(wager)}, seat ${seat}`;
  }

  rememberStep(say, wagers) {
    const before = new Map();
    for (const { seat, wager } of wagers)
      before.set(seat, [...before.get(seat) ?? [], [wager, this.total(seat, wager)]]);
    this.undoSteps.push({ say, before });
    return this.undoSteps.at(-1);
  }

  /* The step that Undo takes back now: the newest at the selected seat, or else a repetition for the table; unless another
     seat in that step has changed since. */
  get undoStep() {
    const newestOf = (seat) => this.undoSteps.findLast(({ before }) => before.has(seat));
    const step = newestOf(this.seat) ?? this.undoSteps.findLast(({ say }) => say === REPEAT_ALL);
    return step && [...step.before.keys()].every((seat) => newestOf(seat) === step) ? step : null;
  }

  undo(button) {
    const step = this.undoStep;
    if (!step) return;
    this.undoSteps = this.undoSteps.filter((earlier) => earlier !== step);
    if (step.before.size === 1 && step.before.has(this.seat)) return this.setTotals(step.before.get(this.seat), "");
    const wagers = [...step.before].flatMap(([seat, totals]) => totals.map(([wager, cents]) => ({ seat, wager, cents })));
    return this.sendTotals(wagers, "", button);
  }

  clearSeat() {
    const wagers = new Set(this.state.round.wagers.filter(({ seat }) => seat === this.seat).map(({ wager }) => wager));
    for (const { totals } of [...this.batches.filter(({ seat }) => seat === this.seat), { totals: this.unsent }])
      for (const wager of totals.keys()) wagers.add(wager);
    this.setTotals([...wagers].filter((wager) => this.total(this.seat, wager)).map((wager) => [wager, 0]), "Clear");
    this.flush();
  }

  repeatSeat() {
    const wagers = this.repeatedWagers().filter(({ seat }) => seat === this.seat);
    this.setTotals(wagers.map(({ wager, cents }) => [wager, cents]), "Repeat");
    this.flush();
  }

  /* The wagers of each seat's last round with any, each as a total, without suspended wagers and absent players. */
  repeatedWagers() {
    return this.withoutSuspended(this.state.last_wagers).filter(({ seat }) => !this.isAbsent(seat));
  }

  isAbsent(seat) {
    return ["away", "left"].includes(this.state.seat_states?.[seat]);
  }

  withoutSuspended(wagers) {
    return wagers.filter(({ wager }) => !this.state.stopped.includes(wager));
  }

  /* Whether others played a later round than this seat's last: its player may have gone, so it is repeated alone. */
  satOut(seat) {
    const { last_wagers: lastWagers } = this.state, newest = Math.max(...lastWagers.map(({ round }) => round));
    return lastWagers.some((wager) => wager.seat === seat && wager.round < newest);
  }

  /* For seats without wagers. A seat that has some keeps them, because its player may have changed them since. */
  async repeatAll(button) {
    this.flush();
    const all = this.repeatedWagers();
    const wagers = all.filter(({ seat }) => !this.satOut(seat));
    const differs = ({ seat, wager, cents }) => this.hasWagers(seat) && this.total(seat, wager) !== cents;
    const unchanged = [...new Set(wagers.filter(differs).map(({ seat }) => seat))];
    const isSent = await this.sendTotals(wagers.filter(({ seat }) => !this.hasWagers(seat)), REPEAT_ALL, button);
    const satOut = [...new Set(all.map(({ seat }) => seat))].filter((seat) => this.satOut(seat) && !this.hasWagers(seat));
    if ((unchanged.length || satOut.length) && isSent !== false) this.refuse(notRepeated(unchanged, satOut), button);
  }

  /* Whether a seat has wagers in this round; pending ones count. */
  hasWagers(seat) {
    return Boolean(this.sums().seats.get(seat)?.count);
  }

  /* Totals of several seats, as one act and one step of Undo. Returns false if they were refused. */
  async sendTotals(wagers, say, button) {
    if (this.isClosing()) {
      this.refuse(CLOSING, button);
      return false;
    }
    this.flush();
    const changed = wagers.filter(({ seat, wager, cents }) => cents !== this.total(seat, wager));
    if (!changed.length) return true;
    const batches = [...new Set(changed.map(({ seat }) => seat))].map((seat) => {
      const ofSeat = changed.filter((wager) => wager.seat === seat);
      return { seat, totals: new Map(ofSeat.map(({ wager, cents }) => [wager, cents])) };
    });
    const step = say ? this.rememberStep(say, changed) : null;
    const refusal = await this.sendWagers(changed, batches);
    if (refusal) this.undoSteps = this.undoSteps.filter((earlier) => earlier !== step);
    this.paint();
    if (refusal) this.refuse(this.withWagers(refusal, changed), button);
    return !refusal;
  }

  /* A refusal that names what was refused: it may come long after the tap. */
  withWagers(refusal, wagers) {
    const names = wagers.slice(0, MOST_NAMED).map(({ seat, wager, cents }) =>
      `seat ${seat}, ${cents ? `$${formatAmount(cents)}` : "nothing"} on ${this.labelOf(wager)}`);
    const more = wagers.length > MOST_NAMED ? `, and ${wagers.length - MOST_NAMED} more` : "";
    return { ...refusal, message: `${refusal.message ?? ""} (${names.join("; ")}${more})`.trim() };
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
    const wagers = changed.map(([wager, cents]) => ({ seat, wager, cents }));
    const refusal = await this.sendWagers(wagers, [batch]);
    if (refusal) {
      this.undoSteps = this.undoSteps.filter(({ before }) => !before.has(seat));
      this.refuse(this.withWagers(refusal, wagers), anchor);
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
    this.paintClosing(seats);
    this.painted?.();
  }

  /* What the next tap closes, with the taps that go out before it. */
  paintClosing(seats) {
    const line = document.querySelector("#next [data-closes]");
    if (!line) return;
    const playing = [...seats.values()].filter(({ count }) => count);
    const cents = playing.reduce((sum, seat) => sum + seat.cents, 0), seatWord = playing.length === 1 ? "seat" : "seats";
    setText(line, `Closes round ${this.state.round.number}: ${playing.length} ${seatWord}, $${formatAmount(cents)}`);
  }

  paintAreas(areas) {
    for (const area of document.querySelectorAll("button[data-wager]")) {
      const { wager } = area.dataset, owners = this.ownersOf(wager, areas.get(wager) ?? new Map());
      const slot = area.querySelector(".money");
      const html = stacksHtml(owners, Number(slot.dataset.full), this.state.chips);
      if (slot.innerHTML !== html) slot.innerHTML = html;
      const own = owners.find((owner) => owner.own);
      this.paintOwnText(area, own?.cents ?? 0, own?.pending);
    }
  }

  /* Whose chips are on an area, by seat. Chips whose removal is not confirmed yet are included. */
  ownersOf(wager, bySeat) {
    const { wagers } = this.state.round;
    const owners = [...bySeat].map(([seat, cents]) => {
      const placed = wagers.find((wagered) => wagered.seat === seat && wagered.wager === wager);
      const flag = placed?.cents === cents && Boolean(placed.flag);
      return { seat, cents, flag, own: seat === this.seat, pending: this.isPending(seat, wager) };
    });
    return owners.filter(({ cents, pending }) => cents || pending).sort((a, b) => a.seat - b.seat);
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

  /* A seat with a wager is playing; one without has a player, or is open. */
  paintSeatState(button, count) {
    const label = button.querySelector(".seat-state");
    if (!label) return;
    if (this.isAbsent(Number(button.dataset.seat))) return;
    const seatState = count ? "playing" : button.dataset.taken === "true" ? "seated" : "open";
    setText(label, seatState);
    for (const name of ["playing", "seated", "open"]) button.classList.toggle(`seat--${name}`, name === seatState);
  }

  paintRack(seats) {
    for (const button of document.querySelectorAll("[data-chip]"))
      button.setAttribute("aria-pressed", !this.opensAreas && Number(button.dataset.chip) === this.chip);
    document.getElementById("rack-say")?.replaceChildren(...this.rackText());
    for (const name of document.querySelectorAll("[data-seat-say]")) name.textContent = this.seat;
    const { last_wagers: lastWagers } = this.state, step = this.undoStep, undoText = document.getElementById("undo-say");
    if (undoText) setText(undoText, step?.say ?? "");
    const enabled = {
      "undo": step,
      "clear-seat": seats.get(this.seat)?.count,
      "repeat-seat": lastWagers.some(({ seat }) => seat === this.seat) && !this.isAbsent(this.seat),
      "repeat-all": lastWagers.length,
    };
    for (const [action, enable] of Object.entries(enabled))
      document.querySelector(`[data-do="${action}"]`)?.toggleAttribute("disabled", !enable);
  }

  rackText() {
    if (this.opensAreas) return ["No chip in hand: a tap opens an area"];
    return ["Each tap adds ", bold(`$${formatAmount(this.chip)}`), " for ", bold(`seat ${this.seat}`), ". Hold to open."];
  }

  pendingWagers(seat) {
    const totals = this.batches.filter((batch) => batch.seat === seat).map((batch) => batch.totals);
    if (seat === this.seat) totals.push(this.unsent);
    const wagers = new Set(totals.flatMap((batch) => [...batch.keys()]));
    return [...wagers].filter((wager) => this.isPending(seat, wager));
  }

  paintSeats(seats) {
    let sum = 0;
    for (const button of document.querySelectorAll("[data-seat]")) {
      const seat = Number(button.dataset.seat), { cents, count } = seats.get(seat) ?? { cents: 0, count: 0 };
      const pending = this.pendingWagers(seat).length;
      sum += cents;
      button.setAttribute("aria-pressed", seat === this.seat);
      button.classList.toggle("seat--empty", !count && seat !== this.seat);
      setText(button.querySelector(".seat-sum"), cents ? `$${formatAmount(cents)}` : "–");
      setText(button.querySelector(".seat-count"), count ? `${count} wager${count === 1 ? "" : "s"}` : "No wagers");
      this.paintSeatState(button, count);
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

const seatsText = (seats) => `Seat${seats.length === 1 ? "" : "s"} ${seats.join(", ")}`;
const notRepeated = (unchanged, satOut) => ({
  code: "seats-kept", title: "Repeated, except", section: "", isNotice: true,
  message: [
    unchanged.length && `${seatsText(unchanged)} already had wagers and kept them.`,
    satOut.length && `${seatsText(satOut)} sat out the last round.`,
    "To repeat a seat's last wagers, tap the seat, then Repeat.",
  ].filter(Boolean).join(" "),
});
