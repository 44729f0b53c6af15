/* Long work in several tasks, so that the page answers taps in between. */

const SLICE_TIME = 12;  // ms

export const nextTask = () => new Promise((resume) => { setTimeout(resume); });

/* Calls `work` with each item, in tasks of about SLICE_TIME. */
export async function inSlices(items, work) {
  let began = Date.now();
  for (const item of items) {
    if (Date.now() - began > SLICE_TIME) {
      await nextTask();
      began = Date.now();
    }
    work(item);
  }
}
