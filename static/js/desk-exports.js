/* The page of exports: the list watches what runs, hashes are copied, and the dialog shows the fields that it needs. */

const EVERY = 1000, AT_MOST = 10_000;
let wait = EVERY;

/* what changed in the list, row by row, so that nobody loses their place in the others */
function apply(fresh) {
  const list = document.getElementById("jobs");
  const before = new Map([...list.children].map((row) => [row.id, row]));
  const rows = [...fresh.children].map((row) => {
    const old = before.get(row.id);
    return old && old.outerHTML === row.outerHTML ? old : document.adoptNode(row);
  });
  rows.forEach((row, place) => { if (list.children[place] !== row) list.insertBefore(row, list.children[place] ?? null); });
  while (list.children.length > rows.length) list.lastElementChild.remove();
  list.toggleAttribute("data-watched", fresh.hasAttribute("data-watched"));
  if (!list.hasAttribute("data-watched")) say("All done");
}

function say(text) {
  const said = document.getElementById("said");
  said.textContent = "";
  requestAnimationFrame(() => { said.textContent = text; });
}

async function look() {
  const list = document.getElementById("jobs");
  if (list?.hasAttribute("data-watched") && !document.hidden) {
    const answer = await fetch(list.dataset.list, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
    if (answer && [401, 403, 423].includes(answer.status)) return location.reload();
    if (answer?.ok) {
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("jobs");
      if (fresh) apply(fresh);
    }
    wait = answer?.ok ? EVERY : Math.min(2 * wait, AT_MOST);
  }
  setTimeout(look, wait);
}
setTimeout(look, EVERY);

/* over plain HTTP a page may not write to the clipboard: then the hash is marked, ready to be copied by hand */
async function copy(button) {
  const code = button.parentElement.querySelector("code");
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    say("Copied");
  } catch {
    getSelection().selectAllChildren(code);
    say("Marked: copy it with Ctrl+C");
  }
}

/* a field that is not shown sends nothing */
function show(radio) {
  const form = radio.form;
  for (const part of form.querySelectorAll(`[data-part="${radio.name}"]`)) {
    part.hidden = part.id !== radio.dataset.shows;
    for (const field of part.querySelectorAll("input")) field.disabled = part.hidden;
  }
}

function count(list) {
  const ticked = list.querySelectorAll("input:checked").length;
  list.querySelector("[data-chosen]").textContent = ticked ? `· only ${ticked} of them` : "· tick some to have only those";
}

/* a range that ends before it begins is told at the field that ends it; the server refuses it too */
function order(part) {
  const [first, last] = part.querySelectorAll("input"), whole = first.type === "date";
  const wrong = !part.hidden && Boolean(first.value && last.value) && (whole ? last.value < first.value : last.value <= first.value);
  part.querySelector("[data-order]").hidden = !wrong;
  if (wrong) last.setAttribute("aria-invalid", "true");
  else last.removeAttribute("aria-invalid");
}

function prepare(box) {
  for (const radio of box.querySelectorAll("[data-shows]:checked")) show(radio);
  for (const part of box.querySelectorAll('[data-part="span"]:has(input)')) order(part);
  for (const list of box.querySelectorAll("details[data-part]")) count(list);
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-copy]");
  if (button) copy(button);
});
document.addEventListener("change", ({ target }) => {
  if (target.matches("[data-shows]")) show(target);
  const list = target.closest("details[data-part]");
  if (list) count(list);
});
document.addEventListener("room:open", ({ target }) => prepare(target));
/* before the dialog asks what is missing: what is hidden is not */
document.addEventListener("room:check", ({ target }) => { if (target.id === "ask-export") prepare(target); });
