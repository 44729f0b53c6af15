/* A refusal stands beside the finger that caused it, with its section; a fix that it names takes the brass. */

const GAP = 14;

export class Refusal {
  constructor() {
    this.box = document.getElementById("refusal");
    this.box.addEventListener("click", (event) => { if (event.target.closest("[data-close]")) this.close(); });
    addEventListener("resize", () => this.place());
  }

  show({ code, title, message, section }, anchor) {
    const fix = document.querySelector(`#fixes [data-codes~="${CSS.escape(code)}"]`);
    const button = this.box.querySelector("[data-fix]");
    this.box.querySelector("[data-title]").textContent = title || "Not taken";
    this.box.querySelector("[data-message]").textContent = message;
    this.box.querySelector("cite").textContent = section?.includes("§") ? section.slice(section.indexOf("§")) : section ?? "";
    button.hidden = !fix;
    this.box.classList.toggle("refusal--fix", Boolean(fix));
    if (fix) {
      button.textContent = fix.textContent;
      button.dataset.ask = fix.dataset.ask;
    }
    this.anchor = anchor;
    this.box.hidden = false;
    this.dim();
    this.place();
  }

  close() {
    this.box.hidden = true;
    this.dim();
  }

  /* while a fix holds the brass, the next step has none */
  dim() {
    const fixing = !this.box.hidden && this.box.classList.contains("refusal--fix");
    document.getElementById("next")?.classList.toggle("next--dimmed", fixing);
  }

  /* an area that takes no more wagers is another element in the same place */
  standing(anchor) {
    if (document.body.contains(anchor)) return anchor;
    const wager = anchor?.dataset?.wager;
    return wager && document.querySelector(`[data-wager="${CSS.escape(wager)}"]`);
  }

  place() {
    if (this.box.hidden) return;
    const anchor = this.standing(this.anchor) ?? document.getElementById("next");
    const at = anchor.getBoundingClientRect(), own = this.box.getBoundingClientRect();
    const above = at.top - own.height - GAP >= 8;
    const left = Math.max(8, Math.min(at.left + at.width / 2 - own.width / 2, innerWidth - own.width - 8));
    const top = above ? at.top - own.height - GAP : Math.min(at.bottom + GAP, innerHeight - own.height - 8);
    this.box.style.left = `${left}px`;
    this.box.style.top = `${top}px`;
    this.box.style.setProperty("--tip", `${at.left + at.width / 2 - left}px`);
    this.box.classList.toggle("refusal--below", !above);
  }
}
