/* The pages of figures: while they show today, the figures are fetched again every few seconds; filters close each other. */

const INTERVAL = 5_000;

async function refresh() {
  const body = document.getElementById("figures-body");
  if (body?.hasAttribute("data-live") && !document.hidden) {
    const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
    if (response && [401, 403, 423].includes(response.status)) return location.reload();
    if (response?.ok) {
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("figures-body");
      if (fresh) Idiomorph.morph(body, fresh, { ignoreActiveValue: true });
    }
  }
  setTimeout(refresh, INTERVAL);
}
setTimeout(refresh, INTERVAL);

document.addEventListener("toggle", ({ target }) => {
  if (!target.matches?.(".filter") || !target.open) return;
  for (const filter of document.querySelectorAll(".filter[open]")) if (filter !== target) filter.open = false;
}, true);
document.addEventListener("click", ({ target }) => {
  for (const filter of document.querySelectorAll(".filter[open]")) if (!filter.contains(target)) filter.open = false;
});
document.addEventListener("keydown", ({ key }) => {
  const filter = key === "Escape" && document.querySelector(".filter[open]");
  if (!filter) return;
  filter.open = false;
  filter.querySelector("summary").focus();
});
