/* The landing of the demo: asks for the floor every few seconds, and begins the guided shift with the first round. */

import { forgetHeads } from "./heads.js";

const INTERVAL = 2_500, TIMEOUT = 8_000;
const floor = document.getElementById("demo-floor"), line = document.getElementById("land-line");

async function refresh() {
  if (!document.hidden) {
    try {
      const response = await fetch(floor.dataset.from, { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(TIMEOUT) });
      if (!response.ok) throw new Error(String(response.status));
      globalThis.Idiomorph.morph(floor, await response.text(), { morphStyle: "innerHTML" });
      line.textContent = "LIVE";
    } catch {
      line.textContent = "STALE";
    }
    line.classList.toggle("stale", line.textContent !== "LIVE");
  }
  setTimeout(refresh, INTERVAL);
}

localStorage.removeItem("pitside-guided-shift");  // who is here has left it
forgetHeads();  // a browser that becomes a device here is new to its database, which may have been created again
document.querySelector("[data-guide]").addEventListener("submit", () => {
  localStorage.setItem("pitside-guided-shift", "0");
  localStorage.removeItem("pitside-guided-round");
});
setTimeout(refresh, INTERVAL);
