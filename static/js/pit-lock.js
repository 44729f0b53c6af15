/* The floor at a locked podium or phone stays live. An act opens the PIN pad beside the alerts; the right PIN unlocks the
   device, and the page that follows does the act that was named on the pad. */

import { csrfToken } from "./csrf.js";
import { storedHeads } from "./heads.js";
import { PinPad } from "./pin-pad.js";

const DOUBLE_TAP = 1_000, NEAR = 24;  // ms and px
const PENDING = "pitside.signed-act", ACT = "[data-acknowledge]", SIGNED_LIMIT = 60_000;
const lockPad = document.getElementById("lock-pad");
const lockedScreen = document.querySelector("live-screen[locked]");

/* A button's place in the page that follows: its act and its table. */
const placeOf = ({ dataset }) => ["acknowledge", "alert-act", "of"].map((name) =>
  `[data-${name}="${CSS.escape(dataset[name === "alert-act" ? "alertAct" : name])}"]`).join("");

export function setUpLock(box, reload = () => location.reload()) {
  let place = "", opening = null;
  const pad = new PinPad(box, { complete: sign });

  function show(button) {
    place = placeOf(button);
    box.querySelector("[data-lock-act]").textContent = `${button.firstChild.textContent.trim()} ${button.dataset.of}`;
    box.querySelector("[data-lock-about]").textContent = button.closest(".alert")?.querySelector("h3")?.textContent.trim() ?? "";
    pad.setHint("The sixth digit sends it.");
    pad.set("");
    box.hidden = false;
    box.scrollIntoView({ block: "nearest" });
  }

  async function sign() {
    const signedPlace = place, answer = await pad.sendOnce(() => signIn(box.dataset, pad.pin));
    if (answer) return pad.say(answer, true);
    if (answer !== "") return;
    sessionStorage.setItem(PENDING, JSON.stringify({ place: signedPlace, time: Date.now() }));
    reload();
  }

  /* Before alerts.js, which would send the act. */
  document.addEventListener("click", (event) => {
    const button = event.target.closest(ACT);
    if (isSecondTap(event, opening)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (button) {
      event.stopImmediatePropagation();
      opening = { x: event.clientX, y: event.clientY, time: Date.now() };
      show(button);
    } else if (event.target.closest("[data-lock-cancel]")) {
      box.hidden = true;
      opening = null;
    } else {
      pad.click(event.target);
    }
  }, true);
  addEventListener("keydown", (event) => { if (!box.hidden && !event.ctrlKey && !event.metaKey) pad.key(event); });
}

/* The second tap of a double tap, at whatever the pad put under the finger: a digit, or the way to the sign-in page. */
function isSecondTap({ clientX, clientY, detail }, opening) {
  return detail > 0 && opening !== null && Date.now() - opening.time < DOUBLE_TAP
    && Math.hypot(clientX - opening.x, clientY - opening.y) < NEAR;
}

/* "" once signed in, else what the sign-in page says. */
async function signIn({ address, person }, pin) {
  const body = new URLSearchParams({ person, pin, heads: JSON.stringify(storedHeads()), csrfmiddlewaretoken: csrfToken() });
  try {
    const response = await fetch(address, { method: "POST", body, redirect: "manual" });
    if (response.type === "opaqueredirect") return "";
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return page.querySelector(".refused")?.textContent.trim() || "This PIN could not be checked. Try again.";
  } catch {
    return "The server cannot be reached. Try again.";
  }
}

/* Only at once: what was signed for an hour ago may be another thing now. */
function doSignedAct() {
  const signed = JSON.parse(sessionStorage.getItem(PENDING));
  sessionStorage.removeItem(PENDING);
  if (signed && Date.now() - signed.time < SIGNED_LIMIT) document.querySelector(`#alerts ${signed.place}`)?.click();
}

if (lockPad) setUpLock(lockPad);
else if (lockedScreen) doSignedAct();
