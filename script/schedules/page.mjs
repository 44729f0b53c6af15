/* Tablets with the queue that they really have, static/js/acts.js: each page is a realm of its own, with as much of a browser
   as the queue touches, a clock that only the schedule moves, and chance that its seed draws.

   A line of JSON on the standard input is what happens at one tablet (`HAPPENS`). The answer is one line: what its page sent,
   what it told its person of an act, which version it waits for, whether it left for the sign-in, and when it wants to be woken.
   pages.py speaks to it. */

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { FakeStorage } from "../../tests/js/browser.mjs";

const STATIC = process.argv[2] ? pathToFileURL(`${process.argv[2]}/`) : new URL("../../static/js/", import.meta.url);
const POSTED = 0.5;  // the share of first tries that are POSTs: only those may come twice
const sources = new Map();  // by address: the text, and the code that was compiled from it
const settle = () => new Promise((resolve) => setImmediate(resolve));

/* The same numbers for the same seed: mulberry32. */
function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/* A device: what outlives its pages, and the page that is open. */
class Tablet {
  storage = new FakeStorage();
  page = null;
}

class Page {
  constructor(tablet, { now, offset, seed, person }) {
    Object.assign(this, { tablet, now, offset, person, timers: new Map(), fetches: new Map(), shown: new Map(), queues: new Map() });
    this.out = { sent: [], told: [], awaited: [], left: false };
    this.ids = 0;
    this.random = chance(seed);
    this.isPushed = true;
    this.waiting = [];
  }

  later(run, delay = 0) {
    this.ids += 1;
    this.timers.set(this.ids, { due: this.now + delay, run });
    return this.ids;
  }

  get due() {
    return this.timers.size ? Math.min(...[...this.timers.values()].map(({ due }) => due)) : null;
  }

  /* Runs what is due by now. */
  async wake() {
    while (this.due !== null && this.due <= this.now) {
      const [id, { run }] = [...this.timers].sort(([, a], [, b]) => a.due - b.due)[0];
      this.timers.delete(id);
      run();
      await settle();
    }
  }

