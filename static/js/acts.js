/* Sends acts to the server, one at a time and in order. Each act gets its command id before the first try and keeps it
   for every retry, so that a retry after a lost response gets the first response again.

   An act whose every try was answered with a refusal was not taken. Once a try had no such answer, the act may have been
   taken, and only an answer about its command ends it: a 200, a 401 or 423 whose `recorded` names the command, or a refusal
   that names the command, because the server looked for it in the record first. A 503 that nothing was begun is no such answer: it speaks of one request, and a
   browser sends another by itself when a connection that it had used before breaks. A try after it says that it is a
   retry. Until then it is asked for again, and the page says that it is not known.

   A refusal ends the command, so that no other try of it, and no copy of this one, is taken late: what was called not taken
   is never sent again (`once`). A busy server is asked again with the same command, and so its refusal ends only that of a
   retry, and of the last try: a copy of an earlier one may lie somewhere until the server takes acts again. */

import { csrfToken } from "./csrf.js";
import { noteServerTime } from "./facility-time.js";
import { headOf, holdHeads, markJudged, unjudgedHeads } from "./heads.js";
import { canWait } from "./offline.js";
import { formatAmount } from "./stacks.js";
import { SIGNATURE_NEEDED, sendSigned } from "./signature.js";
import { FACTOR_NEEDED, confirmFactor } from "./step-up.js";
import { storeWaitingActs, waitingActs } from "./waiting-acts.js";

const BUSY_TRIES = 5;         // after that, a 503 that names the command is final
const ERROR_TRIES = 20;       // after that, a person has to look; without any response the act is tried on
const QUIET_TRIES = 2;        // failures before the page says that the act's fate is not known
const LEAST_WAIT = 2_000;     // ms; an act that waited longer says when it was tapped
const FEW_DICE = 3;           // so many are named by their faces while they wait
const MOST_FOLLOWED = 50;     // acts that one that waits names as its own (tables/views/acts.py)
const SIGN_IN_DELAY = 1_500;  // ms to read the refusal before the sign-in page opens
export const REQUEST_TIMEOUT = 8_000;

/* The person is no longer signed in. The status alone does not say so: a witness's wrong PIN is a 401 or 423 too, and
   the dealer stays signed in. */
export const SIGNED_OUT_CODES = ["signed-out", "locked", "signed-out-since", "locked-since"];
const NO_ANSWER = "no-answer";

export function uuid7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let milliseconds = Date.now();
  for (let i = 5; i >= 0; i--) {
    bytes[i] = milliseconds % 256;
    milliseconds = Math.floor(milliseconds / 256);
  }
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/* The pause between two tries. It ends early when the connection is back. */
const sleepers = new Set();
const sleep = (ms) => new Promise((resolve) => {
  const wake = () => {
    sleepers.delete(wake);
    resolve();
  };
  sleepers.add(wake);
  setTimeout(wake, ms);
});
const wakeAll = () => { for (const wake of sleepers) wake(); };
const wakeWhenLive = ({ detail }) => { if (detail.status === "live") wakeAll(); };

/* The queue of one table. `page` finds the fragment that shows the table's version, applies a fresh one, and leaves for
   the sign-in page: the <live-screen> element, or an adapter as in `tableQueues`. */
export class ActQueue {
  constructor(page, urls) {
    Object.assign(this, { page, urls, items: [] });
    addEventListener("online", wakeAll);
    addEventListener("screen:connection", wakeWhenLive);
  }

  get busy() {
    return this.items.length > 0;
  }

  /* A second tap on the same screen is a repetition. After the screen has changed, the same act is a new one. */
  isQueued(act) {
    return this.items.some((item) => item.act === act && item.version === this.version);
  }

  /* Whether an act waits for its answer, on whatever screen it was tapped. */
  has(act) {
    return this.items.some((item) => item.act === act);
  }

  /* The first such act that waits, on whatever screen it was tapped. */
  find(act) {
    return this.items.find((item) => item.act === act);
  }

  /* Whether such an act waits behind another one: no try of it has gone out. */
  isUnsent(act) {
    const index = this.items.findIndex((item) => item.act === act);
    return index > 0 && !this.items[index].mayBeTaken;
  }

