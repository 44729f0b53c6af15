/* A keyboard's way to the next step: the key N puts the focus on it, wherever that was, and the first Tab of the page leads to a
   link that does so. Enter does the step then, and a step that is held is held with Enter (hold.js). The key itself does nothing,
   and nothing at all while a dialog asks: the step behind it takes no focus. */

const TYPES = "input, select, textarea, [contenteditable]";

function focusNext() {
  const step = document.getElementById("next");
  step?.focus();
  return Boolean(step);
}

export function watchNextKey() {
  document.addEventListener("keydown", (event) => {
    const isOther = event.ctrlKey || event.altKey || event.metaKey || event.repeat;
    if (event.key.toLowerCase() !== "n" || isOther || event.target.closest(TYPES)) return;
    if (focusNext()) event.preventDefault();
  });
  document.querySelector("[data-to-next]")?.addEventListener("click", (event) => {
    if (focusNext()) event.preventDefault();
  });
}
