/* Taking the proof of an entry: first the record tells it, then the file comes. */

import { GONE, uuid7 } from "./acts.js";
import { post } from "./rooms.js";

let sent = null;

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-take]");
  if (!button || button.getAttribute("aria-busy")) return;
  const { take, place, seq, fetched } = button.dataset, said = document.querySelector("[data-take-refused]");
  button.setAttribute("aria-busy", "true");
  sent ??= uuid7(); // the same act keeps its id until it is answered
  const answer = await post(take, { command: sent, seen: 0, params: { place, seq: Number(seq) } });
  button.removeAttribute("aria-busy");
  said.hidden = !answer.refusal;
  if (answer.refusal?.code !== "no-answer") sent = null;
  if (!answer.refusal) return location.assign(fetched);
  said.textContent = `${answer.refusal.title} ${answer.refusal.message}`;
  if (GONE.includes(answer.refusal.code))
    said.append(" ", Object.assign(document.createElement("a"), { href: document.getElementById("room").dataset.signIn, textContent: "Sign in", className: "act big" }));
});
