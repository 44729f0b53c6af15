/* Pages of lists (custody, staff, equipment, the desk, the office): each act is a dialog over the list. Attributes of the
   fields say what they send: `name`, `data-as` (text, code, whole, mm, cents, words, wholes, yes, flag, list, date, place), `data-into`
   (sent with every row of a list), rows in [data-each] (`data-fixed`: the page wrote them, they stay), and what is required in `data-must`. Nothing typed is
   lost by a refusal.

   `dialog:open` tells a page's own script that a dialog opens, with the dataset of the button that opened it;
   `dialog:update` that its content has changed. */

import "./clocks.js";
import { REQUEST_TIMEOUT, SIGNED_OUT_CODES, UNKNOWN, isAbout, uuid7 } from "./acts.js";
import { csrfToken } from "./csrf.js";
import { PinPad } from "./pin-pad.js";
import { FACTOR_NEEDED, confirmFactor } from "./step-up.js";

const UPLOAD_TIMEOUT = 8 * REQUEST_TIMEOUT;
const CODE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/;
const PIN_IS_MISSING = "PIN of the second person";
const CODE_IS_MISSING = "Code of the second person's app";
const NO_RESPONSE = { code: "no-answer", title: "No answer", section: "", message: "Try again: the same act counts once." };
export const content = () => document.getElementById("page");

/* Millimeters as typed, in whole micrometers; undefined when the text is not such a number. */
export function parseMicrometers(text) {
  const parts = text.trim().replace(",", ".").match(/^(\d{1,2})(?:\.(\d{1,3}))?$/);
  return parts ? Number(parts[1]) * 1000 + Number((parts[2] ?? "").padEnd(3, "0")) : undefined;
}

/* Dollars as typed, "$1,150.50", in cents. Nothing is 0. Text that is not an amount is returned as it is: the server
   refuses it. */
function parseCents(text) {
  if (text.trim() === "") return 0;
  const parts = text.trim().match(/^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d\d))?$/);
  return parts ? Number(parts[1].replaceAll(",", "")) * 100 + Number(parts[2] ?? 0) : text.trim();
}

function parseInteger(text, { low = 0, high = 1e9 }) {
  const fits = /^\d{1,9}$/.test(text) && Number(text) >= Number(low) && Number(text) <= Number(high);
  return fits ? Number(text) : undefined;
}

/* Words with spaces or commas between them; undefined when there are none. */
function parseWords(text) {
  const words = text.split(/[\s,;]+/).filter(Boolean);
  return words.length ? words : undefined;
}

const READ = {
  "text": (field) => field.value.trim(),
  "code": (field) => (CODE.test(field.value.trim()) ? field.value.trim() : undefined),
  "whole": (field) => parseInteger(field.value.trim(), field.dataset),
  "mm": (field) => parseMicrometers(field.value),
  "cents": (field) => parseCents(field.value),
  "words": (field) => parseWords(field.value),
  "wholes": (field) => parseWords(field.value)?.map(Number),
  "date": (field) => field.value || null,
  "yes": (field) => field.checked,
};
const valueOf = (field) => (READ[field.dataset.as] ?? READ.text)(field);

/* "table:T-01" or "pit:p1" as a parameter of that name; "" is the facility, which needs none. */
function parsePlace(text) {
  const [name, ...code] = text.split(":");
  return code.length ? { [name]: code.join(":") } : {};
}

/* The values of the fields of one object: the dialog itself, or a row. */
function readFields(fields) {
  const values = {};
  for (const field of fields) {
    const { name, checked, dataset: { as } } = field;
    if (as === "list") (values[name] ??= []).push(...(checked ? [field.value] : []));
    else if (as === "flag") values[name] = checked ? field.value === "1" : values[name] ?? false;
    else if (field.type === "radio" && as === "place") Object.assign(values, checked ? parsePlace(field.value) : {});
    else if (field.type === "radio") Object.assign(values, checked ? { [name]: valueOf(field) } : {});
    else if (as !== "date" || field.value) values[name] = valueOf(field);
  }
  return values;
}

const isEmpty = (value) => value === undefined || value === "" || value === null;
/* The sign-in leads back here. */
export const signInLink = () => Object.assign(document.createElement("a"), {
  href: `${content().dataset.signIn}?next=${encodeURIComponent(location.pathname + location.search)}`,
  textContent: "Sign in", className: "act big",
});

class ActDialog {
  constructor(box) {
    Object.assign(this, { box, form: box.querySelector("form"), subject: {}, sent: null });
    this.pad = new PinPad(box, { changed: () => this.edited(), complete: () => this.signed() });
    this.send = post; // a page's own script may send in another way: with a file
    box.addEventListener("click", (event) => this.click(event));
    box.addEventListener("input", () => this.edited());
    box.addEventListener("keydown", (event) => this.key(event));
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
  }

