/* The integrity page refreshes every five seconds, and copies a key's line. */

import { morph } from "./live.js";

const REFRESH_INTERVAL = 5_000;

async function refresh() {
  if (document.hidden || document.querySelector("dialog[open], details[open]")) return;
  const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
  if (!response?.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("page");
  if (fresh) morph(document.getElementById("page"), document.adoptNode(fresh));
}

setInterval(refresh, REFRESH_INTERVAL);

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copy-line]");
  if (!button) return;
  const status = document.getElementById("status-message");
  status.textContent = "";
  try {
    await navigator.clipboard.writeText(button.dataset.copyLine);
    status.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector("code")); // not permitted: selected instead
    status.textContent = "Selected: copy it now";
  }
});
