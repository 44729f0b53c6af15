/* The wall: read from five meters, touched by nobody. Sums, the loudest table and what comes next are collected from the
   tables' fragments and the planned reliefs, which are all that its socket brings. */

import "./live.js";
import { paintClocks } from "./clocks.js";
import { serverTime } from "./facility-time.js";
import { paceText } from "./pace.js";
import { collectSums, dollars, signedDollars, spread } from "./pit-sums.js";

const PAINT_INTERVAL = 200, MOST_COMING = 3, SOON = 3_600_000, LONGEST_AHEAD = 8 * SOON, BAND_WIDTH = 200, BAND_MIDDLE = 300;
const tablesOf = () => [...document.querySelectorAll("live-screen [data-table]")];
const isLive = ({ dataset }) => dataset.kind === "live";
const setText = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };
const fillAll = (name, text) => { for (const node of document.querySelectorAll(`[data-sum="${name}"]`)) setText(node, text); };

function paintSums(live) {
  const sums = collectSums(live);
  fillAll("open", String(sums.open));
  fillAll("tables", String(live.length));
  fillAll("playing", String(sums.playing));
  fillAll("seats", String(sums.seats));
  fillAll("win", signedDollars(sums.win));
}

function paintPit(node, live) {
  const sums = collectSums(live.filter(({ dataset }) => dataset.pit === node.dataset.pitSums));
  setText(node.querySelector("[data-win]"), signedDollars(sums.win));
  setText(node.querySelector("[data-pit-pace]"), paceText(sums.pace));
  setText(node.querySelector("[data-target-pace]"), sums.target ? `, target ${sums.target}` : "");
  setText(node.querySelector("[data-playing]"), String(sums.playing));
  setText(node.querySelector("[data-seats]"), String(sums.seats));
  node.querySelector(".wall-taken .rest").setAttribute("width", sums.seats ? (100 * sums.playing) / sums.seats : 0);
  const isKnown = sums.band > 0;
  node.querySelector(".band").classList.toggle("unknown", !isKnown);
  setText(node.querySelector("[data-band]"), isKnown ? `expected ${dollars(sums.expected)} ± ${dollars(sums.band)}` : "");
  const place = BAND_MIDDLE + BAND_WIDTH * spread(sums);
  node.querySelector(".band circle")?.setAttribute("cx", place);
}

/* The order of tables: stops, then calls, then the rest; among equals the oldest first. */
function loudest(tables) {
  const calling = tables.filter(({ dataset }) => dataset.loud);
  return calling.sort((a, b) => a.dataset.loud.localeCompare(b.dataset.loud))[0];
}

let painted = "";

function paintLoud(tables) {
  const box = document.getElementById("loud"), template = loudest(tables)?.querySelector("template[data-alert]");
  const html = template?.innerHTML ?? "";
  document.getElementById("wall").dataset.level = template?.dataset.level ?? "calm";
  if (html === painted && box.hasChildNodes()) return;
  painted = html;
  if (template) box.replaceChildren(template.content.cloneNode(true));
  else box.innerHTML = '<p class="wall-calm"><b>All calm</b> Nobody is needed.</p>';
}

const timeLeft = (moment) => Date.parse(moment) - serverTime();

function paintComing(tables) {
  const templates = [...tables.map((table) => table.querySelector("template[data-coming]")), document.getElementById("reliefs")];
  const events = templates.flatMap(({ content }) => [...content.children]);
  events.sort((a, b) => a.dataset.at.localeCompare(b.dataset.at));
  const rows = events.filter(({ dataset }) => timeLeft(dataset.at) < LONGEST_AHEAD).slice(0, MOST_COMING)
    .map((event) => event.cloneNode(true));
  for (const row of rows) row.classList.toggle("soon", timeLeft(row.dataset.at) < SOON);
  document.getElementById("next").replaceChildren(...rows);
  document.getElementById("nothing-next").hidden = rows.length > 0;
}

function paintMap(tables) {
  for (const row of document.querySelectorAll("[data-pit-map]")) {
    const marks = tables.filter(({ dataset }) => dataset.pit === row.dataset.pitMap).map((table) => {
      const level = table.querySelector("template[data-alert]")?.dataset.level;
      const mark = Object.assign(document.createElement("b"), { textContent: table.dataset.table });
      mark.className = level ?? table.dataset.status;
      if (level) mark.prepend(Object.assign(document.createElement("i"), { className: "hush", textContent: `${level} ` }));
      return mark;
    });
    row.replaceChildren(row.firstElementChild, ...marks);
  }
}

function paint() {
  const tables = tablesOf(), live = tables.filter(isLive);
  paintSums(live);
  for (const node of document.querySelectorAll("[data-pit-sums]")) paintPit(node, live);
  paintLoud(tables);
  paintComing(tables);
  paintMap(tables);
  paintClocks();
}

let paintTimer = null;

function paintSoon() {
  paintTimer ??= setTimeout(() => {
    paintTimer = null;
    paint();
  }, PAINT_INTERVAL);
}

addEventListener("screen:applied", paintSoon);
addEventListener("wall:reliefs", ({ detail }) => {
  document.getElementById("reliefs").innerHTML = detail;
  paintSoon();
});
paint();
