/* The rotation board: tap a dealer and then a post, or drag the dealer there, or use the keys. The server says which posts
   a picked dealer may be planned for, and checks it again when the move is planned. */

import "./live-part.js";
import { uuid7 } from "./acts.js";
import { post, signInLink } from "./dialogs.js";
import { QuickTaps } from "./quick-taps.js";

const START_DISTANCE = 12;  // pixels before a press becomes a drag
const VERTICAL = { ArrowUp: -1, ArrowDown: 1 }, HORIZONTAL = { ArrowLeft: -1, ArrowRight: 1 };
const page = () => document.getElementById("page");
const refused = document.getElementById("board-refused");

/* Shows the board with this dealer picked, for a move in so many minutes; "" for nobody, and for when the break is due. */
function show(person, minutes = "") {
  const query = new URLSearchParams({ ...(person && { person }), ...(person && minutes && { "in": minutes }) });
  const { board } = page().dataset, address = query.size ? `${board}?${query}` : board;
  history.replaceState(null, "", address);
  query.set("part", "1");
  page().dataset.livePart = `${board}?${query}`;
  dispatchEvent(new CustomEvent("part:read"));
}

function refuse(refusal) {
  refused.hidden = !refusal;
  if (!refusal) return;
  const element = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
  refused.replaceChildren(element("strong", refusal.title), ` ${refusal.message} `);
  if (refusal.section) refused.append(element("cite", refusal.section));
  if (refusal.signedOut) refused.append(" ", signInLink());
}

let sent = null;  // without an answer the same act is sent again with its command

async function send(act, params, text) {
  const key = JSON.stringify([act, params]);
  if (sent?.key !== key) sent = { key, command: uuid7() };
  refuse(null);
  const answer = await post(page().dataset.act.replace("__act__", act), { command: sent.command, "seen": 0, params });
  if (answer.refusal) {
    if (answer.refusal.code !== "no-answer") sent = null;
    return refuse(answer.refusal);
  }
  sent = null;
  document.getElementById("status-message").textContent = text;
  show("");
}

const plan = ({ person, table, post: code, when }) =>
  send("plan_move", { person, table, "post": code, ...(when && { "planned_for": when }) }, `Planned for ${table}.`);

/* A dealer dragged with a mouse or pen, to the time chosen for them if they are picked. A finger scrolls the board, and
   taps. */
class DealerDrag {
  static watch() {
    return new DealerDrag();
  }

  constructor() {
    this.drag = null;
    document.addEventListener("pointerdown", (event) => this.press(event));
    document.addEventListener("pointermove", (event) => this.move(event));
    document.addEventListener("pointerup", () => this.drop());
    document.addEventListener("pointercancel", () => this.cancel());
    document.addEventListener("click", (event) => this.swallow(event), { capture: true });
  }

  press({ target, clientX: x, clientY: y, button, pointerType }) {
    const source = target.closest?.("a[data-pick]");
    this.dropped = false;
    if (source && button === 0 && pointerType !== "touch")
      this.drag = { person: source.dataset.pick, name: source.querySelector("b").textContent, x, y };
  }

  move({ clientX: x, clientY: y }) {
    const { drag } = this;
    if (!drag || (!drag.label && Math.hypot(x - drag.x, y - drag.y) < START_DISTANCE)) return;
    drag.label ??= this.label(drag.name);
    drag.label.style.translate = `${x}px ${y}px`;
    const row = document.elementFromPoint(x, y)?.closest("[data-table][data-post].board-row") ?? null;
    if (drag.row !== row) drag.row?.classList.remove("aimed");
    row?.classList.add("aimed");
    drag.row = row;
  }

  label(name) {
    const label = Object.assign(document.createElement("p"), { className: "drag-name", textContent: name });
    label.setAttribute("aria-hidden", "true");
    document.body.append(label);
    return label;
  }

  drop() {
    const { drag } = this;
    this.cancel();
    if (!drag?.label) return;
    this.dropped = true;
    if (!drag.row) return;
    const { table, post: code } = drag.row.dataset, offer = drag.row.querySelector("[data-plan]")?.dataset;
    plan({ person: drag.person, table, post: code, when: offer?.person === drag.person ? offer.when : "" });
  }

  cancel() {
    this.drag?.row?.classList.remove("aimed");
    this.drag?.label?.remove();
    this.drag = null;
  }

  /* The click that ends a drag picks nobody. */
  swallow(event) {
    if (!this.dropped) return;
    this.dropped = false;
    event.preventDefault();
    event.stopPropagation();
  }
}

function tap(event) {
  const hit = (selector) => event.target.closest(selector);
  const picked = hit("[data-pick]"), time = hit("[data-time]");
  if (picked || time || hit("[data-let-go]")) event.preventDefault();
  if (picked) show(picked.getAttribute("aria-current") ? "" : picked.dataset.pick, page().dataset.in);
  else if (time) show(pickedPerson(), time.dataset.time);
  else if (hit("[data-let-go]")) show("");
  else if (hit("[data-plan]")) plan(hit("[data-plan]").dataset);
  else if (hit("[data-cancel]")) send("cancel_planned_move", { "move": Number(hit("[data-cancel]").dataset.cancel) }, "Canceled.");
  else if (!hit("#board-refused")) refuse(null);
}

const pickedPerson = () => document.querySelector("[data-pick][aria-current]")?.dataset.pick ?? new URLSearchParams(location.search).get("person");

function step(selector, count) {
  const items = [...document.querySelectorAll(selector)], index = items.indexOf(document.activeElement);
  const item = items[index < 0 ? 0 : (index + count + items.length) % items.length];
  item?.focus();
  return item;
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isPicked = Boolean(document.querySelector(".picked-bar"));
  if (event.key === "Escape" && isPicked) show("");
  else if (event.key in VERTICAL) step(isPicked ? ".board-row [data-plan]" : "a[data-pick]", VERTICAL[event.key]);
  else if (event.key in HORIZONTAL && isPicked) {
    const times = [...document.querySelectorAll("[data-time]")];
    const current = times.findIndex((time) => time.getAttribute("aria-current"));
    const time = times[current + HORIZONTAL[event.key]];
    if (time) show(pickedPerson(), time.dataset.time);
  } else return;
  event.preventDefault();
}

QuickTaps.watch(document, { fingersOnly: true });  // the next proposal comes in the place of the one that was tapped
DealerDrag.watch();
document.addEventListener("click", tap);
document.addEventListener("keydown", press);
document.documentElement.toggleAttribute("data-ready", true);
