/* A clock that stands still until a test moves it. Node 18 has no mock timers, and those of Node 20 leave Date alone. */

const { setImmediate, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
const RealDate = Date;

/* Lets every promise that can settle do so: microtasks are drained before the next immediate. */
export const settle = () => new Promise((resolve) => setImmediate(resolve));

export class FakeClock {
  constructor(now = RealDate.UTC(2025, 0, 2, 12)) {
    Object.assign(this, { now, timers: new Map(), lastId: 0 });
  }

  install() {
    const clock = this;
    globalThis.setTimeout = (run, delay = 0) => this.add({ run, due: this.now + delay });
    globalThis.setInterval = (run, every) => this.add({ run, due: this.now + every, every });
    globalThis.clearTimeout = globalThis.clearInterval = (id) => this.timers.delete(id);
    globalThis.Date = class extends RealDate {
      constructor(...parts) {
        super(...(parts.length ? parts : [clock.now]));
      }

      static now() {
        return clock.now;
      }
    };
    return this;
  }

  uninstall() {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval, Date: RealDate });
  }

  /* Somebody sets the device's clock back. Timers run on. */
  setBack(time) {
    this.now -= time;
    for (const timer of this.timers.values()) timer.due -= time;
  }

  add(timer) {
    this.lastId += 1;
    this.timers.set(this.lastId, timer);
    return this.lastId;
  }

  /* Moves the clock and runs every timer on the way, each at its own time. */
  async advance(ms) {
    const end = this.now + ms;
    await settle();
    for (let next = this.next(end); next; next = this.next(end)) {
      const [id, timer] = next;
      this.now = Math.max(this.now, timer.due);
      if (timer.every) timer.due += timer.every;
      else this.timers.delete(id);
      timer.run();
      await settle();
    }
    this.now = end;
  }

  next(end) {
    const due = [...this.timers].filter(([, timer]) => timer.due <= end);
    return due.sort(([, a], [, b]) => a.due - b.due)[0];
  }
}
