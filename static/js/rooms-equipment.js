/* The equipment's own dialog: an approval asks what its edition wants seen, what a layout prints, which version runs. */

import "./rooms.js";

function show(part, wanted) {
  part.hidden = !wanted;
  for (const field of part.querySelectorAll("input")) field.disabled = !wanted;
}

addEventListener("room:open", ({ detail: { slip, given } }) => {
  if (slip.box.id !== "approve") return;
  const { box } = slip, lines = document.querySelector(`[data-lines-of="${CSS.escape(given.linesAt)}"]`);
  const slot = box.querySelector("[data-lines]");
  if (slot.dataset.of !== given.linesAt) {
    slot.dataset.of = given.linesAt;
    slot.replaceChildren(...(lines ? [lines.content.cloneNode(true)] : []));
  }
  show(box.querySelector("[data-seen]"), slot.childElementCount > 0);
  show(box.querySelector("[data-of-layout]"), given.subject === "layout");
  show(box.querySelector("[data-of-device]"), given.subject === "device");
});
