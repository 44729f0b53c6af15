import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ActQueue, consoleSender } from "../../static/js/acts.js";
import { chipClass, formatAmount } from "../../static/js/stacks.js";
import { Taps } from "../../static/js/taps.js";
import { FakeElement, installBrowser } from "./browser.mjs";
import { settle } from "./clock.mjs";

let clock, taps, sent, refused;

/* Keeps each act until the test answers it. */
function send(act, params) {
  return new Promise((resolve) => {
    const answer = async (response = {}) => { resolve(response); await settle(); };
    sent.push({ act, params, wagers: params.wagers, answer });
  });
}

/* Betting is closed here, so that nothing is painted; the tests of painting open it. */
const state = (wagers = [], lastWagers = []) => ({
  status: "open", stopped: [], last_wagers: lastWagers, chips: [100, 500, 2_500, 10_000],
  round: { number: 7, phase: "open", bets_open: false, wagers },
});
const placed = (seat, wager, cents, more = {}) => ({ seat, wager, cents, ...more });
const totals = (act) => act.wagers.map(({ seat, wager, cents }) => [seat, wager, cents]);

beforeEach(() => {
  ({ clock } = installBrowser());
  [sent, refused] = [[], []];
  taps = new Taps({ send, state: state(), refuse: (refusal, anchor) => refused.push([refusal.code, anchor]) });
  taps.selectChip(2_500);
});

/* Gathering */

test("a tap adds the selected chip to the wager of the selected seat", () => {
  taps.tap("big");
  taps.tap("big");
  assert.equal(taps.total(1, "big"), 5_000);
  assert.equal(taps.total(2, "big"), 0);
});

test("a tap adds to what is on the table", () => {
  taps.state = state([placed(1, "big", 10_000)]);
  taps.tap("big");
  assert.equal(taps.total(1, "big"), 12_500);
});

test("taps gather for less than half a second and go out as one act", async () => {
  taps.tap("big");
  await clock.advance(200);
  taps.tap("big");
  taps.tap("small");
  await clock.advance(200);
  assert.equal(sent.length, 0);
  await clock.advance(99);
  assert.equal(sent.length, 1);
  assert.equal(sent[0].act, "place_wagers");
  assert.deepEqual(totals(sent[0]), [[1, "big", 5_000], [1, "small", 2_500]]);
});

test("the half second counts from the first tap: steady tapping delays nothing", async () => {
  for (let i = 0; i < 8; i++) {
    taps.tap("big");
    await clock.advance(100);
  }
  assert.equal(sent.length, 1);
  assert.deepEqual(totals(sent[0]), [[1, "big", 12_500]]);
});

test("a wager says that it was made in chips", async () => {
  taps.tap("big");
  taps.flush();
  assert.deepEqual(sent[0].wagers, [{ seat: 1, wager: "big", cents: 2_500, made_in: "chips" }]);
});

test("taps after a batch has gone out are an act of their own, on top of it", async () => {
  taps.tap("big");
  taps.flush();
  taps.tap("big");
  assert.equal(taps.total(1, "big"), 5_000);
  await clock.advance(500);
  assert.deepEqual(sent.map(totals), [[[1, "big", 2_500]], [[1, "big", 5_000]]]);
  assert.equal(taps.total(1, "big"), 5_000, "the newest batch counts");
});

test("another seat sends the taps of the seat before at once", () => {
  taps.tap("big");
  taps.selectSeat(4);
  assert.deepEqual(sent.map(totals), [[[1, "big", 2_500]]]);
  taps.tap("small");
  taps.flush();
  assert.deepEqual(totals(sent[1]), [[4, "small", 2_500]]);
});

test("selecting the same seat again sends nothing", () => {
  taps.tap("big");
  taps.selectSeat(1);
  assert.equal(sent.length, 0);
});

test("another chip sends nothing and counts from the next tap", () => {
  taps.tap("big");
  taps.selectChip(500);
  taps.tap("big");
  assert.equal(sent.length, 0);
  assert.equal(taps.total(1, "big"), 3_000);
});

