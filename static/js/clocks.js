/* Clocks are sent as moments. The page counts them down on the server's time. */

let offset = -Infinity;   // server time minus tablet time; the largest offset has the least delay in it

const serverTime = () => Date.now() + (offset === -Infinity ? 0 : offset);

function formatDuration(seconds) {
  const minutes = Math.max(0, Math.floor(seconds / 60));
  if (minutes >= 48 * 60) return `${Math.floor(minutes / 1440)} days`;
  const hours = Math.floor(minutes / 60), pastHour = minutes % 60;
  return hours ? `${hours} h ${String(pastHour).padStart(2, "0")} min` : `${pastHour} min`;
}

const formatRemaining = (seconds, withSeconds) =>
  withSeconds && seconds < 60 ? `${Math.max(0, Math.floor(seconds))} s` : formatDuration(seconds);
const formatTime = (moment, withSeconds) => new Date(moment).toLocaleTimeString("en-GB",
  { hour: "2-digit", minute: "2-digit", ...(withSeconds && { second: "2-digit" }) });
const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };

export function paintClocks(part = document) {
  for (const { dataset } of [...(part.dataset?.asOf ? [part] : []), ...part.querySelectorAll("[data-as-of]")])
    offset = Math.max(offset, Date.parse(dataset.asOf) - Date.now());
  for (const node of part.querySelectorAll("[data-expires]")) {
    const seconds = (Date.parse(node.dataset.expires) - serverTime()) / 1_000;
    setText(node, formatRemaining(seconds, node.hasAttribute("data-seconds")));
  }
  for (const node of part.querySelectorAll("[data-clock]"))
    setText(node, formatTime(node.dataset.clock, node.hasAttribute("data-seconds")));
  for (const node of part.querySelectorAll("[data-now]")) setText(node, formatTime(serverTime(), true));
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
