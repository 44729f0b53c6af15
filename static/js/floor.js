/* The floor page: alerts and sums are collected from the tiles, so a dashboard needs only the tiles' pushes. */

import "./live.js";
import { paintClocks } from "./clocks.js";
import { serverTime } from "./facility-time.js";
import { paceOfAll, paceText } from "./pace.js";
import "./alerts.js";
import { groupAlerts, joinedLine } from "./alert-groups.js";
import { watchAlerts } from "./alert-sounds.js";
import { paintSummary } from "./alert-summary.js";
import "./pit-lock.js";
import { collectSums, dollars, signedDollars, spread, sumOf } from "./pit-sums.js";
import "./floor-plan.js";
import { paintViews } from "./pit-views.js";
import { QuickTaps } from "./quick-taps.js";
import { nextTask } from "./slices.js";

const PAINT_INTERVAL = 200, PACE_INTERVAL = 10_000;  // ms
const isLive = (tile) => tile.dataset.kind === "live";
const isOpen = (tile) => tile.dataset.status === "open";

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setSum(name, text) {
  for (const node of document.querySelectorAll(`[data-sum="${name}"]`)) setText(node, text);
}

/* The tables of this person, whose totals the page names; all of them where it lists none. */
const yours = document.querySelector(".floor[data-yours]")?.dataset.yours.split(" ");

function paintWhole(live) {
  const texts = { win: signedDollars(sumOf(live, "win")), open: String(live.filter(isOpen).length) };
  for (const node of document.querySelectorAll("[data-whole]")) setText(node, texts[node.dataset.whole]);
}

function paintSums(tiles) {
  const all = tiles.filter(isLive), live = yours ? all.filter(({ dataset }) => yours.includes(dataset.table)) : all;
  const open = live.filter(isOpen);
  paintWhole(all);
  setSum("open", String(open.length));
  setSum("playing", String(sumOf(open, "playing")));
  setSum("pace", paceText(paceOfAll(open, serverTime())));
  setSum("handle", dollars(sumOf(live, "handle")));
  setSum("win", signedDollars(sumOf(live, "win")));
  paintBand(collectSums(live));
}

function paintPits() {
  for (const pit of document.querySelectorAll("[data-pit]")) {
    const own = [...pit.querySelectorAll(".tile")].filter(isLive);
    setText(pit.querySelector("[data-pit-win]"), signedDollars(sumOf(own, "win")));
    setText(pit.querySelector("[data-pit-open]"), `${own.filter(isOpen).length} of ${own.length} open`);
  }
}

/* Each part in a task of its own: together those of three hundred tiles took 60 ms. */
async function paint() {
  for (const paintPart of [paintSums, paintPits, paintViews, paintAlerts]) {
    paintPart([...document.querySelectorAll(".tile")]);
    await nextTask();
  }
}

function paintBand(sums) {
  const band = document.getElementById("floor-band"), isKnown = sums.band > 0;
  setSum("expected", isKnown ? `, expected ${dollars(sums.expected)} ± ${dollars(sums.band)}` : " today");
  if (!band) return;
  band.toggleAttribute("hidden", !isKnown);
  band.querySelector("circle").setAttribute("cx", 60 + 40 * spread(sums));
}

let paintedAlerts = null;
const rail = document.getElementById("alerts");
const quickTaps = rail && QuickTaps.watch(rail, { fingersOnly: true });  // an act that was signed for is sent by a script

/* Tiles are the same for everybody. Where the server would refuse this person's answer, the alert offers none and says who
   answers there. */
let tablesAnswered = rail?.closest("[data-answered]")?.dataset.answered.split(" ");

/* The person's duty has changed: who answers where is painted again. */
function answerAt(tables) {
  if (!tablesAnswered) return;
  tablesAnswered = tables;
  paintedAlerts = null;
  paintSoon();
}

export function forThisPerson(alert, tables = tablesAnswered) {
  const table = alert.querySelector("[data-acknowledge]")?.dataset.of;
  if (!tables || !table || tables.includes(table)) return alert;
  alert.querySelector(".not-yours").hidden = false;
  alert.querySelector(".answers").remove();
  return alert;
}

function paintAlerts() {
  if (!rail) return;
  const templates = [...document.querySelectorAll(".tile > template[data-alerts]")];
  const alerts = templates.flatMap((template) => [...template.content.children]);
  /* the newest first among equals: moments are texts of one format */
  alerts.sort((a, b) => a.dataset.rank - b.dataset.rank || (a.dataset.since < b.dataset.since ? 1 : -1));
  const html = alerts.map((alert) => alert.outerHTML).join();
  if (html === paintedAlerts) return;
  paintedAlerts = html;
  const { acknowledge: id, alertAct } = document.activeElement?.dataset ?? {};
  quickTaps.remember();  // an alert that moves up is not answered by a tap meant for another
  const groups = groupAlerts(alerts);
  const lines = groups.map((line) => line.map((alert) => forThisPerson(alert.cloneNode(true))));
  rail.replaceChildren(...lines.map((line) => (line.length > 1 ? joinedLine(line) : line[0])));
  paintSummary(groups);
  rail.querySelector(`[data-acknowledge="${id}"][data-alert-act="${alertAct}"]`)?.focus();
  const active = groupAlerts(alerts.filter((alert) => !alert.matches(".calm"))).length;
  document.getElementById("alert-count").textContent = active || "";
  document.getElementById("no-alerts").hidden = active > 0;
  paintClocks(rail.closest(".rail"));
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
setInterval(paintSoon, PACE_INTERVAL);  // nothing is sent while every table is still, and the pace falls
addEventListener("floor:answered", ({ detail }) => answerAt(detail));
paint();
watchAlerts(() => [...document.querySelectorAll("#alerts .alert")]);
