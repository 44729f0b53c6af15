/* "Paid all", "Returned all": one button for every line of a list. It is enabled once each line was on screen, so that
   nobody confirms lines without looking. A line counts once three quarters of it were in view, whether by finger,
   keyboard, a taller window or zoom. */

const IN_VIEW = 0.75;

/* Which lines of one list were on screen. A list of another round or step starts over. */
export class SeenLines {
  constructor() {
    this.list = "";
    this.viewed = new Set();
  }

  begin(list) {
    if (list !== this.list) Object.assign(this, { list, viewed: new Set() });
  }

  see(line) {
    this.viewed.add(line);
  }

  missing(lines) {
    return lines.filter((line) => !this.viewed.has(line));
  }
}

/* Watches the list of the screen. `apply` follows each push, because a push may redraw the lines. */
export class SeenList {
  constructor() {
    this.lines = new SeenLines();
  }

  apply() {
    this.observer?.disconnect();
    const list = document.querySelector("[data-run]");
    if (!list) return;
    this.lines.begin(list.dataset.run);
    this.observer = new IntersectionObserver((changes) => this.look(changes), { root: list, threshold: IN_VIEW });
    for (const line of list.querySelectorAll("[data-seen]")) this.observer.observe(line);
    this.paint();
  }

  look(changes) {
    for (const { isIntersecting, target } of changes) if (isIntersecting) this.lines.see(target.dataset.seen);
    this.paint();
  }

  paint() {
    const button = document.querySelector("[data-all]");
    if (!button) return;
    const lines = [...document.querySelectorAll("[data-run] [data-seen]")].map(({ dataset }) => dataset.seen);
    const missing = this.lines.missing(lines).length, say = button.querySelector("[data-all-say]");
    button.setAttribute("aria-disabled", missing > 0);
    say.textContent = missing ? `Scroll: ${missing} more` : say.dataset.say;
  }
}
