/* The search of the record: empty fields stay out of the address, so that a link to a search can be read. */

document.addEventListener("submit", ({ target }) => {
  if (target.id !== "asks") return;
  for (const field of target.elements) if (field.name && !field.value.trim()) field.disabled = true;
});

/* The list of acts closes at a tap beside it, and at Escape. */
function closeActs() {
  document.querySelector(".acts-list")?.removeAttribute("open");
}
document.addEventListener("click", ({ target }) => {
  if (!target.closest(".acts-list")) closeActs();
});
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") closeActs();
});

/* A page that returns from the browser's cache can be searched again. */
addEventListener("pageshow", () => {
  for (const field of document.getElementById("asks")?.elements ?? []) field.disabled = false;
});
