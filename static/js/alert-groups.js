/* Equal alerts of a pit are one line with a number: four tablets behind one switch are one thing to do. What one cause raises
   at every table is one line of the whole floor. Each member keeps its own buttons, one tap away. */

/* The line that an alert shares with equal ones; "" for one that stands alone. */
export const lineKey = ({ dataset: { joins, says } }) => (joins ? `${joins} ${says ?? ""}` : "");

/* `alerts`: list items of tables/parts/alert.jinja, in their order. Returns lists of one, or of all that join one line.
   `says`: the words of a cause that concerns every table; two causes are two lines. */
export function groupAlerts(alerts) {
  const lines = new Map();
  for (const [place, alert] of alerts.entries()) {
    const key = lineKey(alert) || place;
    lines.set(key, [...(lines.get(key) ?? []), alert]);
  }
  return [...lines.values()];
}

/* `T-31, T-42 Left tablet offline` under `Pit 3, Tablet offline`: the tables, and what the head of the line does not say.
   A cause of every table says itself. */
export function memberWords(alerts) {
  const { says } = alerts[0].dataset;
  return says ?? alerts.map(({ dataset: { code, title, joins } }) =>
    (joins?.endsWith(`, ${title}`) ? code : `${code} ${title}`)).join(", ");
}

const opened = new Set();

/* One button for those that this person may acknowledge, where there are several (alerts.js sends an act for each). */
function acknowledgeAll(alerts) {
  const count = alerts.filter((alert) => alert.querySelector("[data-alert-act=acknowledge_alert]")).length;
  const button = Object.assign(document.createElement("button"),
    { className: "act acknowledge acknowledge-all", type: "button", textContent: `Acknowledge all ${count}` });
  button.dataset.acknowledgeAll = "";
  return count > 1 ? [button] : [];
}

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
  line.append(head, words, ...acknowledgeAll(alerts), folded);
  return line;
}
