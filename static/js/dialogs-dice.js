/* The dialogs of dice custody: the lots of a receipt, the measurements of an inspection, the tables that a lot fits. */

import { parseMicrometers } from "./dialogs.js";

const MAX_LOTS = 100;
const formatMillimeters = (um) => `${Math.floor(um / 1000)}.${String(um % 1000).padStart(3, "0")}`;

function addRow(box, values = {}) {
  const row = box.querySelector("template[data-row-template]").content.firstElementChild.cloneNode(true);
  for (const [name, text] of Object.entries(values)) row.querySelector(`[name=${name}]`).value = text;
  box.querySelector("[data-each]").append(row);
  return row;
}

/* Receive */

/* Adds lots with consecutive numbers, and prepares the field for the next number. */
function addLots(dialog) {
  const input = (name) => dialog.box.querySelector(`[data-${name}]`);
  const prefix = input("prefix").value.trim(), first = input("from-number").value.trim();
  const count = Math.min(MAX_LOTS, Number(input("how-many").value) || 0);
  if (!/^\d{1,9}$/.test(first)) return input("from-number").focus();
  const number = (offset) => String(Number(first) + offset).padStart(first.length, "0");
  for (let i = 0; i < count; i++) addRow(dialog.box, { lot: prefix + number(i) });
  input("from-number").value = number(count);
  dialog.update();
}

/* A list of codes pasted into one field becomes as many lots. */
function pasteCodes(event, dialog) {
  if (event.target.name !== "lot" || !event.target.closest("[data-row]")) return;
  const codes = event.clipboardData.getData("text").split(/[\s,;]+/).filter(Boolean).slice(0, MAX_LOTS);
  if (codes.length < 2) return;
  event.preventDefault();
  event.target.value = codes.shift();
  for (const lot of codes) addRow(dialog.box, { lot });
  dialog.update();
}

function selectKind(dialog, { dataset }) {
  const { elements } = dialog.form;
  elements.dice.value = dataset.dice;
  if (Number(dataset.sizeUm)) elements.size_um.value = formatMillimeters(Number(dataset.sizeUm));
  elements.colours.value = dataset.colours;
  elements.attested.checked = Boolean(dataset.attested);
  dialog.update();
}

/* Marks codes that are entered twice before anybody sends them. */
function markDuplicates(dialog) {
  const codes = new Set();
  for (const field of dialog.box.querySelectorAll("[data-row] [name=lot]")) {
    const code = field.value.trim(), isDuplicate = Boolean(code) && codes.has(code);
    field.toggleAttribute("data-twice", isDuplicate);
    field.setAttribute("aria-invalid", isDuplicate);
    codes.add(code);
  }
}

/* Inspect */

function addDice(dialog, { dice, sizeUm }) {
  dialog.box.querySelector("[data-nominal]").textContent = `${formatMillimeters(Number(sizeUm))} mm`;
  if (dialog.box.querySelector("[data-row]")) return;
  for (let n = 1; n <= Number(dice); n++) {
    const row = addRow(dialog.box);
    row.querySelector("[data-number]").textContent = n;
    for (const part of row.querySelectorAll("[data-of]"))
      part.textContent = `Die ${n}, ${part.dataset.of === "low" ? "smallest" : "largest"} side in mm`;
    for (const name of ["low_um", "high_um"]) row.querySelector(`[name=${name}]`).dataset.must = `Measure die ${n}`;
  }
}

/* Shows which die would reject the lot, as soon as it is typed. */
function judgeDice(dialog) {
  const nominal = Number(dialog.subject.sizeUm), tolerance = Number(dialog.box.dataset.toleranceUm);
  let failed = 0;
  for (const row of dialog.box.querySelectorAll("[data-row]")) {
    const { text, bad, good } = judgeDie(row, nominal, tolerance);
    row.querySelector("[data-verdict]").textContent = text;
    row.classList.toggle("bad", bad);
    row.classList.toggle("good", good);
    failed += bad;
  }
  dialog.box.querySelector("[data-go]").dataset.label = failed ? `Reject the lot: ${failed} bad` : "Store the lot";
}

function judgeDie(row, nominal, tolerance) {
  const sides = ["low_um", "high_um"].map((name) => parseMicrometers(row.querySelector(`[name=${name}]`).value));
  const deviation = Math.max(...sides.map((side) => (side === undefined ? 0 : Math.abs(side - nominal))));
  if (deviation > tolerance) return { text: `${formatMillimeters(deviation - tolerance)} mm out`, bad: true, good: false };
  if (sides.includes(undefined)) return { text: "", bad: false, good: false };
  const failed = ["balanced", "square", "clean"].find((name) => !row.querySelector(`[name=${name}]`).checked);
  return failed ? { text: `not ${failed}`, bad: true, good: false } : { text: "good", bad: false, good: true };
}

function tickAll(dialog) {
  for (const box of dialog.box.querySelectorAll("[data-row] [type=checkbox]")) box.checked = true;
  dialog.update();
}

/* Issue */

function offerTables(dialog, lot) {
  let count = 0;
  for (const pick of dialog.box.querySelectorAll(".pick")) {
    const table = pick.dataset, input = pick.querySelector("input");
    const fits = table.dice === lot.dice && (table.sizeUm === "0" || table.sizeUm === lot.sizeUm)
      && table.colours === lot.colours && (!table.attested || Boolean(lot.attested)) && table.training === lot.training;
    pick.hidden = input.disabled = !fits;
    if (!fits) input.checked = false;
    count += fits;
  }
  dialog.box.querySelector("[data-no-pick]").hidden = count > 0;
}

/* Destroy */

function tickLot(dialog, { lot }) {
  if (!lot) return;
  for (const box of dialog.box.querySelectorAll("[name=lots]")) box.checked = box.value === lot;
}

const ON_OPEN = { inspect: addDice, issue: offerTables, destroy: tickLot };
const ON_UPDATE = { receive: markDuplicates, inspect: judgeDice };

const listening = new WeakSet();
addEventListener("dialog:open", ({ detail: { dialog, subject } }) => {
  const { box } = dialog;
  ON_OPEN[box.id]?.(dialog, subject);
  if (listening.has(box)) return;
  listening.add(box);
  box.addEventListener("click", ({ target }) => {
    const kind = target.closest("[data-kind]");
    if (target.closest("[data-add-lots]")) addLots(dialog);
    if (target.closest("[data-all-good]")) tickAll(dialog);
    if (kind) selectKind(dialog, kind);
  });
  box.addEventListener("paste", (event) => pasteCodes(event, dialog));
});
addEventListener("dialog:update", ({ detail: { dialog } }) => ON_UPDATE[dialog.box.id]?.(dialog));
