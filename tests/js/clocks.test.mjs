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
const time = new FakeElement({ dataset: { now: "minutes" } });
document.parts.set("[data-now]", [time]).set("[data-as-of]", [new FakeElement({ dataset: { asOf: new Date(clock.now).toISOString() } })]);
await import("../../static/js/clocks.js");

const lengths = () => [bar.getAttribute("width"), dial.getAttribute("stroke-dasharray")];

test("a device whose clock is set back shows the casino's time again within a second", async () => {
  const before = time.textContent;
  clock.setBack(3 * HOUR);
  await clock.advance(1_000);
  assert.match(before, /^\d\d:00$/);
  assert.equal(time.textContent, before);
});

test("the bar and the dial of the time that is left run on at a table where nothing happens", async () => {
  assert.deepEqual(lengths(), ["75", "75 100"]);
  await clock.advance(HOUR);
  assert.deepEqual(lengths(), ["50", "50 100"]);
  await clock.advance(4 * HOUR);
  assert.deepEqual(lengths(), ["0", "0 100"]);
});
