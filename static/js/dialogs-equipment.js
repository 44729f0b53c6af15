/* The equipment's approval dialog: its fields depend on what is approved. An edition has lines to check, a layout has a
   print, a device has a version. */

import "./dialogs.js";

function show(part, visible) {
  part.hidden = !visible;
  for (const field of part.querySelectorAll("input")) field.disabled = !visible;
}

addEventListener("dialog:open", ({ detail: { dialog: { box }, subject } }) => {
  if (box.id !== "approve") return;
  const lines = document.querySelector(`[data-lines-of="${CSS.escape(subject.linesAt)}"]`);
  const slot = box.querySelector("[data-lines]");
  if (slot.dataset.of !== subject.linesAt) {
    slot.dataset.of = subject.linesAt;
    slot.replaceChildren(...(lines ? [lines.content.cloneNode(true)] : []));
  }
  show(box.querySelector("[data-seen]"), slot.childElementCount > 0);
  show(box.querySelector("[data-of-layout]"), subject.subject === "layout");
  show(box.querySelector("[data-of-device]"), subject.subject === "device");
});
