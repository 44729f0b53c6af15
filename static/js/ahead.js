/* The console ahead of the record. Once No more bets has been tapped, the players have heard it, and the hands go on: the
   shaker is shaken and the dice are read whether the line is there or not. The server says which acts lead to the dice
   (`ahead` of the state), and has drawn the screen for each of them in advance (#ahead). So while they wait on a tablet that
   does not reach the server, it shows the step after them: dice can be entered, and what goes on paper is said. All that
   waits is dashed and nothing of it is counted. The first screen of the server takes the place of all this. */

import { totalOf } from "./dice.js";
import { formatTime } from "./facility-time.js";

export const DICE_ACT = "call_dice";
const KEYS = "#screen :is([data-pad] button, [data-dice] button, .facepad button:not([data-do=change-dice]))";

/* How many of these acts wait, without one that comes before them. */
export function countWaiting(ahead, queue) {
  const next = ahead.findIndex(({ act }) => !queue.has(act));
  return next < 0 ? ahead.length : next;
}

/* Whether wagers that wait may bring another step before the coming one: an Extra Roll is collected first. */
export function mayDiffer({ unless = [] } = {}, queue) {
  return queue.items.some(({ act, body: { params } }) => act === "place_wagers" && params.wagers.some(({ wager }) => unless.includes(wager)));
}

export class Ahead {
  /* `queue` is the console's ActQueue; `currentState` returns the state of the screen; `painted` is called after the parts
     have changed. */
  constructor({ queue, dice, currentState, painted }) {
    Object.assign(this, { queue, dice, currentState, painted, replaced: [], paintedKey: "", status: "joining", confirmedTime: 0 });
    addEventListener("screen:connection", ({ detail }) => {
      Object.assign(this, { status: detail.status, confirmedTime: detail.confirmedTime });
      this.paint();
    });
    addEventListener("acts:waiting", ({ detail }) => {
      this.isUnknown = detail.isUnknown;
      this.paint();
    });
  }

  get steps() {
    return this.currentState().ahead;
  }

  get waiting() {
    return countWaiting(this.steps, this.queue);
  }

  /* Acts that lead to the dice wait on a tablet that does not hear the server. */
  get isAhead() {
    return this.waiting > 0 && (this.status === "dead" || this.isUnknown === true);
  }

  /* Whether an act that waits has closed the bets: the players have heard it. */
  get isClosing() {
    return this.queue.items.some(({ closes }) => closes);
  }

  /* Dice that were called and wait, as they are in the queue. */
  get waitingDice() {
    return this.queue.find(DICE_ACT)?.body.params.dice;
  }

  /* A screen of the server has replaced the parts. */
  applied() {
    Object.assign(this, { replaced: [], paintedKey: "" });
    this.paint();
  }

  paint() {
    const key = this.isAhead ? this.partsNow().join("") : "";
    if (key !== this.paintedKey) {
      this.restore();
      if (key) this.show(key);
      this.paintedKey = key;
      if (key) this.dice.reset(this.waitingDice);
      else this.dice.paint();
      this.painted();
    }
    document.documentElement.toggleAttribute("data-ahead", Boolean(key));
    this.paintPaper();
    this.paintDice();
  }

  /* What the server has drawn for as many acts as wait: the parts of the screen, and from the closing of the bets on the
     paper. Once the dice wait too, the screen stays as it was when they were entered. */
  partsNow() {
    const script = document.getElementById("ahead");
    if (!script) return [];
    const { paper, views, stops } = JSON.parse(script.textContent), { steps } = this;  // each text as a list of its lines
    const place = Math.min(this.waiting, views.length - 1);
    const view = stops[place]?.length && mayDiffer(steps[place], this.queue) ? stops[place] : views[place];
    return [this.isClosing ? paper : [], view].map((lines) => lines.join("\n")).filter(Boolean);
  }

  show(html) {
    const parts = document.createElement("template"), felt = document.getElementById("felt");
    parts.innerHTML = html;
    for (const sentence of parts.content.querySelectorAll("[data-say]")) sentence.textContent = this.steps[this.waiting]?.say ?? "";
    if (this.isClosing && this.currentState().round.bets_open) {
      felt.classList.toggle("felt--closed", true);
      this.replaced.push(() => felt.classList.toggle("felt--closed", false));
    }
    const placed = [...parts.content.children];  // a copy: placing takes them out of the template
    for (const part of placed) this.place(part);
  }

