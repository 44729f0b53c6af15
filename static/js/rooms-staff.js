/* The staff's own dialogs: what a person has stands in the page, and the dialog that ends one of them offers it. */

import "./rooms.js";

addEventListener("room:open", ({ detail: { slip, given } }) => {
  const slot = slip.box.querySelector("[data-slot]");
  if (slot && slot.dataset.of !== given.picksAt) {
    const picks = document.querySelector(`[data-picks-of="${CSS.escape(given.picksAt)}"]`);
    slot.dataset.of = given.picksAt;
    slot.replaceChildren(picks.content.cloneNode(true));
  }
  /* who answers for the table already is no choice */
  if (slip.box.id !== "supervisor") return;
  for (const input of slip.box.querySelectorAll("[name=person]")) {
    input.disabled = input.value === given.holder;
    input.closest(".pick").hidden = input.disabled;
  }
});
