/* The staff dialogs: the page lists what each person has (duties, trainings), and the dialog that ends one of them offers
   that list. */

import "./dialogs.js";

addEventListener("dialog:open", ({ detail: { dialog: { box }, subject } }) => {
  const slot = box.querySelector("[data-slot]");
  if (slot && slot.dataset.of !== subject.picksAt) {
    const picks = document.querySelector(`[data-picks-of="${CSS.escape(subject.picksAt)}"]`);
    slot.dataset.of = subject.picksAt;
    slot.replaceChildren(picks.content.cloneNode(true));
  }
  /* the person who already supervises the table cannot be selected */
  if (box.id !== "supervisor") return;
  for (const input of box.querySelectorAll("[name=person]")) {
    input.disabled = input.value === subject.holder;
    input.closest(".pick").hidden = input.disabled;
  }
});
