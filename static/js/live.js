/* <live-screen src="…" fallback="…" sign-in="…"> hears one socket and shows what it says; it never speaks.

   A message is {"table", "version", "html"}, a whole fragment: newer ones replace by morphing, others are ignored.
   Every 5 s comes {"versions": {table: version}}; another one than we have means a lost message, so we fetch.
   After 12 s of silence the page is STALE and polls; when polling fails as well it is DEAD and takes no acts. */

const SILENCE = 12_000;
const POLL = 2_000;
const SIGN_IN = 4401, DENIED = 4403, LOCKED = 4423;
const root = document.documentElement;

const callbacks = {
  /* what belongs to this tablet alone (chosen chip, dice being entered) outlives a push of the same round */
  beforeNodeMorphed: (old, fresh) =>
    !(old.dataset && "local" in old.dataset && fresh.dataset?.local === old.dataset.local),
  beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
};

/* only a field keeps its value: a button that has the focus must get its new label like every other part */
export function morph(old, fresh) {
  const ignoreActiveValue = Boolean(document.activeElement?.matches("input, select, textarea"));
  Idiomorph.morph(old, fresh, { morphStyle: "outerHTML", ignoreActiveValue, callbacks });
}

class LiveScreen extends HTMLElement {
  connectedCallback() {
    this.tries = 0;
    this.heard = this.shown = Date.now();
    this.polled = 0;
    this.wake = () => { if (!document.hidden) { this.tries = 0; this.open(); } };
    document.addEventListener("visibilitychange", this.wake);
    addEventListener("online", this.wake);
    this.watchdog = setInterval(() => this.watch(), 1000);
    this.open();
  }

  disconnectedCallback() {
    this.over = true;
    clearInterval(this.watchdog);
    clearTimeout(this.later);
    document.removeEventListener("visibilitychange", this.wake);
    removeEventListener("online", this.wake);
    this.socket?.close(1000);
  }

  open() {
    clearTimeout(this.later);
    if (this.over || this.socket?.readyState <= WebSocket.OPEN) return;
    const address = new URL(this.getAttribute("src"), location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = this.socket = new WebSocket(address);
    socket.onmessage = (event) => { if (socket === this.socket) this.hear(JSON.parse(event.data)); };
    socket.onclose = (event) => { if (socket === this.socket && !this.over) this.closed(event.code); };
  }

  closed(code) {
    this.socket = null;
    if (code === SIGN_IN || code === LOCKED) return this.leave();
    if (code === DENIED) { this.over = true; return this.status("denied"); }
    const most = Math.min(15_000, 500 * 2 ** ++this.tries);
    this.later = setTimeout(() => this.open(), 500 + Math.random() * Math.max(0, most - 500));
  }

  leave() {
    this.over = true;
    location.assign(this.getAttribute("sign-in") || "/sign-in");
  }

  hear(message) {
    this.heard = Date.now();
    this.tries = 0;
    this.status("live");
    if (message.versions) {
      const differs = ([table, version]) => this.have(table) !== undefined && this.have(table) !== version;
      if (Object.entries(message.versions).some(differs)) this.resync();
    } else this.apply(message);
  }

  part(table) {
    return this.querySelector(`[data-version][data-table="${CSS.escape(table)}"]`);
  }

  /* undefined for what this page does not show: it is never behind with that */
  have(table) {
    const shown = this.part(table)?.dataset.version;
    return shown === undefined ? undefined : Number(shown);
  }

  /* A record that went back has lower numbers. So a halted screen counts as newer than any other, one of a later
     incarnation than any of an earlier one, and among the rest the number decides. */
  isNewer(html, old) {
    const [tag, incarnation] = html.match(/<[^>]* data-incarnation="(\d+)"[^>]*>/) ?? ["", old.incarnation];
    const halted = /\sdata-halted[\s>]/.test(tag) - ("halted" in old), lives = Number(incarnation) - Number(old.incarnation);
    if (halted > 0 || lives > 0) return true;
    return halted === 0 && lives === 0 && Number(tag.match(/ data-version="(\d+)"/)?.[1]) > Number(old.version);
  }

  apply({ table, version, html }) {
    this.shown = Date.now();
    const old = table ? this.part(table) : this.querySelector("[data-version]");
    if (!old || !this.isNewer(html, old.dataset)) return false;
    const template = document.createElement("template");
    template.innerHTML = html;
    for (const fresh of [...template.content.children]) {
      const target = document.getElementById(fresh.id);
      if (target) morph(target, fresh);
    }
    this.dispatchEvent(new CustomEvent("screen:applied", { bubbles: true, detail: { table, version } }));
    return true;
  }

  async resync() {
    if (this.fetching) return;
    this.fetching = true;
    try {
      const answer = await fetch(this.getAttribute("fallback"), {
        headers: { Accept: "application/json" }, cache: "no-store", signal: AbortSignal.timeout(5000),
      });
      if (answer.status === 401 || answer.status === 423) return this.leave();
      if (!answer.ok) throw new Error(answer.status);
      const body = await answer.json();
      for (const [table, tile] of Object.entries(body.tiles ?? {})) this.apply({ table, ...tile });
      if (!body.tiles) this.apply(body);
      return true;
    } catch {
      return false;
    } finally {
      this.fetching = false;
    }
  }

  async watch() {
    const silent = Date.now() - this.heard;
    if (this.over) return;
    if (silent < SILENCE) return;
    if (this.socket?.readyState === WebSocket.OPEN) this.drop();
    if (["live", "joining"].includes(root.dataset.live)) this.status("stale");
    else this.tick();
    if (Date.now() - this.polled < POLL) return;
    this.polled = Date.now();
    const answered = await this.resync();
    if (Date.now() - this.heard >= SILENCE && answered !== undefined) this.status(answered ? "stale" : "dead");
  }

  /* half open: do not wait for a closing handshake that will not come */
  drop() {
    const socket = this.socket;
    this.socket = null;
    socket.onmessage = socket.onclose = null;
    socket.close();
    this.open();
  }

  status(word) {
    if (word === "live" && root.dataset.live === "live") return;
    root.dataset.live = word;
    this.tick();
  }

  tick() {
    const seconds = Math.round((Date.now() - this.heard) / 1000);
    const detail = { status: root.dataset.live, seconds, shown: this.shown };
    this.dispatchEvent(new CustomEvent("screen:line", { bubbles: true, detail }));
  }
}

customElements.define("live-screen", LiveScreen);

/* The badge and its sentence: on every page, in the page's own words. */
const WORDS = { live: ["i-live", "LIVE"], stale: ["i-stale", "STALE"], dead: ["i-stop", "NO LINE"], denied: ["i-lock", "DENIED"] };

addEventListener("screen:line", ({ detail: { status, seconds, shown } }) => {
  const badge = document.getElementById("live"), say = document.getElementById("stale-say");
  const [icon, word] = WORDS[status];
  badge?.querySelector("use")?.setAttribute("href", `#${icon}`);
  const text = badge?.querySelector("span");
  if (text) text.textContent = status === "live" || status === "denied" ? word : `${word} ${seconds} s`;
  if (!say) return;
  const at = new Date(shown).toLocaleTimeString("en-GB");
  const head = status === "live" ? "" : `Nothing heard for ${seconds} s.`;
  const rest = {
    stale: `As of ${at}. Go on: a tap stands once answered.`,
    dead: `As of ${at}. No act is taken until the line is back.`,
    denied: "This tablet or person may not watch this table.",
  }[status] ?? "";
  say.replaceChildren(Object.assign(document.createElement("b"), { textContent: head }), ` ${rest}`);
});
