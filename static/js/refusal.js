/* A refusal appears beside the button that caused it, with its section. If the page offers a fix for it, the fix becomes
   the highlighted next step.

   What is refused long after its tap (`waited`) stays until somebody closes it, whatever the screen shows by then, and what is
   refused after it comes below: each names what it was. */

const GAP = 14, MARGIN = 8;
const OWN_SCREEN_TIME = 300;  // ms after a refusal in which a change of the screen is its own

export class Refusal {
  constructor() {
    this.refusals = [];
    this.box = document.getElementById("refusal");
    this.box.addEventListener("click", (event) => { if (event.target.closest("[data-close]")) this.close(); });
    addEventListener("resize", () => this.place());
  }

  show(refusal, anchor) {
    const unread = this.isToRead ? this.refusals : [];
    this.refusals = unread.some(({ message }) => message === refusal.message) ? unread : [...unread, refusal];
    const { code, title, message, section } = this.refusals.length > 1 ? joined(this.refusals) : refusal;
    Object.assign(this, { code, shownTime: performance.now() });
    const fix = document.querySelector(`#fixes [data-codes~="${CSS.escape(code)}"]`);
    const button = this.box.querySelector("[data-fix]");
    this.box.querySelector("[data-title]").textContent = title || "Not taken";
    this.box.querySelector("[data-message]").textContent = message;
    this.box.querySelector("cite").textContent = section?.includes("§") ? section.slice(section.indexOf("§")) : section ?? "";
    button.hidden = !fix;
    this.box.classList.toggle("refusal--fix", Boolean(fix));
    this.showTone(this.refusals.every(({ isNotice }) => isNotice));
    if (fix) {
      button.textContent = fix.textContent;
      button.dataset.ask = fix.dataset.ask;
    }
    this.anchor = anchor;
    this.box.hidden = false;
    this.dimNext();
    this.place();
  }

  /* What was done, except for something, is no refusal. */
  showTone(isNotice) {
    this.box.classList.toggle("refusal--notice", isNotice);
    this.box.setAttribute("aria-label", isNotice ? "Notice" : "Refused");
    this.box.querySelector("use").setAttribute("href", isNotice ? "#i-flag" : "#i-stop");
  }

  close() {
    this.refusals = [];
    this.box.hidden = true;
    this.dimNext();
  }

  /* Whether something is shown that somebody has to read: what happened to a tap of some time ago. */
  get isToRead() {
    return !this.box.hidden && this.refusals.some(({ waited }) => waited);
  }

  /* The person goes on, or the round does. */
  closeUnlessToRead() {
    if (!this.isToRead) this.close();
  }

  /* A refusal that is no longer true. */
  closeIf(code) {
    if (!this.box.hidden && this.code === code) this.closeUnlessToRead();
  }

  /* The table has changed since: what was refused may be possible now. The screen that came with the refusal does not
     count. */
  closeOld() {
    if (!this.box.hidden && performance.now() - this.shownTime > OWN_SCREEN_TIME) this.closeUnlessToRead();
  }

  /* Only one step is highlighted: while a fix is, the next step is dimmed. */
  dimNext() {
    const fixing = !this.box.hidden && this.box.classList.contains("refusal--fix");
    document.getElementById("next")?.classList.toggle("next--dimmed", fixing);
  }

  /* A push may have replaced the anchor: an area that takes no more wagers is a new element in the same place. */
  currentAnchor() {
    if (document.body.contains(this.anchor)) return this.anchor;
    const wager = this.anchor?.dataset?.wager;
    return wager && document.querySelector(`[data-wager="${CSS.escape(wager)}"]`);
  }

  place() {
    if (this.box.hidden) return;
    const anchor = (this.currentAnchor() ?? document.getElementById("next")).getBoundingClientRect();
    const box = this.box.getBoundingClientRect();
    const middle = anchor.left + anchor.width / 2;
    const isAbove = anchor.top - box.height - GAP >= MARGIN;
    const x = Math.max(MARGIN, Math.min(middle - box.width / 2, innerWidth - box.width - MARGIN));
    const y = isAbove ? anchor.top - box.height - GAP : Math.min(anchor.bottom + GAP, innerHeight - box.height - MARGIN);
    Object.assign(this.box.style, { "left": `${x}px`, "top": `${y}px` });
    this.box.style.setProperty("--tip", `${middle - x}px`);
    this.box.classList.toggle("refusal--below", !isAbove);
  }
}

/* Several refusals as one, each on a line of its own. */
function joined(refusals) {
  const lines = refusals.map(({ title, message, section }) => [`${title || "Not taken"}: ${message}`, section].filter(Boolean).join(" "));
  return { code: refusals.at(-1).code, title: `${refusals.length} taps were not taken`, message: lines.join("\n"), section: "" };
}
