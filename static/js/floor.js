/* The pit: alerts and sums are gathered from the tiles, so that a tile's push is all that a dashboard needs. */

import "./live.js";
import { clocks } from "./clocks.js";
import "./alerts.js";

const dollars = (cents) => {
  const text = (Math.abs(cents) / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 });
  return `${cents < 0 ? "−" : ""}$${text}`;
};
const signed = (cents) => (cents > 0 ? "+" : "") + dollars(cents);
const write = (name, text) => {
  for (const node of document.querySelectorAll(`[data-sum="${name}"]`)) if (node.textContent !== text) node.textContent = text;
};

function gather() {
  const tiles = [...document.querySelectorAll(".tile")];
  const live = tiles.filter((tile) => tile.dataset.kind === "live");
  const open = live.filter((tile) => tile.dataset.status === "open");
  const sum = (list, key) => list.reduce((total, tile) => total + Number(tile.dataset[key]), 0);
  write("open", String(open.length));
  write("playing", String(sum(open, "playing")));
  write("pace", String(sum(open, "pace")));
  write("handle", dollars(sum(live, "handle")));
  write("win", signed(sum(live, "win")));
  for (const pit of document.querySelectorAll("[data-pit]")) {
    const own = [...pit.querySelectorAll(".tile")].filter((tile) => tile.dataset.kind === "live");
    pit.querySelector("[data-pit-win]").textContent = signed(sum(own, "win"));
    pit.querySelector("[data-pit-open]").textContent =
      `${own.filter((tile) => tile.dataset.status === "open").length} of ${own.length} open`;
  }
  alerts(tiles);
}

let gathered = null;

function alerts(tiles) {
  const rail = document.getElementById("alerts");
  if (!rail) return;
  const found = tiles.flatMap((tile) => [...tile.querySelectorAll("template[data-alerts]")]
    .flatMap((held) => [...held.content.querySelectorAll(".alert")]));
  found.sort((a, b) => a.dataset.rank - b.dataset.rank);
  const text = found.map((alert) => alert.outerHTML).join();
  if (text === gathered) return;
  gathered = text;
  const held = document.activeElement?.dataset.acknowledge;
  rail.replaceChildren(...found.map((alert) => alert.cloneNode(true)));
  rail.querySelector(`[data-acknowledge="${held}"]`)?.focus();
  const bright = found.filter((alert) => !alert.matches(".calm")).length;
  document.getElementById("alert-count").textContent = bright || "";
  document.getElementById("no-alerts").hidden = bright > 0;
  clocks();
}

addEventListener("screen:applied", gather);
gather();
