/* Taps on the felt. They gather for at most half a second on one seat, are shown at once as not yet taken, and go out
   as ONE act with the totals as they now lie. */

const GATHER = 450;
const CHIPS = [[100_000, "c1000"], [50_000, "c500"], [10_000, "c100"], [2_500, "c25"], [500, "c5"]];

export const plain = (cents) =>
  (cents / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0, maximumFractionDigits: 2 });
export const colour = (cents) => CHIPS.find(([least]) => cents >= least)?.[1] ?? "c1";

export class Taps {
  constructor({ send, state, refuse }) {
    Object.assign(this, { send, state, refuse });
    this.seat = Number(sessionStorage.getItem("pitside.seat")) || 1;
    this.chip = Number(sessionStorage.getItem("pitside.chip")) || 0;
    this.waiting = new Map();    // wager -> total, not yet sent, all of this.seat
    this.sent = [];              // {seat, totals}: on their way
    this.done = [];              // for undo: {seat, before: [[wager, cents]]}
  }

  /* what lies there, with what this tablet has added and the table has not yet taken */
  total(seat, wager) {
    if (seat === this.seat && this.waiting.has(wager)) return this.waiting.get(wager);
    const sent = this.sent.findLast((batch) => batch.seat === seat && batch.totals.has(wager));
    return sent ? sent.totals.get(wager) : this.taken(seat, wager);
  }

  taken(seat, wager) {
    return this.state.round.wagers.find((w) => w.seat === seat && w.wager === wager)?.cents ?? 0;
  }

  pending(seat, wager) {
    return (seat === this.seat && this.waiting.has(wager)) || this.sent.some((b) => b.seat === seat && b.totals.has(wager));
  }

  choose(seat) {
    if (seat !== this.seat) this.flush();
    this.seat = seat;
    sessionStorage.setItem("pitside.seat", seat);
    this.paint();
  }

  pick(cents) {
    this.chip = cents;
    sessionStorage.setItem("pitside.chip", cents);
    this.paint();
  }

  tap(wager, area) {
    this.anchor = area;
    this.put([[wager, this.total(this.seat, wager) + this.chip]]);
  }

  put(totals, remember = true) {
    if (!totals.length) return;
    if (remember) this.done.push({ seat: this.seat, before: totals.map(([wager]) => [wager, this.total(this.seat, wager)]) });
    for (const [wager, cents] of totals) this.waiting.set(wager, cents);
    this.timer ??= setTimeout(() => this.flush(), GATHER);
    this.paint();
  }

  undo() {
    const last = this.done.pop();
    if (!last) return;
    this.choose(last.seat);
    this.put(last.before, false);
  }

  clear() {
    const lying = new Set(this.state.round.wagers.filter((w) => w.seat === this.seat).map((w) => w.wager));
    for (const batch of [...this.sent.filter((b) => b.seat === this.seat), { totals: this.waiting }])
      for (const wager of batch.totals.keys()) lying.add(wager);
    this.put([...lying].filter((wager) => this.total(this.seat, wager)).map((wager) => [wager, 0]));
    this.flush();
  }

  repeat() {
    this.put(this.again().filter((w) => w.seat === this.seat).map((w) => [w.wager, w.cents]));
    this.flush();
  }

  /* what repeating lays: the wagers of the last round, each a total, but none that may not be dealt now */
  again() {
    return this.dealt(this.state.last_wagers);
  }

  dealt(wagers) {
    return wagers.filter((w) => !this.state.stopped.includes(w.wager));
  }

  async repeatAll(button) {
    this.flush();
    const changed = this.again().filter((w) => w.cents !== this.total(w.seat, w.wager));
    if (!changed.length) return;
    const batches = Map.groupBy(changed, (w) => w.seat);
    for (const [seat, wagers] of batches) this.sent.push({ seat, totals: new Map(wagers.map((w) => [w.wager, w.cents])), all: true });
    this.done = [];
    this.paint();
    const wagers = changed.map(({ seat, wager, cents }) => ({ seat, wager, cents, made_in: "chips" }));
    const answer = await this.send("place_wagers", { wagers });
    this.sent = this.sent.filter((batch) => !batch.all);
    this.paint();
    if (answer.refusal) this.refuse(answer.refusal, button);
  }

