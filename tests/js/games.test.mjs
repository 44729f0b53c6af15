/* Where the games of units and of plays differ from plain taps. */

import assert from "node:assert/strict";
import { register } from "node:module";
import { beforeEach, test } from "node:test";
import { FakeElement, installBrowser } from "./browser.mjs";

register("./served-hooks.mjs", import.meta.url);
const catalog = "../../games/catalog";
const { Extension: Football, Taps: FootballTaps, describeRoll } = await import(`${catalog}/football/static/football/console.js`);
const { Taps: UnitTaps } = await import(`${catalog}/high_roll/static/high_roll/console.js`);

let sent, respond;

const send = (act, params) => new Promise((resolve) => {
  sent.push([act, params]);
  respond = resolve;
});
const placed = (seat, wager, cents, more = {}) => ({ seat, wager, cents, ...more });
const totals = ([, { wagers }]) => wagers.map(({ seat, wager, cents }) => [seat, wager, cents]);
const state = (wagers = [], { lastWagers = [], game = null } = {}) => ({
  status: "open", stopped: [], last_wagers: lastWagers, chips: [100, 500, 2_500, 10_000],
  round: { number: 7, phase: "open", bets_open: false, wagers, game },
});
const vacant = (seat) => document.parts.set(`[data-seat="${seat}"][data-vacant]`, [new FakeElement()]);
const offer = (wager, dataset = {}) => document.parts.set(`button[data-wager="${wager}"]`, [new FakeElement({ dataset })]);

beforeEach(() => {
  installBrowser();
  sent = [];
});

/* High Roll Dice */

function unitTaps(...contents) {
  const taps = new UnitTaps({ send, state: state(...contents), refuse: () => {} });
  taps.chip = 2_500;
  return taps;
}

test("a tap places the unit, and a second tap takes it off", () => {
  const taps = unitTaps();
  taps.tap("aces");
  assert.equal(taps.total(1, "aces"), 2_500);
  taps.tap("aces");
  assert.equal(taps.total(1, "aces"), 0);
});

test("every wager of a seat is the unit that it already has", () => {
  const taps = unitTaps([placed(1, "aces", 700), placed(3, "aces", 900)]);
  taps.tap("sixes");
  assert.equal(taps.total(1, "sixes"), 700);
});

test("a side bet of Millionaire Row is a dollar, whatever the unit", () => {
  const taps = unitTaps([placed(1, "aces", 700)]);
  taps.tap("millionaire:4");
  assert.equal(taps.total(1, "millionaire:4"), 100);
});

test("another chip is the new unit of all wagers but the side bets, in one act", () => {
  const taps = unitTaps([placed(1, "aces", 700), placed(1, "sixes", 700), placed(1, "millionaire:4", 100)]);
  taps.selectChip(500);
  taps.flush();
  assert.equal(sent.length, 1);
  assert.deepEqual(totals(sent[0]), [[1, "aces", 500], [1, "sixes", 500]]);
});

test("the chip of the unit adds itself once more", () => {
  const taps = unitTaps([placed(1, "aces", 500)]);
  taps.selectChip(500);
  assert.equal(taps.total(1, "aces"), 1_000);
  taps.selectChip(500);
  assert.equal(taps.total(1, "aces"), 1_500);
});

test("the first chip of a seat is its unit, also the chip that was selected before", () => {
  const taps = unitTaps();
  taps.selectChip(2_500);
  assert.equal(taps.unit(1), 2_500);
});

test("the chip of a unit is the largest that divides it", () => {
  assert.equal(unitTaps([placed(1, "aces", 7_500)]).chipOf(1), 2_500);
});

test("a seat without wagers begins with its unit of the last round", () => {
  const taps = unitTaps([], { lastWagers: [placed(1, "millionaire:4", 100), placed(1, "aces", 900)] });
  assert.deepEqual([taps.unit(1), taps.unit(3)], [900, 2_500]);
});

test("the first wager at a vacant seat seats its player once, before the wager", async () => {
  vacant(1);
  const taps = unitTaps();
  taps.tap("aces");
  taps.tap("sixes");
  taps.flush();
  assert.deepEqual(sent.map(([act]) => act), ["seat_player", "place_wagers"]);
  assert.deepEqual(sent[0][1], { seat: 1 });
});

