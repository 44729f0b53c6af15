/* Clocks are sent as moments. The page counts them down on the server's time. */

import { clockWarning, formatDate, formatTime, noteServerTime, serverTime } from "./facility-time.js";
import { isSlow, paceOf, paceText } from "./pace.js";
import { inSlices } from "./slices.js";

function formatDuration(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes >= 48 * 60) return `${Math.floor(minutes / 1440)} days`;
  const hours = Math.floor(minutes / 60), pastHour = minutes % 60;
  return hours ? `${hours} h ${String(pastHour).padStart(2, "0")} min` : `${pastHour} min`;
}

const formatRemaining = (seconds, withSeconds) =>
  withSeconds && seconds < 60 ? `${Math.max(0, Math.floor(seconds))} s` : formatDuration(seconds);
const formatStopwatch = (seconds) =>   // 0:20; an hour and more as other durations
  seconds < 3_600 ? `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}` : formatDuration(seconds);
const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };

/* A bar or a dial whose length is the share of the time that is left, in percent. */
function paintRest(node) {
  const begins = Date.parse(node.dataset.restSince), ends = Date.parse(node.dataset.restUntil);
  const percent = ends > begins ? Math.round((100 * (ends - serverTime())) / (ends - begins)) : 0;
  const length = String(Math.max(0, Math.min(100, percent)));
  const [name, value] = node.tagName === "circle" ? ["stroke-dasharray", `${length} 100`] : ["width", length];
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

function paintExpiry(node) {
  const seconds = (Date.parse(node.dataset.expires) - serverTime()) / 1_000;
  setText(node, node.hasAttribute("data-stopwatch") ? formatStopwatch(Math.max(0, seconds)) : formatRemaining(seconds, node.hasAttribute("data-seconds")));
}

function paintElapsed(node) {
  const seconds = Math.max(0, (serverTime() - Date.parse(node.dataset.elapsed)) / 1_000);
  setText(node, node.hasAttribute("data-seconds") ? formatStopwatch(seconds) : formatRemaining(seconds, true));
}

function paintPace(node) {
  const pace = paceOf(node.dataset, serverTime());
  setText(node, paceText(pace));
  node.closest(".pace")?.classList.toggle("slow", isSlow(pace, Number(node.dataset.target)));
}

function paintWarning(node) {
  setText(node, clockWarning());
  node.hidden = !node.textContent;
}

/* By the name in `dataset`: how its nodes are painted. */
const PAINTERS = {
  expires: paintExpiry,
  elapsed: paintElapsed,
  restUntil: paintRest,
  clock: (node) => setText(node, formatTime(node.dataset.clock, node.hasAttribute("data-seconds"))),
  pace: paintPace,
  late: (node) => node.classList.toggle("late", Date.parse(node.dataset.late) <= serverTime()),
  due: (node) => node.classList.toggle("due", Date.parse(node.dataset.due) <= serverTime()),
  now: (node) => setText(node, formatTime(serverTime(), node.dataset.now !== "minutes")),
  today: (node) => setText(node, formatDate(serverTime())),
  clockWarning: paintWarning,
};
const NAMES = Object.keys(PAINTERS);
const CLOCKS = NAMES.map((name) => `[data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}]`).join(", ");

function paintNode(node) {
  for (const name of NAMES) if (name in node.dataset) PAINTERS[name](node);
}

function markRoot() {
  const root = document.documentElement;
  root?.toggleAttribute?.("data-clock-off", Boolean(clockWarning()));
  root?.toggleAttribute?.("data-clocks", true);  // type.css hides times until then
}

/* The moments of the server that a part of the page shows. */
function noteMoments(part) {
  for (const { dataset } of [...(part.dataset?.asOf ? [part] : []), ...part.querySelectorAll("[data-as-of]")])
    noteServerTime(dataset.asOf);
}

/* Paints the clocks of a part of the page at once. */
export function paintClocks(part = document) {
  noteMoments(part);
  for (const node of part.querySelectorAll(CLOCKS)) paintNode(node);
  markRoot();
}

/* The clocks of three hundred tables at once took 36 ms. Moments are noted again: the device's clock may have been set
   back, and then every one of them is ahead of it. */
async function paintEverySecond() {
  noteMoments(document);
  await inSlices(document.querySelectorAll(CLOCKS), paintNode);
  markRoot();
}

/* Of three hundred tiles one has changed: the clocks of the others are painted every second anyway. */
function paintChanged({ detail }) {
  const tiles = document.querySelectorAll(".tile");
  const changed = tiles.length > 1 && [...tiles].find(({ dataset }) => dataset.table === detail?.table);
  paintClocks(changed || document);
}

addEventListener("screen:applied", paintChanged);
setInterval(paintEverySecond, 1_000);
paintClocks();