  async flush() {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.waiting.size) return;
    const batch = { seat: this.seat, totals: this.waiting };
    const changed = [...batch.totals].filter(([wager, cents]) => cents !== this.beneath(batch.seat, wager));
    this.waiting = new Map();
    if (!changed.length) return this.paint();
    this.sent.push(batch);
    const wagers = changed.map(([wager, cents]) => ({ seat: batch.seat, wager, cents, made_in: "chips" }));
    const anchor = this.anchor;
    const answer = await this.send("place_wagers", { wagers });
    this.sent = this.sent.filter((other) => other !== batch);
    if (answer.refusal) {
      this.done = this.done.filter((act) => act.seat !== batch.seat);
      this.refuse(answer.refusal, anchor);
    }
    this.paint();
  }

  beneath(seat, wager) {
    const sent = this.sent.findLast((batch) => batch.seat === seat && batch.totals.has(wager));
    return sent ? sent.totals.get(wager) : this.taken(seat, wager);
  }

  newRound() {
    this.done = [];
    this.waiting.clear();
    this.paint();
  }

  /* one seat's money, and the whole table's on each area */
  sums() {
    const areas = new Map(), seats = new Map();
    const lay = (seat, wager, cents) => {
      if (!areas.has(wager)) areas.set(wager, new Map());
      areas.get(wager).set(seat, cents);
    };
    for (const w of this.state.round.wagers) lay(w.seat, w.wager, w.cents);
    for (const batch of this.sent) for (const [wager, cents] of batch.totals) lay(batch.seat, wager, cents);
    for (const [wager, cents] of this.waiting) lay(this.seat, wager, cents);
    for (const on of areas.values()) for (const [seat, cents] of on) {
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
      const wager = area.dataset.wager, on = areas.get(wager);
      const all = on ? [...on.values()].reduce((sum, cents) => sum + cents, 0) : 0;
      const own = on?.get(this.seat) ?? 0, pending = this.pending(this.seat, wager);
      const others = on && [...on.keys()].some((seat) => seat !== this.seat && this.pending(seat, wager));
      const html = money(own, all, pending || others, this.seat);
      const slot = area.querySelector(".money");
      if (slot.innerHTML !== html) slot.innerHTML = html;
      let said = area.querySelector("[data-own]");
      if (!own) said?.remove();
      else {
        said ??= area.insertBefore(Object.assign(document.createElement("span"), { className: "sr" }), area.children[1]);
        said.dataset.own = "";
        said.textContent = ` Seat ${this.seat}: $${plain(own)}${pending ? ", not yet taken" : ""}.`;
      }
    }
  }

  paintRack(seats) {
    for (const pick of document.querySelectorAll("[data-chip]"))
      pick.setAttribute("aria-pressed", Number(pick.dataset.chip) === this.chip);
    document.getElementById("rack-say")?.replaceChildren(...this.rackSays());
    for (const name of document.querySelectorAll("[data-seat-say]")) name.textContent = this.seat;
    for (const [what, able] of [["undo", this.done.length], ["clear-seat", seats.get(this.seat)?.count],
      ["repeat-seat", this.state.last_wagers.some((w) => w.seat === this.seat)], ["repeat-all", this.state.last_wagers.length]])
      document.querySelector(`[data-do="${what}"]`)?.toggleAttribute("disabled", !able);
  }

  rackSays() {
    return ["Each tap adds ", bold(`$${plain(this.chip)}`), " for ", bold(`seat ${this.seat}`)];
  }

  paintSeats(seats) {
    let sum = 0;
    for (const button of document.querySelectorAll("[data-seat]")) {
      const seat = Number(button.dataset.seat), { cents, count } = seats.get(seat) ?? { cents: 0, count: 0 };
      const late = new Set([...(seat === this.seat ? this.waiting.keys() : []),
        ...this.sent.filter((b) => b.seat === seat).flatMap((b) => [...b.totals.keys()])]).size;
      sum += cents;
      button.setAttribute("aria-pressed", seat === this.seat);
      button.classList.toggle("seat--empty", !count && seat !== this.seat);
      write(button.querySelector(".seat-sum"), cents ? `$${plain(cents)}` : "–");
      write(button.querySelector(".seat-count"), count ? `${count} wager${count === 1 ? "" : "s"}` : "No wagers");
      button.querySelector(".seat-mark--sending")?.remove();
      button.querySelector(".seat-mark")?.toggleAttribute("hidden", late > 0);
      if (late) button.querySelector(".seat-say").insertAdjacentHTML("beforeend",
        `<span class="seat-mark seat-mark--sending"><svg class="icon" aria-hidden="true"><use href="#i-sending"/></svg><span>${late} not yet taken</span></span>`);
    }
    const head = document.getElementById("wagered");
    if (head) write(head, `$${plain(sum)}`);
  }
}

export const bold = (text) => Object.assign(document.createElement("b"), { textContent: text });
export const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };

function money(own, all, pending, seat) {
  if (!all && !pending) return "";
  const shown = own || all, text = plain(shown);
  const classes = `chip ${colour(shown)}${own ? " chip--own" : ""}${pending ? " chip--sending" : ""}`;
  const mine = own ? `<i class="chip-seat">${seat}</i>` : "";
  const rest = own && all > own ? `<span class="of">of ${plain(all)}</span>` : "";
  return `<span class="${classes}"><svg><use href="#chip"></use></svg><b class="chip-n${text.length > 2 ? " wide" : ""}">${text}</b>${mine}</span>${rest}`;
}
