import assert from "node:assert/strict";
import { test } from "node:test";
import { groupAlerts, memberWords } from "../../static/js/alert-groups.js";

const alert = (code, title, joins) => ({ dataset: { code, title, ...(joins && { joins }) } });
const dispute = alert("T-05", "Dispute at seat 3");
const first = alert("T-42", "Left tablet offline", "Pit 3, Tablet offline");
const second = alert("T-31", "Tablet offline", "Pit 3, Tablet offline");
const elsewhere = alert("T-07", "Tablet offline", "Pit 1, Tablet offline");

test("equal alerts of a pit are one line with their tables, at the place of the first, and no others join it", () => {
  assert.deepEqual(groupAlerts([first, dispute, second, elsewhere]), [[first, second], [dispute], [elsewhere]]);
  assert.equal(memberWords([first, second]), "T-42 Left tablet offline, T-31");
});

test("two disputes are two lines", () => {
  assert.equal(groupAlerts([dispute, alert("T-05", "Dispute at seat 3")]).length, 2);
});

test("what one cause raises at every table is one line of the whole floor, and another cause another", () => {
  const guessed = (code, says) => ({ dataset: { code, title: "A PIN is being guessed", joins: "PINs being guessed", says } });
  const [atFirst, atSecond, ofAnother] = [guessed("T-01", "Of A. Dealer."), guessed("T-31", "Of A. Dealer."), guessed("T-01", "Of B. Dealer.")];
  assert.deepEqual(groupAlerts([atFirst, ofAnother, atSecond]), [[atFirst, atSecond], [ofAnother]]);
  assert.equal(memberWords([atFirst, atSecond]), "Of A. Dealer.");
});
