/* On a phone the floor stands before its alerts. One line above it says how many are to act on and which comes first, and
   unfolds the list. */

const button = document.getElementById("alert-summary");

/* `lines`: groups of list items of tables/parts/alert.jinja, in their order. Returns what the line says. */
export function summaryOf(lines) {
  const toDo = lines.filter(([first]) => !first.matches(".calm, .over"));
  if (!toDo.length) return { level: "", text: "Nothing to act on", first: `${lines.length} to know`, since: "" };
  const [[first, ...more]] = toDo, { code, title, joins, level, since } = first.dataset;
  return {
    level: first.matches(".unanswered") ? `${level} unanswered` : level,
    text: `${toDo.length} to act on`,
    first: more.length ? `${more.length + 1} ${joins}` : `${code} ${title}`,
    since,
  };
}

export function paintSummary(lines) {
  if (!button) return;
  const { level, text, first, since } = summaryOf(lines), time = button.querySelector("time");
  button.hidden = !lines.length;
  button.className = `alert-summary ${level}`.trim();
  button.querySelector("use").setAttribute("href", `#${level.split(" ")[0] || "info"}`);
  button.querySelector("b").textContent = text;
  button.querySelector(".most-urgent").textContent = first;
  if (since) time.dataset.elapsed = since;
  else delete time.dataset.elapsed;
  time.hidden = !since;
}

button?.addEventListener("click", () => {
  const isOpen = button.closest(".rail").classList.toggle("unfolded");
  button.setAttribute("aria-expanded", String(isOpen));
});
