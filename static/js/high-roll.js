/* High Roll Dice: a seat has one unit, and whatever it lays is that unit (§ 675a.1(b)(2)(iv)). A tap on an area lays the
   unit or takes it away; another unit changes everything that the seat has there, in one act. The side bets of
   Millionaire Row are a dollar each. Whoever is dealt to has sat down first (§ 675a.2(c)). */

import { Taps, bold, colour, plain, write } from "./taps.js";

const DOLLAR = 100;
const equal = (wager) => !wager.startsWith("millionaire");

export class UnitTaps extends Taps {
  units = new Map();    // seat -> {cents, chip}, as chosen here in this round
  sitting = new Set();  // seats whose player is just sitting down

  /* what lies for a seat, with what is still on its way: wager -> cents */
  on(seat) {
    const found = new Map();
    for (const [wager, lying] of this.sums().areas) if (lying.get(seat)) found.set(wager, lying.get(seat));
    return found;
  }

  lyingUnit(seat) {
    return [...this.on(seat)].find(([wager]) => equal(wager))?.[1] ?? 0;
  }

  unit(seat) {
    const last = this.state.last_wagers.find((w) => w.seat === seat && equal(w.wager));
    return this.lyingUnit(seat) || this.units.get(seat)?.cents || last?.cents || this.chip;
  }

  /* the chip that stands for a unit: the one that made it, or the largest that goes into it */
  chipOf(seat) {
    const unit = this.unit(seat), chosen = this.units.get(seat);
    if (chosen?.cents === unit) return chosen.chip;
    return this.state.chips.findLast((chip) => unit % chip === 0);
  }

  /* the chip of a unit that was chosen or lies there adds itself once more; any other chip is the new unit */
  pick(chip) {
    const unit = this.unit(this.seat), chosen = this.units.has(this.seat) || this.lyingUnit(this.seat) > 0;
    const cents = chosen && chip === this.chipOf(this.seat) ? unit + chip : chip;
    this.units.set(this.seat, { cents, chip });
    this.put([...this.on(this.seat).keys()].filter(equal).map((wager) => [wager, cents]));
    super.pick(chip);
  }

  /* a tap on an open seat, or the first wager at it, says that a player sits down there */
  choose(seat) {
    super.choose(seat);
    this.sit();
  }

  isOpen(seat) {
    return document.querySelector(`[data-seat="${seat}"][data-vacant]`) !== null && !this.sitting.has(seat);
  }

  async sit(seat = this.seat) {
    if (!this.isOpen(seat)) return;
    this.sitting.add(seat);
    const { refusal } = await this.send("seat_player", { seat });
    this.sitting.delete(seat);
    if (refusal) this.refuse(refusal, document.querySelector(`[data-seat="${seat}"]`));
  }

  async leave(button) {
    const { refusal } = await this.send("free_seat", { seat: this.seat });
    if (refusal) this.refuse(refusal, button);
  }

  tap(wager, area) {
    this.anchor = area;
    this.sit();
    const cents = this.total(this.seat, wager) ? 0 : equal(wager) ? this.unit(this.seat) : DOLLAR;
    this.put([[wager, cents]]);
  }

  /* repeating replaces: what did not lie there in the last round is taken off, for units may not differ */
  again() {
    const last = this.state.last_wagers.filter((w) => !this.isOpen(w.seat)), again = new Set(last.map((w) => w.seat));
    const off = [...again].flatMap((seat) => [...this.on(seat).keys()]
      .filter((wager) => !last.some((w) => w.seat === seat && w.wager === wager))
      .map((wager) => ({ seat, wager, cents: 0 })));
    return this.dealt([...last, ...off]);
  }

  newRound() {
    this.units.clear();
    super.newRound();
  }

  paintAreas(areas) {
    for (const area of document.querySelectorAll("button[data-wager]")) {
      const { wager } = area.dataset, cents = areas.get(wager)?.get(this.seat) ?? 0, late = this.pending(this.seat, wager);
      const html = cents || late ? disc(cents, late) : "", slot = area.querySelector(".money");
      if (slot.innerHTML !== html) slot.innerHTML = html;
      area.setAttribute("aria-pressed", cents > 0);
    }
    this.paintMinis(areas);
    this.paintHead();
  }

  /* every seat's small layout shows what lies there */
  paintMinis(areas) {
    for (const seat of document.querySelectorAll("[data-seat]")) {
      const number = Number(seat.dataset.seat), unit = this.lyingUnit(number);
      for (const mini of seat.querySelectorAll("[data-mini]")) {
        mini.classList.toggle("on", Boolean(areas.get(mini.dataset.mini)?.get(number)));
        mini.classList.toggle("late", this.pending(number, mini.dataset.mini));
      }
      write(seat.querySelector(".unit"), unit ? `$${plain(unit)}` : "");
    }
  }

  paintHead() {
    const lying = [...this.on(this.seat)], late = lying.filter(([wager]) => this.pending(this.seat, wager));
    const sum = (wagers) => wagers.reduce((all, [, cents]) => all + cents, 0);
    for (const [id, text] of [["unit", `$${plain(this.unit(this.seat))}`], ["lying", `$${plain(sum(lying) - sum(late))}`],
      ["late", late.length ? `$${plain(sum(late))} not yet taken` : ""]]) {
      const slot = document.getElementById(`seat-${id}`);
      if (slot) write(slot, text);
    }
    const open = document.querySelector(`[data-seat="${this.seat}"][data-vacant]`);
    document.getElementById("seat-leave")?.toggleAttribute("hidden", Boolean(open) || lying.length > 0);
  }

  paintRack(seats) {
    super.paintRack(seats);
    const chip = this.chipOf(this.seat);
    for (const pick of document.querySelectorAll("[data-chip]"))
      pick.setAttribute("aria-pressed", Number(pick.dataset.chip) === chip);
  }

  rackSays() {
    const unit = this.unit(this.seat), chip = this.chipOf(this.seat);
    const says = ["Unit of ", bold(`seat ${this.seat}`), ": ", bold(`$${plain(unit)}`)];
    const chosen = this.units.has(this.seat) || this.lyingUnit(this.seat) > 0;
    return chosen ? [...says, `; the same chip again makes it $${plain(unit + chip)}`] : says;
  }
}

function disc(cents, late) {
  const text = plain(cents);
  return `<span class="chip ${colour(cents)}${late ? " chip--sending" : ""}"><svg><use href="#chip"></use></svg>`
    + `<b class="chip-n${text.length > 2 ? " wide" : ""}">${cents ? text : "–"}</b></span>`;
}
