/* Providers: sums and shares are typed with two decimals and sent in hundredths. A game shows only its own wagers. */

/* "2,500.5" is 250050 hundredths; nothing is 0; undefined when the text is not such a number. */
function parseHundredths(text) {
  const digits = text.trim().replaceAll(",", "");
  if (!digits) return 0;
  const parts = digits.match(/^(\d{1,7})(?:\.(\d{1,2}))?$/);
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? "").padEnd(2, "0")) : undefined;
}

function setHundredths(field) {
  const hidden = field.parentElement.querySelector(`[name="${field.dataset.hundredths}"]`);
  const hundredths = parseHundredths(field.value), isInvalid = hundredths === undefined;
  hidden.value = hundredths ?? "";
  field.setAttribute("aria-invalid", isInvalid);
  if (isInvalid) hidden.dataset.must = "A number such as 2,500.00"; else delete hidden.dataset.must;
}

function showWagersOfGame(box) {
  const game = box.querySelector("[name=game]");
  for (const part of box.querySelectorAll("[data-of-game]")) {
    part.hidden = part.dataset.ofGame !== game.value;
    for (const input of part.querySelectorAll("input")) input.disabled = part.hidden;
  }
}

function update(box) {
  for (const field of box.querySelectorAll("[data-hundredths]")) setHundredths(field);
  if (box.querySelector("[data-of-game]")) showWagersOfGame(box);
}

addEventListener("dialog:open", ({ target, detail: { subject } }) => {
  for (const tick of target.querySelectorAll("[data-check]")) tick.checked = subject[tick.dataset.check] === "1";
  for (const select of target.querySelectorAll("select")) if (select.selectedIndex < 0) select.selectedIndex = 0;
  update(target);
});
addEventListener("dialog:update", ({ target }) => update(target));
