/* <live-screen src="…" fallback="…" sign-in="…"> listens to one WebSocket and shows what it receives. It sends what a tablet
   says of itself (`tell`, `HERE`), and acts (`sendAct`).

   A message is {"table", "version", "parts"}: the parts of a fragment by their names, each a text. With "base", the version
   of the message before about this table, it has only what changed: the text of a part, or the edits of the one before. A newer fragment is morphed into the page, any other is ignored. Every 5 s a heartbeat {"versions": {table: version}, "incarnation": number} comes; when it differs from what
   the page shows, a message was lost or the record restored, and the page fetches the state. When the socket closes, or after 12 s of silence, the page is STALE and polls.
   When polling fails too, or the browser says that it is offline, the page is OFFLINE (`dead`), and taps wait. */

import "./connection.js";
import { noteServerTime } from "./facility-time.js";
import { holdHeads, storeHead } from "./heads.js";
import { inSlices } from "./slices.js";

const SILENCE_LIMIT = 12_000;
const POLL_INTERVAL = 2_000;
const PUSH_LIMIT = 400;  // ms from the answer to an act to the push of its screen
const FETCH_TIMEOUT = 5_000;
const MIN_RECONNECT_DELAY = 500, MAX_RECONNECT_DELAY = 15_000;
const RESTART_TIME = 2_000;  // ms; a socket that reconnects in this time is not shown as lost
const CLOSE_RESTART = 1012;  // the worker is being replaced, and another one serves
const CLOSE_SIGN_IN = 4401, CLOSE_DENIED = 4403, CLOSE_LOCKED = 4423;
const HERE = '{"here":true}';  // tables/views/sockets.py
const LONGEST_ACT = 16_000;  // characters; a server closes a socket for a message of more than 65,536 bytes
const root = document.documentElement;

/* What is equal is not looked through: of a push four fifths of the time. A field has a value beside its attributes, and
   a template its content beside its children: of both a node does not tell whether they are equal. */
const HOLDS_MORE = "input, select, textarea, template";
const isEqual = (old, fresh) => old.isEqualNode(fresh) && !old.matches?.(HOLDS_MORE) && !old.querySelector?.(HOLDS_MORE);

const callbacks = {
  /* what belongs to this tablet alone (the selected chip, dice being entered) survives a push of the same round */
  beforeNodeMorphed: (old, fresh) =>
    !(old.dataset && "local" in old.dataset && fresh.dataset?.local === old.dataset.local) && !isEqual(old, fresh),
  beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
};

/* Only a field keeps its value. A button that has the focus must get its new label like every other part. */
export function morph(old, fresh) {
  const ignoreActiveValue = Boolean(document.activeElement?.matches("input, select, textarea"));
  Idiomorph.morph(old, fresh, { morphStyle: "outerHTML", ignoreActiveValue, callbacks });
}

/* Whether a fragment is newer than what the page shows (`current`, a dataset). A restored record has lower version
   numbers. So a halted screen is newer than one that is not, then a later incarnation is newer than an earlier one, and
   only then does the version decide. */
export function isNewer(html, current) {
  const [tag, incarnation] = html.match(/<[^>]*\sdata-incarnation="(\d+)"[^>]*>/) ?? ["", current.incarnation];
  const halted = /\sdata-halted[\s>]/.test(tag) - ("halted" in current);
  const incarnations = Number(incarnation) - Number(current.incarnation);
  if (halted > 0 || incarnations > 0) return true;
  const version = Number(tag.match(/\sdata-version="(\d+)"/)?.[1]);
  return halted === 0 && incarnations === 0 && version > Number(current.version);
}

/* A text after its edits: how many characters stay, how many go, and what comes there; again and again. */
function edited(text, edits) {
  const pieces = [];
  let place = 0;
  for (let edit = 0; edit < edits.length; edit += 3) {
    pieces.push(text.slice(place, place + edits[edit]), edits[edit + 2]);
    place += edits[edit] + edits[edit + 1];
  }
  return pieces.join("") + text.slice(place);
}

/* The parts of a fragment after those before and what changed (tables/screens/edits.py). */
function withChanges(before, changes) {
  const parts = { ...before };
  for (const [name, change] of Object.entries(changes))
    parts[name] = typeof change === "string" ? change : edited(before[name], change);
  return parts;
}

