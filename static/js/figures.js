/* The pages of figures: while they show today, the figures are fetched again every few seconds, and a page that cannot be
   says so; filters close each other. */

import { formatTime } from "./facility-time.js";

const INTERVAL = 5_000, READ_TIMEOUT = 15_000, STALE_AFTER = 20_000, TICK = 1_000;
let readTime = Date.now();

async function fetchPage() {
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store", signal: AbortSignal.timeout(READ_TIMEOUT) });
    return { status: response.status, html: response.ok ? await response.text() : "" };
  } catch {
    return { status: 0, html: "" };
  }
}

async function read() {
  const body = document.getElementById("figures-body");
  if (!body?.hasAttribute("data-live") || document.hidden) return;
  const { status, html } = await fetchPage();
  if ([401, 403, 423].includes(status)) return location.reload();
  const fresh = new DOMParser().parseFromString(html, "text/html").getElementById("figures-body");
  if (!fresh) return;
  Idiomorph.morph(body, fresh, { ignoreActiveValue: true });
  readTime = Date.now();
}

async function readAgain() {
  await read();
  setTimeout(readAgain, INTERVAL);
}
setTimeout(readAgain, INTERVAL);
document.addEventListener("visibilitychange", read);

function paintAge() {
  const line = document.getElementById("figures-stale"), age = Date.now() - readTime;
  if (!line || document.hidden) return;
  line.hidden = navigator.onLine && age < STALE_AFTER;
  line.textContent = line.hidden ? "" : `STALE: these are the figures of ${formatTime(readTime, true)}. They could not be read again for ${Math.round(age / 1_000)} s.`;
}
setInterval(paintAge, TICK);

document.addEventListener("toggle", ({ target }) => {
  if (!target.matches?.(".filter") || !target.open) return;
  for (const filter of document.querySelectorAll(".filter[open]")) if (filter !== target) filter.open = false;
}, true);
document.addEventListener("click", ({ target }) => {
  for (const filter of document.querySelectorAll(".filter[open]")) if (!filter.contains(target)) filter.open = false;
});
document.addEventListener("keydown", ({ key }) => {
  const filter = key === "Escape" && document.querySelector(".filter[open]");
  if (!filter) return;
  filter.open = false;
  filter.querySelector("summary").focus();
});
