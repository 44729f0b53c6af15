/* Whose chips are on an area: a stack for each seat, with its number and amount, as games/stacks.py draws them. Here the
   selected seat's own stack is marked too, and so are chips that the server has not accepted yet. */

const LONG_AMOUNT = 4, LONGER_AMOUNT = 6;  // characters from which an amount is set in smaller figures
const CROWD = 5;  // with so many owners, the selected seat of an area with few stacks has no stack of its own either
const MANY_OWNERS = 5;  // more seats than a small area has room for
const MARKS = ["flag", "own", "pending"];
const FLAG_MARK = '<svg class="icon stk-mark"><use href="#i-flag"></use></svg>';

export const formatAmount = (cents) =>
  (cents / 100).toLocaleString("en-US", { minimumFractionDigits: cents % 100 ? 2 : 0, maximumFractionDigits: 2 });
/* The class of the largest chip in an amount. `chips` has the values of the table's chips, ascending (games/chips.py). */
export function chipClass(chips, cents) {
  const largest = chips.findLast((chip) => cents >= chip);
  if (!largest) return "coin";
  return largest === 50 ? "chalf" : `c${largest / 100}`;
}
export const sumOf = (owners) => owners.reduce((sum, { cents }) => sum + cents, 0);

/* `owners`: {seat, cents, flag, own, pending}, by seat. With more than `full` owners, all but the selected seat are shown
   as seat numbers and a sum; in a crowd the selected seat too, with its amount before the sum. */
export function stacksHtml(owners, full, chips) {
  const stack = (owner) => stackHtml(owner, chips);
  if (owners.length <= full) return owners.map(stack).join("");
  const own = full > 2 || full === 2 && owners.length < CROWD ? owners.filter((owner) => owner.own) : [];
  return own.map(stack).join("") + seatsHtml(owners.filter((owner) => !own.includes(owner)));
}

function stackHtml(owner, chips) {
  const text = formatAmount(owner.cents);
  const long = text.length >= LONGER_AMOUNT ? " stk--longer" : text.length >= LONG_AMOUNT ? " stk--long" : "";
  return `<span class="stk ${chipClass(chips, owner.cents)}${long}${marksOf(owner, "stk")}" data-owner="${owner.seat}">`
    + `<i class="stk-seat">${owner.seat}</i><b class="stk-n">${text}</b>${owner.flag ? FLAG_MARK : ""}</span>`;
}

function seatsHtml(owners) {
  const own = owners.find((owner) => owner.own), sum = formatAmount(sumOf(owners));
  const amounts = own ? `<b class="rest-own">${formatAmount(own.cents)}</b><b class="rest-sum">${sum}</b>` : `<b class="rest-sum">${sum}</b>`;
  return `<span class="rest">${seatMarks(owners)}${amounts}</span>`;
}

const marksOf = (owner, part) => MARKS.filter((mark) => owner[mark]).map((mark) => ` ${part}--${mark}`).join("");

/* The number of each seat; of many owners, neighboring seats together: 1–7. */
export function seatMarks(owners) {
  const runs = [];
  for (const owner of owners) {
    const before = runs.at(-1)?.at(-1);
    const joins = owners.length > MANY_OWNERS && before?.seat === owner.seat - 1
      && MARKS.every((mark) => Boolean(before[mark]) === Boolean(owner[mark]));
    if (joins) runs.at(-1).push(owner);
    else runs.push([owner]);
  }
  return runs.map((run) => {
    const text = run.length > 1 ? `${run[0].seat}–${run.at(-1).seat}` : run[0].seat;
    return `<i class="stk-seat${marksOf(run[0], "stk-seat")}">${text}</i>`;
  }).join("");
}