export class LiveScreen extends HTMLElement {
  connectedCallback() {
    this.failures = 0;  // connections that failed since the last message
    this.messageTime = this.heardTime = this.confirmedTime = Date.now();
    this.pollTime = 0;
    this.lostTime = null;  // when the lost connection was noticed
    this.acts = 0;  // that were sent on sockets
    this.unanswered = new Map();  // those that have no answer yet, by number
    this.reconnectNow = () => {
      if (document.hidden) return;
      this.failures = 0;
      this.open();
    };
    this.goOffline = () => this.lose("dead");
    this.comeOnline = () => {
      if (this.lostTime !== null && this.socket?.readyState === WebSocket.OPEN) this.replaceSocket();
      this.reconnectNow();
      if (this.lostTime !== null) this.watch();
    };
    this.hear = () => this.noteAnswer();
    document.addEventListener("visibilitychange", this.reconnectNow);
    addEventListener("acts:answered", this.hear);
    addEventListener("online", this.comeOnline);
    addEventListener("offline", this.goOffline);
    this.watchdog = setInterval(() => this.watch(), 1_000);
    this.open();
    holdHeads();
    for (const fragment of this.querySelectorAll("[data-version]")) storeHead(fragment.dataset);
  }

  disconnectedCallback() {
    this.stopped = true;
    clearInterval(this.watchdog);
    clearTimeout(this.reconnectTimer);
    document.removeEventListener("visibilitychange", this.reconnectNow);
    removeEventListener("acts:answered", this.hear);
    removeEventListener("online", this.comeOnline);
    removeEventListener("offline", this.goOffline);
    clearTimeout(this.lossTimer);
    this.socket?.close(1000);
  }

  open() {
    clearTimeout(this.reconnectTimer);
    if (this.stopped || this.socket?.readyState <= WebSocket.OPEN) return;
    const url = new URL(this.getAttribute("src"), location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.searchParams.set("parts", "2");
    this.received = new Map();  // of each table, the version and the parts that came on this socket last
    this.isLate = false;  // an act's screen did not come by it in time, and none has since
    const socket = new WebSocket(url);
    socket.addEventListener("open", () => this.tell());
    socket.addEventListener("message", ({ data }) => {
      if (socket === this.socket) this.receive(JSON.parse(data));
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket === this.socket && !this.stopped) this.reconnect(code);
    });
    this.socket = socket;
    this.openTime = Date.now();
  }