  /* Takes back an act of which no try has gone out; returns whether there was one. Nobody else has heard of it. */
  withdraw(act) {
    if (!this.isUnsent(act)) return false;
    const [item] = this.items.splice(this.items.indexOf(this.find(act)), 1);
    item.resolve({ isWithdrawn: true });
    this.showBusy();
    return true;
  }

  get version() {
    return Number(this.fragment.dataset.version);
  }

  get fragment() {
    return this.page.querySelector("[data-version]");
  }

  /* The newest head of the record that this screen has shown. Sending it back makes the screen a witness (docs/architecture.md). */
  get head() {
    return headOf(this.fragment.dataset);
  }

  /* `state` and the version are those that the person saw when acting, however long the act waits for its turn. `name` is
     what the page calls the act while it waits. */
  send(act, params, state, witness = null, name = nameOf(act, params, state)) {
    const { version } = this, closes = closesBets(act, state.ahead);
    const { number: round, phase } = state.round;
    const body = { command: uuid7(), "seen": version, round, phase, params };
    if (witness) body.witness = witness;
    return new Promise((resolve) => {
      this.items.push({ act, body, resolve, version, name, closes, time: Date.now() });
      if (this.items.length === 1) this.run();
      this.showBusy();
    });
  }

  showBusy() {
    document.documentElement.toggleAttribute("data-busy", this.busy);
    this.store();
    this.report();
  }

  report(isUnknown = this.busy && this.items[0].isUnknown === true) {
    const acts = this.items.map(({ act, name, time, closes }) => ({ act, name, time, closes }));
    dispatchEvent(new CustomEvent("acts:waiting", { detail: { acts, isUnknown } }));
  }

  async run() {
    while (this.busy) {
      const item = this.items[0], answer = await this.deliver(item);
      const isKept = !answer.ok && answer.signedOut && this.resumable && !item.body.witness, response = noteWait(item, isKept ? keep(answer) : answer);
      // It is on its way until its screen is there: a tap before that waits behind it, and is a repetition of it.
      if (response.ok && !response.screen && !response.signedOut) await this.page.reach?.(this.urls.table, response.version);
      if (!isKept) this.items.shift();
      if (response.ok) this.follow(item.body.command);
      if (response.screen) this.page.apply({ table: this.urls.table, ...response.screen });
      if (response.signedOut) setTimeout(() => this.page.leave(), SIGN_IN_DELAY);
      item.resolve(response);
      this.showBusy();
      if (response.signedOut && this.resumable) return;  // what waits is sent after the sign-in, or told
    }
  }

  /* An act that waits was tapped behind this one, whatever else happened at the table in between: what this one changed does
     not make it stale (tables/runner/table.py). */
  follow(command) {
    for (const { body } of this.items) body.after = [...body.after ?? [], command].slice(-MOST_FOLLOWED);
  }

  /* What waits survives the page and the app. A PIN is never stored, so an act with a witness stays in memory only. */
  store() {
    if (!this.resumable) return;
    const items = this.items.filter(({ body }) => !body.witness)
      .map(({ act, body, name, time, closes, mayBeTaken = false }) => ({ act, body, name, time, closes, mayBeTaken }));
    storeWaitingActs(items.length ? { table: this.urls.table, person: this.urls.me, items } : null);
  }

  /* Sends what the page before was still sending. Only the console's queue does this: a second queue on the same tablet
     would send the act again. Nobody sends another person's acts: they are returned, and forgotten here. `report` gets each
     of the others with its response: the person who tapped it is on another page. */
  resume(report = () => {}) {
    this.resumable = true;
    const stored = waitingActs();
    if (stored?.table !== this.urls.table || !stored.items?.length) return [];
    if (stored.person !== this.urls.me) {
      storeWaitingActs(null);
      return stored.items;
    }
    this.items.push(...stored.items.map((item) => ({ ...item, resolve: (response) => report(item, response) })));
    this.showBusy();
    this.run();
    return [];
  }

