/* Alerts are acknowledged where they are shown, and a dispute is reported at the console. The floor page shows many
   tables, so each button carries its table's address. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";

const queueFor = tableQueues();
const message = document.getElementById("alert-message");
const decisionDialog = document.getElementById("decide");
const disputeDialog = document.getElementById("dispute");   // on the console only
let consoleSend = null;
let buttonToDecide = null;

/* A tablet sends one act at a time: on the console these acts go through its queue too. */
export function sendAlertActsThrough(sender) {
  consoleSend = sender;
}

function showMessage(text) {
  message.textContent = text;
  message.hidden = !text;
}

async function send(table, act, params) {
  showMessage("");
  const { refusal } = await (consoleSend ? consoleSend(act, params) : queueFor(table).send(act, params, NO_ROUND));
  if (refusal) showMessage(refusalText(refusal));
}

async function acknowledge(button, note) {
  const { acknowledge: id } = button.dataset;
  button.setAttribute("aria-busy", "true");
  await send(button.dataset, "acknowledge_alert", { alert: Number(id), ...(note && { note }) });
  for (const same of document.querySelectorAll(`[data-acknowledge="${id}"]`)) same.removeAttribute("aria-busy");
}

document.addEventListener("click", ({ target }) => {
  if (target.closest(".decide [data-close]")) return target.closest("dialog").close();
  if (target.closest("#alert-message")) return showMessage("");
  if (target.closest("[data-dispute]")) {
    target.closest("dialog").close();
    disputeDialog.querySelector("form").reset();
    return disputeDialog.showModal();
  }
  const button = target.closest("[data-acknowledge]");
  if (!button || button.hasAttribute("aria-busy")) return;
  if (!button.dataset.decides) return acknowledge(button);
  buttonToDecide = button;
  decisionDialog.querySelector("[data-about]").textContent = `${button.dataset.of}: ${button.dataset.decides}`;
  decisionDialog.querySelector("form").reset();
  decisionDialog.showModal();
});

decisionDialog.querySelector("form").addEventListener("submit", ({ target }) => {
  const note = target.elements.note.value.trim();
  if (buttonToDecide && note) acknowledge(buttonToDecide, note);
  buttonToDecide = null;
});

disputeDialog?.querySelector("form").addEventListener("submit", ({ target: { elements } }) => {
  const params = { seat: Number(elements.seat.value), about: elements.about.value.trim() };
  send(disputeDialog.dataset, "report_dispute", params);
});

/* Nothing can be disputed at a closed or halted table. This runs (captures) before the console counts which acts it
   offers. */
addEventListener("screen:applied", () => {
  const item = document.querySelector("[data-disputes]"), screen = document.getElementById("screen")?.dataset;
  if (item) item.hidden = screen.mode === "closed" || "halted" in screen;
}, true);
