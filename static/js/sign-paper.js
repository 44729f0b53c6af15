/* The dialog that signs a paper as the next one of its list: every place of it, and who may sign, as the page has them. */

import "./dialogs.js";

addEventListener("dialog:open", ({ detail: { dialog: { box }, subject } }) => {
  if (!box.hasAttribute("data-signs-paper")) return;
  const paper = document.getElementById(subject.of);
  box.querySelector("[data-places]").replaceChildren(paper.querySelector(".paper-places").cloneNode(true));
  const options = [...paper.querySelectorAll("datalist option")].map(({ value, textContent }) => new Option(textContent, value));
  box.querySelector("[data-witness]")?.replaceChildren(...options);
});