  async deliver(item) {
    const { act, body, time } = item;
    const showUnknown = (isUnknown) => {
      Object.assign(item, { isUnknown });
      document.documentElement.toggleAttribute("data-unknown", isUnknown);
      document.getElementById("unknown-act")?.toggleAttribute("hidden", !isUnknown);
      this.report(isUnknown);
    };
    const url = this.urls.act.replace("__act__", act);
    for (let tries = 1, errors = 0; ; tries++) {
      const { mayBeTaken = false } = item;
      item.mayBeTaken = true;  // also for the page after this one, until an answer says otherwise
      this.store();
      const extra = { ...((mayBeTaken || tries >= BUSY_TRIES) && { "retry": true }), ...(this.page.isPushed && { "pushed": true }), "once": true };
      const isFirst = tries === 1 && !mayBeTaken && !body.witness;
      const response = await this.ask(url, act, { ...body, ...extra, ...tappedBefore(time) }, isFirst);
      item.mayBeTaken = mayBeTaken;
      const signedOut = SIGNED_OUT_CODES.includes(response.refusal?.code);
      if (response.refusal?.code === FACTOR_NEEDED && await confirmFactor()) continue;
      if (response.refusal?.code === SIGNATURE_NEEDED && !body.witness) {
        const signed = await sendSigned(response.refusal, `${url}/signers`, (witness) => this.deliverSigned(item, witness));
        if (signed) return signed;
      }
      if (response.status >= 500) errors += 1;
      if (response.recorded === body.command) {  // the answer of a device where nobody may act any more
        showUnknown(false);
        return { ...response, ok: true, signedOut: true, refusal: undefined };
      }
      const isUnknown = (mayBeTaken || tries > 1) && !isAbout(body.command, response);
      if (isFinal(response, tries, body.command)) {
        item.mayBeTaken = isUnknown || response.ok;
        showUnknown(isUnknown);
        return { ...response, signedOut, ...(isUnknown && { refusal: UNKNOWN }) };
      }
      item.mayBeTaken = mayBeTaken || !isAbout(body.command, response);
      if (errors >= ERROR_TRIES) return { ...response, refusal: UNKNOWN };  // the page goes on saying so
      showUnknown(tries >= QUIET_TRIES);
      await sleep(Math.min(4_000, 300 * 2 ** (tries - 1)) * (0.5 + Math.random() / 2));
    }
  }

  /* The same act with a second person. It was refused without one: what is sent now is another command. */
  deliverSigned(item, witness) {
    item.body = { ...item.body, command: uuid7(), witness };
    return this.deliver(item);
  }

  /* One try. Without a response, or with one that cannot be read, there is no answer: neither `answered` nor a refusal.
     The first one goes by the page's socket, if pushes come by it. Whatever that leaves open, POST decides: each act is on a
     socket once at most. */
  async ask(url, act, body, isFirst) {
    const { stream } = this.fragment.dataset, { head } = this, stored = unjudgedHeads(stream, head);
    const text = JSON.stringify({ ...body, head, "stored_heads": stored });
    let status = 0, date, content;
    try {
      const onSocket = isFirst && this.page.sendAct?.(act, text, REQUEST_TIMEOUT);
      const response = (onSocket && await onSocket) || await post(url, text);
      ({ status, date } = response);
      content = await response.content;
    } catch { /* no response, or not one of ours */ }
    noteServerTime(date);
    const ok = status >= 200 && status < 300;
    if (!content || status >= 500) holdHeads();
    else if (!body.retry && isAbout(body.command, { ok, ...content })) markJudged(stream, [head, ...stored ?? []]);  // a repeated answer judges nothing
    if (content && (ok || content.refusal)) {
      dispatchEvent(new Event("acts:answered"));
      return { status, ok, answered: true, ...content };
    }
    const isRefused = status >= 400 && status < 500;
    return { status, ok: false, answered: isRefused, ...(isRefused && { refusal: notAnswered(status) }) };
  }
}

/* The answer to a POST; `content` comes later, or not at all. */
async function post(url, text) {
  const response = await fetch(url, {
    method: "POST", body: text, signal: AbortSignal.timeout(REQUEST_TIMEOUT),
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrfToken() },
  });
  return { status: response.status, date: response.headers?.get("Date"), content: response.json() };
}

/* By the time an act that waited is answered, its dealer does something else: the answer stays until read (refusal.js). */
function noteWait({ time }, response) {
  const { refusal } = response;
  return refusal && Date.now() - time >= LEAST_WAIT ? { ...response, refusal: { ...refusal, waited: true } } : response;
}

/* Nobody is signed in any more: what waits is kept, and sent once the same person is back. */
const keep = (response) => ({
  ...response,
  refusal: { ...response.refusal, message: `${response.refusal.message} What waits is kept, and is sent once you are signed in again.` },
});

