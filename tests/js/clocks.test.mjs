import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeElement, installBrowser } from "./browser.mjs";

const { clock, document } = installBrowser();
const HOUR = 3_600_000;
const dataset = {
  restSince: new Date(clock.now - HOUR).toISOString(), restUntil: new Date(clock.now + 3 * HOUR).toISOString(),
};
const [bar, dial] = ["rect", "circle"].map((tagName) => Object.assign(new FakeElement({ dataset }), { tagName }));
document.parts.set("[data-rest-until]", [bar, dial]);
await import("../../static/js/clocks.js");

const lengths = () => [bar.getAttribute("width"), dial.getAttribute("stroke-dasharray")];

test("the bar and the dial of the time that is left run on at a table where nothing happens", async () => {
  assert.deepEqual(lengths(), ["75", "75 100"]);
  await clock.advance(HOUR);
  assert.deepEqual(lengths(), ["50", "50 100"]);
  await clock.advance(4 * HOUR);
  assert.deepEqual(lengths(), ["0", "0 100"]);
});
