/* The facility's time, on every screen, whatever the zone and the clock of the device are. The page names the zone
   (<html data-zone>); the server's time comes with each screen and each answer. */

const zone = () => document.documentElement.dataset.zone || undefined;
const formats = new Map();

function formatOf(name, options) {
  const key = `${name} ${zone()}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat("en-GB", { timeZone: zone(), ...options }));
  return formats.get(key);
}

/* "10:15", "10:15:02" */
export const formatTime = (moment, withSeconds) => formatOf(`time ${Boolean(withSeconds)}`,
  { hour: "2-digit", minute: "2-digit", ...(withSeconds && { second: "2-digit" }) }).format(new Date(moment));

/* "Mon 23 Nov 2026" */
export const formatDate = (moment) => formatOf("date",
  { weekday: "short", day: "numeric", month: "short", year: "numeric" }).format(new Date(moment)).replace(",", "");

/* Server time minus device time. A moment that the server wrote is older when it arrives, so the largest offset has the
   least delay in it. */
let offset = -Infinity;

export function noteServerTime(moment) {
  const time = Date.parse(moment);
  if (!Number.isNaN(time)) offset = Math.max(offset, time - Date.now());
}

export const serverTime = () => Date.now() + (offset === -Infinity ? 0 : offset);

const MOST_DIFFERENCE = 60_000;

/* What to say about a device whose clock is wrong by more than a minute; "" where it is right. */
export function clockWarning() {
  if (offset === -Infinity || Math.abs(offset) <= MOST_DIFFERENCE) return "";
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const amount = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `This device's clock is ${amount} ${offset > 0 ? "slow" : "fast"}. Times here are the casino's.`;
}
