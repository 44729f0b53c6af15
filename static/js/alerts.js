/* Alerts are acknowledged where they are shown, and a dispute is reported at the console. The floor page shows many
   tables, so each button carries its table's address. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";
import { QuickTaps, openDialog } from "./quick-taps.js";

const queueFor = tableQueues();
const message = document.getElementById("alert-message");
const decisionDialog = document.getElementById("decide");
const disputeDialog = document.getElementById("dispute");   // on the console only
QuickTaps.watch(decisionDialog, { fingersOnly: true });  // a second tap on "Decide" decides nothing
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

async function send(table, name, params) {
  showMessage("");
  const { refusal } = await (consoleSend ? consoleSend(name, params) : queueFor(table).send(name, params, NO_ROUND));
  if (refusal) showMessage(refusalText(refusal));
}

/* The parameters of the acts on an alert, other than the alert itself. */
const MUTE_MINUTES = 10;
const PARAMS = { mute_alert: { minutes: MUTE_MINUTES } };

async function act(button, params = {}) {
  const { acknowledge: id, alertAct: name } = button.dataset;
  const same = () => document.querySelectorAll(`[data-acknowledge="${id}"][data-alert-act="${name}"]`);
  for (const twin of same()) twin.setAttribute("aria-busy", "true");
  await send(button.dataset, name, { alert: Number(id), ...PARAMS[name], ...params });
  for (const twin of same()) twin.removeAttribute("aria-busy");
}

/* Each has its own act at its own table, one after the other. What was acknowledged leaves the line meanwhile. */
async function acknowledgeAll(line) {
  const buttons = [...line.querySelectorAll("[data-alert-act=acknowledge_alert]:not([aria-busy])")];
  line.querySelector("[data-acknowledge-all]").setAttribute("aria-busy", "true");
  for (const button of buttons) await act(button);
}

/* The floor decides with a tap, and may add words before it. */
function openDecision(button) {
  const { of: table, decides, decisions } = button.dataset;
  buttonToDecide = button;
  decisionDialog.querySelector("h2").textContent = `${table}: how was it decided?`;
  decisionDialog.querySelector("[data-about]").textContent = decides;
  decisionDialog.querySelector("[data-decisions]").replaceChildren(...JSON.parse(decisions).map(([code, label]) =>
    Object.assign(document.createElement("button"), { type: "button", textContent: label, value: code })));
  decisionDialog.querySelector("form").reset();
  openDialog(decisionDialog);
}

function decide(decision) {
  const note = decisionDialog.querySelector("[name=note]").value.trim();
  if (buttonToDecide && (note || decision !== "words")) act(buttonToDecide, { decision, ...(note && { note }) });
  buttonToDecide = null;
  decisionDialog.close();
}

/* Calls of the table, on the console: a tap calls, then the panel asks why. */
async function callFloor({ dataset: { call: to, panel } }) {
  if (panel) return document.getElementById(panel).togglePopover();
  const { refusal } = await consoleSend("call_floor", { to });
  if (refusal) return showMessage(refusalText(refusal));
  document.getElementById(`call-${to}`)?.showPopover();
}

function explainCall({ dataset: { explain, value } }, panel) {
  const alert = Number(panel.dataset.alert);
  return sendOwn("explain_call", { alert, [explain]: explain === "seat" ? Number(value) : value });
}

async function sendOwn(name, params) {
  const { refusal } = await consoleSend(name, params);
  showMessage(refusal ? refusalText(refusal) : "");
}

function tapCall(target) {
  const panel = target.closest(".call-panel"), hit = (name) => target.closest(`[data-${name}]`);
  if (hit("call")) callFloor(hit("call"));
  else if (hit("read-decision")) sendOwn("read_decision", { alert: Number(hit("read-decision").dataset.readDecision) });
  else if (!panel) return false;
  else if (hit("close-call")) panel.hidePopover();
  else if (hit("cancel-call")) sendOwn("cancel_call", { alert: Number(panel.dataset.alert) });
  else if (hit("explain")) explainCall(hit("explain"), panel);
  return true;
}

document.addEventListener("click", ({ target }) => {
  if (target.closest(".decide [data-close]")) return target.closest("dialog").close();
  if (target.closest("#alert-message")) return showMessage("");
  if (target.closest("#decide [data-decisions] button")) return decide(target.closest("button").value);
  if (consoleSend && tapCall(target)) return undefined;
  if (target.closest("[data-dispute]")) {
    target.closest("dialog").close();
    disputeDialog.querySelector("form").reset();
    return disputeDialog.showModal();
  }
  const line = target.closest("[data-acknowledge-all]")?.closest(".joined");
  if (line) return acknowledgeAll(line);
  const button = target.closest("[data-acknowledge]");
  if (!button || button.hasAttribute("aria-busy")) return undefined;
  return button.dataset.decisions ? openDecision(button) : act(button);
});

decisionDialog.querySelector("form").addEventListener("submit", () => decide("words"));

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

/* The seats that a call is about stay marked on the console, in every list and felt that shows them. The rail of seats is
   rendered with the mark. */
const SEATS = "#screen [data-seat]:not(.seat), #screen .side .seat-no:not(.seat .seat-no)";

function markCalledSeats() {
  const seats = document.getElementById("screen")?.dataset.called?.split(" ") ?? [];
  for (const seat of document.querySelectorAll(SEATS))
    seat.classList.toggle("called-seat", seats.includes(seat.dataset.seat ?? seat.textContent.replace(/\D/g, "")));
}

addEventListener("screen:applied", markCalledSeats);
markCalledSeats();
