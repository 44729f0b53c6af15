/* The page without a line (installed_app.py), which the service worker serves when no page can be loaded. It says what to
   do by what the tablet itself remembers, and loads the page that was asked for once the server answers. */

import { formatTime } from "./facility-time.js";
import { lastStep, waitingActs } from "./waiting-acts.js";

const TRY_EVERY = 2_000, TRY_TIME = 4_000;  // ms
const STEPS = {
  "betting": "Take no more wagers. Leave the chips as they lie. Call the floor.",
  "say": "Bets stay closed. Write the dice down and call the floor. Take and pay nothing yet.",
  "dice": "Write the dice down and call the floor. Take and pay nothing yet.",
  "lit": "Take and pay nothing more. Leave the dice as they lie. Call the floor.",
  "paying": "Pay nothing more. Leave the dice as they lie. Call the floor.",
  "return": "Give nothing more back. Call the floor.",
};
const ELSEWHERE = "Leave chips and dice as they lie. Call the floor.";

/* Once the closing of the bets was tapped the players have heard it, whatever the server knows of it. */
export function advice(step, acts) {
  if (step?.mode !== "dice" && acts.some(({ closes }) => closes)) return STEPS.say;
  return STEPS[step?.mode] ?? ELSEWHERE;
}

function paint() {
  const step = lastStep(), acts = waitingActs()?.items ?? [];
  if (step?.zone) document.documentElement.dataset.zone = step.zone;  // the facility's, as on every page
  document.getElementById("do").textContent = advice(step, acts);
  if (step) document.getElementById("since").textContent =
    `This tablet does not reach the server. It last showed ${step.table}, round ${step.round}, at ${formatTime(step.time, true)}.`;
  document.getElementById("waits").hidden = !acts.length;
  document.querySelector("#waits ol").replaceChildren(...acts.map(({ name, time }) => {
    const line = document.createElement("li");
    line.append(Object.assign(document.createElement("b"), { textContent: name }), formatTime(time, true));
    return line;
  }));
}

let isTrying = false;
async function tryAgain() {
  if (isTrying) return;
  isTrying = true;
  try {
    const { ok } = await fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(TRY_TIME) });
    if (ok) location.reload();
  } catch { /* still no line */ } finally {
    isTrying = false;
  }
}

paint();
addEventListener("online", tryAgain);
document.getElementById("again").addEventListener("click", tryAgain);
setInterval(tryAgain, TRY_EVERY);
