/* Three Dice Football: two green dice and a red one, entered with one tap each; the half of the table that this tablet
   settles; and what "repeat" means where some wagers are on a single play. */

import { Taps, plain } from "./taps.js";

const HALVES = { all: ["Stick, 1–\u206016", "the whole table"], right: ["Right, 1–\u20608", "places 1–8"], left: ["Left, 9–\u206016", "places 9–16"] };
const OTHER = { right: "left", left: "right" };
const money = (cents) => `$${plain(cents)}`;
const sideOf = (seat) => (seat <= 8 ? "right" : "left");

/* Taps that know the plays: single play wagers go out with the number of the coming play, decided ones are out of sight,
   and what is locked is not touched. */
export class FootballTaps extends Taps {
  constructor({ send, state, refuse }) {
    super({ send: (act, { wagers }) => send(act, { wagers: wagers.map(onPlay) }), state, refuse });
  }

  get state() {
    return this.shown;
  }

  set state(state) {
    const { round } = state, { play = 1, locked = false } = round.game ?? {};
    const moved = this.shown && this.play !== play;
    this.play = play;
    /* the last game's wagers are repeated before a game; later those of the play before */
    const last_wagers = locked ? round.wagers.filter((w) => w.play === play - 1) : state.last_wagers.filter((w) => (w.play ?? 1) === 1);
    const wagers = round.wagers.filter((w) => !w.outcome && (w.play ?? play) === play);
    this.shown = { ...state, last_wagers, round: { ...round, wagers } };
    if (moved) this.newRound();
  }

  put(totals, remember = true) {
    super.put(totals.filter(([wager]) => area(wager)), remember);
  }
}

const area = (wager) => document.querySelector(`button[data-wager="${wager}"]`);

function onPlay(wager) {
  const play = area(wager.wager)?.dataset.play;
  return play ? { ...wager, play: Number(play) } : wager;
}

export class Football {
  constructor(state, me) {
    Object.assign(this, { state, me, faces: [] });
    this.chosen = sessionStorage.getItem(`pitside.half.${me}`);
    document.addEventListener("click", ({ target }) => {
      const key = target.closest("[data-die]");
      if (key) this.enter(Number(key.dataset.die), Number(key.dataset.pips));
    });
    this.paint();
  }

  apply(state) {
    const throwOf = ({ round }) => `${round.number} ${round.phase} ${round.game?.play} ${round.game?.extra_point}`;
    if (throwOf(this.state) !== throwOf(state)) this.faces = [];
    this.state = state;
    this.paint();
  }

  enter(die, pips) {
    this.faces[die] = this.faces[die] === pips ? undefined : pips;
    this.paint();
  }

  /* chosen by this person on this tablet, or else as the person signed in stands at the table */
  get half() {
    const { dealer, dealer_left: left } = this.state;
    return this.chosen ?? (left?.code === this.me ? "left" : left && dealer?.code === this.me ? "right" : "all");
  }

  turn() {
    const order = Object.keys(HALVES);
    this.chosen = order[(order.indexOf(this.half) + 1) % order.length];
    sessionStorage.setItem(`pitside.half.${this.me}`, this.chosen);
    this.paint();
  }

  /* what is mended on a single play belongs to the newest one */
  onNewestPlay(send) {
    return (act, params, witness) => {
      const single = params.wager && document.querySelector(`[data-wager="${params.wager}"][data-single]`);
      return send(act, single ? { ...params, play: this.state.round.game.track.length } : params, witness);
    };
  }

  paint() {
    document.documentElement.dataset.half = this.half;
    const say = document.getElementById("station-say");
    if (say) say.textContent = HALVES[this.half][0];
    this.paintMore();
    const next = document.getElementById("next");
    if (next?.dataset.act === "call_dice") this.paintDice(next);
    if (next?.dataset.act === "settle_seats") this.paintHalf(next);
  }

  paintMore() {
    const { offers, round: { game, bets_open } } = this.state, gives = document.querySelector("[data-quarterback]");
    const seat = game?.quarterback, correct = document.querySelector("[data-correct]");
    if (!gives) return;
    gives.hidden = !seat || !bets_open;
    gives.querySelector("button").dataset.params = JSON.stringify({ seat, accepted: false });
    correct.hidden = !game?.track?.length || !offers.includes("correct_dice");
  }

  paintDice(next) {
    for (const key of document.querySelectorAll("[data-die]"))
      key.setAttribute("aria-pressed", this.faces[Number(key.dataset.die)] === Number(key.dataset.pips));
    const [first, second, red] = this.faces, left = [first, second, red].filter((face) => !face).length;
    next.classList.toggle("next--off", left > 0);
    next.setAttribute("aria-disabled", left > 0);
    next.dataset.params = JSON.stringify({ dice: [first, second, red] });
    write(next, left ? ["Tap the three dice", left === 3 ? "Two green, one red" : `${left === 1 ? "One die" : "Two dice"} to go`]
      : [`Record ${first} · ${second} · ${red}`, this.state.round.game.extra_point ? "Extra point roll" : meaning(first, second, red)]);
  }

  /* each dealer settles an own half; the second confirmation opens what follows */
  paintHalf(next) {
    const steps = this.state.round.settle?.steps ?? [], now = steps.find((step) => step.state === "now");
    if (!now || this.half === "all") return this.whole(next);
    const left = now.seats.filter((seat) => !seat.done);
    const own = left.filter(({ seat }) => sideOf(seat) === this.half), other = left.filter(({ seat }) => sideOf(seat) !== this.half);
    const [, places] = HALVES[this.half], rest = `Dealer ${OTHER[this.half]} still has ${HALVES[OTHER[this.half]][1].replace("places ", "")}`;
    next.classList.toggle("next--off", !own.length);
    next.setAttribute("aria-disabled", !own.length);
    next.dataset.params = JSON.stringify({ seats: own.map(({ seat }) => seat) });
    if (!own.length) return write(next, [`${capital(places)}: all settled`, `${rest} (${sums(other, "take", "pay")})`]);
    write(next, [`${capital(places)}: ${sums(own, "took", "paid")}`, other.length ? `${rest} (${sums(other, "take", "pay")})` : next.dataset.say]);
  }

  /* the whole table again, as the server drew it */
  whole(next) {
    next.classList.remove("next--off");
    next.removeAttribute("aria-disabled");
    next.dataset.params = "{}";
    const left = (this.state.round.settle?.steps.find((step) => step.state === "now")?.seats ?? []).filter((seat) => !seat.done);
    if (left.length) write(next, [capital(sums(left, "took", "paid")), next.dataset.say]);
  }
}

function sums(seats, take, pay) {
  const sum = (name) => seats.reduce((all, seat) => all + seat[name], 0);
  return [[take, sum("take_cents")], [pay, sum("pay_cents")]].filter(([, cents]) => cents).map(([word, cents]) => `${word} ${money(cents)}`).join(", ");
}

/* what the dice alone come to, for the eye before it is recorded; the table says what it means on the field */
function meaning(first, second, red) {
  const gain = first + second - red;
  if (first === second && second === red) return "Trips TD";
  if (red === 6 && first + second <= 3) return "Turnover";
  return gain > 0 ? `Gain of ${gain}` : gain < 0 ? "Penalty" : "No gain";
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function write(next, [label, say]) {
  for (const [part, text] of [[".next-l", label], [".next-s", say]]) {
    const node = next.querySelector(part);
    if (node.textContent !== text) node.textContent = text;
  }
}