/* Whether no further try can say more. A 503 passes, so it is tried again; it ends the act only if it names the command. */
function isFinal(response, tries, command) {
  if (!response.answered) return false;
  return response.status < 500 || (tries >= BUSY_TRIES && isAbout(command, response));
}

/* Whether the answer tells what became of this command. A refusal of the person, the device, the head or the request
   itself comes before the record was searched, and names no command. */
export const isAbout = (command, { ok, command: refused, recorded }) => ok === true || refused === command || recorded === command;

const notAnswered = (status) => ({
  code: NO_ANSWER, title: "Not taken", section: "",
  message: status === 403
    ? "This act is not allowed from here. Load the page again."
    : "The server sent no valid answer. Look at the screen, then try again.",
});

export const UNKNOWN = {
  code: "unknown", title: "Not known", section: "",
  message: "The server has not said whether this was taken. Load the page again and look at what is recorded.",
};

/* When the act was tapped, if it has waited: by the device's own clock, and for how long. The record keeps both as what
   the device says, because its clock may be wrong. */
function tappedBefore(time) {
  const waited = Date.now() - time;
  if (!(waited >= LEAST_WAIT)) return {};
  return { "tapped": { "clock": new Date(time).toISOString(), "waited_ms": waited } };
}

const capitalize = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/* Whether no wager is taken after an act. `ahead`: the acts that lead to the dice, and up to which wagers are taken. */
function closesBets(act, ahead = []) {
  const place = ahead.findIndex((step) => step.act === act);
  return place >= 0 && ahead[place + 1]?.bets_open !== true;
}

/* What the page calls an act while it waits: "Paid seat 1", "Wagers of seat 3", "Shaken". */
function nameOf(act, { seats, wagers, seat, dice, cents, accepted } = {}, { next, ahead = [] } = {}) {
  if (act === "call_dice" && dice?.length) return dice.length > FEW_DICE ? `${dice.length} dice` : `Dice ${dice.join(", ")}`;
  if (act === "pay_seats" && seats?.length) return `Paid seat ${seats.join(", ")}`;
  if (act === "place_wagers" && wagers) {
    const places = [...new Set(wagers.map((wager) => wager.seat))];
    return `Wagers of seat${places.length === 1 ? "" : "s"} ${places.join(", ")}`;
  }
  if (act === "sell_chips" && cents) return `Sold $${formatAmount(cents)}, seat ${seat}`;
  if (act === "offer_dice") return `Seat ${seat} ${accepted ? "accepts" : "declines"}`;
  const step = [next, ...ahead].find((candidate) => candidate?.act === act && candidate.label);
  if (step) return step.label;
  return capitalize(`${act.replaceAll("_", " ")}${seat ? `, seat ${seat}` : ""}`);
}

/* Acts that need no round of their own: alerts, limits, incidents. */
export const NO_ROUND = { round: { number: 0, phase: "" } };

/* Queues for a page that shows many tables: one for each address, made when first needed. The page's own push shows the
   result, so the fragment in a response is ignored. */
export function tableQueues() {
  const queues = new Map();
  return ({ of: table, address }) => {
    if (!queues.has(address)) {
      const page = {
        querySelector: () => document.querySelector(`[data-version][data-table="${CSS.escape(table)}"]`),
        apply: () => {},
        isPushed: true,
        leave: () => document.querySelector("live-screen").leave(),
      };
      queues.set(address, new ActQueue(page, { table, act: address }));
    }
    return queues.get(address);
  };
}

export const refusalText = ({ message, section }) => [message, section].filter(Boolean).join(" ");

const NO_CONNECTION = {
  code: "no-line", title: "Offline", section: "",
  message: "This step needs the connection. Nothing was recorded. Tap it again when the connection is back.",
};

/* How the console sends: taps that still gather go out before any other act. */
export function consoleSender({ queue, flushTaps, currentState }) {
  return async (act, params, witness = null) => {
    const { live } = document.documentElement.dataset;
    if (live === "dead" && !canWait(act, params, witness)) return { refusal: NO_CONNECTION };
    if (act !== "place_wagers") flushTaps();
    return queue.send(act, params, currentState(), witness);
  };
}
