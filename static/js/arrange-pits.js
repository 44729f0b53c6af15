/* Arranging the pits and landmarks of the floor plan: drag one to a place between others, tap it and then the place, or move
   it with the arrow keys. The server draws each arrangement; the address of the page has it, so that Back undoes a move.
   Nothing is sent before "Save the places". */

import { uuid7 } from "./acts.js";
import { drags, NO_ANSWER, say, sendArrangement } from "./arrangements.js";

const HINT = "Drag a pit or landmark, or tap it and then a gap. Arrow keys also work.";
const PLAN = "plan", PICKED = "picked";  // in the address

/** The rows of a floor after one item was moved to a gap. `rows` has the items of each row; `gap` is {row, place, isNew}. */
export function rowsAfterMove(rows, item, { row, place, isNew }) {
  const next = rows.map((items) => items.map((placed) => (placed === item ? null : placed)));
  if (isNew) next.splice(row - 1, 0, [item]);
  else next[row - 1].splice(place, 0, item);
  return next.map((items) => items.filter(Boolean)).filter((items) => items.length);
}

/** The gap to which an arrow key moves an item; null if it cannot move. */
export function gapOfKey(rows, item, key) {
  const above = rows.findIndex((items) => items.includes(item)), place = rows[above].indexOf(item), row = above + 1;
  const isAlone = rows[above].length === 1;
  switch (key) {
    case "ArrowLeft": return place ? { row, place: place - 1 } : null;
    case "ArrowRight": return place + 1 < rows[above].length ? { row, place: place + 2 } : null;
    case "ArrowUp":
      if (above) return { row: row - 1, place: Math.min(place, rows[above - 1].length) };
      return isAlone ? null : { row, place: 0, isNew: true };
    case "ArrowDown":
      if (row < rows.length) return { row: row + 1, place: Math.min(place, rows[row].length) };
      return isAlone ? null : { row: row + 1, place: 0, isNew: true };
    default: return null;
  }
}

/** How far a point is from a box, {x, y, width, height}. */
export function distanceTo({ x, y, width, height }, point) {
  return Math.hypot(Math.max(x - point.x, 0, point.x - x - width), Math.max(y - point.y, 0, point.y - y - height));
}

/* As drawn: a gap that is hidden has no box of its own. */
function boxOf(node) {
  return Object.fromEntries(["x", "y", "width", "height"].map((name) => [name, Number(node.getAttribute(name))]));
}

/** What the act takes. */
export function toSend(rows) {
  return rows.flatMap((items, index) => items.map(({ pit, landmark }) => (pit ? { row: index + 1, pit } : { row: index + 1, landmark })));
}

class FloorArrangement {
  static begin(plan) {
    return new FloorArrangement(plan);
  }

  constructor(plan) {
    this.plan = plan;
    this.svg = plan.querySelector(".plan-room svg");
    this.save = document.getElementById("arrange-save");
    this.remove = document.getElementById("landmark-remove");
    this.nodes = [...plan.querySelectorAll("[data-item]")];
    this.items = this.nodes.map(({ dataset }) => ({ pit: dataset.itemPit, landmark: dataset.itemLandmark, row: Number(dataset.row) }));
    this.rows = [];
    for (const item of this.items) (this.rows[item.row - 1] ??= []).push(item);
    this.gaps = [...plan.querySelectorAll(".floor-gap")].map((node) => ({
      node, row: Number(node.dataset.row), place: Number(node.dataset.place), isNew: "new" in node.dataset, box: boxOf(node),
    }));
    this.svg.addEventListener("click", (event) => this.tap(event), { capture: true });
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.svg.addEventListener("pointerdown", (event) => this.grab(event));
    this.svg.addEventListener("dragstart", (event) => event.preventDefault());
    addEventListener("pointermove", (event) => this.drag(event));
    addEventListener("pointerup", () => this.drop());
    addEventListener("pointercancel", () => this.cancelDrag());
    addEventListener("keydown", ({ key }) => { if (key === "Escape") { this.cancelDrag(); this.pick(null); } });
    this.save.addEventListener("click", () => this.send());
    this.remove.addEventListener("click", () => this.show(this.rows.map((items) => items.filter((item) => item !== this.picked)), null));
    document.getElementById("landmark-form").addEventListener("submit", (event) => this.add(event));
    const picked = this.items[new URLSearchParams(location.search).get(PICKED) ?? -1];
    if (picked) {
      this.pick(picked);
      this.nodeOf(picked).focus();
    }
  }

