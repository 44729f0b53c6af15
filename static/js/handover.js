/* The handover: the dialog opens with the items of the tapped line chosen; the button that says what is missing leads there. */

import "./dialogs.js";

addEventListener("dialog:open", ({ detail: { dialog: { box }, subject } }) => {
  if (box.id !== "accept") return;
  const items = subject.items?.split(" ") ?? [];
  for (const input of box.querySelectorAll("[name=items]")) if (items.includes(input.value)) input.checked = true;
});

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-first-missing]")) document.querySelector(".free .owner")?.focus();
});
