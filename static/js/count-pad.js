/* The count on the tray's page: one number for each denomination, tapped on a pad. The numbers are known here alone until
   they are signed for; the page may be read again, or loaded again, meanwhile. Another count, or another slip, begins with empty
   numbers. */

import { money, valueOf } from "./chips.js";
import { draftOf, dropDraft, storeDraft } from "./waiting-acts.js";

const MOST_DIGITS = 5;

/* What the count says so far. `cells`: [{ chip, count (undefined: not entered), expected (undefined: not compared) }].
   `signs`: whether it may be signed; otherwise `next` says what is missing. */
export function verdictOf(cells, { code, of = "", expectedCents }) {
  const entered = cells.filter(({ count }) => count !== undefined);
  const cents = entered.reduce((sum, { chip, count }) => sum + chip * count, 0);
  const missing = cells.find(({ count }) => count === undefined);
  const differing = entered.find(({ count, expected }) => expected !== undefined && count !== expected);
  const counted = `${money(cents)} counted`;
  if (code === "sell") return { cents, signs: cents > 0, next: "Enter the chips", text: entered.length ? `${money(cents)} in chips` : "", mark: "" };
  if (!entered.length) return { cents, signs: false, next: `Count the ${money(cells[0].chip)}`, text: "", mark: "" };
  if (code === "slip" && differing)
    return { cents, signs: false, next: "The count differs", text: `${money(differing.chip)}: ${differing.count} counted, ${of} ${differing.expected}`, mark: "differs" };
  if (missing) return { cents, signs: false, next: `Count the ${money(missing.chip)}`, text: counted, mark: "" };
  if (expectedCents === undefined) return { cents, signs: true, text: counted, mark: "" };
  const difference = cents - expectedCents;
  if (!difference && !differing) return { cents, signs: true, text: `${counted}, as on the ${of}`, mark: "agrees" };
  const how = difference ? `${money(Math.abs(difference))} ${difference > 0 ? "more" : "less"} than the ${of}` : `the sum of the ${of}, other chips`;
  return { cents, signs: true, text: `${counted}, ${how}`, mark: "differs" };
}

export class CountPad {
  constructor() {
    Object.assign(this, { key: "", numbers: new Map(), selected: "", isFresh: false });
  }

  get section() {
    return document.querySelector("section[data-count]");
  }

  get buttons() {
    return [...this.section?.querySelectorAll("[data-cell]") ?? []];
  }

  get cells() {
    return this.buttons.map(({ dataset: { cell, expected } }) => ({
      chip: Number(cell), expected: expected === undefined ? undefined : Number(expected),
      count: this.numbers.has(cell) ? Number(this.numbers.get(cell)) : undefined,
    }));
  }

  get chips() {
    return Object.fromEntries(this.cells.filter(({ count }) => count).map(({ chip, count }) => [chip, count]));
  }

  get verdict() {
    const { count, of, expected } = this.section.dataset;
    return verdictOf(this.cells, { code: count.split(" ")[0], of, expectedCents: expected === undefined ? undefined : Number(expected) });
  }

  click(target) {
    const cell = target.closest("[data-cell]"), digit = target.closest("[data-count-digit]");
    if (cell) this.select(cell.dataset.cell);
    if (digit) this.add(digit.dataset.countDigit);
    if (target.closest("[data-count-back]")) this.removeLast();
    if (target.closest("[data-count-next]")) this.selectNext();
  }

  /* A keyboard enters numbers too, while no field or dialog takes them. */
  type({ key, target }) {
    if (!this.section || target.closest("dialog, input, select, textarea")) return;
    if (/^\d$/.test(key)) this.add(key);
    if (key === "Backspace") this.removeLast();
  }

  /* The next digit begins a new number. */
  select(cell) {
    Object.assign(this, { selected: cell, isFresh: true });
    this.paint();
  }

  selectNext() {
    const codes = this.buttons.map(({ dataset }) => dataset.cell);
    this.select(codes[(codes.indexOf(this.selected) + 1) % codes.length]);
  }

  add(digit) {
    const before = this.isFresh ? "" : this.numbers.get(this.selected) ?? "";
    this.isFresh = false;
    this.numbers.set(this.selected, String(Number((before + digit).slice(0, MOST_DIGITS))));
    this.paint();
  }

  removeLast() {
    const digits = (this.numbers.get(this.selected) ?? "").slice(0, -1);
    this.isFresh = false;
    if (digits) this.numbers.set(this.selected, digits); else this.numbers.delete(this.selected);
    this.paint();
  }

  /* A count of this page begins: with the numbers of the page before, if it was loaded again in the middle. */
  begin(key, selected) {
    if (this.key) dropDraft(this.draftKey);
    Object.assign(this, { key, selected, isFresh: true });
    this.numbers = new Map(draftOf(this.draftKey) ?? []);
    const say = document.getElementById("status-message");
    if (this.numbers.size && say) say.textContent = "The numbers that were entered before are here again.";
  }

  /* Whose count of what this is. */
  get draftKey() {
    return `${location.pathname} ${this.section.dataset.me} ${this.key}`;
  }

  keep() {
    if (this.numbers.size) storeDraft(this.draftKey, "Count", [...this.numbers]);
    else dropDraft(this.draftKey);
  }

  paint() {
    const { section, buttons } = this;
    if (!section) return;
    if (this.key !== section.dataset.count) this.begin(section.dataset.count, buttons[0]?.dataset.cell ?? "");
    else this.keep();
    for (const button of buttons) this.paintCell(button);
    const { text, mark, signs, next, cents } = this.verdict, label = section.querySelector("[data-counted]");
    label.textContent = text;
    label.className = `counted ${mark}`;
    this.paintGo(signs, next, cents);
  }

  paintCell(button) {
    const { cell, expected } = button.dataset, number = this.numbers.get(cell);
    button.setAttribute("aria-pressed", String(cell === this.selected));
    button.querySelector("[data-number]").textContent = number ?? "–";
    const worth = button.querySelector("[data-worth]"), mark = button.querySelector("[data-mark]");
    if (worth) worth.textContent = money(Number(number ?? 0) * Number(cell));
    const isCompared = number !== undefined && expected !== undefined, agrees = Number(number) === Number(expected);
    mark.toggleAttribute("hidden", !isCompared);
    mark.classList.toggle("warn", isCompared && !agrees);
    mark.querySelector("use").setAttribute("href", agrees ? "#i-check" : "#i-stale");
  }

  paintGo(signs, next, cents) {
    const go = document.getElementById("go");
    if (!go) return;
    go.classList.toggle("off", !signs);
    go.setAttribute("aria-disabled", String(!signs));
    go.querySelector("[data-go-label]").textContent = signs ? `${go.dataset.verb} ${money(cents)}` : next;
    const detail = go.querySelector("[data-go-detail]");
    detail.textContent = detail.dataset.signers;
  }

  /* The counted chips as rows of a dialog. */
  get rows() {
    return Object.entries(this.chips).map(([chip, count]) => ({ chip: Number(chip), count, cents: valueOf({ [chip]: count }) }));
  }
}
