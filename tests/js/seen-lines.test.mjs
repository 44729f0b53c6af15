import assert from "node:assert/strict";
import { test } from "node:test";
import { SeenLines } from "../../static/js/seen-lines.js";

test("the lines that nobody saw are counted, and another list begins again", () => {
  const lines = new SeenLines();
  lines.begin("pay 7");
  lines.see("1 big");
  lines.begin("pay 7");
  assert.deepEqual(lines.missing(["1 big", "2 big"]), ["2 big"]);
  lines.begin("pay 8");
  assert.deepEqual(lines.missing(["1 big"]), ["1 big"]);
});
