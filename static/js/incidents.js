/* A device that § 521.6 forbids is logged from the page of its table. */

import { Acts } from "./acts.js";

const NOTHING = { round: { number: 0, phase: "" } };
const box = document.getElementById("device");

if (box) {
  const form = box.querySelector("form"), said = box.querySelector("[data-refused]");
  /* the page's own push shows what became of it, so the fragment in the answer is left alone */
  const page = {
    querySelector: (selector) => document.querySelector(selector),
    apply: () => {},
    leave: () => document.querySelector("live-screen").leave(),
  };
  const acts = new Acts(page, { table: box.dataset.of, act: box.dataset.address });
  const refuse = (text) => { said.textContent = text; said.hidden = !text; };

  document.querySelector("[data-log-device]").addEventListener("click", () => {
    form.reset();
    refuse("");
    box.showModal();
  });
  form.addEventListener("input", () => refuse(""));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (acts.busy) return;
    const { seat, what, action } = form.elements;
    const params = { seat: Number(seat.value), what: what.value.trim(), action: action.value.trim() };
    const { refusal } = await acts.send("log_device_incident", params, NOTHING);
    if (refusal) refuse([refusal.message, refusal.section].filter(Boolean).join(" "));
    else box.close();
  });
}