test("without taps a flush sends nothing", async () => {
  taps.flush();
  await clock.advance(1_000);
  assert.equal(sent.length, 0);
});

test("a flush sends once: the timer of the taps ends with it", async () => {
  taps.tap("big");
  taps.flush();
  await clock.advance(1_000);
  assert.equal(sent.length, 1);
});

test("taps after a flush gather for the full half second again", async () => {
  taps.tap("big");
  await clock.advance(300);
  taps.flush();
  taps.tap("small");
  await clock.advance(300);
  assert.equal(sent.length, 1);
  await clock.advance(150);
  assert.equal(sent.length, 2);
});

test("taps that cancel out are not sent", async () => {
  taps.tap("big");
  taps.undo();
  await clock.advance(500);
  assert.equal(sent.length, 0);
  assert.equal(taps.isPending(1, "big"), false);
});

test("the console's taps go out before the act that follows them", async () => {
  const { server } = installBrowser();
  const screen = new FakeElement({ dataset: { version: "10" } });
  const queue = new ActQueue({ querySelector: () => screen, apply: () => {} }, { act: "/acts/__act__" });
  const sendOrdered = consoleSender({ queue, flushTaps: () => taps.flush(), currentState: () => taps.state });
  taps.send = sendOrdered;
  taps.tap("big");
  sendOrdered("no_more_bets", {});
  await server.last.answer(200, { version: 11 });
  assert.deepEqual(server.requests.map(({ url }) => url), ["/acts/place_wagers", "/acts/no_more_bets"]);
});

/* Pending */

test("a tap is pending until the table has answered", async () => {
  taps.tap("big");
  assert.equal(taps.isPending(1, "big"), true);
  taps.flush();
  assert.equal(taps.isPending(1, "big"), true);
  assert.equal(taps.isPending(1, "small"), false);
  assert.equal(taps.isPending(2, "big"), false);
  await sent[0].answer();
  assert.equal(taps.isPending(1, "big"), false);
});

test("a change that was undone while it waits leaves nothing that is not yet taken", () => {
  taps.state = state([placed(1, "big", 2_500)]);
  taps.tap("big");
  taps.flush();
  taps.tap("small");
  assert.deepEqual(taps.pendingWagers(1), ["big", "small"]);
  taps.setTotals([["big", 2_500]]);
  assert.deepEqual([taps.pendingWagers(1), taps.isPending(1, "big")], [["small"], false]);
});

test("after the answer the table's total counts", async () => {
  taps.tap("big");
  taps.flush();
  taps.state = state([placed(1, "big", 2_500)]);
  await sent[0].answer();
  assert.equal(taps.total(1, "big"), 2_500);
});

test("a refusal is shown beside the tapped area, and the total is the table's again", async () => {
  taps.tap("big", "the area");
  taps.flush();
  await sent[0].answer({ refusal: { code: "over-the-maximum" } });
  assert.deepEqual(refused, [["over-the-maximum", "the area"]]);
  assert.equal(taps.total(1, "big"), 0);
});

test("after a refusal nothing of that seat can be undone, and the steps of others can", async () => {
  taps.tap("big");
  taps.selectSeat(4);
  taps.tap("small");
  await sent[0].answer({ refusal: { code: "over-the-maximum" } });
  assert.deepEqual(taps.undoSteps.flatMap(({ before }) => [...before.keys()]), [4]);
});

test("sums count the table's wagers and pending taps, and a wager taken off does not count", () => {
  taps.state = state([placed(1, "big", 10_000), placed(1, "small", 500), placed(3, "big", 700)]);
  taps.tap("big");
  taps.setTotals([["small", 0]]);
  const { areas, seats } = taps.sums();
  assert.deepEqual([...areas.get("big")], [[1, 12_500], [3, 700]]);
  assert.deepEqual([...seats], [[1, { cents: 12_500, count: 1 }], [3, { cents: 700, count: 1 }]]);
});

