/* Arranging the tables on the floor plan: drag a table to its place, tap it and then its place, or move it with the arrow
   keys. A dragged table goes to the nearest place of its pit; let go further away, it stays where it was, and so it does
   with Escape. Nothing is sent before "Save the places". */

import { uuid7 } from "./acts.js";
import { drags, NO_ANSWER, say, sendArrangement } from "./arrangements.js";

const REACH = 90;           // units of the plan from a place to the table that is let go there
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** The places of one pit: which table is at which spot, and what a move changes. */
export class Places {
  constructor(codeBySpot) {
    this.codes = new Map(codeBySpot);  // by "row column"
    this.isChanged = false;
  }

  spotOf(code) {
    return [...this.codes].find(([, table]) => table === code)?.[0];
  }

  /* Moves a table to a spot. A table that is there takes the place that was left. Returns whether anything moved. */
  move(code, spot) {
    const before = this.spotOf(code);
    if (!this.codes.has(spot) || before === spot) return false;
    this.codes.set(before, this.codes.get(spot));
    this.codes.set(spot, code);
    this.isChanged = true;
    return true;
  }

  /* The spot one step from the table. */
  beside(code, [rows, columns]) {
    const [row, column] = this.spotOf(code).split(" ").map(Number);
    return `${row + rows} ${column + columns}`;
  }

  toSend() {
    return [...this.codes].filter(([, code]) => code).map(([spot, table]) => {
      const [row, column] = spot.split(" ").map(Number);
      return { table, row, column };
    });
  }
}

/** The place, {x, y}, that is nearest to a point and within reach of it; null where none is. */
export function nearestPlace(places, { x, y }, reach = REACH) {
  const distance = (place) => Math.hypot(place.x - x, place.y - y);
  const [nearest] = [...places].sort((a, b) => distance(a) - distance(b));
  return nearest && distance(nearest) <= reach ? nearest : null;
}

class Arrangement {
  static begin(plan) {
    return new Arrangement(plan);
  }

  constructor(plan) {
    this.plan = plan;
    this.save = document.getElementById("arrange-save");
    this.pits = new Map();
    const nodes = [...plan.querySelectorAll("[data-plan-of]")];
    const isAt = (node, spot) => Math.hypot(...["x", "y"].map((axis, index) => this.middle(node)[index] - spot.getAttribute(axis))) < 1;
    for (const pit of new Set([...plan.querySelectorAll("[data-spot]")].map((spot) => spot.dataset.pitOf))) {
      const spots = this.spots(pit);
      this.pits.set(pit, new Places(spots.map((spot) => [
        spot.dataset.spot, nodes.find((node) => isAt(node, spot))?.dataset.planOf ?? "",
      ])));
    }
    plan.addEventListener("click", (event) => this.tap(event), { capture: true });
    plan.addEventListener("keydown", (event) => this.press(event));
    plan.addEventListener("pointerdown", (event) => this.grab(event));
    plan.addEventListener("dragstart", (event) => event.preventDefault());  // the browser would drag the link
    addEventListener("pointermove", (event) => this.drag(event));
    addEventListener("pointerup", () => this.drop());
    addEventListener("pointercancel", () => this.cancelDrag());
    addEventListener("keydown", ({ key }) => { if (key === "Escape") this.cancelDrag(); });
    this.save.addEventListener("click", () => this.send());
  }

  spots(pit) {
    return [...this.plan.querySelectorAll("[data-spot]")].filter((spot) => spot.dataset.pitOf === pit);
  }

  middle(node) {
    const { e, f } = node.transform.baseVal.consolidate().matrix;
    return [e, f];
  }

  pitOf(code) {
    return [...this.pits].find(([, places]) => places.spotOf(code));
  }

  pick(code) {
    this.picked = code;
    for (const node of this.plan.querySelectorAll("[data-plan-of]"))
      node.classList.toggle("picked", node.dataset.planOf === code);
    const pit = code && this.pitOf(code)[0];
    for (const spot of this.plan.querySelectorAll("[data-spot]")) spot.classList.toggle("offered", spot.dataset.pitOf === pit);
    say(code ? `${code} is picked: tap its new place in ${pit}.` : "Drag a table, or tap it and then its place. Keys: a table, then arrows.");
  }

