/* The page of exports: the list polls while a job runs, hashes can be copied, and the dialog shows the fields that it
   needs. */

import { confirmFactor } from "./step-up.js";

const POLL_INTERVAL = 1_000, MAX_POLL_INTERVAL = 10_000;
let interval = POLL_INTERVAL;

/* Replaces only the rows that changed, so that nobody loses their place in the list. */
function apply(freshList) {
  const list = document.getElementById("jobs");
  const rowsById = new Map([...list.children].map((row) => [row.id, row]));
  const rows = [...freshList.children].map((fresh) => {
    const current = rowsById.get(fresh.id);
    return current && current.outerHTML === fresh.outerHTML ? current : document.adoptNode(fresh);
  });
  for (const [i, row] of rows.entries())
    if (list.children[i] !== row) list.insertBefore(row, list.children[i] ?? null);
  while (list.children.length > rows.length) list.lastElementChild.remove();
  list.toggleAttribute("data-watched", freshList.hasAttribute("data-watched"));
  if (!list.hasAttribute("data-watched")) announce("All done");
}

function announce(text) {
  const status = document.getElementById("status-message");
  status.textContent = "";
  requestAnimationFrame(() => { status.textContent = text; });
}

async function poll() {
  const list = document.getElementById("jobs");
  if (list?.hasAttribute("data-watched") && !document.hidden) {
    const response = await fetch(list.dataset.list, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
    if (response && [401, 403, 423].includes(response.status)) return location.reload();
    if (response?.ok) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html"), freshList = page.getElementById("jobs");
      if (freshList) apply(freshList);
    }
    interval = response?.ok ? POLL_INTERVAL : Math.min(2 * interval, MAX_POLL_INTERVAL);
  }
  setTimeout(poll, interval);
}
setTimeout(poll, POLL_INTERVAL);

/* Over plain HTTP a page may not write to the clipboard: then the hash is selected, ready to be copied. */
async function copy(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    announce("Copied");
  } catch {
    getSelection().selectAllChildren(code);
    announce("Selected: copy it with Ctrl+C");
  }
}

/* A hidden field sends nothing. */
function showPartOf(radio) {
  for (const part of radio.form.querySelectorAll(`[data-part="${radio.name}"]`)) {
    part.hidden = part.id !== radio.dataset.shows;
    for (const field of part.querySelectorAll("input")) field.disabled = part.hidden;
  }
}

function showCount(list) {
  const count = list.querySelectorAll("input:checked").length;
  list.querySelector("[data-chosen]").textContent = count ? `· only ${count} of them` : "· select some to include only those";
}

/* Marks a range that ends before it begins at its last field. The server refuses it too. */
function checkOrder(part) {
  const [first, last] = part.querySelectorAll("input"), isDate = first.type === "date";
  const isBackward = isDate ? last.value < first.value : last.value <= first.value;
  const isWrong = !part.hidden && Boolean(first.value && last.value) && isBackward;
  part.querySelector("[data-order]").hidden = !isWrong;
  if (isWrong) last.setAttribute("aria-invalid", "true");
  else last.removeAttribute("aria-invalid");
}

function update(box) {
  for (const radio of box.querySelectorAll("[data-shows]:checked")) showPartOf(radio);
  for (const part of box.querySelectorAll('[data-part="span"]:has(input)')) checkOrder(part);
  for (const list of box.querySelectorAll("details[data-part]")) showCount(list);
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy]");
  if (button) copy(button);
});
/* A copy that leaves the casino needs a second factor again. */
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-confirmed]");
  if (!link) return;
  event.preventDefault();
  if (await confirmFactor()) location.assign(link.href);
});
document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-shows]")) showPartOf(target);
  const list = target.closest("details[data-part]");
  if (list) showCount(list);
});
document.addEventListener("dialog:open", ({ target }) => update(target));
/* before the dialog looks for what is missing: a hidden field is not */
document.addEventListener("dialog:update", ({ target }) => { if (target.id === "ask-export") update(target); });
