/* A seat or a chip dragged onto an area, in place of two taps: the chip in hand for that seat, or that chip for the
   selected seat. The area is marked, and the amount follows the finger. Letting go places the chip only after
   AIM_TIME over the same area. A finger that slides a little off its button does not start a drag. */

import { formatAmount } from "./stacks.js";

export const AIM_TIME = 150;  // ms
const START_DISTANCE = 32;    // pixels

export class ChipDrag {
  static watch(taps, panel) {
    return new ChipDrag(taps, panel);
  }

  constructor(taps, panel) {
    Object.assign(this, { taps, panel, drag: null });
    document.addEventListener("pointerdown", (event) => this.press(event));
    document.addEventListener("pointermove", (event) => this.move(event));
    document.addEventListener("pointerup", () => this.drop());
    document.addEventListener("screen:applied", () => this.redraw());
    for (const name of ["pointercancel", "visibilitychange"]) document.addEventListener(name, () => this.cancel());
    document.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.cancel(); });
  }

  /* Wagers are taken, a chip is in hand and no area is open. A game with units takes no drags. */
  get takesDrags() {
    const { state, opensAreas, hasUnits } = this.taps;
    return state.round.bets_open && state.status === "open" && !opensAreas && !hasUnits && !this.panel.wager;
  }

  press({ target, clientX: x, clientY: y, button = 0, isPrimary = true }) {
    this.cancel();
    const source = target.closest?.("button[data-seat], button[data-chip]");
    if (!source || button !== 0 || !isPrimary || !this.takesDrags) return;
    const { seat, chip } = source.dataset;
    this.drag = { seat: Number(seat) || this.taps.seat, cents: Number(chip) || this.taps.chip, x, y, wager: null, since: 0 };
  }

  move({ clientX: x, clientY: y }) {
    const { drag } = this;
    if (!drag || (!drag.label && Math.hypot(x - drag.x, y - drag.y) < START_DISTANCE)) return;
    if (!this.takesDrags) return this.cancel();
    drag.label ??= addLabel(drag);
    drag.label.style.translate = `${x}px ${y}px`;
    Object.assign(drag, { x, y });
    this.aim(drag);
  }

  /* A new state draws the areas again, without the mark. The finger is where it was. */
  redraw() {
    if (!this.drag?.label) return;
    if (this.takesDrags) this.aim(this.drag);
    else this.cancel();
  }

  /* Marks the area under the finger. */
  aim(drag) {
    const area = document.elementFromPoint(drag.x, drag.y)?.closest("button.area[data-wager]") ?? null;
    const wager = area?.dataset.wager ?? null;
    if (wager !== drag.wager) Object.assign(drag, { wager, since: performance.now() });
    drag.area?.classList.toggle("area--target", drag.area === area);
    area?.classList.add("area--target");
    drag.area = area;
  }

  drop() {
    const { drag } = this;
    const counts = drag?.area?.isConnected && this.takesDrags && performance.now() - drag.since >= AIM_TIME;
    this.cancel();
    if (!counts) return;
    if (drag.seat !== this.taps.seat) this.taps.selectSeat(drag.seat);
    if (drag.cents !== this.taps.chip) this.taps.selectChip(drag.cents);
    this.taps.tap(drag.wager, drag.area);
  }

  cancel() {
    this.drag?.area?.classList.remove("area--target");
    this.drag?.label?.remove();
    this.drag = null;
  }
}

/* What a drag places, beside the finger. */
function addLabel({ seat, cents }) {
  const label = Object.assign(document.createElement("p"), {
    className: "drag", textContent: `$${formatAmount(cents)}, seat ${seat}`,
  });
  label.setAttribute("aria-hidden", "true");
  document.body.append(label);
  return label;
}
