/* Taps in quick succession. A tap is meant for what the person saw. So within READ_TIME after the screen has changed, a
   tap counts only if the same control was in that place before: not on a new step, not on the next seat of a list that has
   moved up, not on the area under a dialog that was closed. A tap beside an open list only closes it. What a dialog sends
   was not on the screen before it opened, wherever its button is: within READ_TIME nothing goes out. `dialog:open` says that
   one has opened.

   A tap that does not count never starts the wait again: a dealer who taps on is heard a second after the last change.
   Its button says "Not taken" until it counts again, the next step also what it will be then, and screen readers hear why. */

import { timeOf } from "./hold.js";

export const READ_TIME = 1_000;  // ms; `--read-time` on the root element replaces it
const LEAST_NOTE = 400;  // ms that a note stays readable
const CONTROLS = `${["act", "ask", "wager", "do", "alert-act", "open", "limits", "plan"].map((name) => `button[data-${name}]`)},
  .planned [data-cancel]`;
const SENDS = "dialog [data-go], .decide [type=submit], .decide [data-decisions] button";
const PAINTED = ["waits", "say", "label", "local", "after", "queued"];  // what a script writes into the data of a button

/* What a button does: its name and its data, without what is only painted. */
function meaningOf({ id, dataset }) {
  return JSON.stringify([id, Object.entries(dataset).filter(([name]) => !PAINTED.includes(name))]);
}

const contains = ({ x, y, width, height }, { clientX, clientY }) =>
  clientX >= x && clientX <= x + width && clientY >= y && clientY <= y + height;

/* Opens a dialog that is not one of dialogs.js. */
export function openDialog(box) {
  box.showModal();
  box.dispatchEvent(new CustomEvent("dialog:open", { bubbles: true }));
}

export class QuickTaps {
  /* `fingersOnly`: the click of a key or a script is about its button, wherever that is now. */
  static watch(root, { fingersOnly = false } = {}) {
    return new QuickTaps(root, fingersOnly);
  }

  constructor(root, fingersOnly) {
    Object.assign(this, { root, fingersOnly });
    this.last = null;  // {button, meaning, rect, time}: what was tapped last
    this.views = [];   // {time, controls: [{meaning, rect}]}: the screen before each change
    this.dialogTime = -Infinity;
    root.addEventListener("dialog:open", () => { this.dialogTime = performance.now(); });
    root.addEventListener("screen:applying", () => this.remember());
    root.addEventListener("pointerdown", (event) => this.pointerDown(event), { capture: true });
    root.addEventListener("click", (event) => this.click(event), { capture: true });
  }

  get readTime() {
    return timeOf("--read-time", READ_TIME);
  }

  /* Where each control is, before a push changes the screen. */
  remember() {
    const time = performance.now();
    const controls = [...this.root.querySelectorAll(CONTROLS)]
      .map((button) => ({ meaning: meaningOf(button), rect: button.getBoundingClientRect() }));
    this.views = [...this.views.filter((view) => time - view.time < this.readTime), { time, controls }];
  }

  /* A tap beside an open list closes it before its click comes. The browser leaves a manual one open. */
  pointerDown({ target }) {
    const list = this.root.querySelector(":popover-open");
    this.closesList = Boolean(list) && !list.contains(target) && !target.closest?.("[popovertarget]");
    if (this.closesList && list.popover === "manual") list.hidePopover();
  }

  click(event) {
    const button = event.target.closest?.("button, a, label");
    const { closesList } = this;
    this.closesList = false;
    if (closesList) return stop(event);
    if (!button || (this.fingersOnly && event.detail === 0)) return;
    if (this.isTooQuick(button, event)) {
      stop(event);
      this.answer(button);
      return;
    }
    const rect = button.getBoundingClientRect();
    this.last = { button, rect, meaning: meaningOf(button), time: performance.now() };
  }

  isTooQuick(button, event) {
    const { last, readTime } = this, now = performance.now(), meaning = meaningOf(button);
    const isSamePlace = last && (last.button === button || (event.detail > 0 && contains(last.rect, event)));
    if (isSamePlace && meaning !== last.meaning && now - last.time < readTime) return true;
    if (button.matches(SENDS)) return now - this.dialogTime < readTime;
    if (!button.matches(CONTROLS) || button.closest("dialog")) return false;
    const point = event.detail > 0 ? event : middleOf(button);
    const wasElsewhere = ({ controls }) => controls.find(({ rect }) => contains(rect, point))?.meaning !== meaning;
    return this.views.some((view) => now - view.time < readTime && wasElsewhere(view));
  }

  /* How long it takes until a tap on what is shown now counts. */
  get timeLeft() {
    const changes = [this.last?.time ?? -Infinity, this.dialogTime, ...this.views.map(({ time }) => time)];
    return Math.max(...changes) + this.readTime - performance.now();
  }

  answer(button) {
    const wait = Math.max(LEAST_NOTE, Math.min(this.timeLeft, this.readTime));
    const label = button.querySelector(".next-l")?.textContent.trim();
    if (label) button.dataset.after = `Then: ${label}`;
    button.style.setProperty("--wait", `${wait}ms`);
    button.classList.add("too-quick");
    clearTimeout(this.noteTimer);
    this.noteTimer = setTimeout(() => button.classList.remove("too-quick"), wait);
    const say = this.root.getElementById?.("hold-say");
    if (say) say.textContent = "Not taken: the screen has just changed. Read it, then tap.";
  }
}

/* The click of a key or a script has no place. */
function middleOf(button) {
  const { x, y, width, height } = button.getBoundingClientRect();
  return { clientX: x + width / 2, clientY: y + height / 2 };
}

function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
