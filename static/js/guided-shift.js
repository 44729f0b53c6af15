/* The guided shift of the demo: shows the step that comes next, notices when it is done, and can be left at any time.

   It follows what happened: a step is done as soon as a later one is, or the round that the visitor found is over. Its
   place is kept in this browser, so that it goes on from page to page. */

const STORED = "pitside-guided-shift";
const ROUND = "pitside-guided-round";  // the number of the round that the visitor found
const ENDED = "ended";
// How far a round is. Shaking comes before or after no more bets, as its edition says.
const PHASES = { open: 0, shaken: 1, closed: 1, ready: 2, lit: 3, "taken": 4, paid: 5, cleared: 6 };

/** Whether the round numbered `roundNumber` has reached a phase at this table, or is over. */
export function hasReached(phase, roundNumber, state) {
  if (state.round.number !== roundNumber) return state.round.number > roundNumber;
  return (PHASES[state.round.phase] ?? 0) >= PHASES[phase];
}

/** Whether the page shows that this step is done. `state`: that of the page's table, or null on another page. */
export function isDone(step, path, state, roundNumber) {
  if (step.path) return new RegExp(step.path, "v").test(path);
  if (!state) return false;
  if (step.decides) return path.endsWith("/T-05/") && !state.alerts.some(({ kind }) => kind === "dispute");
  return Boolean(step.phase) && roundNumber !== null && hasReached(step.phase, roundNumber, state);
}

/** The number of the step after the last one from `number` on that is done, within its part. */
export function nextStep(steps, number, path, state, roundNumber) {
  let next = number;
  for (let later = number; steps[later]?.part === steps[number].part; later += 1) {
    if (isDone(steps[later], path, state, roundNumber)) next = later + 1;
  }
  const following = steps[next];
  return next !== number && following?.path && isDone(following, path, state, roundNumber) ? next + 1 : next;
}

class GuidedShift {
  constructor(card, steps, storage) {
    Object.assign(this, { card, steps, storage });
    document.documentElement.insertBefore(card, document.body);  // above the page, never on it
    this.field("end").addEventListener("click", () => this.end());
    this.field("skip").addEventListener("click", () => this.go(this.number + 1));
    this.field("next").addEventListener("click", () => this.go(this.number + 1));
  }

  field(name) {
    return this.card.querySelector(`[data-${name}]`);
  }

  /** The number of the current step; null before the beginning and after the end. */
  get number() {
    const stored = this.storage.getItem(STORED);
    return stored === null || stored === ENDED || !this.steps[Number(stored)] ? null : Number(stored);
  }

  /** The number of the round that the visitor found: that of the first table whose state was seen. */
  roundNumber(state) {
    if (state && this.number === 0 && this.storage.getItem(ROUND) === null) this.storage.setItem(ROUND, String(state.round.number));
    const stored = this.storage.getItem(ROUND);
    return stored === null ? null : Number(stored);
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
    const next = nextStep(this.steps, this.number, path, state, this.roundNumber(state));
    if (next !== this.number) this.go(next);
  }

  draw() {
    const { number } = this;
    this.card.hidden = number === null;
    document.documentElement.classList.toggle("guided", number !== null);
    if (number === null) return;
    const step = this.steps[number], form = this.field("go");
    this.field("part").textContent = `Guided shift: ${step.part}`;
    this.field("count").textContent = `${number + 1} of ${this.steps.length}`;
    this.field("text").textContent = step.text;
    form.hidden = !step.go;
    form.action = step.go;
    form.querySelector("button").textContent = step.button;
    this.field("next").hidden = !step.button || Boolean(step.go);
    this.field("next").textContent = step.button;
    this.field("skip").hidden = Boolean(step.button);
    this.field("end").hidden = number === this.steps.length - 1;  // whose own button ends it
  }
}

function readState() {
  const state = document.getElementById("state");
  return state ? JSON.parse(state.textContent) : null;
}

const card = globalThis.document?.getElementById("guided-shift");
if (card) {
  const steps = JSON.parse(document.getElementById("guided-shift-steps").textContent);
  const guide = new GuidedShift(card, steps, localStorage);
  const look = () => guide.look(location.pathname, readState());
  guide.draw();
  look();
  setInterval(look, 500);
}
