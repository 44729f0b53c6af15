/* The tray of a table: the count, and the dialogs that sign for it. Nothing moves by one tap: a count is signed by the PIN of
   the second person, and a sale is confirmed. */

import "./dialogs.js";
import "./sign-paper.js";
import "./live-part.js";
import { fillFields, money, paintFields, sendsChips } from "./chips.js";
import { CountPad } from "./count-pad.js";
import { QuickTaps } from "./quick-taps.js";

QuickTaps.watch(document);
const pad = new CountPad();
const page = () => document.getElementById("page");
const setText = (box, selector, text) => {
  const part = box.querySelector(selector);
  if (part) part.textContent = text;
};

function showLines(box) {
  const list = Object.assign(document.createElement("dl"), { className: "sign-lines" });
  for (const { chip, count, cents } of pad.rows) {
    const row = document.createElement("div"), name = document.createElement("dt"), amount = document.createElement("dd");
    name.textContent = `${count} × ${money(chip)}`;
    amount.textContent = money(cents);
    row.append(name, amount);
    list.append(row);
  }
  box.querySelector("[data-sign-lines]")?.replaceChildren(list);
}

function offerChips(dialog, chips) {
  fillFields(dialog.box, JSON.parse(chips || "{}"));
  paintFields(dialog.box);
  sendsChips(dialog);
}

/* A dialog signs for the count that it shows: the page under it may be read again meanwhile, and ask for another one. */
function takeCount(dialog) {
  const { chips, verdict: { cents, text } } = pad;
  dialog.count = { chips, cents };
  setText(dialog.box, "[data-sign-amount]", money(cents));
  setText(dialog.box, "[data-sign-note]", text);
  showLines(dialog.box);
}

/* A count that has begun stays the one of this page, also when a fill arrives or its slip is no longer the first. */
function keepCount() {
  const { section, numbers } = pad, { dataset } = page();
  if (!section || !numbers.size) return;
  const address = new URL(dataset.livePart, location.href), { code, transfer } = document.getElementById("go").dataset;
  address.searchParams.set("count", code);
  if (transfer) address.searchParams.set("slip", transfer);
  dataset.livePart = address.pathname + address.search;
}

const SUBJECTS = { slip: "Sign for the chips", tray: "Sign the count of the tray", opener: "Sign the opener", closer: "Sign the closer" };

/* What each dialog sends beside its own fields, and what it shows. */
const OPENED = {
  "sign-count": (dialog, { act, code }) => {
    const { box } = dialog;
    box.dataset.name = act;
    setText(box, "[data-sign-what]", SUBJECTS[code]);
    takeCount(dialog);
  },
  "sell-chips": takeCount,
  "count-differs": takeCount,
  "request": (dialog, { kind, chips }) => {
    const { box } = dialog;
    box.dataset.name = `request_${kind}`;
    setText(box, "[data-put=kind]", kind);
    for (const part of box.querySelectorAll("[data-of-kind]")) part.hidden = part.dataset.ofKind !== kind;
    offerChips(dialog, chips);
  },
  "set-par": (dialog, { chips }) => offerChips(dialog, chips),
};
const PARAMS = {
  /* a credit is what its slip says: the pad has compared it */
  "sign-count": ({ count: { chips }, subject: { act, transfer } }) => ({
    ...(act !== "hand_over_transfer" && { chips }), ...(transfer && { "transfer": Number(transfer) }),
  }),
  "count-differs": ({ count: { chips }, subject: { transfer } }) => ({ chips, "transfer": Number(transfer) }),
  "sell-chips": ({ count: { chips, cents } }) => ({ chips, cents }),
};

function extendParams(dialog) {
  const { box } = dialog, more = PARAMS[box.id];
  if (!more || dialog.isExtended) return;
  const params = dialog.params.bind(dialog);
  dialog.isExtended = true;
  dialog.params = () => ({ ...params(), ...more(dialog) });
}

addEventListener("dialog:open", ({ detail: { dialog, subject } }) => {
  extendParams(dialog);
  OPENED[dialog.box.id]?.(dialog, subject);
});
addEventListener("dialog:update", ({ detail: { dialog: { box } } }) => { if (box.querySelector("[data-chip-fields]")) paintFields(box); });

/* What cannot be signed yet opens no dialog, and a report needs a count. */
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  const isOff = opener?.getAttribute("aria-disabled") === "true";
  const isEarly = opener?.dataset.open === "count-differs" && !pad.rows.length;
  if (!isOff && !isEarly) return;
  event.stopPropagation();
  if (isEarly) document.getElementById("status-message").textContent = "Count the chips first.";
}, { capture: true });
document.addEventListener("click", ({ target }) => { pad.click(target); keepCount(); });
document.addEventListener("keydown", (event) => { pad.type(event); keepCount(); });
addEventListener("screen:applied", () => pad.paint());
pad.paint();

/* The table's page links here to ask for chips: ?ask=fill. */
const requestKind = new URLSearchParams(location.search).get("ask");
if (requestKind) page().querySelector(`[data-open=request][data-kind="${CSS.escape(requestKind)}"]`)?.click();
document.documentElement.toggleAttribute("data-ready", true);
