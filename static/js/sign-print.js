/* A sign to print. */

document.querySelector("[data-print]")?.addEventListener("click", () => print());
