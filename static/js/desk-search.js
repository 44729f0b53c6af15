/* The search of the record: empty fields stay out of the address, so that a link to a search can be read. */

import { SIGNED_OUT_CODES, uuid7 } from "./acts.js";
import { post, signInLink } from "./dialogs.js";

document.addEventListener("submit", ({ target }) => {
  if (target.id !== "asks") return;
  for (const field of target.elements) if (field.name && !field.value.trim()) field.disabled = true;
});

/* The list of acts closes at a tap beside it, and at Escape. */
function closeActs() {
  document.querySelector(".acts-list")?.removeAttribute("open");
}
document.addEventListener("click", ({ target }) => {
  if (!target.closest(".acts-list")) closeActs();
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") closeActs();
});

/* What was found is recorded as taken, and then downloaded. */
async function takeFound(button) {
  const box = button.closest("[data-take]"), message = box.querySelector("[data-take-refused]");
  button.setAttribute("aria-busy", "true");
  const { refusal, answer } = await post(box.dataset.take, { command: uuid7(), "seen": 0, params: { query: button.dataset.takeQuery } });
  button.removeAttribute("aria-busy");
  message.hidden = !refusal;
  if (!refusal) return location.assign(box.dataset.taken.replace("sha256.csv", `${answer.sha256}.csv`));
  message.textContent = `${refusal.title} ${refusal.message}`;
  if (SIGNED_OUT_CODES.includes(refusal.code)) message.append(" ", signInLink());
}
document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-take-query]");
  if (button && !button.getAttribute("aria-busy")) takeFound(button);
});

/* A page that returns from the browser's cache can be searched again. */
addEventListener("pageshow", () => {
  for (const field of document.getElementById("asks")?.elements ?? []) field.disabled = false;
});
