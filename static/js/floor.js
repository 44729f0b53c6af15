/* The floor page: alerts and sums are collected from the tiles, so a dashboard needs only the tiles' pushes. */

import "./live.js";
import { paintClocks } from "./clocks.js";
import "./alerts.js";

const dollars = (cents) => {
  const text = (Math.abs(cents) / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 });
  return `${cents < 0 ? "−" : ""}$${text}`;
};
const signedDollars = (cents) => (cents > 0 ? "+" : "") + dollars(cents);
const PAINT_INTERVAL = 200;
const isLive = (tile) => tile.dataset.kind === "live";
const isOpen = (tile) => tile.dataset.status === "open";
const sumOf = (tiles, figure) => tiles.reduce((sum, tile) => sum + Number(tile.dataset[figure]), 0);

function setSum(name, text) {
  for (const node of document.querySelectorAll(`[data-sum="${name}"]`))
    if (node.textContent !== text) node.textContent = text;
}

function paint() {
  const tiles = [...document.querySelectorAll(".tile")], live = tiles.filter(isLive), open = live.filter(isOpen);
  setSum("open", String(open.length));
  setSum("playing", String(sumOf(open, "playing")));
  setSum("pace", String(sumOf(open, "pace")));
  setSum("handle", dollars(sumOf(live, "handle")));
  setSum("win", signedDollars(sumOf(live, "win")));
  for (const pit of document.querySelectorAll("[data-pit]")) {
    const own = [...pit.querySelectorAll(".tile")].filter(isLive);
    pit.querySelector("[data-pit-win]").textContent = signedDollars(sumOf(own, "win"));
    pit.querySelector("[data-pit-open]").textContent = `${own.filter(isOpen).length} of ${own.length} open`;
  }
  paintAlerts(tiles);
}

let paintedAlerts = null;

function paintAlerts(tiles) {
  const rail = document.getElementById("alerts");
  if (!rail) return;
  const templates = tiles.flatMap((tile) => [...tile.querySelectorAll("template[data-alerts]")]);
  const alerts = templates.flatMap((template) => [...template.content.querySelectorAll(".alert")]);
  alerts.sort((a, b) => a.dataset.rank - b.dataset.rank);
  const html = alerts.map((alert) => alert.outerHTML).join();
  if (html === paintedAlerts) return;
  paintedAlerts = html;
  const focused = document.activeElement?.dataset.acknowledge;
  rail.replaceChildren(...alerts.map((alert) => alert.cloneNode(true)));
  rail.querySelector(`[data-acknowledge="${focused}"]`)?.focus();
  const active = alerts.filter((alert) => !alert.matches(".calm")).length;
  document.getElementById("alert-count").textContent = active || "";
  document.getElementById("no-alerts").hidden = active > 0;
  paintClocks();
}

/* Sums and alerts are read from all tiles. A large floor changes faster than anybody reads a sum, and a resync applies
   every tile at once: so they are painted once for all changes of a fifth of a second. */
let paintTimer = null;

function paintSoon() {
  paintTimer ??= setTimeout(() => {
    paintTimer = null;
    paint();
  }, PAINT_INTERVAL);
}

addEventListener("screen:applied", paintSoon);
paint();
