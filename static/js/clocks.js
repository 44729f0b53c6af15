/* Clocks travel as moments; the screen counts them down on the server's time. */

let offset = -Infinity;   // server minus tablet; the largest seen is the one with the least delay in it

const now = () => Date.now() + (offset === -Infinity ? 0 : offset);

export function span(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes >= 48 * 60) return `${Math.floor(minutes / 1440)} days`;
  const hours = Math.floor(minutes / 60), rest = minutes % 60;
  return hours ? `${hours} h ${String(rest).padStart(2, "0")} min` : `${rest} min`;
}

const remaining = (left, seconds) => seconds && left < 60 ? `${Math.max(0, Math.floor(left))} s` : span(left);
const time = (moment, seconds) => new Date(moment).toLocaleTimeString("en-GB",
  { hour: "2-digit", minute: "2-digit", ...(seconds && { second: "2-digit" }) });
const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };

export function clocks() {
  for (const part of document.querySelectorAll("[data-as-of]"))
    offset = Math.max(offset, Date.parse(part.dataset.asOf) - Date.now());
  for (const node of document.querySelectorAll("[data-expires]"))
    write(node, remaining((Date.parse(node.dataset.expires) - now()) / 1000, node.hasAttribute("data-seconds")));
  for (const node of document.querySelectorAll("[data-clock]"))
    write(node, time(node.dataset.clock, node.hasAttribute("data-seconds")));
  for (const node of document.querySelectorAll("[data-now]")) write(node, time(now(), true));
}

addEventListener("screen:applied", clocks);
setInterval(clocks, 1000);
clocks();