  fetch(url, { body, signal } = {}) {
    return new Promise((resolve, reject) => {
      this.ids += 1;
      this.fetches.set(this.ids, { resolve, reject });
      this.out.sent.push({ id: this.ids, url, body: body ? JSON.parse(body) : null });
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  }

  /* An act on the socket, as that of live.js. */
  sendAct(url, act, text, limit) {
    if (!this.isPushed || this.random() < POSTED) return null;
    return new Promise((resolve, reject) => {
      this.ids += 1;
      const answered = ({ status, content }) => resolve(status ? { status, content } : null);
      this.fetches.set(this.ids, { reject, answered });
      this.out.sent.push({ id: this.ids, url: url.replace("__act__", act), body: JSON.parse(text), "is_on_socket": true });
      this.later(reject, limit);
    });
  }

  /* The answer to what was sent; none without a status, unless it says on a socket that nothing was begun. */
  answer(id, status, content) {
    const { resolve, reject, answered } = this.fetches.get(id) ?? {};
    this.fetches.delete(id);
    if (answered && content) answered({ status, content });
    else if (!status) reject?.(new TypeError("Failed to fetch"));
    else resolve?.({ status, ok: status < 300, headers: new Map(), json: async () => content ?? JSON.parse("no JSON") });
  }

  /* The realm of this page, with its queue's modules. */
  async load() {
    const page = this, events = new EventTarget(), attributes = new Set(), { Date: RealDate } = globalThis;
    const root = { dataset: { live: "live" }, toggleAttribute: (name, force) => (force ? attributes.add(name) : attributes.delete(name)) };
    const realm = {
      document: { cookie: "csrftoken=none", documentElement: root, getElementById: () => null, querySelector: () => null },
      localStorage: this.tablet.storage,
      addEventListener: events.addEventListener.bind(events), dispatchEvent: events.dispatchEvent.bind(events),
      fetch: (url, options) => page.fetch(url, options),
      setTimeout: (run, delay) => page.later(run, delay), clearTimeout: (id) => page.timers.delete(id),
      AbortSignal: {
        timeout: (delay) => {
          const controller = new AbortController();
          page.later(() => controller.abort(new Error("timeout")), delay);
          return controller.signal;
        },
      },
      crypto: { getRandomValues: (bytes) => bytes.map((_, place) => bytes[place] = Math.floor(page.random() * 256)) && bytes },
      Date: class extends RealDate {
        constructor(...parts) {
          super(...(parts.length ? parts : [page.time]));
        }

        static now() {
          return page.time;
        }
      },
      AbortController, CustomEvent, Event, EventTarget, URLSearchParams, HTMLElement: class {}, customElements: { define() {} },
      navigator: {}, location: { href: "/" }, console,
    };
    this.root = root;
    this.context = vm.createContext(realm);
    vm.runInContext("Math.random = draw", Object.assign(this.context, { draw: this.random }));
    this.modules = new Map();
    const module = await this.module(new URL("acts.js", STATIC).href);
    await module.link((name, { identifier }) => this.module(new URL(name, identifier).href));
    await module.evaluate();
    this.acts = module.namespace;
    this.heads = this.modules.get(new URL("heads.js", STATIC).href).namespace;
    this.heads.holdHeads();
    return this;
  }

  get time() {
    return Math.floor(this.now + this.offset);
  }

  async module(href) {
    if (this.modules.has(href)) return this.modules.get(href);
    const { text, cachedData } = sources.get(href) ?? { text: readFileSync(fileURLToPath(href), "utf8") };
    const made = new vm.SourceTextModule(text, { context: this.context, identifier: href, cachedData });
    sources.set(href, { text, cachedData: cachedData ?? made.createCachedData() });
    this.modules.set(href, made);
    return made;
  }

  /* A place's fragment, as the queue reads it. */
  adapter(place) {
    const page = this;
    return {
      get isPushed() {
        return page.isPushed;
      },
      querySelector: () => ({ dataset: page.shown.get(place) ?? {} }),
      apply: () => {},
      leave: () => page.out.left = true,
      sendAct: (...act) => page.sendAct(`/floor/${place}/acts/__act__`, ...act),
      reach: (_table, version) => page.reach(place, version),
    };
  }

  /* Resolves once the version is shown, as that of live.js; the schedule shows it, or says that it cannot be had. */
  reach(place, version) {
    if (Number(this.shown.get(place)?.version) >= version) return undefined;
    this.out.awaited.push({ place, version });
    return new Promise((resolve) => this.waiting.push({ place, version, resolve }));
  }

  show(place, dataset, { isNewest = false } = {}) {
    this.shown.set(place, dataset);
    this.heads.storeHead(dataset);
    const isReached = (wait) => wait.place === place && (isNewest || Number(dataset.version) >= wait.version);
    const reached = this.waiting.filter(isReached);
    this.waiting = this.waiting.filter((wait) => !isReached(wait));
    for (const { resolve } of reached) resolve();
  }

  queue(place) {
    if (!this.queues.has(place)) {
      const [, table] = place.split("/");
      const urls = { table, me: this.person, act: `/floor/${place}/acts/__act__` };
      this.queues.set(place, new this.acts.ActQueue(this.adapter(place), urls));
    }
    return this.queues.get(place);
  }

  tell(claim, { screen, ...response }) {
    this.out.told.push({ claim, response });
  }

  /* A person taps. The number of the claim comes back with what the page tells of it. An act that is refused without a line
     has no command: the last one that waits is an earlier act's. */
  tap({ place, claim, act, params, state, witness }) {
    const queue = this.queue(place), before = queue.items.at(-1);
    const send = this.acts.consoleSender({ queue, flushTaps: () => {}, currentState: () => state });
    send(act, params, witness).then((response) => this.tell(claim, response));
    const last = queue.items.at(-1);
    this.out.command = last === before ? null : last.body.command;
  }
}

const tablets = new Map();
const pageOf = (tablet) => tablets.get(tablet).page;

/* What may happen at a tablet. */
const HAPPENS = {
  async begin() {
    tablets.clear();
  },
  /* A page is loaded; the one before is gone, with whatever it was doing. `place`: that of its console, whose acts it resumes. */
  async open({ tablet, place, shown, ...options }) {
    const device = tablets.get(tablet) ?? new Tablet();
    tablets.set(tablet, device);
    device.page = await new Page(device, options).load();
    for (const [name, dataset] of Object.entries(shown)) device.page.show(name, dataset);
    if (place) device.page.queue(place).resume(({ body }, response) => device.page.tell(body.command, response));
  },
  async tap({ tablet, ...tap }) {
    pageOf(tablet).tap(tap);
  },
  async answer({ tablet, id, status, content }) {
    pageOf(tablet).answer(id, status, content);
  },
  async show({ tablet, place, dataset, isNewest }) {
    pageOf(tablet).show(place, dataset, { isNewest });
  },
  /* Pushes come again, or come no more. */
  async connect({ tablet, isLive }) {
    const page = pageOf(tablet);
    if (!isLive) page.heads.holdHeads();
    page.isPushed = isLive;
    page.root.dataset.live = isLive ? "live" : "dead";
    page.context.dispatchEvent(new CustomEvent("screen:connection", { detail: { status: page.root.dataset.live } }));
  },
  async wake() {},
  /* What the device stores of each table, which the sign-in page sends. */
  async heads({ tablet }) {
    const page = tablets.get(tablet)?.page;
    if (page) page.out.heads = page.heads.storedHeads();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { happens, now, ...rest } = JSON.parse(line), page = tablets.get(rest.tablet)?.page;
  if (page) page.now = now;
  if (page && happens !== "open") await page.wake();
  await HAPPENS[happens]({ now, ...rest });
  await settle();
  const { out, due = null } = tablets.get(rest.tablet)?.page ?? { out: {} };
  process.stdout.write(`${JSON.stringify({ ...out, due })}\n`);
  const open = tablets.get(rest.tablet)?.page;
  if (open) open.out = { sent: [], told: [], awaited: [], left: false };
}
