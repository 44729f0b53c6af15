/* Clocks are sent as moments. The page counts them down on the server's time. */

import { clockWarning, formatDate, formatTime, noteServerTime, serverTime } from "./facility-time.js";

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

export function paintClocks(part = document) {
  for (const { dataset } of [...(part.dataset?.asOf ? [part] : []), ...part.querySelectorAll("[data-as-of]")])
    noteServerTime(dataset.asOf);
  for (const node of part.querySelectorAll("[data-expires]")) {
    const seconds = (Date.parse(node.dataset.expires) - serverTime()) / 1_000;
    setText(node, node.hasAttribute("data-stopwatch") ? formatStopwatch(Math.max(0, seconds)) : formatRemaining(seconds, node.hasAttribute("data-seconds")));
  }
  for (const node of part.querySelectorAll("[data-elapsed]")) {
    const seconds = Math.max(0, (serverTime() - Date.parse(node.dataset.elapsed)) / 1_000);
    setText(node, node.hasAttribute("data-seconds") ? formatStopwatch(seconds) : formatRemaining(seconds, true));
  }
  for (const node of part.querySelectorAll("[data-rest-until]")) paintRest(node);
  for (const node of part.querySelectorAll("[data-clock]"))
    setText(node, formatTime(node.dataset.clock, node.hasAttribute("data-seconds")));
  for (const node of part.querySelectorAll("[data-due]"))
    node.classList.toggle("due", Date.parse(node.dataset.due) <= serverTime());
  for (const node of part.querySelectorAll("[data-now]"))
    setText(node, formatTime(serverTime(), node.dataset.now !== "minutes"));
  for (const node of part.querySelectorAll("[data-today]")) setText(node, formatDate(serverTime()));
  for (const node of part.querySelectorAll("[data-clock-warning]")) {
    setText(node, clockWarning());
    node.hidden = !node.textContent;
  }
  document.documentElement?.toggleAttribute?.("data-clock-off", Boolean(clockWarning()));
  document.documentElement?.toggleAttribute?.("data-clocks", true);  // type.css hides times until then
}

/* Of three hundred tiles one has changed: the clocks of the others are painted every second anyway. */
function paintChanged({ detail }) {
  const tiles = document.querySelectorAll(".tile");
  const changed = tiles.length > 1 && [...tiles].find(({ dataset }) => dataset.table === detail?.table);
  paintClocks(changed || document);
}

addEventListener("screen:applied", paintChanged);
setInterval(() => paintClocks(), 1_000);
paintClocks();
