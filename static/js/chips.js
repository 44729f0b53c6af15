/* Chips by denomination: amounts in words, and the fields of a dialog that asks for them ([data-chip-fields]). */

export const money = (cents) =>
  `${cents < 0 ? "−" : ""}$${(Math.abs(cents) / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 })}`;

/* The value of chips, {chip cents as text: number}. */
export const valueOf = (chips) => Object.entries(chips).reduce((cents, [chip, count]) => cents + Number(chip) * count, 0);

const fieldsOf = (box) => [...box.querySelectorAll("[data-chip]")];

/* What was typed; undefined where a field has something else than a number. */
function chipsTyped(box) {
  const typed = fieldsOf(box).map(({ dataset: { chip }, value }) => [chip, value.trim()]).filter(([, text]) => text !== "");
  if (typed.some(([, text]) => !/^\d{1,6}$/.test(text))) return undefined;
  return Object.fromEntries(typed.map(([chip, text]) => [chip, Number(text)]).filter(([, count]) => count > 0));
}

export function fillFields(box, chips) {
  for (const field of fieldsOf(box)) field.value = chips[field.dataset.chip] ?? "";
}

export function paintFields(box) {
  const chips = chipsTyped(box) ?? {};
  for (const field of fieldsOf(box)) {
    const { chip } = field.dataset, worth = field.closest("label").querySelector("[data-chip-worth]");
    worth.textContent = chips[chip] ? ` = ${money(chips[chip] * Number(chip))}` : "";
  }
  const total = box.querySelector("[data-chips-total]");
  if (total) total.textContent = money(valueOf(chips));
}

/* Lets a dialog (dialogs.js) send the chips of its fields, and ask for some first. */
export function sendsChips(dialog, more = () => ({})) {
  if (dialog.sendsChips) return;
  const { box } = dialog, params = dialog.params.bind(dialog), missing = dialog.missing.bind(dialog);
  dialog.sendsChips = true;
  dialog.params = () => ({ ...params(), "chips": chipsTyped(box) ?? {}, ...more() });
  dialog.missing = () => {
    const field = box.querySelector("[data-chip]");
    if (chipsTyped(box) === undefined) return [field, "Enter whole numbers of chips"];
    return valueOf(chipsTyped(box)) ? missing() : [field, "Enter the chips"];
  };
}
