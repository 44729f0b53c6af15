/* The search of the record: what says nothing stays out of the address, so that a link to a search can be read. */

document.addEventListener("submit", ({ target }) => {
  if (target.id !== "asks") return;
  for (const field of target.elements) if (field.name && !field.value.trim()) field.disabled = true;
});

/* a page that comes back from the browser's memory may be asked again */
addEventListener("pageshow", () => {
  for (const field of document.getElementById("asks")?.elements ?? []) field.disabled = false;
});
