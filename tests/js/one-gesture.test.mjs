/* One gesture in place of two taps: a seat or a chip dragged onto an area, and the last die held until the dice are called. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { AIM_TIME, ChipDrag } from "../../static/js/chip-drag.js";
import { HOLD_TIME } from "../../static/js/hold.js";
import { LastDie } from "../../static/js/last-die.js";
import { FakeElement, installBrowser } from "./browser.mjs";

let clock, taps, panel, placed, areas, dice, calls;

class Button extends FakeElement {
  isConnected = true;
  classes = new Set();
  style = {};
  classList = {
    toggle: (name, force) => (force ? this.classes.add(name) : this.classes.delete(name)),
    add: (name) => this.classes.add(name), remove: (name) => this.classes.delete(name),
  };

  closest() {
    return this;
  }

  remove() {}

  getBoundingClientRect() {
    return { x: 0, y: 0, width: 60, height: 60 };
  }
}

function fire(name, fields = {}) {
  const event = new Event(name);
  for (const [field, value] of Object.entries(fields)) Object.defineProperty(event, field, { value });
  document.dispatchEvent(event);
}

const press = (dataset) => fire("pointerdown", { target: new Button({ dataset }), clientX: 0, clientY: 0 });
const moveTo = (clientX, clientY = 0) => fire("pointermove", { clientX, clientY });

beforeEach(() => {
  ({ clock } = installBrowser());
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => "" });
  Object.defineProperty(globalThis, "performance", { value: { now: () => clock.now }, configurable: true });
  [placed, calls] = [[], []];
  areas = { 200: new Button({ dataset: { wager: "big" } }), 300: new Button({ dataset: { wager: "small" } }) };
  document.elementFromPoint = (x) => areas[x] ?? null;
  document.createElement = () => new Button();
  document.body = { append: () => {} };
  taps = {
    seat: 1, chip: 2_500, state: { status: "open", round: { bets_open: true } },
    selectSeat(seat) { this.seat = seat; }, selectChip(cents) { this.chip = cents; },
    tap(wager) { placed.push([this.seat, wager, this.chip]); },
  };
  panel = { wager: null };
});

const dragSeat3 = async () => {
  press({ seat: "3" });
  moveTo(200);
  await clock.advance(AIM_TIME);
};

test("a seat dragged onto an area places the chip in hand for it", async () => {
  ChipDrag.watch(taps, panel);
  await dragSeat3();
  assert.ok(areas[200].classes.has("area--target"));
  assert.deepEqual(placed, []);
  fire("pointerup");
  assert.deepEqual(placed, [[3, "big", 2_500]]);
});

test("a chip dragged onto an area is placed for the selected seat", async () => {
  ChipDrag.watch(taps, panel);
  press({ chip: "500" });
  moveTo(200);
  await clock.advance(AIM_TIME);
  fire("pointerup");
  assert.deepEqual(placed, [[1, "big", 500]]);
});

test("a finger that only sweeps across an area, slides off its button or is called off places nothing", async () => {
  ChipDrag.watch(taps, panel);
  const sweep = async () => { press({ seat: "3" }); moveTo(300); await clock.advance(AIM_TIME); moveTo(200); fire("pointerup"); };
  const slide = async () => { areas[20] = areas[200]; press({ seat: "3" }); moveTo(20); await clock.advance(AIM_TIME); fire("pointerup"); };
  const callOff = async () => { await dragSeat3(); fire("keydown", { key: "Escape" }); fire("pointerup"); };
  for (const gesture of [sweep, slide, callOff]) await gesture();
  assert.deepEqual([placed, taps.seat], [[], 1]);
});

test("a state that arrives under the finger leaves the area marked, and ends a drag once bets are closed", async () => {
  ChipDrag.watch(taps, panel);
  await dragSeat3();
  areas[200].classes.clear();  // drawn again
  fire("screen:applied");
  assert.ok(areas[200].classes.has("area--target"));
  fire("pointerup");
  assert.deepEqual(placed, [[3, "big", 2_500]]);

  await dragSeat3();
  const old = areas[200];
  old.isConnected = false;
  areas[200] = new Button({ dataset: { wager: "big" } });
  fire("screen:applied");
  fire("pointerup");
  assert.deepEqual(placed.length, 2);

  await dragSeat3();
  taps.state.round.bets_open = false;
  fire("screen:applied");
  assert.ok(!areas[200].classes.has("area--target"));
  taps.state.round.bets_open = true;
  fire("pointerup");
  assert.deepEqual(placed.length, 2);
});

test("once bets are closed, or while an area is open, a drag places nothing", async () => {
  ChipDrag.watch(taps, panel);
  await dragSeat3();
  taps.state.round.bets_open = false;
  fire("pointerup");
  taps.state.round.bets_open = true;
  panel.wager = "big";
  await dragSeat3();
  fire("pointerup");
  assert.deepEqual(placed, []);
});

/* The last die */

const pressFace = (face) => press({ face });

function enterTwo() {
  dice = {
    size: 3, faces: [2, 5], get full() { return this.faces.length === this.size; },
    add(face) { if (!this.full) this.faces.push(face); }, removeLast() { this.faces.pop(); },
  };
  LastDie.watch({ dice, call: () => calls.push([...dice.faces]) });
}

test("the last die is entered as soon as it is pressed, and held it calls the dice once", async () => {
  enterTwo();
  pressFace("5");
  assert.deepEqual(dice.faces, [2, 5, 5]);
  await clock.advance(HOLD_TIME - 1);
  assert.deepEqual(calls, []);
  await clock.advance(2_000);
  fire("pointerup");
  assert.deepEqual(calls, [[2, 5, 5]]);
});

test("the last die tapped is only entered, and a finger that slides off takes it back", async () => {
  enterTwo();
  pressFace("5");
  fire("pointerup");
  await clock.advance(2_000);
  assert.deepEqual([dice.faces, calls], [[2, 5, 5], []]);
  dice.removeLast();
  pressFace("6");
  moveTo(200);
  await clock.advance(2_000);
  assert.deepEqual([dice.faces, calls], [[2, 5], []]);
});

test("the last die held on a page that is too busy for its timer calls the dice when the finger lifts", () => {
  enterTwo();
  fire("pointerdown", { target: new Button({ dataset: { face: "5" } }), timeStamp: 1_000 });
  fire("pointerup", { timeStamp: 1_000 + HOLD_TIME });
  assert.deepEqual(calls, [[2, 5, 5]]);
});

test("an earlier die held only enters itself", async () => {
  enterTwo();
  dice.faces = [2];
  pressFace("5");
  await clock.advance(2_000);
  assert.deepEqual(calls, []);
});
