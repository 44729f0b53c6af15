/* Three Dice Football: two green dice and a red die, entered with one tap each; the half of the table that the dealer at
   this tablet settles; and what "repeat" means where some wagers are on a single play. */

import { formatAmount } from "../js/stacks.js";
import { Taps, setText } from "../js/taps.js";

/* By the post of each tablet: its name at the station, its half of the rail, and the seats that it settles. */
const STATIONS = {
  "dealer": { label: "Right, 1–\u20608", half: "right", places: "places 1–8", numbers: "1–8" },
  "dealer-left": { label: "Left, 9–\u206016", half: "left", places: "places 9–16", numbers: "9–16" },
  "stick": { label: "Stick", half: "all" },
};
const OPPOSITE = { "dealer": "dealer-left", "dealer-left": "dealer" };

const money = (cents) => `$${formatAmount(cents)}`;
const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const areaOf = (wager) => document.querySelector(`button[data-wager="${wager}"]`);

function withPlay(wager) {
  const play = areaOf(wager.wager)?.dataset.play;
  return play ? { ...wager, play: Number(play) } : wager;
}

/* Taps that know the plays: a single play wager goes out with the number of the coming play, decided wagers are hidden,
   and locked wagers are not touched. */
class FootballTaps extends Taps {
  constructor({ send, state, refuse, isClosing }) {
    const addPlays = (params) => (params.wagers ? { wagers: params.wagers.map(withPlay) } : params);
    super({ send: (act, params) => send(act, addPlays(params)), state, refuse, isClosing });
  }

  get state() {
    return this.visibleState;
  }

  set state(state) {
    const { round } = state, { play = 1, locked = false } = round.game ?? {};
    const isNewPlay = this.visibleState && this.play !== play;
    this.play = play;
    /* before a game, the wagers of the last game are repeated; later, those of the play before */
    const lastWagers = locked
      ? round.wagers.filter((wager) => wager.play === play - 1)
      : state.last_wagers.filter((wager) => (wager.play ?? 1) === 1);
    const wagers = round.wagers.filter((wager) => !wager.outcome && (wager.play ?? play) === play);
    this.visibleState = { ...state, last_wagers: lastWagers, round: { ...round, wagers } };
    if (isNewPlay) this.startRound();
  }

  /* In a game, wagers on the whole game say nothing about the play. */
  hasWagers(seat) {
    const { round } = this.state;
    if (!round.game?.locked) return super.hasWagers(seat);
    return round.wagers.some((wager) => wager.seat === seat && wager.play) || this.pendingWagers(seat).length > 0;
  }

  setTotals(totals, change) {
    super.setTotals(totals.filter(([wager]) => areaOf(wager)), change);
  }
}

class Football {
  actions = {};

