/* The handover: the dialog opens with the tapped item chosen; the button that says what is missing leads there. */

import "./dialogs.js";

addEventListener("dialog:open", ({ detail: { dialog: { box }, subject } }) => {
  if (box.id !== "accept") return;
  for (const input of box.querySelectorAll("[name=items]")) if (input.value === subject.item) input.checked = true;
});

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-first-missing]")) document.querySelector(".free .owner")?.focus();
});
