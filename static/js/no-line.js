/* The page without a line (installed_app.py), which the service worker serves when no page can be loaded. It says what to
   do by what the tablet itself remembers, and loads the page that was asked for once the server answers. */

import { formatTime } from "./facility-time.js";
import { adviceWithoutPage } from "./offline.js";
import { lastDraft, lastStep, waitingActs } from "./waiting-acts.js";

const TRY_EVERY = 2_000, TRY_TIME = 4_000;  // ms

function paint() {
  const step = lastStep(), acts = waitingActs()?.items ?? [];
  if (step?.zone) document.documentElement.dataset.zone = step.zone;  // the facility's, as on every page
  document.getElementById("do").textContent = adviceWithoutPage(step, acts, { isCounting: location.pathname.endsWith("/tray") });
  if (step) document.getElementById("since").textContent =
    `This tablet does not reach the server. It last showed ${step.table}, round ${step.round}, at ${formatTime(step.time, true)}.`;
  document.getElementById("waits").hidden = !acts.length;
  document.querySelector("#waits ol").replaceChildren(...acts.map(({ name, time }) => {
    const line = document.createElement("li");
    line.append(Object.assign(document.createElement("b"), { textContent: name }), formatTime(time, true));
    return line;
  }));
  const { of, title } = lastDraft() ?? {}, draftLine = document.getElementById("kept");
  draftLine.hidden = !of?.startsWith(`${location.pathname} `);
  draftLine.textContent = `What was entered in “${title}” is kept on this tablet. Nothing of it is sent yet.`;
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
