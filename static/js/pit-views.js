/* Which tiles the floor shows, and its keys. The view is chosen for this device alone, and nothing is sent. */

const STORED = "pitside.floor-view";
const pits = document.getElementById("pits"), find = document.getElementById("find");

function show(view) {
  pits.dataset.view = view;
  pits.parentElement.dataset.view = view;
  localStorage.setItem(STORED, view);
  for (const button of document.querySelectorAll("[data-view]"))
    if (button.matches("button")) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  dispatchEvent(new Event("floor:view"));
}

/* Counts the tables that need somebody, and hides those that do not match what is typed. */
export function paintViews(tiles) {
  if (!pits) return;
  const count = String(tiles.filter((tile) => tile.matches(".needs")).length || "");
  const label = document.getElementById("attention");
  if (label.textContent !== count) label.textContent = count;
  const text = find.value.trim().toLowerCase();
  for (const tile of tiles) tile.classList.toggle("unmatched", !tile.dataset.table.toLowerCase().includes(text));
  dispatchEvent(new Event("floor:view"));
}

/* What takes a person to a table: its tile, or its shape on the plan. */
const linkOf = (tile) => (pits.dataset.view === "plan"
  ? document.querySelector(`[data-plan-of="${CSS.escape(tile.dataset.table)}"] a`) : tile.querySelector("h3 a"));
const tilesOf = () => [...document.querySelectorAll(".tile")];
const focusOn = (target) => { target?.scrollIntoView({ block: "nearest" }); target?.focus(); };
const focusOnTile = (tile) => { if (tile) focusOn(linkOf(tile)); };

function press(event) {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey || target.closest?.("input, textarea, select, dialog[open], .lock-pad:not([hidden])")) return;
  if (key === "/") focusOn(find);
  else if (key.toLowerCase() === "a") focusOn(document.querySelector("#alerts [data-acknowledge]"));
  else if (/^[1-9]$/.test(key)) focusOnTile(pits.querySelectorAll("[data-pit]")[key - 1]?.querySelector(".tile"));
  else return;
  event.preventDefault();
}

if (pits) {
  show(localStorage.getItem(STORED) ?? "all");
  document.addEventListener("click", ({ target }) => {
    const button = target.closest(".views [data-view]");
    if (button) show(button.dataset.view);
  });
  find.addEventListener("input", () => paintViews(tilesOf()));
  find.addEventListener("keydown", ({ key }) => {
    const matching = tilesOf().filter((tile) => !tile.matches(".unmatched"));
    if (key === "Escape") { find.value = ""; paintViews(tilesOf()); find.blur(); }
    if (key === "Enter" && matching.length) focusOnTile(matching[0]);
  });
  addEventListener("keydown", press);
}
