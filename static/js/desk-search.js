/* The search of the record: empty fields stay out of the address, so that a link to a search can be read. */

document.addEventListener("submit", ({ target }) => {
  if (target.id !== "asks") return;
  for (const field of target.elements) if (field.name && !field.value.trim()) field.disabled = true;
});

/* A page that returns from the browser's cache can be searched again. */
addEventListener("pageshow", () => {
  for (const field of document.getElementById("asks")?.elements ?? []) field.disabled = false;
});
