/* As much of a browser as the scripts under test touch: storage, a document of parts by selector, a server whose answers
   the test gives. */

import { webcrypto } from "node:crypto";
import { FakeClock, settle } from "./clock.mjs";

export class FakeStorage {
  items = new Map();

  getItem(name) {
    return this.items.get(name) ?? null;
  }

  setItem(name, text) {
    this.items.set(name, String(text));
  }

  removeItem(name) {
    this.items.delete(name);
  }

  get length() {
    return this.items.size;
  }

  key(index) {
    return [...this.items.keys()][index] ?? null;
  }
}

export class FakeElement extends EventTarget {
  constructor({ dataset = {}, textContent = "" } = {}) {
    super();
    Object.assign(this, { dataset, textContent, attributes: new Map(), parts: new Map() });
  }

  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }

  setAttribute(name, text) {
    this.attributes.set(name, String(text));
  }

  hasAttribute(name) {
    return this.attributes.has(name);
  }

  toggleAttribute(name, force) {
    if (force) this.attributes.set(name, "");
    else this.attributes.delete(name);
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  /* What was set for this selector, or for each selector of the list. */
  querySelectorAll(selector) {
    return this.parts.get(selector) ?? selector.split(", ").flatMap((name) => this.parts.get(name) ?? []);
  }
}

/* Requests in the order in which they were sent; each waits until the test answers it. */
export class FakeServer {
  requests = [];

  fetch(url, { method = "GET", body, headers = {}, signal } = {}) {
    return new Promise((resolve, reject) => {
      const request = {
        url, method, headers,
        body: body && JSON.parse(body),
        answer: async (status, content) => {
          const json = async () => (typeof content === "string" ? JSON.parse(content) : content);
          resolve({ status, ok: status < 300, json });
          await settle();
        },
        fail: async () => {
          reject(new TypeError("Failed to fetch"));
          await settle();
        },
      };
      signal?.addEventListener("abort", () => reject(signal.reason));
      this.requests.push(request);
    });
  }

  get last() {
    return this.requests.at(-1);
  }
}

export class FakeSocket extends EventTarget {
  static OPEN = 1;
  static all = [];
  readyState = 0;

  constructor(url) {
    super();
    this.url = String(url);
    this.sent = [];
    FakeSocket.all.push(this);
  }

  send(text) {
    this.sent.push(text);
  }

  accept() {
    this.readyState = FakeSocket.OPEN;
  }

  push(message) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
  }

  /* The server's end, or the network's: the page learns the code. */
  drop(code = 1006) {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }

  /* The page's end: no event until the other side answers, which a half open connection never does. */
  close() {
    this.readyState = 2;
  }

  static get last() {
    return FakeSocket.all.at(-1);
  }
}

/* Replaces the globals of a browser. Each test file runs in a process of its own, so nothing is put back. */
export function installBrowser() {
  const clock = new FakeClock().install();
  const server = new FakeServer();
  const document = new FakeElement();
  Object.assign(document, {
    cookie: "theme=dark; csrftoken=token%2F1",
    documentElement: new FakeElement({ dataset: { live: "joining" } }),
    hidden: false,
    activeElement: null,
    elements: new Map(),
    getElementById: (id) => document.elements.get(id) ?? null,
  });
  const events = new EventTarget();
  const bind = (name) => EventTarget.prototype[name].bind(events);
  FakeSocket.all = [];
  Object.assign(globalThis, {
    document,
    addEventListener: bind("addEventListener"),
    removeEventListener: bind("removeEventListener"),
    dispatchEvent: bind("dispatchEvent"),
    HTMLElement: FakeElement,
    WebSocket: FakeSocket,
    customElements: { define: () => {} },
    location: { href: "https://pitside.test/tables/T-01", visits: [], assign: (url) => globalThis.location.visits.push(url) },
    sessionStorage: new FakeStorage(),
    localStorage: new FakeStorage(),
    fetch: (url, options) => server.fetch(url, options),
    CSS: { escape: (text) => text.replaceAll('"', '\\"') },
  });
  globalThis.crypto ??= webcrypto;
  globalThis.CustomEvent ??= class extends Event {
    constructor(name, options) {
      super(name, options);
      this.detail = options?.detail;
    }
  };
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("timeout")), ms);
    return controller.signal;
  };
  return { clock, server, document };
}
