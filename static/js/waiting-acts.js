/* What this tablet itself remembers of its table: the acts that wait to be sent, and the step at which the screen last
   was. It outlives the page, a discarded tab and the app's own end. It is never shown as the state of the table. */

const ACTS_KEY = "pitside.waiting", STEP_KEY = "pitside.step";

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