  constructor(state, posts) {
    Object.assign(this, { state, posts, faces: [] });
    document.addEventListener("click", ({ target }) => {
      const key = target.closest("[data-die]");
      if (key) this.enter(Number(key.dataset.die), Number(key.dataset.pips));
    });
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

  /* A correction of a single play wager belongs to the newest play. */
  onNewestPlay(send) {
    return (act, params, witness) => {
      const single = params.wager && document.querySelector(`[data-wager="${params.wager}"][data-single]`);
      return send(act, single ? { ...params, play: this.state.round.game.track.length } : params, witness);
    };
  }

  paint() {
    const { post, own } = this.posts, station = STATIONS[post];
    document.documentElement.dataset.half = station?.half ?? "all";
    document.documentElement.dataset.post = post ?? "";
    const label = document.getElementById("station-say");
    if (label) label.textContent = station ? `${post === own ? "" : "For: "}${station.label}` : "All posts";
    this.paintMore();
    const next = document.getElementById("next");
    if (next?.dataset.act === "call_dice" && next.dataset.waits === undefined) this.paintDice(next);
    if (next?.dataset.act === "settle_seats" && next.dataset.waits === undefined) this.paintHalf(next);
  }

  /* the items of this game in the list of other acts */
  paintMore() {
    const { offers, round: { game, bets_open: betsOpen } } = this.state;
    const decline = document.querySelector("[data-quarterback]"), correct = document.querySelector("[data-correct]");
    if (!decline) return;
    const seat = game?.quarterback;
    decline.hidden = !seat || !betsOpen || this.posts.postOf("offer_dice") === null;
    decline.querySelector("button").dataset.params = JSON.stringify({ seat, accepted: false });
    correct.hidden = !game?.track?.length || !offers.includes("correct_dice");
  }

  paintDice(next) {
    for (const key of document.querySelectorAll("[data-die]"))
      key.setAttribute("aria-pressed", this.faces[Number(key.dataset.die)] === Number(key.dataset.pips));
    const [first, second, red] = this.faces, missing = [first, second, red].filter((face) => !face).length;
    const reading = document.getElementById("reading"), read = missing === 3 && reading?.dataset.faces.split(",").map(Number);
    enable(next, missing === 0 || Boolean(read));
    next.dataset.params = JSON.stringify({ dice: read || [first, second, red] });
    if (read) setNextText(next, `Confirm ${read.join(" · ")}`, reading.dataset.say);
    else if (missing) {
      const hint = missing === 3 ? "Two green, one red" : `${missing === 1 ? "One die" : "Two dice"} to go`;
      setNextText(next, "Tap the three dice", hint);
    } else {
      const result = this.isRoll ? describeRoll([first, second, red], this.rollOdds) : describePlay(first, second, red);
      setNextText(next, `Record ${first} · ${second} · ${red}`, result);
    }
    for (const pays of document.querySelectorAll("[data-roll-pays]")) {
      const odds = missing ? null : this.rollOdds[rollRow([first, second, red]) - 1] ?? "loses";
      setText(pays, odds ? `${odds}, as entered` : "by the roll");
      pays.toggleAttribute("data-entered", Boolean(odds));
    }
  }

  get isRoll() {
    return Boolean(this.state.round.game?.extra_point);
  }

  /* The printed odds of Extra Point, in the order of ROLLS. */
  get rollOdds() {
    return [...document.querySelectorAll(".fb-area--extra-point .fb-tiers i")].map((odds) => odds.textContent);
  }

  /* Each dealer settles one half. The confirmation of the second half opens what follows. */
  paintHalf(next) {
    const step = this.currentStep, post = this.posts.postOf("settle_seats");
    if (!step || !OPPOSITE[post]) return;
    const open = step.seats.filter((seat) => !seat.done);
    const own = open.filter(({ seat }) => this.state.seat_posts[seat] === post);
    const opposite = open.filter(({ seat }) => this.state.seat_posts[seat] !== post);
    const { places } = STATIONS[post], { half, numbers } = STATIONS[OPPOSITE[post]];
    const waiting = `Dealer ${half} still has ${numbers} (${describeSums(opposite, "take", "pay")})`;
    enable(next, own.length > 0);
    next.dataset.params = JSON.stringify({ seats: own.map(({ seat }) => seat) });
    if (own.length) {
      const label = `${capitalize(places)}: ${describeSums(own, "took", "paid")}`;
      setNextText(next, label, opposite.length ? waiting : next.dataset.say);
    } else setNextText(next, `${capitalize(places)}: all settled`, waiting);
  }

  get currentStep() {
    return this.state.round.settle?.steps.find((step) => step.state === "now");
  }
}

function describeSums(seats, take, pay) {
  const sumOf = (name) => seats.reduce((sum, seat) => sum + seat[name], 0);
  return [[take, sumOf("take_cents")], [pay, sumOf("pay_cents")]]
    .filter(([, cents]) => cents).map(([verb, cents]) => `${verb} ${money(cents)}`).join(", ");
}

/* What the dice alone amount to, so that the dealer can check before recording. The table says what it means on the field. */
function describePlay(first, second, red) {
  const gain = first + second - red;
  if (first === second && second === red) return "Trips TD";
  if (red === 6 && first + second <= 3) return "Turnover";
  if (gain > 0) return `Gain of ${gain}`;
  return gain < 0 ? "Penalty" : "No gain";
}

/* The rows of Extra Point's odds, as printed. */
const ROLLS = ["One 1", "Two 1s", "Three 1s", "Other triple"];

/* Which row of Extra Point's odds these dice win, from 1; 0 for none. */
function rollRow(dice) {
  const ones = dice.filter((face) => face === 1).length;
  return ones || (new Set(dice).size === 1 ? ROLLS.length : 0);
}

function describeRoll(dice, odds) {
  const row = rollRow(dice);
  if (!row) return "Extra Point loses";
  return odds[row - 1] ? `${ROLLS[row - 1]}: Extra Point ${odds[row - 1]}` : ROLLS[row - 1];
}

function enable(next, enabled) {
  next.classList.toggle("next--off", !enabled);
  next.setAttribute("aria-disabled", !enabled);
}

function setNextText(next, label, detail) {
  setText(next.querySelector(".next-l"), label);
  setText(next.querySelector(".next-s"), detail);
}

export { FootballTaps as Taps, Football as Extension, describeRoll };
