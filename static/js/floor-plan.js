/* The floor plan. Each tile contains the drawing of its table, and the page has the places. The lens is chosen for this
   device alone, and nothing is sent. Only the occupancy is read apart, every half minute while its lens is chosen: it is of
   the last hour, which no tile has. */

import { paintClocks } from "./clocks.js";
import { formatTime } from "./facility-time.js";
import { signedDollars, sumOf } from "./pit-sums.js";

const STORED = "pitside.plan-lens", OCCUPANCY = "occupancy";
const INTERVAL = 30_000, READ_TIMEOUT = 8_000;
const plan = document.getElementById("plan");
const places = new Map(plan && [...plan.querySelectorAll("[data-plan-of]")].map((place) => [place.dataset.planOf, place]));
const painted = new Map();  // what was drawn last, by table
const setText = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };

let occupancy = { tables: {} }, readTime = -INTERVAL, timer = null;  // as the server sent it last

function showLens(name) {
  const lens = plan.querySelector(`[data-lens-of="${CSS.escape(name)}"]`) ? name : "state";  // a locked podium has fewer
  plan.dataset.lens = lens;
  localStorage.setItem(STORED, lens);
  for (const button of plan.querySelectorAll("[data-lens-of]"))
    button.setAttribute("aria-pressed", String(button.dataset.lensOf === lens));
  clearTimeout(timer);
  if (lens === OCCUPANCY) readOccupancy();
}

/* Reads again while the lens is chosen. What cannot be read stays, with the time at which it was. */
async function readOccupancy() {
  if (!document.hidden && plan.checkVisibility()) {
    readTime = performance.now();
    try {
      const response = await fetch(plan.dataset.occupancy, { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(READ_TIMEOUT) });
      if (response.ok) occupancy = await response.json();
    } catch { /* the page says as of when */ }
    setText(document.getElementById("occupancy-age"), occupancy.as_of ? `, as of ${formatTime(occupancy.as_of)}` : "");
    for (const code of places.keys()) paintOccupancy(code);
  }
  clearTimeout(timer);
  if (plan.dataset.lens === OCCUPANCY) timer = setTimeout(readOccupancy, INTERVAL);
}

function paintOccupancy(code) {
  const place = places.get(code), { text = "–", level = "" } = occupancy.tables[code] ?? {};
  setText(place.querySelector(`.say[data-lens="${OCCUPANCY}"]`), text);
  for (const name of ["full", "empty"]) place.classList.toggle(`is-${name}`, level === name);
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
  paintOccupancy(table);
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
  if (plan?.parentElement.dataset.view !== "plan" || !plan.checkVisibility()) return;  // the second is the slow one
  if (plan.dataset.lens === OCCUPANCY && performance.now() - readTime >= INTERVAL) readOccupancy();
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
