import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Dice, countFaces, facesToGo, spellFaces, totalOf } from "../../static/js/dice.js";
import { FakeElement, installBrowser } from "./browser.mjs";

let dice, slots, changes;

function element(dataset = {}) {
  const classes = new Set();
  const classList = { classes, toggle: (name, force) => (force ? classes.add(name) : classes.delete(name)) };
  return Object.assign(new FakeElement({ dataset }), { classList, innerHTML: "" });
}

/* As many slots as a throw has dice; `keys` are those of a [data-dice], which counts faces. */
function fakeSlots(size, keys = null) {
  const parent = new FakeElement();
  parent.parts.set(".slot", Array.from({ length: size }, () => element()));
  return Object.assign(parent, { closest: () => keys });
}

const drawn = () => slots.querySelectorAll(".slot").map(({ innerHTML }) => Number(innerHTML.match(/#d(\d)/)?.[1] ?? 0));
const next = () => slots.querySelectorAll(".slot").findIndex(({ classList }) => classList.classes.has("slot--next"));
const enter = (...faces) => { for (const face of faces) dice.add(face); };

beforeEach(() => {
  installBrowser();
  [slots, changes] = [fakeSlots(3), []];
  dice = new Dice(() => slots, ({ faces }) => changes.push([...faces]));
});

test("faces are entered one after the other, in the order of the taps", () => {
  enter(4, 1, 6);
  assert.deepEqual(dice.faces, [4, 1, 6]);
  assert.deepEqual(drawn(), [4, 1, 6]);
});

test("the dice are full with as many faces as there are slots", () => {
  enter(4, 1);
  assert.equal(dice.full, false);
  enter(6);
  assert.equal(dice.full, true);
});

test("a face too many is ignored", () => {
  enter(4, 1, 6, 2);
  assert.deepEqual(dice.faces, [4, 1, 6]);
});

test("the next slot is marked until all are full", () => {
  dice.paint();
  assert.equal(next(), 0);
  enter(4, 1);
  assert.equal(next(), 2);
  enter(6);
  assert.equal(next(), -1);
});

test("back takes the last face, and on an empty throw nothing", () => {
  enter(4, 1);
  dice.removeLast();
  assert.deepEqual(dice.faces, [4]);
  dice.removeLast();
  dice.removeLast();
  assert.deepEqual(dice.faces, []);
  assert.deepEqual(drawn(), [0, 0, 0]);
});

test("a key takes back the newest face of its own", () => {
  enter(4, 1, 4);
  dice.remove(4);
  assert.deepEqual(dice.faces, [4, 1]);
  dice.remove(6);
  assert.deepEqual(dice.faces, [4, 1]);
});

test("a throw without slots takes no faces and is not full", () => {
  slots = null;
  dice.add(4);
  assert.deepEqual([dice.size, dice.full], [0, false]);
});

test("the number of dice is that of the slots on the page now", () => {
  slots = fakeSlots(10);
  enter(...Array.from({ length: 10 }, () => 5));
  assert.equal(dice.full, true);
});

test("every change is reported with the faces", () => {
  enter(4, 1);
  dice.removeLast();
  dice.reset([6, 6]);
  assert.deepEqual(changes, [[4], [4, 1], [4], [6, 6]]);
});

test("an invalid roll keeps its reason until it is tapped again or a face is entered", () => {
  dice.toggleInvalid("cocked");
  assert.equal(dice.invalid, "cocked");
  dice.toggleInvalid("off-table");
  assert.equal(dice.invalid, "off-table");
  dice.toggleInvalid("off-table");
  assert.equal(dice.invalid, "");
  dice.toggleInvalid("cocked");
  dice.add(3);
  assert.equal(dice.invalid, "");
});

test("leaning dice are counted up to all of them, and then from zero", () => {
  const counts = [1, 2, 3, 4, 5].map(() => { dice.countLeaning(); return dice.leaning; });
  assert.deepEqual(counts, [1, 2, 3, 0, 1]);
});

test("a reset forgets faces, reason and leaning dice, and keeps no hold of the faces that it begins with", () => {
  const faces = [2, 2];
  enter(4);
  dice.countLeaning();
  dice.toggleInvalid("cocked");
  dice.reset(faces);
  dice.add(5);
  assert.deepEqual([dice.faces, dice.invalid, dice.leaning, faces], [[2, 2, 5], "", 0, [2, 2]]);
});

test("the slots say what was entered", () => {
  dice.paint();
  assert.equal(slots.getAttribute("aria-label"), "No dice entered");
  enter(4, 1);
  assert.equal(slots.getAttribute("aria-label"), "Dice entered: 4, 1");
});

test("ranked slots show aces first and then the highest, and the entry keeps its order", () => {
  slots.setAttribute("data-ranked", "");
  enter(2, 6, 1);
  assert.deepEqual(drawn(), [1, 6, 2]);
  assert.deepEqual(dice.faces, [2, 6, 1]);
});

test("the keys count each face, and only those that were entered can be taken back", () => {
  const item = element(), keys = new FakeElement();
  const count = Object.assign(element({ count: "4" }), { closest: () => item });
  const buttons = [element({ less: "4" }), element({ askLess: "6" })], clear = element();
  keys.parts.set("[data-count]", [count]);
  keys.parts.set("[data-less], [data-ask-less]", buttons);
  keys.parts.set("[data-do=faces-clear]", [clear]);
  slots = fakeSlots(3, keys);
  dice.paint();
  assert.equal(clear.disabled, true);
  enter(4, 4);
  assert.equal(count.textContent, 2);
  assert.equal(item.classList.classes.has("has"), true);
  assert.deepEqual([...buttons, clear].map(({ disabled }) => disabled), [false, true, false]);
});

/* Sentences */

test("faces are spelled out from low to high", () => {
  assert.equal(spellFaces([6, 1, 2]), "One, two, six");
});

test("the faces that are missing are counted in words", () => {
  assert.deepEqual([3, 2, 1].map(facesToGo), ["Three faces to go", "Two faces to go", "One face to go"]);
});

test("many dice are counted by face, in the order of rank", () => {
  assert.equal(countFaces([5, 1, 1, 6, 5, 5]), "2 aces, 1 six, 3 fives");
});

test("the total is the sum of the faces", () => {
  assert.equal(totalOf([6, 1, 2]), 9);
});
