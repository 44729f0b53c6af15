/* Equal alerts of a pit are one line with a number: four tablets behind one switch are one thing to do. Each member keeps
   its own buttons, one tap away. */

/* `alerts`: list items of tables/parts/alert.jinja, in their order. Returns lists of one, or of all that join one line. */
export function groupAlerts(alerts) {
  const lines = new Map();
  for (const [place, alert] of alerts.entries()) {
    const key = alert.dataset.joins || place;
    lines.set(key, [...(lines.get(key) ?? []), alert]);
  }
  return [...lines.values()];
}

/* `T-31 Tablet offline, T-42 Left tablet offline` */
export const memberWords = (alerts) => alerts.map(({ dataset }) => `${dataset.code} ${dataset.title}`).join(", ");

const opened = new Set();

/* One list item for several alerts. It stays unfolded when the rail is painted again. */
export function joinedLine(alerts) {
  const [first] = alerts, { joins, level } = first.dataset;
  const line = document.createElement("li"), head = document.createElement("h3"), words = document.createElement("p");
  line.className = `alert ${level} joined`;
  head.append(Object.assign(document.createElement("b"), { className: "joined-count", textContent: alerts.length }), ` ${joins}`);
  Object.assign(words, { className: "more", textContent: memberWords(alerts) });
  const folded = document.createElement("details"), list = document.createElement("ol");
  folded.append(Object.assign(document.createElement("summary"), { textContent: "Answer each" }), list);
  list.append(...alerts);
  folded.open = opened.has(joins);
  folded.addEventListener("toggle", () => opened[folded.open ? "add" : "delete"](joins));
  line.append(head, words, folded);
  return line;
}
