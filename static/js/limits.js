/* The minimum and maximum on a table's page. A floorperson changes them and confirms the sign and the announcement. The
   page's own push shows the result. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";
import { openDialog } from "./quick-taps.js";

const queueFor = tableQueues();
const message = document.getElementById("alert-message");

/* Dollars as typed, in cents; undefined when the text is not an amount. */
function parseCents(text) {
  const parts = text.trim().replace(/[$,\s]/g, "").match(/^(\d{1,9})(?:\.(\d{1,2}))?$/);
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? "").padEnd(2, "0")) : undefined;
}

/* The seats whose boxes are checked. A form gives one box alone, several as a list, and none as undefined. */
const checkedSeats = (boxes) =>
  (boxes?.length ? [...boxes] : [boxes ?? []].flat()).filter(({ checked }) => checked).map(({ value }) => Number(value));
const seatsOf = ({ dataset: { seats } }) => (seats ? seats.split(",").map(Number) : []);

const READ_PARAMS = {
  change_limits: ({ min, max, how, leaving }) => ({
    min_cents: parseCents(min.value), max_cents: parseCents(max.value), nobody_plays: how.value === "now",
    ...(how.value === "now" && { "left": checkedSeats(leaving) }),
  }),
  cancel_limits_change: ({ why }) => ({ why: why.value.trim() }),
};
const MISSING = {
  min_cents: "Enter the new minimum in dollars.", max_cents: "Enter the new maximum in dollars.", why: "Say why.",
};

function showRefusal(box, text) {
  const slot = box.querySelector("[data-refused]");
  slot.textContent = text;
  slot.hidden = !text;
  if (text) box.querySelector("[type=submit]").scrollIntoView({ block: "nearest" });  // and the refusal above it
}

async function submit(box) {
  const { act } = box.dataset;
  const params = READ_PARAMS[act](box.querySelector("form").elements);
  const missing = Object.keys(params).find((name) => params[name] === undefined || params[name] === "");
  if (missing) return showRefusal(box, MISSING[missing]);
  const { refusal } = await queueFor(box.dataset).send(act, params, NO_ROUND);
  if (refusal) return showRefusal(box, refusalText(refusal));
  box.close();
}

async function send(button) {
  button.setAttribute("aria-busy", "true");
  const queue = queueFor(button.closest("[data-address]").dataset);
  const params = button.dataset.limits === "players_left" ? { "left": seatsOf(button) } : {};
  const { refusal } = await queue.send(button.dataset.limits, params, NO_ROUND);
  button.removeAttribute("aria-busy");
  message.textContent = refusal ? refusalText(refusal) : "";
  message.hidden = !refusal;
}

/* One box for each seat that is taken. They matter only for a change at once. */
function showSeats(box, seats) {
  const list = box.querySelector("[data-seats-taken]");
  if (!list) return;
  for (const label of list.querySelectorAll("label")) label.remove();
  for (const seat of seats) {
    const label = document.createElement("label");
    label.append(Object.assign(document.createElement("input"), { type: "checkbox", name: "leaving", value: seat }),
      `Seat ${seat} left`);
    list.append(label);
  }
  paintSeats(box);
}

function paintSeats(box) {
  const list = box.querySelector("[data-seats-taken]");
  if (list) list.hidden = !list.querySelector("label") || box.querySelector("form").elements.how.value !== "now";
}

/* What was typed on the card; the one that was not stays as it is. */
function showTyped({ elements: { min, max } }, card) {
  const typed = [...card.querySelectorAll("[data-new-limit]")];
  if (!typed.some(({ value }) => value.trim())) return;
  const [least, most] = typed.map(({ value, placeholder }) => (value.trim() || placeholder).replace(/^\$/, ""));
  Object.assign(min, { value: least });
  Object.assign(max, { value: most });
}

function open(box, opener) {
  box.querySelector("form").reset();
  if (box.id === "limits-change") showTyped(box.querySelector("form"), opener.closest("section"));
  showRefusal(box, "");
  showSeats(box, seatsOf(opener));
  const current = box.querySelector("[data-limits-now]");
  if (current) current.textContent = document.querySelector(".limits-box .limits-now").textContent;
  openDialog(box);
}

document.addEventListener("click", ({ target }) => {
  const opener = target.closest("[data-limits-open]"), button = target.closest("[data-limits]");
  if (opener) open(document.getElementById(opener.dataset.limitsOpen), opener);
  if (button && !button.hasAttribute("aria-busy")) send(button);
});

document.addEventListener("keydown", ({ key, target }) => {
  if (key === "Enter" && target.matches?.("[data-new-limit]")) target.closest("section").querySelector("[data-limits-open]").click();
});

for (const box of document.querySelectorAll(".limits-ask")) {
  box.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); submit(box); });
  box.addEventListener("input", () => { showRefusal(box, ""); paintSeats(box); });
}
