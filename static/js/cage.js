/* The cage: slips are opened by their links; each step of a slip is a dialog. */

import "./dialogs.js";
import "./sign-paper.js";
import "./live-part.js";
import { paintFields, sendsChips } from "./chips.js";
import { QuickTaps } from "./quick-taps.js";

QuickTaps.watch(document);
/* The acts of a transfer are acts of its table: the button says at which address. */
const COUNTS = ["receive", "report-difference"];

/* Who signs for chips sees each denomination: those of the open slip, as they are when the dialog opens. */
addEventListener("dialog:open", ({ detail: { dialog: { box } } }) => {
  const chips = document.querySelector(".slip-paper .chips-of");
  if (chips) box.querySelector("[data-chips-of-paper]")?.replaceChildren(chips.cloneNode(true));
});

addEventListener("dialog:open", ({ detail: { dialog } }) => {
  if (!COUNTS.includes(dialog.box.id)) return;
  for (const field of dialog.box.querySelectorAll("[data-chip]")) field.value = "";
  paintFields(dialog.box);
  sendsChips(dialog);
});
addEventListener("dialog:update", ({ detail: { dialog: { box } } }) => { if (COUNTS.includes(box.id)) paintFields(box); });
document.documentElement.toggleAttribute("data-ready", true);
