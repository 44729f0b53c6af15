/* Sends acts: one at a time, in order, each with an id minted before its first try and kept until it is answered,
   so that a retry after a lost answer gets the first answer again. */

const WAITING = "pitside.waiting";
export const PATIENCE = 8_000;
/* Whoever acts is no longer signed in. A witness's wrong PIN is a 401 or 423 too, and leaves the dealer where they are. */
export const GONE = ["signed-out", "locked"];

export function uuid7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let now = Date.now();
  for (let i = 5; i >= 0; i--) { bytes[i] = now % 256; now = Math.floor(now / 256); }
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export function csrf() {
  const cookie = document.cookie.match(/(?:^|; )(?:csrftoken|__Host-csrf)=([^;]+)/);
  return cookie ? decodeURIComponent(cookie[1]) : document.querySelector("meta[name=csrf-token]").content;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Acts extends EventTarget {
  constructor(screen, urls) {
    super();
    Object.assign(this, { screen, urls, queue: [] });
  }

  get busy() {
    return this.queue.length > 0;
  }

  /* a second tap on the same screen says nothing new; once the screen has moved on, the same act is another one */
  waitsFor(act) {
    return this.queue.some((item) => item.act === act && item.from === this.version);
  }

  get version() {
    return Number(this.screen.querySelector("[data-version]").dataset.version);
  }

  /* the last head that this screen has shown, so that it is a witness of the record (docs/road.md) */
  get head() {
    const { version, head, incarnation, mac } = this.screen.querySelector("[data-version]").dataset;
    return head && { seq: Number(version), head, incarnation: Number(incarnation), mac };
  }

  /* `state` and the version are what the person saw when acting, however long the act waits for its turn. */
  send(act, params, state, witness = null) {
    const body = { command: uuid7(), seen: this.version, round: state.round.number, phase: state.round.phase, params };
    if (witness) body.witness = witness;
    return new Promise((answered) => {
      this.queue.push({ act, body, answered, from: this.version });
      if (this.queue.length === 1) this.run();
      this.changed();
    });
  }

  changed() {
    document.documentElement.toggleAttribute("data-busy", this.busy);
    this.dispatchEvent(new Event("changed"));
  }

  async run() {
    while (this.queue.length) {
      const item = this.queue[0];
      this.keep(item);
      const answer = await this.deliver(item);
      if (this.resumes) sessionStorage.removeItem(WAITING);
      this.queue.shift();
      this.follow(item.body.seen, answer.version);
      if (answer.screen) this.screen.apply({ table: this.urls.table, ...answer.screen });
      if (GONE.includes(answer.refusal?.code)) setTimeout(() => this.screen.leave(), 1500);
      item.answered(answer);
      this.changed();
    }
  }

  /* What waits has seen our own act too, unless somebody else's came in between: then the server is asked as it was. */
  follow(seen, version) {
    if (version !== seen + 1) return;
    for (const { body } of this.queue) if (body.seen === seen) body.seen = version;
  }

  /* A PIN is never kept, so an act with a witness lives in memory alone; and one slot is kept by one queue. */
  keep({ act, body }) {
    if (this.resumes && !body.witness) sessionStorage.setItem(WAITING, JSON.stringify({ table: this.urls.table, act, body }));
  }

  /* What the page before was still sending goes out first. The console's queue alone: a second one on the same tablet
     would send it again. */
  resume() {
    this.resumes = true;
    const kept = JSON.parse(sessionStorage.getItem(WAITING) ?? "null");
    if (kept?.table !== this.urls.table) return;
    this.queue.push({ ...kept, answered: () => {} });
    this.run();
  }

  async deliver({ act, body }) {
    const address = this.urls.act.replace("__act__", act);
    for (let tries = 0; ; tries++) {
      try {
        const answer = await fetch(address, {
          method: "POST", body: JSON.stringify({ ...body, head: this.head }), signal: AbortSignal.timeout(PATIENCE),
          headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrf() },
        });
        if (answer.status < 500 || tries >= 4) return { status: answer.status, ok: answer.ok, ...(await said(answer)) };
      } catch { /* no answer: the same act again, under the same id */ }
      await pause(Math.min(4000, 300 * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  }
}

async function said(answer) {
  try {
    const body = await answer.json();
    if (answer.ok || body.refusal) return body;
  } catch { /* not ours */ }
  return {
    refusal: { code: "no-answer", title: "Not taken", section: "",
      message: answer.status === 403 ? "This act is not allowed from here. Load the page again."
        : "The table gave no proper answer. Look at the screen, then try again." },
  };
}
