/* High Roll Dice: every wager of a seat is one unit (§ 675a.1(b)(2)(iv)). A tap on an area places the unit or takes it
   off. Another unit changes all wagers of the seat, in one act. The side bets of Millionaire Row are a dollar each. A
   player sits down before placing a wager (§ 675a.2(c)). */

import { chipClass, formatAmount, seatMarks } from "../js/stacks.js";
import { Taps, bold, setText } from "../js/taps.js";

const SIDE_BET = 100;
const isUnitWager = (wager) => !wager.startsWith("millionaire");
const sumOf = (wagers) => wagers.reduce((sum, [, cents]) => sum + cents, 0);

class UnitTaps extends Taps {
  hasUnits = true;
  units = new Map();          // seat -> {cents, chip}, as selected on this tablet in this round
  sittingDown = new Set();    // seats whose player is being seated

  /* A seat's wagers with those still on their way: wager -> cents. */
  wagersOf(seat) {
    const wagers = new Map();
    for (const [wager, bySeat] of this.sums().areas) if (bySeat.get(seat)) wagers.set(wager, bySeat.get(seat));
    return wagers;
  }

  placedUnit(seat) {
    return [...this.wagersOf(seat)].find(([wager]) => isUnitWager(wager))?.[1] ?? 0;
  }

  unit(seat) {
    const last = this.state.last_wagers.find((placed) => placed.seat === seat && isUnitWager(placed.wager));
    return this.placedUnit(seat) || this.units.get(seat)?.cents || last?.cents || this.chip;
  }

  hasUnit(seat) {
    return this.units.has(seat) || this.placedUnit(seat) > 0;
  }

  /* The chip that stands for a unit: the chip that made it, or the largest that divides it. */
  chipOf(seat) {
    const unit = this.unit(seat), selected = this.units.get(seat);
    if (selected?.cents === unit) return selected.chip;
    return this.state.chips.findLast((chip) => unit % chip === 0);
  }

  /* The chip of the current unit adds itself once more. Any other chip is the new unit. */
  selectChip(chip) {
    const { seat } = this;
    const cents = this.hasUnit(seat) && chip === this.chipOf(seat) ? this.unit(seat) + chip : chip;
    this.units.set(seat, { cents, chip });
    this.setUnit(cents);
    super.selectChip(chip);
  }

  setUnit(cents, more = []) {
    const wagers = new Set([...this.wagersOf(this.seat).keys(), ...more].filter(isUnitWager));
    this.setTotals([...wagers].map((wager) => [wager, cents]), `Unit $${formatAmount(cents)}`);
  }

  /* A typed amount is the unit of the seat; a side bet is a dollar. */
  setAmount(wager, cents) {
    if (!cents) return super.setAmount(wager, 0);
    this.seatPlayer();
    if (!isUnitWager(wager)) return super.setAmount(wager, SIDE_BET);
    this.units.set(this.seat, { cents, chip: 0 });
    this.setUnit(cents, [wager]);
  }

  moveToArea(wager, area) {
    if (!this.total(this.seat, wager) || wager === area) return;
    const amount = isUnitWager(area) ? this.unit(this.seat) : SIDE_BET;
    this.setTotals([[wager, 0], [area, amount]], `Move to ${this.labelOf(area)}`);
  }

  /* Another seat has another unit. */
  moveToSeat() {}

  /* A tap on a vacant seat, or the first wager at it, means that a player sits down there. */
  selectSeat(seat) {
    super.selectSeat(seat);
    this.seatPlayer();
  }

  isVacant(seat) {
    return document.querySelector(`[data-seat="${seat}"][data-vacant]`) !== null && !this.sittingDown.has(seat);
  }

  async seatPlayer(seat = this.seat) {
    if (!this.isVacant(seat)) return;
    this.sittingDown.add(seat);
    const { refusal } = await this.send("seat_player", { seat });
    this.sittingDown.delete(seat);
    if (refusal) this.refuse(refusal, document.querySelector(`[data-seat="${seat}"]`));
  }

  tap(wager, area) {
    this.anchor = area;
    this.seatPlayer();
    const amount = isUnitWager(wager) ? this.unit(this.seat) : SIDE_BET;
    this.setTotals([[wager, this.total(this.seat, wager) ? 0 : amount]]);
  }

