/* The rooms of the house: each act is a dialog over the list that it is about. A dialog's fields say by attributes what
   they send: `name`, `data-as` (text, code, whole, mm, cents, yes, flag, list, date), `data-into` (said of every row of a list),
   rows in [data-each], what may not be missing in `data-must`. Nothing typed is lost by a refusal.

   `room:open` tells a page's own script that a dialog opened, with what the button said; `room:check` that it changed. */

import "./clocks.js";
import { GONE, PATIENCE, csrf, uuid7 } from "./acts.js";
import { Pad } from "./pad.js";

const CODE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/;
const hall = () => document.getElementById("room");

/* millimetres as typed, to whole micrometres; undefined for what is no such number */
export function micrometres(text) {
  const parts = text.trim().replace(",", ".").match(/^(\d{1,2})(?:\.(\d{1,3}))?$/);
  return parts ? Number(parts[1]) * 1000 + Number((parts[2] ?? "").padEnd(3, "0")) : undefined;
}

/* dollars as typed, "$1,150.50", to cents; nothing is 0, and what is no amount goes as it is, for the server to refuse */
export function cents(text) {
  const parts = text.trim().match(/^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d\d))?$/);
  return text.trim() === "" ? 0 : parts ? Number(parts[1].replaceAll(",", "")) * 100 + Number(parts[2] ?? 0) : text.trim();
}

const READ = {
  text: (field) => field.value.trim(),
  code: (field) => (CODE.test(field.value.trim()) ? field.value.trim() : undefined),
  whole: (field) => {
    const value = field.value.trim();
    const fits = /^\d{1,9}$/.test(value) && Number(value) >= Number(field.dataset.low ?? 0)
      && Number(value) <= Number(field.dataset.high ?? 1e9);
    return fits ? Number(value) : undefined;
  },
  mm: (field) => micrometres(field.value),
  cents: (field) => cents(field.value),
  date: (field) => field.value || null,
  yes: (field) => field.checked,
};

const value = (field) => (READ[field.dataset.as] ?? READ.text)(field);

/* "table:T-01" or "pit:p1" as the parameter of its own name; "" is the whole house */
function placed(text) {
  const at = text.indexOf(":");
  return at < 0 ? {} : { [text.slice(0, at)]: text.slice(at + 1) };
}

/* the fields of one object: a dialog's own, or a row's */
function gather(fields) {
  const said = {};
  for (const field of fields) {
    const { name } = field, as = field.dataset.as;
    if (as === "list") (said[name] ??= []).push(...(field.checked ? [field.value] : []));
    else if (as === "flag") said[name] = field.checked ? field.value === "1" : said[name] ?? false;
    else if (field.type === "radio") { if (field.checked) Object.assign(said, as === "place" ? placed(field.value) : { [name]: value(field) }); }
    else if (as === "date" && !field.value) continue;
    else said[name] = value(field);
  }
  return said;
}

