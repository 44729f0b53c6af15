/* The guided shift of the demo: shows the step that comes next, notices when it is done, and can be left at any time.

   Its place is kept in this browser, so that it goes on from page to page. */

const STORED = "pitside-guided-shift";
const ENDED = "ended";

/** Whether the page shows that this step is done. `state` is the table's state, or null away from a table's console. */
export function isDone(step, path, state) {
  if (step.path) return new RegExp(step.path, "v").test(path);
  if (!state) return false;
  if (step.wagers) return state.round.wagers.length >= step.wagers;
  return Boolean(step.phase) && state.round.phase === step.phase;
}

/** The number of the first step from `number` on that is not done yet; one act may complete several. */
export function nextStep(steps, number, path, state) {
  let next = number;
  while (next < steps.length && isDone(steps[next], path, state)) next += 1;
  return next;
}

class GuidedShift {
  constructor(card, start, steps, storage) {
    Object.assign(this, { card, start, steps, storage });
    this.field("end").addEventListener("click", () => this.end());
    this.field("skip").addEventListener("click", () => this.go(this.number + 1));
    this.field("next").addEventListener("click", () => this.go(this.number + 1));
    start.addEventListener("click", () => this.go(0));
  }

  field(name) {
    return this.card.querySelector(`[data-${name}]`);
  }

  /** The number of the current step; null before the beginning and after the end. */
  get number() {
    const stored = this.storage.getItem(STORED);
    return stored === null || stored === ENDED ? null : Number(stored);
  }

  end() {
    this.storage.setItem(STORED, ENDED);
    this.draw();
  }

  go(number) {
    this.storage.setItem(STORED, number < this.steps.length ? String(number) : ENDED);
    this.draw();
  }

  /** Pass the steps that are done, and draw the next. */
  look(path, state) {
    if (this.number === null) return;
    const next = nextStep(this.steps, this.number, path, state);
    if (next !== this.number) this.go(next);
  }

  draw() {
    const { number } = this;
    this.card.hidden = number === null;
    this.start.hidden = this.storage.getItem(STORED) !== null || !location.pathname.startsWith("/enrol");
    if (number === null) return;
    const step = this.steps[number], become = this.field("become");
    this.field("part").textContent = `Guided shift: ${step.part}`;
    this.field("count").textContent = `${number + 1} of ${this.steps.length}`;
    this.field("text").textContent = step.text;
    become.hidden = !step.place;
    become.querySelector("button").value = step.place;
    become.querySelector("button").textContent = step.button;
    this.field("next").hidden = !step.button || Boolean(step.place);
    this.field("next").textContent = step.button;
    this.field("skip").hidden = Boolean(step.button);
  }
}

function readState() {
  const state = document.getElementById("state");
  return state ? JSON.parse(state.textContent) : null;
}

const card = globalThis.document?.getElementById("guided-shift");
if (card) {
  const steps = JSON.parse(document.getElementById("guided-shift-steps").textContent);
  const guide = new GuidedShift(card, document.getElementById("guided-start"), steps, localStorage);
  guide.draw();
  const look = () => guide.look(location.pathname, readState());
  look();
  setInterval(look, 500);
}