  tap(event) {
    const table = event.target.closest("[data-plan-of]"), spot = event.target.closest("[data-spot]");
    if (!table && !spot) return;
    event.preventDefault();
    event.stopPropagation();
    if (this.hasDragged) return;
    const code = table?.dataset.planOf;
    if (!this.picked) return code && this.pick(code);
    const [pit, places] = this.pitOf(this.picked);
    const target = spot?.dataset.pitOf === pit ? spot.dataset.spot : code && places.spotOf(code);
    if (target && code !== this.picked) this.move(this.picked, target);
    this.pick(target ? "" : code === this.picked ? "" : code);
  }

  grab({ target, clientX, clientY, button, isPrimary }) {
    this.hasDragged = false;
    const node = target.closest("[data-plan-of]");
    if (!node || button !== 0 || !isPrimary) return;
    const [x, y] = this.middle(node);
    this.dragging = { node, code: node.dataset.planOf, x, y, clientX, clientY, target: null, isDragged: false };
  }

  drag({ clientX, clientY }) {
    const { dragging } = this;
    if (!dragging) return;
    const right = clientX - dragging.clientX, down = clientY - dragging.clientY;
    if (!dragging.isDragged && !drags({ clientX, clientY }, dragging)) return;
    const [pit] = this.pitOf(dragging.code);
    if (!dragging.isDragged) {
      this.pick(dragging.code);
      say(`Let ${dragging.code} go at its new place in ${pit}.`);
    }
    dragging.isDragged = this.hasDragged = true;
    const scale = 1 / (dragging.node.ownerSVGElement.getScreenCTM()?.a || 1);
    const point = { x: dragging.x + right * scale, y: dragging.y + down * scale };
    dragging.node.setAttribute("transform", `translate(${point.x} ${point.y})`);
    const spots = this.spots(pit);
    const places = spots.map((spot) => ({ spot, x: Number(spot.getAttribute("x")), y: Number(spot.getAttribute("y")) }));
    dragging.target = nearestPlace(places, point)?.spot ?? null;
    for (const spot of spots) spot.classList.toggle("target", spot === dragging.target);
  }

  /* A click that follows a drag is no tap. */
  drop() {
    const { dragging } = this, spot = dragging?.target?.dataset.spot;
    if (!dragging?.isDragged) return this.cancelDrag();
    this.cancelDrag();
    if (spot) this.move(dragging.code, spot);
  }

  /* Puts what is dragged back where it was. */
  cancelDrag() {
    const { dragging } = this;
    this.dragging = null;
    if (!dragging?.isDragged) return;
    dragging.node.setAttribute("transform", `translate(${dragging.x} ${dragging.y})`);
    dragging.target?.classList.remove("target");
    this.pick("");
  }

  press(event) {
    const code = event.target.closest?.("[data-plan-of]")?.dataset.planOf, step = ARROWS[event.key];
    if (!code || !step) return;
    event.preventDefault();
    event.stopPropagation();
    this.move(code, this.pitOf(code)[1].beside(code, step));
  }

  move(code, spot) {
    const [pit, places] = this.pitOf(code);
    if (!places.move(code, spot)) return;
    places.command = null;
    for (const place of this.spots(pit)) {
      const node = this.plan.querySelector(`[data-plan-of="${CSS.escape(places.codes.get(place.dataset.spot))}"]`);
      if (!node) continue;
      node.setAttribute("transform", `translate(${place.getAttribute("x")} ${place.getAttribute("y")})`);
      node.classList.toggle("turned", place.dataset.spot.startsWith("2"));
    }
    this.save.disabled = false;
    document.getElementById("arrange-pits").hidden = true;  // it would leave with what is not saved
    say(`${code} is at row ${spot.replace(" ", ", place ")} of ${pit}. Not saved yet.`);
  }

  async send() {
    this.save.disabled = true;
    for (const [pit, places] of this.pits) {
      if (!places.isChanged) continue;
      places.command ??= uuid7();
      const answer = await sendArrangement(this.plan.dataset.arrange, places.command, { pit, places: places.toSend() });
      if (!answer || answer.refusal) {
        this.save.disabled = false;
        if (answer) places.command = null;  // without an answer the same command is sent again
        return say(answer ? answer.refusal.message : NO_ANSWER);
      }
      places.isChanged = false;
    }
    location.assign(this.plan.dataset.done);
  }
}

const plan = globalThis.document?.getElementById("plan");
if (plan?.dataset.arrange) {
  Arrangement.begin(plan);
  document.documentElement.toggleAttribute("data-ready", true);
}