export class Slip {
  constructor(box) {
    Object.assign(this, { box, form: box.querySelector("form"), given: {} });
    this.pad = new Pad(box, () => { this.refuse(); this.check(); });
    this.sent = null;
    this.send = post; // a page's own script may send another way: with a file
    box.addEventListener("click", (event) => this.click(event));
    box.addEventListener("input", () => { this.refuse(); this.check(); });
    box.addEventListener("keydown", (event) => this.key(event));
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.go(); });
  }

  get signs() {
    return this.box.querySelector("[data-witness]");
  }

  /* what was typed for the same lot stays, so that a slip of the finger costs nothing */
  open(given) {
    const subject = JSON.stringify(given);
    if (this.subject !== subject) {
      this.form.reset();
      for (const rows of this.box.querySelectorAll("[data-each]")) rows.replaceChildren();
      for (const part of this.box.querySelectorAll("[data-put]")) this.put(part.dataset.put, given[part.dataset.put] ?? "");
    }
    Object.assign(this, { subject, given });
    this.box.dispatchEvent(new CustomEvent("room:open", { bubbles: true, detail: { slip: this, given } }));
    this.box.showModal();
    this.pad.set("");
  }

  put(name, text) {
    for (const part of this.box.querySelectorAll(`[data-put="${name}"]`))
      if ("value" in part) part.value = text; else part.textContent = text;
  }

  click({ target }) {
    const hit = (selector) => target.closest(selector);
    if (hit("[data-close]")) this.box.close();
    this.pad.click(target);
    if (hit("[data-drop-row]")) { hit("[data-row]").remove(); this.check(); }
  }

  /* digits go to the PIN wherever nothing else takes them; Enter in a field goes to the next one */
  key(event) {
    const typing = event.target.matches("input:not([type=checkbox], [type=radio]), select, textarea");
    if (event.key === "Enter" && typing) { event.preventDefault(); this.after(event.target)?.focus(); }
    if (typing || !this.signs || event.ctrlKey || event.metaKey) return;
    this.pad.key(event);
  }

  after(field) {
    const all = [...this.box.querySelectorAll("input:not([type=hidden]), select, textarea, [data-go]")]
      .filter((one) => one.checkVisibility());
    return all[all.indexOf(field) + 1];
  }

  own() {
    return [...this.form.querySelectorAll("[name]")]
      .filter((field) => !field.closest("[data-row]") && !field.disabled && field.dataset.as);
  }

  params() {
    const own = this.own(), params = gather(own.filter((field) => !field.dataset.into));
    for (const list of this.box.querySelectorAll("[data-each]")) {
      const common = gather(own.filter((field) => field.dataset.into === list.dataset.each));
      params[list.dataset.each] = [...list.querySelectorAll("[data-row]")]
        .map((row) => ({ ...common, ...gather(row.querySelectorAll("[name]")) }));
    }
    return params;
  }

  /* the first thing that is not there yet: the field, and what to say of it */
  missing() {
    for (const part of this.form.querySelectorAll("[data-must], [data-must-pick]")) {
      if (part.closest("template") || part.disabled || part.closest("[hidden]")) continue;
      const said = part.dataset.must ?? part.dataset.mustPick;
      if (part.dataset.mustPick !== undefined && !part.querySelector("input:checked:not(:disabled)")) return [part.querySelector("input"), said];
      if (part.dataset.each !== undefined && !part.querySelector("[data-row]")) return [part, said];
      if (part.dataset.mustWhen && !this.params()[part.dataset.mustWhen]) continue;
      if (part.matches("input") && (value(part) === undefined || value(part) === "" || value(part) === null)) return [part, said];
    }
    if (this.signs && !this.pad.full) return [this.box.querySelector("[data-digit]"), "PIN of the second person"];
    return null;
  }

  check() {
    this.box.dispatchEvent(new CustomEvent("room:check", { bubbles: true, detail: { slip: this } }));
    const go = this.box.querySelector("[data-go]"), [, said] = this.missing() ?? [];
    go.classList.toggle("waits", Boolean(said));
    go.textContent = said ?? go.dataset.label;
  }

  refuse(refusal) {
    const say = this.box.querySelector("[data-refused]");
    say.hidden = !refusal;
    say.replaceChildren();
    if (!refusal) return;
    const title = Object.assign(document.createElement("strong"), { textContent: refusal.title });
    say.append(title, ` ${refusal.message} `, refusal.section ? Object.assign(document.createElement("cite"), { textContent: refusal.section }) : "");
    if (GONE.includes(refusal.code))
      say.append(Object.assign(document.createElement("a"), { href: hall().dataset.signIn, textContent: "Sign in", className: "act big" }));
  }

  get address() {
    const picked = this.box.querySelector("[name][data-address]:checked")?.dataset.address;
    return picked ?? this.given.address ?? hall().dataset.act.replace("__act__", this.box.dataset.name);
  }

  /* the same act keeps its id until it is answered, so that a lost answer never does it twice */
  body() {
    const params = this.params(), said = { params, ...(this.signs && { person: this.signs.value }), address: this.address };
    const content = JSON.stringify(said);
    if (this.sent?.content !== content) this.sent = { content, command: uuid7() };
    const body = { command: this.sent.command, seen: 0, params };
    if (this.signs) body.witness = { person: this.signs.value, pin: this.pad.pin };
    return body;
  }

  async go() {
    const [field] = this.missing() ?? [];
    if (field) return field.focus?.();
    if (this.waiting) return;
    this.waiting = true;
    this.box.querySelector("[data-go]").setAttribute("aria-busy", "true");
    const answer = await this.send(this.address, this.body());
    this.waiting = false;
    this.box.querySelector("[data-go]").removeAttribute("aria-busy");
    if (answer.refusal) {
      if (answer.refusal.code !== "no-answer") this.sent = null;
      this.pad.set("");
      this.refuse(answer.refusal);
      return;
    }
    this.sent = this.subject = null;
    this.box.close();
    await renew(`Recorded, entry ${answer.version.toLocaleString("en-US")}`, this.given);
  }
}

export async function post(address, body) {
  const none = { code: "no-answer", title: "No answer", section: "", message: "Try again: the same act counts once." };
  const file = body instanceof FormData;
  try {
    const answer = await fetch(address, {
      method: "POST", body: file ? body : JSON.stringify(body), signal: AbortSignal.timeout(file ? 8 * PATIENCE : PATIENCE),
      headers: { ...(!file && { "Content-Type": "application/json" }), Accept: "application/json", "X-CSRFToken": csrf() },
    });
    const said = await answer.json();
    return answer.ok || said.refusal ? said : { refusal: none };
  } catch {
    return { refusal: none };
  }
}

/* the list as it now stands, and the dialogs with what they may offer now */
async function renew(said, given = {}) {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
  if (!answer?.ok) return location.reload();
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["room", "slips"]) document.getElementById(id)?.replaceWith(document.adoptNode(fresh.getElementById(id)));
  dispatchEvent(new CustomEvent("screen:applied"));
  document.getElementById("said").textContent = said;
  const same = given.lot && hall().querySelector(`[data-open][data-lot="${CSS.escape(given.lot)}"]`);
  (same || hall()).focus({ preventScroll: !same });
}

const slips = new WeakMap();
document.addEventListener("click", ({ target }) => {
  const opener = target.closest("[data-open]");
  if (opener) {
    const box = document.getElementById(opener.dataset.open);
    if (!slips.has(box)) slips.set(box, new Slip(box));
    const { open, ...given } = opener.dataset;
    document.getElementById("said").textContent = "";
    slips.get(box).open(given);
  }
  if (target.closest("[data-print]")) print();
});

/* what burns down burns down on the screen too */
setInterval(() => {
  for (const rest of document.querySelectorAll("rect[data-until]")) {
    const from = Date.parse(rest.dataset.from), until = Date.parse(rest.dataset.until);
    rest.setAttribute("width", Math.max(0, Math.min(100, Math.round((100 * (until - Date.now())) / (until - from)))));
  }
}, 30_000);
