/* Sums over tables of the floor, from the figures that each table's fragment has as data attributes. */

import { serverTime } from "./facility-time.js";
import { paceOfAll } from "./pace.js";

export const dollars = (cents) => {
  const text = (Math.abs(cents) / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0 });
  return `${cents < 0 ? "−" : ""}$${text}`;
};
export const signedDollars = (cents) => (cents > 0 ? "+" : "") + dollars(cents);

const isOpen = ({ dataset }) => dataset.status === "open";
export const sumOf = (tables, figure) => tables.reduce((sum, { dataset }) => sum + Number(dataset[figure] ?? 0), 0);

/* Open tables, seats, pace, handle and win of these tables. There is a target pace only if each of them has one. The
   expected win and its band (two standard deviations) are known only if every table that played has them; deviations of independent tables add by their squares. */
export function collectSums(tables, now = serverTime()) {
  const open = tables.filter(isOpen), played = tables.filter(({ dataset }) => Number(dataset.handle ?? 0) > 0);
  const isKnown = played.length > 0 && played.every(({ dataset }) => dataset.band);
  const bandSquared = played.reduce((sum, { dataset }) => sum + Number(dataset.band) ** 2, 0);
  return {
    open: open.length,
    seats: sumOf(tables, "seats"),
    playing: sumOf(open, "playing"),
    pace: paceOfAll(open, now),
    target: open.every(({ dataset }) => dataset.target) ? sumOf(open, "target") : 0,
    handle: sumOf(tables, "handle"),
    win: sumOf(tables, "win"),
    expected: isKnown ? sumOf(played, "expected") : 0,
    band: isKnown ? Math.round(Math.sqrt(bandSquared) / 100) * 100 : 0,
  };
}

/* Where the win is in its band: 0 as expected, ±1 at its ends, at most ±1.5. */
export const spread = ({ win, expected, band }) =>
  (band > 0 ? Math.max(-1.5, Math.min(1.5, (win - expected) / band)) : 0);
