/* Alerts are acknowledged where they are shown, and a dispute is reported at the console. The floor shows many tables:
   each button carries its table's address. */

import { Acts } from "./acts.js";

const places = new Map();
const NOTHING = { round: { number: 0, phase: "" } };
let own = null;
const said = document.getElementById("alert-said");
const decide = document.getElementById("decide");
const dispute = document.getElementById("dispute");   // on the console alone
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

/* a tablet sends one act at a time, in order: on the console these too go through its one queue */
export function sendThrough(send) {
  own = send;
}

function say(text) {
  said.textContent = text;
  said.hidden = !text;
}

async function send(place, act, params) {
  say("");
  const answer = await (own ? own(act, params) : actsAt(place).send(act, params, NOTHING));
  if (answer.refusal) say([answer.refusal.message, answer.refusal.section].filter(Boolean).join(" "));
}

async function acknowledge(button, note) {
  const { acknowledge: id } = button.dataset;
  button.setAttribute("aria-busy", "true");
  await send(button.dataset, "acknowledge_alert", { alert: Number(id), ...(note && { note }) });
  for (const same of document.querySelectorAll(`[data-acknowledge="${id}"]`)) same.removeAttribute("aria-busy");
}

document.addEventListener("click", ({ target }) => {
  if (target.closest(".decide [data-close]")) return target.closest("dialog").close();
  if (target.closest("#alert-said")) return say("");
  if (target.closest("[data-dispute]")) {
    target.closest("dialog").close();
    dispute.querySelector("form").reset();
    return dispute.showModal();
  }
  const button = target.closest("[data-acknowledge]");
  if (!button || button.hasAttribute("aria-busy")) return;
  if (!button.dataset.decides) return acknowledge(button);
  deciding = button;
  decide.querySelector("[data-about]").textContent = `${button.dataset.of}: ${button.dataset.decides}`;
  decide.querySelector("form").reset();
  decide.showModal();
});

decide.querySelector("form").addEventListener("submit", ({ target }) => {
  const note = target.elements.note.value.trim();
  if (deciding && note) acknowledge(deciding, note);
  deciding = null;
});

dispute?.querySelector("form").addEventListener("submit", ({ target: { elements } }) => {
  send(dispute.dataset, "report_dispute", { seat: Number(elements.seat.value), about: elements.about.value.trim() });
});

/* before the console counts which acts are offered: at a closed table, and at one that is halted, nothing is disputed */
addEventListener("screen:applied", () => {
  const item = document.querySelector("[data-disputes]"), shown = document.getElementById("screen")?.dataset;
  if (item) item.hidden = shown.mode === "closed" || "halted" in shown;
}, true);