  /* Repeating replaces: a wager that the seat did not have in the last round is taken off, because units may not differ. */
  repeatedWagers() {
    const last = this.state.last_wagers.filter(({ seat }) => !this.isVacant(seat) && !this.isAbsent(seat));
    const wasPlaced = (seat, wager) => last.some((placed) => placed.seat === seat && placed.wager === wager);
    const removed = [...new Set(last.map(({ seat }) => seat))].flatMap((seat) => [...this.wagersOf(seat).keys()]
      .filter((wager) => !wasPlaced(seat, wager))
      .map((wager) => ({ seat, wager, cents: 0 })));
    return this.withoutSuspended([...last, ...removed]);
  }

  startRound() {
    this.units.clear();
    super.startRound();
  }

  paintAreas(areas) {
    for (const area of document.querySelectorAll("button[data-wager]")) {
      const { wager } = area.dataset, cents = areas.get(wager)?.get(this.seat) ?? 0;
      const pending = this.isPending(this.seat, wager);
      const opposite = this.ownersOf(wager, areas.get(wager) ?? new Map()).filter(({ own }) => !own);
      const chip = cents || pending ? chipHtml(this.state.chips, cents, pending) : "", slot = area.querySelector(".money");
      const html = opposite.length ? `${chip}<span class="rest">${seatMarks(opposite)}</span>` : chip;
      if (slot.innerHTML !== html) slot.innerHTML = html;
      area.setAttribute("aria-pressed", cents > 0);
    }
    this.paintSeatLayouts(areas);
    this.paintSeatSums();
  }

  /* the small layout of each seat */
  paintSeatLayouts(areas) {
    for (const button of document.querySelectorAll("[data-seat]")) {
      const seat = Number(button.dataset.seat), unit = this.placedUnit(seat);
      for (const area of button.querySelectorAll("[data-mini]")) {
        area.classList.toggle("on", Boolean(areas.get(area.dataset.mini)?.get(seat)));
        area.classList.toggle("late", this.isPending(seat, area.dataset.mini));
      }
      setText(button.querySelector(".unit"), unit ? `$${formatAmount(unit)}` : "");
    }
  }

  paintSeatSums() {
    const wagers = [...this.wagersOf(this.seat)], pending = wagers.filter(([wager]) => this.isPending(this.seat, wager));
    const texts = {
      "seat-unit": `$${formatAmount(this.unit(this.seat))}`,
      "seat-lying": `$${formatAmount(sumOf(wagers) - sumOf(pending))}`,
      "seat-late": pending.length ? `$${formatAmount(sumOf(pending))} not yet taken` : "",
    };
    for (const [id, text] of Object.entries(texts)) {
      const slot = document.getElementById(id);
      if (slot) setText(slot, text);
    }
    const vacant = document.querySelector(`[data-seat="${this.seat}"][data-vacant]`);
    document.getElementById("seat-leave")?.toggleAttribute("hidden", Boolean(vacant) || wagers.length > 0);
  }

  paintRack(seats) {
    super.paintRack(seats);
    const chip = this.chipOf(this.seat);
    for (const button of document.querySelectorAll("[data-chip]"))
      button.setAttribute("aria-pressed", !this.opensAreas && Number(button.dataset.chip) === chip);
  }

  rackText() {
    if (this.opensAreas) return super.rackText();
    const unit = this.unit(this.seat), chip = this.chipOf(this.seat);
    const text = ["Unit of ", bold(`seat ${this.seat}`), ": ", bold(`$${formatAmount(unit)}`)];
    return this.hasUnit(this.seat) && chip ? [...text, `; this chip again: $${formatAmount(unit + chip)}`] : text;
  }
}

function chipHtml(chips, cents, pending) {
  const text = formatAmount(cents);
  return `<span class="chip ${chipClass(chips, cents)}${pending ? " chip--sending" : ""}"><svg><use href="#chip"></use></svg>`
    + `<b class="chip-n${text.length > 2 ? " wide" : ""}">${cents ? text : "–"}</b></span>`;
}

export { UnitTaps as Taps };
