/* Providers: sums and shares are typed with two decimals and sent in hundredths; a game shows its own wagers alone. */

/* "2,500.5" is 250050 hundredths; empty is none; undefined for what is no such number */
function hundredths(text) {
  const typed = text.trim().replaceAll(",", "");
  if (!typed) return 0;
  const parts = typed.match(/^(\d{1,7})(?:\.(\d{1,2}))?$/);
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? "").padEnd(2, "0")) : undefined;
}

function count(field) {
  const hidden = field.parentElement.querySelector(`[name="${field.dataset.hundredths}"]`), found = hundredths(field.value);
  hidden.value = found ?? "";
  field.setAttribute("aria-invalid", found === undefined);
  if (found === undefined) hidden.dataset.must = "A number such as 2,500.00"; else delete hidden.dataset.must;
}

function showGame(box) {
  const game = box.querySelector("[name=game]");
  for (const part of box.querySelectorAll("[data-of-game]")) {
    part.hidden = part.dataset.ofGame !== game.value;
    for (const one of part.querySelectorAll("input")) one.disabled = part.hidden;
  }
}

function paint(box) {
  for (const field of box.querySelectorAll("[data-hundredths]")) count(field);
  if (box.querySelector("[data-of-game]")) showGame(box);
}

addEventListener("room:open", ({ target, detail: { given } }) => {
  for (const tick of target.querySelectorAll("[data-check]")) tick.checked = given[tick.dataset.check] === "1";
  for (const choice of target.querySelectorAll("select")) if (choice.selectedIndex < 0) choice.selectedIndex = 0;
  paint(target);
});
addEventListener("room:check", ({ target }) => paint(target));
