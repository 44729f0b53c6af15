/* What this tablet itself remembers of its table: the acts that wait to be sent, the step at which the screen last was, and
   what was entered and not sent yet. It outlives the page, a discarded tab and the app's own end. It is never shown as the
   state of the table, and has no PIN. */

const ACTS_KEY = "pitside.waiting", STEP_KEY = "pitside.step", DRAFT_KEY = "pitside.draft";

const read = (key) => {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
};

/* `{table, person, items: [{act, body, name, time, mayBeTaken}]}`, or null. `mayBeTaken`: a try has gone out. */
export const waitingActs = () => read(ACTS_KEY);

export function storeWaitingActs(stored) {
  if (stored) localStorage.setItem(ACTS_KEY, JSON.stringify(stored));
  else localStorage.removeItem(ACTS_KEY);
}

/* `{table, round, mode, zone, time}`, or null. */
export const lastStep = () => read(STEP_KEY);
export const storeStep = (step) => localStorage.setItem(STEP_KEY, JSON.stringify(step));

/* `{of, title, content, time}`, or null: `of` names the page, the person, and what it was entered for. There is one, the
   newest. */
export const lastDraft = () => read(DRAFT_KEY);

/* The content of the draft for exactly this, if it is not too old. */
const LONGEST = 15 * 60_000;  // ms: what was entered longer ago is of another time
export function draftOf(of) {
  const draft = lastDraft();
  return draft && draft.of === of && Date.now() - draft.time < LONGEST ? draft.content : null;
}

export const storeDraft = (of, title, content) => localStorage.setItem(DRAFT_KEY, JSON.stringify({ of, title, content, time: Date.now() }));

/* Forgets the draft for this; one for something else stays. */
export function dropDraft(of) {
  if (lastDraft()?.of === of) localStorage.removeItem(DRAFT_KEY);
}
