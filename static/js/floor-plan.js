/* The floor plan. Each tile contains the drawing of its table, and the page has the places. The lens is chosen for this
   device alone, and nothing is sent. */

import { paintClocks } from "./clocks.js";
import { signedDollars, sumOf } from "./pit-sums.js";

const STORED = "pitside.plan-lens";
const plan = document.getElementById("plan");
const places = new Map(plan && [...plan.querySelectorAll("[data-plan-of]")].map((place) => [place.dataset.planOf, place]));
const painted = new Map();  // what was drawn last, by table
const setText = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };

function showLens(lens) {
  plan.dataset.lens = lens;
  localStorage.setItem(STORED, lens);
  for (const button of plan.querySelectorAll("[data-lens-of]"))
    button.setAttribute("aria-pressed", String(button.dataset.lensOf === lens));
}

function paintTable(tile) {
  const { table } = tile.dataset, place = places.get(table);
  const drawing = tile.querySelector("template[data-plan]")?.content.querySelector("a");
  if (!place || !drawing) return;
  place.classList.toggle("unmatched", tile.matches(".unmatched"));
  if (painted.get(table) === drawing.outerHTML) return;
  painted.set(table, drawing.outerHTML);
  const isFocused = place.contains(document.activeElement);
  place.replaceChildren(drawing.cloneNode(true));
  if (isFocused) place.firstElementChild.focus();
  paintClocks(place);
}

function paintPit(node, tiles) {
  const live = tiles.filter(({ dataset }) => dataset.kind === "live");
  const open = live.filter(({ dataset }) => dataset.status === "open");
  const people = tiles.map((tile) => tile.querySelector(".boss")?.textContent).filter(Boolean);
  setText(node.querySelector("[data-open]"), `${open.length} of ${live.length} open`);
  setText(node.querySelector("[data-win]"), signedDollars(sumOf(live, "win")));
  setText(node.querySelector("[data-floorpersons]"), [...new Set(people)].join(", "));
}

/* Drawn only while it is shown, because a floor of three hundred tables changes all the time. */
function paintPlan() {
  if (!plan?.checkVisibility()) return;
  for (const pit of document.querySelectorAll("[data-pit]")) {
    const tiles = [...pit.querySelectorAll(".tile")];
    for (const tile of tiles) paintTable(tile);
    const node = plan.querySelector(`[data-plan-pit="${CSS.escape(pit.dataset.pit)}"]`);
    if (node) paintPit(node, tiles);
  }
}

if (plan) {
  showLens(localStorage.getItem(STORED) ?? "state");
  plan.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-lens-of]");
    if (button) showLens(button.dataset.lensOf);
  });
  addEventListener("floor:view", paintPlan);
}
