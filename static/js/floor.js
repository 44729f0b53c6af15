/* The pit: alerts and sums are gathered from the tiles, so that a tile's push is all that a dashboard needs. */

import "./live.js";
import "./clocks.js";

const LEVELS = ["stop", "warn", "info"];
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

function alerts(tiles) {
  const rail = document.getElementById("alerts");
  if (!rail) return;
  const found = tiles.flatMap((tile) => [...tile.querySelectorAll("template[data-alerts]")]
    .flatMap((held) => [...held.content.querySelectorAll(".alert")]));
  found.sort((a, b) => LEVELS.indexOf(a.dataset.level) - LEVELS.indexOf(b.dataset.level));
  const fresh = found.map((alert) => alert.cloneNode(true));
  if (fresh.map((node) => node.outerHTML).join() === [...rail.children].map((node) => node.outerHTML).join()) return;
  rail.replaceChildren(...fresh);
  document.getElementById("alert-count").textContent = fresh.length || "";
  document.getElementById("no-alerts").hidden = fresh.length > 0;
}

addEventListener("screen:applied", gather);
gather();
