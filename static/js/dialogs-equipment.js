/* The equipment's approval dialog: its fields depend on what is approved. An edition has lines to check, a layout has a
   print, a device has versions. One letter may be for several tables or shakers that need the same. */

import "./dialogs.js";

const boxesOf = (dialogBox) => [...dialogBox.querySelectorAll("[data-things] input")];

function show(part, visible) {
  part.hidden = !visible;
  for (const field of part.querySelectorAll("input")) field.disabled = !visible;
}

/* A box to tick for each table or shaker that needs the same approval. `tick` is the code of the one from which the
   dialog was opened, or "all". */
function offerThings(dialogBox, { things, alike, tick }) {
  const slot = dialogBox.querySelector("[data-things]"), codes = alike.split(" "), key = `${things} ${alike} ${tick}`;
  if (slot.dataset.of !== key) {
    slot.dataset.of = key;
    slot.replaceChildren(...codes.map((code) => {
      const label = Object.assign(document.createElement("label"), { className: "ticked" });
      const isTicked = tick === "all" || tick === code;
      const box = Object.assign(document.createElement("input"), {
        type: "checkbox", name: things, value: code, defaultChecked: isTicked,
      });
      box.dataset.as = "list";
      label.append(box, Object.assign(document.createElement("span"), { textContent: code }));
      return label;
    }));
  }
  dialogBox.querySelector("[data-things-legend]").textContent = things === "tables" ? "Tables" : "Shakers";
  dialogBox.querySelector("[data-tick-all]").textContent = `All ${codes.length} ${things}`;
  slot.closest("fieldset").hidden = codes.length === 1;
}

function nameThings(dialog) {
  const boxes = boxesOf(dialog.box), codes = boxes.filter((box) => box.checked).map((box) => box.value);
  const isLong = codes.length > 4;
  dialog.put("of", isLong ? `${codes.length} of ${boxes.length} ${boxes[0].name}` : codes.join(", "));
}

addEventListener("dialog:open", ({ detail: { dialog, subject } }) => {
  const { box } = dialog;
  if (box.id !== "approve") return;
  const lines = document.querySelector(`[data-lines-of="${CSS.escape(subject.linesAt)}"]`);
  const slot = box.querySelector("[data-lines]");
  if (slot.dataset.of !== subject.linesAt) {
    slot.dataset.of = subject.linesAt;
    slot.replaceChildren(...(lines ? [lines.content.cloneNode(true)] : []));
  }
  offerThings(box, subject);
  nameThings(dialog);
  show(box.querySelector("[data-seen]"), slot.childElementCount > 0);
  show(box.querySelector("[data-of-layout]"), subject.subject === "layout");
  show(box.querySelector("[data-of-device]"), subject.subject === "device");
});

addEventListener("dialog:update", ({ detail: { dialog } }) => {
  if (dialog.box.id === "approve") nameThings(dialog);
});

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-tick-all]");
  if (!button) return;
  const boxes = boxesOf(button.closest("dialog"));
  for (const box of boxes) box.checked = true;
  boxes[0].dispatchEvent(new Event("input", { bubbles: true }));
});
