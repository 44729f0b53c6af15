/* What a page says about its connection: the badge, and one box with the acts that wait, each by name and time. Both
   belong to the page, so a push leaves them alone. live.js reports the connection, acts.js what waits. */

import { formatTime } from "./facility-time.js";
import { numberWord } from "./dice.js";
import { adviceOf, continueOf } from "./offline.js";

const BADGES = { live: ["i-live", "LIVE"], stale: ["i-stale", "STALE"], dead: ["i-stop", "OFFLINE"], denied: ["i-lock", "DENIED"] };
const MOST_NAMES = 3;
const LEAST_SILENCE = 5;  // s; a page without its socket hears the server every 2 s, by asking

const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);
let connection = { status: "joining", seconds: 0, confirmedTime: 0 };
let waiting = { acts: [], isUnknown: false };
let isStorageKnown = false, step, elsewhere = ["", ""];

/* "Two acts wait: Paid seat 1 (10:15:02), Paid seat 2 (10:15:05)." */
function waitingText(acts) {
  if (!acts.length) return "";
  const names = acts.slice(0, MOST_NAMES).map(({ name, time }) => `${name} (${formatTime(time, true)})`).join(", ");
  const more = acts.length > MOST_NAMES ? ` and ${acts.length - MOST_NAMES} more` : "";
  return `${capitalize(numberWord(acts.length))} ${acts.length === 1 ? "act waits" : "acts wait"}: ${names}${more}.`;
}

const NOT_KEPT = "Pitside is not installed on this tablet, so its system may clear them: keep this page open.";
/* Whether the system keeps what waits is asked once (kiosk.js); pages without a queue do not ask. */
const storageWarning = ({ acts }) => (acts.length && isStorageKnown && !("storageKept" in document.documentElement.dataset) ? NOT_KEPT : "");

/* The heading and the sentences of the box; no heading while there is nothing to say. */
function boxText({ status, seconds, confirmedTime }, { acts, isUnknown }) {
  const waits = waitingText(acts), time = formatTime(confirmedTime, true), advice = adviceOf(step, acts), goesOn = continueOf(step);
  if (status === "denied") return ["", "You may not view this table on this device."];
  if (status === "dead")
    return [`Offline for ${seconds} s.`, waits
      ? `${waits} ${advice || goesOn} They go out in this order when the line is back, and count once they are confirmed.`
      : `As of ${time}. ${advice || `${goesOn} A tap waits until the connection is back, and counts then.`}`];
  if (status === "stale")
    return [seconds < LEAST_SILENCE ? "Live updates are down." : `Nothing heard for ${seconds} s.`, waits
      ? `${waits} ${advice || goesOn} They are sent in this order, and count once they are confirmed.`
      : `As of ${time}. ${goesOn} A tap counts once it is confirmed.`];
  if (isUnknown) return ["Not known yet.", `${waits} The page asks the server again whether the first was taken.`];
  return elsewhere;
}

/* What is wrong at the other tablets of the table, as heading and sentences. It is said while nothing is wrong here. */
export function tellOfOthers(heading, text) {
  elsewhere = [heading, text];
  document.documentElement.toggleAttribute("data-silent-post", Boolean(heading));
  paint();
}

function paint() {
  const { status, seconds } = connection;
  const badge = document.getElementById("live"), box = document.getElementById("stale-say");
  const [icon, word] = BADGES[status] ?? BADGES.live;
  if (status in BADGES) {
    badge?.querySelector("use")?.setAttribute("href", `#${icon}`);
    const label = badge?.querySelector("span");
    if (label) label.textContent = status === "live" || status === "denied" ? word : `${word} ${seconds} s`;
  }
  if (!box) return;
  const [heading, text] = boxText(connection, waiting);
  const warning = heading && storageWarning(waiting);
  box.replaceChildren(Object.assign(document.createElement("b"), { textContent: heading }), ` ${text}`, ...(warning ? [` ${warning}`] : []));
}

addEventListener("screen:connection", ({ detail }) => {
  connection = detail;
  paint();
});
addEventListener("step:shown", ({ detail }) => {
  step = detail;
  paint();
});
addEventListener("storage:asked", () => {
  isStorageKnown = true;
  paint();
});
addEventListener("acts:waiting", ({ detail }) => {
  waiting = detail;
  document.documentElement.toggleAttribute("data-closing", detail.acts.some(({ closes }) => closes));
  paint();
});