  /* What the tablet says of itself, now and whenever a socket opens: the newest only (tables/views/sockets.py). */
  tell(message = this.message) {
    this.message = message;
    if (message && this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /* Sends an act on the socket, and returns a promise of its answer; null where it has to be a POST. It resolves to `status`,
     `date` and `content`, as a POST is answered; to null where nothing was begun, and it has to be a POST. It rejects where no
     answer comes in time, or on this socket. */
  sendAct(act, text, limit) {
    if (!this.isPushed || text.length > LONGEST_ACT) return null;
    this.acts += 1;
    const number = this.acts;
    const answered = new Promise((resolve, reject) => this.unanswered.set(number, { resolve, reject, timer: setTimeout(reject, limit) }));
    this.socket.send(`act ${number} ${act} ${text}`);
    return answered.then((answer) => (answer.status ? answer : null)).finally(() => {
      clearTimeout(this.unanswered.get(number).timer);
      this.unanswered.delete(number);
    });
  }

  /* No answer comes on a socket that is gone, and another server may be at the next one. */
  dropSocket() {
    const { socket } = this;
    holdHeads();
    this.socket = null;
    for (const { reject } of this.unanswered.values()) reject();
    return socket;
  }

  reconnect(code) {
    this.dropSocket();
    if (code === CLOSE_SIGN_IN || code === CLOSE_LOCKED) {
      this.leave(code === CLOSE_LOCKED);
    } else if (code === CLOSE_DENIED) {
      this.stopped = true;
      this.showStatus("denied");
    } else {
      this.reconnectTimer = setTimeout(() => this.open(), this.delayAfter(code));
      clearTimeout(this.lossTimer);
      if (code === CLOSE_RESTART) this.lossTimer = setTimeout(() => this.lose("stale"), RESTART_TIME);
      else this.lose("stale");
    }
  }

  /* The connection is known to be lost: the page says so at once, and asks by HTTP. */
  lose(status) {
    if (this.stopped) return;
    this.lostTime ??= Date.now();
    if (root.dataset.live !== "dead") this.showStatus(status);
    this.watch();
  }

  /* All sockets of a worker end together: each waits a different time, so that they do not come back together. */
  delayAfter(code) {
    if (code === CLOSE_RESTART && !this.failures) return Math.random() * MIN_RECONNECT_DELAY;
    this.failures += 1;
    const longest = Math.min(MAX_RECONNECT_DELAY, MIN_RECONNECT_DELAY * 2 ** this.failures);
    return MIN_RECONNECT_DELAY + Math.random() * (longest - MIN_RECONNECT_DELAY);
  }

  /* The page leaves by itself: the end of its sign-in must not lead it elsewhere. */
  stop() {
    this.stopped = true;
    this.socket?.close(1000);
  }

  /* A pit screen that was locked opens the locked floor, which stays live. */
  leave(isLocked) {
    this.stopped = true;
    location.assign((isLocked && this.getAttribute("locked")) || this.getAttribute("sign-in") || "/sign-in");
  }

  /* The server has answered by HTTP while the socket is down: it is reached, and only pushes are missing. */
  noteAnswer() {
    this.heardTime = Date.now();
    if (this.isLost && !this.stopped) this.showStatus("stale");
  }

  receive(message) {
    this.messageTime = this.heardTime = Date.now();
    this.failures = 0;
    this.lostTime = null;
    clearTimeout(this.lossTimer);
    this.showStatus("live");
    this.passOn(message);
    if (message.answer) this.unanswered.get(message.answer)?.resolve(message);
    else if (!message.versions) this.applyOrFetch(message);
    else if (this.isBehind(message)) this.resync();
  }

  /* What a screen gets beside its tables. A dashboard: the tables of its person. A wall: planned reliefs. A tablet at a table
     with several posts: the posts whose tablets are silent, and it answers, so that the others know that it is not. */
  passOn({ answered, reliefs, silent }) {
    if (silent) {
      this.dispatchEvent(new CustomEvent("posts:silent", { bubbles: true, detail: silent }));
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(HERE);
    }
    if (answered) this.dispatchEvent(new CustomEvent("floor:answered", { bubbles: true, detail: answered }));
    if (reliefs !== undefined) this.dispatchEvent(new CustomEvent("wall:reliefs", { bubbles: true, detail: reliefs }));
  }

  /* `html`: a whole screen, from a server that is older or newer than this page and does not know its parts. */
  applyOrFetch({ table, version, base, parts, html: screen }) {
    if (screen !== undefined) {
      this.received.delete(table);
      if (this.apply({ table, version, html: screen })) this.isLate = false;
      return;
    }
    const before = this.received.get(table);
    if (base !== undefined && before?.version !== base) {
      this.replaceSocket();  // on a new one the parts begin whole: no later change would fit these
      this.resync();
      return;
    }
    const fresh = base === undefined ? parts : withChanges(before.parts, parts);
    this.received.set(table, { version, parts: fresh });
    const html = Object.values(fresh).join("\n");
    if (this.apply({ table, version, html })) this.isLate = false;
  }

  fragmentOf(table) {
    return this.querySelector(`[data-version][data-table="${CSS.escape(table)}"]`);
  }

  /* Whether a table has another version than these, or is of another incarnation: a restored record may reach the version
     that is shown, with other entries. A page is never behind with a table that it does not show. It looks
     for all tables at once: to look for each of three hundred took 45 ms. */
  isBehind({ versions, incarnation }) {
    return [...this.querySelectorAll("[data-version][data-table]")].some(({ dataset }) =>
      dataset.table in versions && (versions[dataset.table] !== Number(dataset.version)
        || (incarnation !== undefined && incarnation !== Number(dataset.incarnation))));
  }

  apply({ table, version, html }) {
    this.confirmedTime = Date.now();
    const current = table ? this.fragmentOf(table) : this.querySelector("[data-version]");
    if (!current || !isNewer(html, current.dataset)) return false;
    this.dispatchEvent(new CustomEvent("screen:applying", { bubbles: true }));
    const template = document.createElement("template");
    template.innerHTML = html;
    const fragments = [...template.content.children];  // a copy: morphing may take them out of the template
    for (const fragment of fragments) {
      const target = document.getElementById(fragment.id);
      if (target) morph(target, fragment);
    }
    storeHead((table ? this.fragmentOf(table) : this.querySelector("[data-version]"))?.dataset ?? {});
    this.dispatchEvent(new CustomEvent("screen:applied", { bubbles: true, detail: { table, version } }));
    return true;
  }

  /* Three hundred tiles at once took 360 ms. A tile that is pushed meanwhile is newer, and stays. */
  applyTiles(tiles) {
    return inSlices(Object.entries(tiles), ([table, tile]) => this.apply({ table, ...tile }));
  }

  /* Fetches the state. True when it came, false when it did not, undefined when neither can be said. */
  async resync() {
    if (this.fetching) return undefined;
    this.fetching = this.fetchState();
    try {
      return await this.fetching;
    } finally {
      this.fetching = null;
    }
  }

  async fetchState() {
    try {
      const response = await fetch(this.getAttribute("fallback"), {
        headers: { Accept: "application/json" }, cache: "no-store", signal: AbortSignal.timeout(FETCH_TIMEOUT),
      });
      if (response.status === 401 || response.status === 423) return this.leave(response.status === 423);
      noteServerTime(response.headers?.get("Date"));
      if (!response.ok) return false;
      const body = await response.json();
      this.passOn(body);
      if (body.tiles) await this.applyTiles(body.tiles);
      else this.apply(body);
      return true;
    } catch {
      return false;
    }
  }

  get silence() {
    return Date.now() - this.messageTime;
  }

  get isLost() {
    return this.lostTime !== null || this.silence >= SILENCE_LIMIT;
  }

  async watch() {
    if (this.stopped || !this.isLost) return;
    if (this.socket && Math.min(this.silence, Date.now() - this.openTime) >= SILENCE_LIMIT) this.replaceSocket();
    if (["live", "joining"].includes(root.dataset.live)) this.showStatus("stale");
    else this.report();
    if (Date.now() - this.pollTime < POLL_INTERVAL) return;
    this.pollTime = Date.now();
    const fetched = await this.resync();
    if (!this.isLost || fetched === undefined) return;
    if (fetched) this.noteAnswer();
    else this.showStatus("dead");
  }

  /* A silent connection may be half open or never open, and its closing handshake may never come: do not wait for it. */
  replaceSocket() {
    this.dropSocket().close();
    this.open();
  }

  /* Whether pushes bring this page its screens, so that no answer has to. */
  get isPushed() {
    return root.dataset.live === "live" && this.socket?.readyState === WebSocket.OPEN && !this.isLate;
  }

  /* Resolves once the page shows a version. One that no push brings soon is fetched; resolves also if that fails. */
  async reach(table, version) {
    const isShown = () => Number(this.fragmentOf(table)?.dataset.version) >= version;
    if (isShown() || await this.isPushedWithin(PUSH_LIMIT, isShown)) return;
    this.isLate = true;
    await this.fetching;  // it may have been answered before the act
    if (!isShown()) await this.resync();
  }

  isPushedWithin(time, isShown) {
    return new Promise((resolve) => {
      const end = (isHere) => {
        this.removeEventListener("screen:applied", look);
        clearTimeout(timer);
        resolve(isHere);
      };
      const look = () => isShown() && end(true), timer = setTimeout(end, time, false);
      this.addEventListener("screen:applied", look);
    });
  }

  showStatus(status) {
    if (status === "live" && root.dataset.live === "live") return;
    root.dataset.live = status;
    this.report();
  }

  report() {
    const since = Math.max(this.lostTime ?? this.messageTime, this.heardTime);
    const seconds = Math.round((Date.now() - since) / 1_000);
    const detail = { status: root.dataset.live, seconds, confirmedTime: this.confirmedTime };
    this.dispatchEvent(new CustomEvent("screen:connection", { bubbles: true, detail }));
  }
}

customElements.define("live-screen", LiveScreen);
