/* Press and hold: for a step that closes corrections, ends a round or voids it. Taps in quick succession never do such a
   step, because a tap alone does nothing there.

   This applies to any button with `data-hold`, in a dialog too, and also when a push or a script adds the attribute. Its `click`
   comes only after the button was pressed for HOLD_TIME, by finger, mouse, Enter or the space bar, so that its handler
   needs no further code. It fills while it is pressed (console-states.css). A press that ends early, slides off, or whose
   button has meanwhile become another step, or another amount, does nothing. After an early end the button says what to do. */

export const HOLD_TIME = 600;  // ms; `--hold-time` on the root element replaces it
const SLOP = 16;  // pixels beside an element where the finger still presses it
const HINT_TIME = 2_000;
const KEYS = ["Enter", " "];

/* Whether a press that began at `event.timeStamp` is over by this event. The clock of the events decides: a busy page runs its
   timers late, and a finger that lifts at once after the whole time has pressed it all the same. */
export const isWhole = (press, event) => event.timeStamp - press.since >= press.time;

/* A time in ms that the style of the page may replace. */
export const timeOf = (property, time) =>
  Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue(property)) || time;

/* Whether the pointer has left an element that it presses, by more than SLOP. */
export function hasSlidOff({ clientX, clientY }, element) {
  const { x, y, width, height } = element.getBoundingClientRect();
  return clientX < x - SLOP || clientX > x + width + SLOP || clientY < y - SLOP || clientY > y + height + SLOP;
}

/* What a button does now: a push may make the same element another step. */
const stepOf = ({ id, dataset: { act, ask, params }, textContent }) => [id, act, ask, params, textContent].join("|");
const isDisabled = (button) => button.disabled || button.getAttribute("aria-disabled") === "true";

export class Holds {
  static watch(root) {
    return new Holds(root);
  }

  constructor(root) {
    this.root = root;
    this.press = null;        // {button, step, timer, fill}: being pressed
    this.allowed = null;      // the button whose click is the end of a whole press
    this.isReleasing = false; // a finger that is still down after a whole press: its own click counts for nothing
    const listen = (name, run) => root.addEventListener(name, run, { capture: true });
    listen("pointerdown", (event) => this.pointerDown(event));
    listen("pointermove", (event) => this.pointerMove(event));
    listen("pointerup", (event) => this.release(event));
    listen("pointercancel", () => this.cancel());
    listen("keydown", (event) => this.keyDown(event));
    listen("keyup", (event) => this.keyUp(event));
    listen("contextmenu", (event) => { if (this.buttonOf(event.target)) event.preventDefault(); });
    listen("click", (event) => this.click(event));
  }

  buttonOf(target) {
    return target?.closest?.("button[data-hold]") ?? null;
  }

  pointerDown({ target, button: which = 0, timeStamp }) {
    this.cancel();
    this.isReleasing = false;
    const button = this.buttonOf(target);
    if (button && which === 0 && !isDisabled(button)) this.start(button, timeStamp);
  }

  pointerMove(event) {
    if (this.press && hasSlidOff(event, this.press.button)) this.cancel();
  }

  /* A key that is still down after a whole press repeats. The repeats do not press the next step. */
  keyDown(event) {
    if (!KEYS.includes(event.key)) return;
    const button = this.buttonOf(event.target);
    if (button || (this.isReleasing && event.repeat)) event.preventDefault();
    if (!button) return;
    if (!event.repeat && !this.press && !isDisabled(button)) this.start(button, event.timeStamp);
  }

  keyUp(event) {
    if (!KEYS.includes(event.key)) return;
    this.release(event);
    this.isReleasing = false;
  }

  start(button, since) {
    const time = timeOf("--hold-time", HOLD_TIME);
    const fill = button.animate?.([{ scale: "0 1" }, { scale: "1 1" }], { duration: time, pseudoElement: "::before" });
    this.press = { button, step: stepOf(button), since, time, fill, timer: setTimeout(() => this.finish(), time) };
  }

  /* The whole time has passed. */
  finish() {
    const { button, step } = this.press;
    this.cancel();
    if (!button.isConnected || isDisabled(button) || stepOf(button) !== step) return;
    this.isReleasing = true;
    this.allowed = button;
    button.click();
    this.allowed = null;
  }

  release(event) {
    if (!this.press) return;
    if (isWhole(this.press, event)) this.finish();
    else this.hint(this.press.button);
    this.cancel();
  }

  cancel() {
    if (!this.press) return;
    clearTimeout(this.press.timer);
    this.press.fill?.cancel();
    this.press = null;
  }

  /* Stops every click that is not the end of a whole press. */
  click(event) {
    const button = this.buttonOf(event.target);
    if (button && button === this.allowed) return;
    if (!button && !this.isReleasing) return;
    if (this.isReleasing && event.detail === 0 && !button) return;  // of a script or a key, not of that finger
    this.isReleasing = false;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  hint(button) {
    button.classList.add("hold-short");
    setTimeout(() => button.classList.remove("hold-short"), HINT_TIME);
    const say = this.root.getElementById?.("hold-say");
    if (say) say.textContent = `Press and hold: ${button.textContent.trim().replaceAll(/\s+/g, " ")}`;
  }
}