test("a refused player may be seated again", async () => {
  vacant(1);
  const taps = unitTaps();
  const seated = taps.seatPlayer();
  respond({ refusal: { code: "not-now" } });
  await seated;
  taps.seatPlayer();
  assert.equal(sent.length, 2);
});

test("repeating takes off what the seat did not have in the last round, and leaves vacant seats alone", () => {
  vacant(3);
  const lastWagers = [placed(1, "aces", 500), placed(3, "aces", 500)];
  const taps = unitTaps([placed(1, "sixes", 700)], { lastWagers });
  taps.repeatAll();
  assert.equal(sent.length, 0, "a seat that has wagers keeps them, and nobody is at seat 3");
  taps.repeatSeat();
  assert.deepEqual(totals(sent[0]), [[1, "aces", 500], [1, "sixes", 0]]);
});

/* Three Dice Football */

const footballTaps = (...contents) => {
  const taps = new FootballTaps({ send, state: state(...contents), refuse: () => {} });
  taps.chip = 2_500;
  return taps;
};

test("a single play wager goes out with the number of its play, a wager on the game without", () => {
  offer("gain", { play: "3" });
  offer("touchdown");
  const taps = footballTaps([], { game: { play: 3 } });
  taps.tap("gain");
  taps.tap("touchdown");
  taps.flush();
  assert.deepEqual(sent[0][1].wagers.map(({ wager, play }) => [wager, play]), [["gain", 3], ["touchdown", undefined]]);
});

test("the next step of another post is not painted before it is known whose it is", () => {
  const next = new FakeElement({ dataset: { act: "call_dice" } });
  document.elements.set("next", next);
  assert.ok(new Football(state(), { post: "dealer", own: "dealer" }));
  assert.deepEqual(next.dataset, { act: "call_dice" });
});

test("a wager that the layout does not offer is not touched", () => {
  offer("gain");
  const taps = footballTaps([placed(1, "touchdown", 700), placed(1, "gain", 500)]);
  taps.clearSeat();
  assert.deepEqual(totals(sent[0]), [[1, "gain", 0]]);
});

test("wagers that are decided or belong to another play do not count", () => {
  const taps = footballTaps([
    placed(1, "gain", 500, { play: 2 }), placed(1, "penalty", 700, { play: 3 }),
    placed(1, "turnover", 900, { play: 3, outcome: "lose" }), placed(1, "touchdown", 100),
  ], { game: { play: 3 } });
  assert.deepEqual(["gain", "penalty", "turnover", "touchdown"].map((wager) => taps.total(1, wager)), [0, 700, 0, 100]);
});

test("before a game the last game's wagers are repeated, and in a game those of the play before", () => {
  offer("gain");
  offer("touchdown");
  const lastWagers = [placed(1, "touchdown", 100), placed(1, "gain", 300, { play: 4 })];
  footballTaps([], { lastWagers }).repeatAll();
  assert.deepEqual(totals(sent[0]), [[1, "touchdown", 100]]);
  footballTaps([placed(1, "gain", 500, { play: 2 })], { lastWagers, game: { play: 3, locked: true } }).repeatAll();
  assert.deepEqual(totals(sent[1]), [[1, "gain", 500]]);
});

test("a new play forgets what could be undone", () => {
  offer("gain");
  const taps = footballTaps([], { game: { play: 2 } });
  taps.tap("gain");
  taps.state = state([], { game: { play: 2 } });
  assert.equal(taps.undoSteps.length, 1);
  taps.state = state([], { game: { play: 3 } });
  assert.equal(taps.undoSteps.length, 0);
});

test("an extra point roll names the odds of its row, those of its ones before those of a triple", () => {
  const odds = ["1 to 1", "10 to 1", "50 to 1", "9 to 1"];
  const rolls = [[1, 4, 1], [1, 1, 1], [4, 4, 4], [6, 1, 5], [2, 4, 6]].map((dice) => describeRoll(dice, odds));
  assert.deepEqual(rolls, [
    "Two 1s: Extra Point 10 to 1", "Three 1s: Extra Point 50 to 1", "Other triple: Extra Point 9 to 1",
    "One 1: Extra Point 1 to 1", "Extra Point loses",
  ]);
});
