/* Alerts are acknowledged where they are shown. The floor shows many tables: each button carries its table's address. */

import { Acts } from "./acts.js";

const places = new Map();
const NOTHING = { round: { number: 0, phase: "" } };
const said = document.getElementById("alert-said");
const decide = document.getElementById("decide");
let deciding = null;

/* the page's own push shows what became of it, so the fragment in the answer is left alone */
function actsAt({ of, address }) {
  if (!places.has(address)) {
    const page = {
      querySelector: () => document.querySelector(`[data-version][data-table="${CSS.escape(of)}"]`),
      apply: () => {},
      leave: () => document.querySelector("live-screen").leave(),
    };
    places.set(address, new Acts(page, { table: of, act: address }));
  }
  return places.get(address);
}

function say(text) {
  said.textContent = text;
  said.hidden = !text;
}

async function acknowledge(button, note) {
  const { acknowledge: id } = button.dataset;
  const params = { alert: Number(id), ...(note && { note }) };
  say("");
  button.setAttribute("aria-busy", "true");
  const answer = await actsAt(button.dataset).send("acknowledge_alert", params, NOTHING);
  for (const same of document.querySelectorAll(`[data-acknowledge="${id}"]`)) same.removeAttribute("aria-busy");
  if (answer.refusal) say([answer.refusal.message, answer.refusal.section].filter(Boolean).join(" "));
}

document.addEventListener("click", ({ target }) => {
  if (target.closest("#decide [data-close]")) return decide.close();
  if (target.closest("#alert-said")) return say("");
  const button = target.closest("[data-acknowledge]");
  if (!button || button.hasAttribute("aria-busy")) return;
  if (!button.dataset.decides) return acknowledge(button);
  deciding = button;
  decide.querySelector("[data-about]").textContent = `${button.dataset.of}: ${button.dataset.decides}`;
  decide.querySelector("input").value = "";
  decide.showModal();
});

decide?.querySelector("form").addEventListener("submit", () => {
  const note = decide.querySelector("input").value.trim();
  if (deciding && note) acknowledge(deciding, note);
  deciding = null;
});
