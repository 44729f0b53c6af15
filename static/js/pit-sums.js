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

/* Exact sums, as the server has them (tables/core/figure_sums.py): the cents of several tables, each rounded, could come to
   another dollar than the figures of the floor. A fraction is written `123` or `123/7`. */
function sumOfFractions(texts) {
  return texts.map((text) => text.split("/").map(BigInt)).reduce(([sum, under], [part, over = 1n]) => {
    if (under % over === 0n) return [sum + part * (under / over), under];
    if (over % under === 0n) return [sum * (over / under) + part, over];
    return [sum * over + part * under, under * over];
  }, [0n, 1n]);
}

/* A quotient without its remainder, and that rounded to the nearest integer, halves to the even one, as in Python. */
const floor = (number, by) => number / by - (number % by < 0n ? 1n : 0n);
function rounded(number, by) {
  const quotient = floor(number, by), twice = 2n * (number - quotient * by);
  return twice > by || (twice === by && quotient % 2n !== 0n) ? quotient + 1n : quotient;
}
const wholeDollars = (cents) => Number(100n * rounded(cents, 100n));

/* Two standard deviations in cents, without what is left of the root. */
function bandOf([variance, by]) {
  if (variance <= 0n) return 0n;
  const square = 4n * (variance / by);
  let root = BigInt(Math.floor(Math.sqrt(Number(square))));
  while (root * root > square) root -= 1n;
  while ((root + 1n) * (root + 1n) <= square) root += 1n;
  return root;
}

/* Open tables, seats, pace, handle and win of these tables. There is a target pace only if each of them has one. The
   expected win and its band (two standard deviations), in whole dollars, are known only if every table that played has them;
   variances of independent tables add. */
export function collectSums(tables, now = serverTime()) {
  const open = tables.filter(isOpen);
  const played = tables.filter(({ dataset }) => dataset.expected || Number(dataset.handle ?? 0) > 0);
  const isKnown = played.length > 0 && played.every(({ dataset }) => dataset.expected);
  const measured = isKnown ? played.map(({ dataset }) => dataset) : [];
  return {
    open: open.length,
    seats: sumOf(tables, "seats"),
    playing: sumOf(open, "playing"),
    pace: paceOfAll(open, now),
    target: open.every(({ dataset }) => dataset.target) ? sumOf(open, "target") : 0,
    handle: sumOf(tables, "handle"),
    win: sumOf(tables, "win"),
    expected: wholeDollars(rounded(...sumOfFractions(measured.map(({ expected }) => expected)))),
    band: wholeDollars(bandOf(sumOfFractions(measured.map(({ variance }) => variance)))),
  };
}

/* Where the win is in its band: 0 as expected, ±1 at its ends, at most ±1.5. */
export const spread = ({ win, expected, band }) =>
  (band > 0 ? Math.max(-1.5, Math.min(1.5, (win - expected) / band)) : 0);
