/* The console one step ahead of the record. Once No more bets has been tapped, the players have heard it, and the dice are
   read whether the line is there or not. So while it waits on a tablet that does not reach the server, the tablet shows the
   step after it, which the server has drawn in advance (#ahead): dice can be entered, and what goes on paper is said. All
   that waits is dashed and nothing of it is counted. The first screen of the server takes the place of all this. */

import { totalOf } from "./dice.js";
import { formatTime } from "./facility-time.js";

export const CLOSING_ACT = "no_more_bets", DICE_ACT = "call_dice";
const PARTS = { "ribbon": "#ribbon", "side-paper": ".side", "dock-entry": ".dock", "dock-say": ".dock", "next-wrap": "#next-wrap" };

export class Ahead {
  /* `queue` is the console's ActQueue; `painted` is called after the parts have changed. */
  constructor({ queue, dice, painted }) {
    Object.assign(this, { queue, dice, painted, replaced: [], status: "joining", confirmedTime: 0 });
    addEventListener("screen:connection", ({ detail }) => {
      Object.assign(this, { status: detail.status, confirmedTime: detail.confirmedTime });
      this.paint();
    });
    addEventListener("acts:waiting", ({ detail }) => {
      this.isUnknown = detail.isUnknown;
      this.paint();
    });
  }

  /* What closes the bets or calls the dice, and waits on a tablet that does not hear the server. */
  get isAhead() {
    const waits = this.queue.has(CLOSING_ACT) || this.queue.has(DICE_ACT);
    return waits && (this.status === "dead" || this.isUnknown === true);
  }

  /* Dice that were called and wait, as they are in the queue. */
  get waitingDice() {
    return this.queue.find(DICE_ACT)?.body.params.dice;
  }

  /* A screen of the server has replaced the parts. */
  applied() {
    this.replaced = [];
    this.paint();
  }

  paint() {
    const isShown = document.getElementById("side-paper") !== null;
    if (this.isAhead && !isShown) this.show();
    else if (!this.isAhead && isShown) this.restore();
    document.documentElement.toggleAttribute("data-ahead", this.isAhead);
    this.paintPaper();
    this.paintDice();
  }

  show() {
    const script = document.getElementById("ahead");
    if (!script) return;
    const parts = document.createElement("template");
    parts.innerHTML = JSON.parse(script.textContent);
    for (const [id, place] of Object.entries(PARTS)) {
      const part = parts.content.getElementById(id), before = document.querySelector(`#screen > ${place}`);
      if (!part || !before) continue;
      before.replaceWith(part);
      this.replaced.push([part, before]);
    }
    document.getElementById("felt").classList.toggle("felt--closed", true);
    this.dice.reset(this.waitingDice);
    this.painted();
  }

  /* No screen came, because the act was refused before the table was asked: what was there before is there again. */
  restore() {
    for (const [part, before] of this.replaced) part.replaceWith(before);
    if (this.replaced.some(([, { id }]) => id === "ribbon")) document.getElementById("felt").classList.toggle("felt--closed", false);
    this.replaced = [];
    this.dice.paint();
    this.painted();
  }

  paintPaper() {
    const paper = document.getElementById("side-paper");
    if (!paper) return;
    const { waitingDice: dice } = this;
    paper.querySelector("[data-paper-dice]").textContent = dice ? `dice ${dice.join("-")}` : "its dice";
    paper.querySelector("[data-confirmed]").textContent = formatTime(this.confirmedTime, true);
    paper.querySelector(".paper-waits").replaceChildren(...this.queue.items.map(waitingLine));
  }

  /* The dice that wait: dashed in their slots, in words beside them, and the step says that it waits. Those that may have
     reached the server cannot be changed here. */
  paintDice() {
    const dock = document.getElementById("dock-entry"), words = document.getElementById("kept"), next = document.getElementById("next");
    if (!words || !next) return;
    const dice = this.isAhead ? this.waitingDice : undefined;
    dock.classList.toggle("dock--kept", Boolean(dice));
    words.hidden = !dice;
    dock.querySelector("[data-do=change-dice]").hidden = !dice || !this.queue.isUnsent(DICE_ACT);
    for (const key of dock.querySelectorAll("[data-face], [data-do=face-back]")) key.disabled = Boolean(dice);
    if (!dice) return;
    this.shownDice = String(dice);
    words.querySelector("[data-kept-dice]").textContent = dice.join(", ");
    words.querySelector("[data-kept-total]").textContent = `Total ${totalOf(dice)}`;
    next.classList.toggle("next--off", true);
    next.setAttribute("aria-disabled", true);
    next.removeAttribute("aria-busy");
    next.querySelector(".next-l").textContent = "Wait for the line";
    next.querySelector(".next-s").textContent = "The dice are kept";
  }

  /* Whether these dice have waited in sight, so that what becomes of them has to name them. */
  hasShown(dice) {
    return this.shownDice === String(dice);
  }

  /* Takes dice back that wait and were never sent, so that others can be entered. */
  changeDice() {
    this.queue.withdraw(DICE_ACT);
    this.paint();
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
