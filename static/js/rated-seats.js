/* Rated players on a table's page: a rating begins, ends or moves; a seat is refused. The page's own push shows the result. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";

const queueFor = tableQueues();
const box = document.getElementById("rate");

/* The parameters of an act from the fields of the dialog; undefined for a field that is missing. */
function readParams({ act, seat, player, to_seat: toSeat, reason }) {
  const number = (text) => (/^\d{1,2}$/.test(text.trim()) ? Number(text) : undefined);
  const own = {
    start_rating: () => ({ "player": player.trim().toUpperCase() || undefined }),
    move_rating: () => ({ "to_seat": number(toSeat) }),
    refuse_seat: () => ({ reason }),
  };
  return { "seat": number(seat), ...own[act]?.() };
}

const MISSING = { seat: "Enter the number of the seat.", player: "Enter the player's code.", to_seat: "Enter the new seat." };

function showRefusal(text) {
  const slot = box.querySelector("[data-refused]");
  slot.textContent = text;
  slot.hidden = !text;
}

function paint() {
  const { act } = box.querySelector("form").elements;
  for (const label of box.querySelectorAll("[data-for]")) label.hidden = label.dataset.for !== act.value;
}

async function submit() {
  const fields = Object.fromEntries([...box.querySelector("form").elements].map(({ name, value }) => [name, value]));
  const params = readParams(fields);
  const missing = Object.keys(params).find((name) => params[name] === undefined);
  if (missing) return showRefusal(MISSING[missing]);
  const { refusal } = await queueFor(box.dataset).send(fields.act, params, NO_ROUND);
  if (refusal) return showRefusal(refusalText(refusal));
  box.close();
}

if (box) {
  document.addEventListener("click", ({ target }) => {
    if (!target.closest("[data-rate]")) return;
    box.querySelector("form").reset();
    showRefusal("");
    paint();
    box.showModal();
  });
  box.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); submit(); });
  box.addEventListener("input", () => { showRefusal(""); paint(); });
}
