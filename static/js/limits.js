/* The minimum and maximum on a table's page: the floor changes them, and says when sign and announcement are made. The
   page's own push shows what became of it. */

import { Acts } from "./acts.js";

const NOTHING = { round: { number: 0, phase: "" } };
const said = document.getElementById("alert-said");
const places = new Map();

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

const words = ({ message, section }) => [message, section].filter(Boolean).join(" ");

/* dollars as typed, in cents; undefined for what is no such amount */
function cents(text) {
  const parts = text.trim().replace(/[$,\s]/g, "").match(/^(\d{1,9})(?:\.(\d{1,2}))?$/);
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? "").padEnd(2, "0")) : undefined;
}

const READ = {
  change_limits: ({ min, max, how }) => ({ min_cents: cents(min.value), max_cents: cents(max.value), nobody_plays: how.value === "now" }),
  cancel_limits_change: ({ why }) => ({ why: why.value.trim() }),
};
const LACKS = { min_cents: "Enter the new minimum in dollars.", max_cents: "Enter the new maximum in dollars.", why: "Say why." };

function refuse(box, text) {
  const place = box.querySelector("[data-refused]");
  place.textContent = text;
  place.hidden = !text;
}

async function submit(box) {
  const params = READ[box.dataset.act](box.querySelector("form").elements);
  const lacking = Object.keys(params).find((name) => params[name] === undefined || params[name] === "");
  if (lacking) return refuse(box, LACKS[lacking]);
  const answer = await actsAt(box.dataset).send(box.dataset.act, params, NOTHING);
  if (answer.refusal) return refuse(box, words(answer.refusal));
  box.close();
}

async function send(button) {
  const { address, of } = button.closest("[data-address]").dataset;
  button.setAttribute("aria-busy", "true");
  const answer = await actsAt({ address, of }).send(button.dataset.limits, {}, NOTHING);
  button.removeAttribute("aria-busy");
  said.textContent = answer.refusal ? words(answer.refusal) : "";
  said.hidden = !answer.refusal;
}

document.addEventListener("click", ({ target }) => {
  const opener = target.closest("[data-limits-open]"), button = target.closest("[data-limits]");
  if (opener) {
    const box = document.getElementById(opener.dataset.limitsOpen);
    box.querySelector("form").reset();
    refuse(box, "");
    const now = box.querySelector("[data-limits-now]");
    if (now) now.textContent = document.querySelector(".limits-now").textContent;
    box.showModal();
  }
  if (button && !button.hasAttribute("aria-busy")) send(button);
});

for (const box of document.querySelectorAll(".limits-ask")) {
  box.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); submit(box); });
  box.addEventListener("input", () => refuse(box, ""));
}