/* Undo, clear, repeat */

const LAST = [placed(1, "big", 2_500), placed(3, "small", 500), placed(3, "big", 700)];

test("undo takes back the last tap, then the tap before", async () => {
  taps.tap("big");
  taps.tap("big");
  taps.undo();
  assert.equal(taps.total(1, "big"), 2_500);
  taps.undo();
  assert.equal(taps.total(1, "big"), 0);
  taps.undo();
  assert.equal(taps.total(1, "big"), 0);
});

test("undo after the taps were taken sends the total before them", async () => {
  taps.tap("big");
  taps.flush();
  taps.state = state([placed(1, "big", 2_500)]);
  await sent[0].answer();
  taps.undo();
  await clock.advance(500);
  assert.deepEqual(totals(sent[1]), [[1, "big", 0]]);
});

test("undo stays with the seat: it takes back that seat's newest change, and says which", () => {
  taps.tap("big");
  taps.selectSeat(4);
  assert.equal(taps.undoStep, null);
  taps.undo();
  taps.tap("total:12");
  assert.equal(taps.undoStep.say, "$25 on total:12, seat 4");
  taps.selectSeat(1);
  assert.equal(taps.undoStep.say, "$25 on big, seat 1");
  taps.undo();
  assert.deepEqual([taps.total(1, "big"), taps.total(4, "total:12")], [0, 2_500]);
});

test("undo after a repetition for the table takes all of it back, as one act", async () => {
  taps.state = state([], LAST);
  taps.repeatAll();
  taps.state = state(LAST, LAST);
  await sent[0].answer();
  assert.equal(taps.undoStep.say, "Repeat all");
  taps.selectSeat(3);
  taps.undo();
  assert.deepEqual(totals(sent[1]), [[1, "big", 0], [3, "small", 0], [3, "big", 0]]);
});

test("undo offers a repetition for the table also at a seat that it left alone", async () => {
  taps.state = state([], [placed(3, "big", 2_500)]);
  taps.repeatAll();
  taps.state = state([placed(3, "big", 2_500)], [placed(3, "big", 2_500)]);
  await sent[0].answer();
  taps.selectSeat(5);
  assert.equal(taps.undoStep.say, "Repeat all");
  taps.undo();
  assert.deepEqual(totals(sent[1]), [[3, "big", 0]]);
});

test("a seat that sat out a round is repeated alone, never for the table", async () => {
  taps.state = state([], [placed(1, "big", 1_000, { round: 8 }), placed(3, "small", 500, { round: 7 })]);
  const repeated = taps.repeatAll("the button");
  assert.deepEqual(totals(sent[0]), [[1, "big", 1_000]]);
  await sent[0].answer();
  await repeated;
  assert.deepEqual(refused, [["seats-kept", "the button"]]);
  taps.selectSeat(3);
  taps.repeatSeat();
  assert.deepEqual(totals(sent[1]), [[3, "small", 500]]);
});

test("a repetition for the table is not undone once one of its seats has changed since", () => {
  taps.state = state([], LAST);
  taps.repeatAll();
  taps.selectSeat(3);
  taps.tap("big");
  taps.selectSeat(1);
  assert.equal(taps.undoStep, null);
});

test("chips are moved to another area of the seat, and undone as one step", () => {
  taps.state = state([placed(1, "big", 10_000), placed(1, "small", 500)]);
  taps.moveToArea("big", "small");
  assert.deepEqual([taps.total(1, "big"), taps.total(1, "small")], [0, 10_500]);
  assert.equal(taps.undoStep.say, "Move to small, seat 1");
  taps.undo();
  assert.deepEqual([taps.total(1, "big"), taps.total(1, "small")], [10_000, 500]);
});

