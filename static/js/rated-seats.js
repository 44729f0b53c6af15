/* Rated players on a table's page: a rating begins, ends or moves; a seat is refused. The page's own push shows the result. */

import { NO_ROUND, refusalText, tableQueues } from "./acts.js";

const queueFor = tableQueues();
const box = document.getElementById("rate");

/* The parameters of an act from the fields of the dialog; undefined for a field that is missing. */
function readParams({ act, seat, player, to_seat: toSeat, reason }) {
  const number = (text) => (text ? Number(text) : undefined);
  const own = {
    start_rating: () => ({ "player": player.trim().toUpperCase() || undefined }),
    move_rating: () => ({ "to_seat": number(toSeat) }),
    refuse_seat: () => ({ reason }),
  };
  return { "seat": number(seat), ...own[act]?.() };
}

const MISSING = { seat: "Tap the seat.", player: "Enter the player's code, or tap it.", to_seat: "Tap the new seat." };
const MOST_LISTED = 6;

/* What the button does, in its own words. */
const LABELS = {
  start_rating: ({ seat, player }) => `Rate ${player || "a player"} at seat ${seat}`,
  end_rating: ({ seat }) => `End the rating at seat ${seat}`,
  move_rating: ({ seat, to_seat: toSeat }) => `Move the player from seat ${seat} to ${toSeat ?? "…"}`,
  refuse_seat: ({ seat }) => `Refuse seat ${seat}`,
  allow_seat: ({ seat }) => `Accept wagers of seat ${seat} again`,
};

function showRefusal(text) {
  const slot = box.querySelector("[data-refused]");
  slot.textContent = text;
  slot.hidden = !text;
}

function paint() {
  const fields = readFields();
  for (const part of box.querySelectorAll("[data-for]")) part.hidden = part.dataset.for !== fields.act;
  box.querySelector("[data-go]").textContent = fields.seat ? LABELS[fields.act](fields) : "Choose a seat";
  paintPlayers(fields.player);
}

/* The players whose code contains what was typed, the newest first. */
function paintPlayers(player) {
  const typed = player.trim().toUpperCase();
  let count = 0;
  for (const button of box.querySelectorAll("[data-player]")) {
    const isListed = button.dataset.player.includes(typed) && button.dataset.player !== typed && count < MOST_LISTED;
    button.parentElement.hidden = !isListed;
    count += isListed;
  }
}

const readFields = () => Object.fromEntries(new FormData(box.querySelector("form")));

async function submit() {
  const fields = readFields();
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
  box.addEventListener("click", ({ target }) => {
    const { player } = target.closest("[data-player]")?.dataset ?? {};
    if (!player) return;
    box.querySelector("[name=player]").value = player;
    paint();
  });
  box.addEventListener("input", () => { showRefusal(""); paint(); });
}