  nodeOf(item) {
    return this.nodes[this.items.indexOf(item)];
  }

  itemOf(target) {
    return this.items[target.closest?.("[data-item]")?.dataset.item];
  }

  pick(item) {
    this.picked = item;
    for (const node of this.nodes) node.classList.toggle("picked", Boolean(item) && node === this.nodeOf(item));
    this.svg.classList.toggle("offers-gaps", Boolean(item));
    this.remove.disabled = !item?.landmark;
    say(item ? `${item.landmark || this.nameOf(item)} is picked: tap a gap, or use the arrow keys.` : HINT);
  }

  nameOf(item) {
    return this.nodeOf(item).getAttribute("aria-label").split(",")[0];
  }

  tap(event) {
    event.preventDefault();
    event.stopPropagation();
    if (this.hasDragged) return;
    const item = this.itemOf(event.target), gap = this.gaps.find(({ node }) => node === event.target);
    if (gap && this.picked) this.move(this.picked, gap);
    else if (item) this.pick(item === this.picked ? null : item);
  }

  press(event) {
    const item = this.itemOf(event.target);
    if (!item) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.pick(item === this.picked ? null : item);
    }
    const gap = gapOfKey(this.rows, item, event.key);
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    event.stopPropagation();
    if (gap) this.move(item, gap);
  }

  grab({ target, clientX, clientY, button, isPrimary }) {
    this.hasDragged = false;
    const item = this.itemOf(target);
    if (item && button === 0 && isPrimary) this.dragging = { item, clientX, clientY, isDragged: false, gap: null };
  }

  drag({ clientX, clientY }) {
    const { dragging } = this;
    if (!dragging) return;
    if (!dragging.isDragged && !drags({ clientX, clientY }, dragging)) return;
    if (!dragging.isDragged) this.pick(dragging.item);
    dragging.isDragged = this.hasDragged = true;
    const point = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const [nearest] = [...this.gaps].sort((a, b) => distanceTo(a.box, point) - distanceTo(b.box, point));
    dragging.gap = nearest;
    for (const { node } of this.gaps) node.classList.toggle("target", node === nearest.node);
  }

  drop() {
    const { dragging } = this;
    this.cancelDrag();
    if (dragging?.isDragged && dragging.gap) this.move(dragging.item, dragging.gap);
  }

  cancelDrag() {
    this.dragging = null;
    for (const { node } of this.gaps) node.classList.remove("target");
  }

  move(item, gap) {
    const rows = rowsAfterMove(this.rows, item, gap);
    if (JSON.stringify(toSend(rows)) !== JSON.stringify(toSend(this.rows))) this.show(rows, item);
  }

  add(event) {
    event.preventDefault();
    const name = new FormData(event.target).get("landmark").trim();
    if (!name) return;
    const item = { pit: "", landmark: name };
    this.show([...this.rows, [item]], item);
  }

  /* Has the server draw these rows, with one item picked. */
  show(rows, picked) {
    const { mostRows, mostItems } = this.plan.dataset;
    if (rows.length > mostRows || rows.flat().length > mostItems)
      return say(`The floor plan has at most ${mostRows} rows, and ${mostItems} pits and landmarks.`);
    const query = new URLSearchParams({ arrange: "floor", [PLAN]: JSON.stringify(toSend(rows.filter((items) => items.length))) });
    if (picked) query.set(PICKED, rows.flat().indexOf(picked));
    location.assign(`?${query}`);
  }

  async send() {
    this.save.disabled = true;
    this.command ??= uuid7();
    const answer = await sendArrangement(this.plan.dataset.arrangeFloor, this.command, { items: toSend(this.rows) });
    if (answer && !answer.refusal) return location.assign(this.plan.dataset.done);
    this.save.disabled = false;
    if (answer) this.command = null;
    say(answer ? answer.refusal.message : NO_ANSWER);
  }
}

const plan = globalThis.document?.getElementById("plan");
if (plan?.dataset.arrangeFloor) {
  FloorArrangement.begin(plan);
  document.documentElement.toggleAttribute("data-ready", true);
}
