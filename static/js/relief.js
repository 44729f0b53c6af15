/* The relief view of the dealer's tablet is read each time it opens: rest and breaks change without an act at this table. */

import { paintClocks } from "./clocks.js";

const NOT_READ = "Times and free dealers cannot be read now. You can still find a dealer by name.";

/** Fills the view from the server. The answer to the newest request wins. */
export class ReliefView {
  constructor(box, address, load = (...request) => fetch(...request)) {
    Object.assign(this, { box, address, load, reads: 0 });
  }

  async show() {
    const read = ++this.reads;
    this.box.setAttribute("aria-busy", "true");
    const html = await this.read();
    if (read !== this.reads) return;
    this.box.removeAttribute("aria-busy");
    if (html === null) this.box.textContent = NOT_READ;
    else this.box.innerHTML = html;
    paintClocks(this.box);
  }

  async read() {
    try {
      const response = await this.load(this.address, { cache: "no-store", redirect: "error", signal: AbortSignal.timeout(8_000) });
      return response.ok ? await response.text() : null;
    } catch {
      return null;
    }
  }
}
