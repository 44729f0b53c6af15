/* The last die, pressed and held, calls the dice: one gesture in place of a tap on it and a tap on the next step. The die is in
   its slot as soon as it is pressed, and the next step shows the dice while the finger holds. Letting go early only enters the
   die, as a tap does. Sliding off takes it back. */

import { HOLD_TIME, hasSlidOff, isWhole, timeOf } from "./hold.js";

export class LastDie {
  static watch(options) {
    return new LastDie(options);
  }

  /* `call` sends the dice that are entered. */
  constructor({ dice, call }) {
    Object.assign(this, { dice, call, press: null });
    document.addEventListener("pointerdown", (event) => this.start(event));
    document.addEventListener("pointermove", (event) => this.follow(event));
    document.addEventListener("pointerup", (event) => this.lift(event));
    document.addEventListener("pointercancel", () => this.takeBack());
    document.addEventListener("contextmenu", (event) => { if (event.target.closest?.("[data-face]")) event.preventDefault(); });
  }

  start({ target, button = 0, isPrimary = true, timeStamp }) {
    this.end();
    const key = target.closest?.("[data-holds-last] [data-face]");
    if (!key || button !== 0 || !isPrimary || this.dice.size - this.dice.faces.length !== 1) return;
    this.dice.add(Number(key.dataset.face));
    const time = timeOf("--hold-time", HOLD_TIME);
    const fill = key.animate?.([{ scale: "0 1" }, { scale: "1 1" }], { duration: time, pseudoElement: "::before" });
    this.press = { key, since: timeStamp, time, fill, timer: setTimeout(() => this.finish(), time) };
  }

  follow(event) {
    if (this.press && hasSlidOff(event, this.press.key)) this.takeBack();
  }

  lift(event) {
    if (this.press && isWhole(this.press, event)) this.finish();
    else this.end();
  }

  /* The whole time has passed. Dice that a push has meanwhile removed or changed are not called. */
  finish() {
    const { key } = this.press;
    this.end();
    if (key.isConnected && this.dice.full) this.call();
  }

  takeBack() {
    if (this.press && this.dice.full) this.dice.removeLast();
    this.end();
  }

  end() {
    if (!this.press) return;
    clearTimeout(this.press.timer);
    this.press.fill?.cancel();
    this.press = null;
  }
}
