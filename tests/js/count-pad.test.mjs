import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { installBrowser } from "./browser.mjs";

let verdictOf;
const FILL = { code: "slip", of: "slip", expectedCents: 75_000 };
const cells = (...counts) => counts.map(([chip, count, expected]) => ({ chip, count, expected }));

beforeEach(async () => {
  installBrowser();
  ({ verdictOf } = await import("../../static/js/count-pad.js"));
});

test("a fill is signed for only when every denomination agrees with its slip", () => {
  assert.deepEqual(verdictOf(cells([500, undefined, 150]), FILL), { cents: 0, signs: false, next: "Count the $5", text: "", mark: "" });
  const differs = verdictOf(cells([500, 149, 150], [2500, undefined, 10]), FILL);
  assert.deepEqual([differs.signs, differs.next, differs.text], [false, "The count differs", "$5: 149 counted, slip 150"]);
  const agrees = verdictOf(cells([500, 150, 150]), FILL);
  assert.deepEqual([agrees.signs, agrees.cents, agrees.text], [true, 75_000, "$750 counted, as on the slip"]);
});

test("a tray that differs from the record may be signed, and says by how much", () => {
  const record = { code: "tray", of: "record", expectedCents: 75_500 };
  const less = verdictOf(cells([500, 150], [2500, 0]), record);
  assert.deepEqual([less.signs, less.text, less.mark], [true, "$750 counted, $5 less than the record", "differs"]);
  assert.equal(verdictOf(cells([500, 150], [2500, undefined]), record).next, "Count the $25");
});

test("an opener of the same sum in other chips is not said to agree", () => {
  const opener = verdictOf(cells([500, 5, 0], [2500, 0, 1]), { code: "opener", of: "closer", expectedCents: 2_500 });
  assert.deepEqual([opener.signs, opener.text], [true, "$25 counted, the sum of the closer, other chips"]);
});

test("chips are sold by any of their denominations", () => {
  const sale = verdictOf(cells([500, undefined], [2500, 4]), { code: "sell" });
  assert.deepEqual([sale.signs, sale.cents, sale.text], [true, 10_000, "$100 in chips"]);
  assert.equal(verdictOf(cells([500, undefined]), { code: "sell" }).signs, false);
});

test("a page that cannot be read again says at once how old it is", async () => {
  globalThis.HTMLElement ??= class {};
  globalThis.customElements ??= { define() {} };
  const { ageText } = await import("../../static/js/live-part.js");
  assert.deepEqual(ageText(2_000, true, "21:52:16").badge, "LIVE");
  assert.deepEqual([ageText(8_000, true, "21:52:16").badge, ageText(8_000, true, "21:52:16").status], ["STALE 8 s", "stale"]);
  assert.match(ageText(8_000, true, "21:52:16").text, /^As of 21:52:16\. What you see may be old\./);
  assert.equal(ageText(13_000, true, "21:52:16").status, "dead");
  assert.equal(ageText(0, false, "21:52:16").status, "dead");
});
