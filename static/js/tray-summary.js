/* The tray on the page of its table, read again every few seconds; while it cannot be read it says how old it is. */

import { paintClocks } from "./clocks.js";
import { formatTime } from "./facility-time.js";

const INTERVAL = 4_000, READ_TIMEOUT = 5_000;
const box = () => document.querySelector("[data-live-summary]");
let tag = "", readTime = null;

async function read() {
  const address = box()?.dataset.liveSummary;
  if (!address) return true;
  try {
    const response = await fetch(address, {
      cache: "no-store", redirect: "error", headers: tag ? { "If-None-Match": tag } : {}, signal: AbortSignal.timeout(READ_TIMEOUT),
    });
    if ([401, 403, 423].includes(response.status)) return false;
    if (response.ok) {
      const html = await response.text();
      if (!html) return false;  // this table's chips are not kept
      box().innerHTML = html;
      box().hidden = false;
      tag = response.headers.get("ETag") ?? "";
      paintClocks(box());
    }
    if (response.ok || response.status === 304) {
      readTime = Date.now();
      sayAge(false);
    } else sayAge(true);
  } catch {
    sayAge(true);
  }
  return true;
}

function sayAge(isOld) {
  const age = box()?.querySelector("[data-tray-age]");
  if (!age) return;
  age.hidden = !isOld;
  age.textContent = `Not updated since ${formatTime(readTime, true)}.`;
}

async function run() {
  if (document.hidden || await read()) setTimeout(run, INTERVAL);
}

run();
