/* What arranging tables and arranging pits share: when a finger drags, and how an arrangement is sent. */

import { REQUEST_TIMEOUT } from "./acts.js";
import { csrfToken } from "./csrf.js";

const START_DISTANCE = 10;  // pixels: a finger that slides a little less still taps
export const NO_ANSWER = "No answer. Save again: the same act counts once.";

export function say(text) {
  document.getElementById("arrange-say").textContent = text;
}

/** Whether a pressed finger has moved far enough to drag. */
export function drags({ clientX, clientY }, pressed) {
  return Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) >= START_DISTANCE;
}

/** Sends an act. Returns the answer; null where there was none. */
export async function sendArrangement(url, command, params) {
  try {
    const response = await fetch(url, {
      method: "POST",
      body: JSON.stringify({ command, "seen": 0, params, once: true }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT),
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrfToken() },
    });
    const answer = await response.json();
    return response.ok || answer.refusal ? answer : null;
  } catch {
    return null;
  }
}
