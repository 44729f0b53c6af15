/* What a tablet without a line may do, and says: by the step at which its table last stood, and by what waits. The box of the
   console (connection.js) and the page without a line (no-line.js) say the same. */

const DICE_ACT = "call_dice";

/* Acts that a tablet without a connection does not keep: what ends a round, closes its corrections or decides a call, for
   nobody would see what they did. A second person's PIN is never kept either. Any other act waits and is sent when the
   connection is back. */
const NEEDS_CONNECTION = [
  "settle_seats", "clear_layout", "void_round", "call_no_roll", "report_device_failure", "close_table", "return_wagers",
  "acknowledge_alert", "decide_alert",
];
/* Steps for which somebody signs, or a list is confirmed: nobody does them without the server. */
const ASKS = ["inspect_table", "open_table", "record_repair", "change_dice_lot", "replace_shaker"];

export const canWait = (act, { seats } = {}, witness = null) =>
  !witness && !NEEDS_CONNECTION.includes(act) && (act !== "pay_seats" || seats?.length > 0);

const isOf = (names) => ({ act }) => names.includes(act);

/* What to do while the step itself waits: nothing that comes after it. */
const WHILE_IT_WAITS = {
  "betting": "You can take wagers. Throw nothing until the connection is back.",
  "lit": "Pay nothing until the connection is back.",
  "paying": "Pay nothing more until the connection is back.",
};
const NEXT_COMES = "The next step comes when the connection is back.";
/* What to do where the step does not wait. */
const NEEDS_IT = {
  "settle_seats": "Take and pay nothing until the connection is back.",
  "clear_layout": "Leave the layout as it lies until the connection is back.",
  "return_wagers": "Give nothing back until the connection is back.",
};
const NEXT_NEEDS = "The next step needs the connection.";
const CEASED = "Gaming stays ceased.";
/* The next step is done at the tablet of another post, and this one does not hear of it. */
const UNHEARD = "Bets stay closed. Take and pay nothing until the connection is back.";

/* `step`: {mode, next, ahead, isElsewhere}: the mode of the screen, the act of its next step, the acts up to the dice, with which
   the tablet goes on by itself (ahead.js), and whether the next step belongs to another post. `acts`: what waits. "" where
   everything goes on as it is: `continueOf` says how far. */
export function adviceOf({ mode, next, ahead = [], isElsewhere = false } = {}, acts) {
  if (acts.some(isOf([DICE_ACT]))) return "Bets stay closed. Write the dice down, call the floor, take and pay nothing yet.";
  if (acts.some(({ closes }) => closes)) return "Bets stay closed.";
  if (acts.some(isOf([next]))) return ahead.includes(next) ? "" : WHILE_IT_WAITS[mode] ?? NEXT_COMES;
  if (next in NEEDS_IT) return NEEDS_IT[next];
  if (isElsewhere && mode !== "betting") return UNHEARD;
  if (mode === "ceased") return `${CEASED} ${NEXT_NEEDS}`;
  if (mode === "closed" || ASKS.includes(next)) return NEXT_NEEDS;
  return "";
}

export const continueOf = ({ mode, isElsewhere } = {}) =>
  mode === "betting" && isElsewhere ? "You can take wagers until they are closed aloud." : "You can continue.";

/* The same for a tablet whose page was loaded again without a line: it shows nothing of its table any more. */
const AS_THEY_LIE = "Leave chips and dice as they lie. Call the floor.";
const STEPS = {
  "betting": "Take no more wagers. Leave the chips as they lie. Call the floor.",
  "say": "Bets stay closed. Write the dice down and call the floor. Take and pay nothing yet.",
  "dice": "Write the dice down and call the floor. Take and pay nothing yet.",
  "lit": "Take and pay nothing more. Leave the dice as they lie. Call the floor.",
  "paying": "Pay nothing more. Leave the dice as they lie. Call the floor.",
  "return": "Give nothing more back. Call the floor.",
  "ceased": `${CEASED} ${AS_THEY_LIE}`,
};
const COUNTING = "Leave the chips that you count as they lie. Call the floor.";

export function adviceWithoutPage(step, acts, { isCounting = false } = {}) {
  if (isCounting) return COUNTING;
  if (step?.mode !== "dice" && acts.some(({ closes }) => closes)) return STEPS.say;
  return STEPS[step?.mode] ?? AS_THEY_LIE;
}
