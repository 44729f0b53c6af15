import assert from "node:assert/strict";
import { test } from "node:test";
import { groupAlerts, memberWords } from "../../static/js/alert-groups.js";

const alert = (code, title, joins) => ({ dataset: { code, title, ...(joins && { joins }) } });
const dispute = alert("T-05", "Dispute at seat 3");
const first = alert("T-42", "Left tablet offline", "Pit 3, Tablet offline");
const second = alert("T-31", "Tablet offline", "Pit 3, Tablet offline");
const elsewhere = alert("T-07", "Tablet offline", "Pit 1, Tablet offline");

test("equal alerts of a pit are one line, at the place of the first, and no others join it", () => {
  assert.deepEqual(groupAlerts([first, dispute, second, elsewhere]), [[first, second], [dispute], [elsewhere]]);
  assert.equal(memberWords([first, second]), "T-42 Left tablet offline, T-31 Tablet offline");
});

test("two disputes are two lines", () => {
  assert.equal(groupAlerts([dispute, alert("T-05", "Dispute at seat 3")]).length, 2);
});