test("chips are moved to another seat as one act", () => {
  taps.state = state([placed(1, "big", 10_000), placed(4, "big", 500)]);
  taps.moveToSeat("big", 4);
  assert.deepEqual(totals(sent[0]), [[1, "big", 0], [4, "big", 10_500]]);
  assert.equal(taps.undoStep.say, "big from seat 1 to 4");
});

test("an undo cannot be undone", () => {
  taps.tap("big");
  taps.undo();
  assert.equal(taps.undoSteps.length, 0);
});

test("clearing a seat takes off what it has, on the table and pending, at once", () => {
  taps.state = state([placed(1, "big", 10_000), placed(3, "small", 500)]);
  taps.tap("total:9");
  taps.flush();
  taps.tap("total:12");
  taps.clearSeat();
  assert.deepEqual(totals(sent[1]).sort(), [[1, "big", 0], [1, "total:9", 0]]);
  assert.equal(taps.total(1, "total:12"), 0, "it was never sent, so nothing needs to be taken off");
});

test("clearing a seat that is being cleared already does nothing", () => {
  taps.state = state([placed(1, "big", 10_000)]);
  taps.clearSeat();
  taps.clearSeat();
  assert.equal(sent.length, 1);
  assert.equal(taps.undoSteps.length, 1);
});

test("clearing a seat is undone as one step", () => {
  taps.state = state([placed(1, "big", 10_000), placed(1, "small", 500)]);
  taps.clearSeat();
  taps.undo();
  assert.deepEqual([taps.total(1, "big"), taps.total(1, "small")], [10_000, 500]);
});

test("a seat repeats its wagers of the last round", () => {
  taps.state = state([], LAST);
  taps.selectSeat(3);
  taps.repeatSeat();
  assert.deepEqual(totals(sent[0]), [[3, "small", 500], [3, "big", 700]]);
});

for (const absence of ["away", "left"])
  test(`nothing is wagered again for a player who is ${absence}`, () => {
    taps.state = { ...state([], LAST), seat_states: { 1: "playing", 3: absence } };
    taps.repeatAll();
    assert.deepEqual(totals(sent[0]), [[1, "big", 2_500]]);
  });

test("a player who leaves frees the seat at once, and after the round while wagers are there", async () => {
  taps.freeSeat(null);
  taps.state = state([placed(1, "big", 2_500)]);
  taps.freeSeat(null);
  await settle();
  assert.deepEqual(sent.map(({ act, params }) => [act, params]),
    [["free_seat", { seat: 1 }], ["mark_seat", { seat: 1, mark: "left" }]]);
});

test("a player leaves as the felt shows the seat, also while its last tap is on its way", async () => {
  taps.state = state([placed(1, "big", 2_500)]);
  taps.clearSeat();
  taps.freeSeat(null);
  assert.deepEqual(sent.map(({ act }) => act), ["place_wagers", "free_seat"]);
  await sent[0].answer();
  taps.tap("small");
  taps.freeSeat(null);
  await settle();
  assert.deepEqual(sent.slice(2).map(({ act, params }) => [act, params.mark]), [["place_wagers", undefined], ["mark_seat", "left"]]);
});

test("suspended wagers are not repeated", () => {
  taps.state = { ...state([], LAST), stopped: ["big"] };
  taps.repeatAll();
  assert.deepEqual(totals(sent[0]), [[3, "small", 500]]);
});

test("repeating for the table is one act of all seats without wagers", () => {
  taps.state = state([], LAST);
  taps.repeatAll();
  assert.equal(sent.length, 1);
  assert.deepEqual(totals(sent[0]), [[1, "big", 2_500], [3, "small", 500], [3, "big", 700]]);
  assert.deepEqual([taps.isPending(1, "big"), taps.isPending(3, "big")], [true, true]);
});