  get signerSelect() {
    return this.box.querySelector("[data-witness]");
  }

  /* The code of the second person's app: at an office device a PIN is not enough. */
  get codeField() {
    return this.box.querySelector("[data-witness-code]");
  }

  /* What was typed for the same subject stays, so that closing the dialog by mistake costs nothing. */
  open(subject) {
    const subjectKey = JSON.stringify(subject);
    if (this.subjectKey !== subjectKey) {
      this.form.reset();
      for (const rows of this.box.querySelectorAll("[data-each]:not([data-fixed])")) rows.replaceChildren();
      for (const { dataset } of this.box.querySelectorAll("[data-put]")) this.put(dataset.put, subject[dataset.put] ?? "");
    }
    Object.assign(this, { subjectKey, subject });
    this.box.dispatchEvent(new CustomEvent("dialog:open", { bubbles: true, detail: { dialog: this, subject } }));
    this.box.showModal();
    this.pad.reset();
  }

  put(name, text) {
    for (const part of this.box.querySelectorAll(`[data-put="${name}"]`))
      if ("value" in part) part.value = text; else part.textContent = text;
  }

  click({ target }) {
    const hit = (selector) => target.closest(selector);
    if (hit("[data-close]")) this.box.close();
    this.pad.click(target);
    if (hit("[data-drop-row]")) { hit("[data-row]").remove(); this.update(); }
  }

  /* Digits go to the PIN when no field takes them. Enter in a field goes to the next field. */
  key(event) {
    const typing = event.target.matches("input:not([type=checkbox], [type=radio]), select, textarea");
    if (event.key === "Enter" && typing) { event.preventDefault(); this.fieldAfter(event.target)?.focus(); }
    if (typing || !this.signerSelect || event.ctrlKey || event.metaKey) return;
    this.pad.key(event);
  }

  fieldAfter(field) {
    const fields = [...this.box.querySelectorAll("input:not([type=hidden]), select, textarea, [data-go]")]
      .filter((candidate) => candidate.checkVisibility());
    return fields[fields.indexOf(field) + 1];
  }

  /* the fields that are not in a row */
  ownFields() {
    return [...this.form.querySelectorAll("[name]")]
      .filter((field) => !field.closest("[data-row]") && !field.disabled && field.dataset.as);
  }

  params() {
    const fields = this.ownFields(), params = readFields(fields.filter((field) => !field.dataset.into));
    for (const list of this.box.querySelectorAll("[data-each]")) {
      const { each: param } = list.dataset;
      const common = readFields(fields.filter((field) => field.dataset.into === param));
      const rows = [...list.querySelectorAll("[data-row]")];
      params[param] = rows.map((row) => ({ ...common, ...readFields(row.querySelectorAll("[name]")) }));
    }
    return params;
  }

  /* The first thing that is missing: [field, sentence]; or null. */
  missing() {
    for (const part of this.form.querySelectorAll("[data-must], [data-must-pick]")) {
      if (part.closest("template") || part.disabled || part.closest("[hidden]")) continue;
      const { must, mustPick, mustWhen, each: rowsParam } = part.dataset;
      const sentence = must ?? mustPick;
      if (mustPick !== undefined && !part.querySelector("input:checked:not(:disabled)"))
        return [part.querySelector("input"), sentence];
      if (rowsParam !== undefined && !part.querySelector("[data-row]")) return [part, sentence];
      if (mustWhen && !this.params()[mustWhen]) continue;
      if (part.matches("input, textarea") && isEmpty(valueOf(part))) return [part, sentence];
    }
    if (this.codeField && !/^\d{6}$/.test(this.codeField.value)) return [this.codeField, CODE_IS_MISSING];
    if (this.signerSelect && !this.pad.full) return [this.box.querySelector("[data-digit]"), PIN_IS_MISSING];
    return null;
  }

  edited() {
    this.showRefusal(null);
    this.update();
  }

  update() {
    this.box.dispatchEvent(new CustomEvent("dialog:update", { bubbles: true, detail: { dialog: this } }));
    const button = this.box.querySelector("[data-go]"), [, sentence] = this.missing() ?? [];
    button.classList.toggle("waits", Boolean(sentence));
    button.textContent = sentence ?? button.dataset.label;
    this.pad.setHint(sentence && sentence !== PIN_IS_MISSING ? "" : `The sixth digit: ${button.dataset.label}`);
  }

  showRefusal(refusal) {
    const slot = this.box.querySelector("[data-refused]");
    slot.hidden = !refusal;
    slot.replaceChildren();
    if (!refusal) return;
    const element = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
    slot.append(element("strong", refusal.title), ` ${refusal.message} `);
    if (refusal.section) slot.append(element("cite", refusal.section));
    if (refusal.signedOut || SIGNED_OUT_CODES.includes(refusal.code)) slot.append(signInLink());
  }

