/* The wall: read from five meters, touched by nobody. Sums, the loudest table and what comes next are collected from the
   tables' fragments and the planned reliefs, which are all that its socket brings. */

import "./live.js";
import { groupAlerts, memberWords } from "./alert-groups.js";
import { paintClocks } from "./clocks.js";
import { serverTime } from "./facility-time.js";
import { paceText } from "./pace.js";
import { collectSums, dollars, signedDollars, spread } from "./pit-sums.js";

const PAINT_INTERVAL = 200, PACE_INTERVAL = 10_000, MOST_COMING = 3, MOST_LINES = 2, SOON = 3_600_000, LONGEST_AHEAD = 8 * SOON, BAND_WIDTH = 200, BAND_MIDDLE = 300;
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

/* Equal alerts of a pit are one line, as at a podium: the loud one with a number in place of its table. */
function paintLoudGroup(box, line) {
  box.querySelector("h2").className = "";
  setText(box.querySelector("h2 span"), String(line.length));
  setText(box.querySelector(".wall-what"), line[0].dataset.joins);
  setText(box.querySelector(".wall-todo"), memberWords(line));
  if ("says" in line[0].dataset) setText(box.querySelector(".wall-who strong"), "Whole floor.");
}

function lineOf(line) {
  const item = line[0].cloneNode(true);
  if (line.length === 1) return item;
  item.querySelector(".sign").replaceWith(Object.assign(document.createElement("strong"), { textContent: line.length }));
  setText(item.querySelector("b"), line[0].dataset.joins);
  setText(item.querySelector("span"), memberWords(line));
  return item;
}

/* What has no place of its own is counted, and its tables are named. */
function lineOfOthers(lines) {
  const alerts = lines.flat(), item = lineOf([alerts[0]]);
  item.querySelector("time")?.remove();
  item.querySelector(".sign").replaceWith(Object.assign(document.createElement("strong"), { textContent: `+${alerts.length}` }));
  setText(item.querySelector("b"), "More alerts at the podium");
  setText(item.querySelector("span"), [...new Set(alerts.map(({ dataset }) => dataset.code))].join(", "));
  return item;
}

let painted = "";

function paintLoud(tables) {
  const box = document.getElementById("loud"), list = document.getElementById("waiting");
  const table = loudest(tables), template = table?.querySelector("template[data-alert]");
  const waiting = tables.flatMap((article) => [...article.querySelector("template[data-waiting]").content.children]);
  waiting.sort((a, b) => a.dataset.order.localeCompare(b.dataset.order));
  const html = [template?.innerHTML ?? "", ...waiting.map((alert) => alert.outerHTML)].join();
  Object.assign(document.getElementById("wall").dataset, { level: template?.dataset.level ?? "calm" });
  document.getElementById("wall").toggleAttribute("data-unanswered", template?.hasAttribute("data-unanswered") ?? false);
  if (html === painted && box.hasChildNodes()) return;
  painted = html;
  const lines = groupAlerts(waiting);
  const loud = lines.find((line) => line.some(({ dataset }) => dataset.code === table?.dataset.table && "loud" in dataset));
  const others = lines.filter((line) => line !== loud);
  const alone = others.length > MOST_LINES ? others.slice(0, MOST_LINES - 1) : others;
  list.replaceChildren(...alone.map(lineOf), ...(others.length > MOST_LINES ? [lineOfOthers(others.slice(alone.length))] : []));
  if (template) box.replaceChildren(template.content.cloneNode(true));
  else box.innerHTML = '<p class="wall-calm"><b>All calm</b> Nobody is needed.</p>';
  if (loud?.length > 1) paintLoudGroup(box, loud);
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
setInterval(paintSoon, PACE_INTERVAL);  // nothing is sent while every table is still: the pace falls, and what comes is near
addEventListener("wall:reliefs", ({ detail }) => {
  document.getElementById("reliefs").innerHTML = detail;
  paintSoon();
});
paint();