  /* A part takes the place of what it names, or follows it. It may keep a piece of what it replaces, take another piece off,
     and change the arrangement of the frame. */
  place(part) {
    const screen = document.getElementById("screen"), { takes, follows, drops, frame } = part.dataset;
    const before = takes && screen.querySelector(takes);
    for (const slot of part.querySelectorAll("[data-keeps]")) {
      const copy = before?.querySelector(slot.dataset.keeps)?.cloneNode(true);
      if (copy) Object.assign(copy, { inert: true });
      slot.replaceWith(...(copy ? [copy] : []));
    }
    const dropped = drops && screen.querySelector(drops);
    if (dropped) this.replace(document.createComment(drops), dropped);
    if (before) this.replace(part, before);
    if (follows) {
      screen.querySelector(follows)?.after(part);
      this.replaced.push(() => part.remove());
    }
    if (frame && screen.classList.replace("frame--betting", `frame--${frame}`))
      this.replaced.push(() => screen.classList.replace(`frame--${frame}`, "frame--betting"));
  }

  replace(part, before) {
    before.replaceWith(part);
    this.replaced.push(() => part.replaceWith(before));
  }

  /* No screen came, because other acts wait now or the first was refused before the table was asked: what was there before
     is there again. */
  restore() {
    for (const undo of this.replaced.toReversed()) undo();
    this.replaced = [];
  }

  paintPaper() {
    const paper = document.getElementById("side-paper");
    if (!paper) return;
    const { waitingDice: dice } = this, recorded = paper.querySelector("[data-confirmed]");
    const paperDice = paper.querySelector("[data-paper-dice]");
    if (paperDice) paperDice.textContent = dice ? `dice ${dice.join("-")}` : "its dice";
    if (recorded) recorded.textContent = formatTime(this.confirmedTime, true);
    paper.querySelector(".paper-waits")?.replaceChildren(...this.queue.items.map(waitingLine));
  }

  /* The dice that wait: dashed in their slots, in words beside them, and the step says that it waits. Those that may have
     reached the server cannot be changed here. */
  paintDice() {
    const words = document.getElementById("kept"), next = document.getElementById("next");
    if (!words || !next) return;
    const dice = this.isAhead ? this.waitingDice : undefined, total = words.querySelector("[data-kept-total]");
    document.getElementById("dock-entry")?.classList.toggle("dock--kept", Boolean(dice));
    words.hidden = !dice;
    document.querySelector("[data-do=change-dice]").hidden = !dice || !this.queue.isUnsent(DICE_ACT);
    this.keepKeys(Boolean(dice));
    if (!dice) return;
    this.shownDice = String(dice);
    words.querySelector("[data-kept-dice]").textContent = dice.join(", ");
    if (total) total.textContent = `Total ${totalOf(dice)}`;
    next.classList.toggle("next--off", true);
    next.setAttribute("aria-disabled", true);
    next.removeAttribute("aria-busy");
    next.querySelector(".next-l").textContent = "Wait for the line";
    next.querySelector(".next-s").textContent = "The dice are kept";
  }

  /* The keys are off while dice wait, and come back as they were. */
  keepKeys(areOff) {
    for (const key of document.querySelectorAll(areOff ? `${KEYS}:enabled` : `${KEYS}[data-kept]`)) {
      key.disabled = areOff;
      key.toggleAttribute("data-kept", areOff);
    }
  }

  /* Whether these dice have waited in sight, so that what becomes of them has to name them. */
  hasShown(dice) {
    return this.shownDice === String(dice);
  }

  /* Takes dice back that wait and were never sent, so that others can be entered. */
  changeDice() {
    this.queue.withdraw(DICE_ACT);
    this.paint();
    this.painted();
    this.dice.paint();
  }
}

function waitingLine({ name, time }) {
  const line = document.createElement("li");
  line.innerHTML = '<svg class="icon" aria-hidden="true"><use href="#i-sending"/></svg><b></b> <time></time>';
  line.querySelector("b").textContent = name;
  line.querySelector("time").textContent = formatTime(time, true);
  return line;
}
