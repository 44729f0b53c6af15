/* The pace of a table now: its settled rounds an hour over the last fifteen minutes, as tables/core/figure_sums.py counts them.
   Nothing is sent while a table is still, so the page counts again as time passes. */

const RECENT = 15 * 60_000, LEAST = 5 * 60_000, HOUR = 3_600_000, SLOW = 4 / 5;

/* `settled`: when rounds were settled, in seconds, with spaces between; `dealtSince`: since when the table has been open
   and staffed without a break, "" while it is not. Null where the pace is not known. */
export function paceOf({ settled = "", dealtSince = "" }, now) {
  const since = Date.parse(dealtSince);
  if (Number.isNaN(since)) return null;
  const begins = Math.max(since, now - RECENT), time = now - begins;
  if (time < LEAST) return null;
  const rounds = settled.split(" ").filter((moment) => moment && begins < moment * 1_000 && moment * 1_000 <= now);
  return Math.floor((rounds.length * HOUR) / time + 0.5);
}

export const isSlow = (pace, target) => pace !== null && Boolean(target) && pace < SLOW * target;

/* The paces of several tables added up; null where none is known. */
export function paceOfAll(tables, now) {
  const paces = tables.map(({ dataset }) => paceOf(dataset, now)).filter((pace) => pace !== null);
  return paces.length ? paces.reduce((sum, pace) => sum + pace, 0) : null;
}

export const paceText = (pace) => (pace === null ? "–" : String(pace));
