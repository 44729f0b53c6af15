import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceOf, adviceWithoutPage, canWait, continueOf } from "../../static/js/offline.js";

const acts = (...names) => names.map((act) => ({ act }));
const BETTING = { mode: "betting", next: "shake", ahead: ["shake", "no_more_bets"] }, PAYING = { mode: "paying", next: "pay_seats", ahead: [] };

test("while wagers are taken everything goes on, and what leads to the dice goes on by itself", () => {
  assert.equal(adviceOf(BETTING, acts("place_wagers")), "");
  assert.equal(adviceOf(BETTING, acts("place_wagers", "shake")), "");
});

test("once an act waits that closes the wagers, they stay closed", () => {
  assert.equal(adviceOf(BETTING, [{ act: "throw_dice", closes: true }]), "Bets stay closed.");
  const dice = "Bets stay closed. Write the dice down, call the floor, take and pay nothing yet.";
  assert.equal(adviceOf({ mode: "dice", next: "call_dice" }, acts("call_dice")), dice);
});

test("a payment that waits is the last one", () => {
  assert.equal(adviceOf(PAYING, []), "");
  assert.equal(adviceOf(PAYING, acts("pay_seats")), "Pay nothing more until the connection is back.");
  assert.equal(adviceOf({ mode: "lit", next: "take_losers" }, acts("take_losers")), "Pay nothing until the connection is back.");
});

test("a step that is not kept is not promised", () => {
  for (const next of ["settle_seats", "clear_layout", "return_wagers"]) {
    assert.equal(canWait(next, {}), false);
    assert.match(adviceOf({ mode: "say", next }, []), /until the connection is back\.$/);
  }
  assert.equal(adviceOf({ mode: "closed", next: "open_table" }, []), "The next step needs the connection.");
  assert.equal(adviceOf({ mode: "ceased", next: "record_repair" }, []), "Gaming stays ceased. The next step needs the connection.");
});

test("who has the dice is not known before the line is back, and wagers go on", () => {
  const offered = { mode: "betting", next: "offer_dice", ahead: [] };
  assert.equal(adviceOf(offered, acts("offer_dice")), "You can take wagers. Throw nothing until the connection is back.");
  assert.equal(adviceOf(offered, acts("place_wagers")), "");
});

test("a tablet of another post than that of the next step does not hear of it", () => {
  const ofAnother = { isElsewhere: true, next: "throw_dice", ahead: ["throw_dice", "call_dice"] };
  assert.equal(adviceOf({ ...ofAnother, mode: "betting" }, []), "");
  assert.equal(continueOf({ ...ofAnother, mode: "betting" }), "You can take wagers until they are closed aloud.");
  assert.equal(adviceOf({ ...ofAnother, mode: "dice", next: "call_dice" }, []), "Bets stay closed. Take and pay nothing until the connection is back.");
  assert.equal(continueOf(BETTING), "You can continue.");
});

test("a page without a line says what to do by what was tapped last", () => {
  const betting = { mode: "betting" };
  assert.match(adviceWithoutPage(betting, []), /^Take no more wagers\./);
  assert.match(adviceWithoutPage(betting, [{ act: "throw_dice", closes: true }]), /^Bets stay closed\./);
  assert.equal(adviceWithoutPage(betting, [], { isCounting: true }), "Leave the chips that you count as they lie. Call the floor.");
  assert.equal(adviceWithoutPage({ mode: "ceased" }, []), "Gaming stays ceased. Leave chips and dice as they lie. Call the floor.");
  assert.equal(adviceWithoutPage(null, []), "Leave chips and dice as they lie. Call the floor.");
});