  get url() {
    const selected = this.box.querySelector("[name][data-address]:checked")?.dataset.address;
    return selected ?? this.subject.address ?? content().dataset.act.replace("__act__", this.box.dataset.name);
  }

  /* The same act keeps its command id until it is answered, so that a lost response never does it twice. */
  body() {
    const params = this.params(), person = this.signerSelect?.value;
    const sentContent = JSON.stringify({ params, person, url: this.url });
    if (this.sent?.content !== sentContent) this.sent = { content: sentContent, command: uuid7() };
    const body = { command: this.sent.command, "seen": Number(this.subject.seen ?? 0), params };
    if (this.signerSelect) body.witness = { person, pin: this.pad.pin };
    if (this.codeField) body.witness["app_code"] = this.codeField.value;
    return body;
  }

  /* The sixth digit sends the act, as the button does, unless something is missing. */
  signed() {
    const [, sentence] = this.missing() ?? [];
    if (sentence) this.pad.say(`The PIN is complete. ${sentence}.`);
    else this.submit();
  }

  async submit() {
    const [field] = this.missing() ?? [];
    if (field) return field.focus?.();
    const button = this.box.querySelector("[data-go]");
    const answer = await this.pad.sendOnce(() => {
      button.setAttribute("aria-busy", "true");
      return this.send(this.url, this.body());
    });
    if (!answer) return;
    if (this.codeField) this.codeField.value = "";
    button.removeAttribute("aria-busy");
    const { refusal, version } = answer;
    if (refusal) {
      const isLost = refusal.code === NO_RESPONSE.code;
      const isUnknown = !isLost && this.sent.mayBeTaken && !isAbout(this.sent.command, answer);
      if (isLost) this.sent.mayBeTaken = true;
      else if (!isUnknown) this.sent = null;
      if (isUnknown) return this.showRefusal({ ...UNKNOWN, signedOut: SIGNED_OUT_CODES.includes(refusal.code) });
      if (!this.pad.refuse(refusal)) this.showRefusal(refusal);
      return;
    }
    this.sent = this.subjectKey = null;
    this.box.close();
    const { then } = this.box.dataset;  // the page that the answer names
    if (then && answer.answer?.player) return location.assign(then.replace("__player__", answer.answer.player));
    await reloadContent(messageOf(answer.answer, version), this.subject);
  }
}

/* An act that a second person approves is prepared only. */
function messageOf(answer, version) {
  const entry = `entry ${version.toLocaleString("en-US")}`;
  if (answer?.type !== "change.prepared") return `Recorded, ${entry}`;
  return `${answer.change} is prepared, ${entry}. Nothing is done until somebody else approves it.`;
}

/* Sends an act. Where it needs a second factor, it asks for that and sends the same act again. */
export async function post(url, body) {
  const answer = await sendAct(url, body);
  return answer.refusal?.code === FACTOR_NEEDED && await confirmFactor() ? sendAct(url, body) : answer;
}

/* A page forgets the command of an act that was refused, so no copy of it may be taken later (`once`: static/js/acts.js). */
async function sendAct(url, body) {
  const isUpload = body instanceof FormData;
  try {
    const response = await fetch(url, {
      method: "POST",
      body: isUpload ? body : JSON.stringify({ ...body, once: true }),
      signal: AbortSignal.timeout(isUpload ? UPLOAD_TIMEOUT : REQUEST_TIMEOUT),
      headers: {
        ...(!isUpload && { "Content-Type": "application/json" }), Accept: "application/json", "X-CSRFToken": csrfToken(),
      },
    });
    const result = await response.json();
    return response.ok || result.refusal ? { status: response.status, ...result } : { refusal: NO_RESPONSE };
  } catch {
    return { refusal: NO_RESPONSE };
  }
}

/* The list as it is now, and the dialogs with what they can offer now. */
async function reloadContent(message, { lot }) {
  const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" }).catch(() => null);
  if (!response?.ok) return location.reload();
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const id of ["page", "slips"])
    document.getElementById(id)?.replaceWith(document.adoptNode(fresh.getElementById(id)));
  dispatchEvent(new CustomEvent("screen:applied"));
  document.getElementById("status-message").textContent = message;
  const sameLot = lot && content().querySelector(`[data-open][data-lot="${CSS.escape(lot)}"]`);
  (sameLot || content()).focus({ preventScroll: !sameLot });
}

const dialogs = new WeakMap();
document.addEventListener("click", ({ target }) => {
  const opener = target.closest("[data-open]");
  if (opener) {
    const { open: id, ...subject } = opener.dataset;
    const box = document.getElementById(id);
    if (!dialogs.has(box)) dialogs.set(box, new ActDialog(box));
    document.getElementById("status-message").textContent = "";
    dialogs.get(box).open(subject);
  }
  if (target.closest("button[data-print]")) print();
});