test("repeating for the table takes no raise back: a seat that has wagers keeps them, and the dealer is told which", async () => {
  taps.state = state([placed(1, "big", 9_000)], LAST);
  taps.repeatAll("the button");
  assert.deepEqual(totals(sent[0]), [[3, "small", 500], [3, "big", 700]]);
  await sent[0].answer();
  assert.deepEqual(refused, [["seats-kept", "the button"]]);
  taps.state = state([placed(1, "big", 2_500), placed(3, "small", 500), placed(3, "big", 700)], LAST);
  taps.repeatAll("the button");
  await settle();
  assert.deepEqual([sent.length, refused.length], [1, 1], "all is as in the last round: there is nothing to say");
});

test("once the closing of the bets waits, no chip is placed, moved, repeated or taken off", async () => {
  let isClosing = false;
  const sentences = [];
  taps = new Taps({ send, state: state([placed(2, "big", 700)], LAST), refuse: ({ message }) => sentences.push(message), isClosing: () => isClosing });
  taps.selectChip(2_500);
  isClosing = true;
  taps.tap("big");
  taps.repeatAll();
  taps.repeatSeat();
  taps.selectSeat(2);
  taps.clearSeat();
  taps.moveToSeat("big", 4);
  await settle();
  assert.equal(sent.length, 0);
  assert.deepEqual(new Set(sentences), new Set(["Bets are closed, and that waits to be recorded. Give the chip back."]));
  assert.equal(sentences.length, 5);
  assert.equal(taps.total(2, "big"), 700);
});

test("a refusal of wagers names seat, amount and area, because it may come long after the tap", async () => {
  const sentences = [];
  taps = new Taps({ send, state: state(), refuse: ({ message }) => sentences.push(message) });
  taps.selectChip(2_500);
  taps.selectSeat(3);
  taps.tap("total:12");
  taps.flush();
  await sent[0].answer({ refusal: { code: "bets-closed", message: "Bets are closed." } });
  assert.deepEqual(sentences, ["Bets are closed. (seat 3, $25 on total:12)"]);
});

test("repeating for the table twice sends it once", () => {
  taps.state = state([], LAST);
  taps.repeatAll();
  taps.repeatAll();
  assert.equal(sent.length, 1);
});

test("a refused repetition is shown beside its button, and nothing stays pending", async () => {
  taps.state = state([], LAST);
  taps.repeatAll("the button");
  await sent[0].answer({ refusal: { code: "not-now" } });
  assert.deepEqual(refused, [["not-now", "the button"]]);
  assert.equal(taps.undoStep, null);
  assert.equal(taps.isPending(1, "big"), false);
});

test("taps that still gather go out before a repetition", () => {
  taps.state = state([], LAST);
  taps.tap("small");
  taps.repeatAll();
  assert.deepEqual(sent.map(totals)[0], [[1, "small", 2_500]]);
  assert.equal(sent.length, 2);
});

test("a new round drops taps that were not sent and what could be undone", async () => {
  taps.tap("big");
  taps.startRound();
  await clock.advance(1_000);
  assert.equal(sent.length, 0);
  assert.equal(taps.undoSteps.length, 0);
});

test("the selected seat and chip survive a reload", () => {
  taps.selectSeat(4);
  taps.selectChip(500);
  const reloaded = new Taps({ send, state: state(), refuse: () => {} });
  assert.deepEqual([reloaded.seat, reloaded.chip], [4, 500]);
});

/* Painting */

function area(wager) {
  const element = new FakeElement({ dataset: { wager } }), slot = { innerHTML: "", dataset: { full: "2" } };
  element.parts.set(".money", [slot]);
  element.children = [];
  element.insertBefore = (text) => { element.parts.set("[data-own]", [text]); return text; };
  return Object.assign(element, { slot });
}

function openTable(...areas) {
  document.parts.set("button[data-wager]", areas);
  document.createElement = () => ({ dataset: {}, remove() {} });
  const open = state();
  open.round.bets_open = true;
  taps.state = open;
}

