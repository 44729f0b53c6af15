/* Downloading the proof of an entry: the download is recorded first, then the file comes. */

import { SIGNED_OUT_CODES, uuid7 } from "./acts.js";
import { post, signInLink } from "./dialogs.js";

let command = null;

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-take]");
  if (!button || button.getAttribute("aria-busy")) return;
  const { take: url, place, seq, fetched: file } = button.dataset;
  const message = document.querySelector("[data-take-refused]");
  button.setAttribute("aria-busy", "true");
  command ??= uuid7(); // the same act keeps its id until it is answered
  const { refusal } = await post(url, { command, "seen": 0, params: { place, seq: Number(seq) } });
  button.removeAttribute("aria-busy");
  message.hidden = !refusal;
  if (refusal?.code !== "no-answer") command = null;
  if (!refusal) return location.assign(file);
  message.textContent = `${refusal.title} ${refusal.message}`;
  if (SIGNED_OUT_CODES.includes(refusal.code)) message.append(" ", signInLink());
});
