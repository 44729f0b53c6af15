/* The dice room's own dialogs: the lots of a receipt, the sizes of an inspection, the tables that a lot suits. */

import { micrometres } from "./rooms.js";

const millimetres = (um) => `${Math.floor(um / 1000)}.${String(um % 1000).padStart(3, "0")}`;

function addRow(box, values = {}) {
  const row = box.querySelector("template[data-row-template]").content.firstElementChild.cloneNode(true);
  for (const [name, text] of Object.entries(values)) row.querySelector(`[name=${name}]`).value = text;
  box.querySelector("[data-each]").append(row);
  return row;
}

/* Receive */

function addLots(slip) {
  const { box } = slip, read = (part) => box.querySelector(`[data-${part}]`);
  const [prefix, from, many] = ["prefix", "from-number", "how-many"].map(read);
  const first = from.value.trim(), count = Math.min(100, Number(many.value) || 0);
  if (!/^\d{1,9}$/.test(first)) return from.focus();
  for (let n = 0; n < count; n++)
    addRow(box, { lot: prefix.value.trim() + String(Number(first) + n).padStart(first.length, "0") });
  from.value = String(Number(first) + count).padStart(first.length, "0");
  slip.check();
}

/* a list of codes pasted into one code is as many lots */
function pasteCodes(event, slip) {
  if (event.target.name !== "lot" || !event.target.closest("[data-row]")) return;
  const codes = event.clipboardData.getData("text").split(/[\s,;]+/).filter(Boolean).slice(0, 100);
  if (codes.length < 2) return;
  event.preventDefault();
  event.target.value = codes.shift();
  for (const lot of codes) addRow(slip.box, { lot });
  slip.check();
}

function pickKind(slip, { dataset }) {
  const { elements } = slip.form;
  elements.dice.value = dataset.dice;
  if (Number(dataset.sizeUm)) elements.size_um.value = millimetres(Number(dataset.sizeUm));
  elements.colours.value = dataset.colours;
  elements.attested.checked = Boolean(dataset.attested);
  slip.check();
}

/* a code that stands twice is marked before anybody sends it */
function markTwice(slip) {
  const seen = new Map();
  for (const field of slip.box.querySelectorAll("[data-row] [name=lot]")) {
    const code = field.value.trim();
    field.toggleAttribute("data-twice", Boolean(code) && seen.has(code));
    field.setAttribute("aria-invalid", Boolean(code) && seen.has(code));
    seen.set(code, field);
  }
}

/* Inspect */

function measure(slip, { dice, sizeUm }) {
  slip.box.querySelector("[data-nominal]").textContent = `${millimetres(Number(sizeUm))} mm`;
  if (slip.box.querySelector("[data-row]")) return;
  for (let n = 1; n <= Number(dice); n++) {
    const row = addRow(slip.box);
    row.querySelector("[data-number]").textContent = n;
    for (const part of row.querySelectorAll("[data-of]"))
      part.textContent = `Die ${n}, ${part.dataset.of === "low" ? "smallest" : "largest"} side in mm`;
    for (const name of ["low_um", "high_um"]) row.querySelector(`[name=${name}]`).dataset.must = `Measure die ${n}`;
  }
}

/* which die would reject the lot, as soon as it is typed */
function judge(slip) {
  const nominal = Number(slip.given.sizeUm), tolerance = Number(slip.box.dataset.toleranceUm);
  let bad = 0;
  for (const row of slip.box.querySelectorAll("[data-row]")) {
    const said = verdict(row, nominal, tolerance);
    const out = row.querySelector("[data-verdict]");
    out.textContent = said.text;
    row.classList.toggle("bad", said.bad);
    row.classList.toggle("good", said.good);
    bad += said.bad;
  }
  slip.box.querySelector("[data-go]").dataset.label = bad ? `Reject the lot: ${bad} bad` : "Store the lot";
}

function verdict(row, nominal, tolerance) {
  const sides = ["low_um", "high_um"].map((name) => micrometres(row.querySelector(`[name=${name}]`).value));
  const off = Math.max(...sides.map((side) => (side === undefined ? 0 : Math.abs(side - nominal))));
  const whole = sides.every((side) => side !== undefined);
  const fails = ["balanced", "square", "clean"].filter((name) => !row.querySelector(`[name=${name}]`).checked);
  if (off > tolerance) return { text: `${millimetres(off - tolerance)} mm out`, bad: true, good: false };
  if (!whole) return { text: "", bad: false, good: false };
  return fails.length ? { text: `not ${fails[0]}`, bad: true, good: false } : { text: "good", bad: false, good: true };
}

function allGood(slip) {
  for (const tick of slip.box.querySelectorAll("[data-row] [type=checkbox]")) tick.checked = true;
  slip.check();
}

/* Issue */

function offerTables(slip, { dice, sizeUm, colours, attested, training }) {
  let left = 0;
  for (const pick of slip.box.querySelectorAll(".pick")) {
    const asks = pick.dataset, input = pick.querySelector("input");
    const fits = asks.dice === dice && (asks.sizeUm === "0" || asks.sizeUm === sizeUm) && asks.colours === colours
      && (!asks.attested || Boolean(attested)) && asks.training === training;
    pick.hidden = input.disabled = !fits;
    if (!fits) input.checked = false;
    left += fits;
  }
  slip.box.querySelector("[data-no-pick]").hidden = left > 0;
}

/* Destroy */

function tick(slip, { lot }) {
  if (!lot) return;
  for (const box of slip.box.querySelectorAll("[name=lots]")) box.checked = box.value === lot;
}

const OPENED = { inspect: measure, issue: offerTables, destroy: tick };
const CHECKED = { receive: markTwice, inspect: judge };

const heard = new WeakSet();
addEventListener("room:open", ({ detail: { slip, given } }) => {
  OPENED[slip.box.id]?.(slip, given);
  if (heard.has(slip.box)) return;
  heard.add(slip.box);
  slip.box.addEventListener("click", ({ target }) => {
    if (target.closest("[data-add-lots]")) addLots(slip);
    if (target.closest("[data-all-good]")) allGood(slip);
    const kind = target.closest("[data-kind]");
    if (kind) pickKind(slip, kind);
  });
  slip.box.addEventListener("paste", (event) => pasteCodes(event, slip));
});
addEventListener("room:check", ({ detail: { slip } }) => CHECKED[slip.box.id]?.(slip));