test("a tap is drawn at once, marked as not yet taken, and the mark goes with the answer", async () => {
  const big = area("big");
  openTable(big);
  taps.tap("big", big);
  assert.match(big.slot.innerHTML, /stk--pending.*>25</);
  assert.equal(big.querySelector("[data-own]").textContent, " Seat 1: $25, not yet taken.");
  taps.flush();
  taps.state = { ...taps.state, round: { ...taps.state.round, wagers: [placed(1, "big", 2_500)] } };
  await sent[0].answer();
  assert.doesNotMatch(big.slot.innerHTML, /stk--pending/);
  assert.equal(big.querySelector("[data-own]").textContent, " Seat 1: $25.");
});

const seatsOf = (html) => [...html.matchAll(/class="stk-seat[^"]*">(\d+)</g)].map(([, seat]) => Number(seat));

test("an area shows the chips of each of its seats, and marks those of the selected seat", () => {
  const big = area("big");
  openTable(big);
  taps.state.round.wagers.push(placed(3, "big", 10_000), placed(1, "big", 2_500));
  taps.paint();
  assert.match(big.slot.innerHTML, /stk c25 stk--own" data-owner="1">.*>25<.*stk c100" data-owner="3">.*>100</);
  taps.selectSeat(2);
  assert.doesNotMatch(big.slot.innerHTML, /stk--own/);
});

test("where there is no room for a stack each, an area shows the seats with their sum, and the own stack until it is crowded", () => {
  const big = area("big");
  openTable(big);
  taps.state.round.wagers.push(...[1, 2, 4, 7].map((seat) => placed(seat, "big", 2_500)));
  taps.paint();
  assert.match(big.slot.innerHTML, /stk--own" data-owner="1">.*rest-sum">75</);
  assert.deepEqual(seatsOf(big.slot.innerHTML), [1, 2, 4, 7]);
  taps.state.round.wagers.push(placed(8, "big", 2_500));
  taps.paint();
  assert.match(big.slot.innerHTML, /rest-own">25<.*rest-sum">125</);
  assert.deepEqual(seatsOf(big.slot.innerHTML), [1, 2, 4, 7, 8]);
});

test("chips outside the limits are flagged until another total is tapped", () => {
  const big = area("big");
  openTable(big);
  taps.state.round.wagers.push({ ...placed(1, "big", 500), flag: "under-min" });
  taps.paint();
  assert.match(big.slot.innerHTML, /stk--flag.*#i-flag/);
  taps.tap("big", big);
  assert.doesNotMatch(big.slot.innerHTML, /stk--flag/);
});

test("the button that closes the bets counts the taps that go out before it", () => {
  const big = area("big"), says = new FakeElement({ textContent: "Closes round 7: 1 seat, $25" });
  openTable(big);
  document.parts.set("#next [data-closes]", [says]);
  taps.state.round.wagers.push(placed(3, "big", 2_500));
  taps.tap("big", big);
  assert.equal(says.textContent, "Closes round 7: 2 seats, $50");
});

test("an area is marked while a tap of another seat is pending", () => {
  const big = area("big");
  openTable(big);
  taps.tap("big", big);
  taps.selectSeat(3);
  assert.match(big.slot.innerHTML, /stk--pending.*data-owner="1"/);
});

test("nothing is painted while betting is closed", () => {
  const big = area("big");
  openTable(big);
  taps.state.round.bets_open = false;
  taps.tap("big", big);
  assert.equal(big.slot.innerHTML, "");
});

/* Small parts */

test("amounts have cents only when they need them", () => {
  assert.deepEqual([100, 150, 100_000, 123_456].map(formatAmount), ["1", "1.50", "1,000", "1,234.56"]);
});

test("a chip has the color of the largest chip that it covers", () => {
  const chips = [50, 100, 500, 2_500, 10_000, 50_000, 100_000];
  const amounts = [25, 50, 100, 499, 500, 2_500, 9_999, 10_000, 50_000, 100_000, 700_000];
  assert.deepEqual(amounts.map((cents) => chipClass(chips, cents)),
    ["coin", "chalf", "c1", "c1", "c5", "c25", "c25", "c100", "c500", "c1000", "c1000"]);
});
